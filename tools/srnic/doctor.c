// SPDX-License-Identifier: GPL-2.0
/*
 * srnic doctor: look for what keeps srnic from working, or makes it slow, and say what to do.
 */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <srnic_version.h>
#include "../srnicd/identity.h"
#include "../srnicd/peers.h"
#include "cli.h"
#include "json.h"
#include "keys.h"
#include "list.h"
#include "provider.h"

#define ROCE_PORT	4791
#define MTU_OF_4096	4200		/* of a netdev for packets of 4096 bytes, sealed */
#define MEMLOCK		(64 << 20)	/* bytes; fewer are soon used up */
#define PAST		1767225600	/* 2026-01-01, before which no host of srnic can be */

enum verdict {
	FINE,
	NOTE,		/* slow, or a limit */
	FAULT,		/* something does not work */
};

static const char *const verdict_names[] = { "ok", "note", "FAULT" };

struct doctor {
	struct table table;
	unsigned int faults;
	struct srnic_list *devs;
	struct srnic_list *rules;
	struct srnic_list *keys;
	struct srnic_list *suites;
	struct peers peers;	/* of srnicd */
};

/* @todo: NULL: nothing */
static void found(struct doctor *d, enum verdict how, const char *todo, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void found(struct doctor *d, enum verdict how, const char *todo, const char *fmt, ...)
{
	char text[PATH_MAX + 100];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	d->faults += how == FAULT;
	if (!cli.json) {
		table_cell(&d->table, "%s", verdict_names[how]);
		table_cell(&d->table, "%s", text);
		table_cell(&d->table, "%s", todo ?: "-");
		return;
	}
	json_open(NULL, '{');
	json_string("verdict", how == FAULT ? "fault" : verdict_names[how]);
	json_string("what", text);
	if (todo)
		json_string("todo", todo);
	json_close();
}

static FILE *open_host(const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", cli.root ?: "", path);
	return fopen(full, "re");
}

/* Read the first line of a file; return false if there is none. */
static bool read_line(const char *path, char *line, int room)
{
	FILE *from = open_host(path);
	bool got;

	if (!from)
		return false;
	got = fgets(line, room, from);
	fclose(from);
	if (got)
		line[strcspn(line, "\n")] = '\0';
	return got;
}

/* Whether a file of this pattern exists */
static bool exists(const char *pattern)
{
	char full[2 * PATH_MAX];
	glob_t names;
	int err;

	snprintf(full, sizeof(full), "%s%s", cli.root ?: "", pattern);
	err = glob(full, 0, NULL, &names);
	globfree(&names);
	return !err;
}

/* ---------------------------------------------------------------- kernel */

static void look_at_version(struct doctor *d)
{
	char line[64];

	if (read_line("/sys/module/srnic/version", line, sizeof(line)) &&
	    strcmp(line, SRNIC_VERSION))
		found(d, FAULT, "install both from one tree, and load the module again",
		      "the module has version %s, the tools have %s", line, SRNIC_VERSION);
	else
		found(d, FINE, NULL, "the module is loaded");
}

static void look_at_mode(struct doctor *d)
{
	char line[8];

	if (read_line("/sys/module/ib_core/parameters/netns_mode", line, sizeof(line)) &&
	    line[0] == 'N')
		found(d, NOTE, "rdma dev set DEV netns NAME, for a program in another namespace",
		      "programs see devices of their own network namespace only (rdma system)");
}

/* --------------------------------------------------------------- devices */

static void look_at_port(struct doctor *d)
{
	struct sockaddr_in6 any = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(ROCE_PORT),
	};
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (bind(fd, (struct sockaddr *)&any, sizeof(any)) && errno == EADDRINUSE)
		found(d, FAULT, "modprobe -r rdma_rxe, or move one of the netdevs to another namespace",
		      "UDP port %d is taken, usually by rxe: dmesg names the owner", ROCE_PORT);
	close(fd);
}

