// SPDX-License-Identifier: GPL-2.0
/*
 * The throughput of a minimal module that sends packets of srnic's length
 * across a wire, through the stack and driver that srnic uses: copy and CRC at
 * the sender, CRC and copy at the receiver, a window. There is no protocol and
 * no acknowledgment on the wire.
 *
 * Both ends are in the initial namespace ("testbed up --flat"). Packets are
 * received by a socket's encap_rcv, as tunnels do.
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

static u64 wire_came(const struct wire *w)
{
	return READ_ONCE(w->good) + READ_ONCE(w->bad);
}

static bool wire_has_room(const struct wire *w)
{
	return w->sent - w->lost - wire_came(w) + wire_segs <= wire_window;
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
	if (wq_has_sleeper(&w->room))
		wake_up(&w->room);
}

/* encap_rcv of the socket */
static int wire_receive(struct sock *sk, struct sk_buff *skb)
{
	struct wire *w = rcu_dereference_sk_user_data(sk);

	if (w)
		wire_check(w, skb);
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

static int wire_bind(struct socket **sock, const char *address, struct sockaddr_in *at)
{
	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(WIRE_PORT) };
	if (!in4_pton(address, -1, (u8 *)&at->sin_addr.s_addr, '\0', NULL))
		return -EINVAL;
	return sock_create_kern(&init_net, AF_INET, SOCK_DGRAM, IPPROTO_UDP, sock) ?:
	       kernel_bind(*sock, (struct sockaddr *)at, sizeof(*at));
}

/*
 * RoCEv2 allows packets without a UDP checksum, but segmentation requires one.
 */
static int wire_open(struct wire *w)
{
	struct sockaddr_in from, to;
	int err;

	err = wire_bind(&w->receiver, wire_to, &to) ?: wire_bind(&w->sender, wire_from, &from) ?:
	      kernel_connect(w->sender, (struct sockaddr *)&to, sizeof(to), 0);
	if (err)
		return err;
	if (wire_segs > 1)
		WRITE_ONCE(udp_sk(w->sender->sk)->gso_size, wire_len + sizeof(u32));
	else
		w->sender->sk->sk_no_check_tx = 1;

	rcu_assign_sk_user_data(w->receiver->sk, w);
	WRITE_ONCE(udp_sk(w->receiver->sk)->encap_rcv, wire_receive);
	WRITE_ONCE(udp_sk(w->receiver->sk)->encap_type, 1);
	udp_tunnel_encap_enable(w->receiver->sk);
	return 0;
}

static void wire_close(struct wire *w)
{
	if (w->sender)
		sock_release(w->sender);
	if (w->receiver) {
		rcu_assign_sk_user_data(w->receiver->sk, NULL);
		sock_release(w->receiver);
	}
	synchronize_rcu();
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

/**
 * floor_wire_run() - Send across the wire for the requested time
 * @b: the sender's bytes, and the fastest CRC
 *
 * Return: 0, -EINVAL for an invalid length, number or address, or an error of the stack.
 */
int floor_wire_run(struct floor_bench *b)
{
	struct wire *w = &wire;
	int err;

	if (!wire_len || wire_len > FLOOR_BIG || !wire_segs || wire_segs > WIRE_SEGS ||
	    wire_segs > wire_window)
		return -EINVAL;
	init_waitqueue_head(&w->room);
	w->out = b;
	err = floor_packet_open(&w->in);
	if (!err) {
		w->in.crc_big = b->crc_big;
		err = wire_open(w) ?: wire_send_all(w);
		wire_close(w);
	}
	floor_packet_close(&w->in);
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
