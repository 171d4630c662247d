// SPDX-License-Identifier: GPL-2.0
/*
 * The SA's records of what this node's management agent has: GUIDInfoRecord,
 * P_KeyTableRecord, SMInfoRecord (IBA 15.2.5); and those of switches and links
 * between their ports, of which a fabric without switches has none.
 */
#include "fabric/sa.h"

/* GUIDInfoRecord, IBA 15.2.5.18 */
struct guid_record {
	__be16 lid;
	u8 block;
	u8 reserved[5];
	u8 guids[IB_SMP_DATA_SIZE];
} __packed;

static_assert(sizeof(struct guid_record) == SRNIC_SA_GUID_LEN);

/* P_KeyTableRecord, IBA 15.2.5.11 */
struct pkey_record {
	__be16 lid;
	__be16 block;
	u8 port;
	u8 reserved[3];
	u8 pkeys[IB_SMP_DATA_SIZE];
} __packed;

static_assert(sizeof(struct pkey_record) == SRNIC_SA_PKEY_LEN);

/* SMInfoRecord, IBA 15.2.5.10 */
struct sm_record {
	__be16 lid;
	__be16 reserved;
	struct srnic_sm_info info;
} __packed;

static_assert(sizeof(struct sm_record) == SRNIC_SA_SM_LEN);

#define GUID_FIELD(comp_bit, member, length)				\
	SRNIC_SA_FIELD(comp_bit, struct guid_record, member, 0, length, 0xff)
#define PKEY_FIELD(comp_bit, member, length)				\
	SRNIC_SA_FIELD(comp_bit, struct pkey_record, member, 0, length, 0xff)
#define SM_FIELD(comp_bit, member, length, bits)			\
	SRNIC_SA_FIELD(comp_bit, struct sm_record, member, 0, length, bits)

static const struct srnic_sa_field guid_fields[] = {
	GUID_FIELD(0, lid, 2),
	GUID_FIELD(1, block, 1),
};

static const struct srnic_sa_field pkey_fields[] = {
	PKEY_FIELD(0, lid, 2),
	PKEY_FIELD(1, block, 2),
	PKEY_FIELD(2, port, 1),
};

static const struct srnic_sa_field sm_fields[] = {
	SM_FIELD(0, lid, 2, 0xff),
	SM_FIELD(2, info.guid, 8, 0xff),
	SM_FIELD(5, info.priority_state, 1, 0xf0),
	SM_FIELD(6, info.priority_state, 1, 0x0f),
};

/**
 * srnic_sa_get_guids() - Answer a Get or GetTable of GUIDInfoRecord
 * @fabric: the port
 * @in: the request
 * @table: records of the reply: at most the one block of this port
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_get_guids(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		       struct srnic_sa_table *table)
{
	struct guid_record rec = { .lid = cpu_to_be16(fabric->lid) };

	srnic_sma_fill_guids(fabric, rec.guids);
	return srnic_sa_table_add_match(table, in, guid_fields, ARRAY_SIZE(guid_fields), &rec);
}

/**
 * srnic_sa_get_pkeys() - Answer a Get or GetTable of P_KeyTableRecord
 * @fabric: the port
 * @in: the request, which must be trusted (IBA 15.4.1.2)
 * @table: records of the reply: at most the one block of this port
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_get_pkeys(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		       struct srnic_sa_table *table)
{
	struct pkey_record rec = { .lid = cpu_to_be16(fabric->lid), .port = SRNIC_PORT };

	if (!in->sa_hdr.sm_key)
		return SRNIC_SA_REQ_INVALID;
	srnic_sma_fill_pkeys(fabric, rec.pkeys);
	return srnic_sa_table_add_match(table, in, pkey_fields, ARRAY_SIZE(pkey_fields), &rec);
}

/**
 * srnic_sa_get_sm() - Answer a Get or GetTable of SMInfoRecord
 * @fabric: the port
 * @in: the request
 * @table: records of the reply: at most that of this node's subnet manager
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_get_sm(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		    struct srnic_sa_table *table)
{
	struct sm_record rec = { .lid = cpu_to_be16(fabric->lid) };

	srnic_sma_fill_sm_info(fabric, &rec.info);
	return srnic_sa_table_add_match(table, in, sm_fields, ARRAY_SIZE(sm_fields), &rec);
}

/**
 * srnic_sa_get_none() - Answer a GetTable of which no record exists
 * @fabric: the port
 * @in: the request
 * @table: records of the reply: none
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_get_none(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		      struct srnic_sa_table *table)
{
	return SRNIC_SA_OK;
}
