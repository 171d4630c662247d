// SPDX-License-Identifier: GPL-2.0
/*
 * Subscriptions to events of the fabric: InformInfo (IBA 13.4.8.3) and
 * InformInfoRecord (IBA 15.2.5.12). They are kept and listed; the SA knows of no
 * other node, and has no event to report.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include "fabric/sa.h"

/* InformInfo */
struct inform_info {
	union ib_gid gid;
	__be16 lid_begin;
	__be16 lid_end;
	__be16 reserved;
	u8 generic;
	u8 subscribe;
	__be16 type;
	__be16 trap;
	__be32 qpn_time;	/* QPN (24 bits), reserved, response time (5) */
	__be32 producer;	/* reserved (8 bits), type (24) */
} __packed;

static_assert(sizeof(struct inform_info) == SRNIC_SA_INFORM_LEN);

/* InformInfoRecord */
struct inform_record {
	union ib_gid subscriber;
	__be16 number;
	u8 reserved[6];
	struct inform_info info;
} __packed;

static_assert(sizeof(struct inform_record) == SRNIC_SA_INFORM_REC_LEN);

struct subscription {
	struct list_head node;
	struct inform_info info;
};

#define GSI_QPN		1
#define QPN_SHIFT	8	/* in qpn_time */

static const struct srnic_sa_field record_fields[] = {
	SRNIC_SA_FIELD(0, struct inform_record, subscriber, 0, 16, 0xff),
	SRNIC_SA_FIELD(1, struct inform_record, number, 0, 2, 0xff),
};

static bool same_events(const struct inform_info *a, const struct inform_info *b)
{
	return srnic_gid_equal(a->gid.raw, b->gid.raw) && a->lid_begin == b->lid_begin &&
	       a->lid_end == b->lid_end && a->generic == b->generic && a->type == b->type &&
	       a->trap == b->trap && a->producer == b->producer;
}

static struct subscription *subscription_find(struct srnic_fabric *fabric,
					      const struct inform_info *info)
{
	struct subscription *sub;

	lockdep_assert_held(&fabric->sa.lock);
	list_for_each_entry(sub, &fabric->sa.subscriptions, node)
		if (same_events(&sub->info, info))
			return sub;
	return NULL;
}

/* Requests come from the general services queue pair, whose QPN a subscription has. */
static u16 subscription_add(struct srnic_fabric *fabric, const struct inform_info *info)
{
	struct subscription *sub;

	lockdep_assert_held(&fabric->sa.lock);
	if (subscription_find(fabric, info))
		return SRNIC_SA_OK;
	if (fabric->sa.n_subscriptions == SRNIC_FABRIC_SUBSCRIPTIONS)
		return SRNIC_SA_NO_RESOURCES;
	sub = kzalloc(sizeof(*sub), GFP_KERNEL);
	if (!sub)
		return SRNIC_SA_NO_RESOURCES;
	sub->info = *info;
	sub->info.qpn_time = cpu_to_be32(GSI_QPN << QPN_SHIFT);
	list_add_tail(&sub->node, &fabric->sa.subscriptions);
	fabric->sa.n_subscriptions++;
	return SRNIC_SA_OK;
}

static void subscription_remove(struct srnic_fabric *fabric, struct subscription *sub)
{
	lockdep_assert_held(&fabric->sa.lock);
	list_del(&sub->node);
	fabric->sa.n_subscriptions--;
	kfree(sub);
}

/* IBA 13.4.8.3: a request that ends a subscription must name the queue pair. */
static u16 subscription_end(struct srnic_fabric *fabric, const struct inform_info *info)
{
	struct subscription *sub = subscription_find(fabric, info);

	if (!sub || be32_to_cpu(info->qpn_time) >> QPN_SHIFT != GSI_QPN)
		return SRNIC_SA_REQ_INVALID;
	subscription_remove(fabric, sub);
	return SRNIC_SA_OK;
}

/**
 * srnic_sa_set_inform_info() - Answer a Set of InformInfo
 * @fabric: the port
 * @in: the request: to subscribe, or to end a subscription
 * @table: records of the reply: that of the request
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_set_inform_info(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			     struct srnic_sa_table *table)
{
	const struct inform_info *info = (const void *)in->data;
	u16 status;

	mutex_lock(&fabric->sa.lock);
	status = info->subscribe ? subscription_add(fabric, info) :
				   subscription_end(fabric, info);
	mutex_unlock(&fabric->sa.lock);
	return status ?: srnic_sa_table_add(table, info);
}

/**
 * srnic_sa_get_subscriptions() - Answer a Get or GetTable of InformInfoRecord
 * @fabric: the port
 * @in: the request
 * @table: records of the reply
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_get_subscriptions(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			       struct srnic_sa_table *table)
{
	struct inform_record rec = { .subscriber = fabric->gid };
	struct subscription *sub;
	u16 status = SRNIC_SA_OK;
	u16 number = 0;

	mutex_lock(&fabric->sa.lock);
	list_for_each_entry(sub, &fabric->sa.subscriptions, node) {
		rec.number = cpu_to_be16(number++);
		rec.info = sub->info;
		status = srnic_sa_table_add_match(table, in, record_fields,
						  ARRAY_SIZE(record_fields), &rec);
		if (status)
			break;
	}
	mutex_unlock(&fabric->sa.lock);
	return status;
}

void srnic_sa_subscriptions_free(struct srnic_fabric *fabric)
{
	struct subscription *sub, *next;

	mutex_lock(&fabric->sa.lock);
	list_for_each_entry_safe(sub, next, &fabric->sa.subscriptions, node)
		subscription_remove(fabric, sub);
	mutex_unlock(&fabric->sa.lock);
}
