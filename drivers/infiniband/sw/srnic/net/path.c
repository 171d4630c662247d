// SPDX-License-Identifier: GPL-2.0
/*
 * Paths: the route to one peer, cached with its cookie, and the template of the IP header that
 * all packets to the peer share.
 */
#include <linux/jhash.h>
#include <linux/random.h>
#include <net/ip.h>
#include <net/ip6_fib.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <rdma/ib_cache.h>
#include "compat_net.h"
#include "export.h"
#include "srnic.h"
#include "net/internal.h"

/*
 * Replaces a hop limit of zero, which a verbs consumer may give if it stays in its subnet.
 * Routers drop packets with hop limit zero (IBA 8.3.6), and so do hosts that receive them.
 */
#define PATH_TTL	64

static void path_template4(struct srnic_path *path)
{
	struct iphdr *iph = (struct iphdr *)path->ends.iph;

	iph->version = IPVERSION;
	iph->ihl = sizeof(*iph) / 4;
	iph->tos = path->tos;
	/* RoCEv2 never fragments: annex A17.3.1 */
	iph->frag_off = htons(IP_DF);
	iph->ttl = path->ttl;
	iph->protocol = IPPROTO_UDP;
	iph->saddr = srnic_gid_v4(path->ends.sgid);
	iph->daddr = srnic_gid_v4(path->ends.dgid);
}

static void path_template6(struct srnic_path *path)
{
	struct ipv6hdr *ip6h = (struct ipv6hdr *)path->ends.iph;

	ip6_flow_hdr(ip6h, path->tos, path->flow_label);
	ip6h->nexthdr = IPPROTO_UDP;
	ip6h->hop_limit = path->ttl;
	memcpy(&ip6h->saddr, path->ends.sgid, sizeof(ip6h->saddr));
	memcpy(&ip6h->daddr, path->ends.dgid, sizeof(ip6h->daddr));
}

/*
 * The namespace of the device's own netdev outlives the device and all its paths. A VLAN may
 * be in another namespace: the path holds a reference to that one, as a socket in it would.
 */
static int path_hold_net(struct srnic_path *path, struct net *net, const struct srnic_dev *dev)
{
	path->net_held = !net_eq(net, READ_ONCE(dev->net));
	if (path->net_held && !maybe_get_net(net)) {
		path->net_held = false;
		return -ENODEV;
	}
	path->net = net;
	return 0;
}

/* Packets must leave by the GID's netdev, which may be a VLAN, and by no other. */
static int path_netdev(struct srnic_path *path, const struct ib_gid_attr *sgid_attr)
{
	struct net_device *ndev;
	int err;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(sgid_attr);
	if (IS_ERR(ndev)) {
		err = PTR_ERR(ndev);
	} else {
		path->oif = ndev->ifindex;
		err = path_hold_net(path, dev_net(ndev), to_srnic(sgid_attr->device));
	}
	rcu_read_unlock();
	return err;
}

/*
 * Fill in all of a path but its netdev and namespace. Return 0, or -EINVAL if the GIDs are of
 * different families.
 */
int srnic_path_address(struct srnic_path *path, const union ib_gid *sgid,
		       const struct rdma_ah_attr *ah, u16 sport, __be16 dport)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	struct srnic_ends *ends = &path->ends;

	memcpy(ends->sgid, sgid->raw, sizeof(ends->sgid));
	memcpy(ends->dgid, grh->dgid.raw, sizeof(ends->dgid));
	ends->v4 = srnic_gid_is_v4(ends->sgid);
	if (ends->v4 != srnic_gid_is_v4(ends->dgid))
		return -EINVAL;

	ends->sport = htons(sport);
	ends->dport = dport;
	path->tos = grh->traffic_class;
	path->ttl = grh->hop_limit ?: PATH_TTL;
	path->flow_label = htonl(grh->flow_label) & IPV6_FLOWLABEL_MASK;
	path->ip_id = get_random_u16();
	path->hash = jhash(ends->sgid, sizeof(ends->sgid), sport);
	path->hash = jhash(ends->dgid, sizeof(ends->dgid), path->hash);
	if (ends->v4)
		path_template4(path);
	else
		path_template6(path);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_path_address);

