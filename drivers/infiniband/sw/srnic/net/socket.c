// SPDX-License-Identifier: GPL-2.0
/*
 * State of srnic in a network namespace: the UDP port and the hooks, which exist from the
 * first link or GID to the last.
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/ratelimit.h>
#include <linux/wait_bit.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>
#include "compat.h"
#include "net/internal.h"

static unsigned int srnic_netns_id __read_mostly;

struct srnic_netns *srnic_netns(const struct net *net)
{
	return net_generic(net, srnic_netns_id);
}

void srnic_netns_hold(struct srnic_netns *ns)
{
	atomic_inc(&ns->users);
}

/* At zero, @ns may be freed at any time; wake_up_var() uses only its address. */
void srnic_netns_release(struct srnic_netns *ns)
{
	if (atomic_dec_and_test(&ns->users))
		wake_up_var(&ns->users);
}

/* GRO joins packets from real NICs into super-packets only for sockets that request it. */
static void sock_want_gro(struct socket *sock)
{
	int one = 1;

	sock->ops->setsockopt(sock, SOL_UDP, UDP_GRO, KERNEL_SOCKPTR(&one), sizeof(one));
}

/* Open the socket that holds the port and receives the packets that the hook leaves. */
static int sock_open(struct net *net, u8 family, struct socket **sockp)
{
	struct udp_port_cfg port = {
		.family = family,
		.local_udp_port = htons(SRNIC_ROCE_PORT),
		.ipv6_v6only = family == AF_INET6,
	};
	struct udp_tunnel_sock_cfg cfg = {
		.encap_type = 1,
		.encap_rcv = srnic_encap_rcv,
	};
	int err;

	err = udp_sock_create(net, &port, sockp);
	if (err) {
		*sockp = NULL;
		return err;
	}
	setup_udp_tunnel_sock(net, SRNIC_TUNNEL_SOCK(*sockp), &cfg);
	sock_want_gro(*sockp);
	return 0;
}

static void sock_close(struct socket **sockp)
{
	if (*sockp)
		udp_tunnel_sock_release(SRNIC_TUNNEL_SOCK(*sockp));
	*sockp = NULL;
}

static int hooks_register(struct net *net, struct srnic_netns *ns)
{
	unsigned int i;

	for (i = 0; i < SRNIC_HOOKS; i++) {
		ns->hooks[i] = srnic_hooks[i];
		ns->hooks[i].priv = ns;
	}
	return nf_register_net_hooks(net, ns->hooks, SRNIC_HOOKS);
}

static int netns_open(struct net *net, struct srnic_netns *ns)
{
	int err;

	err = sock_open(net, AF_INET, &ns->sock4);
	if (err)
		return err;
	err = sock_open(net, AF_INET6, &ns->sock6);
	if (err && err != -EAFNOSUPPORT && err != -EPFNOSUPPORT)
		goto close4;
	err = srnic_demux_open(ns);
	if (err)
		goto close6;
	err = hooks_register(net, ns);
	if (err)
		goto close_demux;
	return 0;

close_demux:
	srnic_demux_close(ns);
close6:
	sock_close(&ns->sock6);
close4:
	sock_close(&ns->sock4);
	return err;
}

static void netns_close(struct net *net, struct srnic_netns *ns)
{
	nf_unregister_net_hooks(net, ns->hooks, SRNIC_HOOKS);
	synchronize_net();	/* a hook may be running */
	srnic_demux_close(ns);
	sock_close(&ns->sock6);
	sock_close(&ns->sock4);
}

/*
 * Return the receive function of the kernel socket that has the port, which identifies the
 * module, or NULL if a process has the port.
 */
static void *port_holder(struct net *net)
{
	void *holder = NULL;
	struct sock *sk;

	rcu_read_lock();
	sk = __udp4_lib_lookup(net, htonl(INADDR_ANY), 0, htonl(INADDR_ANY),
			       htons(SRNIC_ROCE_PORT), 0, 0, net->ipv4.udp_table, NULL);
	if (sk && sk->sk_kern_sock)
		holder = READ_ONCE(udp_sk(sk)->encap_rcv);
	rcu_read_unlock();
	return holder;
}

