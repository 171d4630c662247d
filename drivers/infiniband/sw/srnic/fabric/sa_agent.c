// SPDX-License-Identifier: GPL-2.0
/*
 * The MAD agent of the SA for GetTable and GetMulti, whose reply may need several
 * MADs. ib_mad segments the replies (RMPP, IBA 13.6).
 */
#include <linux/string.h>
#include "fabric/sa.h"

static void send_handler(struct ib_mad_agent *agent, struct ib_mad_send_wc *send_wc)
{
	rdma_destroy_ah(send_wc->send_buf->ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_free_send_mad(send_wc->send_buf);
}

/*
 * Create the message of a reply. ib_mad fills in the RMPP header of a message in
 * segments; an error has none (IBA 15.4.4).
 */
static struct ib_mad_send_buf *create_reply(struct ib_mad_agent *agent, const struct ib_wc *wc,
					    const struct ib_sa_mad *out,
					    const struct srnic_sa_table *table)
{
	bool rmpp = !out->mad_hdr.status;
	size_t size = rmpp ? table->count * table->stride : IB_MGMT_SA_DATA;
	struct ib_mad_send_buf *buf;
	struct ib_sa_mad *mad;
	size_t at, n;
	int seg;

	buf = ib_create_send_mad(agent, wc->src_qp, wc->pkey_index, rmpp, IB_MGMT_SA_HDR, size,
				 GFP_KERNEL, IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf))
		return buf;
	mad = buf->mad;
	mad->mad_hdr = out->mad_hdr;
	mad->sa_hdr = out->sa_hdr;
	if (!rmpp) {
		memcpy(mad->data, out->data, sizeof(out->data));
		return buf;
	}
	for (at = 0, seg = 1; at < size; at += n, seg++) {
		n = min_t(size_t, size - at, buf->seg_size);
		memcpy(ib_get_rmpp_segment(buf, seg), table->records + at, n);
	}
	return buf;
}

static void send_reply(struct ib_mad_agent *agent, const struct ib_mad_recv_wc *recv,
		       const struct ib_sa_mad *out, const struct srnic_sa_table *table)
{
	struct ib_mad_send_buf *buf;
	struct ib_ah *ah;

	ah = ib_create_ah_from_wc(agent->qp->pd, recv->wc, recv->recv_buf.grh, agent->port_num);
	if (IS_ERR(ah))
		return;
	buf = create_reply(agent, recv->wc, out, table);
	if (IS_ERR(buf))
		goto destroy_ah;
	buf->ah = ah;
	if (ib_post_send_mad(buf, NULL))
		goto free_buf;
	return;

free_buf:
	ib_free_send_mad(buf);
destroy_ah:
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
}

/*
 * Answer a request of this node: srnic_sa_process() has dropped those of others. A request without
 * an answer is repeated by its sender after a timeout.
 */
static void recv_handler(struct ib_mad_agent *agent, struct ib_mad_send_buf *send_buf,
			 struct ib_mad_recv_wc *recv)
{
	const struct ib_sa_mad *in = (const void *)recv->recv_buf.mad;
	struct srnic_fabric *fabric = agent->context;
	struct srnic_sa_table table = {};
	struct ib_sa_mad *out;

	out = kmalloc(sizeof(*out), GFP_KERNEL);
	if (!out)
		goto free_recv;
	if (srnic_sa_answer(fabric, in, out, &table))
		send_reply(agent, recv, out, &table);
	srnic_sa_table_free(&table);
	kfree(out);
free_recv:
	ib_free_recv_mad(recv);
}

/**
 * srnic_sa_agent_start() - Register the SA's agent
 * @fabric: a port of a registered device, which manages itself
 *
 * Context: process, under @fabric->subnet_lock.
 */
void srnic_sa_agent_start(struct srnic_fabric *fabric)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = IB_MGMT_CLASS_SUBN_ADM,
		.mgmt_class_version = IB_SA_CLASS_VERSION,
	};
	struct ib_device *ib = &fabric->dev->ib;
	struct ib_mad_agent *agent;

	lockdep_assert_held(&fabric->subnet_lock);
	if (!fabric->attached)
		return;
	set_bit(IB_SA_METHOD_GET_TABLE, req.method_mask);
	set_bit(IB_SA_METHOD_GET_MULTI, req.method_mask);
	agent = ib_register_mad_agent(ib, SRNIC_PORT, IB_QPT_GSI, &req, IB_MGMT_RMPP_VERSION,
				      send_handler, recv_handler, fabric, 0);
	if (IS_ERR(agent))
		ibdev_err(ib, "no agent of the subnet administration: error %ld\n",
			  PTR_ERR(agent));
	else
		fabric->agent = agent;
}

/**
 * srnic_sa_agent_stop() - Undo srnic_sa_agent_start(): another SA takes its place
 * @fabric: the port
 *
 * Context: process, under @fabric->subnet_lock.
 */
void srnic_sa_agent_stop(struct srnic_fabric *fabric)
{
	lockdep_assert_held(&fabric->subnet_lock);
	if (fabric->agent)
		ib_unregister_mad_agent(fabric->agent);	/* waits for the handlers */
	fabric->agent = NULL;
}
