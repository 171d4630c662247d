// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A region of which a reader may read one block, and nothing else.
 *
 *	owner					reader
 *	protects a region of 16 blocks
 *				<-------------	connects, and says which block it wants
 *	narrows a grant of the region
 *	to that block, and sends it ------------->
 *						uses it, and READs the block
 *						READs the block before: dropped, no answer
 *
 * The grant travels on the connection itself, which is encrypted: its bytes give access to
 * the block. The reader could hand it on to another process with a connection of its own.
 *
 *	cc delegated_reader.c $(pkg-config --cflags --libs libsrnic librdmacm libibverbs)
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <unistd.h>
#include "sealed.h"

#define BLOCKS		16
#define BLOCK		4096
#define STEPS		4	/* levels from the region to a block: 16 is 2^4 */
#define IMPATIENCE	14	/* retransmission timeout: 4.096 us * 2^14 */

struct party {
	struct seal seal;
	const char *address;
	const char *port;
	uint32_t block;
	struct rdma_cm_id *id;
	struct ibv_cq *cq;
	struct room letter;	/* the encoded grant */
};

static void usage(FILE *to)
{
	fputs("usage: delegated_reader -k FILE [-p PORT]                        owner\n"
	      "       delegated_reader -k FILE [-p PORT] [-b BLOCK] ADDRESS     reader\n"
	      "\n"
	      "  -k FILE   the key of the connection: 16 to 32 bytes that both have\n"
	      "  -b BLOCK  which to read, 1 to 15 (default 5)\n"
	      "  -p PORT   (default 7478)\n", to);
}

static void set_up(struct party *party, struct ibv_pd *pd)
{
	party->cq = ibv_create_cq(party->id->verbs, 2 * SEALED_DEPTH, NULL, NULL, 0);
	must(!party->cq, "cannot create a completion queue");
	add_qp(party->id, pd, party->cq, &party->seal);
	wipe(party->seal.key, sizeof(party->seal.key));
	party->letter = make_room(party->id->qp->pd, SRNIC_GRANT_LEN, 0);
}

static void tear_down(struct party *party)
{
	rdma_destroy_qp(party->id);
	ibv_destroy_cq(party->cq);
	wipe(party->letter.at, SRNIC_GRANT_LEN);
	free_room(&party->letter);
}

/* The region's key is derived from the domain's, which the kernel generates at random. */
static struct room protected_region(struct ibv_pd *pd)
{
	const struct srnic_tree tree = { .depth = STEPS, .block = BLOCK };
	struct room region = make_room(pd, BLOCKS * BLOCK, IBV_ACCESS_REMOTE_READ);
	int i;

	for (i = 0; i < BLOCKS; i++)
		snprintf((char *)region.at + i * BLOCK, BLOCK, "this is block %d", i);
	must_srnic(srnic_protect_mr(region.mr, &tree, NULL));
	return region;
}

static void write_letter(struct party *owner, const struct room *region)
{
	uint64_t addr = (uintptr_t)region->at + owner->block * BLOCK;
	struct srnic_grant *all, *block;

	must_srnic(srnic_grant_mr(region->mr, SRNIC_RIGHT_READ, &all));
	must_srnic(srnic_grant_narrow(all, addr, BLOCK, &block));
	must_srnic(srnic_grant_pack(block, owner->letter.at));
	srnic_grant_free(block);
	srnic_grant_free(all);
}

static uint32_t wish_of(struct rdma_cm_id *id)
{
	const struct rdma_conn_param *param = &id->event->param.conn;
	uint32_t block;

	if (param->private_data_len < sizeof(block))
		die("the reader does not say what it wants");
	memcpy(&block, param->private_data, sizeof(block));
	if (ntohl(block) >= BLOCKS)
		die("the reader wants block %u, and there are %d", ntohl(block), BLOCKS);
	return ntohl(block);
}

