/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sth's own structures: a secured connection, its flows, their keys. For this
 * room and its KUnit suites only; others see sth.h.
 *
 * Who may touch what
 *
 *  - QP's spinlock: sub-keys (counters, windows, requests), the scratch memory,
 *    srnic_flow.expected, .rekey_asked and the statistics. seal, open and advance
 *    are called under it.
 *  - QP's handshake mutex: srnic_flow.state, nonces and K_F; K_AB. The handshake
 *    and rekey are called under it, without the spinlock; they sleep.
 *  - RCU: srnic_flow.keys. Written under the mutex, read under the spinlock and
 *    rcu_read_lock(); what rekey replaces is freed after synchronize_rcu().
 *  - srnic_flow.state leaves IDLE, and .ready becomes true, once, by a store-release
 *    that follows everything it announces; the other side reads it by load-acquire.
 */
#ifndef SRNIC_STH_CRYPTO_H
#define SRNIC_STH_CRYPTO_H

#include <crypto/aead.h>
#include <crypto/hash.h>
#include <crypto/internal/simd.h>
#include <asm/simd.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "sth/pure.h"
#include "sth/sth.h"

/* protocol.md, section 10 */
#define SRNIC_STH_EMISSIONS	BIT(26)
#define SRNIC_STH_TAG_LEN_MAX	64
#define SRNIC_STH_RAW_KEY_MAX	64	/* longest sub-key: HMAC-SHA-512's */
#define SRNIC_STH_KEY_MIN	16	/* K_PD, K_AB as given */

/* test kernels only: the module and its KUnit suites must agree on this */
#define SRNIC_NONCE_ORACLE	IS_ENABLED(CONFIG_KUNIT)

struct srnic_sth_family;

/**
 * struct srnic_sth_suite - a row of protocol.md's table (section 3)
 * @name: as users write it
 * @id: number in key derivation
 * @family: PRF or nonce
 * @alg: the crypto API's name
 * @fast: name of an internal, SIMD-only implementation, or NULL; for CMAC, of AES-CBC
 * @key_len: bytes of a sub-key
 * @tag_len: bytes, the leftmost of what @alg makes
 * @code: STH code on the wire
 * @modes: BIT(mode) of those allowed
 * @max_failed: failed tags that end a sub-key
 * @uncached: a cipher can be keyed where packets are: its setkey does not sleep
 */
struct srnic_sth_suite {
	const char *name;
	u16 id;
	const struct srnic_sth_family *family;
	const char *alg;
	const char *fast;
	u8 key_len;
	u8 tag_len;
	u8 code;
	u8 modes;
	u64 max_failed;
	bool uncached;
};

/**
 * struct srnic_cipher - an algorithm and its key
 * @mac: PRF family
 * @desc: its state while it runs
 * @cmac: PRF family: a faster way, only where SIMD may be used; may be NULL
 * @sync: nonce family: works in every context
 * @fast: nonce family: only where SIMD may be used; may be NULL
 * @req: request for either
 * @oracle: test kernels: the key's name to the nonce oracle
 */
struct srnic_cipher {
	union {
		struct {
			struct crypto_shash *mac;
			struct shash_desc *desc;
			struct srnic_cmac *cmac;
		};
		struct {
			struct crypto_aead *sync;
			struct crypto_aead *fast;
			struct aead_request *req;
		};
	};
#if SRNIC_NONCE_ORACLE
	u64 oracle;
#endif
};

/**
 * struct srnic_subkey - key of one flow, epoch and kind, in one direction
 * @cipher: what seals or opens by it, unless the connection shares one
 * @serial: no other has the same, ever
 * @emitted: packets sealed under it, so the next emission counter
 * @failed: wrong tags
 * @replay: nonce family: counters seen
 */
struct srnic_subkey {
	struct srnic_cipher cipher;
	u64 serial;
	u32 emitted;
	u64 failed;
	struct srnic_replay replay;
};

/**
 * struct srnic_epoch_keys - both sub-keys of a flow in one epoch
 * @epoch: which
 * @seal: of what we send
 * @open: of what we receive
 */
struct srnic_epoch_keys {
	u64 epoch;
	struct srnic_subkey seal;
	struct srnic_subkey open;
};

