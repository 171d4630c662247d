/* SPDX-License-Identifier: GPL-2.0 */
/*
 * keys - queries of keys and rules that several commands share.
 */
#ifndef KEYS_H
#define KEYS_H

#include <stdbool.h>

struct srnic_list;

/* Return the lists of rules and of keys, or a status; the caller frees both in any case */
int keys_and_rules(const char *where, struct srnic_list **keys, struct srnic_list **rules);
/* Whether a list of keys has this name */
bool keys_have(const struct srnic_list *keys, const char *name);

#endif /* KEYS_H */
