// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family. Requests run in parallel: all data that they use
 * has locks of its own.
 */
#include <linux/module.h>
#include "control/control.h"
#include "control/genl.h"
#include "sth/sth.h"

/* The module's own constants equal those of the interface to user space. */
static_assert((int)SRNIC_RULE_OFF == (int)SRNIC_POLICY_OFF);
static_assert((int)SRNIC_RULE_PREFER == (int)SRNIC_POLICY_PREFER);
static_assert((int)SRNIC_RULE_REQUIRE == (int)SRNIC_POLICY_REQUIRE);
static_assert((int)SRNIC_MODE_OFF == (int)SRNIC_STH_OFF);
static_assert((int)SRNIC_MODE_HEADER == (int)SRNIC_STH_HEADER);
static_assert((int)SRNIC_MODE_PACKET == (int)SRNIC_STH_PACKET);
static_assert((int)SRNIC_MODE_AEAD == (int)SRNIC_STH_AEAD);
static_assert((int)SRNIC_MODE_OPAQUE == (int)SRNIC_STH_OPAQUE);
static_assert(SRNIC_NAME_MAX + 1 == SRNIC_STH_NAME_MAX);
static_assert(SRNIC_SECRET_MIN == SRNIC_STH_KEY_MIN);
static_assert(SRNIC_SECRET_MAX == SRNIC_STH_KEY_MAX);

/* load the module when the family is requested, even without a device */
MODULE_ALIAS_GENL_FAMILY(SRNIC_FAMILY_NAME);

/**
 * srnic_control_init() - Register the generic netlink family
 *
 * Context: process, at module load, after all that its commands use.
 * Return: 0 or an error of genl_register_family().
 */
int __init srnic_control_init(void)
{
	int err = genl_register_family(&srnic_nl_family);

	if (!err)
		srnic_key_listen(&srnic_nl_key_listener);
	return err;
}

/**
 * srnic_control_exit() - Undo srnic_control_init(); waits for commands
 *
 * Context: process.
 */
void srnic_control_exit(void)
{
	srnic_key_listen(NULL);
	genl_unregister_family(&srnic_nl_family);
}
