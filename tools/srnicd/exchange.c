// SPDX-License-Identifier: GPL-2.0
#include "clock.h"
#include "exchange.h"

static bool send(struct exchange *x, enum message_type type, struct why *why)
{
	const struct message message = { .type = type, .number = x->generation };

	return x->ops->send(x->context, &message, why);
}

static bool send_bare(struct exchange *x, enum message_type type, struct why *why)
{
	const struct message message = { .type = type };

	return x->ops->send(x->context, &message, why);
}

/* Wait for an answer. */
static void await(struct exchange *x, enum exchange_step step, uint64_t now)
{
	x->step = step;
	x->due = now + EXCHANGE_ANSWER_MS;
}

/* The follower waits for as long as the leader's connection lives. */
static void rest(struct exchange *x, uint64_t now)
{
	x->step = EXCHANGE_IDLE;
	x->due = !x->leader ? NEVER : x->wanted ? now : now + x->rekey_ms;
}

bool exchange_begin(struct exchange *x, uint64_t now, struct why *why)
{
	struct message hello = { .type = MESSAGE_HELLO, .number = PROTOCOL_VERSION };

	x->generation = 0;
	x->staged = false;
	x->wanted = false;
	await(x, EXCHANGE_HELLO, now);
	return x->ops->state(x->context, &hello.state, why) &&
		x->ops->send(x->context, &hello, why);
}

static bool stage_own(struct exchange *x, struct why *why)
{
	bool fresh = x->bare;

	if (x->staged)
		return true;
	x->staged = true;
	x->bare = false;
	return x->ops->stage(x->context, x->generation, fresh, why);
}

static bool send_stage(struct exchange *x, struct why *why)
{
	struct message message = { .type = MESSAGE_STAGE, .number = x->generation };

	return x->ops->state(x->context, &message.state, why) &&
		x->ops->send(x->context, &message, why);
}

/*
 * If one end has no key, the secrets of the other end are of no use: it drops them, and adds the
 * new one first. If the connection breaks in between, one end is again without a key.
 */
static bool begin_generation(struct exchange *x, uint64_t now, struct why *why)
{
	if (x->generation == EXCHANGE_GENERATIONS) {
		x->step = EXCHANGE_OVER;
		x->due = NEVER;
		return true;
	}
	x->generation++;
	x->staged = false;
	x->wanted = false;
	await(x, EXCHANGE_STAGING, now);
	return (!x->bare || stage_own(x, why)) && send_stage(x, why);
}

/*
 * A former exchange may have broken off after any step (protocol.md, section 16). If one end has
 * promoted a secret that is the other end's next one, the other end promotes it, too. Then both
 * retire their other secrets.
 */
static bool settle(struct exchange *x, enum key_state peer, uint64_t now, struct why *why)
{
	enum key_state own;

	if (!x->leader) {
		/* the leader may wait before it retires */
		x->step = EXCHANGE_SETTLING;
		x->due = NEVER;
		return true;
	}
	if (!x->ops->state(x->context, &own, why))
		return false;
	if (own == KEY_FORMER && peer == KEY_NEXT) {
		await(x, EXCHANGE_PROMOTING, now);
		return send(x, MESSAGE_PROMOTE, why);
	}
	x->step = EXCHANGE_GRACE;
	x->due = now;
	if (own == KEY_FORMER || peer == KEY_FORMER)
		x->due += x->grace_ms;
	return own != KEY_NEXT || peer != KEY_FORMER || x->ops->promote(x->context, why);
}

static bool take_hello(struct exchange *x, const struct message *message, uint64_t now,
		       struct why *why)
{
	if (message->number != PROTOCOL_VERSION)
		return why_not(why, "the peer speaks version %llu, this end %d: update the older one",
			       (unsigned long long)message->number, PROTOCOL_VERSION);
	x->bare = message->state == KEY_NONE;
	return settle(x, message->state, now, why);
}

static bool take_staged(struct exchange *x, uint64_t now, struct why *why)
{
	await(x, EXCHANGE_PROMOTING, now);
	if (!stage_own(x, why))
		return false;
	/* both have the secret now, so no end is without a key */
	x->bare = false;
	x->wanted = false;
	return x->ops->promote(x->context, why) && send(x, MESSAGE_PROMOTE, why);
}

static bool take_answer(struct exchange *x, const struct message *message, uint64_t now,
			struct why *why)
{
	if (x->step == EXCHANGE_STAGING && message->type == MESSAGE_STAGED)
		return take_staged(x, now, why);
	if (x->step == EXCHANGE_PROMOTING && message->type == MESSAGE_PROMOTED) {
		x->step = EXCHANGE_GRACE;
		x->due = now + x->grace_ms;
		return true;
	}
	if (x->step == EXCHANGE_RETIRING && message->type == MESSAGE_RETIRED) {
		if (!x->generation)
			return begin_generation(x, now, why);
		rest(x, now);
		return true;
	}
	return why_not(why, "the peer sent %s out of turn: update it", message_name(message->type));
}

