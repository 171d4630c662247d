/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal structures of sth: secured connections, their flows and keys. For
 * this directory and its KUnit suites only; other code uses sth.h.
 *
 * Locking:
 *
 *  - The QP's spinlock protects sub-keys (counters, windows, requests), the
 *    scratch memory, srnic_flow.expected, .rekey_requested and the statistics.
 *    Callers of seal, open and advance hold it.
 *  - The QP's handshake mutex protects srnic_flow.state, the nonces, K_F and
 *    K_AB. Callers of the handshake and of rekey hold it, without the spinlock;
 *    both sleep.
 *  - RCU protects srnic_flow.keys. They are written under the mutex and read
 *    under the spinlock and rcu_read_lock(); rekey frees the replaced keys
 *    after synchronize_rcu().
 *  - srnic_flow.state leaves IDLE once, and .ready becomes true once, by a
 *    store-release that follows all data it publishes, .life among them; readers
 *    use load-acquire.
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
#include "sth/key_use.h"
#include "sth/pure.h"
#include "sth/sth.h"

/* limits: protocol.md, section 10 */
#define SRNIC_STH_EMISSIONS	BIT(26)	/* use srnic_sth_emissions() */
#define SRNIC_STH_TAG_LEN_MAX	64
#define SRNIC_STH_RAW_KEY_MAX	64	/* bytes of the longest sub-key, that of HMAC-SHA-512 */
#define SRNIC_STH_KEY_MIN	16	/* K_PD, K_AB as given, bytes */

/* Test kernels only. The module and its KUnit suites must agree on this value. */
#define SRNIC_NONCE_ORACLE	IS_ENABLED(CONFIG_KUNIT)

/* Return how many packets a sub-key seals; test kernels can lower it by a parameter. */
#if SRNIC_NONCE_ORACLE
extern unsigned int srnic_sth_emission_limit;

static inline u32 srnic_sth_emissions(void)
{
	return READ_ONCE(srnic_sth_emission_limit);
}
#else
static inline u32 srnic_sth_emissions(void)
{
	return SRNIC_STH_EMISSIONS;
}
#endif

struct srnic_sth_family;

/**
 * struct srnic_sth_suite - a row of the suite table (protocol.md, section 3)
 * @name: name in policies and tools
 * @id: number that enters key derivation
 * @family: PRF or nonce
 * @alg: algorithm name of the crypto API
 * @fast: name of an internal, SIMD-only implementation, or NULL; for CMAC, that
 *	of AES-CBC
 * @key_len: bytes of a sub-key
 * @tag_len: bytes of a tag: the leftmost of the output of @alg
 * @code: STH code on the wire
 * @modes: BIT(mode) for each mode allowed
 * @max_failed: number of failed tags that ends a sub-key
 * @uncached: sub-keys can be derived for each packet: setkey of @alg does not
 *	sleep
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
 * struct srnic_cipher - an algorithm with its key
 * @mac: PRF family: the transform
 * @desc: PRF family: the state of @mac during a run
 * @cmac: PRF family: faster CMAC for contexts that may use SIMD; may be NULL
 * @sync: nonce family: transform for any context
 * @fast: nonce family: transform for contexts that may use SIMD; may be NULL
 * @req: nonce family: request for @sync or @fast
 * @oracle: test kernels: name of the key in the nonce oracle
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
 * struct srnic_subkey - the key of one flow, epoch, kind and phase, in one direction
 * @cipher: seals or opens, unless the connection uses a shared cipher
 * @serial: unique number, never reused
 * @emitted: packets sealed under this key, hence the next emission counter
 * @opened: packets opened under this key
 * @phase: number of sub-keys used up before this one
 * @failed: number of wrong tags
 * @replay: nonce family: counters seen
 */
struct srnic_subkey {
	struct srnic_cipher cipher;
	u64 serial;
	u32 emitted;
	u32 opened;
	u16 phase;
	u64 failed;
	struct srnic_replay replay;
};

/**
 * struct srnic_phases - the sub-keys of one flow, epoch and kind, one after another
 * @latest: phase that is sealed; or the newest of which a packet has verified
 * @derived: newest phase whose sub-key is in @at
 * @due: its successor is to be derived
 * @at: sub-keys of @derived and of the phase before it, indexed by
 *	srnic_phase_index()
 */
