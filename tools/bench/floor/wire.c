// SPDX-License-Identifier: GPL-2.0
/*
 * The throughput of a minimal module that sends packets of srnic's length
 * across a wire, through the stack and driver that srnic uses: copy and CRC at
 * the sender, CRC and copy at the receiver, a window. There is no protocol and
 * no acknowledgment on the wire.
 *
 * Both ends are in the initial namespace ("testbed up --flat"), or each in a
 * kernel of its own ("testbed up --pair"); the receiver then reports what has
 * come, once a quarter of the window. Packets are received by a socket's
 * encap_rcv, as tunnels do.
 */
#include <linux/inet.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/seq_file.h>
#include <linux/udp.h>
#include <linux/wait.h>
#include <net/sock.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>

#include "floor.h"

#define WIRE_PORT	4790
#define WIRE_SEGS	64
#define WIRE_PATIENCE	(HZ / 50)	/* later packets count as lost */
#define WIRE_SENDER	BIT(0)
#define WIRE_RECEIVER	BIT(1)
#define WIRE_TTL	64

static unsigned int wire_ms;
module_param(wire_ms, uint, 0444);
MODULE_PARM_DESC(wire_ms, "send across the wire for so many milliseconds, and do nothing else");

static unsigned int wire_len = FLOOR_BIG;
module_param(wire_len, uint, 0444);
MODULE_PARM_DESC(wire_len, "payload bytes of a packet");

static unsigned int wire_segs = 1;
module_param(wire_segs, uint, 0444);
MODULE_PARM_DESC(wire_segs, "packets that are sent as one, by UDP segmentation");

static unsigned int wire_window = 64;
module_param(wire_window, uint, 0444);
MODULE_PARM_DESC(wire_window, "packets on their way at most");

static unsigned int wire_ends = WIRE_SENDER | WIRE_RECEIVER;
module_param(wire_ends, uint, 0444);
MODULE_PARM_DESC(wire_ends, "ends in this kernel: 1 the sender, 2 the receiver, 3 both");

static char *wire_from = "10.77.0.1";
module_param(wire_from, charp, 0444);
MODULE_PARM_DESC(wire_from, "address of the sender");

static char *wire_to = "10.77.0.2";
module_param(wire_to, charp, 0444);
MODULE_PARM_DESC(wire_to, "address of the receiver");

/*
 * A flow uses one queue, so its packets arrive one at a time and the receiver's
 * counters need no lock.
 */
struct wire {
	struct floor_bench *out;
	struct floor_bench in;
	struct socket *sender;
	struct socket *receiver;
	struct sockaddr_in from;
	struct sockaddr_in to;
	struct rtable *back;		/* the way to a sender in another kernel */
	wait_queue_head_t room;
	struct kvec vec[2 * WIRE_SEGS];
	u32 sums[WIRE_SEGS];
	u64 sent;
	u64 lost;
	u64 good;
	u64 bad;
	u64 ns;
};

static struct wire wire;

/* Message of a receiver to a sender in another kernel: the packets that have come */
struct wire_count {
	__be64 good;
	__be64 bad;
};

static u64 wire_came(const struct wire *w)
{
	return READ_ONCE(w->good) + READ_ONCE(w->bad);
}

static bool wire_has_room(const struct wire *w)
{
	return w->sent - w->lost - wire_came(w) + wire_segs <= wire_window;
}

static void wire_wake(struct wire *w)
{
	if (wq_has_sleeper(&w->room))
		wake_up(&w->room);
}

/* Send as tunnels do: the stack calls this, so it must not sleep. */
static void wire_report(struct wire *w)
{
	struct wire_count count = { cpu_to_be64(w->good), cpu_to_be64(w->bad) };
	u32 head = LL_MAX_HEADER + sizeof(struct iphdr) + sizeof(struct udphdr);
	struct sk_buff *skb = alloc_skb(head + sizeof(count), GFP_ATOMIC);

	if (!skb)
		return;
	skb_reserve(skb, head);
	skb_put_data(skb, &count, sizeof(count));
	dst_hold(&w->back->dst);
	udp_tunnel_xmit_skb(w->back, w->receiver->sk, skb, w->to.sin_addr.s_addr,
			    w->from.sin_addr.s_addr, 0, WIRE_TTL, 0, htons(WIRE_PORT),
			    htons(WIRE_PORT), false, true);
}

