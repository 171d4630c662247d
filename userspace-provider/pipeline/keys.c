// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "error.h"
#include "keys.h"

#define KEYS_MAX	16

struct key {
	uint32_t id;		/* 0: none */
	uint8_t algorithm;
	uint8_t len;
	uint8_t secret[RDMA_PIPELINE_KEY_MAX];
};

struct rdma_pipeline_keys {
	pthread_mutex_t lock;
	uint32_t signing;	/* id; 0: none */
	struct key keys[KEYS_MAX];
};

static size_t mapped_len(void)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (sizeof(struct rdma_pipeline_keys) + page - 1) / page * page;
}

/*
 * Keys have pages of their own, which are left out of core dumps, and are locked in memory unless
 * the limit of locked memory is used up.
 */
int rdma_pipeline_keys_create(struct rdma_pipeline_keys **keys)
{
	size_t len = mapped_len();
	void *memory;

	*keys = NULL;
	memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return fail(ENOMEM, "out of memory");
	madvise(memory, len, MADV_DONTDUMP);
	mlock(memory, len);
	*keys = memory;
	pthread_mutex_init(&(*keys)->lock, NULL);
	return 0;
}

void rdma_pipeline_keys_free(struct rdma_pipeline_keys *keys)
{
	if (!keys)
		return;
	pthread_mutex_destroy(&keys->lock);
	explicit_bzero(keys, sizeof(*keys));
	munmap(keys, mapped_len());
}

static struct key *find(struct rdma_pipeline_keys *keys, uint32_t id)
{
	unsigned int i;

	for (i = 0; i < KEYS_MAX; i++)
		if (keys->keys[i].id == id)
			return &keys->keys[i];
	return NULL;
}

static gnutls_mac_algorithm_t gnutls_of(uint8_t algorithm)
{
	switch (algorithm) {
	case RDMA_PIPELINE_HMAC_MD5:
		return GNUTLS_MAC_MD5;
	case RDMA_PIPELINE_HMAC_SHA1:
		return GNUTLS_MAC_SHA1;
	default:
		return GNUTLS_MAC_SHA256;
	}
}

static int hmac(const struct key *key, const void *text, size_t len, uint8_t mac[MAC_MAX])
{
	return gnutls_hmac_fast(gnutls_of(key->algorithm), key->secret, key->len, text, len, mac);
}

static int check_key(const struct key *key)
{
	uint8_t mac[MAC_MAX];
	int err = hmac(key, "", 0, mac);

	if (err < 0)
		return fail(EOPNOTSUPP, "GnuTLS refuses the algorithm: %s: use HMAC-SHA256",
			    gnutls_strerror(err));
	return 0;
}

static int put_key(struct rdma_pipeline_keys *keys, const struct key *key)
{
	struct key *place;
	int err = 0;

	pthread_mutex_lock(&keys->lock);
	place = find(keys, 0);
	if (find(keys, key->id)) {
		err = fail(EEXIST, "the ring has a key %u: delete it before", key->id);
	} else if (!place) {
		err = fail(ENOSPC, "the ring has %d keys: delete one", KEYS_MAX);
	} else {
		*place = *key;
		if (!keys->signing)
			keys->signing = key->id;
	}
	pthread_mutex_unlock(&keys->lock);
	return err;
}

int rdma_pipeline_key_add(struct rdma_pipeline_keys *keys, uint32_t id,
			  enum rdma_pipeline_algorithm algorithm, const void *secret, size_t len)
{
	struct key key = { .id = id, .algorithm = algorithm, .len = len };
	int err;

	if (!id)
		return fail(EINVAL, "a key's identifier must not be 0");
	if (algorithm < RDMA_PIPELINE_HMAC_MD5 || algorithm > RDMA_PIPELINE_HMAC_SHA256)
		return fail(EINVAL, "unknown algorithm %u", algorithm);
	if (!secret || len < RDMA_PIPELINE_KEY_MIN || len > RDMA_PIPELINE_KEY_MAX)
		return fail(EINVAL, "key has %zu bytes: it must have %d to %d", len,
			    RDMA_PIPELINE_KEY_MIN, RDMA_PIPELINE_KEY_MAX);
	memcpy(key.secret, secret, len);
	err = check_key(&key) ?: put_key(keys, &key);
	explicit_bzero(&key, sizeof(key));
	return err;
}

