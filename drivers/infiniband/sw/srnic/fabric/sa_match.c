// SPDX-License-Identifier: GPL-2.0
/*
 * Records of a reply: their selection by a request (IBA 15.4.4), and the table
 * that they are collected in.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include "fabric/sa.h"

/*
 * Make room for more records: for one, then for twice as many as before. The
 * number of groups bounds it. Return 0 or -ENOMEM.
 */
int srnic_sa_table_grow(struct srnic_sa_table *table)
{
	unsigned int room = table->room ? 2 * table->room : 1;
	u8 *records = kvcalloc(room, table->stride, GFP_KERNEL);

	if (!records)
		return -ENOMEM;
	if (table->count)
		memcpy(records, table->records, table->count * table->stride);
	kvfree(table->records);
	table->records = records;
	table->room = room;
	return 0;
}

/* Add a record to a reply. Return the status of the reply. */
u16 srnic_sa_table_add(struct srnic_sa_table *table, const void *record)
{
	if (table->count == table->room && srnic_sa_table_grow(table))
		return SRNIC_SA_NO_RESOURCES;
	memcpy(table->records + table->count * table->stride, record, table->len);
	table->count++;
	return SRNIC_SA_OK;
}

static bool field_equal(const struct srnic_sa_field *f, const u8 *a, const u8 *b)
{
	return !((a[f->at] ^ b[f->at]) & f->mask) &&
	       !memcmp(a + f->at + 1, b + f->at + 1, f->len - 1);
}

/*
 * Tell whether a record equals the request in all components of the request's
 * mask that are among @fields.
 */
bool srnic_sa_match(const struct ib_sa_mad *in, const struct srnic_sa_field *fields,
		    unsigned int n, const void *record)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (in->sa_hdr.comp_mask & IB_SA_COMP_MASK(fields[i].bit) &&
		    !field_equal(&fields[i], in->data, record))
			return false;
	return true;
}

/* Add a record to a reply if it is one that the request selects. Return the status of the reply. */
u16 srnic_sa_table_add_match(struct srnic_sa_table *table, const struct ib_sa_mad *in,
			     const struct srnic_sa_field *fields, unsigned int n,
			     const void *record)
{
	return srnic_sa_match(in, fields, n, record) ? srnic_sa_table_add(table, record) :
						       SRNIC_SA_OK;
}

/**
 * srnic_sa_wanted() - Read an MTU, a rate or a life time of a request
 * @in: the request
 * @selector: bit of the selector in the ComponentMask
 * @value: bit of the value
 * @field: both, as in the record
 *
 * Return: the field with the selector that holds if components are missing:
 * without a value the best is meant, and without a selector exactly the value.
 */
u8 srnic_sa_wanted(const struct ib_sa_mad *in, ib_sa_comp_mask selector, ib_sa_comp_mask value,
		   u8 field)
{
	if (!srnic_sa_has(in, value))
		return IB_SA_BEST << 6;
	if (!srnic_sa_has(in, selector))
		return SRNIC_SA_EXACTLY(SRNIC_SA_VALUE(field));
	return field;
}

static bool is_selected(u8 selector, int want, int have)
{
	switch (selector) {
	case IB_SA_GT:
		return have > want;
	case IB_SA_LT:
		return have < want;
	case IB_SA_EQ:
		return have == want;
	default:	/* the best that there is */
		return true;
	}
}

/* Tell whether the MTU @have is one that selector and value of @want ask for. */
bool srnic_sa_match_mtu(u8 want, u8 have)
{
	return is_selected(SRNIC_SA_SELECTOR(want), SRNIC_SA_VALUE(want), have);
}

/* As for an MTU; the numbers of rates are not in their order. */
bool srnic_sa_match_rate(u8 want, u8 have)
{
	return is_selected(SRNIC_SA_SELECTOR(want), ib_rate_to_mbps(SRNIC_SA_VALUE(want)),
			   ib_rate_to_mbps(have));
}