static void look_at_netdev(struct doctor *d, const char *name)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {};
	char todo[128];

	if (fd < 0)
		return;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	snprintf(todo, sizeof(todo), "ip link set %s up; look at the cable", name);
	if (!ioctl(fd, SIOCGIFFLAGS, &request) &&
	    (request.ifr_flags & (IFF_UP | IFF_RUNNING)) != (IFF_UP | IFF_RUNNING))
		found(d, FAULT, todo, "netdev %s has no carrier", name);
	snprintf(todo, sizeof(todo), "ip link set %s mtu %d, if the whole network takes it", name,
		 MTU_OF_4096);
	if (!ioctl(fd, SIOCGIFMTU, &request) && request.ifr_mtu < MTU_OF_4096)
		found(d, NOTE, todo, "netdev %s has MTU %d: packets carry less than 4096 bytes",
		      name, request.ifr_mtu);
	close(fd);
}

/* A peer of another version, with which no sealed connection begins */
static void look_at_peers_version(struct doctor *d, const char *dev)
{
	static const char counter[] = "/sys/class/infiniband/%s/ports/1/hw_counters/sth_version";
	char path[PATH_MAX], line[32];

	snprintf(path, sizeof(path), counter, dev);
	if (read_line(path, line, sizeof(line)) && strcmp(line, "0"))
		found(d, NOTE, "install the same version of srnic at both ends",
		      "device %s: %s handshakes of another version of the seal have arrived", dev,
		      line);
}

static void look_at_devices(struct doctor *d)
{
	const struct srnic_dev *dev;
	char name[IF_NAMESIZE];
	unsigned int n = 0;

	srnic_for_each_dev(dev, d->devs) {
		n++;
		found(d, FINE, NULL, "device %s", srnic_dev_name(dev));
		if (if_indextoname(srnic_dev_ifindex(dev), name))
			look_at_netdev(d, name);
		look_at_peers_version(d, srnic_dev_name(dev));
	}
	if (n)
		return;
	found(d, FAULT, "rdma link add NAME type srnic netdev NETDEV",
	      "there is no device in this network namespace");
	look_at_port(d);
}

/* ----------------------------------------------------------------- rules */

static bool has_suite(const struct doctor *d, const char *name)
{
	const struct srnic_suite *suite;

	srnic_for_each_suite(suite, d->suites)
		if (!strcmp(srnic_suite_name(suite), name))
			return srnic_suite_available(suite);
	return false;
}

static void look_at_rule(struct doctor *d, const struct srnic_policy *policy)
{
	bool require = srnic_policy_rule(policy) == SRNIC_RULE_REQUIRE;
	struct srnic_prefix prefix = srnic_policy_prefix(policy);
	const char *without = require ? "no connection is made" : "connections are in the clear";
	const char *key = srnic_policy_key(policy);
	char text[SRNIC_TEXT_MAX], todo[128];

	srnic_prefix_text(&prefix, text);
	if (peers_find(&d->peers, key))
		snprintf(todo, sizeof(todo), "systemctl enable --now srnicd here and there, or look at its messages");
	else
		snprintf(todo, sizeof(todo), "srnic key add %s --file FILE", key);
	if (!keys_have(d->keys, key))
		found(d, require ? FAULT : NOTE, todo, "rule %s: key %s is missing, %s", text, key,
		      without);
	if (!has_suite(d, srnic_policy_suite(policy)))
		found(d, require ? FAULT : NOTE, "srnic suite list, and choose another one",
		      "rule %s: this kernel lacks %s, %s", text, srnic_policy_suite(policy),
		      without);
}

static bool processor_has_aes(void)
{
	FILE *from = open_host("/proc/cpuinfo");
	char line[4096];
	bool aes = false;

	if (!from)
		return true;	/* not known */
	while (!aes && fgets(line, sizeof(line), from))
		aes = strstr(line, " aes ");
	fclose(from);
	return aes;
}

