// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * in - run a command at one end of the test bed, a or b.
 *
 *	in END COMMAND...
 *	in-END COMMAND...
 *
 * "in" is a reserved word of the shell. In a script write in-a and in-b, or \in a.
 *
 * Where that end is a namespace, the command runs inside it, and has a mount namespace whose
 * /sys shows the end's devices, as ip-netns(8) describes. Where it is in the initial namespace
 * (testbed up --flat), the command runs there. Where it is in another VM (testbed up --pair),
 * it runs in that one.
 *
 * Tests start this program all the time, and under emulation a shell and ip(8) take more than
 * twice as long as it does: it is linked statically.
 *
 * Example:
 *	in-a srnic show
 */
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define NAMESPACES	"/run/netns/"
#define TESTBED		"/run/testbed"
/* It exists while end b is in another VM */
#define PAIR		"/run/testbed-pair"

/* A mount of sysfs shows the network namespace of the process that mounted it. */
static void mount_sysfs(const char *name)
{
	if (unshare(CLONE_NEWNS))
		err(1, "cannot create a mount namespace");
	/* Mounts of the parent namespace appear here, ours do not appear there */
	if (mount("", "/", "none", MS_SLAVE | MS_REC, NULL))
		err(1, "cannot separate the mount namespace");
	umount2("/sys", MNT_DETACH);
	if (mount(name, "/sys", "sysfs", 0, NULL))
		err(1, "cannot mount sysfs");
}

static void enter(int namespace, const char *name)
{
	if (setns(namespace, CLONE_NEWNET))
		err(1, "cannot enter the namespace %s", name);
	mount_sysfs(name);
}

static int namespace_of(const char *end)
{
	char path[sizeof(NAMESPACES) + 16];

	snprintf(path, sizeof(path), NAMESPACES "%.15s", end);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Go to that end; return whether it is in the other VM. */
static bool go_to(const char *end)
{
	int namespace = namespace_of(end);
	bool is_b = !strcmp(end, "b");

	if (namespace >= 0) {
		enter(namespace, end);
		return false;
	}
	if (is_b && !access(PAIR, F_OK))
		return true;
	if ((!is_b && strcmp(end, "a")) || access(TESTBED, F_OK))
		errx(1, "there is no end '%s': run 'testbed up' first, and use a or b", end);
	return false;
}

/* Execute a command in the other VM. */
static void ask_agent(int words, char **command)
{
	char *ask[words + 3];

	ask[0] = "agent";
	ask[1] = "run";
	memcpy(ask + 2, command, (words + 1) * sizeof(*command));
	execvp(ask[0], ask);
	err(127, "%s", ask[0]);
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];
	/* in-END, or in END */
	bool fixed = !strncmp(name, "in-", 3);
	char **command = argv + (fixed ? 1 : 2);
	int words = argc - (command - argv);

	if (words < 1) {
		fputs("usage: in END COMMAND... (END is a or b), for example: in a srnic show\n",
		      stderr);
		return 2;
	}
	if (go_to(fixed ? name + 3 : argv[1]))
		ask_agent(words, command);
	execvp(command[0], command);
	err(127, "%s", command[0]);
}
