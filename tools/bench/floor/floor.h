/* SPDX-License-Identifier: GPL-2.0 */
/*
 * floor - declarations shared by the files of the bench's floor module.
 */
#ifndef SRNIC_FLOOR_H
#define SRNIC_FLOOR_H

#include <linux/types.h>

#define FLOOR_ASSOC	64	/* bytes that a sealed packet authenticates besides its payload */
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
 * struct floor_bench - buffers and algorithms of the primitives
 * @aead: gcm(aes), as for a sealed packet
 * @req: request of @aead
 * @chacha: chacha20-poly1305
 * @chacha_req: request of @chacha
 * @cmac: cmac(aes), to measure a MAC
 * @kdf: hmac(sha256), to measure the derivation of the key of @cmac
 * @crc: the kernel's CRC-32, to compare with srnic's
 * @user: the application's bytes, source of a packet
 * @wire: the packet: FLOOR_ASSOC bytes, the payload, a tag
 * @place: destination of the payload
 * @crc_big: the fastest CRC for FLOOR_BIG bytes
 * @crc_small: the fastest CRC for FLOOR_SMALL bytes
 * @sum: the CRC of the payload, stored so that the compiler cannot omit it
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
void floor_wire_close(void);
void floor_wire_show(struct seq_file *m);

#endif /* SRNIC_FLOOR_H */
