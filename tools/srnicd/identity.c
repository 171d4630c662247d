// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <gnutls/abstract.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "identity.h"
#include "path.h"

/* PrivateKeyInfo and SubjectPublicKeyInfo of Ed25519 (RFC 8410, sections 7 and 4) */
static const uint8_t private_prefix[] = {
	0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04,
	0x20,
};

static const uint8_t public_prefix[] = {
	0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
};

_Static_assert(sizeof(private_prefix) + KEY_LEN == PRIVATE_DER_LEN, "PRIVATE_DER_LEN");
_Static_assert(sizeof(public_prefix) + KEY_LEN == PUBLIC_DER_LEN, "PUBLIC_DER_LEN");

const char *identity_folder(void)
{
	const char *folder = getenv(FOLDER_VARIABLE);

	return folder && *folder ? folder : FOLDER;
}

void identity_private_der(const uint8_t key[KEY_LEN], uint8_t der[PRIVATE_DER_LEN])
{
	memcpy(der, private_prefix, sizeof(private_prefix));
	memcpy(der + sizeof(private_prefix), key, KEY_LEN);
}

void identity_public_der(const uint8_t key[KEY_LEN], uint8_t der[PUBLIC_DER_LEN])
{
	memcpy(der, public_prefix, sizeof(public_prefix));
	memcpy(der + sizeof(public_prefix), key, KEY_LEN);
}

const uint8_t *identity_public_of(const uint8_t *der, size_t len)
{
	if (len != PUBLIC_DER_LEN || memcmp(der, public_prefix, sizeof(public_prefix)))
		return NULL;
	return der + sizeof(public_prefix);
}

/* Return 0, or an error of GnuTLS. */
static int derive_public(struct identity *identity)
{
	uint8_t der[PRIVATE_DER_LEN];
	gnutls_datum_t in = { der, sizeof(der) }, out = {};
	gnutls_x509_privkey_t key = NULL;
	gnutls_ecc_curve_t curve;
	int err;

	err = gnutls_x509_privkey_init(&key);
	if (err < 0)
		return err;
	identity_private_der(identity->private_key, der);
	err = gnutls_x509_privkey_import_pkcs8(key, &in, GNUTLS_X509_FMT_DER, NULL,
					       GNUTLS_PKCS_PLAIN);
	if (err >= 0)
		err = gnutls_x509_privkey_export_ecc_raw(key, &curve, &out, NULL, NULL);
	if (err >= 0 && (curve != GNUTLS_ECC_CURVE_ED25519 || out.size != KEY_LEN))
		err = GNUTLS_E_INTERNAL_ERROR;
	if (err >= 0)
		memcpy(identity->public_key, out.data, KEY_LEN);
	gnutls_free(out.data);
	gnutls_x509_privkey_deinit(key);
	explicit_bzero(der, sizeof(der));
	return err < 0 ? err : 0;
}

static bool derive(struct identity *identity, struct why *why)
{
	int err = derive_public(identity);

	if (!err)
		return true;
	identity_wipe(identity);
	return why_not(why, "cannot derive the public key: %s", gnutls_strerror(err));
}

bool identity_make(struct identity *identity, struct why *why)
{
	if (getrandom(identity->private_key, KEY_LEN, 0) != KEY_LEN)
		return why_not(why, "cannot get random bytes: %s", strerror(errno));
	return derive(identity, why);
}

static bool check_rights(int fd, const char *path, bool credential, struct why *why)
{
	struct stat st;

	if (fstat(fd, &st))
		return why_not(why, "cannot read the private key %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return why_not(why, "the private key %s is not a file", path);
	if (st.st_mode & (credential ? 0007 : 0077))
		return why_not(why, "others can read the private key %s: make a new one, and keep it by 'chmod 600'",
			       path);
	return true;
}

bool identity_read(const char *path, bool credential, struct identity *identity,
		   struct why *why)
{
	char text[KEY_TEXT_LEN + 3];
	bool fine = false;
	ssize_t len;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return why_not(why, "cannot open the private key %s: %s%s", path, strerror(errno),
			       errno == ENOENT ? ": make one by 'srnic genkey'" : "");
	if (!check_rights(fd, path, credential, why))
		goto close;
	len = read(fd, text, sizeof(text));
	if (len < 0) {
		why_not(why, "cannot read the private key %s: %s", path, strerror(errno));
		goto close;
	}
	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	fine = key_from_text(text, len, identity->private_key);
	explicit_bzero(text, sizeof(text));
	if (!fine)
		why_not(why, "%s holds no private key: it must be a line of %d characters, as 'srnic genkey' writes it",
			path, KEY_TEXT_LEN);
	else
		fine = derive(identity, why);
close:
	close(fd);
	if (!fine)
		identity_wipe(identity);
	return fine;
}

bool identity_find(const char *folder, struct identity *identity, struct why *why)
{
	const char *credentials = getenv("CREDENTIALS_DIRECTORY");
	char path[PATH_MAX];

	if (credentials && *credentials) {
		if (!path_join(path, credentials, PRIVATE_FILE, why))
			return false;
		/* other credentials say nothing about this one */
		if (!access(path, F_OK) || errno != ENOENT)
			return identity_read(path, true, identity, why);
	}
	return path_join(path, folder, PRIVATE_FILE, why) &&
		identity_read(path, false, identity, why);
}

bool identity_write(const char *path, const struct identity *identity, struct why *why)
{
	char text[KEY_TEXT_LEN + 1];
	ssize_t done;
	int fd, err;

	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return why_not(why, "there is a private key in %s: delete it first, and give the peers the new public key",
			       path);
	if (fd < 0)
		return why_not(why, "cannot create %s: %s", path, strerror(errno));
	key_to_text(identity->private_key, text);
	text[KEY_TEXT_LEN] = '\n';
	done = write(fd, text, sizeof(text));
	err = done < 0 || fsync(fd) ? errno : 0;
	explicit_bzero(text, sizeof(text));
	if (!close(fd) && !err && done == (ssize_t)sizeof(text))
		return true;
	unlink(path);
	return why_not(why, "cannot write %s: %s", path, strerror(err ?: ENOSPC));
}

void identity_wipe(struct identity *identity)
{
	explicit_bzero(identity, sizeof(*identity));
}