enum srnic_hs_state {
	SRNIC_HS_IDLE,		/* not started */
	SRNIC_HS_HELLO,		/* ours: HELLO is due */
	SRNIC_HS_CONFIRM,	/* ours: n_r is known, CONFIRM is due */
	SRNIC_HS_LISTEN,	/* theirs: waits for CONFIRM */
	SRNIC_HS_DONE,
};

/**
 * struct srnic_flow - one side's requests and their responses
 * @state: of the handshake
 * @ready: keys are in place
 * @rekey_asked: advance has asked for the next epoch
 * @start: first PSN64
 * @expected: PSN64 of section 5
 * @nq: the requester's nonce
 * @nr: the responder's
 * @key: K_F, once confirmed
 * @keys: by the epoch's lowest bit
 * @sealed: packets
 * @opened: packets
 * @failed: packets refused, replays apart
 * @replayed: packets refused for their counter
 */
struct srnic_flow {
	enum srnic_hs_state state;
	bool ready;
	bool rekey_asked;
	u64 start;
	u64 expected;
	u8 nq[SRNIC_STH_NONCE_LEN];
	u8 nr[SRNIC_STH_NONCE_LEN];
	u8 key[SRNIC_STH_KDF_KEY_LEN];
	struct srnic_epoch_keys __rcu *keys[2];
	u64 sealed;
	u64 opened;
	u64 failed;
	u64 replayed;
};

/* MAC input, payload in pieces, tag */
#define SRNIC_STH_SG		(1 + SRNIC_STH_PAYLOAD_SG + 1)
#define SRNIC_STH_LINEAR	256U	/* longest MAC input and short payload, with padding */
#define SRNIC_STH_SINK		1024U

/*
 * Internal implementations of the crypto API that need SIMD and are synchronous
 * (cryptd's instances have the same names, and are not). Not worth a modprobe.
 */
#define SRNIC_STH_FAST_TYPE	CRYPTO_ALG_INTERNAL
#define SRNIC_STH_FAST_MASK	(CRYPTO_ALG_INTERNAL | CRYPTO_ALG_ASYNC | CRYPTO_NOLOAD)

/**
 * struct srnic_sth_scratch - where a packet's tag is made
 * @mode: header, packet or aead
 * @tag_len: bytes
 * @no_simd: KUnit: as if SIMD could not be used
 * @input: MAC input of the packet at hand; room for a short payload behind it
 * @block: its last block
 * @sink: output that nobody wants; packet mode
 * @tag: its tag
 * @iv: its nonce; 16 bytes, as some drivers append a block counter
 * @src: its scatterlist
 * @dst: where to, if elsewhere
 *
 * The crypto API maps it by page, so it must not be on a stack.
 */
struct srnic_sth_scratch {
	enum srnic_sth_mode mode;
	u8 tag_len;
	bool no_simd;
	u8 input[SRNIC_STH_LINEAR];
	u8 block[16];
	u8 *sink;
	u8 tag[SRNIC_STH_TAG_LEN_MAX];
	u8 iv[16];
	struct scatterlist src[SRNIC_STH_SG];
	struct scatterlist dst[SRNIC_STH_SG];
};

/**
 * struct srnic_sth - one secured connection
 * @params: as given, without the key
 * @seals: S of section 6
 * @local_b: we are end B
 * @ab: A and B
 * @pair: K_AB, wiped once both flows are confirmed
 * @hs: HMAC under K_HS
 * @driver: crypto driver in use
 * @flow: by enum srnic_sth_flow
 * @ksr: by enum srnic_sth_flow: of the last request that had to be proved
 * @shared: ciphers of connections that derive sub-keys when a packet comes; or NULL
 * @scratch: of the packet at hand
 */
struct srnic_sth {
	struct srnic_sth_params params;
	struct srnic_sth_seals seals;
	bool local_b;
	u8 ab[SRNIC_CTX_PAIR_LEN];
	u8 pair[SRNIC_STH_KDF_KEY_LEN];
	struct crypto_shash *hs;
	char driver[CRYPTO_MAX_ALG_NAME];
	struct srnic_flow flow[SRNIC_FLOWS];
	struct srnic_ksr ksr[SRNIC_FLOWS];
	struct srnic_shared *shared;
	struct srnic_sth_scratch scratch;
};

