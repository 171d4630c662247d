// SPDX-License-Identifier: GPL-2.0
/*
 * Test srnicd without a kernel: its files, its messages, the steps that two ends take, and
 * their TLS connection on the loopback interface.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../../tools/srnicd/clock.h"
#include "../../tools/srnicd/daemon.h"
#include "../../tools/srnicd/exchange.h"
#include "../../tools/srnicd/link.h"
#include "../../tools/srnicd/session.h"
#include "../libsrnic/kernel.h"

#define NUM(array)	(sizeof(array) / sizeof(*(array)))

static unsigned int tests, failures;
static char folder[] = "/tmp/srnicd-test.XXXXXX";
static struct why why;

static void check(bool fine, const char *name)
{
	tests++;
	if (!fine)
		failures++;
	printf("%sok %u - srnicd: %s\n", fine ? "" : "not ", tests, name);
	if (!fine)
		printf("# the reason, if there is one: %s\n", why.text);
	why.text[0] = '\0';
}

/* Return whether it failed with these words. */
static bool fails(bool fine, const char *says)
{
	return !fine && strstr(why.text, says) && !strchr(why.text, '\n');
}

static void parse_hex(const char *text, uint8_t *bytes)
{
	unsigned int byte;

	for (; sscanf(text, "%2x", &byte) == 1; text += 2)
		*bytes++ = byte;
}

static const char *file(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	FILE *out = fopen(file(name), "w");

	if (!out || fputs(text, out) < 0 || fclose(out) || chmod(file(name), mode))
		abort();
}

static bool file_is(const char *name, const char *want)
{
	char text[1024] = "";
	FILE *in = fopen(file(name), "r");
	size_t len;

	if (!in)
		return false;
	len = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	text[len] = '\0';
	return !strcmp(text, want);
}

/* Keys */

#define ZERO_KEY	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
#define ONE_KEY		"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="

static bool is_key(const char *text)
{
	uint8_t key[KEY_LEN];

	return key_from_text(text, strlen(text), key);
}

static void test_texts(void)
{
	uint8_t key[KEY_LEN], back[KEY_LEN];
	char text[KEY_TEXT_LEN + 1];
	unsigned int i;

	memset(key, 1, sizeof(key));
	key_to_text(key, text);
	check(!strcmp(text, ONE_KEY), "a key as text");
	for (i = 0; i < KEY_LEN; i++)
		key[i] = 0xff - 7 * i;
	key_to_text(key, text);
	check(key_from_text(text, strlen(text), back) && !memcmp(key, back, sizeof(key)),
	      "and back");
	check(is_key(ZERO_KEY) && !is_key("") && !is_key("AAAA") &&
	      !is_key("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") &&
	      !is_key("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==") &&
	      !is_key("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=") &&
	      !is_key("AAAA AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=") &&
	      !is_key("-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=") &&
	      !is_key(ZERO_KEY "="), "each key has one text, and others are refused");
}

/* RFC 8032, section 7.1, test 1 */
#define RFC_PRIVATE	"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
#define RFC_PUBLIC	"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"

static void test_identity(void)
{
	struct identity identity, other;
	uint8_t public_key[KEY_LEN], der[PUBLIC_DER_LEN];

	parse_hex(RFC_PRIVATE, identity.private_key);
	parse_hex(RFC_PUBLIC, public_key);
	check(identity_write(file("key"), &identity, &why) &&
	      identity_read(file("key"), false, &other, &why) &&
	      !memcmp(other.public_key, public_key, KEY_LEN), "the public key of RFC 8032");
	check(fails(identity_write(file("key"), &identity, &why), "there is a private key"),
	      "a private key is not overwritten");
	chmod(file("key"), 0640);
	check(fails(identity_read(file("key"), false, &other, &why), "others can read"),
	      "a private key that the group can read is refused");
	check(identity_read(file("key"), true, &other, &why), "unless systemd has passed it");
	chmod(file("key"), 0604);
	check(fails(identity_read(file("key"), true, &other, &why), "others can read"),
	      "but not if all can read it");
	check(fails(identity_read(file("none"), false, &other, &why), "srnic genkey"),
	      "no private key");
	write_file("bad", "not a key\n", 0600);
	check(fails(identity_read(file("bad"), false, &other, &why), "holds no private key"),
	      "a file that is no private key");
	check(identity_make(&identity, &why) && identity_make(&other, &why) &&
	      memcmp(identity.private_key, other.private_key, KEY_LEN) &&
	      memcmp(identity.public_key, other.public_key, KEY_LEN), "keys are drawn at random");
	identity_public_der(public_key, der);
	check(!memcmp(identity_public_of(der, sizeof(der)), public_key, KEY_LEN),
	      "a public key in DER");
	der[8]++;
	check(!identity_public_of(der, sizeof(der)) && !identity_public_of(der, sizeof(der) - 1),
	      "a key of another kind is refused");
}

static void set_credentials(const char *path)
{
	if (path ? setenv("CREDENTIALS_DIRECTORY", path, 1) : unsetenv("CREDENTIALS_DIRECTORY"))
		abort();
}

