/* SPDX-License-Identifier: GPL-2.0 */
/*
 * floor - what the files of the bench's module share.
 */
#ifndef SRNIC_FLOOR_H
#define SRNIC_FLOOR_H

#include <linux/types.h>

#define FLOOR_ASSOC	64	/* what a sealed packet authenticates beside its payload */
#define FLOOR_TAG	16
#define FLOOR_BIG	4096
#define FLOOR_SMALL	64
#define FLOOR_ROOM	(FLOOR_ASSOC + FLOOR_BIG + FLOOR_TAG)

struct aead_request;
struct crypto_aead;
struct crypto_shash;
struct floor_bench;
struct seq_file;

typedef int (*floor_fn)(struct floor_bench *b, u32 len);

/**
 * struct floor_bench - what the primitives work with
 * @aead: gcm(aes), as a sealed packet's
 * @req: its one request
 * @chacha: chacha20-poly1305
 * @chacha_req: likewise
 * @cmac: cmac(aes), for what a MAC takes
 * @kdf: hmac(sha256), for what it takes to derive that one's key
 * @crc: the kernel's CRC-32, to compare with ours
 * @user: the application's bytes: where a packet comes from
 * @wire: the packet: FLOOR_ASSOC bytes, the payload, a tag
 * @place: where it ends up
 * @crc_big: the fastest CRC for FLOOR_BIG bytes
 * @crc_small: the fastest CRC for FLOOR_SMALL bytes
 * @sum: the CRC of the payload, so that the compiler has to take it
 */
struct floor_bench {
	struct crypto_aead *aead;
	struct aead_request *req;
	struct crypto_aead *chacha;
	struct aead_request *chacha_req;
	struct crypto_shash *cmac;
	struct crypto_shash *kdf;
	struct crypto_shash *crc;
	u8 *user;
	u8 *wire;
	u8 *place;
	floor_fn crc_big;
	floor_fn crc_small;
	u32 sum;
};

static inline u8 *floor_payload(struct floor_bench *b)
{
	return b->wire + FLOOR_ASSOC;
}

/* crypt.c */
int floor_crypt_open(struct floor_bench *b);
void floor_crypt_close(struct floor_bench *b);
int floor_encrypt(struct floor_bench *b, u32 len);
int floor_decrypt(struct floor_bench *b, u32 len);
int floor_aead_pair(struct floor_bench *b, u32 len);
int floor_chacha_pair(struct floor_bench *b, u32 len);
int floor_cmac(struct floor_bench *b, u32 len);
int floor_derive(struct floor_bench *b, u32 len);

/* packet.c */
int floor_packet_open(struct floor_bench *b);
void floor_packet_close(struct floor_bench *b);
int floor_crc_tables(struct floor_bench *b, u32 len);
int floor_crc_shash(struct floor_bench *b, u32 len);
int floor_crc_sparse(struct floor_bench *b, u32 len);
int floor_crc_clmul(struct floor_bench *b, u32 len);
int floor_copy(struct floor_bench *b, u32 len);
int floor_packet(struct floor_bench *b, u32 len);
int floor_sealed(struct floor_bench *b, u32 len);

/* wire.c */
bool floor_wire_wanted(void);
int floor_wire_run(struct floor_bench *b);
void floor_wire_show(struct seq_file *m);

#endif /* SRNIC_FLOOR_H */