int rdma_pipeline_key_use(struct rdma_pipeline_keys *keys, uint32_t id)
{
	int err = 0;

	pthread_mutex_lock(&keys->lock);
	if (id && find(keys, id))
		keys->signing = id;
	else
		err = fail(ENOENT, "the ring has no key %u", id);
	pthread_mutex_unlock(&keys->lock);
	return err;
}

int rdma_pipeline_key_del(struct rdma_pipeline_keys *keys, uint32_t id)
{
	struct key *key;
	int err = 0;

	pthread_mutex_lock(&keys->lock);
	key = id ? find(keys, id) : NULL;
	if (key) {
		explicit_bzero(key, sizeof(*key));
		if (keys->signing == id)
			keys->signing = 0;
	} else {
		err = fail(ENOENT, "the ring has no key %u", id);
	}
	pthread_mutex_unlock(&keys->lock);
	return err;
}

/* Copy the key of that identifier, so that no hash is computed under the lock. */
static bool copy_key(struct rdma_pipeline_keys *keys, uint32_t id, struct key *key)
{
	struct key *found;

	pthread_mutex_lock(&keys->lock);
	found = find(keys, id ?: keys->signing);
	if (found)
		*key = *found;
	pthread_mutex_unlock(&keys->lock);
	return found && key->id;
}

static int copy_signing(struct rdma_pipeline_keys *keys, unsigned int version, struct key *key)
{
	if (!copy_key(keys, 0, key))
		return fail(ENOKEY, "the ring has no key to sign with: add one, or select one");
	if (version == 2 && key->algorithm != RDMA_PIPELINE_HMAC_SHA256)
		return fail(EINVAL, "key %u is for version 1: version 2 needs HMAC-SHA256",
			    key->id);
	return 0;
}

int keys_can_sign(struct rdma_pipeline_keys *keys, unsigned int version)
{
	struct key key = {};
	int err = copy_signing(keys, version, &key);

	explicit_bzero(&key, sizeof(key));
	return err;
}

static int sign(const struct key *key, struct request *request, const struct facts *facts)
{
	uint8_t message[MESSAGE_MAX];
	int err;

	if (request->version == 2) {
		err = gnutls_rnd(GNUTLS_RND_NONCE, &request->nonce, sizeof(request->nonce));
		if (err < 0)
			return fail(EIO, "no random bytes: %s", gnutls_strerror(err));
		request->time = time(NULL);
	}
	err = hmac(key, message, request_message(request, facts, message), request->mac);
	return err < 0 ? fail(EOPNOTSUPP, "GnuTLS: %s", gnutls_strerror(err)) : 0;
}

int keys_sign(struct rdma_pipeline_keys *keys, unsigned int version, const struct facts *facts,
	      uint8_t data[REQUEST_LEN])
{
	struct request request = { .version = version };
	struct key key = {};
	int err;

	err = copy_signing(keys, version, &key);
	if (err)
		goto wipe;
	request.algorithm = key.algorithm;
	request.mac_len = mac_len_of(key.algorithm);
	request.key_id = key.id;
	err = sign(&key, &request, facts);
	if (!err)
		request_write(&request, data);
wipe:
	explicit_bzero(&key, sizeof(key));
	return err;
}

static const char *verify(const struct key *key, const struct request *request,
			  const struct facts *facts)
{
	uint8_t message[MESSAGE_MAX], mac[MAC_MAX];
	bool same;

	if (key->algorithm != request->algorithm ||
	    (request->version == 2 && key->algorithm != RDMA_PIPELINE_HMAC_SHA256))
		return "algorithm";
	if (hmac(key, message, request_message(request, facts, message), mac) < 0)
		return "algorithm";
	same = !gnutls_memcmp(mac, request->mac, request->mac_len);
	/* with the right MAC, a forged request would be accepted once */
	explicit_bzero(mac, sizeof(mac));
	return same ? NULL : "mac";
}

const char *keys_verify(struct rdma_pipeline_keys *keys, const struct request *request,
			const struct facts *facts)
{
	struct key key = {};
	const char *fault = "key";

	if (copy_key(keys, request->key_id, &key))
		fault = verify(&key, request, facts);
	explicit_bzero(&key, sizeof(key));
	return fault;
}
