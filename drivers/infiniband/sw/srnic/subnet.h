/* SPDX-License-Identifier: GPL-2.0 */
/*
 * subnet - the nodes that share a subnet manager with an InfiniBand port. The administrator names
 * them (fabric/subnet.c); the engine reads the list for datagrams of QP0 and QP1.
 */
#ifndef SRNIC_SUBNET_H
#define SRNIC_SUBNET_H

#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

/* Roles of a node in the subnet, bits */
enum srnic_subnet_role {
	SRNIC_SUBNET_OWN	= 1,	/* it is this node */
	SRNIC_SUBNET_MANAGER	= 2,	/* its subnet manager may change the port */
	SRNIC_SUBNET_MEMBER	= 4,	/* it is behind a port of this node's switch */
};

/**
 * struct srnic_subnet_node - A node of the subnet
 * @gid: GID of its port
 * @lid: its LID, host order; 0: not known. Read without a lock
 * @roles: bits of enum srnic_subnet_role
 * @port: number of the switch's port that it is behind; 0: of none
 */
struct srnic_subnet_node {
	union ib_gid gid;
	u16 lid;
	u8 roles;
	u8 port;
};

#define SRNIC_SUBNET_HEARD	64	/* nodes that a LID is remembered of, for the answer */

/* A LID that a node has said is its own, and the node */
struct srnic_subnet_heard {
	u16 lid;
	union ib_gid gid;
};

/**
 * struct srnic_subnet - The nodes of a port's subnet
 * @rcu: frees it
 * @heard_lock: protects @heard; interrupts off
 * @heard: nodes that have sent datagrams to QP1 by LID, by that LID
 * @count: number of nodes
 * @nodes: the nodes, this one first; a change makes a new list
 */
struct srnic_subnet {
	struct rcu_head rcu;
	spinlock_t heard_lock;	/* interrupts off; heard */
	struct srnic_subnet_heard heard[SRNIC_SUBNET_HEARD];
	unsigned int count;
	struct srnic_subnet_node nodes[];
};

/* Find a node by its GID, or return NULL. @subnet may be NULL. */
static inline struct srnic_subnet_node *srnic_subnet_find(struct srnic_subnet *subnet,
							  const void *gid)
{
	unsigned int i;

	for (i = 0; subnet && i < subnet->count; i++)
		if (!memcmp(&subnet->nodes[i].gid, gid, sizeof(union ib_gid)))
			return &subnet->nodes[i];
	return NULL;
}

/* Tell whether a node has one of the roles. */
static inline bool srnic_subnet_has(const struct srnic_subnet *subnet, u8 roles)
{
	unsigned int i;

	for (i = 0; i < subnet->count; i++)
		if (subnet->nodes[i].roles & roles)
			return true;
	return false;
}

#endif /* SRNIC_SUBNET_H */