/* Count foreign packets as bad. */
static void wire_check(struct wire *w, struct sk_buff *skb)
{
	struct floor_bench *in = &w->in;
	u32 head = sizeof(struct udphdr);
	u32 sum = 0;

	if (skb->len == head + wire_len + sizeof(sum) &&
	    !skb_copy_bits(skb, head, floor_payload(in), wire_len) &&
	    !skb_copy_bits(skb, head + wire_len, &sum, sizeof(sum)) &&
	    !in->crc_big(in, wire_len) && in->sum == sum)
		WRITE_ONCE(w->good, w->good + 1);
	else
		WRITE_ONCE(w->bad, w->bad + 1);
	if (!w->back)
		wire_wake(w);
	else if (!(wire_came(w) % max(wire_window / 4, 1U)))
		wire_report(w);
}

/* encap_rcv of the receiver */
static int wire_receive(struct sock *sk, struct sk_buff *skb)
{
	struct wire *w = rcu_dereference_sk_user_data(sk);

	if (w)
		wire_check(w, skb);
	consume_skb(skb);
	return 0;
}

/* encap_rcv of a sender whose receiver is in another kernel */
static int wire_told(struct sock *sk, struct sk_buff *skb)
{
	struct wire *w = rcu_dereference_sk_user_data(sk);
	u32 head = sizeof(struct udphdr);
	struct wire_count count;

	if (w && skb->len == head + sizeof(count) &&
	    !skb_copy_bits(skb, head, &count, sizeof(count))) {
		WRITE_ONCE(w->good, be64_to_cpu(count.good));
		WRITE_ONCE(w->bad, be64_to_cpu(count.bad));
		wire_wake(w);
	}
	consume_skb(skb);
	return 0;
}

/* Take the CRC of each packet's bytes before the stack copies them. */
static int wire_send(struct wire *w)
{
	struct msghdr msg = { };
	int err;

	for (unsigned int i = 0; i < wire_segs; i++) {
		err = w->out->crc_big(w->out, wire_len);
		if (err)
			return err;
		w->sums[i] = w->out->sum;
		w->vec[2 * i] = (struct kvec){ floor_payload(w->out), wire_len };
		w->vec[2 * i + 1] = (struct kvec){ &w->sums[i], sizeof(u32) };
	}
	err = kernel_sendmsg(w->sender, &msg, w->vec, 2 * wire_segs,
			     wire_segs * (wire_len + sizeof(u32)));
	if (err < 0)
		return err;
	w->sent += wire_segs;
	return 0;
}

static int wire_send_all(struct wire *w)
{
	u64 begin = ktime_get_ns();
	int err = 0;

	while (!err && w->ns < (u64)wire_ms * NSEC_PER_MSEC) {
		if (!wait_event_timeout(w->room, wire_has_room(w), WIRE_PATIENCE))
			w->lost = w->sent - wire_came(w);
		err = wire_send(w);
		cond_resched();
		w->ns = ktime_get_ns() - begin;
	}
	return err;
}

static int wire_address(const char *address, struct sockaddr_in *at)
{
	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(WIRE_PORT) };
	return in4_pton(address, -1, (u8 *)&at->sin_addr.s_addr, '\0', NULL) ? 0 : -EINVAL;
}

static int wire_bind(struct socket **sock, struct sockaddr_in *at)
{
	return sock_create_kern(&init_net, AF_INET, SOCK_DGRAM, IPPROTO_UDP, sock) ?:
	       kernel_bind(*sock, (struct sockaddr *)at, sizeof(*at));
}

static void wire_take(struct wire *w, struct sock *sk, int (*take)(struct sock *, struct sk_buff *))
{
	rcu_assign_sk_user_data(sk, w);
	WRITE_ONCE(udp_sk(sk)->encap_rcv, take);
	WRITE_ONCE(udp_sk(sk)->encap_type, 1);
	udp_tunnel_encap_enable(sk);
}

