// SPDX-License-Identifier: GPL-2.0
/*
 * The performance management agent (IBA 16.1): the device's counters as
 * perfquery and sysfs read them.
 */
#include "fabric/port.h"

#define PMA_VERSION	1
#define RESP_TIME	SRNIC_FABRIC_TIMEOUT
#define DATA_UNIT	4	/* PortXmitData and PortRcvData count words, IBA 16.1.3.5 */
#define NO_FIELD	0xff

/*
 * A counter that can be set: the sum of up to three of the device's, in @unit.
 * @at and @ext_at are offsets in PortCounters and PortCountersExtended; NO_FIELD:
 * absent there. @select and @ext_select are its bits of CounterSelect.
 */
static const struct counter {
	u8 stats[3];
	u8 n_stats;
	u8 unit;
	u8 at, bits;
	u8 ext_at;
	u16 select, ext_select;
} counters[SRNIC_PMA_COUNTERS] = {
	{ { SRNIC_STAT_link_downed }, 1, 1,
	  offsetof(struct ib_pma_portcounters, link_downed_counter), 8, NO_FIELD, 0x0004, 0 },
	{ { SRNIC_STAT_icrc_errors, SRNIC_STAT_malformed, SRNIC_STAT_unknown_opcode }, 3, 1,
	  offsetof(struct ib_pma_portcounters, port_rcv_errors), 16, NO_FIELD, 0x0008, 0 },
	{ { SRNIC_STAT_send_err }, 1, 1,
	  offsetof(struct ib_pma_portcounters, port_xmit_discards), 16, NO_FIELD, 0x0040, 0 },
	{ { SRNIC_STAT_sent_bytes }, 1, DATA_UNIT,
	  offsetof(struct ib_pma_portcounters, port_xmit_data), 32,
	  offsetof(struct ib_pma_portcounters_ext, port_xmit_data), 0x1000, 0x0001 },
	{ { SRNIC_STAT_rcvd_bytes }, 1, DATA_UNIT,
	  offsetof(struct ib_pma_portcounters, port_rcv_data), 32,
	  offsetof(struct ib_pma_portcounters_ext, port_rcv_data), 0x2000, 0x0002 },
	{ { SRNIC_STAT_sent_pkts }, 1, 1,
	  offsetof(struct ib_pma_portcounters, port_xmit_packets), 32,
	  offsetof(struct ib_pma_portcounters_ext, port_xmit_packets), 0x4000, 0x0004 },
	{ { SRNIC_STAT_rcvd_pkts }, 1, 1,
	  offsetof(struct ib_pma_portcounters, port_rcv_packets), 32,
	  offsetof(struct ib_pma_portcounters_ext, port_rcv_packets), 0x8000, 0x0008 },
};

/* PortSelect and CounterSelect are at the same place in both attributes. */
static_assert(offsetof(struct ib_pma_portcounters, port_select) ==
	      offsetof(struct ib_pma_portcounters_ext, port_select));
static_assert(offsetof(struct ib_pma_portcounters, counter_select) ==
	      offsetof(struct ib_pma_portcounters_ext, counter_select));

/* Attributes that show the counters */
enum form { PORT_COUNTERS, PORT_COUNTERS_EXT };

static u64 counter_total(struct srnic_dev *dev, const struct counter *c)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < c->n_stats; i++)
		sum += srnic_stats_sum(dev->stats, c->stats[i]) +
		       srnic_stat_sets_sum(&dev->stat_sets, c->stats[i]);
	return div_u64(sum, c->unit);
}

static u64 field_read(const void *p, u8 bits)
{
	switch (bits) {
	case 8:
		return *(const u8 *)p;
	case 16:
		return get_unaligned_be16(p);
	case 32:
		return get_unaligned_be32(p);
	default:
		return get_unaligned_be64(p);
	}
}

/* A counter that is too large for its field stays at all ones (IBA 16.1.3.5). */
static void field_write(void *p, u8 bits, u64 value)
{
	switch (bits) {
	case 8:
		*(u8 *)p = min_t(u64, value, U8_MAX);
		break;
	case 16:
		put_unaligned_be16(min_t(u64, value, U16_MAX), p);
		break;
	case 32:
		put_unaligned_be32(min_t(u64, value, U32_MAX), p);
		break;
	default:
		put_unaligned_be64(value, p);
	}
}

/* Show what each counter has counted since it had the value @base. */
static void fill_counters(struct srnic_dev *dev, const u64 *base, void *data, enum form form)
{
	bool ext = form == PORT_COUNTERS_EXT;
	int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		const struct counter *c = &counters[i];
		u8 at = ext ? c->ext_at : c->at;

		if (at != NO_FIELD)
			field_write(data + at, ext ? 64 : c->bits, counter_total(dev, c) - base[i]);
	}
}

