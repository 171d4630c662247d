/* SPDX-License-Identifier: GPL-2.0 */
/*
 * identity - the key pair of this host (Ed25519, RFC 8032), and the file of its private key.
 */
#ifndef IDENTITY_H
#define IDENTITY_H

#include "base64.h"
#include "why.h"

/* The folder of all files, and the variable and the option that name another one */
#define FOLDER		"/etc/srnic"
#define FOLDER_VARIABLE	"SRNIC_FOLDER"
#define PRIVATE_FILE	"private.key"

/* The owner wipes it. */
struct identity {
	uint8_t private_key[KEY_LEN];
	uint8_t public_key[KEY_LEN];
};

/* Return the folder from the environment, or the usual one */
const char *identity_folder(void);
/* Generate a key pair. */
bool identity_make(struct identity *identity, struct why *why);
/*
 * Read the private key, and derive the public one. The file must be readable by its owner only.
 * @credential: it was passed by systemd, which may show an ACL as rights of the group.
 */
bool identity_read(const char *path, bool credential, struct identity *identity,
		   struct why *why);
/* Read the key that systemd has passed as a credential, or else that of the folder. */
bool identity_find(const char *folder, struct identity *identity, struct why *why);
/* Write the private key to a new file, which only its owner can read. */
bool identity_write(const char *path, const struct identity *identity, struct why *why);
void identity_wipe(struct identity *identity);

/* DER of an Ed25519 key: a prefix, and the key (RFC 8410) */
#define PRIVATE_DER_LEN	(16 + KEY_LEN)
#define PUBLIC_DER_LEN	(12 + KEY_LEN)

void identity_private_der(const uint8_t key[KEY_LEN], uint8_t der[PRIVATE_DER_LEN]);
void identity_public_der(const uint8_t key[KEY_LEN], uint8_t der[PUBLIC_DER_LEN]);
/* Return the key in the DER, or NULL if it is of another kind. */
const uint8_t *identity_public_of(const uint8_t *der, size_t len);

#endif /* IDENTITY_H */