/**
 * struct srnic_sth_family - how a kind of algorithm is keyed and run
 * @has_counter: nonce family: STH = counter ‖ tag
 * @init: allocate a cipher, and key it; process context
 * @set: key it anew; in any context if the suite is @uncached. Unless @simd, what needs
 *	SIMD has no key until the next time
 * @free: free and wipe what @init made, or made in part
 * @driver: name of the crypto driver
 * @seal: make @s->tag over @s->input (@input_len bytes) and, as the mode
 *	says, @payload (@len bytes), which aead mode encrypts
 * @open: compare @s->tag; -EBADMSG if it is wrong. aead mode decrypts from @src
 *	to @dst
 */
struct srnic_sth_family {
	bool has_counter;
	int (*init)(struct srnic_cipher *cipher, const struct srnic_sth_suite *suite,
		    const u8 *raw);
	int (*set)(struct srnic_cipher *cipher, const struct srnic_sth_suite *suite,
		   const u8 *raw, bool simd);
	void (*free)(struct srnic_cipher *cipher);
	const char *(*driver)(const struct srnic_cipher *cipher);
	int (*seal)(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
		    unsigned int input_len, struct scatterlist *payload, unsigned int len);
	int (*open)(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
		    unsigned int input_len, struct scatterlist *src, struct scatterlist *dst,
		    unsigned int len);
};

/* may internal implementations be used, here and now? */
static inline bool srnic_sth_simd(const struct srnic_sth_scratch *s)
{
	return likely(!s->no_simd) && crypto_simd_usable();
}

/* cmac.c */
struct srnic_cmac *srnic_cmac_alloc(const char *name);
int srnic_cmac_set(struct srnic_cmac *cmac, const u8 *raw, unsigned int len);
int srnic_cmac_wipe(struct srnic_cmac *cmac, unsigned int len);
void srnic_cmac_free(struct srnic_cmac *cmac);
const char *srnic_cmac_driver(const struct srnic_cmac *cmac);
int srnic_cmac_mac(struct srnic_sth_scratch *s, struct srnic_cmac *cmac, unsigned int input_len,
		   const u8 *payload, unsigned int len, u8 *tag);

extern const struct srnic_sth_family srnic_sth_prf;	/* prf.c */
extern const struct srnic_sth_family srnic_sth_nonce;	/* aead.c */

static inline unsigned int srnic_suite_sth_len(const struct srnic_sth_suite *suite)
{
	return suite->tag_len + (suite->family->has_counter ? SRNIC_STH_COUNTER_LEN : 0);
}

/* open.c */
bool srnic_sth_pad_ok(enum srnic_sth_mode mode, const struct srnic_pkt *pkt,
		      struct scatterlist *src, struct scatterlist *dst, unsigned int len);

/* memory.c */
int srnic_sth_prove(struct srnic_sth *sth, enum srnic_sth_flow flow, const struct srnic_pkt *pkt,
		    unsigned int *input_len);

/* kdf.c; process context, but for kdf_keyed */
#define SRNIC_STH_KDF_ALG	"hmac(sha256)"
struct crypto_shash *srnic_hmac_alloc(const u8 *key, unsigned int key_len);
int srnic_kdf_fixed(const u8 *key, unsigned int key_len, const u8 *fixed,
		    unsigned int fixed_len, u8 *out, unsigned int out_len);
int srnic_kdf_keyed(struct crypto_shash *tfm, const char *label, const u8 *ctx,
		    unsigned int ctx_len, u8 *out, unsigned int out_len);
int srnic_kdf(const u8 *key, unsigned int key_len, const char *label,
	      const u8 *ctx, unsigned int ctx_len, u8 *out, unsigned int out_len);
int srnic_kdf_pair(const u8 *kpd, unsigned int kpd_len, const u8 *ab,
		   u8 pair[SRNIC_STH_KDF_KEY_LEN]);
int srnic_kdf_pair_paper(const u8 kpd[16], const u8 *ab, u8 pair[16]);

/* keys.c */
void srnic_subkey_ctx(u8 ctx[SRNIC_CTX_PACKET_LEN], const struct srnic_sth *sth,
		      enum srnic_sth_flow flow, u64 epoch, bool seal);