/**
 * srnic_path_init() - Make a path from a GID table entry and an address vector
 * @path: filled in; its old content is overwritten, not released
 * @sgid_attr: source GID; packets leave by its netdev
 * @ah: destination, traffic class, flow label, hop limit
 * @sport: UDP source port, host order
 *
 * The route is looked up later. The destination MAC that the address vector may have is
 * ignored: the neighbour table has it, and follows changes.
 *
 * Context: any.
 * Return: 0, -EINVAL (no RoCEv2 GID, or the GIDs are of different families), or -ENODEV (the
 * GID's netdev or its namespace is gone).
 */
int srnic_path_init(struct srnic_path *path, const struct ib_gid_attr *sgid_attr,
		    const struct rdma_ah_attr *ah, u16 sport)
{
	int err;

	memset(path, 0, sizeof(*path));
	if (sgid_attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EINVAL;

	err = srnic_path_address(path, &sgid_attr->gid, ah, sport,
				 to_srnic(sgid_attr->device)->udp_port);
	if (err)
		return err;
	return path_netdev(path, sgid_attr);
}

/**
 * srnic_path_init_port() - Make a path from the GID of an InfiniBand port
 * @path: filled in; its old content is overwritten, not released
 * @dev: the device; packets leave by its netdev
 * @sgid: source GID
 * @ah: destination, which has a GRH
 * @sport: UDP source port, host order
 *
 * Otherwise as srnic_path_init().
 *
 * Context: any.
 * Return: 0, or -EINVAL (the GIDs are of different families).
 */
int srnic_path_init_port(struct srnic_path *path, struct srnic_dev *dev, const union ib_gid *sgid,
			 const struct rdma_ah_attr *ah, u16 sport)
{
	memset(path, 0, sizeof(*path));
	path->net = READ_ONCE(dev->net);
	path->oif = dev->ifindex;
	return srnic_path_address(path, sgid, ah, sport, dev->udp_port);
}

/**
 * srnic_path_set_ect() - Send packets as ECN-capable, with ECT(0)
 * @path: the path, initialised
 *
 * An ECN codepoint that the address vector has set stays. Routes do not depend on it.
 *
 * Context: any; users of the path serialise.
 */
void srnic_path_set_ect(struct srnic_path *path)
{
	struct ipv6hdr *ip6h = (struct ipv6hdr *)path->ends.iph;
	struct iphdr *iph = (struct iphdr *)path->ends.iph;

	if (path->tos & INET_ECN_MASK)
		return;
	if (path->ends.v4)
		iph->tos |= INET_ECN_ECT_0;
	else
		ipv6_change_dsfield(ip6h, U8_MAX, INET_ECN_ECT_0);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_path_set_ect);

static void path_drop_route(struct srnic_path *path)
{
	dst_release(path->dst);
	path->dst = NULL;
}

/**
 * srnic_path_release() - Release a path's references to route and namespace
 * @path: a path that was initialised, or all zero; must be initialised again before its next
 *	use
 *
 * Context: any up to softirq.
 */
void srnic_path_release(struct srnic_path *path)
{
	path_drop_route(path);
	if (path->net_held)
		put_net(path->net);
	path->net_held = false;
	path->net = NULL;
}

/*
 * The output interface is given, so entries of the local table that belong to another netdev
 * do not match: two devices of one namespace that are connected by a cable use the cable. The
 * ports are given so that IPsec policies on them match.
 */
static struct dst_entry *path_lookup4(const struct srnic_path *path)
{
	const struct srnic_ends *ends = &path->ends;
	struct flowi4 fl4;
	struct rtable *rt;

	flowi4_init_output(&fl4, path->oif, 0, path->tos, RT_SCOPE_UNIVERSE, IPPROTO_UDP, 0,
			   srnic_gid_v4(ends->dgid), srnic_gid_v4(ends->sgid),
			   ends->dport, ends->sport, sock_net_uid(path->net, NULL));
	rt = ip_route_output_flow(path->net, &fl4, NULL);
	if (IS_ERR(rt))
		return ERR_CAST(rt);
	if (rt->rt_flags & RTCF_BROADCAST) {
		ip_rt_put(rt);
		return ERR_PTR(-EHOSTUNREACH);
	}
	return &rt->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
/*
 * To IPv6, a flow's interface is a preference, but a bound socket's is mandatory: the GID has
 * such a socket (gid.c).
 */
static struct dst_entry *path_lookup6(const struct srnic_path *path)
{
	const struct srnic_ends *ends = &path->ends;
	struct dst_entry *dst;
	struct flowi6 fl6 = {
		.flowi6_oif = path->oif,
		.flowi6_proto = IPPROTO_UDP,
		.flowlabel = ip6_make_flowinfo(path->tos, path->flow_label),
		.fl6_sport = ends->sport,
		.fl6_dport = ends->dport,
		.flowi6_uid = sock_net_uid(path->net, NULL),
	};

	memcpy(&fl6.saddr, ends->sgid, sizeof(fl6.saddr));
	memcpy(&fl6.daddr, ends->dgid, sizeof(fl6.daddr));

	rcu_read_lock();
	dst = ip6_dst_lookup_flow(path->net,
				  srnic_gid_sock(path->net, ends->sgid, path->oif, ends->dport),
				  &fl6, NULL);
	rcu_read_unlock();
	return dst;
}

static u32 path_cookie6(const struct dst_entry *dst)
{
	return rt6_get_cookie(dst_rt6_info(dst));
}
#else
static struct dst_entry *path_lookup6(const struct srnic_path *path)
{
	return ERR_PTR(-EAFNOSUPPORT);
}

static u32 path_cookie6(const struct dst_entry *dst)
{
	return 0;
}
#endif

/**
 * srnic_path_route() - Look up the route if the cached one is not valid
 * @path: the path
 *
 * Cheap if the cached route is valid: one comparison with the namespace's route generation.
 *
 * Context: any up to softirq; users of the path serialise.
 * Return: 0 with a valid @path->dst, -ENETDOWN (the netdev is down), or -EHOSTUNREACH.
 */
int srnic_path_route(struct srnic_path *path)
{
	struct dst_entry *dst = path->dst;

	if (likely(dst && dst_check(dst, path->cookie)))
		return 0;

	path_drop_route(path);
	dst = path->ends.v4 ? path_lookup4(path) : path_lookup6(path);
	if (IS_ERR(dst))
		return PTR_ERR(dst) == -ENETDOWN ? -ENETDOWN : -EHOSTUNREACH;

	path->dst = dst;
	path->cookie = path->ends.v4 ? 0 : path_cookie6(dst);
	return 0;
}

/**
 * srnic_path_max_len() - Return how many bytes from BTH to ICRC fit the route's MTU
 * @path: a path whose route is valid
 *
 * The route's MTU already excludes the overhead of IPsec.
 *
 * Context: any up to softirq; users of the path serialise.
 * Return: bytes; 0 without a route.
 */
u32 srnic_path_max_len(struct srnic_path *path)
{
	u32 overhead = sizeof(struct udphdr) +
		(path->ends.v4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr));
	u32 mtu;

	if (!path->dst)
		return 0;
	mtu = min_t(u32, dst_mtu(path->dst), U16_MAX);
	return mtu > overhead ? mtu - overhead : 0;
}

/**
 * srnic_path_offloads() - Tell whether the netdev takes super-packets whole
 * @path: the path
 *
 * If it does not, the stack segments them, in the way that the ICRC expects.
 *
 * Context: any up to softirq; users of the path serialise.
 * Return: true if it does; false without a route.
 */
bool srnic_path_offloads(const struct srnic_path *path)
{
	return path->dst && path->dst->dev->features & NETIF_F_GSO_UDP_L4;
}