/* The folder has a key, and systemd may have passed others */
static void test_credentials(void)
{
	struct identity identity, found, passed;
	char long_folder[PATH_MAX + 1];

	check(identity_make(&identity, &why) &&
	      identity_write(file("private.key"), &identity, &why) &&
	      identity_make(&passed, &why) && !mkdir(file("credentials"), 0700), "two private keys");
	check(identity_find(folder, &found, &why) &&
	      !memcmp(&found, &identity, sizeof(found)), "without a credential, that of the folder");
	set_credentials("");
	check(identity_find(folder, &found, &why) &&
	      !memcmp(&found, &identity, sizeof(found)), "nor is an empty variable one");
	set_credentials(file("credentials"));
	check(identity_find(folder, &found, &why) &&
	      !memcmp(&found, &identity, sizeof(found)), "nor are those for others");
	check(identity_write(file("credentials/private.key"), &passed, &why) &&
	      identity_find(folder, &found, &why) && !memcmp(&found, &passed, sizeof(found)),
	      "a credential comes before the folder");
	write_file("credentials/private.key", "not a key\n", 0600);
	check(fails(identity_find(folder, &found, &why), "credentials/private.key holds no"),
	      "also if it is wrong: the folder's may be another host's");
	set_credentials(NULL);
	memset(long_folder, '/', PATH_MAX);
	long_folder[PATH_MAX] = '\0';
	check(fails(identity_find(long_folder, &found, &why), "too long") &&
	      fails(peers_read(long_folder, &(struct peers) {}, &why), "too long"),
	      "no path is cut off");
	unlink(file("credentials/private.key"));
	rmdir(file("credentials"));
	unlink(file("private.key"));
}

/* Peers */

static bool is_endpoint(const char *text)
{
	struct sockaddr_storage address;
	socklen_t len;

	return endpoint_address(text, &address, &len);
}

static void test_endpoints(void)
{
	struct sockaddr_storage address;
	const struct sockaddr_in6 *in6 = (const void *)&address;
	const struct sockaddr_in *in4 = (const void *)&address;
	socklen_t len;

	check(endpoint_address("192.0.2.1:14791", &address, &len) && len == sizeof(*in4) &&
	      in4->sin_family == AF_INET && ntohs(in4->sin_port) == 14791 &&
	      ntohl(in4->sin_addr.s_addr) == 0xc0000201, "an IPv4 endpoint");
	check(endpoint_address("[2001:db8::1]:1", &address, &len) && len == sizeof(*in6) &&
	      in6->sin6_family == AF_INET6 && ntohs(in6->sin6_port) == 1, "an IPv6 endpoint");
	check(!is_endpoint("") && !is_endpoint("192.0.2.1") && !is_endpoint("192.0.2.1:") &&
	      !is_endpoint("192.0.2.1:0") && !is_endpoint("192.0.2.1:65536") &&
	      !is_endpoint("192.0.2.1:1x") && !is_endpoint(":1") && !is_endpoint("[]:1") &&
	      !is_endpoint("[::1:1") && !is_endpoint("::1:1") && !is_endpoint("host:1") &&
	      !is_endpoint("[192.0.2.1]x:1"), "and no endpoints");
}

/* A file of peers, and the reason why it is refused */
static const struct {
	const char *text;
	const char *says;
} files[] = {
	{ "a\n", "line 1: a line has" },
	{ "# a comment\n\na " ZERO_KEY " -\n", "line 3: a line has" },
	{ "a " ZERO_KEY " - 192.0.2.1 aes-gcm-128 more\n", "'more' is not expected" },
	{ "-a " ZERO_KEY " - 192.0.2.1\n", "name '-a' is invalid" },
	{ "a/b " ZERO_KEY " - 192.0.2.1\n", "name 'a/b' is invalid" },
	{ "a AAAA - 192.0.2.1\n", "'AAAA' is not a public key" },
	{ "a " ZERO_KEY " 192.0.2.1 192.0.2.1\n", "'192.0.2.1' is not an endpoint" },
	{ "a " ZERO_KEY " - 192.0.2.300\n", "not an IPv4 or IPv6 address" },
	{ "a " ZERO_KEY " - 192.0.2.1\na " ONE_KEY " - 192.0.2.2\n",
	  "line 2: there is a peer 'a'" },
	{ "a " ZERO_KEY " - 192.0.2.1\nb " ZERO_KEY " - 192.0.2.2\n",
	  "peer 'a' has this public key" },
	{ "a " ZERO_KEY " - 192.0.2.1\nb " ONE_KEY " - 192.0.2.1\n", "peer 'a' has this address" },
};

static void test_peers(void)
{
	static const char text[] = "# mine\nb " ONE_KEY " [fd77::2]:5 fd77::/64 # a comment\n";
	struct peer peer = { .name = "a", .prefix = { .len = 128 }, .suite = PEER_SUITE };
	struct peers peers;
	unsigned int i;

	for (i = 0; i < NUM(files); i++) {
		write_file("peers", files[i].text, 0644);
		check(fails(peers_read(folder, &peers, &why), files[i].says), files[i].says);
	}
	unlink(file("peers"));
	check(peers_read(folder, &peers, &why) && !peers.count, "no file: no peers");
	write_file("peers", text, 0644);
	check(peers_read(folder, &peers, &why) && peers.count == 1 && peers_find(&peers, "b") &&
	      !strcmp(peers.list[0].endpoint, "[fd77::2]:5") && peers.list[0].prefix.len == 64 &&
	      peers.list[0].public_key[5] == 1 && !strcmp(peers.list[0].suite, PEER_SUITE),
	      "a peer");
	check(fails(peers_append(&peers, &peers.list[0], &why), "srnic peer del b"),
	      "a peer that is there already");
	peers_free(&peers);
	check(peers_add(folder, &peer, &why) &&
	      file_is("peers", "# mine\nb " ONE_KEY " [fd77::2]:5 fd77::/64 # a comment\n"
		      "a " ZERO_KEY " - ::/128 aes-gcm-128\n"), "a peer is added");
	check(peers_del(folder, &peer, &why) && file_is("peers", text), "and deleted");
	check(fails(peers_del(folder, &peer, &why), "no peer 'a'"), "but once only");
}

