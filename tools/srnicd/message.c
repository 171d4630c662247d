// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "message.h"

#define NUMBER_AT	8

void message_pack(const struct message *message, uint8_t bytes[MESSAGE_LEN])
{
	unsigned int i;

	memset(bytes, 0, MESSAGE_LEN);
	bytes[0] = message->type;
	bytes[1] = message->state;
	for (i = 0; i < 8; i++)
		bytes[NUMBER_AT + i] = message->number >> (56 - 8 * i);
}

static bool has_state(enum message_type type)
{
	return type <= MESSAGE_STAGE || type == MESSAGE_WANT;
}

bool message_unpack(struct message *message, const uint8_t bytes[MESSAGE_LEN])
{
	static const uint8_t zeros[NUMBER_AT - 2];
	unsigned int i;

	if (!bytes[0] || bytes[0] >= MESSAGE_TYPES || bytes[1] >= KEY_STATES ||
	    memcmp(bytes + 2, zeros, sizeof(zeros)))
		return false;
	message->type = bytes[0];
	message->state = bytes[1];
	if (!has_state(message->type) && message->state != KEY_NONE)
		return false;
	message->number = 0;
	for (i = 0; i < 8; i++)
		message->number = message->number << 8 | bytes[NUMBER_AT + i];
	return message->type < MESSAGE_WANT || !message->number;
}

const char *message_name(enum message_type type)
{
	static const char *const names[MESSAGE_TYPES] = {
		"?", "HELLO", "STAGE", "STAGED", "PROMOTE", "PROMOTED", "RETIRE", "RETIRED", "WANT",
		"PING", "PONG",
	};

	return type < MESSAGE_TYPES ? names[type] : "?";
}