struct srnic_phases {
	u16 latest;
	u16 derived;
	bool due;
	struct srnic_subkey __rcu *at[SRNIC_PHASES];
};

/**
 * struct srnic_epoch_keys - the sub-keys of a flow in one epoch
 * @epoch: PSN64 >> 24
 * @flow_key: K_F of the epoch
 * @phases: indexed by enum srnic_sth_use
 */
struct srnic_epoch_keys {
	u64 epoch;
	u8 flow_key[SRNIC_STH_KDF_KEY_LEN];
	struct srnic_phases phases[SRNIC_USES];
};

/**
 * struct srnic_subkey_use - a sub-key and its use
 * @flow: flow of the sub-key
 * @keys: keys of its epoch
 * @key: the sub-key
 * @use: to seal, or to open
 */
struct srnic_subkey_use {
	enum srnic_sth_flow flow;
	const struct srnic_epoch_keys *keys;
	struct srnic_subkey *key;
	enum srnic_sth_use use;
};

enum srnic_hs_state {
	SRNIC_HS_IDLE,		/* not started */
	SRNIC_HS_HELLO,		/* ours: send HELLO */
	SRNIC_HS_CONFIRM,	/* ours: n_r is known, send CONFIRM */
	SRNIC_HS_LISTEN,	/* theirs: wait for CONFIRM */
	SRNIC_HS_DONE,
};

/**
 * struct srnic_flow - one side's requests and the responses to them
 * @state: state of the handshake
 * @ready: keys are installed
 * @rekey_requested: srnic_sth_rekey() has been requested, and has not run yet
 * @update_due: some of @keys lack the sub-key of a next phase
 * @secret: under which key the frames of the flow are sent, an index of
 *	srnic_sth.pair; for theirs once the flow is confirmed
 * @start: first PSN64
 * @expected: X of protocol.md, section 5
 * @tries: frames that were built since the state has changed; ours only
 * @nq: nonce of the requester
 * @nr: nonce of the responder
 * @key: K_F of @key_epoch, valid once the flow is confirmed
 * @key_epoch: the next epoch whose sub-keys will be derived; K_F of earlier epochs are wiped
 * @keys: sub-keys, indexed by the lowest bit of the epoch
 * @unreported: bytes sealed since the last report to key_use.c
 * @sealed: number of packets sealed
 * @opened: number of packets opened
 * @failed: number of packets dropped, except replays
 * @replayed: number of packets dropped because of their counter
 */
struct srnic_flow {
	enum srnic_hs_state state;
	bool ready;
	bool rekey_requested;
	bool update_due;
	enum srnic_secret_of_key secret;
	u64 start;
	u64 expected;
	unsigned int tries;
	u8 nq[SRNIC_STH_NONCE_LEN];
	u8 nr[SRNIC_STH_NONCE_LEN];
	u8 key[SRNIC_STH_KDF_KEY_LEN];
	u64 key_epoch;
	struct srnic_epoch_keys __rcu *keys[2];
	u32 unreported;
	u64 sealed;
	u64 opened;
	u64 failed;
	u64 replayed;
};

/**
 * struct srnic_ephemeral - X25519 keys of a connection, and the roots derived from them
 * @secret: our scalar; wiped when the peer's share is known
 * @ours: our share, a point
 * @theirs: share of the peer, if @agreed
 * @agreed: both roots have been derived
 * @root: of each K_AB, K_X of A's flow and of B's; those of a flow are wiped when K_F has been
 *	derived from one of them
 */
struct srnic_ephemeral {
	u8 secret[SRNIC_STH_SHARE_LEN];
	u8 ours[SRNIC_STH_SHARE_LEN];
	u8 theirs[SRNIC_STH_SHARE_LEN];
	bool agreed;
	u8 root[SRNIC_SECRETS][SRNIC_FLOWS][SRNIC_STH_KDF_KEY_LEN];
};

/**
 * struct srnic_pair - a key that both ends may have, and keys derived from it for handshakes
 * @key: K_AB, wiped when the first flow is confirmed
 * @id: identifies K_AB in handshake frames
 * @hs: HMAC under K_HS; NULL: wiped
 */
struct srnic_pair {
	u8 key[SRNIC_STH_KDF_KEY_LEN];
	u32 id;
	struct crypto_shash *hs;
};