/* Leave so many descriptors to be opened; -1: as before. */
static void leave_descriptors(int count)
{
	static struct rlimit before;
	struct rlimit limit;
	int next = dup(0);

	if (!before.rlim_cur && getrlimit(RLIMIT_NOFILE, &before))
		abort();
	close(next);
	limit = before;
	if (count >= 0)
		limit.rlim_cur = next + count;
	if (next < 0 || setrlimit(RLIMIT_NOFILE, &limit))
		abort();
}

static void test_peers_kept(void)
{
	static const char text[] = "a " ZERO_KEY " - 192.0.2.1\n";
	struct peer peer = { .name = "b", .public_key = { 1 }, .prefix = { .len = 128 } };
	bool fine;

	write_file("peers", text, 0644);
	/* the folder and the new file, but not the old one beside them */
	leave_descriptors(2);
	fine = peers_add(folder, &peer, &why);
	leave_descriptors(-1);
	check(fails(fine, "Too many open files") && file_is("peers", text),
	      "if the file cannot be read, it is not replaced");
	check(access(file("peers.new"), F_OK), "and no other one is left behind");
	unlink(file("peers"));
}

/* Messages */

static void test_messages(void)
{
	const struct message hello = { MESSAGE_HELLO, KEY_FORMER, PROTOCOL_VERSION };
	uint8_t want[MESSAGE_LEN] = { 1, 3, [15] = 2 }, bytes[MESSAGE_LEN];
	struct message message;

	message_pack(&hello, bytes);
	check(!memcmp(bytes, want, sizeof(want)) && message_unpack(&message, bytes) &&
	      message.type == MESSAGE_HELLO && message.state == KEY_FORMER && message.number == 2,
	      "a message");
	bytes[7] = 1;
	check(!message_unpack(&message, bytes), "a message with other zeros is refused");
	bytes[7] = 0;
	bytes[1] = KEY_STATES;
	check(!message_unpack(&message, bytes), "one with an unknown state, too");
	bytes[1] = KEY_ONE;
	bytes[0] = MESSAGE_STAGED;
	check(!message_unpack(&message, bytes), "one that has a state and must not");
	bytes[0] = MESSAGE_WANT;
	bytes[15] = 0;
	check(message_unpack(&message, bytes) && message.state == KEY_ONE, "a WANT of a host with a key");
	bytes[15] = 1;
	bytes[1] = 0;
	bytes[0] = MESSAGE_TYPES;
	check(!message_unpack(&message, bytes), "one of an unknown type");
	bytes[0] = MESSAGE_PING;
	check(!message_unpack(&message, bytes), "and a PING with a number");
}

/* Two ends, each with a model of its kernel's key */

#define MAIL_MAX	16

struct end {
	struct exchange exchange;
	struct end *peer;
	unsigned int secret;		/* the current one; 0: no key */
	unsigned int other;		/* 0: none */
	bool staged;			/* @other is the next one */
	struct message mail[MAIL_MAX];
	unsigned int mail_count;
	unsigned int generations;	/* that were promoted, or added */
};

static unsigned int epoch;		/* of the connection: others have other secrets */
static bool met;			/* the ends have had a secret in common */
static unsigned int apart;		/* how often they had none any more */

/* Once the ends have had a secret in common, they always have one. */
static void look(const struct end *end)
{
	const struct end *peer = end->peer;
	bool common;

	if (!end->secret || !peer->secret)
		return;
	common = end->secret == peer->secret || end->secret == peer->other ||
		end->other == peer->secret || (end->other && end->other == peer->other);
	if (common)
		met = true;
	else if (met)
		apart++;
}

static bool end_state(void *context, enum key_state *state, struct why *reason)
{
	struct end *end = context;

	(void)reason;
	*state = !end->secret ? KEY_NONE : !end->other ? KEY_ONE :
		end->staged ? KEY_NEXT : KEY_FORMER;
	return true;
}

static bool end_stage(void *context, uint64_t generation, bool fresh, struct why *reason)
{
	unsigned int secret = 1000 * epoch + generation;
	struct end *end = context;

	if (!end->secret || fresh) {
		end->secret = secret;
		end->other = 0;
		end->generations++;
		look(end);
		return true;
	}
	if (end->other)
		return why_not(reason, "there are two secrets");
	end->other = secret;
	end->staged = true;
	look(end);
	return true;
}

static bool end_promote(void *context, struct why *reason)
{
	struct end *end = context;
	unsigned int former = end->secret;

	(void)reason;
	if (!end->other || !end->staged)
		return true;
	end->secret = end->other;
	end->other = former;
	end->staged = false;
	end->generations++;
	look(end);
	return true;
}

static bool end_retire(void *context, struct why *reason)
{
	struct end *end = context;

	(void)reason;
	end->other = 0;
	look(end);
	return true;
}

