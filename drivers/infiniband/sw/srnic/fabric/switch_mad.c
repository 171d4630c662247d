// SPDX-License-Identifier: GPL-2.0
/*
 * The switch's SMPs: it receives and sends them by a QP of its own, as a kernel consumer. The
 * engine sends SMPs without an address from QP0 there (engine/ud.c).
 */
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include "fabric/switch.h"

#define SWITCH_RECVS	64	/* SMPs that can wait for the switch */
#define SWITCH_SENDS	64	/* SMPs on their way out; more are dropped, and asked for again */
#define SMI_QKEY	0	/* of QP0, IBA 10.2.5 */
#define DIRECTED	IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE

struct switch_rx {
	struct ib_cqe cqe;
	u64 dma;
	struct {
		struct ib_grh grh;
		struct ib_mad mad;
	} __packed data;
};

struct switch_tx {
	struct ib_cqe cqe;
	struct ib_ah *ah;
	u64 dma;
	struct ib_mad mad;
};

/* A work request has ended. */
static void put_work(struct srnic_switch *sw)
{
	if (refcount_dec_and_test(&sw->works))
		complete(&sw->drained);
}

static void send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct switch_tx *tx = container_of(wc->wr_cqe, struct switch_tx, cqe);
	struct srnic_switch *sw = cq->cq_context;

	ib_dma_unmap_single(sw->pd->device, tx->dma, sizeof(tx->mad), DMA_TO_DEVICE);
	rdma_destroy_ah(tx->ah, RDMA_DESTROY_AH_SLEEPABLE);
	kfree(tx);
	put_work(sw);
}

/* Address the node behind a port; this node without a GRH, as only its own kernel does. */
static struct ib_ah *create_ah(struct srnic_switch *sw, u8 port)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_IB, .port_num = SRNIC_PORT };

	if (port == SRNIC_SWITCH_OWN)
		rdma_ah_set_dlid(&attr, be16_to_cpu(IB_LID_PERMISSIVE));
	else
		rdma_ah_set_grh(&attr, &sw->ports[port].gid, 0, 0, 1, 0);
	return rdma_create_ah(sw->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
}

/* Return 0, or an error: the caller keeps @tx. */
static int post_send(struct srnic_switch *sw, u32 qpn, struct switch_tx *tx)
{
	struct ib_device *ib = sw->pd->device;
	struct ib_sge sge = { .length = sizeof(tx->mad), .lkey = sw->pd->local_dma_lkey };
	struct ib_ud_wr wr = {
		.wr.wr_cqe = &tx->cqe,
		.wr.sg_list = &sge,
		.wr.num_sge = 1,
		.wr.opcode = IB_WR_SEND,
		.wr.send_flags = IB_SEND_SIGNALED,
		.ah = tx->ah,
		.remote_qpn = qpn,
		.remote_qkey = SMI_QKEY,
	};
	int err;

	tx->cqe.done = send_done;
	tx->dma = ib_dma_map_single(ib, &tx->mad, sizeof(tx->mad), DMA_TO_DEVICE);
	if (ib_dma_mapping_error(ib, tx->dma))
		return -ENOMEM;
	sge.addr = tx->dma;
	refcount_inc(&sw->works);
	err = ib_post_send(sw->qp, &wr.wr, NULL);
	if (err) {
		put_work(sw);
		ib_dma_unmap_single(ib, tx->dma, sizeof(tx->mad), DMA_TO_DEVICE);
	}
	return err;
}

/**
 * srnic_switch_send() - Send an SMP out of a port of the switch
 * @sw: the switch
 * @port: number of the port; there may be no node behind it
 * @qpn: QP of the node
 * @mad: the SMP
 *
 * An SMP that cannot be sent is lost, as on any link; managers ask again.
 *
 * Context: process, under @sw->lock.
 */
void srnic_switch_send(struct srnic_switch *sw, u8 port, u32 qpn, const void *mad)
{
	struct switch_tx *tx;

	lockdep_assert_held(&sw->lock);
	if (port != SRNIC_SWITCH_OWN && rdma_is_zero_gid(&sw->ports[port].gid))
		return;
	tx = kmalloc(sizeof(*tx), GFP_KERNEL);
	if (!tx)
		return;
	memcpy(&tx->mad, mad, sizeof(tx->mad));
	tx->ah = create_ah(sw, port);
	if (IS_ERR(tx->ah))
		goto free;
	if (!post_send(sw, qpn, tx))
		return;
	rdma_destroy_ah(tx->ah, RDMA_DESTROY_AH_SLEEPABLE);
free:
	kfree(tx);
}

/*
 * Return the port that an SMP has come by, or 0: from a stranger. The permissive LID is that of
 * this node's kernel alone (engine/ud_origin.c).
 */
static u8 port_of(const struct srnic_switch *sw, const struct ib_wc *wc, const struct ib_grh *grh)
{
	u8 port;

	if (wc->slid == be16_to_cpu(IB_LID_PERMISSIVE))
		return SRNIC_SWITCH_OWN;
	for (port = SRNIC_SWITCH_FIRST; port <= SRNIC_SWITCH_PORTS; port++)
		if (!memcmp(&sw->ports[port].gid, &grh->sgid, sizeof(grh->sgid)))
			return port;
	return 0;
}