/* MAC input, pieces of payload, tag */
#define SRNIC_STH_SG		(1 + SRNIC_STH_PAYLOAD_SG + 1)
#define SRNIC_STH_LINEAR	256U	/* longest MAC input, short payload and padding, bytes */
#define SRNIC_STH_SINK		1024U

/*
 * Select internal implementations that are synchronous and need SIMD. Instances
 * of cryptd have the same names, but are asynchronous. Do not load modules for
 * them.
 */
#define SRNIC_STH_FAST_TYPE	CRYPTO_ALG_INTERNAL
#define SRNIC_STH_FAST_MASK	(CRYPTO_ALG_INTERNAL | CRYPTO_ALG_ASYNC | CRYPTO_NOLOAD)

/**
 * struct srnic_sth_scratch - working memory for the tag of one packet
 * @mode: header, packet, aead or opaque
 * @tag_len: length of the tag in bytes
 * @no_simd: KUnit: behave as if SIMD could not be used
 * @input: MAC input of the packet; a family may append payload
 * @input_len: bytes in @input
 * @block: last block of the message
 * @sink: discarded output; packet mode only
 * @tag: tag of the packet
 * @iv: nonce of the packet; 16 bytes, as some drivers append a block counter
 * @src: source scatterlist
 * @dst: destination scatterlist, if not in place
 * @listed: nonce family: @src and @dst have the members that are the same for all packets
 *
 * The crypto API maps this memory by page, so it must not be on a stack.
 */
struct srnic_sth_scratch {
	enum srnic_sth_mode mode;
	u8 tag_len;
	bool no_simd;
	u8 input[SRNIC_STH_LINEAR];
	unsigned int input_len;
	u8 block[16];
	u8 *sink;
	u8 tag[SRNIC_STH_TAG_LEN_MAX];
	u8 iv[16];
	struct scatterlist src[SRNIC_STH_SG];
	struct scatterlist dst[SRNIC_STH_SG];
	bool listed;
};

/**
 * struct srnic_sth - a secured connection
 * @params: parameters as given, with the keys zeroed
 * @form: suite, mode and tag length: S of protocol.md, section 6
 * @life: life before any random number of the connection was drawn; 0: none
 * @local_b: we are end B
 * @ended: it began in a former life, and its keys are wiped, or will be
 * @ab: A and B
 * @pair: K_AB of each secret of the policy's key, indexed by enum srnic_secret_of_key
 * @pairs: number of those that exist: 2 while the policy's key is replaced, else 1
 * @ephemeral: X25519 keys
 * @driver: name of the crypto driver in use
 * @flow: indexed by enum srnic_sth_flow
 * @ksr: K_SR of the last proof, indexed by enum srnic_sth_flow
 * @pool: ciphers shared by connections that derive sub-keys for each packet, or
 *	NULL
 * @scratch: working memory for the current packet
 */
struct srnic_sth {
	struct srnic_sth_params params;
	struct srnic_sth_form form;
	unsigned int life;
	bool local_b;
	bool ended;
	u8 ab[SRNIC_CTX_PAIR_LEN];
	struct srnic_pair pair[SRNIC_SECRETS];
	unsigned int pairs;
	struct srnic_ephemeral ephemeral;
	char driver[CRYPTO_MAX_ALG_NAME];
	struct srnic_flow flow[SRNIC_FLOWS];
	struct srnic_ksr ksr[SRNIC_FLOWS];
	struct srnic_cipher_pool *pool;
	struct srnic_sth_scratch scratch;
};

typedef int (*srnic_sth_op)(struct srnic_sth_scratch *s, struct srnic_cipher *cipher,
			    const struct srnic_sth_payload *payload);

/**
 * struct srnic_sth_family - operations of a family of algorithms
 * @has_counter: nonce family: STH = counter ‖ tag
 * @init: allocate a cipher and set its key; process context
 * @set: set another key where SIMD may be used; up to softirq if the suite is
 *	@uncached
 * @set_no_simd: as @set, where SIMD may not be used; an implementation that needs
 *	it to set a key is left without one
 * @free: wipe and free what @init allocated, even if @init failed
 * @driver: return the name of the crypto driver
 * @apply: by use. To seal: compute @s->tag over @s->input and, depending on the
 *	mode, @payload, which is encrypted in place in aead and opaque mode. To open:
 *	verify @s->tag; -EBADMSG if it is wrong; @payload is decrypted in these modes
 */
