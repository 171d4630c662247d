// SPDX-License-Identifier: GPL-2.0
/*
 * The connections of a peer. One of them is used, for an exchange.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "daemon.h"
#include "link.h"
#include "say.h"

#define LOOK_MS		15000	/* between looks at the kernel's key */
#define GRACE_MIN_MS	1000
#define GRACE_MAX_MS	60000

static uint32_t random_number(void)
{
	uint32_t number = 0;

	/* only for jitter: without random numbers there is none */
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = 0;
	return number;
}

/* Actions of an exchange */

static bool key_state(void *context, enum key_state *state, struct why *why)
{
	struct link *link = context;

	return kernel_state(&link->daemon->kernel, link->peer.name, state, why);
}

/*
 * Tell whether the file still has the peer. 'srnic peer del' removes its line before the rule and
 * the key, so a caller that has added one of these, and then looks here, leaves none behind.
 */
static bool is_listed(const struct link *link)
{
	const struct peer *peer;
	struct peers peers;
	struct why ignored;
	bool listed;

	/* a file that cannot be read changes no peer */
	if (!peers_read(link->daemon->folder, &peers, &ignored))
		return true;
	peer = peers_find(&peers, link->peer.name);
	listed = peer && !memcmp(peer->public_key, link->peer.public_key, KEY_LEN) &&
		!memcmp(&peer->prefix, &link->peer.prefix, sizeof(peer->prefix));
	peers_free(&peers);
	return listed;
}

static bool fail_deleted(const struct link *link, struct why *why)
{
	return why_not(why, "peer '%s' is no longer in the file of peers", link->peer.name);
}

static bool require(struct link *link, struct why *why)
{
	struct kernel *kernel = &link->daemon->kernel;
	bool added;

	if (!kernel_require(kernel, &link->peer, &added, why))
		return false;
	if (!added || is_listed(link))
		return true;
	kernel_unrequire(kernel, &link->peer);
	return fail_deleted(link, why);
}

/*
 * Have a rule before there is a key, so that nothing goes in the clear. The module may have been
 * loaded anew, and has neither then.
 */
static bool have_rule(struct link *link, struct why *why)
{
	enum key_state state;

	return kernel_state(&link->daemon->kernel, link->peer.name, &state, why) &&
		(state != KEY_NONE || require(link, why));
}

static bool key_stage(void *context, uint64_t generation, bool fresh, struct why *why)
{
	uint8_t input[TLS_CONTEXT_LEN], secret[TLS_SECRET_LEN];
	struct link *link = context;
	struct kernel *kernel = &link->daemon->kernel;
	bool fine;

	tls_context(link->daemon->tls.own_key, link->peer.public_key, generation, input);
	fine = tls_secret(link->session->gnutls, input, secret, why) && have_rule(link, why) &&
		kernel_stage(kernel, link->peer.name, secret, fresh, why);
	explicit_bzero(secret, sizeof(secret));
	if (!fine || is_listed(link))
		return fine;
	kernel_forget(kernel, link->peer.name);
	return fail_deleted(link, why);
}

static bool key_promote(void *context, struct why *why)
{
	struct link *link = context;

	return kernel_promote(&link->daemon->kernel, link->peer.name, why);
}

static bool key_retire(void *context, struct why *why)
{
	struct link *link = context;

	return kernel_retire(&link->daemon->kernel, link->peer.name, why);
}

static bool key_send(void *context, const struct message *message, struct why *why)
{
	struct link *link = context;

	return session_send(link->session, message, why);
}

static const struct exchange_ops exchange_ops = {
	.state = key_state,
	.stage = key_stage,
	.promote = key_promote,
	.retire = key_retire,
	.send = key_send,
};

static uint64_t grace(uint64_t rekey_ms)
{
	uint64_t half = rekey_ms / 2;

	return half < GRACE_MIN_MS ? GRACE_MIN_MS : half > GRACE_MAX_MS ? GRACE_MAX_MS : half;
}

/* Sessions */

static bool admit(struct session *session, const uint8_t key[KEY_LEN], struct why *why)
{
	char text[KEY_TEXT_LEN + 1];
	struct link *link;

	for (link = session->daemon->links; link; link = link->next)
		if (!memcmp(link->peer.public_key, key, KEY_LEN) &&
		    (!session->dialed || link == session->link)) {
			session->link = link;
			return true;
		}
	key_to_text(key, text);
	if (session->dialed)
		return why_not(why, "%s has another public key, %s: if that is the peer's, add it by 'srnic peer add'",
			       session->address, text);
	return why_not(why, "no peer has the public key %s: if it should, add it by 'srnic peer add'",
		       text);
}

