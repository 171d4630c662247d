/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The secure transport (sRDMA, USENIX ATC'20; Documentation/protocol.md).
 *
 * Pure files: nonce, replay, epoch, format, tree. Crypto files: suite, kdf,
 * seal, open, datagram, memory; they take scatterlists, no sk_buffs. policy
 * selects the seal for each peer.
 */
#ifndef SRNIC_STH_H
#define SRNIC_STH_H

#include <linux/types.h>
#include <linux/scatterlist.h>
#include "sth/pure.h"
#include "wire/wire.h"

struct net;
struct srnic_sth;

enum srnic_sth_mode {
	SRNIC_STH_OFF,
	SRNIC_STH_HEADER,
	SRNIC_STH_PACKET,
	SRNIC_STH_AEAD,
	SRNIC_STH_OPAQUE,
	SRNIC_STH_MODES,
};

/* Tell whether a mode encrypts the payload. Each mode covers what those before it cover. */
static inline bool srnic_sth_encrypts(enum srnic_sth_mode mode)
{
	return mode >= SRNIC_STH_AEAD;
}

/* Return how many bytes of a packet precede its STH: in opaque mode the BTH alone. */
static inline unsigned int srnic_sth_offset(enum srnic_sth_mode mode, const struct srnic_pkt *pkt)
{
	return mode == SRNIC_STH_OPAQUE ? SRNIC_BTH_LEN : pkt->hdr_len;
}

/* A flow is one side's requests and the responses to them (protocol.md, section 1). */
enum srnic_sth_flow {
	SRNIC_FLOW_OURS,	/* our requests out, their responses in */
	SRNIC_FLOW_THEIRS,	/* their requests in, our responses out */
	SRNIC_FLOWS,
};

/* Uses of a sub-key, as an index */
enum srnic_sth_use {
	SRNIC_TO_OPEN,		/* packets that we receive */
	SRNIC_TO_SEAL,		/* packets that we send */
	SRNIC_USES,
};

#define SRNIC_STH_KEY_MAX	32
#define SRNIC_STH_NAME_MAX	32

/*
 * The secrets of a named key (protocol.md, section 7): while it is replaced, there are two. The
 * other one is the next, or the former.
 */
enum srnic_secret_of_key {
	SRNIC_SECRET_CURRENT,
	SRNIC_SECRET_OTHER,
	SRNIC_SECRETS,
};

/**
 * struct srnic_sth_params - parameters of a connection's seal; unset members
 *	are zero
 * @suite: row of the suite table
 * @mode: header, packet, aead or opaque
 * @key: the policy's key: K_PD, from which K_AB is derived, or K_AB itself if
 *	@pair_key
 * @key_len: bytes in @key, 16 to 32; 0: the policy has no key
 * @pair_key: @key belongs to this pair of ends alone
 * @other_key: the other secret of the policy's key, used like @key: the peer may
 *	use either
 * @other_key_len: bytes in @other_key; 0: there is no other
 * @key_use: numbers of the uses of @key and @other_key, indexed by enum
 *	srnic_secret_of_key
 * @app_key: the application's key, used like @key; if both are set, both enter
 *	K_AB
 * @app_key_len: bytes in @app_key; 0: the application has no key
 * @app_pair_key: @app_key belongs to this pair of ends alone
 * @preferred_clear: mode is OFF because 'prefer' found no key; for counters
 * @uncached: keep no sub-keys, derive them for each packet; the suite supports
 *	this
 * @pkey: P_Key of handshake frames; 0 stands for 0xffff
 * @local_gid: our GID, IPv4 in mapped form
 * @remote_gid: the peer's GID
 * @local_qpn: our QPN
 * @remote_qpn: the peer's QPN
 * @kind: kind of both ports, srnic_ends_kind()
 */
struct srnic_sth_params {
	const struct srnic_sth_suite *suite;
	enum srnic_sth_mode mode;
	u8 key[SRNIC_STH_KEY_MAX];
	u8 key_len;
	bool pair_key;
	u8 other_key[SRNIC_STH_KEY_MAX];
	u8 other_key_len;
	u32 key_use[SRNIC_SECRETS];
	u8 app_key[SRNIC_STH_KEY_MAX];
	u8 app_key_len;
	bool app_pair_key;
	bool preferred_clear;
	bool uncached;
	u16 pkey;
	u8 local_gid[16];
	u8 remote_gid[16];
	u32 local_qpn;
	u32 remote_qpn;
	u32 kind;
};

/*
 * memory.c: keys of regions and of their parts (protocol.md, section 12)
 */
#define SRNIC_MKEY_LEN		16	/* bytes of K_MR, K_SR and all keys between them */

/* Each right has a tree of its own. */
enum srnic_right {
	SRNIC_RIGHT_READ = 1,
	SRNIC_RIGHT_WRITE,
	SRNIC_RIGHT_ATOMIC,
};

#define SRNIC_RIGHTS		SRNIC_RIGHT_ATOMIC

/**
 * struct srnic_mkey - the key of a block of a region, for one right
 * @addr: virtual address of the region's first byte
 * @rkey: rkey of the region
 * @right: enum srnic_right
 * @tree: tree of the region's blocks
 * @node: block of the key
 * @serial: unique number, never reused
 * @key: the secret
 */
struct srnic_mkey {
	u64 addr;
	u32 rkey;
	u8 right;
	struct srnic_tree tree;
	struct srnic_tree_node node;
	u64 serial;
	u8 key[SRNIC_MKEY_LEN];
};

/**
 * struct srnic_va_range - bytes of a region, or of an access to it
 * @addr: virtual address of the first byte
 * @len: number of bytes
 */
struct srnic_va_range {
	u64 addr;
	u64 len;
};

/**
 * struct srnic_ksr - K_SR of the last access, cached for an equal access
 * @serial: serial number of the key from which it was derived; 0: none
 * @start: offset of the first byte in the region
 * @end: offset past the last byte
 * @key: the secret
 */
struct srnic_ksr {
	u64 serial;
	u64 start;
	u64 end;
	u8 key[SRNIC_MKEY_LEN];
};

/**
 * struct srnic_proof_input - the bytes that a memory proof covers
 * @nq: nonce of the flow's requester
 * @nr: nonce of its responder
 * @head: MAC input up to and with the extension headers
 * @head_len: bytes in @head
 * @payload: payload and pad as on the wire; may be NULL if @payload_len is 0
 * @payload_len: bytes in @payload
 */
struct srnic_proof_input {
	const u8 *nq;
	const u8 *nr;
	const u8 *head;
	unsigned int head_len;
	struct scatterlist *payload;
	unsigned int payload_len;
};

int srnic_mkey_prepare(void);
void srnic_mkey_exit(void);
int srnic_mkey_region(const u8 *kpd, unsigned int kpd_len, const struct srnic_va_range *region,
		      u32 rkey, u8 kmr[SRNIC_MKEY_LEN]);
int srnic_mkey_root(struct srnic_mkey *mkey, const u8 kmr[SRNIC_MKEY_LEN], enum srnic_right right);
int srnic_mkey_validate(struct srnic_mkey *mkey);
bool srnic_mkey_covers(const struct srnic_mkey *mkey, u64 addr, u64 len);
int srnic_mkey_prove(const struct srnic_mkey *mkey, const struct srnic_va_range *access,
		     struct srnic_ksr *ksr, const struct srnic_proof_input *in,
		     u8 proof[SRNIC_STH_PROOF_LEN]);

void srnic_sth_forget_proof(struct srnic_sth *sth);

/* suite.c: the table of suites */
struct srnic_sth_suite;
const struct srnic_sth_suite *srnic_sth_suite_find(const char *name);
const struct srnic_sth_suite *srnic_sth_suite_at(unsigned int index); /* NULL past the end */
const char *srnic_sth_suite_name(const struct srnic_sth_suite *suite);
bool srnic_sth_suite_allows(const struct srnic_sth_suite *suite, enum srnic_sth_mode mode);
bool srnic_sth_suite_uncached(const struct srnic_sth_suite *suite);
unsigned int srnic_sth_suite_sth_len(const struct srnic_sth_suite *suite);
unsigned int srnic_sth_suite_tag_len(const struct srnic_sth_suite *suite);
bool srnic_sth_suite_loaded(const struct srnic_sth_suite *suite);
int srnic_sth_suite_check(const struct srnic_sth_suite *suite, const char **missing);

/* life.c: lives of this machine's memory */
extern unsigned int srnic_sth_present_life;
void srnic_sth_begin_life(void);
void srnic_sth_hold_life(void);
void srnic_sth_release_life(void);

/*
 * Return the number of the present life, 0 if there is none. A random number
 * that is drawn after this call is not from an earlier life.
 */
static inline unsigned int srnic_sth_life(void)
{
	/* pairs with the release in life.c */
	return smp_load_acquire(&srnic_sth_present_life);
}

/*
 * connection.c: a secured QP. Callers create and destroy it in process context
 * (at INIT->RTR and at reset), and call all other functions under the QP's
 * lock. Create returns an ERR_PTR on failure; destroy accepts NULL, and no
 * other context may use the connection any more.
 */
struct srnic_sth *srnic_sth_create(const struct srnic_sth_params *params);
void srnic_sth_destroy(struct srnic_sth *sth);
bool srnic_sth_end(struct srnic_sth *sth);
void srnic_sth_wipe(struct srnic_sth *sth);	/* under the handshake mutex, without the lock */
const struct srnic_sth_params *srnic_sth_params(const struct srnic_sth *sth); /* keys zeroed */
const char *srnic_sth_driver_name(const struct srnic_sth *sth); /* crypto driver in use */
unsigned int srnic_sth_len(const struct srnic_sth *sth);	/* bytes a packet */
u8 srnic_sth_code(const struct srnic_sth *sth);

/* A flow starts with sq_psn (ours) or rq_psn (theirs); then the handshake confirms it. */
void srnic_sth_flow_start(struct srnic_sth *sth, enum srnic_sth_flow flow, u32 start_psn);
bool srnic_sth_flow_ready(const struct srnic_sth *sth, enum srnic_sth_flow flow);

/*
 * handshake.c: process context (it sets keys), under the QP's handshake mutex,
 * without its spinlock; hs_check in any context up to softirq. Results of hs_rx:
 */
#define SRNIC_HS_REPLY		BIT(0)	/* send the answer */
#define SRNIC_HS_NEXT		BIT(1)	/* call hs_next and send its frame */
#define SRNIC_HS_READY		BIT(2)	/* our flow is confirmed: start sending */
#define SRNIC_HS_THEIRS		BIT(3)	/* their flow is confirmed */
int srnic_sth_hs_next(struct srnic_sth *sth, u8 *frame);
int srnic_sth_hs_check(const struct srnic_sth *sth, const u8 *frame, unsigned int len);
int srnic_sth_hs_rx(struct srnic_sth *sth, const u8 *frame, unsigned int len,
		    u8 *reply, unsigned int *reply_len);

#define SRNIC_STH_PAYLOAD_SG	16

/**
 * struct srnic_sth_payload - payload and pad of a packet that is sealed or opened;
 *	in opaque mode the extension headers precede them
 * @src: at most SRNIC_STH_PAYLOAD_SG pieces of kernel memory (no highmem, not on
 *	a stack); may be NULL if @len is 0
 * @dst: modes that encrypt write here; may be @src, and is @src when sealing
 * @len: bytes in all of them
 */
struct srnic_sth_payload {
	struct scatterlist *src;
	struct scatterlist *dst;
	unsigned int len;
};

/* Set up a list of one piece, as sg_init_one() does, with a third of its instructions. */
static inline void srnic_sth_one_piece(struct scatterlist *list, void *text, unsigned int len)
{
	*list = (struct scatterlist){ .page_link = SG_END };
	sg_set_buf(list, text, len);
}

static inline struct srnic_sth_payload srnic_sth_in_place(struct scatterlist *list,
							  unsigned int len)
{
	return (struct srnic_sth_payload){ .src = list, .dst = list, .len = len };
}

/* seal.c, open.c: any context up to softirq, under the QP's lock */
int srnic_sth_seal(struct srnic_sth *sth, enum srnic_sth_flow flow, struct srnic_pkt *pkt,
		   const struct srnic_sth_payload *payload);
int srnic_sth_open(struct srnic_sth *sth, enum srnic_sth_flow flow, struct srnic_pkt *pkt,
		   const struct srnic_sth_payload *payload);

/* Progress of a flow; if one of the first two returns true, arrange for srnic_sth_rekey() */
bool srnic_sth_advance(struct srnic_sth *sth, enum srnic_sth_flow flow, u32 psn);
bool srnic_sth_update_due(struct srnic_sth *sth, enum srnic_sth_flow flow);
int srnic_sth_rekey(struct srnic_sth *sth);

/* Snapshot for rdma resource, netlink and the CLI; never contains a key. */
struct srnic_sth_info {
	const char *suite;
	const char *driver;
	enum srnic_sth_mode mode;
	bool uncached;
	struct {
		bool ready;
		u64 epoch;
		u64 psn64;
		u64 sealed;
		u64 opened;
		u64 failed;
		u64 replayed;
	} flow[SRNIC_FLOWS];
};

void srnic_sth_info(const struct srnic_sth *sth, struct srnic_sth_info *info);

/*
 * datagram.c: seals of datagrams (protocol.md, section 11)
 */

/**
 * struct srnic_dgram_params - parameters of the seal of datagrams between two
 *	hosts, or to a group
 * @suite: a suite that can seal datagrams; NULL: the datagrams go in the clear
 * @mode: header, packet, aead or opaque
 * @kud: K_UD, secret
 * @other_kud: the same of the key's other secret, if @has_other
 * @has_other: the peer may seal under @other_kud
 * @key_use: number of the use of the secret of @kud
 */
struct srnic_dgram_params {
	const struct srnic_sth_suite *suite;
	enum srnic_sth_mode mode;
	u8 kud[SRNIC_STH_KDF_KEY_LEN];
	u8 other_kud[SRNIC_STH_KDF_KEY_LEN];
	bool has_other;
	u32 key_use;
};

/**
 * struct srnic_dgram_id - identity of a datagram sub-key
 * @sgid: source GID
 * @dgid: destination GID, which may be a group
 * @salt: salt of the sender
 * @sqpn: QPN of the sender, 0 in opaque mode, where it is a secret; and
 *	srnic_ends_kind()
 * @opaque: the mode is opaque; 32 bits, so that there is no padding and it can be
 *	compared bytewise
 */
struct srnic_dgram_id {
	u8 sgid[SRNIC_GID_LEN];
	u8 dgid[SRNIC_GID_LEN];
	u64 salt;
	u32 sqpn;
	u32 opaque;
};

struct srnic_dgram;

bool srnic_sth_suite_has_datagrams(const struct srnic_sth_suite *suite);
int srnic_dgram_pair_key(const u8 *kpd, unsigned int len, const u8 a[SRNIC_GID_LEN],
			 const u8 b[SRNIC_GID_LEN], u8 kud[SRNIC_STH_KDF_KEY_LEN]);
void srnic_dgram_group_key(const u8 *key, unsigned int len, u8 kud[SRNIC_STH_KDF_KEY_LEN]);
int srnic_dgram_resolve(struct net *net, const u8 sgid[SRNIC_GID_LEN],
			const u8 dgid[SRNIC_GID_LEN], enum srnic_sth_use use,
			struct srnic_dgram_params *params);
struct srnic_dgram *srnic_dgram_create(const struct srnic_dgram_params *params,
				       const struct srnic_dgram_id *id);
void srnic_dgram_destroy(struct srnic_dgram *dgram);
enum srnic_sth_mode srnic_dgram_mode(const struct srnic_dgram *dgram);
void srnic_dgram_id_of(const struct srnic_pkt *pkt, enum srnic_sth_mode mode,
		       struct srnic_dgram_id *id);
int srnic_dgram_seal(struct srnic_dgram *dgram, u64 counter, struct srnic_pkt *pkt,
		     const struct srnic_sth_payload *payload);
int srnic_dgram_open(struct srnic_dgram *dgram, struct srnic_pkt *pkt,
		     const struct srnic_sth_payload *payload);

/*
 * policy.c: rules of a network namespace, longest prefix first
 */
enum srnic_policy_rule {
	SRNIC_POLICY_OFF,
	SRNIC_POLICY_PREFER,
	SRNIC_POLICY_REQUIRE,
};

/**
 * struct srnic_policy - a rule
 * @prefix: IPv4 in mapped form; no bits set beyond @prefix_len
 * @prefix_len: 0..128; for an IPv4 prefix 96 more than its written length
 * @rule: off, prefer, require
 * @mode: header, packet, aead or opaque; OFF in an off rule
 * @suite: NULL in an off rule
 * @key: name of the key, which need not exist yet; empty in an off rule
 * @clear_cm: send and accept the connection manager's messages in the clear
 * @uncached: connections keep no sub-keys; @suite supports this
 */
struct srnic_policy {
	u8 prefix[16];
	u8 prefix_len;
	enum srnic_policy_rule rule;
	enum srnic_sth_mode mode;
	const struct srnic_sth_suite *suite;
	char key[SRNIC_STH_NAME_MAX];
	bool clear_cm;
	bool uncached;
};

/**
 * struct srnic_policy_brief - the part of a rule that is available in any
 *	context
 * @rule: off, prefer, require
 * @datagrams: the suite can seal datagrams
 * @opaque: the mode is opaque
 * @clear_cm: see struct srnic_policy
 */
struct srnic_policy_brief {
	enum srnic_policy_rule rule;
	bool datagrams;
	bool opaque;
	bool clear_cm;
};

/* Process context; the caller wipes @params. Mode OFF: in the clear */
int srnic_policy_resolve(struct net *net, const u8 peer[16], struct srnic_sth_params *params);

/* Jiffies for which a program's connection waits for its key, if a listener may add it */
#define SRNIC_KEY_WAIT	(5 * HZ)

int srnic_policy_obtain(struct net *net, const u8 peer[16], long wait,
			struct srnic_sth_params *params);
struct srnic_policy_brief srnic_policy_brief(struct net *net, const u8 gid[16]);
unsigned int srnic_policy_longest_sth(struct net *net);

/* Tell whether no bit is set beyond the prefix. */
bool srnic_policy_prefix_ok(const u8 prefix[16], unsigned int len);
/* Process context. -EEXIST if there is one and @replace is false; -ENOSPC. */
int srnic_policy_add(struct net *net, const struct srnic_policy *policy, bool replace);
int srnic_policy_del(struct net *net, const u8 prefix[16], u8 prefix_len);
/* Return the rule at @index; -ENOENT past the end. */
int srnic_policy_get(struct net *net, unsigned int index, struct srnic_policy *policy);
/* Return a number that changes whenever the rules change; never 0. */
unsigned int srnic_policy_seq(struct net *net);

/**
 * struct srnic_seal_request - the seal that an application requests
 * @mode: header, packet, aead or opaque
 * @suite: a suite that has the mode
 * @key: K_AB, secret
 * @key_len: bytes in @key; 0: use the protection domain's key, or the policy's
 */
struct srnic_seal_request {
	enum srnic_sth_mode mode;
	const struct srnic_sth_suite *suite;
	u8 key[SRNIC_STH_KEY_MAX];
	u8 key_len;
};

/* seal_request.c */
int srnic_seal_request_apply(const struct srnic_seal_request *request, const u8 *kpd,
			     unsigned int kpd_len, struct srnic_sth_params *params);

/*
 * keyring.c: pre-shared keys, in a keyring of the namespace (type logon, which
 * cannot be read back). Process context.
 */
#define SRNIC_STH_KEY_MIN	16

/**
 * struct srnic_secret - a copy of a secret; its owner wipes it
 * @bytes: the secret
 * @len: bytes in @bytes; 0: there is none
 * @use: number of its use (key_use.c); 0: it is not counted
 */
struct srnic_secret {
	u8 bytes[SRNIC_STH_KEY_MAX];
	unsigned int len;
	u32 use;
};

/**
 * struct srnic_key_info - the public properties of a key
 * @name: its name
 * @generation: 1 when it was added or replaced, and one up with each promotion
 * @len: bytes of each secret, indexed by enum srnic_secret_of_key; 0: there is none
 * @sealed: bytes of the packets that the current secret has sealed
 * @staged: the other secret is the next one; else it is the former one
 */
struct srnic_key_info {
	char name[SRNIC_STH_NAME_MAX];
	u32 generation;
	unsigned int len[SRNIC_SECRETS];
	u64 sealed;
	bool staged;
};

bool srnic_key_name_ok(const char *name);	/* letters, digits, '.', '_', '-' */
int srnic_key_add(struct net *net, const char *name, const u8 *key, unsigned int len,
		  bool replace);
int srnic_key_stage(struct net *net, const char *name, const u8 *key, unsigned int len);
int srnic_key_promote(struct net *net, const char *name);
int srnic_key_retire(struct net *net, const char *name);
int srnic_key_del(struct net *net, const char *name);
int srnic_key_get(struct net *net, unsigned int index, struct srnic_key_info *info);
int srnic_key_read(struct net *net, const char *name, struct srnic_secret secret[SRNIC_SECRETS]);
unsigned int srnic_key_seq(struct net *net);
int srnic_key_init(void);
void srnic_key_exit(void);

/**
 * struct srnic_key_listener - receiver of the names of wanted keys
 * @listens: tell whether a namespace has a listener
 * @tell: report the name of a key, and the GID of the peer for which it is wanted
 */
struct srnic_key_listener {
	bool (*listens)(struct net *net);
	void (*tell)(struct net *net, const char *name, const u8 peer[16]);
};

/* wanted.c. Process context */
const struct srnic_key_listener *srnic_key_listen(const struct srnic_key_listener *to);
bool srnic_key_want(struct net *net, const char *name, const u8 peer[16]);
long srnic_key_await(struct net *net, unsigned int seq, long timeout);
void srnic_key_wake(struct net *net);
int srnic_wanted_init(void);
void srnic_wanted_exit(void);

int srnic_policy_init(void);	/* rules and keys of namespaces */
void srnic_policy_exit(void);

#endif /* SRNIC_STH_H */
