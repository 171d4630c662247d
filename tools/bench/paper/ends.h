/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ends - both ends of one connection in one process, across the bench's pair: what is
 * counted is what srnic does, and not how two processes take turns.
 */
#ifndef ENDS_H
#define ENDS_H

#include <stdint.h>
#include <infiniband/verbs.h>
#include <srnic/srnic.h>
#include <srnic/verbs.h>

#define OUTSTANDING	96	/* requests, as in the paper's evaluation (6.4) */

/**
 * struct way - how a connection is protected
 * @name: as the paper calls it
 * @mode: of the seal
 * @suite: NULL: none
 * @pd_key: the key is the domain's; else the pair's
 * @ext_mem: the server's memory asks for proofs
 */
struct way {
	const char *name;
	enum srnic_mode mode;
	const char *suite;
	bool pd_key;
	bool ext_mem;
};

const struct way *find_way(const char *name);
/* That way with another seal, MODE:SUITE; NULL: its own. False if there is no such thing. */
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

/* What fails ends the program, with a line that says what it was. */
void connect_ends(struct end *client, struct end *server, const struct way *way);
struct ibv_mr *register_memory(struct end *end, void *addr, size_t len, int access);
/* @right to all of a region of @server's, for @client; depth and smallest block of the tree */
void protect(struct end *client, struct ibv_mr *mr, enum srnic_right right, unsigned int depth,
	     uint64_t block);
void post(struct end *end, struct ibv_send_wr *wr);
/* one completion if there is one; whatever has failed ends the program */
bool poll_one(struct ibv_cq *cq, struct ibv_wc *wc);
double seconds(void);
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif /* ENDS_H */