struct srnic_sth_family {
	bool has_counter;
	int (*init)(struct srnic_cipher *cipher, const struct srnic_sth_suite *suite,
		    const u8 *raw);
	int (*set)(struct srnic_cipher *cipher, const struct srnic_sth_suite *suite,
		   const u8 *raw);
	int (*set_no_simd)(struct srnic_cipher *cipher, const struct srnic_sth_suite *suite,
			   const u8 *raw);
	void (*free)(struct srnic_cipher *cipher);
	const char *(*driver)(const struct srnic_cipher *cipher);
	srnic_sth_op apply[SRNIC_USES];
};

/* Tell whether internal implementations may be used in this context. */
static inline bool srnic_sth_simd(const struct srnic_sth_scratch *s)
{
	return likely(!s->no_simd) && crypto_simd_usable();
}

/* Tell whether end B sends the packets that this end seals, or those that it opens. */
static inline bool srnic_sth_from_b(const struct srnic_sth *sth, enum srnic_sth_use use)
{
	return use == SRNIC_TO_SEAL ? sth->local_b : !sth->local_b;
}

/* cmac.c */
struct srnic_cmac *srnic_cmac_alloc(const char *name);
int srnic_cmac_set(struct srnic_cmac *cmac, const u8 *raw, unsigned int len);
int srnic_cmac_wipe(struct srnic_cmac *cmac, unsigned int len);
void srnic_cmac_free(struct srnic_cmac *cmac);
const char *srnic_cmac_driver(const struct srnic_cmac *cmac);
int srnic_cmac_mac(struct srnic_sth_scratch *s, struct srnic_cmac *cmac, const u8 *payload,
		   unsigned int len, u8 *tag);

extern const struct srnic_sth_family srnic_sth_prf;	/* prf.c */
extern const struct srnic_sth_family srnic_sth_nonce;	/* aead.c */

/* open.c */
bool srnic_sth_pad_ok(enum srnic_sth_mode mode, const struct srnic_pkt *pkt,
		      const struct srnic_sth_payload *payload);

/* memory.c */
int srnic_sth_prove(struct srnic_sth *sth, enum srnic_sth_flow flow, const struct srnic_pkt *pkt,
		    const struct srnic_sth_payload *payload);

/* kdf.c; process context, except srnic_kdf_fixed() and srnic_kdf_keyed() */
#define SRNIC_STH_KDF_ALG	"hmac(sha256)"
struct crypto_shash *srnic_hmac_alloc(const u8 *key, unsigned int key_len);
int srnic_kdf_fixed(struct crypto_shash *tfm, const u8 *fixed, unsigned int fixed_len,
		    u8 *out, unsigned int out_len);
int srnic_kdf_keyed(struct crypto_shash *tfm, const struct srnic_kdf_purpose *purpose,
		    u8 *out, unsigned int out_len);
int srnic_kdf(const u8 *key, unsigned int key_len, const struct srnic_kdf_purpose *purpose,
	      u8 *out, unsigned int out_len);
int srnic_kdf_pair(const u8 *kpd, unsigned int kpd_len, const u8 *ab,
		   u8 pair[SRNIC_STH_KDF_KEY_LEN]);
int srnic_kdf_pair_paper(const u8 kpd[16], const u8 *ab, u8 pair[16]);

/* ephemeral.c */
int srnic_ephemeral_draw(struct srnic_ephemeral *ephemeral);
bool srnic_ephemeral_fits(const struct srnic_ephemeral *ephemeral, const u8 *theirs);
const u8 *srnic_ephemeral_agree(struct srnic_sth *sth, enum srnic_secret_of_key secret,
				bool owner_b, const u8 *theirs);
void srnic_ephemeral_forget(struct srnic_sth *sth, bool owner_b);

/* keys.c */
void srnic_subkey_ctx(u8 ctx[SRNIC_CTX_PACKET_LEN], const struct srnic_sth *sth,
		      const struct srnic_subkey_use *of);
struct srnic_subkey *srnic_subkey_make(struct srnic_sth *sth, enum srnic_sth_flow flow,
				       const struct srnic_epoch_keys *keys,
				       enum srnic_sth_use use, u16 phase);
void srnic_subkey_free(const struct srnic_sth *sth, struct srnic_subkey *key,
		       enum srnic_sth_use use);
