/* SPDX-License-Identifier: GPL-2.0 */
/*
 * base64 - keys of 32 bytes as text (RFC 4648, section 4).
 */
#ifndef BASE64_H
#define BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_LEN		32
#define KEY_TEXT_LEN	44	/* characters, without the terminator */

/* Write KEY_TEXT_LEN characters and a terminator. */
void key_to_text(const uint8_t key[KEY_LEN], char text[KEY_TEXT_LEN + 1]);
/* Return false if the @len characters are not exactly one key. */
bool key_from_text(const char *text, size_t len, uint8_t key[KEY_LEN]);

#endif /* BASE64_H */