struct srnic_epoch_keys *srnic_epoch_keys_make(const struct srnic_sth *sth,
					       enum srnic_sth_flow flow, u64 epoch);
void srnic_epoch_keys_free(const struct srnic_sth *sth, struct srnic_epoch_keys *keys);
int srnic_flow_keys_install(struct srnic_sth *sth, enum srnic_sth_flow flow);
int srnic_suite_probe(const struct srnic_sth_suite *suite, char driver[CRYPTO_MAX_ALG_NAME],
		      const char **missing);

/* a flow's keys of an epoch, or NULL; under rcu_read_lock() */
static inline struct srnic_epoch_keys *srnic_flow_keys(const struct srnic_flow *flow, u64 epoch)
{
	struct srnic_epoch_keys *keys = rcu_dereference(flow->keys[epoch & 1]);

	return keys && keys->epoch == epoch ? keys : NULL;
}

static inline bool srnic_flow_has_keys(const struct srnic_flow *flow, u64 epoch)
{
	bool has;

	rcu_read_lock();
	has = srnic_flow_keys(flow, epoch);
	rcu_read_unlock();
	return has;
}

/* shared.c */
/**
 * struct srnic_slot - a CPU's cipher of one suite, for one direction
 * @lock: all below. Nearly always taken by its own CPU alone; others take it to wipe
 * @cipher: keyed by the sub-key @serial
 * @kdf: HMAC under the K_F which that was derived from
 * @serial: 0: none
 * @simd: @cipher has the key for where SIMD may be used, as well
 */
struct srnic_slot {
	spinlock_t lock;	/* see above */
	struct srnic_cipher cipher;
	struct crypto_shash *kdf;
	u64 serial;
	bool simd;
};

/**
 * struct srnic_slots - a CPU's ciphers of one suite
 * @of: by whether it seals: a stream does either at each end, in turn
 */
struct srnic_slots {
	struct srnic_slot of[2];
};

/**
 * struct srnic_shared - the ciphers of one suite
 * @node: in the list of all
 * @suite: which
 * @users: connections
 * @slots: of each CPU
 */
struct srnic_shared {
	struct list_head node;
	const struct srnic_sth_suite *suite;
	unsigned int users;
	struct srnic_slots __percpu *slots;
};

struct srnic_shared *srnic_shared_get(const struct srnic_sth_suite *suite);
void srnic_shared_put(struct srnic_shared *shared);
int srnic_shared_seal(struct srnic_sth *sth, enum srnic_sth_flow flow,
		      const struct srnic_epoch_keys *keys, unsigned int input_len,
		      struct scatterlist *payload, unsigned int len);
int srnic_shared_open(struct srnic_sth *sth, enum srnic_sth_flow flow,
		      const struct srnic_epoch_keys *keys, unsigned int input_len,
		      struct scatterlist *src, struct scatterlist *dst, unsigned int len);
void srnic_shared_forget(struct srnic_shared *shared, const struct srnic_subkey *key, bool seal);

/* oracle.c: every nonce passes there before it is used, in test kernels */
#if SRNIC_NONCE_ORACLE
u64 srnic_nonce_oracle_key(const u8 *raw, unsigned int len);
void srnic_nonce_oracle(const struct srnic_cipher *cipher, const struct srnic_sth_scratch *s,
			unsigned int input_len, struct scatterlist *payload, unsigned int len);
unsigned long srnic_nonce_oracle_reused(bool hush);
unsigned long srnic_nonce_oracle_fell(void);
void srnic_nonce_oracle_forget(void);

static inline void srnic_nonce_oracle_watch(struct srnic_cipher *cipher, const u8 *raw,
					    unsigned int len)
{
	cipher->oracle = srnic_nonce_oracle_key(raw, len);
}
#else
static inline void srnic_nonce_oracle(const struct srnic_cipher *cipher,
				      const struct srnic_sth_scratch *s, unsigned int input_len,
				      struct scatterlist *payload, unsigned int len)
{
}

static inline void srnic_nonce_oracle_watch(struct srnic_cipher *cipher, const u8 *raw,
					    unsigned int len)
{
}
#endif

#endif /* SRNIC_STH_CRYPTO_H */