void srnic_epoch_keys_free(const struct srnic_sth *sth, struct srnic_epoch_keys *keys);
int srnic_flow_keys_install(struct srnic_sth *sth, enum srnic_sth_flow flow);
int srnic_suite_probe(const struct srnic_sth_suite *suite, char driver[CRYPTO_MAX_ALG_NAME],
		      const char **missing);

/* phase.c */
struct srnic_subkey *srnic_phase_to_seal(struct srnic_flow *flow, struct srnic_epoch_keys *keys);
struct srnic_subkey *srnic_phase_to_open(struct srnic_flow *flow, struct srnic_epoch_keys *keys,
					 const u8 *bth);
void srnic_phase_opened(struct srnic_flow *flow, struct srnic_epoch_keys *keys,
			struct srnic_subkey *key);
int srnic_phases_update(struct srnic_sth *sth, enum srnic_sth_flow flow);

/* Return a flow's keys of an epoch, or NULL; under rcu_read_lock(). */
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

/* Return the number of the use of the secret that a flow is confirmed under. */
static inline u32 srnic_flow_key_use(const struct srnic_sth *sth, const struct srnic_flow *flow)
{
	return sth->params.key_use[flow->secret];
}

/* Tell whether a connection began in the present life. */
static inline bool srnic_sth_lives(const struct srnic_sth *sth)
{
	return likely(sth->life && sth->life == srnic_sth_life());
}

/* cipher_pool.c */
/**
 * struct srnic_pool_slot - a CPU's cipher of one suite, for one use
 * @lock: protects all members below. Nearly always taken by its own CPU only;
 *	other CPUs take it to wipe the key
 * @cipher: has the sub-key @serial
 * @kdf: HMAC under the K_F from which that sub-key was derived
 * @serial: serial number of the sub-key; 0: none
 * @simd: the SIMD implementation of @cipher has the key, too
 */
struct srnic_pool_slot {
	spinlock_t lock;	/* all members below */
	struct srnic_cipher cipher;
	struct crypto_shash *kdf;
	u64 serial;
	bool simd;
};

/**
 * struct srnic_pool_slots - a CPU's ciphers of one suite
 * @of: indexed by enum srnic_sth_use. Each end of a connection alternates
 *	between the two; they would displace each other's key in a single cipher
 */
struct srnic_pool_slots {
	struct srnic_pool_slot of[SRNIC_USES];
};

/**
 * struct srnic_cipher_pool - ciphers of one suite that connections share
 * @node: entry in the list of pools
 * @suite: row of the suite table
 * @users: number of connections that use the pool
 * @slots: ciphers of each CPU
 */
struct srnic_cipher_pool {
	struct list_head node;
	const struct srnic_sth_suite *suite;
	unsigned int users;
	struct srnic_pool_slots __percpu *slots;
};

struct srnic_cipher_pool *srnic_cipher_pool_get(const struct srnic_sth_suite *suite);
void srnic_cipher_pool_put(struct srnic_cipher_pool *pool);
int srnic_cipher_pool_apply(struct srnic_sth *sth, const struct srnic_subkey_use *with,
			    const struct srnic_sth_payload *payload);
void srnic_cipher_pool_forget(struct srnic_cipher_pool *pool, const struct srnic_subkey *key,
			      enum srnic_sth_use use);

/* Seal or open with a sub-key: by the connection's own cipher, or by the pool's. */
static inline int srnic_sth_apply(struct srnic_sth *sth, const struct srnic_subkey_use *with,
				  const struct srnic_sth_payload *payload)
{
	if (unlikely(sth->pool))
		return srnic_cipher_pool_apply(sth, with, payload);
	return sth->params.suite->family->apply[with->use](&sth->scratch, &with->key->cipher,
							   payload);
}

/* oracle.c: checks every nonce before it is used, in test kernels */
#if SRNIC_NONCE_ORACLE
u64 srnic_nonce_oracle_key(const u8 *raw, unsigned int len);
void srnic_nonce_oracle(const struct srnic_cipher *cipher, const struct srnic_sth_scratch *s,
			const struct srnic_sth_payload *payload);
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
				      const struct srnic_sth_scratch *s,
				      const struct srnic_sth_payload *payload)
{
}

static inline void srnic_nonce_oracle_watch(struct srnic_cipher *cipher, const u8 *raw,
					    unsigned int len)
{
}
#endif

#endif /* SRNIC_STH_CRYPTO_H */
