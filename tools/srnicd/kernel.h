/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel - keys and rules of this network namespace, and reports of missing keys, by libsrnic(7).
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "message.h"
#include "peers.h"
#include "tls.h"

/* The reports have a handle of their own: a query would lose them */
struct kernel {
	struct srnic *queries;
	struct srnic *reports;
};

bool kernel_open(struct kernel *kernel, struct why *why);
void kernel_close(struct kernel *kernel);

/**
 * struct kernel_key - a key, as the kernel has it
 * @state: its secrets
 * @sealed: bytes of packets that the current secret has sealed
 */
struct kernel_key {
	enum key_state state;
	uint64_t sealed;
};

/* Look at a key; if the module was loaded anew, open it again. */
bool kernel_look(struct kernel *kernel, const char *name, struct kernel_key *key,
		 struct why *why);
/* The same; return the state only. */
bool kernel_state(struct kernel *kernel, const char *name, enum key_state *state,
		  struct why *why);
/* Add a secret as the next one; if there is no key, or @fresh, as the only one. */
bool kernel_stage(struct kernel *kernel, const char *name, const uint8_t secret[TLS_SECRET_LEN],
		  bool fresh, struct why *why);
bool kernel_promote(struct kernel *kernel, const char *name, struct why *why);
bool kernel_retire(struct kernel *kernel, const char *name, struct why *why);

/* Add the rule that requires a peer's key, unless its prefix has one; @added: it had none. */
bool kernel_require(struct kernel *kernel, const struct peer *peer, bool *added, struct why *why);
/* Delete such a rule, or a key, as far as that is possible. */
void kernel_unrequire(struct kernel *kernel, const struct peer *peer);
void kernel_forget(struct kernel *kernel, const char *name);

/* Read reports of missing keys, and call @wanted for each. */
bool kernel_reports(struct kernel *kernel, void (*wanted)(void *context, const char *name),
		    void *context, struct why *why);

#endif /* KERNEL_H */
