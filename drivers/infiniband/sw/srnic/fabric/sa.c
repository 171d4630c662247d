// SPDX-License-Identifier: GPL-2.0
/*
 * The subnet administration's methods and attributes, and the header of its
 * replies (IBA 15.2, 15.4).
 */
#include <linux/slab.h>
#include <linux/string.h>
#include "export.h"
#include "fabric/sa.h"

#define OFFSET_UNIT	8	/* of AttributeOffset, bytes: IBA 15.2.1.1 */

#define GET		BIT(IB_MGMT_METHOD_GET)
#define SET		BIT(IB_MGMT_METHOD_SET)
#define GET_TABLE	BIT(IB_SA_METHOD_GET_TABLE)
#define GET_MULTI	BIT(IB_SA_METHOD_GET_MULTI)
#define DELETE		BIT(IB_SA_METHOD_DELETE)

/* Methods whose replies have any number of records */
#define TABLES		(GET_TABLE | GET_MULTI)

/* Methods of an attribute, and the length of its record in bytes */
static const struct sa_request {
	u32 methods;
	u16 attr;
	u16 len;
	srnic_sa_fn answer;
} requests[] = {
	{ GET, IB_SA_ATTR_CLASS_PORTINFO, sizeof(struct ib_class_port_info),
	  srnic_sa_get_class_port_info },
	{ SET, IB_SA_ATTR_INFORM_INFO, SRNIC_SA_INFORM_LEN, srnic_sa_set_inform_info },
	{ GET | GET_TABLE, IB_SA_ATTR_NODE_REC, 108, srnic_sa_get_node },
	{ GET | GET_TABLE, IB_SA_ATTR_PORT_INFO_REC, 68, srnic_sa_get_port },
	{ GET_TABLE, IB_SA_ATTR_SWITCH_REC, SRNIC_SA_SWITCH_LEN, srnic_sa_get_none },
	{ GET_TABLE, IB_SA_ATTR_LINEAR_FDB_REC, SRNIC_SA_FDB_LEN, srnic_sa_get_none },
	{ GET_TABLE, IB_SA_ATTR_MCAST_FDB_REC, SRNIC_SA_FDB_LEN, srnic_sa_get_none },
	{ GET | GET_TABLE, IB_SA_ATTR_SM_INFO_REC, SRNIC_SA_SM_LEN, srnic_sa_get_sm },
	{ GET_TABLE, IB_SA_ATTR_LINK_REC, SRNIC_SA_LINK_LEN, srnic_sa_get_none },
	{ GET | GET_TABLE, IB_SA_ATTR_GUID_INFO_REC, SRNIC_SA_GUID_LEN, srnic_sa_get_guids },
	{ SET, IB_SA_ATTR_SERVICE_REC, SRNIC_SA_SERVICE_LEN, srnic_sa_set_service },
	{ GET | GET_TABLE, IB_SA_ATTR_SERVICE_REC, SRNIC_SA_SERVICE_LEN, srnic_sa_get_service },
	{ DELETE, IB_SA_ATTR_SERVICE_REC, SRNIC_SA_SERVICE_LEN, srnic_sa_delete_service },
	{ GET | GET_TABLE, IB_SA_ATTR_PARTITION_REC, SRNIC_SA_PKEY_LEN, srnic_sa_get_pkeys },
	{ GET | GET_TABLE, IB_SA_ATTR_PATH_REC, sizeof(struct srnic_sa_path), srnic_sa_get_path },
	{ GET_MULTI, IB_SA_ATTR_MULTI_PATH_REC, sizeof(struct srnic_sa_path),
	  srnic_sa_get_multipath },
	{ GET | GET_TABLE, IB_SA_ATTR_MC_MEMBER_REC, sizeof(struct srnic_sa_member),
	  srnic_sa_get_member },
	{ SET, IB_SA_ATTR_MC_MEMBER_REC, sizeof(struct srnic_sa_member), srnic_sa_join },
	{ DELETE, IB_SA_ATTR_MC_MEMBER_REC, sizeof(struct srnic_sa_member), srnic_sa_leave },
	{ GET | GET_TABLE, IB_SA_ATTR_INFORM_INFO_REC, SRNIC_SA_INFORM_REC_LEN,
	  srnic_sa_get_subscriptions },
};

/* Methods of replies, by method of the request; 0: not a request that the SA answers */
static u8 reply_method(u8 method)
{
	switch (method) {
	case IB_MGMT_METHOD_GET:
	case IB_MGMT_METHOD_SET:
		return IB_MGMT_METHOD_GET_RESP;
	case IB_SA_METHOD_GET_TABLE:
		return IB_SA_METHOD_GET_TABLE_RESP;
	case IB_SA_METHOD_GET_MULTI:
		return IB_SA_METHOD_GET_MULTI_RESP;
	case IB_SA_METHOD_DELETE:
		return IB_SA_METHOD_DELETE_RESP;
	default:
		return 0;
	}
}