static bool end_send(void *context, const struct message *message, struct why *reason)
{
	struct end *peer = ((struct end *)context)->peer;

	if (peer->mail_count == MAIL_MAX)
		return why_not(reason, "too much mail");
	peer->mail[peer->mail_count++] = *message;
	return true;
}

static const struct exchange_ops end_ops = {
	.state = end_state,
	.stage = end_stage,
	.promote = end_promote,
	.retire = end_retire,
	.send = end_send,
};

/* Connect two ends anew. */
static bool connect_ends(struct end *a, struct end *b, uint64_t now)
{
	struct end *ends[] = { a, b };
	unsigned int i;

	epoch++;
	for (i = 0; i < 2; i++) {
		ends[i]->peer = ends[!i];
		ends[i]->mail_count = 0;
		ends[i]->exchange = (struct exchange) {
			.ops = &end_ops,
			.context = ends[i],
			.leader = !i,
			.rekey_ms = 1000,
			.grace_ms = 100,
		};
	}
	return exchange_begin(&a->exchange, now, &why) && exchange_begin(&b->exchange, now, &why);
}

/* Deliver one message to an end. Return false if that fails. */
static bool deliver(struct end *end, uint64_t now)
{
	struct message message = end->mail[0];

	end->mail_count--;
	memmove(end->mail, end->mail + 1, end->mail_count * sizeof(message));
	return exchange_take(&end->exchange, &message, now, &why);
}

/*
 * Let the ends take @steps messages or times, and no more; bit n of @order says which of the two
 * is served first at step n. Return false if one fails.
 */
static bool run_ends(struct end *a, struct end *b, uint64_t *now, unsigned int steps,
		     unsigned int order)
{
	struct end *ends[2];
	unsigned int i;

	while (steps--) {
		ends[0] = order & 1 ? b : a;
		ends[1] = order & 1 ? a : b;
		order >>= 1;
		for (i = 0; i < 2; i++)
			if (ends[i]->mail_count)
				break;
		if (i < 2) {
			if (!deliver(ends[i], *now))
				return false;
			continue;
		}
		*now += 100;
		if (!exchange_tick(&a->exchange, *now, &why) ||
		    !exchange_tick(&b->exchange, *now, &why))
			return false;
	}
	return true;
}

static bool agree(const struct end *a, const struct end *b)
{
	return a->secret && a->secret == b->secret && !a->other && !b->other;
}

static void test_generations(void)
{
	struct end a = {}, b = {};
	uint64_t now = 5;

	met = false;
	apart = 0;
	check(connect_ends(&a, &b, now) && run_ends(&a, &b, &now, 18, 0) && agree(&a, &b) &&
	      a.secret == 1000 * epoch + 1 && a.exchange.step == EXCHANGE_IDLE,
	      "the first generation");
	check(run_ends(&a, &b, &now, 2000, 0) && a.exchange.step == EXCHANGE_OVER &&
	      a.generations == EXCHANGE_GENERATIONS && b.generations == a.generations && !apart,
	      "all generations of a connection, and never apart");
	check(connect_ends(&a, &b, now) && run_ends(&a, &b, &now, 18, 0) && agree(&a, &b) &&
	      a.secret == 1000 * epoch + 1 && !apart, "another connection goes on");
}

/* Start with no key, or with that of a former connection. */
static void start_end(struct end *end, bool has_key)
{
	memset(end, 0, sizeof(*end));
	end->secret = has_key;
}

/*
 * Break a connection after any number of messages, and the next one, too, with either end served
 * first; or let one end lose its key.
 */
static void test_breaks(void)
{
	unsigned int first, second, order, keys, bad = 0, never = 0;
	struct end a, b;
	uint64_t now;

	for (keys = 0; keys < 4; keys++)
		for (order = 0; order < 32; order++)
			for (first = 0; first < 40; first++)
				for (second = 0; second < 20; second++) {
					start_end(&a, keys & 1);
					start_end(&b, keys & 2);
					met = false;
					apart = 0;
					now = 0;
					if (!connect_ends(&a, &b, now) ||
					    !run_ends(&a, &b, &now, first, order) ||
					    !connect_ends(&a, &b, now) ||
					    !run_ends(&a, &b, &now, second, ~order) ||
					    !connect_ends(&a, &b, now) ||
					    !run_ends(&a, &b, &now, 18, order))
						bad++;
					if (!agree(&a, &b))
						never++;
					if (apart && !bad++)
						printf("# first: keys %u order %u, broken after %u and %u\n",
						       keys, order, first, second);
				}
	printf("# %u broke rules, %u do not agree\n", bad, never);
	check(!bad && !never, "wherever connections break, the ends keep a secret in common");
}

