/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exchange - generations of a pair's key: two ends stage, promote and retire secrets in step, so
 * that they have one in common at any time (protocol.md, section 16). It knows neither TLS nor
 * netlink.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "message.h"
#include "why.h"

/* A connection makes no more generations than this, so that its own secrets are replaced, too */
#define EXCHANGE_GENERATIONS	24
/* Milliseconds that an answer may take */
#define EXCHANGE_ANSWER_MS	30000

/**
 * struct exchange_ops - actions of an exchange; each returns false with a reason
 * @state: return what the kernel has of the key
 * @stage: add the secret of a generation as the next one or, if there is no key, as the only one;
 *	@fresh: as the only one in any case, because no end has another in common
 * @promote: make the next secret the current one, if there is a next one
 * @retire: wipe the secret that is not the current one, if there is one
 * @send: send a message
 */
struct exchange_ops {
	bool (*state)(void *context, enum key_state *state, struct why *why);
	bool (*stage)(void *context, uint64_t generation, bool fresh, struct why *why);
	bool (*promote)(void *context, struct why *why);
	bool (*retire)(void *context, struct why *why);
	bool (*send)(void *context, const struct message *message, struct why *why);
};

enum exchange_step {
	EXCHANGE_HELLO,		/* wait for the peer's HELLO */
	EXCHANGE_SETTLING,	/* the follower waits for PROMOTE or RETIRE of generation 0 */
	EXCHANGE_IDLE,		/* both have the same secret, and no other */
	EXCHANGE_STAGING,	/* the leader waits for STAGED, the follower for PROMOTE */
	EXCHANGE_PROMOTING,	/* the leader waits for PROMOTED */
	EXCHANGE_GRACE,		/* connections that began under the former secret are finished */
	EXCHANGE_RETIRING,	/* the leader waits for RETIRED */
	EXCHANGE_OVER,		/* all generations are made: make another connection */
};

/**
 * struct exchange - the exchange of one TLS connection
 * @ops: its actions
 * @context: for @ops
 * @leader: it begins generations; the end with the smaller public key does
 * @rekey_ms: time from one generation to the next
 * @grace_ms: time from promotion to retirement
 * @step: see above
 * @bare: the peer has no key
 * @staged: the leader has staged its secret
 * @wanted: an end has no key: the next generation follows at once
 * @generation: number of the last generation that was begun
 * @due: when the next step is due, or when the answer is overdue, in clock_ms()
 */
struct exchange {
	const struct exchange_ops *ops;
	void *context;
	bool leader;
	uint64_t rekey_ms;
	uint64_t grace_ms;
	enum exchange_step step;
	bool bare;
	bool staged;
	bool wanted;
	uint64_t generation;
	uint64_t due;
};

/* Set ops, context, leader, rekey_ms and grace_ms before. On false, close the connection. */
bool exchange_begin(struct exchange *exchange, uint64_t now, struct why *why);
bool exchange_take(struct exchange *exchange, const struct message *message, uint64_t now,
		   struct why *why);
/* Perform the steps that are due. */
bool exchange_tick(struct exchange *exchange, uint64_t now, struct why *why);
/* Make a generation soon, because this end has no key. */
bool exchange_want(struct exchange *exchange, uint64_t now, struct why *why);
/* Make a generation now, because the key has sealed enough; while one is made, do nothing. */
bool exchange_renew(struct exchange *exchange, uint64_t now, struct why *why);

#endif /* EXCHANGE_H */