/* Close the open connection in favour of another. */
static void supersede(struct session *session)
{
	session->link = NULL;
	session->over = true;
}

static bool opened(struct session *session, struct why *why)
{
	const struct message ping = { .type = MESSAGE_PING };
	struct link *link = session->link;
	uint64_t now = clock_ms();
	struct why ignored;

	if (link->dialing == session)
		link->dialing = NULL;
	if (link->session && !link_prefers_new(link->leader, session->dialed,
					       link->session->dialed)) {
		/* if the open connection is dead, this PING detects it */
		if (!session_send(link->session, &ping, &ignored))
			link->session->over = true;
		why->text[0] = '\0';
		return false;
	}
	if (link->session)
		supersede(link->session);
	link->session = session;
	link->done = 0;
	link->look_at = now + LOOK_MS;
	link->exchange = (struct exchange) {
		.ops = &exchange_ops,
		.context = link,
		.leader = link->leader,
		.rekey_ms = link->daemon->rekey_ms,
		.grace_ms = grace(link->daemon->rekey_ms),
	};
	return exchange_begin(&link->exchange, now, why);
}

/* Announce a generation that is in use at both ends. */
static void announce(struct link *link)
{
	const struct exchange *x = &link->exchange;

	if (x->step != EXCHANGE_GRACE || !x->generation || link->done == x->generation)
		return;
	link->done = x->generation;
	say_info("peer '%s': generation %llu of the key is in use, by the connection %s %s",
		 link->peer.name, (unsigned long long)x->generation,
		 link->session->dialed ? "to" : "from", link->session->address);
}

static bool take(struct session *session, const struct message *message, struct why *why)
{
	struct link *link = session->link;

	if (!link || link->session != session) {
		why->text[0] = '\0';
		return false;
	}
	link->failures = 0;
	link->said.text[0] = '\0';
	if (!exchange_take(&link->exchange, message, clock_ms(), why))
		return false;
	announce(link);
	return true;
}

const struct session_ops link_session_ops = {
	.admit = admit,
	.opened = opened,
	.take = take,
};

/* Log a reason once, until a connection succeeds. */
static void complain(struct link *link, const struct why *why)
{
	if (!why->text[0] || !strcmp(link->said.text, why->text))
		return;
	link->said = *why;
	say_warning("peer '%s': %s", link->peer.name, why->text);
}

static void retry_later(struct link *link)
{
	link->failures++;
	link->dial_at = clock_ms() + link_backoff(link->failures, random_number());
}

void link_lost(struct session *session, const struct why *why)
{
	struct link *link = session->link;

	if (!link) {
		if (why->text[0] && !session->over)
			say_refusal("connection from %s: %s", session->address, why->text);
		return;
	}
	if (link->dialing == session)
		link->dialing = NULL;
	else if (link->session == session)
		link->session = NULL;
	else
		return;
	complain(link, why);
	retry_later(link);
}

static void dial(struct link *link)
{
	struct session *session;
	struct why why;

	session = session_dial(&link->daemon->tls, link->peer.endpoint, &why);
	if (!session) {
		complain(link, &why);
		retry_later(link);
		return;
	}
	session->link = link;
	link->dialing = session;
	daemon_add(link->daemon, session);
}

static bool renew(struct link *link, uint64_t now, uint64_t sealed, struct why *why)
{
	if (link->exchange.step == EXCHANGE_IDLE)
		say_info("peer '%s': its key has sealed %llu bytes, and is replaced",
			 link->peer.name, (unsigned long long)sealed);
	return exchange_renew(&link->exchange, now, why);
}

/* Check the key: it may have been deleted, with the module or alone, or have sealed enough. */
static bool look(struct link *link, uint64_t now, struct why *why)
{
	struct kernel *kernel = &link->daemon->kernel;
	struct kernel_key key;

	link->look_at = now + LOOK_MS;
	if (link->exchange.step == EXCHANGE_STAGING ||
	    !kernel_look(kernel, link->peer.name, &key, why))
		return true;
	if (key.state == KEY_NONE)
		return require(link, why) && exchange_want(&link->exchange, now, why);
	return key.sealed < link->daemon->rekey_bytes || renew(link, now, key.sealed, why);
}

