/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * sealed - a librdmacm connection sealed by a key from a file: common code of the examples in
 * this folder. Any error ends the program with a message.
 *
 * The key authenticates both ends: 16 to 32 random bytes that they share, made by
 *
 *	(umask 077; head -c 32 /dev/urandom >key)
 */
#ifndef SEALED_H
#define SEALED_H

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/rdma_cma.h>
#include <srnic/verbs.h>

#define SEALED_DEPTH	16	/* maximum of outstanding work requests in all examples */

struct seal {
	enum srnic_mode mode;
	const char *suite;
	unsigned char key[SRNIC_IOCTL_KEY_MAX];
	size_t len;
};

/* A registered buffer */
struct room {
	unsigned char *at;
	struct ibv_mr *mr;
};

static inline void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* Exit if a function that sets errno has failed */
static inline void must(int failed, const char *what)
{
	if (failed)
		die("%s: %s", what, strerror(errno));
}

/* Exit if a function of libsrnic has failed */
static inline void must_srnic(int err)
{
	if (err)
		die("%s", srnic_error());
}

static inline void wipe(void *secret, size_t len)
{
	volatile unsigned char *at = secret;

	while (len--)
		*at++ = 0;
}

static inline unsigned long number(const char *text, unsigned long most, const char *what)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!*text || *end || !value || value > most)
		die("'%s' is no %s: 1 to %lu", text, what, most);
	return value;
}

static inline void read_key(struct seal *seal, const char *path)
{
	FILE *file = fopen(path, "rb");

	must(!file, path);
	setvbuf(file, NULL, _IONBF, 0);
	seal->len = fread(seal->key, 1, sizeof(seal->key), file);
	fclose(file);
	if (seal->len < SRNIC_IOCTL_KEY_MIN)
		die("%s: a key has %d bytes at least", path, SRNIC_IOCTL_KEY_MIN);
}

static inline struct room make_room(struct ibv_pd *pd, size_t len, int access)
{
	struct room room = { .at = calloc(1, len) };

	must(!room.at, "memory");
	room.mr = ibv_reg_mr(pd, room.at, len, IBV_ACCESS_LOCAL_WRITE | access);
	must(!room.mr, "cannot register memory");
	return room;
}

static inline void free_room(struct room *room)
{
	ibv_dereg_mr(room->mr);
	free(room->at);
}

/* Without @node, listen on all addresses. */
static inline struct rdma_cm_id *endpoint(const char *node, const char *port)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *info;
	struct rdma_cm_id *id;

	if (!node)
		hints.ai_flags = RAI_PASSIVE;
	must(rdma_getaddrinfo(node, port, &hints, &info), node ? node : "cannot listen");
	must(rdma_create_ep(&id, info, NULL, NULL), node ? node : "cannot listen");
	rdma_freeaddrinfo(info);
	return id;
}

/*
 * Create a queue pair and seal it before it is connected: rdma_connect() and rdma_accept()
 * take it from INIT to RTR, after which it cannot be sealed.
 */
static inline void add_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_cq *cq,
			  const struct seal *seal)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = SEALED_DEPTH,
			.max_recv_wr = SEALED_DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	must(rdma_create_qp(id, pd, &attr), "cannot create a queue pair");
	must_srnic(srnic_seal_qp(id->qp, seal->mode, seal->suite, seal->key, seal->len));
}

/* If the peer lacks the key, the connection is established, but no message arrives. */
static inline struct rdma_conn_param conn_param(const void *hello, uint8_t len)
{
	return (struct rdma_conn_param){
		.private_data = hello,
		.private_data_len = len,
		.responder_resources = 4,
		.initiator_depth = 4,
		.retry_count = 3,
		.rnr_retry_count = 7,
	};
}

static inline void post_receive(struct ibv_qp *qp, const struct room *room, uint32_t len)
{
	struct ibv_sge sge = { .addr = (uintptr_t)room->at, .length = len, .lkey = room->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = len ? 1 : 0 }, *bad;

	errno = ibv_post_recv(qp, &wr, &bad);
	must(errno, "cannot post a receive");
}

static inline void post(struct ibv_qp *qp, struct ibv_send_wr wr, const struct room *room,
			uint32_t len)
{
	struct ibv_sge sge = { .addr = (uintptr_t)room->at, .length = len, .lkey = room->mr->lkey };
	struct ibv_send_wr *bad;

	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.send_flags = IBV_SEND_SIGNALED;
	errno = ibv_post_send(qp, &wr, &bad);
	must(errno, "cannot post");
}

/* Test whether the peer has disconnected or is gone */
static inline bool has_ended(struct rdma_cm_id *id)
{
	struct pollfd channel = { .fd = id->channel->fd, .events = POLLIN };

	return poll(&channel, 1, 0) > 0;
}

/* Wait for a completion. Spin, because these programs have nothing else to do. */
static inline struct ibv_wc completion(struct rdma_cm_id *id, struct ibv_cq *cq, const char *what)
{
	unsigned int spins = 0;
	struct ibv_wc wc;
	int found;

	do {
		found = ibv_poll_cq(cq, 1, &wc);
		if (!found && !(++spins % 1024) && has_ended(id))
			die("%s: the peer is gone", what);
	} while (!found);
	must(found < 0, "cannot poll");
	if (wc.status != IBV_WC_SUCCESS)
		die("%s: %s", what, ibv_wc_status_str(wc.status));
	return wc;
}

/* Wait until the peer has disconnected */
static inline void wait_for_end(struct rdma_cm_id *id)
{
	struct rdma_cm_event *event;

	must(rdma_get_cm_event(id->channel, &event), "no event");
	rdma_ack_cm_event(event);
}

#endif /* SEALED_H */