static void look_at_rules(struct doctor *d)
{
	const struct srnic_policy *policy;
	bool aes = false;

	srnic_for_each_policy(policy, d->rules) {
		if (!*srnic_policy_key(policy))
			continue;
		look_at_rule(d, policy);
		aes |= !strncmp(srnic_policy_suite(policy), "aes", 3);
	}
	if (aes && !processor_has_aes())
		found(d, NOTE, "srnic policy replace PREFIX … chacha20-poly1305 …, at both ends",
		      "this processor has no AES instructions, and rules use AES");
}

static void look_at_peers(struct doctor *d)
{
	struct why why;

	if (!peers_read(identity_folder(), &d->peers, &why))
		found(d, FAULT, "correct the line: srnicd does not start", "%s", why.text);
}

/* ------------------------------------------------------------- user space */

static void look_at_provider(struct doctor *d)
{
	char path[PATH_MAX];

	if (!provider_path(path, sizeof(path)))
		found(d, FAULT, "install libibverbs1",
		      "there is no libibverbs, and no provider for srnic");
	else if (!exists("/etc/libibverbs.d/srnic.driver"))
		found(d, FAULT, "install ibverbs-provider-srnic, or make install",
		      "libibverbs has no provider for srnic");
	else if (!exists(path))
		found(d, FAULT, "install ibverbs-provider-srnic, or make install",
		      "libibverbs looks for a provider for srnic at %s", path);
}

static void look_at_user_space(struct doctor *d)
{
	look_at_provider(d);
	if (!exists("/dev/infiniband/uverbs*"))
		found(d, FAULT, "modprobe ib_uverbs", "there is no /dev/infiniband/uverbs*");
	if (!exists("/dev/infiniband/rdma_cm"))
		found(d, FAULT, "modprobe rdma_ucm",
		      "there is no /dev/infiniband/rdma_cm, which rping and others need");
}

static void look_at_limits(struct doctor *d)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur < MEMLOCK)
		found(d, NOTE, "ulimit -l unlimited, or LimitMEMLOCK= of the unit",
		      "a program without privileges may register %llu KiB only",
		      (unsigned long long)limit.rlim_cur >> 10);
	if (time(NULL) < PAST)
		found(d, FAULT, "timedatectl set-ntp true",
		      "the clock is wrong: keys and requests are refused by time");
}

static void look_at_kernel(struct doctor *d)
{
	struct srnic *srnic;

	if (srnic_open(&srnic, SRNIC_NETNS_OWN)) {
		found(d, FAULT, "modprobe srnic", "%s", srnic_error());
		return;
	}
	look_at_version(d);
	if (srnic_dev_list(srnic, &d->devs))
		found(d, FAULT, NULL, "devices cannot be listed: %s", srnic_error());
	else
		look_at_devices(d);
	if (srnic_policy_list(srnic, &d->rules) || srnic_key_list(srnic, &d->keys) ||
	    srnic_suite_list(srnic, &d->suites))
		found(d, NOTE, "run this as root", "rules are not looked at: %s", srnic_error());
	else
		look_at_rules(d);
	srnic_close(srnic);
}

int doctor_run(struct args *args)
{
	static const struct column columns[] = {
		{ "", false }, { "WHAT", false }, { "WHAT TO DO", false },
	};
	struct doctor d = {
		.table = { .columns = columns, .num = NUM(columns) },
	};
	int err = args_end(args);

	if (err)
		return err;
	list_begin();
	look_at_peers(&d);
	look_at_kernel(&d);
	look_at_mode(&d);
	look_at_user_space(&d);
	look_at_limits(&d);
	list_end(&d.table);
	srnic_list_free(d.devs);
	srnic_list_free(d.rules);
	srnic_list_free(d.keys);
	srnic_list_free(d.suites);
	peers_free(&d.peers);
	return d.faults ? CLI_REFUSED : CLI_OK;
}
