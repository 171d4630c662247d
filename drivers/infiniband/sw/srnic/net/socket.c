// SPDX-License-Identifier: GPL-2.0
/*
 * State of srnic in a network namespace: the UDP ports and the hooks, each of which exist from
 * the first link or GID that needs them to the last.
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/ratelimit.h>
#include <linux/wait_bit.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>
#include "compat_net.h"
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
static void sock_enable_gro(struct socket *sock)
{
	int one = 1;

	sock->ops->setsockopt(sock, SOL_UDP, UDP_GRO, KERNEL_SOCKPTR(&one), sizeof(one));
}

/* Open the socket that holds the port and receives the packets that the hook leaves. */
static int sock_open(struct net *net, u8 family, __be16 udp_port, struct socket **sockp)
{
	struct udp_port_cfg port = {
		.family = family,
		.local_udp_port = udp_port,
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
	sock_enable_gro(*sockp);
	return 0;
}

static void sock_close(struct socket **sockp)
{
	if (*sockp)
		udp_tunnel_sock_release(SRNIC_TUNNEL_SOCK(*sockp));
	*sockp = NULL;
}

struct srnic_netns_port *srnic_netns_port(struct srnic_netns *ns, __be16 port)
{
	return &ns->ports[port == htons(SRNIC_IB_PORT)];
}

/* RoCEv2 does without IPv6; the packets of InfiniBand ports are all IPv6. */
static int port_open(struct net *net, struct srnic_netns_port *port, __be16 udp_port)
{
	bool roce = udp_port == htons(SRNIC_ROCE_PORT);
	int err;

	err = roce ? sock_open(net, AF_INET, udp_port, &port->sock4) : 0;
	if (err)
		return err;
	err = sock_open(net, AF_INET6, udp_port, &port->sock6);
	if (roce && (err == -EAFNOSUPPORT || err == -EPFNOSUPPORT))
		err = 0;
	if (err)
		sock_close(&port->sock4);
	return err;
}

static void port_close(struct srnic_netns_port *port)
{
	sock_close(&port->sock6);
	sock_close(&port->sock4);
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

	err = srnic_demux_open(ns);
	if (err)
		return err;
	err = hooks_register(net, ns);
	if (err)
		srnic_demux_close(ns);
	return err;
}

static void netns_close(struct net *net, struct srnic_netns *ns)
{
	nf_unregister_net_hooks(net, ns->hooks, SRNIC_HOOKS);
	synchronize_net();	/* a hook may be running */
	srnic_demux_close(ns);
}

/*
 * Return the receive function of the kernel socket that has the port, which identifies the
 * module, or NULL if a process has the port.
 */
static void *port_holder(struct net *net, __be16 port)
{
	void *holder = NULL;
	struct sock *sk;

	rcu_read_lock();
	sk = srnic_udp4_socket(net, port);
	if (sk && sk->sk_kern_sock)
		holder = READ_ONCE(udp_sk(sk)->encap_rcv);
	rcu_read_unlock();
	return holder;
}

/* newlink() gets no extack, so `rdma link add` can print only the errno. */
static void warn_port_taken(struct net *net, __be16 port)
{
	const char *which = net_eq(net, &init_net) ? " (the initial one)" : "";
	void *holder = port_holder(net, port);
	unsigned int number = ntohs(port);

	if (holder)
		pr_warn_ratelimited("no link: %ps holds UDP port %u in net:[%u]%s; unload its module (rxe: modprobe -r rdma_rxe), or put the netdev into another namespace\n",
				    holder, number, net->ns.inum, which);
	else
		pr_warn_ratelimited("no link: a process holds UDP port %u in net:[%u]%s; end it ('ss -ulpn sport = %u' finds it), or put the netdev into another namespace\n",
				    number, net->ns.inum, which, number);
}

static int netns_add_link(struct net *net, struct srnic_netns *ns, __be16 udp_port)
	__must_hold(&ns->lock)
{
	struct srnic_netns_port *port = srnic_netns_port(ns, udp_port);
	int err;

	err = port->links ? 0 : port_open(net, port, udp_port);
	if (err)
		return err;
	err = ns->links ? 0 : netns_open(net, ns);
	if (err)
		goto close;
	port->links++;
	ns->links++;
	return 0;

close:
	port_close(port);
	return err;
}

/**
 * srnic_net_get() - Start receiving in a namespace
 * @net: the namespace; its exit waits for srnic_net_put()
 * @port: UDP port
 *
 * Context: process.
 * Return: 0, -EADDRINUSE (another socket has the port: rxe has RoCEv2's in the initial
 * namespace from module load on; the log names the owner), or another negative errno.
 */
int srnic_net_get(struct net *net, __be16 port)
{
	struct srnic_netns *ns = srnic_netns(net);
	int err;

	mutex_lock(&ns->lock);
	err = netns_add_link(net, ns, port);
	if (!err)
		srnic_netns_hold(ns);
	mutex_unlock(&ns->lock);
	if (err == -EADDRINUSE)
		warn_port_taken(net, port);
	return err;
}

/**
 * srnic_net_put() - Undo srnic_net_get() for one link or GID
 * @net: the namespace
 * @port: UDP port
 *
 * Context: process.
 */
void srnic_net_put(struct net *net, __be16 port)
{
	struct srnic_netns *ns = srnic_netns(net);
	struct srnic_netns_port *state = srnic_netns_port(ns, port);

	mutex_lock(&ns->lock);
	if (!--ns->links)
		netns_close(net, ns);
	if (!--state->links)
		port_close(state);
	mutex_unlock(&ns->lock);
	srnic_netns_release(ns);
}

/**
 * srnic_net_used() - Return whether a namespace has a link or a GID of srnic
 * @net: the namespace
 *
 * Context: any. The answer may change at once.
 */
bool srnic_net_used(const struct net *net)
{
	return atomic_read(&srnic_netns(net)->users);
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

	srnic_chunk_init();
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
