// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The passive side. Requests go through stages of their own: verify, create a queue pair,
 * accept; many are under way at once.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cancel.h"
#include "error.h"
#include "keys.h"
#include "pipeline.h"

#define BACKLOG		256
#define SKEW_S		30
#define SKEW_MAX	86400
/*
 * The kernel drops requests beyond its backlog, and the peer repeats them only after four seconds.
 * So let the kernel pass on all of them, and report to requesters that this side is busy.
 */
#define KERNEL_BACKLOG	1024

static int psn_of(struct rdma_cm_id *id, bool passive, uint32_t *psn)
{
	struct ibv_qp_attr attr = { .qp_state = passive ? IBV_QPS_RTS : IBV_QPS_RTR };
	int mask;

	if (rdma_init_qp_attr(id, &attr, &mask))
		return -(errno ?: EIO);
	/* RTR's attributes have the identifier's own starting PSN, RTS's that of the peer's REQ */
	*psn = passive ? attr.sq_psn : attr.rq_psn;
	return 0;
}

int facts_of(struct rdma_cm_id *id, uint32_t peer_qpn, bool passive, struct facts *facts)
{
	const struct rdma_ib_addr *addr = &id->route.addr.addr.ibaddr;
	uint16_t port = ntohs(passive ? rdma_get_src_port(id) : rdma_get_dst_port(id));

	/* iWARP has neither PSNs nor the peer's QP number in its requests */
	if (id->verbs->device->transport_type != IBV_TRANSPORT_IB)
		return fail(EOPNOTSUPP, "only connections of InfiniBand and RoCE can be authenticated");
	facts->qpn = passive ? peer_qpn : id->qp->qp_num;
	memcpy(facts->client_gid, passive ? &addr->dgid : &addr->sgid, GID_LEN);
	memcpy(facts->server_gid, passive ? &addr->sgid : &addr->dgid, GID_LEN);
	facts->service = (uint64_t)id->ps << 16 | port;
	return psn_of(id, passive, &facts->psn);
}

static const char *judge(struct rdma_pipeline_conn *conn, const struct request *request,
			 const struct facts *facts)
{
	struct rdma_pipeline_listener *listener = conn->listener;
	const char *fault = keys_verify(listener->settings.keys, request, facts);

	if (fault || request->version < 2)
		return fault;
	switch (replay_judge(listener->replay, request, time(NULL))) {
	case VERDICT_FRESH:
		return NULL;
	case VERDICT_STALE:
		conn->hint = HINT_STALE;
		return "stale";
	case VERDICT_REPLAY:
		return "replay";
	default:
		conn->hint = HINT_BUSY;
		return "full";
	}
}

static const char *check(struct rdma_pipeline_conn *conn, struct request *request,
			 const struct facts *facts)
{
	conn->hint = HINT_REFUSED;
	switch (request_parse(conn->peer_data, conn->peer_len, request)) {
	case REQUEST_FINE:
		break;
	case REQUEST_MISSING:
		return "missing";
	case REQUEST_VERSION:
		return "version";
	default:
		return "malformed";
	}
	if (request->version < conn->settings->version)
		return "version";
	return judge(conn, request, facts);
}

static void report(struct rdma_pipeline_conn *conn, const char *fault,
		   const struct request *request, const struct facts *facts)
{
	struct rdma_pipeline_illegal access = {
		.reason = fault,
		.peer = rdma_get_peer_addr(conn->id),
		.service = facts->service,
		.key_id = request->key_id,
		.qpn = facts->qpn,
		.psn = facts->psn,
		.version = request->version,
	};

	in_callback = true;
	illegal_report(&conn->listener->log, &access, clock_ms());
	in_callback = false;
}

int listen_verify(struct rdma_pipeline_conn *conn)
{
	struct request request = {};
	struct facts facts = {};
	const char *fault;
	int err;

	if (!conn->settings->keys)
		return WORK_DONE;
	err = facts_of(conn->id, conn->peer_qpn, true, &facts);
	if (err)
		return err;
	fault = check(conn, &request, &facts);
	if (fault) {
		report(conn, fault, &request, &facts);
		return WORK_REFUSED;
	}
	conn->hint = HINT_NONE;
	return WORK_DONE;
}

void listener_put(struct rdma_pipeline_listener *listener)
{
	if (--listener->refs)
		return;
	illegal_exit(&listener->log);
	replay_free(listener->replay);
	free(listener);
}

static struct rdma_pipeline_conn *admit(struct rdma_pipeline_listener *listener,
					const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;
	struct rdma_pipeline *pipe = listener->pipe;
	struct rdma_pipeline_conn *conn;

	if (listener->closed || listener->pending >= listener->backlog)
		return NULL;
	conn = conn_new(pipe);
	if (!conn)
		return NULL;
	conn->listener = listener;
	conn->settings = &listener->settings;
	conn->id = event->id;
	conn->channel = &pipe->channels[0];
	conn->peer_qpn = param->qp_num;
	if (param->private_data) {
		conn->peer_len = param->private_data_len < REQUEST_LEN ?
			param->private_data_len : REQUEST_LEN;
		memcpy(conn->peer_data, param->private_data, conn->peer_len);
	}
	event->id->context = conn;
	listener->refs++;
	listener->pending++;
	listener->unsettled++;
	pipe->channels[0].ids++;
	conn_start(conn, STAGE_VERIFY);
	return conn;
}

