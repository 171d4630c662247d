/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions shared by the files of fabric: the port, and the agents that answer
 * MADs of their classes.
 */
#ifndef SRNIC_FABRIC_PORT_H
#define SRNIC_FABRIC_PORT_H

#include <linux/unaligned.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_smi.h>
#include "srnic.h"
#include "wire/wire.h"
#include "fabric/fabric.h"
#include "subnet.h"

#define SRNIC_MAD_INVALID_FIELD	IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE

/* fabric.c */
bool srnic_fabric_is_own(const struct srnic_fabric *fabric, const struct ib_wc *wc);
int srnic_fabric_query_port(struct srnic_fabric *fabric, struct ib_port_attr *attr);
__be64 srnic_fabric_guid(const struct srnic_fabric *fabric);

/**
 * typedef srnic_mad_answer_fn - Answer a Get or a Set
 * @fabric: the port
 * @in: the request
 * @data: data of the reply; those of the request for a Set, zero for a Get
 *
 * Return: MAD status, host order; 0: success.
 */
typedef u16 (*srnic_mad_answer_fn)(struct srnic_fabric *fabric, const struct ib_mad *in,
				   void *data);

/**
 * struct srnic_mad_attr - An attribute that an agent supports
 * @id: AttributeID
 * @methods: bit mask of methods
 * @answer: writes the attribute's data
 */
struct srnic_mad_attr {
	__be16 id;
	u8 methods;
	srnic_mad_answer_fn answer;
};

/**
 * struct srnic_mad_class - A management class whose requests the driver answers
 * @mgmt_class: MgmtClass
 * @attrs: attributes
 * @n_attrs: number of @attrs
 * @offset: offset of the attribute's data in the MAD, bytes
 * @len: bytes of data
 * @own_only: methods that only this node may use
 */
struct srnic_mad_class {
	u8 mgmt_class;
	const struct srnic_mad_attr *attrs;
	unsigned int n_attrs;
	u8 offset;
	u8 len;
	u8 own_only;
};

#define SRNIC_MAD_GET		BIT(IB_MGMT_METHOD_GET)
#define SRNIC_MAD_SET		BIT(IB_MGMT_METHOD_SET)
#define SRNIC_MAD_GET_SET	(SRNIC_MAD_GET | SRNIC_MAD_SET)

/* sma.c, pma.c */
extern const struct srnic_mad_class srnic_sma_lid_routed;
extern const struct srnic_mad_class srnic_sma_directed;
extern const struct srnic_mad_class srnic_pma;

/* pma.c */
int srnic_pma_ethernet(struct srnic_dev *dev, const struct ib_wc *wc, const struct ib_mad *in,
		       struct ib_mad *out);

/* sma_port.c: PortInfo, for the SMA and the SA */
void srnic_sma_fill_info(const struct srnic_fabric *fabric, const struct ib_port_attr *attr,
			 void *data);
int srnic_sma_fill_port_info(struct srnic_fabric *fabric, void *data);
u16 srnic_sma_port_info(struct srnic_fabric *fabric, const struct ib_mad *in, void *data);
/* SMInfo, IBA 14.2.5.13 */
struct srnic_sm_info {
	__be64 guid;
	__be64 sm_key;
	__be32 act_count;
	u8 priority_state;	/* 4 bits each */
} __packed;

/* sma.c: attributes that the SA has, too */
void srnic_sma_node_info(struct srnic_fabric *fabric, struct ib_node_info *info);
void srnic_sma_fill_guids(struct srnic_fabric *fabric, void *data);
void srnic_sma_fill_pkeys(struct srnic_fabric *fabric, void *data);
void srnic_sma_fill_sm_info(struct srnic_fabric *fabric, struct srnic_sm_info *info);

/* pkey.c */
u16 srnic_fabric_own_pkey(const struct srnic_fabric *fabric, u16 pkey);
bool srnic_fabric_has_pkey(const struct srnic_fabric *fabric, u16 pkey);
void srnic_fabric_set_pkeys(struct srnic_fabric *fabric, const u16 pkeys[SRNIC_PKEYS]);

/* sa.c: bits of enum ib_mad_result */
int srnic_sa_process(struct srnic_fabric *fabric, u8 roles, const struct ib_mad *in,
		     struct ib_mad *out);

/* sa_agent.c: under fabric->subnet_lock */
void srnic_sa_agent_start(struct srnic_fabric *fabric);
void srnic_sa_agent_stop(struct srnic_fabric *fabric);

/* subnet_nodes.c: nodes of the subnet */
u8 srnic_subnet_roles(const struct srnic_fabric *fabric, const struct ib_wc *wc,
		      const struct ib_grh *grh);
void srnic_subnet_set_lid(struct srnic_fabric *fabric, const union ib_gid *gid, u16 lid);

/* subnet.c: their list */
void srnic_subnet_free(struct srnic_fabric *fabric);
void srnic_subnet_set_managed(struct srnic_fabric *fabric, bool managed);

/* managed.c: a port that a subnet manager of user space manages */
u16 srnic_port_state_next(u8 *state, const struct ib_port_info *info);
u16 srnic_managed_set_info(struct srnic_fabric *fabric, const struct ib_port_info *info);
void srnic_managed_reset(struct srnic_fabric *fabric, u16 lid, u8 state);

/* lids.c: ports by LID */
void srnic_lids_learn(struct srnic_fabric *fabric, u16 lid, const union ib_gid *gid);
void srnic_lids_learn_path(struct srnic_fabric *fabric, const struct ib_mad *in);
void srnic_lids_clear(struct srnic_fabric *fabric);

static inline bool srnic_lid_is_unicast(u16 lid)
{
	return lid && lid < be16_to_cpu(IB_MULTICAST_LID_BASE);
}

/* sa_ipoib.c: 0 or -ENOMEM */
int srnic_sa_groups_init(struct srnic_fabric *fabric);
void srnic_sa_pkeys_changed(struct srnic_fabric *fabric);
void srnic_sa_mtu_changed(struct srnic_fabric *fabric);
/* sa_group.c, sa_service.c, sa_inform.c */
void srnic_sa_groups_free(struct srnic_fabric *fabric);
void srnic_sa_services_free(struct srnic_fabric *fabric);
void srnic_sa_subscriptions_free(struct srnic_fabric *fabric);

#endif /* SRNIC_FABRIC_PORT_H */