/* Find the row of a request whose method has a reply, and so is below 32. */
static const struct sa_request *request_find(const struct ib_mad_hdr *hdr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(requests); i++)
		if (requests[i].methods & BIT(hdr->method) &&
		    cpu_to_be16(requests[i].attr) == hdr->attr_id)
			return &requests[i];
	return NULL;
}

/* The other methods have exactly one record (IBA 15.4.4). */
static u16 check_count(const struct ib_mad_hdr *hdr, const struct srnic_sa_table *table)
{
	if (BIT(hdr->method) & TABLES || table->count == 1)
		return SRNIC_SA_OK;
	return table->count ? SRNIC_SA_TOO_MANY_RECORDS : SRNIC_SA_NO_RECORDS;
}

static u16 answer_request(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			  struct srnic_sa_table *table)
{
	const struct sa_request *request = request_find(&in->mad_hdr);
	u16 status;

	if (in->mad_hdr.class_version != IB_SA_CLASS_VERSION)
		return IB_MGMT_MAD_STATUS_BAD_VERSION;
	if (!request)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	table->len = request->len;
	table->stride = round_up(request->len, OFFSET_UNIT);
	/* a join that has taken effect must not lack the memory for its reply */
	if (srnic_sa_table_grow(table))
		return SRNIC_SA_NO_RESOURCES;
	status = request->answer(fabric, in, table);
	return status ?: check_count(&in->mad_hdr, table);
}

/* A request without an SM_Key is valid, but not trusted. */
static bool sm_key_is_valid(const struct ib_sa_mad *in)
{
	return !in->sa_hdr.sm_key || in->sa_hdr.sm_key == cpu_to_be64(SRNIC_SA_SM_KEY);
}

/**
 * srnic_sa_answer() - Answer a request to the SA
 * @fabric: the port
 * @in: the request
 * @out: the reply: its header, and its record unless the method has a table;
 *	RMPP fields are zero
 * @table: zeroed; records of the reply, none if its status is an error. Release
 *	them by srnic_sa_table_free()
 *
 * A request with a wrong SM_Key has no reply (IBA 15.4.1.2).
 *
 * Context: process.
 * Return: true if there is a reply.
 */
bool srnic_sa_answer(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		     struct ib_sa_mad *out, struct srnic_sa_table *table)
{
	u8 method = reply_method(in->mad_hdr.method);
	u16 status;

	if (!method || !sm_key_is_valid(in))
		return false;
	status = answer_request(fabric, in, table);
	if (status)
		srnic_sa_table_free(table);

	memset(out, 0, sizeof(*out));
	out->mad_hdr = in->mad_hdr;
	out->mad_hdr.method = method;
	out->mad_hdr.status = cpu_to_be16(status);
	out->sa_hdr.comp_mask = in->sa_hdr.comp_mask;
	out->sa_hdr.attr_offset = cpu_to_be16(table->stride / OFFSET_UNIT);
	if (!(BIT(in->mad_hdr.method) & TABLES) && table->count)
		memcpy(out->data, table->records, table->len);
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sa_answer);

/*
 * Answer a MAD of the SA's class whose reply is one MAD. Requests for a table are
 * for the agent, and responses are for the consumers that asked. Requests of other
 * nodes end here, before ib_mad keeps their segments for the agent (RMPP). The SA of a port that a
 * subnet manager manages is in user space, where the manager runs, and serves the whole subnet.
 *
 * An agent for the other methods would come after consumers that are already
 * loaded, and go before them: their joins would fail, and their leaves, which
 * ib_core waits for when a device is removed, would time out.
 *
 * Context: process.
 */
int srnic_sa_process(struct srnic_fabric *fabric, u8 roles, const struct ib_mad *in,
		     struct ib_mad *out)
{
	bool managed = srnic_fabric_is_managed(fabric);
	u8 clients = managed ? U8_MAX : SRNIC_SUBNET_OWN;
	struct srnic_sa_table table = {};
	u8 method = in->mad_hdr.method;
	bool replied;

	if (managed && roles & SRNIC_SUBNET_MANAGER)
		srnic_lids_learn_path(fabric, in);
	if (!reply_method(method))
		return IB_MAD_RESULT_SUCCESS;
	if (!(roles & clients)) {
		srnic_count(fabric->dev, mad_foreign);
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	}
	if (managed || BIT(method) & TABLES)
		return IB_MAD_RESULT_SUCCESS;
	replied = srnic_sa_answer(fabric, (const struct ib_sa_mad *)in, (struct ib_sa_mad *)out,
				  &table);
	srnic_sa_table_free(&table);
	return IB_MAD_RESULT_SUCCESS | (replied ? IB_MAD_RESULT_REPLY : IB_MAD_RESULT_CONSUMED);
}

/**
 * srnic_sa_table_free() - Release the records of a reply
 * @table: the records
 */
void srnic_sa_table_free(struct srnic_sa_table *table)
{
	kvfree(table->records);
	memset(table, 0, sizeof(*table));
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sa_table_free);
