// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * revoke-first - revoke a peer's access before reading what it has written
 *
 * A sample, to be read. RFC 5042, 6.2.2: a peer that may write to a buffer may do so while
 * the buffer's owner reads it, so a length may change between its check and its use. The
 * owner therefore ends the peer's access first, waits until it has ended, and then reads:
 *
 *	server					client
 *	binds a window to a buffer,
 *	sends address and key	------------->
 *				<-------------	WRITEs a record,
 *				<-------------	SENDs "done", and with it invalidates the key
 *	compares the key, or
 *	invalidates it itself,
 *	then parses the record
 *
 * The window is of type 2: its key works on this connection only, for these bytes only
 * (6.1.1, 6.3.4), and a work request can revoke it without a system call. The key of a
 * registered region would be revoked by ibv_rereg_mr() or ibv_dereg_mr().
 *
 * With --plain the client does not invalidate the key: the server must not depend on it.
 * With --hostile the client continues to write. That is rejected, and ends its connection.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <rdma/rdma_verbs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PORT		"18515"
#define PATIENCE	60	/* timeout for all waits, in seconds */
#define WRITES		100000	/* after which a hostile client assumes that no write is rejected */

/* The client's record. Its fields are untrusted. */
struct record {
	uint32_t length;	/* of the text, in bytes and network order */
	char text[60];
};

/* The server's message: where to write. */
struct invitation {
	uint64_t addr;		/* both in network order */
	uint32_t rkey;
	uint32_t length;
};

/* All memory that a peer or the adapter can access. */
static struct {
	struct record record;
	struct invitation invitation;
} mem;

static void die(const char *what)
{
	fprintf(stderr, "revoke-first: %s: %s\n", what, errno ? strerror(errno) : "not so");
	exit(1);
}

static void complain(const char *what, enum ibv_wc_status status)
{
	fprintf(stderr, "revoke-first: %s: %s\n", what, ibv_wc_status_str(status));
	exit(1);
}

static struct ibv_mr *reg(struct rdma_cm_id *id, void *at, size_t length, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(id->pd, at, length, access);

	if (!mr)
		die("ibv_reg_mr");
	return mr;
}

/* Post a work request to the send queue and wait for its completion. */
static enum ibv_wc_status do_one(struct rdma_cm_id *id, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	wr->send_flags |= IBV_SEND_SIGNALED;
	errno = ibv_post_send(id->qp, wr, &bad);
	if (errno)
		die("ibv_post_send");
	if (rdma_get_send_comp(id, &wc) <= 0)
		die("a completion");
	return wc.status;
}

/* Make an endpoint, connecting or listening. It has a queue pair of its own. */
static struct rdma_cm_id *make_end(const char *address)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *info;
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct rdma_cm_id *id;

	if (!address)
		hints.ai_flags = RAI_PASSIVE;
	if (rdma_getaddrinfo(address, PORT, &hints, &info))
		die(address ? address : "rdma_getaddrinfo");
	if (rdma_create_ep(&id, info, NULL, &attr))
		die("rdma_create_ep");
	rdma_freeaddrinfo(info);
	return id;
}

/*
 * The server.
 */
static struct rdma_cm_id *accept_one(struct rdma_cm_id **listener)
{
	struct ibv_recv_wr wr = {}, *bad;	/* "done" has no payload */
	struct rdma_cm_id *id;

	*listener = make_end(NULL);
	if (rdma_listen(*listener, 1))
		die("rdma_listen");
	if (rdma_get_request(*listener, &id))
		die("rdma_get_request");
	errno = ibv_post_recv(id->qp, &wr, &bad);
	if (errno)
		die("ibv_post_recv");
	if (rdma_accept(id, NULL))
		die("rdma_accept");
	return id;
}

/* The region itself gives no remote access: only the window does. */
static uint32_t open_window(struct rdma_cm_id *id, struct ibv_mw *mw, struct ibv_mr *mr)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = {
			.mw = mw,
			.rkey = ibv_inc_rkey(mw->rkey),
			.bind_info = {
				.mr = mr,
				.addr = (uintptr_t)&mem.record,
				.length = sizeof(mem.record),
				.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
			},
		},
	};
	enum ibv_wc_status status = do_one(id, &wr);

	if (status)
		complain("the window", status);
	return wr.bind_mw.rkey;
}

static void invite(struct rdma_cm_id *id, uint32_t rkey)
{
	struct ibv_mr *mr = reg(id, &mem.invitation, sizeof(mem.invitation), 0);
	struct ibv_sge sge = { (uintptr_t)&mem.invitation, sizeof(mem.invitation), mr->lkey };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1 };
	enum ibv_wc_status status;

	mem.invitation = (struct invitation){
		.addr = htobe64((uintptr_t)&mem.record),
		.rkey = htonl(rkey),
		.length = htonl(sizeof(mem.record)),
	};
	status = do_one(id, &wr);
	if (status)
		complain("the invitation", status);
	ibv_dereg_mr(mr);
}

/**
 * end_access() - Revoke the peer's access; it has ended on return
 * @wc: completion of the peer's message
 * @mw: the window; deallocated if there is no other way
 * @rkey: its key
 *
 * It is not enough that the message has invalidated a key: with several windows, it may be
 * another one. The completion names the key.
 *
 * If the peer did not, invalidate the key here. If the queue pair has failed meanwhile, which
 * a hostile peer can cause, that work request is flushed and revokes nothing; then
 * deallocate the window.
 */