static void read_counters(struct srnic_fabric *fabric, void *data, enum form form)
{
	spin_lock(&fabric->lock);
	fill_counters(fabric->dev, fabric->pma_base, data, form);
	spin_unlock(&fabric->lock);
}

/* Give the selected counters the values of @data. Both attributes show one counter. */
static void set_counters(struct srnic_fabric *fabric, const void *data, enum form form)
{
	const struct ib_pma_portcounters *head = data;
	bool ext = form == PORT_COUNTERS_EXT;
	u16 select = be16_to_cpu(head->counter_select);
	int i;

	spin_lock(&fabric->lock);
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		const struct counter *c = &counters[i];

		if (!(select & (ext ? c->ext_select : c->select)))
			continue;
		fabric->pma_base[i] = counter_total(fabric->dev, c) -
				      field_read(data + (ext ? c->ext_at : c->at),
						 ext ? 64 : c->bits);
	}
	spin_unlock(&fabric->lock);
}

/* Answer a Get, or a Set and what a Get would then read. */
static u16 port_counters(struct srnic_fabric *fabric, const struct ib_mad *in, void *data,
			 enum form form)
{
	const struct ib_pma_portcounters *want =
		(const void *)((const struct ib_pma_mad *)in)->data;
	struct ib_pma_portcounters *have = data;

	if (want->port_select != SRNIC_PORT)
		return SRNIC_MAD_INVALID_FIELD;
	if (in->mad_hdr.method == IB_MGMT_METHOD_SET)
		set_counters(fabric, want, form);
	memset(data, 0, sizeof_field(struct ib_pma_mad, data));
	have->port_select = want->port_select;
	have->counter_select = want->counter_select;
	read_counters(fabric, data, form);
	return 0;
}

static u16 counters_32(struct srnic_fabric *fabric, const struct ib_mad *in, void *data)
{
	return port_counters(fabric, in, data, PORT_COUNTERS);
}

static u16 counters_64(struct srnic_fabric *fabric, const struct ib_mad *in, void *data)
{
	return port_counters(fabric, in, data, PORT_COUNTERS_EXT);
}

static u16 get_class_port_info(struct srnic_fabric *fabric, const struct ib_mad *in, void *data)
{
	struct ib_class_port_info *info = data;

	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = PMA_VERSION;
	/* 64-bit counters, without those of unicast and multicast packets */
	info->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH_NOIETF;
	ib_set_cpi_resp_time(info, RESP_TIME);
	return 0;
}

static const struct srnic_mad_attr attrs[] = {
	{ IB_PMA_CLASS_PORT_INFO, SRNIC_MAD_GET, get_class_port_info },
	{ IB_PMA_PORT_COUNTERS, SRNIC_MAD_GET_SET, counters_32 },
	{ IB_PMA_PORT_COUNTERS_EXT, SRNIC_MAD_GET_SET, counters_64 },
};

const struct srnic_mad_class srnic_pma = {
	.mgmt_class = IB_MGMT_CLASS_PERF_MGMT,
	.attrs = attrs,
	.n_attrs = ARRAY_SIZE(attrs),
	.offset = offsetof(struct ib_pma_mad, data),
	.len = sizeof_field(struct ib_pma_mad, data),
	.own_only = SRNIC_MAD_SET,
};

/**
 * srnic_pma_ethernet() - Answer a request for the counters of an Ethernet port
 * @dev: the device
 * @wc: completion of its receipt; NULL: a request of the kernel's own
 * @in: the MAD
 * @out: the reply
 *
 * ib_core reads them for sysfs. Nobody else is answered, and the counters are never cleared.
 *
 * Return: bits of enum ib_mad_result.
 */
int srnic_pma_ethernet(struct srnic_dev *dev, const struct ib_wc *wc, const struct ib_mad *in,
		       struct ib_mad *out)
{
	static const u64 base[SRNIC_PMA_COUNTERS];
	__be16 attr = in->mad_hdr.attr_id;
	void *data = (u8 *)out + srnic_pma.offset;

	if (wc || in->mad_hdr.mgmt_class != srnic_pma.mgmt_class ||
	    in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MAD_RESULT_SUCCESS;
	*out = *in;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	memset(data, 0, srnic_pma.len);
	if (attr == IB_PMA_CLASS_PORT_INFO)
		get_class_port_info(NULL, in, data);
	else if (attr == IB_PMA_PORT_COUNTERS)
		fill_counters(dev, base, data, PORT_COUNTERS);
	else if (attr == IB_PMA_PORT_COUNTERS_EXT)
		fill_counters(dev, base, data, PORT_COUNTERS_EXT);
	else
		return IB_MAD_RESULT_SUCCESS;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