static void test_wants(void)
{
	struct end a = {}, b = {};
	unsigned int before;
	uint64_t now = 0;

	connect_ends(&a, &b, now);
	run_ends(&a, &b, &now, 18, 0);
	before = a.generations;
	b.secret = 0;
	check(exchange_want(&b.exchange, now, &why) && run_ends(&a, &b, &now, 8, 0) &&
	      a.generations == before + 1 && a.secret == b.secret,
	      "the follower has lost its key, and gets another");
	run_ends(&a, &b, &now, 3, 0);
	a.secret = 0;
	check(exchange_want(&a.exchange, now, &why) && run_ends(&a, &b, &now, 8, 0) &&
	      a.secret && a.secret == b.secret, "so does the leader");
	run_ends(&a, &b, &now, 8, 0);
	a.secret = 0;
	b.secret = 0;
	met = false;
	apart = 0;
	check(exchange_want(&b.exchange, now, &why) && exchange_want(&a.exchange, now, &why) &&
	      run_ends(&a, &b, &now, 18, 0) && agree(&a, &b) && !apart, "and so do both");
	a.secret = 0;
	b.secret = 0;
	met = false;
	check(exchange_want(&a.exchange, now, &why) &&
	      exchange_tick(&a.exchange, now, &why) && exchange_want(&b.exchange, now, &why) &&
	      run_ends(&a, &b, &now, 18, 0) && agree(&a, &b) && !apart,
	      "whichever asks first");
}

/* As many generations as a key is worn, and no more, by whichever end sees it first. */
static void test_volume(void)
{
	struct end a = {}, b = {};
	unsigned int before;
	uint64_t now = 0;

	met = false;
	apart = 0;
	connect_ends(&a, &b, now);
	a.exchange.rekey_ms = 100000000;
	run_ends(&a, &b, &now, 100, 0);
	before = a.generations;
	check(agree(&a, &b) && exchange_renew(&b.exchange, now, &why) &&
	      run_ends(&a, &b, &now, 100, 0) && agree(&a, &b) && a.generations == before + 1 &&
	      b.generations == before + 1, "the follower's key has sealed enough, and is replaced");
	check(exchange_renew(&a.exchange, now, &why) && run_ends(&a, &b, &now, 100, 0) &&
	      agree(&a, &b) && a.generations == before + 2, "so is the leader's");
	check(exchange_renew(&a.exchange, now, &why) && exchange_renew(&b.exchange, now, &why) &&
	      run_ends(&a, &b, &now, 100, 0) && agree(&a, &b) && a.generations == before + 3,
	      "once, if both say so");
	exchange_renew(&a.exchange, now, &why);
	run_ends(&a, &b, &now, 5, 0);
	check(a.exchange.step == EXCHANGE_GRACE && a.other && b.other, "a former secret is needed");
	check(exchange_renew(&a.exchange, now, &why) && exchange_renew(&b.exchange, now, &why) &&
	      !b.peer->mail_count && a.exchange.due > now,
	      "which is not retired sooner for that");
	check(run_ends(&a, &b, &now, 100, 0) && agree(&a, &b) && a.generations == before + 4 &&
	      !apart, "and the ends are never apart");
}

static bool refuses(struct end *end, enum message_type type, uint64_t number, const char *says)
{
	const struct message message = { .type = type, .number = number };

	return fails(exchange_take(&end->exchange, &message, 0, &why), says);
}

static void test_out_of_turn(void)
{
	struct end a = {}, b = {};
	uint64_t now = 0;

	connect_ends(&a, &b, now);
	check(refuses(&b, MESSAGE_STAGE, 1, "out of turn"), "STAGE before HELLO");
	check(refuses(&b, MESSAGE_HELLO, 3, "version 3"), "another version");
	run_ends(&a, &b, &now, 18, 0);
	check(refuses(&b, MESSAGE_STAGE, 1, "generation 1"), "a generation that was made");
	check(refuses(&b, MESSAGE_STAGE, 3, "generation 3"), "one that is not the next");
	check(refuses(&b, MESSAGE_RETIRE, 1, "out of turn"), "RETIRE before PROMOTE");
	check(refuses(&b, MESSAGE_WANT, 0, "out of turn"), "WANT from the leader");
	check(refuses(&a, MESSAGE_STAGE, 2, "out of turn"), "STAGE from the follower");
	check(refuses(&a, MESSAGE_HELLO, 1, "out of turn"), "a second HELLO");
	check(!b.other && b.secret == a.secret, "and no key has changed");
	now += EXCHANGE_ANSWER_MS + 2000;
	check(exchange_tick(&a.exchange, now, &why), "a generation begins");
	now += EXCHANGE_ANSWER_MS;
	check(fails(exchange_tick(&a.exchange, now, &why), "did not answer"), "without an answer");
}

static void test_links(void)
{
	unsigned int i;
	bool fine = true;

	for (i = 0; i < 100; i++) {
		uint64_t least = link_backoff(i, 0), most = link_backoff(i, BACKOFF_MAX_MS);

		fine = fine && least >= BACKOFF_MIN_MS / 2 && most <= BACKOFF_MAX_MS &&
			least <= link_backoff(i + 1, 0);
	}
	check(fine && link_backoff(1, 0) < link_backoff(5, 0) &&
	      link_backoff(99, 0) == BACKOFF_MAX_MS / 2, "attempts become rarer, up to a bound");
	/* both dialed: each end must keep the same one, in whatever order they open */
	check(link_prefers_new(true, true, false) && !link_prefers_new(true, false, true) &&
	      link_prefers_new(false, false, true) && !link_prefers_new(false, true, false),
	      "of two connections the one from the smaller key stays");
	check(link_prefers_new(true, true, true) && link_prefers_new(false, false, false) &&
	      link_prefers_new(true, false, false) && link_prefers_new(false, true, true),
	      "of two from one end the newer");
}

/* A daemon with the peers of the file, and the stand-in of the kernel */

#define TWO_KEY		"AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="

