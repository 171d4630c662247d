// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "tls.h"

/* Nothing is negotiated but the cipher: both ends have raw Ed25519 keys and X25519 */
#define PRIORITY	"NORMAL:-VERS-ALL:+VERS-TLS1.3:-CTYPE-ALL:+CTYPE-CLI-RAWPK:" \
			"+CTYPE-SRV-RAWPK:-SIGN-ALL:+SIGN-EDDSA-ED25519:-GROUP-ALL:+GROUP-X25519"

static bool failed(int err, const char *what, struct why *why)
{
	return why_not(why, "TLS: %s: %s", what, gnutls_strerror(err));
}

static int set_key(struct tls *tls, const struct identity *identity)
{
	uint8_t private_der[PRIVATE_DER_LEN], public_der[PUBLIC_DER_LEN];
	gnutls_datum_t private_key = { private_der, sizeof(private_der) };
	gnutls_datum_t public_key = { public_der, sizeof(public_der) };
	int err;

	identity_private_der(identity->private_key, private_der);
	identity_public_der(identity->public_key, public_der);
	err = gnutls_certificate_set_rawpk_key_mem(tls->credentials, &public_key, &private_key,
						   GNUTLS_X509_FMT_DER, NULL, 0, NULL, 0, 0);
	explicit_bzero(private_der, sizeof(private_der));
	return err;
}

bool tls_init(struct tls *tls, const struct identity *identity,
	      gnutls_certificate_verify_function *verify, struct why *why)
{
	int err;

	memset(tls, 0, sizeof(*tls));
	memcpy(tls->own_key, identity->public_key, KEY_LEN);
	err = gnutls_certificate_allocate_credentials(&tls->credentials);
	if (err < 0)
		return failed(err, "credentials", why);
	err = set_key(tls, identity);
	if (err < 0) {
		failed(err, "private key", why);
		goto exit;
	}
	err = gnutls_priority_init(&tls->priority, PRIORITY, NULL);
	if (err < 0) {
		failed(err, "GnuTLS lacks TLS 1.3, Ed25519 or X25519", why);
		goto exit;
	}
	gnutls_certificate_set_verify_function(tls->credentials, verify);
	return true;
exit:
	tls_exit(tls);
	return false;
}

void tls_exit(struct tls *tls)
{
	if (tls->priority)
		gnutls_priority_deinit(tls->priority);
	gnutls_certificate_free_credentials(tls->credentials);
	memset(tls, 0, sizeof(*tls));
}

gnutls_session_t tls_start(const struct tls *tls, int fd, bool client, void *pointer,
			   struct why *why)
{
	unsigned int flags = GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL | GNUTLS_NO_TICKETS |
		GNUTLS_ENABLE_RAWPK;
	gnutls_session_t session = NULL;
	int err;

	err = gnutls_init(&session, flags | (client ? GNUTLS_CLIENT : GNUTLS_SERVER));
	if (err < 0) {
		failed(err, "session", why);
		return NULL;
	}
	err = gnutls_priority_set(session, tls->priority);
	if (err >= 0)
		err = gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, tls->credentials);
	if (err < 0) {
		failed(err, "session", why);
		gnutls_deinit(session);
		return NULL;
	}
	if (!client)
		gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
	gnutls_session_set_ptr(session, pointer);
	gnutls_transport_set_int(session, fd);
	return session;
}

const uint8_t *tls_peer_key(gnutls_session_t session)
{
	const gnutls_datum_t *list;
	unsigned int count = 0;

	if (gnutls_certificate_type_get2(session, GNUTLS_CTYPE_PEERS) != GNUTLS_CRT_RAWPK)
		return NULL;
	list = gnutls_certificate_get_peers(session, &count);
	return list && count == 1 ? identity_public_of(list->data, list->size) : NULL;
}

void tls_context(const uint8_t key[KEY_LEN], const uint8_t other[KEY_LEN], uint64_t generation,
		 uint8_t context[TLS_CONTEXT_LEN])
{
	bool first = memcmp(key, other, KEY_LEN) < 0;
	unsigned int i;

	memcpy(context, first ? key : other, KEY_LEN);
	memcpy(context + KEY_LEN, first ? other : key, KEY_LEN);
	for (i = 0; i < 8; i++)
		context[2 * KEY_LEN + i] = generation >> (56 - 8 * i);
}

bool tls_secret(gnutls_session_t session, const uint8_t context[TLS_CONTEXT_LEN],
		uint8_t secret[TLS_SECRET_LEN], struct why *why)
{
	int err = gnutls_prf_rfc5705(session, strlen(TLS_LABEL), TLS_LABEL, TLS_CONTEXT_LEN,
				     (const char *)context, TLS_SECRET_LEN, (char *)secret);

	return err >= 0 || failed(err, "no secret can be exported", why);
}