static void end_access(struct rdma_cm_id *id, const struct ibv_wc *wc, struct ibv_mw **mw,
		       uint32_t rkey)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV, .invalidate_rkey = rkey };

	if (wc->wc_flags & IBV_WC_WITH_INV && wc->invalidated_rkey == rkey) {
		printf("revoked: by the peer, whose message names the key\n");
		return;
	}
	if (do_one(id, &wr) == IBV_WC_SUCCESS) {
		printf("revoked: by ourselves, for the message does not name the key\n");
		return;
	}
	errno = ibv_dealloc_mw(*mw);
	if (errno)
		die("the peer still has access: ibv_dealloc_mw");
	*mw = NULL;
	printf("revoked: by giving the window up, for the connection has failed\n");
}

/* Only the server can write to the record now, so its fields cannot change after the check. */
static void parse(const struct record *record)
{
	uint32_t length = ntohl(record->length);

	if (length > sizeof(record->text)) {
		printf("record: invalid, its text would have %u bytes\n", length);
		return;
	}
	printf("record: \"%.*s\"\n", (int)length, record->text);
}

static void wait_for_end(struct rdma_cm_id *id)
{
	enum rdma_cm_event_type type;
	struct rdma_cm_event *event;

	do {
		if (rdma_get_cm_event(id->channel, &event))
			die("rdma_get_cm_event");
		type = event->event;
		rdma_ack_cm_event(event);
	} while (type != RDMA_CM_EVENT_DISCONNECTED);
}

static void serve(void)
{
	struct rdma_cm_id *listener, *id = accept_one(&listener);
	struct record as_parsed;
	struct ibv_mr *region;
	struct ibv_mw *mw;
	struct ibv_wc wc;
	uint32_t rkey;

	region = reg(id, &mem.record, sizeof(mem.record),
		     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	mw = ibv_alloc_mw(id->pd, IBV_MW_TYPE_2);
	if (!mw)
		die("ibv_alloc_mw");
	rkey = open_window(id, mw, region);
	invite(id, rkey);

	if (rdma_get_recv_comp(id, &wc) <= 0)
		die("a completion");
	if (wc.status)
		complain("the peer's message", wc.status);
	end_access(id, &wc, &mw, rkey);
	as_parsed = mem.record;		/* for this sample only: see below */
	parse(&mem.record);

	/* a ULP would continue; check that the record has not changed since */
	wait_for_end(id);
	errno = 0;
	if (memcmp(&as_parsed, &mem.record, sizeof(as_parsed)))
		die("the record is what was parsed");
	printf("unchanged: the record is what was parsed\n");

	if (mw)
		ibv_dealloc_mw(mw);
	ibv_dereg_mr(region);
	rdma_destroy_ep(id);
	rdma_destroy_ep(listener);
}

/*
 * The client.
 */
static enum ibv_wc_status write_record(struct rdma_cm_id *id, struct ibv_mr *mr, const char *text)
{
	struct ibv_sge sge = { (uintptr_t)&mem.record, sizeof(mem.record), mr->lkey };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1,
		.wr.rdma = { be64toh(mem.invitation.addr), ntohl(mem.invitation.rkey) },
	};

	mem.record = (struct record){ .length = htonl(strlen(text)) };
	memcpy(mem.record.text, text, strlen(text));
	return do_one(id, &wr);
}

/*
 * Continue to write with the key. Until the server invalidates the key, some writes may
 * succeed and change what it parses; once either end has invalidated it, none does.
 */
static void write_on(struct rdma_cm_id *id, struct ibv_mr *mr, bool invalidated)
{
	enum ibv_wc_status status;
	int n = 0;

	while (!(status = write_record(id, mr, "something else altogether")) && n < WRITES)
		n++;
	if (status != IBV_WC_REM_ACCESS_ERR || (invalidated && n))
		complain("writing on", status);
	printf("refused: %s, after %d WRITEs too many\n", ibv_wc_status_str(status), n);
}

static void ask(const char *address, bool plain, bool hostile)
{
	struct ibv_send_wr done = { .opcode = plain ? IBV_WR_SEND : IBV_WR_SEND_WITH_INV };
	struct rdma_cm_id *id = make_end(address);
	struct ibv_mr *mr = reg(id, &mem, sizeof(mem), IBV_ACCESS_LOCAL_WRITE);
	enum ibv_wc_status status;
	struct ibv_wc wc;

	if (rdma_post_recv(id, NULL, &mem.invitation, sizeof(mem.invitation), mr))
		die("rdma_post_recv");
	if (rdma_connect(id, NULL))
		die("rdma_connect");
	if (rdma_get_recv_comp(id, &wc) <= 0)
		die("a completion");
	if (wc.status || wc.byte_len != sizeof(mem.invitation) ||
	    ntohl(mem.invitation.length) < sizeof(mem.record))
		complain("the invitation", wc.status);

	status = write_record(id, mr, "revoke first, and then look");
	if (status)
		complain("the record", status);
	if (!plain)
		done.invalidate_rkey = ntohl(mem.invitation.rkey);
	status = do_one(id, &done);
	if (status)
		complain("the message", status);
	printf("written: and told\n");

	if (hostile)
		write_on(id, mr, !plain);
	rdma_disconnect(id);
	ibv_dereg_mr(mr);
	rdma_destroy_ep(id);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "plain", no_argument, NULL, 'p' }, { "hostile", no_argument, NULL, 'x' }, {},
	};
	bool plain = false, hostile = false;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		plain |= c == 'p';
		hostile |= c == 'x';
		if (c == '?')
			goto usage;
	}
	if (argc - optind > 1 || (argc == optind && (plain || hostile)))
		goto usage;

	alarm(PATIENCE);
	setlinebuf(stdout);
	if (optind < argc)
		ask(argv[optind], plain, hostile);
	else
		serve();
	return 0;

usage:
	fprintf(stderr, "usage: revoke-first                                   the server\n"
		"       revoke-first [--plain] [--hostile] ADDRESS     a client of it\n");
	return 2;
}