static void note_request(struct srnic_switch *sw, const struct ib_wc *wc,
			 const struct ib_grh *grh, const struct ib_mad *in)
{
	u8 port = port_of(sw, wc, grh);

	if (port && port != SRNIC_SWITCH_OWN)
		sw->expected[sw->next++ % SRNIC_SWITCH_EXPECTED] =
			(struct srnic_switch_request){ in->mad_hdr.tid, port, wc->src_qp };
}

/*
 * Note a request to this node's manager that has come from another node's: the manager answers by
 * a directed route without an address, which reads as if it began here.
 */
void srnic_switch_expect(struct srnic_fabric *fabric, const struct ib_wc *wc,
			 const struct ib_grh *grh, const struct ib_mad *in)
{
	struct srnic_switch *sw;

	mutex_lock(&fabric->switch_lock);
	sw = fabric->sw;
	if (sw) {
		mutex_lock(&sw->lock);
		note_request(sw, wc, grh, in);
		mutex_unlock(&sw->lock);
	}
	mutex_unlock(&fabric->switch_lock);
}

/* Send an answer of this node's manager to the one that has asked. Return false if none has. */
static bool send_expected(struct srnic_switch *sw, const struct ib_smp *smp)
{
	struct srnic_switch_request *request;
	unsigned int i;

	for (i = 0; i < SRNIC_SWITCH_EXPECTED; i++) {
		request = &sw->expected[i];
		if (!request->port || request->tid != smp->tid)
			continue;
		srnic_switch_send(sw, request->port, request->qpn, smp);
		*request = (struct srnic_switch_request){};
		return true;
	}
	return false;
}

/* The manager gives a node a LID. The node itself is not asked: it could name another one's. */
static void note_lid(struct srnic_switch *sw, u8 out_port, const struct ib_smp *smp)
{
	const struct ib_port_info *info = (const void *)smp->data;
	const union ib_gid *gid = &sw->ports[out_port].gid;
	u16 lid;

	if (smp->method != IB_MGMT_METHOD_SET || smp->attr_id != IB_SMP_ATTR_PORT_INFO ||
	    smp->hop_ptr != smp->hop_cnt || out_port == SRNIC_SWITCH_OWN)
		return;
	lid = be16_to_cpu(info->lid);
	srnic_subnet_set_lid(sw->fabric, gid, lid);
	srnic_lids_learn(sw->fabric, lid, gid);
}

/* Answer a request, or leave it: IBA 13.4.5, Get and Set have answers. */
static void answer_request(struct srnic_switch *sw, u8 in_port, u32 qpn, const struct ib_mad *in)
{
	struct ib_mad out;

	if (in->mad_hdr.method != IB_MGMT_METHOD_GET && in->mad_hdr.method != IB_MGMT_METHOD_SET)
		return;
	srnic_switch_answer(sw, in_port, in, &out);
	if (in->mad_hdr.mgmt_class == DIRECTED)
		((struct ib_smp *)&out)->hop_ptr--;
	srnic_switch_send(sw, in_port, qpn, &out);
}

/* Other nodes send answers only: their managers have switches of their own. */
static void handle_directed(struct srnic_switch *sw, u8 in_port, u32 qpn, struct ib_mad *in)
{
	struct ib_smp *smp = (struct ib_smp *)in;
	int out;

	if (ib_get_smp_direction(smp) ? in_port == SRNIC_SWITCH_OWN && send_expected(sw, smp) :
					in_port != SRNIC_SWITCH_OWN)
		return;
	out = srnic_switch_route(smp, in_port);
	if (out == SRNIC_ROUTE_DROP)
		return;
	if (out == SRNIC_ROUTE_HERE) {
		answer_request(sw, in_port, qpn, in);
		return;
	}
	if (!ib_get_smp_direction(smp))
		note_lid(sw, out, smp);
	srnic_switch_send(sw, out, 0, smp);
}

/* The switch sends no request by a LID but its probes. */
static void note_probed(struct srnic_switch *sw, u8 port, const struct ib_smp *smp)
{
	const struct ib_port_info *info = (const void *)smp->data;

	if (smp->method == IB_MGMT_METHOD_GET_RESP && !smp->status &&
	    smp->attr_id == IB_SMP_ATTR_PORT_INFO)
		srnic_switch_follow(sw, port, info->linkspeed_portstate & 0xf);
}

