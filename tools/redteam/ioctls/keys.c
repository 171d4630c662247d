// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments of srnic's own methods (rdma/srnic-ioctl.h): seals, trees, grants.
 */
#include <stdio.h>

#include "ioctls.h"

#define REGION_SHARE	2	/* one in so many grants is for the whole region */

/* Choose a suite and a mode, which not all suites support */
void load_seal(struct caller *caller, struct srnic_ioctl_seal *seal)
{
	const char *const suites[] = {
		"aes-cmac-128", "aes-gmac-256", "hmac-sha256", "aes-gcm-128", "chacha20-poly1305",
	};
	uint32_t suite = chance_below(&caller->chance, ARRAY_SIZE(suites));

	snprintf(seal->suite, sizeof(seal->suite), "%s", suites[suite]);
	seal->mode = 1 + chance_below(&caller->chance, 3);
}

void load_tree(struct caller *caller, struct srnic_ioctl_tree *tree)
{
	tree->depth = chance_below(&caller->chance, 9);
	tree->block_shift = chance_below(&caller->chance, 13);
}

/* Return log2, rounded up */
static uint8_t shift_of(uint64_t length)
{
	return length > 1 ? 64 - __builtin_clzll(length - 1) : 0;
}

/*
 * Choose a block of an existing or former region. The kernel does not check the block's key
 * when it takes a grant, only when the grant is used.
 */
void load_grant(struct caller *caller, struct file *file, struct srnic_ioctl_grant *grant)
{
	const struct object *mr = object_any(caller, file, MR);
	uint8_t down;

	if (!mr)
		return;
	grant->addr = mr->start;
	grant->length = mr->length;
	grant->rkey = mr->number;
	grant->right = 1 + chance_below(&caller->chance, SRNIC_IOCTL_ATOMIC);
	grant->depth = chance_below(&caller->chance, 9);
	grant->node_shift = shift_of(grant->length);
	if (chance_one_in(&caller->chance, REGION_SHARE))
		return;
	down = chance_below(&caller->chance, grant->depth + 1);
	grant->node_shift -= down < grant->node_shift ? down : grant->node_shift;
}

/* Choose an object: the handle is the first attribute of srnic's methods */
static void choose(struct shot *shot, struct object *object)
{
	shot->object = object;
	if (object)
		shot->data[0][0] = atomic_load(&object->handle) - 1;
}

/* A queue pair can only be sealed before it is connected */
static bool may_be_sealed(const struct shot *shot, const struct object *qp)
{
	(void)shot;
	return qp->type != UD && qp->state < RTR;
}

void sense_seal(struct shot *shot)
{
	choose(shot, object_fit(shot, QP, may_be_sealed));
}

/* The grant is the second attribute */
void note_use_grant(struct shot *shot)
{
	const struct srnic_ioctl_grant *grant = (void *)shot->data[1];

	shot->object->grant = grant->rkey;
}

static bool has_grant(const struct shot *shot, const struct object *object)
{
	(void)shot;
	return object->grant;
}

void sense_drop_grants(struct shot *shot)
{
	choose(shot, object_fit(shot, QP, has_grant));
	if (shot->object)
		shot->data[1][0] = shot->object->grant;
}

void note_protect(struct shot *shot)
{
	shot->object->grant = shot->object->number;
}

void sense_grant(struct shot *shot)
{
	choose(shot, object_fit(shot, MR, has_grant));
}