static struct link *link_of(const struct daemon *daemon, const char *name)
{
	struct link *link;

	for (link = daemon->links; link; link = link->next)
		if (!strcmp(link->peer.name, name))
			return link;
	return NULL;
}

/* Start a daemon whose public key is ONE_KEY, with these peers. */
static bool daemon_start(struct daemon *daemon, const char *peers)
{
	*daemon = (struct daemon) { .folder = folder };
	memset(daemon->tls.own_key, 1, KEY_LEN);
	write_file("peers", peers, 0644);
	return kernel_open(&daemon->kernel, &why) && links_read(daemon, &why);
}

static void daemon_end(struct daemon *daemon)
{
	links_free(daemon);
	kernel_close(&daemon->kernel);
	unlink(file("peers"));
	kernel_reset();
}

static void test_unusable_peers(void)
{
	struct daemon daemon;
	struct link *link;

	kernel.err = EOPNOTSUPP;
	kernel.refuse_cmd = SRNIC_CMD_POLICY_ADD;
	check(daemon_start(&daemon,
			   "a " ZERO_KEY " - 192.0.2.1 other\nb " TWO_KEY " - 192.0.2.2\n") &&
	      !kernel.refuse_cmd && link_of(&daemon, "b"),
	      "a peer whose suite the kernel lacks does not keep the daemon from the others");
	link = link_of(&daemon, "a");
	if (link)
		link_tick(link, link->look_at);
	check(link && kernel_cmd() == SRNIC_CMD_POLICY_ADD &&
	      attr_is_text(kernel_attr(SRNIC_A_POLICY_KEY), "a"),
	      "and its rule is tried again");
	daemon_end(&daemon);
	check(daemon_start(&daemon, "me " ONE_KEY " - 192.0.2.1\nb " TWO_KEY " - 192.0.2.2\n") &&
	      !link_of(&daemon, "me") && link_of(&daemon, "b"),
	      "a peer with the public key of this host is left out");
	daemon_end(&daemon);
	check(fails(daemon_start(&daemon, "b\n"), "line 1"), "a file that cannot be parsed is refused");
	daemon_end(&daemon);
}

/* 'srnic peer del' removes the line, then the rule, which the daemon must not add again. */
static void test_deleted_peer(void)
{
	struct daemon daemon;
	struct link *link;

	check(daemon_start(&daemon, "a " ZERO_KEY " - 192.0.2.1\n"), "a peer that is deleted later");
	link = link_of(&daemon, "a");
	link_tick(link, link->look_at);
	check(kernel_cmd() == SRNIC_CMD_POLICY_ADD, "before that, its rule is added again");
	write_file("peers", "b " TWO_KEY " - 192.0.2.1\n", 0644);
	link_tick(link, link->look_at);
	check(kernel_cmd() == SRNIC_CMD_POLICY_DEL,
	      "after that it is deleted, also if the daemon has not read the file yet");
	kernel.err = EEXIST;
	kernel.refuse_cmd = SRNIC_CMD_POLICY_ADD;
	link_tick(link, link->look_at);
	check(!kernel.refuse_cmd && kernel_cmd() == SRNIC_CMD_POLICY_ADD,
	      "but not if it is the administrator's");
	write_file("peers", "a " ZERO_KEY " 192.0.2.9:1 192.0.2.1 other\n", 0644);
	link_tick(link, link->look_at);
	check(kernel_cmd() == SRNIC_CMD_POLICY_ADD, "nor if the peer has only moved");
	write_file("peers", "a\n", 0644);
	link_tick(link, link->look_at);
	check(kernel_cmd() == SRNIC_CMD_POLICY_ADD, "nor if the file cannot be read");
	daemon_end(&daemon);
}

/* TLS */

static const uint8_t *admitted;		/* the key that both ends expect; NULL: each other's */
static struct identity identities[3];
static unsigned int messages;

static bool admit(struct session *session, const uint8_t key[KEY_LEN], struct why *reason)
{
	const uint8_t *want = admitted ?: identities[session->dialed].public_key;

	/* the dialing end has number 0, so it expects number 1 */
	if (session->dialed)
		want = identities[1].public_key;
	if (!memcmp(want, key, KEY_LEN))
		return true;
	return why_not(reason, "it is a stranger");
}

static bool opened(struct session *session, struct why *reason)
{
	const struct message hello = { .type = MESSAGE_HELLO, .number = 1 };

	return session_send(session, &hello, reason);
}

static bool take(struct session *session, const struct message *message, struct why *reason)
{
	(void)session;
	(void)reason;
	messages += message->type == MESSAGE_HELLO && message->number == 1;
	return true;
}

static const struct session_ops session_ops = {
	.admit = admit,
	.opened = opened,
	.take = take,
};

/* Connect two sessions by TCP, [0] dials. */
static bool connect_sessions(const struct tls tls[2], struct session *session[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t len = sizeof(address);
	char endpoint[ENDPOINT_MAX];
	int listener, fd;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (void *)&address, len) || listen(listener, 1) ||
	    getsockname(listener, (void *)&address, &len))
		abort();
	snprintf(endpoint, sizeof(endpoint), "127.0.0.1:%u", ntohs(address.sin_port));
	session[0] = session_dial(&tls[0], endpoint, &why);
	fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
	close(listener);
	session[1] = session_accept(&tls[1], fd, "the client", &why);
	if (!session[0] || !session[1])
		return false;
	session[0]->ops = &session_ops;
	session[1]->ops = &session_ops;
	return true;
}

