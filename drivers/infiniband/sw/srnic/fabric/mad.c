// SPDX-License-Identifier: GPL-2.0
/*
 * The driver's part of the receipt of MADs: answers to requests that do not
 * need an agent. ib_mad passes every MAD through here, responses too, before it
 * looks for an agent.
 */
#include <linux/string.h>
#include "export.h"
#include "fabric/port.h"
#include "fabric/switch.h"

static const struct srnic_mad_class *const classes[] = {
	&srnic_sma_lid_routed,
	&srnic_sma_directed,
	&srnic_pma,
};

/* Methods of requests that are answered; the rest is for agents. */
#define REQUESTS	SRNIC_MAD_GET_SET

/* SMPs have no other version, and neither has the PMA (IBA 13.4.4). */
#define CLASS_VERSION	1

static const struct srnic_mad_class *class_find(u8 mgmt_class)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(classes); i++)
		if (classes[i]->mgmt_class == mgmt_class)
			return classes[i];
	return NULL;
}

static const struct srnic_mad_attr *attr_find(const struct srnic_mad_class *class,
					      const struct ib_mad_hdr *hdr)
{
	unsigned int i;

	for (i = 0; i < class->n_attrs; i++)
		if (class->attrs[i].id == hdr->attr_id &&
		    class->attrs[i].methods & BIT(hdr->method))
			return &class->attrs[i];
	return NULL;
}

/*
 * SMInfo belongs to the subnet manager: to that of user space while it has the
 * file issm open, and to the node's own one otherwise.
 */
static bool is_for_agent(struct srnic_fabric *fabric, const struct srnic_mad_class *class,
			 const struct ib_mad_hdr *hdr)
{
	return class != &srnic_pma && hdr->attr_id == IB_SMP_ATTR_SM_INFO &&
	       READ_ONCE(fabric->cap_mask) & IB_PORT_SM;
}

/*
 * Everybody may read counters. The nodes of the subnet may read more, and a subnet manager may
 * change the port.
 */
static bool is_allowed(const struct srnic_mad_class *class, u8 method, u8 roles)
{
	if (!(class->own_only & BIT(method)))
		return true;
	return method == IB_MGMT_METHOD_GET ? roles : roles & SRNIC_SUBNET_MANAGER;
}

/*
 * The manager that configures the port is the one that it gives the LID of. Consumers hear of a new
 * manager in the Set, and address it then.
 */
static void learn_manager(struct srnic_fabric *fabric, u8 roles, const struct ib_grh *grh,
			  const struct ib_mad *in)
{
	const struct ib_smp *smp = (const void *)in;
	const union ib_gid *gid = roles & SRNIC_SUBNET_OWN ? &fabric->gid : &grh->sgid;
	struct ib_port_info info;
	u16 lid;

	if (smp->method != IB_MGMT_METHOD_SET || smp->attr_id != IB_SMP_ATTR_PORT_INFO ||
	    !srnic_fabric_is_managed(fabric))
		return;
	memcpy(&info, smp->data, sizeof(info));	/* aligned */
	lid = be16_to_cpu(info.sm_lid);
	srnic_subnet_set_lid(fabric, gid, lid);
	srnic_lids_learn(fabric, lid, gid);
}

static u16 mad_answer(struct srnic_fabric *fabric, const struct srnic_mad_class *class,
		      const struct ib_mad *in, struct ib_mad *out)
{
	const struct srnic_mad_attr *attr = attr_find(class, &in->mad_hdr);
	u8 *data = (u8 *)out + class->offset;

	if (in->mad_hdr.class_version != CLASS_VERSION)
		return IB_MGMT_MAD_STATUS_BAD_VERSION;
	if (!attr)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	return attr->answer(fabric, in, data);
}

/* IBA 14.2.2.2: the reply to a directed-route SMP has the direction bit set. */
static void mad_reply(struct srnic_fabric *fabric, const struct srnic_mad_class *class,
		      const struct ib_mad *in, struct ib_mad *out)
{
	*out = *in;
	/* PortSelect of the PMA is in the data, and is read in the request */
	if (in->mad_hdr.method == IB_MGMT_METHOD_GET)
		memset((u8 *)out + class->offset, 0, class->len);
	out->mad_hdr.status = cpu_to_be16(mad_answer(fabric, class, in, out));
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	if (class->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		out->mad_hdr.status |= IB_SMP_DIRECTION;
}

/**
 * srnic_process_mad() - Answer a MAD, or leave it to an agent
 * @ib: the device
 * @flags: IB_MAD_IGNORE_MKEY etc.; the port has no M_Key
 * @port: port number
 * @wc: completion of its receipt; NULL: a request of the kernel's own
 * @grh: its GRH, if @wc says so; else unused
 * @in: the MAD
 * @out: the reply
 * @out_size: size of the reply, bytes; always that of an IB MAD
 * @out_pkey_index: unused
 *
 * Requests of nodes that may not make them are dropped and counted. A port that manages itself has
 * no nodes beside it. An Ethernet port has no manager, and shows its counters to the kernel only.
 *
 * Context: process.
 * Return: bits of enum ib_mad_result.
 */
int srnic_process_mad(struct ib_device *ib, int flags, u32 port, const struct ib_wc *wc,
		      const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		      size_t *out_size, u16 *out_pkey_index)
{
	const struct srnic_mad_class *class = class_find(in->mad_hdr.mgmt_class);
	struct srnic_fabric *fabric = to_srnic(ib)->fabric;
	u8 method = in->mad_hdr.method, roles;

	if (port != SRNIC_PORT)
		return IB_MAD_RESULT_SUCCESS;
	if (!fabric)
		return srnic_pma_ethernet(to_srnic(ib), wc, in, out);
	roles = srnic_subnet_roles(fabric, wc, grh);
	if (in->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_ADM)
		return srnic_sa_process(fabric, roles, in, out);
	if (!class)
		return IB_MAD_RESULT_SUCCESS;
	/* IBA 13.4.9: TrapRepress has no response; the port sends no traps to be repressed */
	if (method == IB_MGMT_METHOD_TRAP_REPRESS)
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	if (method > IB_MGMT_METHOD_TRAP_REPRESS || !(REQUESTS & BIT(method)))
		return IB_MAD_RESULT_SUCCESS;
	if (!is_allowed(class, method, roles)) {
		srnic_count(fabric->dev, mad_foreign);
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	}
	if (is_for_agent(fabric, class, &in->mad_hdr)) {
		if (!(roles & SRNIC_SUBNET_OWN))
			srnic_switch_expect(fabric, wc, grh, in);
		return IB_MAD_RESULT_SUCCESS;
	}
	if (class != &srnic_pma)
		learn_manager(fabric, roles, grh, in);
	mad_reply(fabric, class, in, out);
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_process_mad);
