// SPDX-License-Identifier: GPL-2.0
/*
 * The registry of services: ServiceRecord (IBA 15.2.5.14). It has the services of
 * this node, which only this node reads.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include "fabric/sa.h"

struct service_record {
	__be64 id;
	union ib_gid gid;
	__be16 pkey;
	__be16 reserved;
	__be32 lease;	/* seconds */
	u8 key[16];
	u8 name[64];
	u8 data[64];	/* 16 of 8 bits, 8 of 16, 4 of 32, 2 of 64 */
} __packed;

static_assert(sizeof(struct service_record) == SRNIC_SA_SERVICE_LEN);

struct service {
	struct list_head node;
	time64_t end;	/* of the lease, in seconds since boot */
	struct service_record rec;
};

#define LEASE_FOREVER	0xffffffff

#define FIELD(comp_bit, member, length)					\
	SRNIC_SA_FIELD(comp_bit, struct service_record, member, 0, length, 0xff)
#define DATA(comp_bit, at, length)					\
	SRNIC_SA_FIELD(comp_bit, struct service_record, data, at, length, 0xff)

#define COMPONENT_ID	IB_SA_COMP_MASK(0)
#define COMPONENT_GID	IB_SA_COMP_MASK(1)
#define COMPONENT_PKEY	IB_SA_COMP_MASK(2)
#define COMPONENT_LEASE	IB_SA_COMP_MASK(4)

static const struct srnic_sa_field fields[] = {
	FIELD(0, id, 8), FIELD(1, gid, 16), FIELD(2, pkey, 2), FIELD(4, lease, 4),
	FIELD(5, key, 16), FIELD(6, name, 64),
	DATA(7, 0, 1), DATA(8, 1, 1), DATA(9, 2, 1), DATA(10, 3, 1), DATA(11, 4, 1),
	DATA(12, 5, 1), DATA(13, 6, 1), DATA(14, 7, 1), DATA(15, 8, 1), DATA(16, 9, 1),
	DATA(17, 10, 1), DATA(18, 11, 1), DATA(19, 12, 1), DATA(20, 13, 1), DATA(21, 14, 1),
	DATA(22, 15, 1),
	DATA(23, 16, 2), DATA(24, 18, 2), DATA(25, 20, 2), DATA(26, 22, 2), DATA(27, 24, 2),
	DATA(28, 26, 2), DATA(29, 28, 2), DATA(30, 30, 2),
	DATA(31, 32, 4), DATA(32, 36, 4), DATA(33, 40, 4), DATA(34, 44, 4),
	DATA(35, 48, 8), DATA(36, 56, 8),
};

static void service_remove(struct srnic_fabric *fabric, struct service *service)
{
	lockdep_assert_held(&fabric->sa.lock);
	list_del(&service->node);
	fabric->sa.n_services--;
	kfree_sensitive(service);
}

/* Forget the services whose lease has ended; nothing else looks at them. */
static void services_expire(struct srnic_fabric *fabric)
{
	time64_t now = ktime_get_boottime_seconds();
	struct service *service, *next;

	lockdep_assert_held(&fabric->sa.lock);
	list_for_each_entry_safe(service, next, &fabric->sa.services, node)
		if (service->end <= now)
			service_remove(fabric, service);
}

/* Find the service of an ID, a GID and a P_Key, which there is once (IBA 15.2.5.14). */
static struct service *service_find(struct srnic_fabric *fabric, const struct service_record *rec)
{
	struct service *service;

	lockdep_assert_held(&fabric->sa.lock);
	list_for_each_entry(service, &fabric->sa.services, node)
		if (service->rec.id == rec->id && service->rec.pkey == rec->pkey &&
		    srnic_gid_equal(service->rec.gid.raw, rec->gid.raw))
			return service;
	return NULL;
}

/* Add a record to a reply: nobody is told the key (IBA 15.2.5.14). */
static u16 add_without_key(struct srnic_sa_table *table, const struct service_record *rec)
{
	struct service_record shown = *rec;

	memset(shown.key, 0, sizeof(shown.key));
	return srnic_sa_table_add(table, &shown);
}

/* A change of a service needs its key, unless it has none. */
static bool has_key_of(const struct service_record *rec, const struct service_record *service)
{
	return !memchr_inv(service->key, 0, sizeof(service->key)) ||
	       !memcmp(service->key, rec->key, sizeof(rec->key));
}

