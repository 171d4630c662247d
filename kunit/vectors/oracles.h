/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Published test vectors, as kunit/vectors/oracles.py writes them: all bytes in
 * hexadecimal.
 */
#ifndef SRNIC_KUNIT_ORACLES_H
#define SRNIC_KUNIT_ORACLES_H

struct sth_kdf_oracle {
	const char *name, *key, *fixed, *out;
};

/* @valid: the tag is the right one; @iv: GMAC's */
struct sth_mac_oracle {
	const char *suite, *name;
	bool valid;
	const char *key, *iv, *msg, *tag;
};

struct sth_aead_oracle {
	const char *suite, *name;
	bool valid;
	const char *key, *iv, *aad, *msg, *ct, *tag;
};

#endif /* SRNIC_KUNIT_ORACLES_H */