/* Without a connection the key may be deleted as well. */
static void look_alone(struct link *link, uint64_t now)
{
	struct why why;

	link->look_at = now + LOOK_MS;
	if (!have_rule(link, &why))
		complain(link, &why);
}

void link_tick(struct link *link, uint64_t now)
{
	struct why why;

	if (!link->session) {
		if (now >= link->look_at)
			look_alone(link, now);
		if (!link->dialing && *link->peer.endpoint && now >= link->dial_at)
			dial(link);
		return;
	}
	why.text[0] = '\0';
	if ((now >= link->look_at && !look(link, now, &why)) ||
	    !exchange_tick(&link->exchange, now, &why)) {
		daemon_drop(link->daemon, link->session, &why);
	} else if (link->exchange.step == EXCHANGE_OVER) {
		/* the next generations need another connection: it exports other secrets */
		why.text[0] = '\0';
		daemon_drop(link->daemon, link->session, &why);
	}
}

uint64_t link_due(const struct link *link)
{
	bool dials = !link->session && !link->dialing && *link->peer.endpoint;
	uint64_t due = link->session ? link->exchange.due : dials ? link->dial_at : NEVER;

	return due < link->look_at ? due : link->look_at;
}

void links_wanted(void *context, const char *name)
{
	struct daemon *daemon = context;
	uint64_t now = clock_ms();
	struct link *link;

	for (link = daemon->links; link; link = link->next)
		if (!strcmp(link->peer.name, name)) {
			/* at once: a connection waits, and the kernel limits its reports */
			link->dial_at = now;
			link->look_at = now;
		}
}

/* The file of peers */

static bool is_same(const struct peer *a, const struct peer *b)
{
	return !strcmp(a->name, b->name) && !memcmp(a->public_key, b->public_key, KEY_LEN) &&
		!strcmp(a->endpoint, b->endpoint) && !memcmp(&a->prefix, &b->prefix,
							     sizeof(a->prefix)) &&
		!strcmp(a->suite, b->suite);
}

static void link_free(struct link *link)
{
	const struct why none = {};
	struct session *session, *next;

	for (session = link->daemon->sessions; session; session = next) {
		next = session->next;
		if (session->link == link) {
			session->link = NULL;
			session->over = true;
			daemon_drop(link->daemon, session, &none);
		}
	}
	free(link);
}

/* A peer that cannot be served must not keep the others from being served. */
static void link_new(struct daemon *daemon, const struct peer *peer)
{
	struct link *link;
	struct why why;
	int order = memcmp(daemon->tls.own_key, peer->public_key, KEY_LEN);

	if (!order) {
		say_warning("peer '%s' has the public key of this host, and is left out: give it its own",
			    peer->name);
		return;
	}
	link = calloc(1, sizeof(*link));
	if (!link) {
		say_warning("peer '%s' is left out: out of memory", peer->name);
		return;
	}
	link->daemon = daemon;
	link->peer = *peer;
	link->leader = order < 0;
	link->dial_at = clock_ms();
	link->look_at = link->dial_at + LOOK_MS;
	link->next = daemon->links;
	daemon->links = link;
	/* each look at the key tries again */
	if (!require(link, &why))
		complain(link, &why);
}

bool links_read(struct daemon *daemon, struct why *why)
{
	struct link **at, *link;
	struct peers peers;
	struct peer *peer;
	unsigned int i;

	if (!peers_read(daemon->folder, &peers, why))
		return false;
	for (at = &daemon->links; *at;) {
		link = *at;
		peer = peers_find(&peers, link->peer.name);
		if (peer && is_same(peer, &link->peer)) {
			peer->name[0] = '\0';	/* it has its link */
			at = &link->next;
			continue;
		}
		*at = link->next;
		link_free(link);
	}
	for (i = 0; i < peers.count; i++)
		if (peers.list[i].name[0])
			link_new(daemon, &peers.list[i]);
	peers_free(&peers);
	return true;
}

void links_free(struct daemon *daemon)
{
	struct link *link;

	while ((link = daemon->links)) {
		daemon->links = link->next;
		link_free(link);
	}
}