/* Find the service that a record changes, or add one that the caller fills in. */
static u16 service_take(struct srnic_fabric *fabric, const struct service_record *rec,
			struct service **service)
{
	*service = service_find(fabric, rec);
	if (*service)
		return has_key_of(rec, &(*service)->rec) ? SRNIC_SA_OK : SRNIC_SA_REQ_INVALID;
	if (fabric->sa.n_services == SRNIC_FABRIC_SERVICES)
		return SRNIC_SA_NO_RESOURCES;
	*service = kzalloc(sizeof(**service), GFP_KERNEL);
	if (!*service)
		return SRNIC_SA_NO_RESOURCES;
	list_add_tail(&(*service)->node, &fabric->sa.services);
	fabric->sa.n_services++;
	return SRNIC_SA_OK;
}

/*
 * Fill in what a request leaves out, and check the rest. The GID is what the service says: opensm
 * does not check it, and its own test, osmtest, swaps its bytes.
 */
static u16 fill_request(const struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			struct service_record *rec)
{
	if (!srnic_sa_has(in, COMPONENT_ID | COMPONENT_GID))
		return SRNIC_SA_INSUFFICIENT;
	if (!srnic_sa_has(in, COMPONENT_PKEY))
		rec->pkey = cpu_to_be16(SRNIC_PKEY);
	if (!srnic_fabric_own_pkey(fabric, be16_to_cpu(rec->pkey)))
		return SRNIC_SA_REQ_INVALID;
	if (!srnic_sa_has(in, COMPONENT_LEASE))
		rec->lease = cpu_to_be32(LEASE_FOREVER);
	return SRNIC_SA_OK;
}

/**
 * srnic_sa_set_service() - Answer a Set of ServiceRecord
 * @fabric: the port
 * @in: the request
 * @table: records of the reply: that of the service
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_set_service(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			 struct srnic_sa_table *table)
{
	struct service_record rec = *(const struct service_record *)in->data;
	u16 status = fill_request(fabric, in, &rec);
	struct service *service;
	u32 lease = be32_to_cpu(rec.lease);

	if (status)
		return status;
	mutex_lock(&fabric->sa.lock);
	services_expire(fabric);
	status = service_take(fabric, &rec, &service);
	if (!status) {
		service->rec = rec;
		service->end = lease == LEASE_FOREVER ? TIME64_MAX :
			       ktime_get_boottime_seconds() + lease;
	}
	mutex_unlock(&fabric->sa.lock);
	return status ?: add_without_key(table, &rec);
}

/**
 * srnic_sa_get_service() - Answer a Get or GetTable of ServiceRecord
 * @fabric: the port
 * @in: the request
 * @table: records of the reply
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_get_service(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			 struct srnic_sa_table *table)
{
	struct service *service;
	u16 status = SRNIC_SA_OK;

	mutex_lock(&fabric->sa.lock);
	services_expire(fabric);
	list_for_each_entry(service, &fabric->sa.services, node) {
		if (srnic_sa_match(in, fields, ARRAY_SIZE(fields), &service->rec))
			status = add_without_key(table, &service->rec);
		if (status)
			break;
	}
	mutex_unlock(&fabric->sa.lock);
	return status;
}

/**
 * srnic_sa_delete_service() - Answer a Delete of ServiceRecord
 * @fabric: the port
 * @in: the request
 * @table: records of the reply: that of the service, which is gone
 *
 * Context: process.
 * Return: status of the reply; %SRNIC_SA_OK without a record: there is no such service.
 */
u16 srnic_sa_delete_service(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			    struct srnic_sa_table *table)
{
	struct service *service;
	u16 status = SRNIC_SA_OK;

	mutex_lock(&fabric->sa.lock);
	services_expire(fabric);
	list_for_each_entry(service, &fabric->sa.services, node) {
		if (!srnic_sa_match(in, fields, ARRAY_SIZE(fields), &service->rec))
			continue;
		status = add_without_key(table, &service->rec);
		service_remove(fabric, service);
		break;
	}
	mutex_unlock(&fabric->sa.lock);
	return status;
}

void srnic_sa_services_free(struct srnic_fabric *fabric)
{
	struct service *service, *next;

	mutex_lock(&fabric->sa.lock);
	list_for_each_entry_safe(service, next, &fabric->sa.services, node)
		service_remove(fabric, service);
	mutex_unlock(&fabric->sa.lock);
}