/* newlink() gets no extack, so `rdma link add` can print only the errno. */
static void tell_port_taken(struct net *net)
{
	const char *which = net_eq(net, &init_net) ? " (the initial one)" : "";
	void *holder = port_holder(net);

	if (holder)
		pr_warn_ratelimited("no link: %ps holds UDP port %u in net:[%u]%s; unload its module (rxe: modprobe -r rdma_rxe), or put the netdev into another namespace\n",
				    holder, SRNIC_ROCE_PORT, net->ns.inum, which);
	else
		pr_warn_ratelimited("no link: a process holds UDP port %u in net:[%u]%s; end it ('ss -ulpn sport = %u' finds it), or put the netdev into another namespace\n",
				    SRNIC_ROCE_PORT, net->ns.inum, which, SRNIC_ROCE_PORT);
}

/**
 * srnic_net_get() - Start receiving in a namespace
 * @net: the namespace; its exit waits for srnic_net_put()
 *
 * Context: process.
 * Return: 0, -EADDRINUSE (another socket has the port: rxe has it in the initial namespace
 * from module load on; the log names the owner), or another negative errno.
 */
int srnic_net_get(struct net *net)
{
	struct srnic_netns *ns = srnic_netns(net);
	int err = 0;

	mutex_lock(&ns->lock);
	if (!ns->links)
		err = netns_open(net, ns);
	if (!err) {
		ns->links++;
		srnic_netns_hold(ns);
	}
	mutex_unlock(&ns->lock);
	if (err == -EADDRINUSE)
		tell_port_taken(net);
	return err;
}

/**
 * srnic_net_put() - Undo srnic_net_get() for one link or GID
 * @net: the namespace
 *
 * Context: process.
 */
void srnic_net_put(struct net *net)
{
	struct srnic_netns *ns = srnic_netns(net);

	mutex_lock(&ns->lock);
	if (!--ns->links)
		netns_close(net, ns);
	mutex_unlock(&ns->lock);
	srnic_netns_release(ns);
}

static int __net_init netns_init(struct net *net)
{
	struct srnic_netns *ns = srnic_netns(net);

	mutex_init(&ns->lock);
	return 0;
}

/*
 * The netdevs are gone by now, but the devices on netdevs that have moved to another namespace
 * (physical ones return to the initial one) may remain until ib_core's worker, which may be
 * late, unregisters them.
 */
static void __net_exit netns_exit(struct net *net)
{
	struct srnic_netns *ns = srnic_netns(net);

	wait_var_event(&ns->users, !atomic_read(&ns->users));
	mutex_destroy(&ns->lock);
}

static struct pernet_operations netns_ops = {
	.init = netns_init,
	.exit = netns_exit,
	.id = &srnic_netns_id,
	.size = sizeof(struct srnic_netns),
};

/**
 * srnic_net_init() - Initialise net, at module load
 * @rx: function that gets each received sk_buff as a struct srnic_rx
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int __init srnic_net_init(srnic_rx_fn rx)
{
	int err;

	err = srnic_hook_init(rx);
	if (err)
		return err;
	err = srnic_txq_init();
	if (err)
		goto hook_exit;
	err = register_pernet_subsys(&netns_ops);
	if (err)
		goto txq_exit;
	return 0;

txq_exit:
	srnic_txq_exit();
hook_exit:
	srnic_hook_exit();
	return err;
}

/**
 * srnic_net_exit() - Undo srnic_net_init(), at module unload
 *
 * Context: process; no links exist any more.
 */
void srnic_net_exit(void)
{
	unregister_pernet_subsys(&netns_ops);
	srnic_hook_exit();
	srnic_txq_exit();
	srnic_chunk_exit();
	/* wait until entries of gid.c and their sockets are freed */
	rcu_barrier();
}
