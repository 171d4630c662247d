// SPDX-License-Identifier: GPL-2.0
/*
 * Throughput of authentication by OpenSSL, by algorithm, number of threads and
 * block size (sRDMA 6.1, figure 5). By the clock, on the processor itself: no
 * virtual machine and no srnic take part.
 */
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#define BLOCK_MAX	16384
#define THREADS_MAX	64
#define KEY_MAX		64
#define TAG_MAX		64
#define NONCE		12
#define CALLS		16	/* between two looks at the clock */

/**
 * struct algorithm - a way to authenticate a block
 * @name: name in the output
 * @mac: OpenSSL's MAC; NULL: an AEAD over no plaintext
 * @parameter: name of the MAC's parameter that @by is for
 * @by: cipher or digest of the MAC, or the AEAD
 * @key_len: bytes in a key
 * @encrypts: the AEAD encrypts the block
 */
struct algorithm {
	const char *name, *mac, *parameter, *by;
	size_t key_len;
	bool encrypts;
};

static const struct algorithm algorithms[] = {
	{ "aes-cmac-128", "CMAC", OSSL_MAC_PARAM_CIPHER, "AES-128-CBC", 16, false },
	{ "aes-cmac-192", "CMAC", OSSL_MAC_PARAM_CIPHER, "AES-192-CBC", 24, false },
	{ "aes-cmac-256", "CMAC", OSSL_MAC_PARAM_CIPHER, "AES-256-CBC", 32, false },
	{ "aes-gmac-128", "GMAC", OSSL_MAC_PARAM_CIPHER, "AES-128-GCM", 16, false },
	{ "aes-gcm-128", NULL, NULL, "AES-128-GCM", 16, true },
	{ "chacha20-poly1305, only authenticated", NULL, NULL, "ChaCha20-Poly1305", 32, false },
	{ "chacha20-poly1305", NULL, NULL, "ChaCha20-Poly1305", 32, true },
	{ "hmac-sha1", "HMAC", OSSL_MAC_PARAM_DIGEST, "SHA1", 20, false },
	{ "hmac-sha256", "HMAC", OSSL_MAC_PARAM_DIGEST, "SHA256", 32, false },
	{ "hmac-sha512", "HMAC", OSSL_MAC_PARAM_DIGEST, "SHA512", 64, false },
};

struct worker {
	pthread_t thread;
	unsigned int cpu;
	const struct algorithm *algorithm;
	size_t block;
	EVP_MAC_CTX *mac;
	EVP_CIPHER_CTX *aead;
	uint64_t nonce;
	unsigned long blocks;
	double took;
	uint8_t data[BLOCK_MAX], out[BLOCK_MAX];
};

static double slice = 0.2;
static pthread_barrier_t start;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static void open_mac(struct worker *w)
{
	const struct algorithm *a = w->algorithm;
	EVP_MAC *mac = EVP_MAC_fetch(NULL, a->mac, NULL);
	OSSL_PARAM parameters[] = {
		OSSL_PARAM_construct_utf8_string(a->parameter, (char *)a->by, 0),
		OSSL_PARAM_construct_end(),
	};
	uint8_t key[KEY_MAX] = { 1 };

	w->mac = mac ? EVP_MAC_CTX_new(mac) : NULL;
	EVP_MAC_free(mac);
	if (!w->mac || !EVP_MAC_CTX_set_params(w->mac, parameters) ||
	    !EVP_MAC_init(w->mac, key, a->key_len, NULL))
		die("OpenSSL has no %s", a->name);
}

static void open_aead(struct worker *w)
{
	const struct algorithm *a = w->algorithm;
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, a->by, NULL);
	uint8_t key[KEY_MAX] = { 1 }, nonce[NONCE] = {};

	w->aead = EVP_CIPHER_CTX_new();
	if (!cipher || !w->aead || !EVP_EncryptInit_ex(w->aead, cipher, NULL, key, nonce))
		die("OpenSSL has no %s", a->name);
	EVP_CIPHER_free(cipher);
}

/* GMAC needs a nonce for each block; the others keep their key */
static bool authenticate_by_mac(struct worker *w)
{
	uint8_t nonce[NONCE] = {};
	OSSL_PARAM parameters[] = {
		OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, nonce, sizeof(nonce)),
		OSSL_PARAM_construct_end(),
	};
	size_t len;

	memcpy(nonce, &w->nonce, sizeof(w->nonce));
	w->nonce++;
	return EVP_MAC_init(w->mac, NULL, 0,
			    strcmp(w->algorithm->mac, "GMAC") ? NULL : parameters) &&
	       EVP_MAC_update(w->mac, w->data, w->block) &&
	       EVP_MAC_final(w->mac, w->out, &len, TAG_MAX);
}