/* Run both until each has a message, or one has failed. Return which has failed first, or -1. */
static int run_sessions(struct session *session[2], struct why reason[2])
{
	struct pollfd fds[2];
	bool over[2] = {};
	unsigned int turns, i;
	int failed = -1;

	messages = 0;
	for (turns = 0; turns < 1000 && messages < 2 && !(over[0] && over[1]); turns++) {
		for (i = 0; i < 2; i++)
			fds[i] = (struct pollfd) {
				.fd = over[i] ? -1 : session[i]->fd,
				.events = session_events(session[i]),
			};
		poll(fds, 2, 1000);
		for (i = 0; i < 2; i++) {
			if (over[i] || !fds[i].revents ||
			    session_run(session[i], clock_ms(), &reason[i]))
				continue;
			over[i] = true;
			if (failed < 0)
				failed = i;
			/* the owner would close it */
			shutdown(session[i]->fd, SHUT_RDWR);
		}
	}
	return failed;
}

static void close_sessions(struct session *session[2])
{
	session_close(session[0]);
	session_close(session[1]);
}

/* Export a secret at an end, for the pair of identities 0 and @peer. */
static bool export(struct session *session, unsigned int peer, uint64_t generation,
		   uint8_t secret[TLS_SECRET_LEN])
{
	uint8_t context[TLS_CONTEXT_LEN];

	tls_context(identities[0].public_key, identities[peer].public_key, generation, context);
	return tls_secret(session->gnutls, context, secret, &why);
}

static void test_secrets(struct session *session[2])
{
	uint8_t secret[4][TLS_SECRET_LEN];

	check(export(session[0], 1, 1, secret[0]) && export(session[1], 1, 1, secret[1]) &&
	      !memcmp(secret[0], secret[1], TLS_SECRET_LEN), "both ends have the same secret");
	check(export(session[0], 1, 2, secret[2]) && export(session[0], 2, 1, secret[3]) &&
	      memcmp(secret[0], secret[2], TLS_SECRET_LEN) &&
	      memcmp(secret[0], secret[3], TLS_SECRET_LEN),
	      "and another for another generation, or another peer");
}

static void test_key_of_deleted_peer(struct session *session)
{
	struct daemon daemon;
	struct link *link;
	bool fine;

	fine = daemon_start(&daemon, "a " TWO_KEY " - 192.0.2.1\n");
	link = link_of(&daemon, "a");
	session->daemon = &daemon;
	session->link = link;
	fine = fine && link_session_ops.opened(session, &why) &&
		link->exchange.ops->stage(link, 1, false, &why);
	check(fine && kernel_cmd() == SRNIC_CMD_KEY_ADD, "a peer gets its key");
	write_file("peers", "", 0644);
	kernel.err = EEXIST;
	kernel.refuse_cmd = SRNIC_CMD_POLICY_ADD;
	fine = link->exchange.ops->stage(link, 2, false, &why);
	check(fails(fine, "no longer in the file") && kernel_cmd() == SRNIC_CMD_KEY_DEL &&
	      attr_is_text(kernel_attr(SRNIC_A_KEY_NAME), "a"),
	      "which is deleted if the peer was deleted meanwhile");
	session->link = NULL;		/* the caller closes it */
	daemon_end(&daemon);
}

static void test_tls(void)
{
	struct session *session[2];
	struct why reason[2] = {};
	struct tls tls[3];
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!identity_make(&identities[i], &why) ||
		    !tls_init(&tls[i], &identities[i], session_verify, &why))
			break;
	check(i == 3, "GnuTLS has all that is needed");
	check(connect_sessions(tls, session) && run_sessions(session, reason) == -1 &&
	      messages == 2, "two ends that know each other's keys");
	test_secrets(session);
	test_key_of_deleted_peer(session[0]);
	close_sessions(session);

	admitted = identities[2].public_key;
	check(connect_sessions(tls, session) && run_sessions(session, reason) >= 0 && !messages &&
	      strstr(reason[1].text, "stranger") &&
	      strstr(reason[0].text, "refuses the public key of this host"),
	      "a client whose key is not the peer's is refused, and learns why");
	printf("# client: %s; server: %s\n", reason[0].text, reason[1].text);
	close_sessions(session);

	admitted = NULL;
	tls_exit(&tls[1]);
	tls[1] = tls[2];
	check(connect_sessions(tls, session) && run_sessions(session, reason) >= 0 &&
	      strstr(reason[0].text, "stranger") &&
	      strstr(reason[1].text, "refuses the public key of this host"),
	      "so is a server");
	printf("# client: %s; server: %s\n", reason[0].text, reason[1].text);
	close_sessions(session);
	tls_exit(&tls[0]);
	tls_exit(&tls[1]);
}

static void test_context(void)
{
	uint8_t low[KEY_LEN] = { 1 }, high[KEY_LEN] = { 2 };
	uint8_t context[TLS_CONTEXT_LEN], other[TLS_CONTEXT_LEN];

	tls_context(low, high, 0x0102030405060708, context);
	tls_context(high, low, 0x0102030405060708, other);
	check(!memcmp(context, other, sizeof(context)) && context[0] == 1 &&
	      context[KEY_LEN] == 2 && context[2 * KEY_LEN] == 1 && context[2 * KEY_LEN + 7] == 8,
	      "the context is the same at both ends");
}

