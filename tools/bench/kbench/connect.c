// SPDX-License-Identifier: GPL-2.0
/*
 * Connect two devices of this kernel by rdma_cm, which finds them by their
 * addresses and supports RoCE and iWARP. Both ends use the same parameters.
 */
#define pr_fmt(fmt) "srnic_kbench: " fmt

#include "kbench.h"

#define RESOLVE_MS	2000
#define READS		16	/* outstanding READs; the number that perftest uses */

static void next_step(struct kbench_end *end, int err)
{
	end->err = err;
	complete(&end->step);
}

static void fill_param(struct rdma_conn_param *param)
{
	*param = (struct rdma_conn_param) {
		.responder_resources = READS,
		.initiator_depth = READS,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
}

/* Accept a connection request. On an error return, rdma_cm destroys @id. */
static int called(struct kbench_end *server, struct rdma_cm_id *id)
{
	struct rdma_conn_param param;
	int err;

	if (server->id)
		return -EBUSY;
	err = kbench_end_open(server, id);
	if (!err) {
		fill_param(&param);
		err = rdma_accept(id, &param);
	}
	if (err)
		next_step(server, err);
	/* The end owns the id now; kbench_end_close() destroys it */
	return 0;
}

static int on_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct kbench_end *end = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return called(end, id);
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
	case RDMA_CM_EVENT_ESTABLISHED:
		next_step(end, 0);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		break;
	default:
		pr_err("%s, status %d\n", rdma_event_msg(event->event), event->status);
		next_step(end, -ECONNREFUSED);
	}
	return 0;
}

static int listen_at(struct kbench_pair *pair, const struct kbench_job *job)
{
	struct sockaddr_in at = job->server;
	struct rdma_cm_id *id;

	id = rdma_create_id(&init_net, on_event, &pair->server, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	pair->listener = id;
	return rdma_bind_addr(id, (struct sockaddr *)&at) ?: rdma_listen(id, 1);
}

static int resolve(struct kbench_end *client, const struct kbench_job *job)
{
	struct sockaddr_in from = job->client, to = job->server;
	struct rdma_cm_id *id;
	int err;

	from.sin_port = 0;
	id = rdma_create_id(&init_net, on_event, client, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	client->id = id;
	err = rdma_resolve_addr(id, (struct sockaddr *)&from, (struct sockaddr *)&to, RESOLVE_MS) ?:
	      kbench_wait(client);
	if (err)
		return err;
	return rdma_resolve_route(id, RESOLVE_MS) ?: kbench_wait(client);
}

static int call(struct kbench_end *client)
{
	struct rdma_conn_param param;
	int err = kbench_end_open(client, client->id);

	if (err)
		return err;
	fill_param(&param);
	return rdma_connect(client->id, &param) ?: kbench_wait(client);
}

static void prepare(struct kbench_end *end, const struct kbench_job *job)
{
	*end = (struct kbench_end) { .job = job };
	init_completion(&end->step);
}

/**
 * kbench_connect() - Connect two ends and register their buffers
 * @pair: the connection, uninitialised
 * @job: addresses, and the number of outstanding requests
 *
 * Return: 0 or a negative errno. The caller calls kbench_disconnect() in both cases.
 */
int kbench_connect(struct kbench_pair *pair, const struct kbench_job *job)
{
	int err;

	pair->listener = NULL;
	prepare(&pair->client, job);
	prepare(&pair->server, job);
	err = listen_at(pair, job) ?: resolve(&pair->client, job);
	if (err)
		return err;
	/* The server's last step ends when it learns of the connection */
	err = call(&pair->client) ?: kbench_wait(&pair->server);
	if (err)
		return err;
	return kbench_end_register(&pair->client) ?: kbench_end_register(&pair->server);
}

/**
 * kbench_disconnect() - Tear down a connection, even a partly established one
 * @pair: the connection
 */
void kbench_disconnect(struct kbench_pair *pair)
{
	if (pair->client.qp)
		rdma_disconnect(pair->client.id);
	if (pair->server.qp)
		rdma_disconnect(pair->server.id);
	kbench_end_close(&pair->client);
	/* Destroy the listener first, so that no more handlers run */
	if (pair->listener)
		rdma_destroy_id(pair->listener);
	kbench_end_close(&pair->server);
}
