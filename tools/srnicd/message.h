/* SPDX-License-Identifier: GPL-2.0 */
/*
 * message - the language of two daemons (protocol.md, section 16). Each message has 16
 * bytes: type, state, six zeros, number.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#define MESSAGE_LEN		16
#define PROTOCOL_VERSION	2

enum message_type {
	MESSAGE_HELLO = 1,	/* state of the sender's key; number: PROTOCOL_VERSION */
	MESSAGE_STAGE,		/* the same; number, here and in the next five: the generation */
	MESSAGE_STAGED,
	MESSAGE_PROMOTE,
	MESSAGE_PROMOTED,
	MESSAGE_RETIRE,
	MESSAGE_RETIRED,
	MESSAGE_WANT,		/* state of the sender's key; number: 0, here and below */
	MESSAGE_PING,
	MESSAGE_PONG,
	MESSAGE_TYPES,
};

/* Secrets that the kernel has under the name of a key */
enum key_state {
	KEY_NONE,		/* no key */
	KEY_ONE,		/* one secret */
	KEY_NEXT,		/* two: the current one, and the next */
	KEY_FORMER,		/* two: the current one, and the former */
	KEY_STATES,
};

struct message {
	enum message_type type;
	enum key_state state;	/* of a HELLO, STAGE or WANT; else KEY_NONE */
	uint64_t number;
};

void message_pack(const struct message *message, uint8_t bytes[MESSAGE_LEN]);
/* Return false if the bytes are no message. */
bool message_unpack(struct message *message, const uint8_t bytes[MESSAGE_LEN]);
const char *message_name(enum message_type type);

#endif /* MESSAGE_H */
