// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include "kernel.h"

static bool done(int err, struct why *why)
{
	return !err || why_not(why, "%s", srnic_error());
}

bool kernel_open(struct kernel *kernel, struct why *why)
{
	struct srnic_list *list = NULL;
	int err;

	err = srnic_open(&kernel->queries, SRNIC_NETNS_OWN);
	if (!err)
		err = srnic_open(&kernel->reports, SRNIC_NETNS_OWN);
	if (!err)
		err = srnic_wanted_follow(kernel->reports, 0, &list);
	srnic_list_free(list);
	if (!err)
		return true;
	done(err, why);
	kernel_close(kernel);
	return false;
}

void kernel_close(struct kernel *kernel)
{
	srnic_close(kernel->queries);
	srnic_close(kernel->reports);
	memset(kernel, 0, sizeof(*kernel));
}

static bool list_keys(struct kernel *kernel, struct srnic_list **list, struct why *why)
{
	if (kernel->queries && !srnic_key_list(kernel->queries, list))
		return true;
	/* the module may have been loaded anew: it has another number then, and no keys */
	kernel_close(kernel);
	return kernel_open(kernel, why) && done(srnic_key_list(kernel->queries, list), why);
}

static enum key_state state_of(const struct srnic_key *key)
{
	if (!srnic_key_other_len(key))
		return KEY_ONE;
	return srnic_key_is_staged(key) ? KEY_NEXT : KEY_FORMER;
}

bool kernel_look(struct kernel *kernel, const char *name, struct kernel_key *found,
		 struct why *why)
{
	const struct srnic_key *key;
	struct srnic_list *list;

	if (!list_keys(kernel, &list, why))
		return false;
	*found = (struct kernel_key) { .state = KEY_NONE };
	srnic_for_each_key(key, list)
		if (!strcmp(srnic_key_name(key), name))
			*found = (struct kernel_key) { state_of(key), srnic_key_sealed(key) };
	srnic_list_free(list);
	return true;
}

bool kernel_state(struct kernel *kernel, const char *name, enum key_state *state,
		  struct why *why)
{
	struct kernel_key key;

	if (!kernel_look(kernel, name, &key, why))
		return false;
	*state = key.state;
	return true;
}

bool kernel_stage(struct kernel *kernel, const char *name, const uint8_t secret[TLS_SECRET_LEN],
		  bool fresh, struct why *why)
{
	enum key_state state;

	if (!kernel_state(kernel, name, &state, why))
		return false;
	if (state == KEY_NONE || fresh)
		return done(srnic_key_add(kernel->queries, name, secret, TLS_SECRET_LEN,
					  SRNIC_REPLACE), why);
	/* another program has staged a secret meanwhile, which no peer knows */
	if (state != KEY_ONE && !done(srnic_key_retire(kernel->queries, name), why))
		return false;
	return done(srnic_key_stage(kernel->queries, name, secret, TLS_SECRET_LEN), why);
}

bool kernel_promote(struct kernel *kernel, const char *name, struct why *why)
{
	enum key_state state;

	if (!kernel_state(kernel, name, &state, why))
		return false;
	/* the first secret of a key is the current one at once */
	return state != KEY_NEXT || done(srnic_key_promote(kernel->queries, name), why);
}

bool kernel_retire(struct kernel *kernel, const char *name, struct why *why)
{
	enum key_state state;

	if (!kernel_state(kernel, name, &state, why))
		return false;
	return state == KEY_NONE || state == KEY_ONE ||
		done(srnic_key_retire(kernel->queries, name), why);
}

bool kernel_require(struct kernel *kernel, const struct peer *peer, bool *added, struct why *why)
{
	int err;

	*added = false;
	if (!kernel->queries && !kernel_open(kernel, why))
		return false;
	err = srnic_policy_add(kernel->queries, &peer->prefix, SRNIC_RULE_REQUIRE,
			       SRNIC_MODE_AEAD, peer->suite, peer->name, 0);
	*added = !err;
	/* EEXIST: the administrator has a rule for this prefix, which stays */
	return err == -EEXIST || done(err, why);
}

void kernel_unrequire(struct kernel *kernel, const struct peer *peer)
{
	srnic_policy_del(kernel->queries, &peer->prefix);
}

void kernel_forget(struct kernel *kernel, const char *name)
{
	srnic_key_del(kernel->queries, name);
}

bool kernel_reports(struct kernel *kernel, void (*wanted)(void *context, const char *name),
		    void *context, struct why *why)
{
	const struct srnic_wanted *report;
	struct srnic_list *list;
	int err;

	err = srnic_wanted_follow(kernel->reports, 0, &list);
	/* lost reports are repeated when the keys are wanted again */
	if (err == -ENOBUFS || err == -EINTR)
		return true;
	if (err)
		return done(err, why);
	srnic_for_each_wanted(report, list)
		wanted(context, srnic_wanted_key(report));
	srnic_list_free(list);
	return true;
}
