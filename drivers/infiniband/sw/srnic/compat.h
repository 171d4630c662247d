/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels. Kbuild looks for them in the kernel's headers and
 * defines SRNIC_HAVE_*: distributions backport, so versions tell little. Linux
 * 6.12 is what is tested.
 */
#ifndef SRNIC_COMPAT_H
#define SRNIC_COMPAT_H

/* UDP tunnels took a struct socket, later a struct sock. */
#ifdef SRNIC_HAVE_TUNNEL_SK
#define SRNIC_TUNNEL_SOCK(sock)	((sock)->sk)
#else
#define SRNIC_TUNNEL_SOCK(sock)	(sock)
#endif

#endif /* SRNIC_COMPAT_H */
