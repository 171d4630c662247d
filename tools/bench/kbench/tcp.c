// SPDX-License-Identifier: GPL-2.0
/*
 * The same runs over TCP, between two sockets of this kernel: a stream of
 * messages to a thread that receives each of them whole, or a ping-pong with
 * it.
 */
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/net.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/tcp.h>
#include <linux/vmalloc.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "kbench.h"

/**
 * struct tcp - a TCP connection
 * @job: parameters of the run
 * @listener: listening socket, until the client has connected
 * @client: the sender's socket
 * @server: the receiver's socket
 * @out: the client's buffer
 * @in: the server's buffer
 * @messages: messages received so far
 * @end: time of the last one
 * @err: result of the server
 */
struct tcp {
	const struct kbench_job *job;
	struct socket *listener;
	struct socket *client;
	struct socket *server;
	u8 *out;
	u8 *in;
	u64 messages;
	u64 end;
	int err;
};

static int transfer(struct socket *sock, void *buf, size_t len, bool send)
{
	struct msghdr msg = { .msg_flags = send ? 0 : MSG_WAITALL };
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	int n = send ? kernel_sendmsg(sock, &msg, &vec, 1, len) :
		       kernel_recvmsg(sock, &msg, &vec, 1, len, MSG_WAITALL);

	return n < 0 ? n : n == len ? 0 : -EPIPE;
}

/* Serve until the client closes its direction */
static int serve(void *data)
{
	struct tcp *tcp = data;
	bool answer = kbench_is_latency(tcp->job);
	int err = 0;

	while (!err) {
		err = transfer(tcp->server, tcp->in, tcp->job->size, false);
		if (err)
			break;
		tcp->messages++;
		if (answer)
			err = transfer(tcp->server, tcp->in, tcp->job->size, true);
	}
	tcp->end = ktime_get_ns();
	tcp->err = err == -EPIPE ? 0 : err;
	/* Stay alive for kthread_stop() */
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int call(struct tcp *tcp)
{
	const struct kbench_job *job = tcp->job;
	struct sockaddr_in from = job->client, to = job->server;
	int err;

	from.sin_port = 0;
	err = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &tcp->listener) ?:
	      sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &tcp->client);
	if (err)
		return err;
	sock_set_reuseaddr(tcp->listener->sk);
	err = kernel_bind(tcp->listener, (struct sockaddr *)&to, sizeof(to)) ?:
	      kernel_listen(tcp->listener, 1) ?:
	      kernel_bind(tcp->client, (struct sockaddr *)&from, sizeof(from)) ?:
	      kernel_connect(tcp->client, (struct sockaddr *)&to, sizeof(to), 0) ?:
	      kernel_accept(tcp->listener, &tcp->server, 0);
	if (err)
		return err;
	tcp_sock_set_nodelay(tcp->client->sk);
	tcp_sock_set_nodelay(tcp->server->sk);
	return 0;
}

static int stream(struct tcp *tcp, u64 deadline)
{
	int err = 0;

	while (!err && ktime_get_ns() < deadline)
		err = transfer(tcp->client, tcp->out, tcp->job->size, true);
	return err;
}

static int pingpong(struct tcp *tcp, u64 deadline, struct kbench_result *result)
{
	u32 *samples = vmalloc_array(KBENCH_SAMPLES, sizeof(*samples));
	u64 begin = ktime_get_ns();
	u32 n = 0;
	int err = samples ? 0 : -ENOMEM;

	while (!err && n < KBENCH_SAMPLES && begin < deadline) {
		u64 now;

		err = transfer(tcp->client, tcp->out, tcp->job->size, true) ?:
		      transfer(tcp->client, tcp->out, tcp->job->size, false);
		now = ktime_get_ns();
		samples[n++] = now - begin;
		begin = now;
	}
	if (!err)
		kbench_summarize(samples, n, result);
	vfree(samples);
	return err;
}

static int run(struct tcp *tcp, struct kbench_result *result)
{
	struct task_struct *server = kthread_run(serve, tcp, "kbench-tcp");
	u64 begin = ktime_get_ns(), deadline = begin + (u64)tcp->job->ms * NSEC_PER_MSEC;
	int err;

	if (IS_ERR(server))
		return PTR_ERR(server);
	if (kbench_is_latency(tcp->job))
		err = pingpong(tcp, deadline, result);
	else
		err = stream(tcp, deadline);
	kernel_sock_shutdown(tcp->client, SHUT_WR);
	/* Wait until the rest of the stream has been received */
	while (!READ_ONCE(tcp->end))
		schedule_timeout_interruptible(1);
	kthread_stop(server);
	result->messages = tcp->messages;
	result->ns = tcp->end - begin;
	err = err ?: tcp->err;
	if (!err && memcmp(tcp->in, tcp->out, tcp->job->size))
		err = -EBADMSG;
	return err;
}

static void release(struct socket *sock)
{
	if (sock)
		sock_release(sock);
}

/**
 * kbench_tcp() - Run a stream or a ping-pong over TCP
 * @job: parameters of the run
 * @result: filled in
 *
 * Context: process.
 * Return: 0 if everything succeeded and all bytes arrived, or a negative errno.
 */
int kbench_tcp(const struct kbench_job *job, struct kbench_result *result)
{
	struct tcp tcp = { .job = job };
	int err = -ENOMEM;

	tcp.out = alloc_pages_exact(job->size, GFP_KERNEL | __GFP_ZERO);
	tcp.in = alloc_pages_exact(job->size, GFP_KERNEL | __GFP_ZERO);
	if (tcp.out && tcp.in) {
		get_random_bytes(tcp.out, job->size);
		err = call(&tcp) ?: run(&tcp, result);
	}
	release(tcp.server);
	release(tcp.client);
	release(tcp.listener);
	if (tcp.out)
		free_pages_exact(tcp.out, job->size);
	if (tcp.in)
		free_pages_exact(tcp.in, job->size);
	return err;
}
