/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tls - TLS 1.3 between two hosts that know each other's raw public keys (RFC 8446, RFC 7250),
 * and the secrets that it exports (RFC 5705).
 */
#ifndef TLS_H
#define TLS_H

#include <gnutls/gnutls.h>
#include "identity.h"

/* The label of the exporter, and the length of its context (protocol.md, section 16) */
#define TLS_LABEL	"EXPERIMENTAL srnic pair key"
#define TLS_CONTEXT_LEN	(2 * KEY_LEN + 8)
#define TLS_SECRET_LEN	32

struct tls {
	gnutls_certificate_credentials_t credentials;
	gnutls_priority_t priority;
	uint8_t own_key[KEY_LEN];
};

/* @verify: judges the peer's key; it is called during the handshake, with the session */
bool tls_init(struct tls *tls, const struct identity *identity,
	      gnutls_certificate_verify_function *verify, struct why *why);
void tls_exit(struct tls *tls);

/*
 * Start a session on a socket that does not block. @pointer: for gnutls_session_get_ptr(). Return
 * NULL with a reason.
 */
gnutls_session_t tls_start(const struct tls *tls, int fd, bool client, void *pointer,
			   struct why *why);
/* Return the key that the peer has sent and proves, or NULL. */
const uint8_t *tls_peer_key(gnutls_session_t session);
/* Write both keys, the smaller one first, and the generation. */
void tls_context(const uint8_t key[KEY_LEN], const uint8_t other[KEY_LEN], uint64_t generation,
		 uint8_t context[TLS_CONTEXT_LEN]);
/* Export the secret of a context, which the caller wipes. */
bool tls_secret(gnutls_session_t session, const uint8_t context[TLS_CONTEXT_LEN],
		uint8_t secret[TLS_SECRET_LEN], struct why *why);

#endif /* TLS_H */
