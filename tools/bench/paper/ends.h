/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ends - both ends of connections in one process, across the bench's pair.
 * The result is the cost of srnic, without switches between two processes.
 */
#ifndef ENDS_H
#define ENDS_H

#include <stdint.h>
#include <infiniband/verbs.h>
#include <srnic/srnic.h>
#include <srnic/verbs.h>

#define OUTSTANDING	96	/* requests, as in the paper's evaluation (6.4) */
#define INLINE		64	/* bytes that a work request may hold itself */

/**
 * struct way - how a connection is protected
 * @name: name in the paper
 * @mode: mode of the seal
 * @suite: suite, or NULL without a seal
 * @pd_key: use the domain's key; otherwise the pair's
 * @ext_mem: the server's memory requires proofs
 */
struct way {
	const char *name;
	enum srnic_mode mode;
	const char *suite;
	bool pd_key;
	bool ext_mem;
};

const struct way *find_way(const char *name);
/*
 * Give @way another seal, MODE:SUITE; NULL keeps its own. Return false if there
 * is no such way.
 */
bool choose_way(struct way *way, const char *name, const char *seal);
void list_ways(void);

struct end {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *scq;
	struct ibv_cq *rcq;
	struct ibv_qp *qp;
	union ibv_gid gid;
	int gid_index;
};

/* Entries of each queue of ends that are connected from now on */
extern unsigned int queue_depth;

/*
 * Let an end, before it is connected, be a queue pair of another end's device,
 * domain and CQs
 */
void share_domain(struct end *end, const struct end *with);
/* Connect the ends. On failure print the reason and exit. */
void connect_ends(struct end *client, struct end *server, const struct way *way);
struct ibv_mr *register_memory(struct end *end, void *addr, size_t len, int access);
/*
 * Protect a region of @server and give @client @right to all of it; depth and
 * smallest block of the tree
 */
void protect(struct end *client, struct ibv_mr *mr, enum srnic_right right, unsigned int depth,
	     uint64_t block);
/* Give @client @right to all of a protected region */
void allow(struct end *client, struct ibv_mr *mr, enum srnic_right right);
void post(struct end *end, struct ibv_send_wr *wr);
/* Poll one completion, if there is one. Exit if it is an error. */
bool poll_one(struct ibv_cq *cq, struct ibv_wc *wc);
double seconds(void);
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif /* ENDS_H */
