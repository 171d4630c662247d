// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The work of each stage: calls of librdmacm, made by the worker of the stage without the
 * pipeline's lock. The connection is busy meanwhile, so only the worker uses its identifier.
 */
#include <errno.h>
#include <string.h>
#include "error.h"
#include "keys.h"
#include "pipeline.h"

#define QP_WR		16	/* of a QP whose size was not given */

static int result_of(int ret)
{
	return ret ? -(errno ?: EIO) : WORK_WAIT;
}

static int create_id(struct rdma_pipeline_conn *conn)
{
	struct rdma_pipeline *pipe = conn->pipe;
	struct channel *channel;
	int err;

	pthread_mutex_lock(&pipe->lock);
	channel = channel_choose(pipe);
	pthread_mutex_unlock(&pipe->lock);
	if (rdma_create_id(channel->cm, &conn->id, conn, RDMA_PS_TCP)) {
		err = errno;
		pthread_mutex_lock(&pipe->lock);
		channel_leave(channel);
		pthread_mutex_unlock(&pipe->lock);
		return -(err ?: EIO);
	}
	conn->channel = channel;
	return WORK_DONE;
}

static int resolve_addr(struct rdma_pipeline_conn *conn)
{
	struct sockaddr_storage src = conn->settings->src, dst = conn->settings->dst;

	return result_of(rdma_resolve_addr(conn->id,
					   src.ss_family ? (struct sockaddr *)&src : NULL,
					   (struct sockaddr *)&dst, conn->settings->resolve_ms));
}

static int resolve_route(struct rdma_pipeline_conn *conn)
{
	return result_of(rdma_resolve_route(conn->id, conn->settings->resolve_ms));
}

static void fill_in(struct ibv_qp_init_attr *attr, const struct shared *shared)
{
	attr->qp_type = IBV_QPT_RC;
	if (!attr->cap.max_send_wr && !attr->cap.max_recv_wr) {
		attr->cap.max_send_wr = QP_WR;
		attr->cap.max_recv_wr = QP_WR;
	}
	if (!attr->cap.max_send_sge)
		attr->cap.max_send_sge = 1;
	if (!attr->cap.max_recv_sge)
		attr->cap.max_recv_sge = 1;
	if (!attr->send_cq)
		attr->send_cq = shared->cq;
	if (!attr->recv_cq)
		attr->recv_cq = shared->cq;
	if (!attr->srq)
		attr->srq = shared->srq;
}

static int create_qp(struct rdma_pipeline_conn *conn)
{
	struct ibv_qp_init_attr attr = conn->settings->qp;
	struct shared *shared;
	int err;

	err = shared_get(conn->pipe, conn->id, &shared);
	if (err)
		return err;
	fill_in(&attr, shared);
	err = rdma_create_qp(conn->id, conn->settings->pd ?: shared->pd, &attr);
	if (err)
		return result_of(err);
	conn->qp = conn->id->qp;
	return WORK_DONE;
}

static void fill_in_conn(const struct settings *settings, struct rdma_conn_param *param)
{
	*param = settings->conn;
	if (settings->private_len) {
		param->private_data = settings->private_data;
		param->private_data_len = settings->private_len;
	}
}

/*
 * The identifier does not know its QP until the connection is up. Otherwise rdma_get_cm_event()
 * would move the QP when the peer answers, and all events of the thread would wait for its key.
 */
static int connect_id(struct rdma_pipeline_conn *conn)
{
	const struct settings *settings = conn->settings;
	uint8_t request[REQUEST_LEN];
	struct rdma_conn_param param;
	struct facts facts;
	int err;

	fill_in_conn(settings, &param);
	if (settings->keys) {
		err = facts_of(conn->id, 0, false, &facts) ?:
			keys_sign(settings->keys, settings->version, &facts, request);
		if (err)
			return err;
		param.private_data = request;
		param.private_data_len = sizeof(request);
	}
	conn->id->qp = NULL;
	param.qp_num = conn->qp->qp_num;
	param.srq = !!conn->qp->srq;
	return result_of(rdma_connect(conn->id, &param));
}

static int move_qp(struct rdma_pipeline_conn *conn, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask, err;

	if (rdma_init_qp_attr(conn->id, &attr, &mask))
		return -(errno ?: EIO);
	err = ibv_modify_qp(conn->qp, &attr, mask);
	return -err;
}

/* To INIT again, because only now the route's attributes are known for sure (librdmacm). */
static int establish_id(struct rdma_pipeline_conn *conn)
{
	int err;

	err = move_qp(conn, IBV_QPS_INIT) ?: move_qp(conn, IBV_QPS_RTR) ?:
		move_qp(conn, IBV_QPS_RTS);
	if (err)
		return err;
	return rdma_establish(conn->id) ? -(errno ?: EIO) : WORK_UP;
}

static int accept_id(struct rdma_pipeline_conn *conn)
{
	struct rdma_conn_param param;

	fill_in_conn(conn->settings, &param);
	return result_of(rdma_accept(conn->id, &param));
}

/*
 * librdmacm moves the QP of an identifier when an event of it arrives, before the event is handled.
 * So the QP goes last, when no event can come any more.
 */
static void destroy_id(struct rdma_pipeline_conn *conn)
{
	uint8_t refusal[REFUSAL_LEN];

	if (conn->hint) {
		hint_write(conn->hint, refusal);
		rdma_reject(conn->id, refusal, sizeof(refusal));
	}
	rdma_destroy_id(conn->id);
	if (conn->qp)
		ibv_destroy_qp(conn->qp);
	conn->qp = NULL;
}

/* Disconnect first, so that the peer can answer, or is answered, and destroy later. */
static int close_id(struct rdma_pipeline_conn *conn)
{
	struct rdma_pipeline *pipe = conn->pipe;

	if (conn->farewell) {
		conn->parted = rdma_disconnect(conn->id) != 0;
		return WORK_DONE;
	}
	destroy_id(conn);
	pthread_mutex_lock(&pipe->lock);
	conn->id = NULL;
	conn->generation++;
	channel_leave(conn->channel);
	pthread_mutex_unlock(&pipe->lock);
	return WORK_DONE;
}

int work_of(enum stage_number stage, struct rdma_pipeline_conn *conn)
{
	static int (*const work[STAGES])(struct rdma_pipeline_conn *conn) = {
		[STAGE_CREATE_ID] = create_id,
		[STAGE_RESOLVE_ADDR] = resolve_addr,
		[STAGE_RESOLVE_ROUTE] = resolve_route,
		[STAGE_CREATE_QP] = create_qp,
		[STAGE_CONNECT] = connect_id,
		[STAGE_ESTABLISH] = establish_id,
		[STAGE_VERIFY] = listen_verify,
		[STAGE_ACCEPT] = accept_id,
		[STAGE_CLOSE] = close_id,
	};

	errno = 0;
	return work[stage](conn);
}