static bool authenticate_by_aead(struct worker *w)
{
	uint8_t nonce[NONCE] = {}, tag[16];
	int len;

	memcpy(nonce, &w->nonce, sizeof(w->nonce));
	w->nonce++;
	return EVP_EncryptInit_ex(w->aead, NULL, NULL, NULL, nonce) &&
	       EVP_EncryptUpdate(w->aead, w->algorithm->encrypts ? w->out : NULL, &len, w->data,
				 w->block) &&
	       EVP_EncryptFinal_ex(w->aead, w->out, &len) &&
	       EVP_CIPHER_CTX_ctrl(w->aead, EVP_CTRL_AEAD_GET_TAG, sizeof(tag), tag);
}

static void *work(void *context)
{
	struct worker *w = context;
	double begin, end;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(w->cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	if (w->algorithm->mac)
		open_mac(w);
	else
		open_aead(w);
	pthread_barrier_wait(&start);
	begin = seconds();
	do {
		for (unsigned int i = 0; i < CALLS; i++)
			if (!(w->mac ? authenticate_by_mac(w) : authenticate_by_aead(w)))
				die("%s has failed", w->algorithm->name);
		w->blocks += CALLS;
		end = seconds();
	} while (end - begin < slice);
	w->took = end - begin;
	EVP_MAC_CTX_free(w->mac);
	EVP_CIPHER_CTX_free(w->aead);
	return NULL;
}

/* Return Gbit/s of all threads */
static double measure(const struct algorithm *algorithm, unsigned int threads, size_t block)
{
	struct worker *workers = calloc(threads, sizeof(*workers));
	unsigned int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	double total = 0;

	if (!workers)
		die("no memory");
	pthread_barrier_init(&start, NULL, threads);
	for (unsigned int i = 0; i < threads; i++) {
		workers[i].algorithm = algorithm;
		workers[i].block = block;
		workers[i].cpu = i % cpus;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			die("no thread");
	}
	for (unsigned int i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		total += workers[i].blocks * block * 8 / workers[i].took / 1e9;
	}
	pthread_barrier_destroy(&start);
	free(workers);
	return total;
}

static void measure_blocks(const struct algorithm *a, unsigned int threads, char *blocks)
{
	const char *comma = "";
	char *save;

	printf("\"%u\": {", threads);
	for (char *word = strtok_r(blocks, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		size_t block = strtoul(word, NULL, 10);

		if (!block || block > BLOCK_MAX)
			die("blocks have from 1 to %d bytes", BLOCK_MAX);
		printf("%s\"%zu\": %.3f", comma, block, measure(a, threads, block));
		comma = ", ";
	}
	printf("}");
}

static void measure_threads(const struct algorithm *a, const char *threads, const char *blocks)
{
	char *list = strdup(threads), *save, *comma = "";

	printf("\"%s\": {", a->name);
	for (char *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		unsigned int count = atoi(word);
		char *sizes = strdup(blocks);

		if (!count || count > THREADS_MAX)
			die("from 1 to %d threads", THREADS_MAX);
		printf("%s", comma);
		measure_blocks(a, count, sizes);
		comma = ", ";
		free(sizes);
	}
	printf("}");
	free(list);
}

static void usage(void)
{
	printf("usage: algorithms [--threads LIST] [--blocks LIST] [--ms MILLISECONDS]\n"
	       "Gbit/s that OpenSSL authenticates, by algorithm, threads (1) and bytes of a block\n"
	       "(64,2048), as JSON. --ms: of each measurement (%.0f).\n"
	       "Example: algorithms --threads 1,2 --blocks 64,256,1024,4096\n", slice * 1000);
	exit(0);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "threads", required_argument, NULL, 't' },
		{ "blocks", required_argument, NULL, 'b' }, { "ms", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' }, {}
	};
	const char *threads = "1", *blocks = "64,2048";
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 't')
			threads = optarg;
		else if (c == 'b')
			blocks = optarg;
		else if (c == 'm')
			slice = atoi(optarg) / 1000.0;
		else if (c == 'h')
			usage();
		else
			return 2;
	}
	printf("{\"openssl\": \"%s\"", OpenSSL_version(OPENSSL_VERSION_STRING));
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		printf(",\n ");
		measure_threads(&algorithms[i], threads, blocks);
	}
	printf("}\n");
	return 0;
}
