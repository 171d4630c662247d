// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the file of peers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "path.h"
#include "peers.h"

#define WORDS_MAX	5
#define WORDS_MIN	4

static bool set_word(struct peer *peer, unsigned int at, const char *word, struct why *why)
{
	switch (at) {
	case 0:
		return peer_set_name(peer, word, why);
	case 1:
		return peer_set_public_key(peer, word, why);
	case 2:
		return peer_set_endpoint(peer, word, why);
	case 3:
		return peer_set_prefix(peer, word, why);
	default:
		return peer_set_suite(peer, word, why);
	}
}

/* Parse a line, which is changed. @peer->name stays empty if the line has no peer. */
static bool parse_line(char *line, struct peer *peer, struct why *why)
{
	unsigned int count = 0;
	char *word, *rest;

	memset(peer, 0, sizeof(*peer));
	snprintf(peer->suite, sizeof(peer->suite), PEER_SUITE);
	line[strcspn(line, "#\r\n")] = '\0';
	for (word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (count == WORDS_MAX)
			return why_not(why, "'%.40s' is not expected: a line has at most %d words",
				       word, WORDS_MAX);
		if (!set_word(peer, count++, word, why))
			return false;
	}
	if (!count || count >= WORDS_MIN)
		return true;
	return why_not(why, "a line has a name, a public key, an endpoint or '-', and an address");
}

struct peer *peers_find(const struct peers *peers, const char *name)
{
	unsigned int i;

	for (i = 0; i < peers->count; i++)
		if (!strcmp(peers->list[i].name, name))
			return &peers->list[i];
	return NULL;
}

/* Two peers must differ in all that tells them apart. */
static bool check_unique(const struct peers *peers, const struct peer *peer, struct why *why)
{
	const struct peer *other = peers_find(peers, peer->name);
	unsigned int i;

	if (other)
		return why_not(why, "there is a peer '%s': delete it first, by 'srnic peer del %s'",
			       peer->name, peer->name);
	for (i = 0; i < peers->count; i++) {
		other = &peers->list[i];
		if (!memcmp(other->public_key, peer->public_key, KEY_LEN))
			return why_not(why, "peer '%s' has this public key", other->name);
		if (!memcmp(&other->prefix, &peer->prefix, sizeof(peer->prefix)))
			return why_not(why, "peer '%s' has this address", other->name);
	}
	return true;
}

bool peers_append(struct peers *peers, const struct peer *peer, struct why *why)
{
	struct peer *list;

	if (!check_unique(peers, peer, why))
		return false;
	if (peers->count == PEERS_MAX)
		return why_not(why, "there are %d peers already, which is the maximum", PEERS_MAX);
	list = realloc(peers->list, (peers->count + 1) * sizeof(*list));
	if (!list)
		return why_not(why, "out of memory");
	list[peers->count++] = *peer;
	peers->list = list;
	return true;
}

static bool read_lines(FILE *file, const char *path, struct peers *peers, struct why *why)
{
	struct why reason;
	unsigned int number = 0;
	struct peer peer;
	bool fine = true;
	char *line = NULL;
	size_t size = 0;

	while (fine && getline(&line, &size, file) >= 0) {
		number++;
		fine = parse_line(line, &peer, &reason) &&
			(!peer.name[0] || peers_append(peers, &peer, &reason));
	}
	free(line);
	if (!fine)
		return why_not(why, "%.100s, line %u: %.250s", path, number, reason.text);
	return !ferror(file) || why_not(why, "cannot read %.100s: %s", path, strerror(errno));
}

bool peers_read(const char *folder, struct peers *peers, struct why *why)
{
	char path[PATH_MAX];
	FILE *file;
	bool fine;

	memset(peers, 0, sizeof(*peers));
	if (!path_join(path, folder, PEERS_FILE, why))
		return false;
	file = fopen(path, "re");
	if (!file && errno == ENOENT)
		return true;
	if (!file)
		return why_not(why, "cannot open %.100s: %s", path, strerror(errno));
	fine = read_lines(file, path, peers, why);
	fclose(file);
	if (!fine)
		peers_free(peers);
	return fine;
}

void peers_free(struct peers *peers)
{
	free(peers->list);
	memset(peers, 0, sizeof(*peers));
}