static void own(struct party *owner)
{
	const struct ibv_send_wr send = { .opcode = IBV_WR_SEND };
	struct rdma_cm_id *listener = endpoint(NULL, owner->port);
	struct rdma_conn_param param = conn_param(NULL, 0);
	struct room region;
	struct ibv_pd *pd;

	must(rdma_listen(listener, 1), "cannot listen");
	must(rdma_get_request(listener, &owner->id), "nobody connects");
	owner->block = wish_of(owner->id);
	pd = ibv_alloc_pd(owner->id->verbs);
	must(!pd, "cannot allocate a domain");
	set_up(owner, pd);
	region = protected_region(pd);
	must(rdma_accept(owner->id, &param), "cannot accept");

	write_letter(owner, &region);
	post(owner->id->qp, send, &owner->letter, SRNIC_GRANT_LEN);
	completion(owner->id, owner->cq, "the grant was not taken; has the reader the same key");
	printf("granted: block %u, to read\n", owner->block);
	wait_for_end(owner->id);

	tear_down(owner);
	free_room(&region);
	rdma_destroy_ep(owner->id);
	ibv_dealloc_pd(pd);
	rdma_destroy_ep(listener);
}

static void post_read(struct party *reader, const struct room *room, uint64_t addr, uint32_t rkey)
{
	const struct ibv_send_wr read = {
		.opcode = IBV_WR_RDMA_READ,
		.wr.rdma = { .remote_addr = addr, .rkey = rkey },
	};

	post(reader->id->qp, read, room, BLOCK);
}

/* Without a grant, requests are sent without a proof, and the owner drops them. */
static void read_beyond(struct party *reader, const struct room *room, uint64_t addr,
			uint32_t rkey)
{
	struct ibv_wc wc;

	must_srnic(srnic_drop_grants(reader->id->qp, rkey));
	post_read(reader, room, addr, rkey);
	while (!ibv_poll_cq(reader->cq, 1, &wc))
		;
	if (wc.status != IBV_WC_RETRY_EXC_ERR)
		die("the block before: %s, and no answer was expected",
		    ibv_wc_status_str(wc.status));
	puts("the block before: no answer");
}

static void use(struct party *reader)
{
	struct room room = make_room(reader->id->qp->pd, BLOCK, 0);
	struct srnic_grant *grant;
	uint64_t addr;
	uint32_t rkey;

	must_srnic(srnic_grant_unpack(reader->letter.at, SRNIC_GRANT_LEN, &grant));
	must_srnic(srnic_use_grant(reader->id->qp, grant));
	addr = srnic_grant_addr(grant);
	rkey = srnic_grant_rkey(grant);
	if (srnic_grant_len(grant) != BLOCK || srnic_grant_right(grant) != SRNIC_RIGHT_READ)
		die("the owner has granted something else");
	srnic_grant_free(grant);

	post_read(reader, &room, addr, rkey);
	completion(reader->id, reader->cq, "the block that was granted");
	printf("read: %.40s\n", (char *)room.at);
	read_beyond(reader, &room, addr - BLOCK, rkey);
	free_room(&room);
}

static void read_one(struct party *reader)
{
	uint32_t wish = htonl(reader->block);
	struct rdma_conn_param param = conn_param(&wish, sizeof(wish));
	uint8_t timeout = IMPATIENCE;

	reader->id = endpoint(reader->address, reader->port);
	must(rdma_set_option(reader->id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout,
			     sizeof(timeout)), "cannot set the timeout");
	set_up(reader, reader->id->pd);
	post_receive(reader->id->qp, &reader->letter, SRNIC_GRANT_LEN);
	must(rdma_connect(reader->id, &param), reader->address);
	completion(reader->id, reader->cq, "no grant; has the owner the same key");
	use(reader);
	rdma_disconnect(reader->id);
	tear_down(reader);
	rdma_destroy_ep(reader->id);
}

int main(int argc, char **argv)
{
	struct party party = {
		.seal = { .mode = SRNIC_MODE_AEAD, .suite = "aes-gcm-128" },
		.port = "7478",
		.block = 5,
	};
	int option;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	while ((option = getopt(argc, argv, "k:b:p:")) != -1) {
		switch (option) {
		case 'k':
			read_key(&party.seal, optarg);
			break;
		case 'b':
			party.block = number(optarg, BLOCKS - 1, "block");
			break;
		case 'p':
			party.port = optarg;
			break;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (!party.seal.len)
		die("a key is needed: -k FILE, or --help");
	party.address = argv[optind];
	if (party.address)
		read_one(&party);
	else
		own(&party);
	return 0;
}
