/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions. Kbuild searches the kernel's headers and
 * defines SRNIC_HAVE_*, because distributions backport and versions say little.
 * Linux 6.12 is the tested kernel.
 */
#ifndef SRNIC_COMPAT_H
#define SRNIC_COMPAT_H

/* Functions for UDP tunnels took a struct socket, later a struct sock. */
#ifdef SRNIC_HAVE_TUNNEL_SK
#define SRNIC_TUNNEL_SOCK(sock)	((sock)->sk)
#else
#define SRNIC_TUNNEL_SOCK(sock)	(sock)
#endif

/* Since 5.18, the kernel tells of forks of its virtual machine. */
#ifndef SRNIC_HAVE_VMFORK
struct notifier_block;

static inline int register_random_vmfork_notifier(struct notifier_block *nb)
{
	return 0;
}

static inline int unregister_random_vmfork_notifier(struct notifier_block *nb)
{
	return 0;
}
#endif

#endif /* SRNIC_COMPAT_H */