static bool take_stage(struct exchange *x, const struct message *message, uint64_t now,
		       struct why *why)
{
	x->generation = message->number;
	await(x, EXCHANGE_STAGING, now);
	return x->ops->stage(x->context, x->generation, message->state == KEY_NONE, why) &&
		send(x, MESSAGE_STAGED, why);
}

static bool take_request(struct exchange *x, const struct message *message, uint64_t now,
			 struct why *why)
{
	bool settling = x->step == EXCHANGE_SETTLING;

	if (x->step == EXCHANGE_IDLE && message->type == MESSAGE_STAGE)
		return take_stage(x, message, now, why);
	if ((x->step == EXCHANGE_STAGING || settling) && message->type == MESSAGE_PROMOTE) {
		x->step = EXCHANGE_GRACE;
		x->due = NEVER;
		return x->ops->promote(x->context, why) && send(x, MESSAGE_PROMOTED, why);
	}
	if ((x->step == EXCHANGE_GRACE || settling) && message->type == MESSAGE_RETIRE) {
		rest(x, now);
		return x->ops->retire(x->context, why) && send(x, MESSAGE_RETIRED, why);
	}
	return why_not(why, "the peer sent %s out of turn: update it", message_name(message->type));
}

/* The number of a generation is one more than that of the last one, so that none is made twice. */
static bool has_right_number(const struct exchange *x, const struct message *message)
{
	if (message->type == MESSAGE_STAGE)
		return message->number == x->generation + 1 &&
			message->number <= EXCHANGE_GENERATIONS;
	return message->number == x->generation;
}

/* Have the next generation follow as soon as the present one is complete: an end has no key. */
static void hurry(struct exchange *x, uint64_t now)
{
	x->wanted = true;
	if (x->step == EXCHANGE_IDLE || x->step == EXCHANGE_GRACE)
		x->due = now;
}

/*
 * Have the next generation follow now, unless one is being made, whose former secret is still
 * needed: then the end whose key has sealed enough repeats its request.
 */
static void renew(struct exchange *x, uint64_t now)
{
	if (x->step == EXCHANGE_IDLE)
		x->due = now;
}

static bool take_want(struct exchange *x, const struct message *message, uint64_t now,
		      struct why *why)
{
	if (!x->leader)
		return why_not(why, "the peer sent WANT out of turn: update it");
	if (message->state != KEY_NONE) {
		renew(x, now);
		return true;
	}
	x->bare = true;
	hurry(x, now);
	return true;
}

bool exchange_take(struct exchange *x, const struct message *message, uint64_t now,
		   struct why *why)
{
	if (message->type == MESSAGE_PING)
		return send_bare(x, MESSAGE_PONG, why);
	if (message->type == MESSAGE_PONG)
		return true;
	if (x->step == EXCHANGE_HELLO && message->type == MESSAGE_HELLO)
		return take_hello(x, message, now, why);
	if (x->step == EXCHANGE_HELLO || message->type == MESSAGE_HELLO)
		return why_not(why, "the peer sent %s out of turn: update it",
			       message_name(message->type));
	if (message->type == MESSAGE_WANT)
		return take_want(x, message, now, why);
	if (!has_right_number(x, message))
		return why_not(why, "the peer sent %s of generation %llu, expected after %llu: update it",
			       message_name(message->type), (unsigned long long)message->number,
			       (unsigned long long)x->generation);
	return x->leader ? take_answer(x, message, now, why) : take_request(x, message, now, why);
}

bool exchange_tick(struct exchange *x, uint64_t now, struct why *why)
{
	if (now < x->due)
		return true;
	if (x->step == EXCHANGE_IDLE)
		return begin_generation(x, now, why);
	if (x->step == EXCHANGE_GRACE) {
		await(x, EXCHANGE_RETIRING, now);
		return x->ops->retire(x->context, why) && send(x, MESSAGE_RETIRE, why);
	}
	return why_not(why, "the peer did not answer within %d seconds", EXCHANGE_ANSWER_MS / 1000);
}

static bool send_want(struct exchange *x, struct why *why)
{
	struct message message = { .type = MESSAGE_WANT };

	return x->ops->state(x->context, &message.state, why) &&
		x->ops->send(x->context, &message, why);
}

bool exchange_want(struct exchange *x, uint64_t now, struct why *why)
{
	if (x->step == EXCHANGE_HELLO || x->step == EXCHANGE_OVER)
		return true;
	if (!x->leader)
		return send_want(x, why);
	hurry(x, now);
	return true;
}

bool exchange_renew(struct exchange *x, uint64_t now, struct why *why)
{
	if (x->leader) {
		renew(x, now);
		return true;
	}
	return x->step != EXCHANGE_IDLE || send_want(x, why);
}