static int wire_open_receiver(struct wire *w)
{
	struct flowi4 way = { .saddr = w->to.sin_addr.s_addr, .daddr = w->from.sin_addr.s_addr,
			      .flowi4_proto = IPPROTO_UDP };
	int err = wire_bind(&w->receiver, &w->to);

	if (err)
		return err;
	if (!(wire_ends & WIRE_SENDER)) {
		struct rtable *back = ip_route_output_key(&init_net, &way);

		if (IS_ERR(back))
			return PTR_ERR(back);
		w->back = back;
	}
	wire_take(w, w->receiver->sk, wire_receive);
	return 0;
}

/*
 * RoCEv2 allows packets without a UDP checksum, but segmentation requires one.
 */
static int wire_open_sender(struct wire *w)
{
	int err = wire_bind(&w->sender, &w->from) ?:
		  kernel_connect(w->sender, (struct sockaddr *)&w->to, sizeof(w->to), 0);

	if (err)
		return err;
	if (wire_segs > 1)
		WRITE_ONCE(udp_sk(w->sender->sk)->gso_size, wire_len + sizeof(u32));
	else
		w->sender->sk->sk_no_check_tx = 1;
	if (!(wire_ends & WIRE_RECEIVER))
		wire_take(w, w->sender->sk, wire_told);
	return 0;
}

static int wire_open(struct wire *w)
{
	int err = wire_address(wire_from, &w->from) ?: wire_address(wire_to, &w->to);

	if (!err && wire_ends & WIRE_RECEIVER)
		err = wire_open_receiver(w);
	if (!err && wire_ends & WIRE_SENDER)
		err = wire_open_sender(w);
	return err;
}

static void wire_release(struct socket **sock)
{
	if (!*sock)
		return;
	rcu_assign_sk_user_data((*sock)->sk, NULL);
	sock_release(*sock);
	*sock = NULL;
}

/**
 * floor_wire_close() - Stop to receive, and free what is open
 */
void floor_wire_close(void)
{
	struct wire *w = &wire;

	wire_release(&w->sender);
	wire_release(&w->receiver);
	synchronize_rcu();
	if (w->back)
		ip_rt_put(w->back);
	w->back = NULL;
	floor_packet_close(&w->in);
	w->in = (struct floor_bench){ };
}

/**
 * floor_wire_wanted() - Tell whether to measure the wire instead of the primitives
 *
 * Return: true if wire_ms is set.
 */
bool floor_wire_wanted(void)
{
	return wire_ms;
}

static bool wire_is_valid(void)
{
	return wire_len && wire_len <= FLOOR_BIG && wire_segs && wire_segs <= WIRE_SEGS &&
	       wire_segs <= wire_window && wire_ends && wire_ends <= (WIRE_SENDER | WIRE_RECEIVER);
}

/**
 * floor_wire_run() - Send across the wire for the requested time
 * @b: the sender's bytes, and the fastest CRC
 *
 * Without the sender, begin to receive until floor_wire_close().
 *
 * Return: 0, -EINVAL for an invalid length, number or address, or an error of the stack.
 */
int floor_wire_run(struct floor_bench *b)
{
	struct wire *w = &wire;
	int err;

	if (!wire_is_valid())
		return -EINVAL;
	init_waitqueue_head(&w->room);
	w->out = b;
	err = floor_packet_open(&w->in);
	w->in.crc_big = b->crc_big;
	if (!err)
		err = wire_open(w);
	if (!err && wire_ends & WIRE_SENDER)
		err = wire_send_all(w);
	if (err || wire_ends & WIRE_SENDER)
		floor_wire_close();
	return err;
}

/**
 * floor_wire_show() - Print the received packets as JSON
 * @m: output file
 */
void floor_wire_show(struct seq_file *m)
{
	seq_printf(m, "{\"bytes\": %llu, \"ns\": %llu, \"sent\": %llu, \"lost\": %llu, \"bad\": %llu}\n",
		   wire.good * wire_len, wire.ns, wire.sent, wire.lost, wire.bad);
}
