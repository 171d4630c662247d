/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * list - doubly linked lists, as the kernel's: a head is a node, a node in no list is linked
 * to itself.
 */
#ifndef LIST_H
#define LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *next, *prev;
};

#define list_of(node, type, member) \
	((type *)((char *)(node) - offsetof(type, member)))

static inline void list_init(struct list *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list *list)
{
	return list->next == list;
}

static inline void list_del(struct list *node)
{
	node->next->prev = node->prev;
	node->prev->next = node->next;
	list_init(node);
}

/* @node: in no list */
static inline void list_add_tail(struct list *list, struct list *node)
{
	node->prev = list->prev;
	node->next = list;
	list->prev->next = node;
	list->prev = node;
}

#endif /* LIST_H */
