// SPDX-License-Identifier: GPL-2.0
/*
 * Changing the file of peers: a new file takes the place of the old one, so that a reader sees
 * one of them as a whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "path.h"
#include "peers.h"

/* Lock the folder, so that two changes do not undo each other. Return a descriptor, or -1. */
static int lock_folder(const char *folder, struct why *why)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX)) {
		why_not(why, "cannot open the folder %.100s: %s%s", folder, strerror(errno),
			errno == ENOENT ? ": make it, or run 'srnic genkey' first" : "");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

static bool is_line_of(const char *line, const char *name)
{
	size_t len = strlen(name);

	line += strspn(line, " \t");
	return !strncmp(line, name, len) && strchr(" \t\n", line[len]);
}

/* Copy all lines but those of peer @name. Return 0, or an errno if not all could be read. */
static int copy_lines(FILE *from, FILE *to, const char *name)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	while (from && (len = getline(&line, &size, from)) >= 0) {
		if (name && is_line_of(line, name))
			continue;
		fputs(line, to);
		if (len && line[len - 1] != '\n')
			fputc('\n', to);
	}
	if (from && !feof(from))
		err = errno ? errno : EIO;
	free(line);
	return err;
}

static void write_line(FILE *to, const struct peer *peer)
{
	char key[KEY_TEXT_LEN + 1], prefix[SRNIC_TEXT_MAX];

	key_to_text(peer->public_key, key);
	fprintf(to, "%s %s %s %s %s\n", peer->name, key, *peer->endpoint ? peer->endpoint : "-",
		srnic_prefix_text(&peer->prefix, prefix), peer->suite);
}

/* Write all lines of the new file to disk. Return 0, or an errno. */
static int write_lines(FILE *from, FILE *to, const char *drop, const struct peer *add)
{
	int err = copy_lines(from, to, drop);

	if (add)
		write_line(to, add);
	/* public keys are no secret */
	if (!err && (fchmod(fileno(to), 0644) || fflush(to) || fsync(fileno(to))))
		err = errno;
	/* also what was written before the last flush */
	if (!err && ferror(to))
		err = EIO;
	return err;
}

/* Replace the file: without the line of peer @drop, and with one for @add; either may be NULL. */
static bool replace_file(const char *folder, const char *drop, const struct peer *add,
			 struct why *why)
{
	char path[PATH_MAX], new_path[PATH_MAX];
	FILE *from, *to;
	int err = 0;

	if (!path_join(path, folder, PEERS_FILE, why) ||
	    !path_join(new_path, folder, PEERS_FILE ".new", why))
		return false;
	to = fopen(new_path, "we");
	if (!to)
		return why_not(why, "cannot create %.100s: %s", new_path, strerror(errno));
	from = fopen(path, "re");
	/* only a file that does not exist has no lines to keep */
	if (!from && errno != ENOENT)
		err = errno;
	if (!err)
		err = write_lines(from, to, drop, add);
	if (from)
		fclose(from);
	if (fclose(to) && !err)
		err = errno;
	if (!err && rename(new_path, path))
		err = errno;
	if (!err)
		return true;
	unlink(new_path);
	return why_not(why, "cannot write %.100s: %s", path, strerror(err));
}

/* A change of the file, whose peers are in @peers */
typedef bool (*change_fn)(const char *folder, struct peers *peers, struct peer *peer,
			  struct why *why);

static bool change_locked(const char *folder, change_fn change, struct peer *peer,
			  struct why *why)
{
	struct peers peers;
	int lock = lock_folder(folder, why);
	bool fine;

	if (lock < 0)
		return false;
	fine = peers_read(folder, &peers, why) && change(folder, &peers, peer, why);
	peers_free(&peers);
	close(lock);
	return fine;
}

/* Appending to the list shows whether the new file can be read. */
static bool add(const char *folder, struct peers *peers, struct peer *peer, struct why *why)
{
	return peers_append(peers, peer, why) && replace_file(folder, NULL, peer, why);
}

static bool del(const char *folder, struct peers *peers, struct peer *peer, struct why *why)
{
	const struct peer *found = peers_find(peers, peer->name);

	if (!found)
		return why_not(why, "no peer '%s': see 'srnic peer list'", peer->name);
	*peer = *found;
	return replace_file(folder, peer->name, NULL, why);
}

bool peers_add(const char *folder, const struct peer *peer, struct why *why)
{
	struct peer added = *peer;

	return change_locked(folder, add, &added, why);
}

bool peers_del(const char *folder, struct peer *peer, struct why *why)
{
	return change_locked(folder, del, peer, why);
}