/* The identifier that comes with the request has no events before it is accepted. */
void listen_request(struct rdma_pipeline *pipe, struct rdma_cm_event *event)
{
	struct rdma_cm_id *id = event->id;
	uint8_t refusal[REFUSAL_LEN];
	bool admitted;

	pthread_mutex_lock(&pipe->lock);
	admitted = admit(event->listen_id->context, event);
	if (!admitted)
		pipe->stats.busy++;
	pthread_mutex_unlock(&pipe->lock);
	rdma_ack_cm_event(event);
	if (admitted)
		return;
	hint_write(HINT_BUSY, refusal);
	rdma_reject(id, refusal, sizeof(refusal));
	rdma_destroy_id(id);
}

static int check_listen(const struct rdma_pipeline_listen_param *param)
{
	static const uint64_t zeros[sizeof(param->reserved) / sizeof(param->reserved[0])];

	if (param->backlog > KERNEL_BACKLOG)
		return fail(EINVAL, "backlog %u: at most %d is possible", param->backlog,
			    KERNEL_BACKLOG);
	if (param->skew_s > SKEW_MAX)
		return fail(EINVAL, "clocks may differ by at most %d s", SKEW_MAX);
	if (param->refusal > RDMA_PIPELINE_SILENCE)
		return fail(EINVAL, "unknown refusal %u", param->refusal);
	if (param->illegal_fd < 0)
		return fail(EINVAL, "illegal_fd is negative: 0 means no log");
	if (memcmp(param->reserved, zeros, sizeof(zeros)))
		return fail(EINVAL, "reserved members of the parameters are not 0");
	return 0;
}

static int bind_and_listen(struct rdma_pipeline_listener *listener)
{
	struct sockaddr_storage addr = listener->settings.dst;
	int err;

	if (rdma_create_id(listener->pipe->channels[0].cm, &listener->id, listener, RDMA_PS_TCP)) {
		err = errno ?: EIO;
		return fail(err, "rdma_create_id: %s", strerror(err));
	}
	if (!rdma_bind_addr(listener->id, (struct sockaddr *)&addr) &&
	    !rdma_listen(listener->id, KERNEL_BACKLOG))
		return 0;
	err = errno ?: EIO;
	rdma_destroy_id(listener->id);
	return fail(err, "cannot listen there: %s", strerror(err));
}

static int make(struct rdma_pipeline *pipe, const struct rdma_pipeline_listen_param *param,
		struct rdma_pipeline_listener *listener)
{
	listener->owner = OWNER_LISTENER;
	listener->pipe = pipe;
	listener->refs = 1;
	listener->backlog = param->backlog ?: BACKLOG;
	listener->refusal = param->refusal;
	list_init(&listener->node);
	illegal_init(&listener->log, param, clock_ms());
	if (!param->conn.keys)
		return 0;
	listener->replay = replay_create(time(NULL), param->skew_s ?: SKEW_S);
	return listener->replay ? 0 : fail(ENOMEM, "out of memory");
}

static int start_stages(struct rdma_pipeline *pipe)
{
	int err;

	pthread_mutex_lock(&pipe->lock);
	err = stage_start(&pipe->stages[STAGE_VERIFY], 1);
	if (!err)
		err = stage_start(&pipe->stages[STAGE_ACCEPT], SLEEPERS);
	pthread_mutex_unlock(&pipe->lock);
	return err ? fail(-err, "cannot start a thread: %s", strerror(-err)) : 0;
}

int rdma_pipeline_listen(struct rdma_pipeline *pipe, const struct rdma_pipeline_listen_param *param,
			 struct rdma_pipeline_listener **listener)
{
	struct rdma_pipeline_listener *new;
	int err, state;

	*listener = NULL;
	err = check_listen(param);
	if (err)
		return err;
	new = calloc(1, sizeof(*new));
	if (!new)
		return fail(ENOMEM, "out of memory");
	state = cancel_put_off();
	err = make(pipe, param, new) ?: settings_copy(&new->settings, &param->conn, true) ?:
		start_stages(pipe) ?: bind_and_listen(new);
	pthread_mutex_lock(&pipe->lock);
	if (err) {
		listener_put(new);
	} else {
		list_add_tail(&pipe->listeners, &new->node);
		*listener = new;
	}
	pthread_mutex_unlock(&pipe->lock);
	cancel_restore(state);
	return err;
}

/* End those of its connections that are not yet up. */
static void release_unsettled(struct rdma_pipeline_listener *listener, struct list *list)
{
	struct rdma_pipeline_conn *conn;
	struct list *node, *next;

	for (node = list->next; node != list; node = next) {
		next = node->next;
		conn = list_of(node, struct rdma_pipeline_conn, node);
		if (conn->listener == listener && conn->error.stage != RDMA_PIPELINE_ESTABLISHED)
			conn_release(conn);
	}
}

int rdma_pipeline_unlisten(struct rdma_pipeline_listener *listener)
{
	struct rdma_pipeline *pipe;
	int state;

	if (!listener)
		return 0;
	if (in_callback)
		return fail(EDEADLK, "a callback cannot stop to listen");
	pipe = listener->pipe;
	state = cancel_put_off();
	pthread_mutex_lock(&pipe->lock);
	listener->closed = true;
	list_del(&listener->node);
	pthread_mutex_unlock(&pipe->lock);
	rdma_destroy_id(listener->id);
	pthread_mutex_lock(&pipe->lock);
	release_unsettled(listener, &pipe->timed);
	while (listener->unsettled)
		pthread_cond_wait(&pipe->settled, &pipe->lock);
	listener_put(listener);
	pthread_mutex_unlock(&pipe->lock);
	cancel_restore(state);
	return 0;
}

uint16_t rdma_pipeline_port(const struct rdma_pipeline_listener *listener)
{
	return ntohs(rdma_get_src_port(listener->id));
}