static struct in6_addr address(const char *text)
{
	struct in6_addr in6 = {};

	if (inet_pton(AF_INET6, text, &in6) != 1)
		abort();
	return in6;
}

/* Add a connection that began at this time to the list; room for it is made first. */
static void knock(struct session **list, const char *host, enum stranger_class class,
		  uint64_t now)
{
	const struct source source = { .host = address(host), .class = class };
	struct session *excess = strangers_excess(*list, &source);
	struct session **at, *session;

	for (at = list; *at; at = &(*at)->next)
		if (*at == excess) {
			*at = excess->next;
			free(excess);
			break;
		}
	session = calloc(1, sizeof(*session));
	if (!session)
		abort();
	session->source = source;
	session->since = now;
	session->next = *list;
	*list = session;
}

/* Count the connections of a host that began at a time or later. */
static unsigned int count(const struct session *list, const char *host, uint64_t since)
{
	struct in6_addr wanted = address(host);
	unsigned int n = 0;

	for (; list; list = list->next)
		n += IN6_ARE_ADDR_EQUAL(&list->source.host, &wanted) && list->since >= since;
	return n;
}

static void test_strangers(void)
{
	struct session *list = NULL, *next;
	struct strangers strangers = {};
	unsigned int i, begun = 0;
	uint64_t now = 1;
	char host[40];

	knock(&list, "::ffff:192.0.2.9", STRANGER_EXPECTED, now++);
	knock(&list, "2001:db8:1::", STRANGER_UNKNOWN, now++);
	for (i = 0; i < 1000; i++)
		knock(&list, "2001:db8:2::", STRANGER_UNKNOWN, now++);
	check(count(list, "2001:db8:2::", 0) == STRANGERS_OF_HOST &&
	      count(list, "2001:db8:2::", now - STRANGERS_OF_HOST) == STRANGERS_OF_HOST &&
	      count(list, "2001:db8:1::", 0) == 1,
	      "a host has eight connections that are being made: the next one takes the place of its oldest");
	for (i = 0; i < STRANGERS_MAX - STRANGERS_OF_HOST; i++) {
		snprintf(host, sizeof(host), "2001:db8:3:%x::", i);
		knock(&list, host, STRANGER_UNKNOWN, now++);
	}
	check(count(list, "2001:db8:2::", 0) == STRANGERS_OF_HOST - 1 &&
	      count(list, "2001:db8:1::", 0) == 1,
	      "if there are too many, the host with the most makes room");
	for (i = 0; i < 1000; i++) {
		snprintf(host, sizeof(host), "2001:db8:4:%x::", i);
		knock(&list, host, STRANGER_UNKNOWN, now++);
	}
	for (i = 0, next = list; next; next = next->next)
		i++;
	check(i == STRANGERS_MAX + 1 && count(list, "::ffff:192.0.2.9", 0) == 1,
	      "strangers of many hosts do not take the place of one from a peer's address");
	while ((next = list)) {
		list = next->next;
		free(next);
	}

	for (i = 0; i < 3000; i++)
		begun += strangers_begin(&strangers, STRANGER_UNKNOWN, 100000 + i);
	check(begun >= 3 * STRANGERS_A_SECOND && begun <= 4 * STRANGERS_A_SECOND &&
	      strangers_begin(&strangers, STRANGER_EXPECTED, 100000 + i),
	      "32 connections begin in a second, and as many from peers' addresses");
}

static void test_sources(void)
{
	struct in6_addr at, mapped = address("::ffff:192.0.2.7"), other = address("2001:db8::7");
	struct in6_addr network = address("2001:db8::");
	struct sockaddr_storage storage;
	struct peer peer = {};
	socklen_t len;

	endpoint_address("192.0.2.7:1", &storage, &len);
	at = address_of(&storage);
	check(IN6_ARE_ADDR_EQUAL(&at, &mapped), "an IPv4 address is mapped");
	at = host_of(&mapped);
	check(IN6_ARE_ADDR_EQUAL(&at, &mapped), "each IPv4 address is a host");
	at = host_of(&other);
	check(IN6_ARE_ADDR_EQUAL(&at, &network), "an IPv6 network is one host");

	peer_set_prefix(&peer, "192.0.2.0/29", &why);
	check(peer_has_address(&peer, &mapped) && !peer_has_address(&peer, &other),
	      "a peer has the addresses of its RDMA devices");
	at = address("::ffff:192.0.2.8");
	check(!peer_has_address(&peer, &at), "not those beyond the prefix");
	peer_set_endpoint(&peer, "[2001:db8::7]:14791", &why);
	check(peer_has_address(&peer, &other), "a peer has the address of its endpoint");
}

int main(void)
{
	if (!mkdtemp(folder))
		abort();
	test_texts();
	test_identity();
	test_credentials();
	test_endpoints();
	test_peers();
	test_peers_kept();
	test_messages();
	test_generations();
	test_breaks();
	test_wants();
	test_volume();
	test_out_of_turn();
	test_links();
	test_unusable_peers();
	test_deleted_peer();
	test_sources();
	test_strangers();
	test_context();
	test_tls();
	unlink(file("key"));
	unlink(file("bad"));
	unlink(file("peers"));
	rmdir(folder);
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
