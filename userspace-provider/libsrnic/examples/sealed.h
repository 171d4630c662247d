/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * sealed - a connection by librdmacm that is sealed by a key from a file: what the examples
 * beside this have in common. What fails ends the program with a line that says why.
 *
 * The key is for who may connect: 16 to 32 random bytes that both ends have, from
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

#define SEALED_DEPTH	16	/* work requests; none of the examples has more outstanding */

struct seal {
	enum srnic_mode mode;
	const char *suite;
	unsigned char key[SRNIC_IOCTL_KEY_MAX];
	size_t len;
};

/* A buffer that is registered */
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

/* For what sets errno */
static inline void must(int failed, const char *what)
{
	if (failed)
		die("%s: %s", what, strerror(errno));
}

/* For what sets the library's line */
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

/* The address to listen at is any if @node is NULL. */
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
 * A queue pair, sealed before it is connected: rdma_connect() and rdma_accept() take it from
 * INIT to RTR, and then it is too late.
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

/* Where the peer lacks the key, the connection comes up, and nothing ever comes by it. */
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

/* Whether the peer has ended the connection, or is gone */
static inline bool has_ended(struct rdma_cm_id *id)
{
	struct pollfd channel = { .fd = id->channel->fd, .events = POLLIN };

	return poll(&channel, 1, 0) > 0;
}

/* Spins: these programs have nothing else to do. */
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

/* Until it has */
static inline void wait_for_end(struct rdma_cm_id *id)
{
	struct rdma_cm_event *event;

	must(rdma_get_cm_event(id->channel, &event), "no event");
	rdma_ack_cm_event(event);
}

#endif /* SEALED_H */
