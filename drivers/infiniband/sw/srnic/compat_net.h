/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the network stacks of kernel versions, see compat.h.
 */
#ifndef SRNIC_COMPAT_NET_H
#define SRNIC_COMPAT_NET_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/addrconf.h>
#include <net/ip6_fib.h>
#include <net/ipv6.h>
#include <net/udp.h>
#ifdef SRNIC_HAVE_IPV6_STUB
#include <net/ipv6_stubs.h>
#endif

/* Functions for UDP tunnels took a struct socket, later a struct sock. */
#ifdef SRNIC_HAVE_TUNNEL_SK
#define SRNIC_TUNNEL_SOCK(sock)	((sock)->sk)
#else
#define SRNIC_TUNNEL_SOCK(sock)	(sock)
#endif

/* 6.12: IPv6 may be a module, which may be missing. Call it by its table. */
#ifdef SRNIC_HAVE_IPV6_STUB
#define ip6_dst_lookup_flow	ipv6_stub->ipv6_dst_lookup_flow
#define ipv6_sock_mc_join	ipv6_stub->ipv6_sock_mc_join
#define ipv6_sock_mc_drop	ipv6_stub->ipv6_sock_mc_drop
#endif

/* The socket that has a UDP port. 6.12: the table is an argument; 6.1: there is but one. */
static inline struct sock *srnic_udp4_socket(struct net *net, __be16 port)
{
	__be32 any = htonl(INADDR_ANY);

#if !defined(SRNIC_HAVE_UDP_TABLE_ARG)
	return __udp4_lib_lookup(net, any, 0, any, port, 0, 0, NULL);
#elif defined(SRNIC_HAVE_UDP_TABLE_OF_NET)
	return __udp4_lib_lookup(net, any, 0, any, port, 0, 0, net->ipv4.udp_table, NULL);
#else
	return __udp4_lib_lookup(net, any, 0, any, port, 0, 0, &udp_table, NULL);
#endif
}

/* 6.1: super-packets of IPv4 have no limit of their own. */
#ifndef SRNIC_HAVE_GSO_IPV4_MAX
#define gso_ipv4_max_size	gso_max_size
#endif

/* 6.1, before the updates of 2026 */
#ifndef dst_rt6_info
#define dst_rt6_info(dst_)	container_of(dst_, const struct rt6_info, dst)
#endif

/* 6.1: packets cannot be in the memory of a device. */
#ifndef SRNIC_HAVE_FRAGS_READABLE
static inline bool skb_frags_readable(const struct sk_buff *skb)
{
	return true;
}
#endif

#endif /* SRNIC_COMPAT_NET_H */