static void receive_smp(struct srnic_switch *sw, struct switch_rx *rx, const struct ib_wc *wc)
{
	u8 port = port_of(sw, wc, &rx->data.grh);

	if (!port) {
		srnic_count(sw->fabric->dev, mad_foreign);
		return;
	}
	if (port != SRNIC_SWITCH_OWN)
		srnic_switch_heard(sw, port);
	if (rx->data.mad.mad_hdr.mgmt_class == DIRECTED)
		handle_directed(sw, port, wc->src_qp, &rx->data.mad);
	else if (rx->data.mad.mad_hdr.mgmt_class != IB_MGMT_CLASS_SUBN_LID_ROUTED)
		return;
	else if (port == SRNIC_SWITCH_OWN)
		answer_request(sw, port, wc->src_qp, &rx->data.mad);
	else
		note_probed(sw, port, (const void *)&rx->data.mad);
}

static void recv_done(struct ib_cq *cq, struct ib_wc *wc);

/* Post a buffer, or free it. */
static void post_recv(struct srnic_switch *sw, struct switch_rx *rx)
{
	struct ib_device *ib = sw->pd->device;
	struct ib_sge sge = { .length = sizeof(rx->data), .lkey = sw->pd->local_dma_lkey };
	struct ib_recv_wr wr = { .wr_cqe = &rx->cqe, .sg_list = &sge, .num_sge = 1 };

	rx->cqe.done = recv_done;
	rx->dma = ib_dma_map_single(ib, &rx->data, sizeof(rx->data), DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(ib, rx->dma))
		goto free;
	sge.addr = rx->dma;
	refcount_inc(&sw->works);
	if (!ib_post_recv(sw->qp, &wr, NULL))
		return;
	put_work(sw);
	ib_dma_unmap_single(ib, rx->dma, sizeof(rx->data), DMA_FROM_DEVICE);
free:
	kfree(rx);
}

static void recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct switch_rx *rx = container_of(wc->wr_cqe, struct switch_rx, cqe);
	struct srnic_switch *sw = cq->cq_context;

	ib_dma_unmap_single(sw->pd->device, rx->dma, sizeof(rx->data), DMA_FROM_DEVICE);
	if (wc->status) {	/* the QP is being emptied */
		kfree(rx);
	} else {
		if (wc->byte_len == sizeof(rx->data)) {
			mutex_lock(&sw->lock);
			receive_smp(sw, rx, wc);
			mutex_unlock(&sw->lock);
		}
		post_recv(sw, rx);
	}
	put_work(sw);
}

static int start_qp(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = SRNIC_PORT,
		.qkey = SMI_QKEY,
	};
	int err;

	err = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY);
	if (err)
		return err;
	attr.qp_state = IB_QPS_RTR;
	err = ib_modify_qp(qp, &attr, IB_QP_STATE);
	if (err)
		return err;
	attr.qp_state = IB_QPS_RTS;
	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN);
}

static struct ib_qp *create_qp(struct srnic_switch *sw)
{
	struct ib_qp_init_attr init = {
		.send_cq = sw->cq,
		.recv_cq = sw->cq,
		.cap = { SWITCH_SENDS, SWITCH_RECVS, 1, 1 },
		.qp_type = IB_QPT_UD,
	};

	return ib_create_qp(sw->pd, &init);
}

static void post_recvs(struct srnic_switch *sw)
{
	struct switch_rx *rx;
	int i;

	for (i = 0; i < SWITCH_RECVS; i++) {
		rx = kmalloc(sizeof(*rx), GFP_KERNEL);
		if (!rx)
			break;
		post_recv(sw, rx);
	}
}

/**
 * srnic_switch_open() - Create the QP of a switch, and start to receive
 * @sw: the switch
 *
 * Context: process.
 * Return: 0 or an error.
 */
int srnic_switch_open(struct srnic_switch *sw)
{
	struct ib_device *ib = &sw->fabric->dev->ib;
	int err;

	refcount_set(&sw->works, 1);
	init_completion(&sw->drained);
	sw->pd = ib_alloc_pd(ib, 0);
	if (IS_ERR(sw->pd))
		return PTR_ERR(sw->pd);
	sw->cq = ib_alloc_cq(ib, sw, SWITCH_SENDS + SWITCH_RECVS, 0, IB_POLL_WORKQUEUE);
	err = PTR_ERR_OR_ZERO(sw->cq);
	if (err)
		goto dealloc_pd;
	sw->qp = create_qp(sw);
	err = PTR_ERR_OR_ZERO(sw->qp);
	if (err)
		goto free_cq;
	err = start_qp(sw->qp);
	if (err)
		goto destroy_qp;
	post_recvs(sw);
	return 0;

destroy_qp:
	ib_destroy_qp(sw->qp);
free_cq:
	ib_free_cq(sw->cq);
dealloc_pd:
	ib_dealloc_pd(sw->pd);
	return err;
}

/* Undo srnic_switch_open(), when no SMP under way needs the switch any more. Context: process. */
void srnic_switch_close(struct srnic_switch *sw)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	/* ib_drain_qp() knows connected QPs only */
	ib_modify_qp(sw->qp, &attr, IB_QP_STATE);
	if (!refcount_dec_and_test(&sw->works))
		wait_for_completion(&sw->drained);
	ib_destroy_qp(sw->qp);
	ib_free_cq(sw->cq);
	ib_dealloc_pd(sw->pd);
}
