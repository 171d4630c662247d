// SPDX-License-Identifier: GPL-2.0
/*
 * Ways to make a call invalid: odd values, wrong lengths and addresses, missing, repeated or
 * unknown attributes, wrong headers.
 */
#include <string.h>

#include "ioctls.h"

static uint64_t odd_value(struct caller *caller)
{
	struct chance *chance = &caller->chance;
	const uint64_t odd[] = {
		0, 1, 2, 7, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0xffffff,
		0x1000000, 0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 32, 1ULL << 63, ~0ULL,
		1ULL << chance_below(chance, 64), chance_below(chance, 128), chance_any(chance),
		memory_odd(caller),
	};

	return odd[chance_below(chance, ARRAY_SIZE(odd))];
}

/* Change one field to an odd value, or flip one of its bits */
static void spoil_value(struct shot *shot)
{
	struct chance *chance = &shot->caller->chance;
	size_t i = chance_below(chance, shot->call->nfields);
	size_t size = shot->call->fields[i].size ?: 8;
	uint8_t *place = field_place(shot, i);
	uint64_t value = odd_value(shot->caller);

	if (size > 8) {
		/* change one byte in it */
		size_t at = chance_below(chance, size);

		place[at] = value;
		return;
	}
	if (chance_one_in(chance, 3)) {
		memcpy(&value, place, size);
		value ^= 1ULL << chance_below(chance, size * 8);
	}
	memcpy(place, &value, size);
}

/* Change one field or several; none if the call has no fields */
void spoil_values(struct shot *shot)
{
	struct chance *chance = &shot->caller->chance;

	if (!shot->call->nfields || chance_one_in(chance, 3))
		return;
	shot->bad_value = true;
	do {
		spoil_value(shot);
	} while (chance_one_in(chance, 3));
}

static void wrong_length(struct shot *shot)
{
	struct chance *chance = &shot->caller->chance;
	uint32_t *lengths[] = {
		&shot->in_len, &shot->out_len, &shot->drv_in_len, &shot->drv_out_len,
	};
	uint32_t *length = lengths[chance_below(chance, ARRAY_SIZE(lengths))];
	const uint32_t wrong[] = {
		0, 4, 8, *length - 4, *length - 8, *length + 4, *length + 8, *length + 64,
	};

	*length = wrong[chance_below(chance, ARRAY_SIZE(wrong))];
	/* limit lengths beyond the buffers: the kernel must not overwrite what follows them */
	if (*length > 128 && *length > shot->call->in && *length > shot->call->out)
		*length = 128;
}

static void wrong_place(struct shot *shot)
{
	struct chance *chance = &shot->caller->chance;
	enum place place = chance_one_in(chance, 2) ? EDGE : ODD;

	if (chance_one_in(chance, 2))
		shot->in_place = place;
	else
		shot->out_place = place;
}

static void wrong_header(struct shot *shot)
{
	shot->bad_header = true;
}

/* Change one attribute */
static void wrong_attr(struct shot *shot)
{
	struct caller *caller = shot->caller;
	struct chance *chance = &caller->chance;
	struct ib_uverbs_attr *attr = &shot->attrs[chance_below(chance, shot->nattrs)];

	switch (chance_below(chance, 6)) {
	case 0:
		attr->len = chance_below(chance, FIELD_SIZE);
		break;
	case 1:
		attr->attr_id = chance_below(chance, 2) ? chance_below(chance, 20) :
							  odd_value(caller);
		break;
	case 2:
		attr->flags = odd_value(caller);
		break;
	case 3:
		attr->attr_data.reserved = odd_value(caller);
		break;
	case 4:
		attr->data = memory_odd(caller);
		break;
	default:	/* omit it */
		*attr = shot->attrs[--shot->nattrs];
	}
}

static void doubled_attr(struct shot *shot)
{
	struct chance *chance = &shot->caller->chance;

	if (shot->nattrs == ARRAY_SIZE(shot->attrs))
		return;
	shot->attrs[shot->nattrs] = shot->attrs[chance_below(chance, shot->nattrs)];
	shot->nattrs++;
}

/**
 * spoil_form() - Add at least one fault, unless a value is already wrong
 * @shot: with all of its attributes
 */
void spoil_form(struct shot *shot)
{
	void (*const ways[])(struct shot *shot) = {
		wrong_length, wrong_place, wrong_header, wrong_attr, doubled_attr,
	};
	struct chance *chance = &shot->caller->chance;

	if (shot->bad_value && !chance_one_in(chance, 4))
		return;
	shot->bad_form = true;
	ways[chance_below(chance, shot->nattrs ? ARRAY_SIZE(ways) : 3)](shot);
}

/* Change one half-word of a header */
void spoil_header(struct caller *caller, void *header, size_t size)
{
	uint16_t value = odd_value(caller);

	memcpy((uint8_t *)header + 2 * chance_below(&caller->chance, size / 2), &value, 2);
}
