// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "fake_cm.h"
#include "request.h"

enum state {
	IDLE,
	ADDR,
	ROUTE,
	CONNECTING,
	REQUESTED,	/* passive, not yet answered */
	CONNECTED,
	OVER,
	LISTENING,
};

struct cm_id {
	struct rdma_cm_id id;
	struct cm_id *next;	/* of all */
	struct cm_id *peer;
	enum state state;
	bool in_call;
	bool unanswered;
	unsigned int got, acked;
	uint32_t psn, peer_psn;
	uint16_t port;		/* of the destination, or the listener */
	struct qp *qp;
};

/* A QP, its owner's port, and its state */
struct qp {
	struct ibv_qp qp;
	uint16_t port;
	enum ibv_qp_state state;
};

struct event {
	struct rdma_cm_event event;
	struct event *next;
	struct cm_id *owner;	/* the identifier that counts it */
	uint8_t data[196];
};

struct fake_channel {
	struct rdma_event_channel channel;
	unsigned int ids;
	struct event *first, **last;
};

struct fake fake;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t acked = PTHREAD_COND_INITIALIZER;
static pthread_cond_t keyed = PTHREAD_COND_INITIALIZER;
static struct cm_id *all;
static struct event *held;
static uint32_t next_number = 0x11;
static struct ibv_device devices[] = {
	{ .transport_type = IBV_TRANSPORT_IB },
	{ .transport_type = IBV_TRANSPORT_IWARP },
};

static struct ibv_context verbs[] = { { .device = &devices[0] }, { .device = &devices[1] } };

#define must(condition) do {							\
	if (!(condition)) {							\
		printf("Bail out! the library misuses librdmacm: %s: %s\n",	\
		       __func__, #condition);					\
		fflush(stdout);							\
		_exit(1);							\
	}									\
} while (0)

static int error(int err)
{
	errno = err;
	return -1;
}

static struct cm_id *cm_id_of(struct rdma_cm_id *id)
{
	return (struct cm_id *)id;
}

static struct fake_channel *channel_of(struct cm_id *id)
{
	return (struct fake_channel *)id->id.channel;
}

/* Each function enters with its identifier, so that no two calls overlap. */
static struct cm_id *enter(struct rdma_cm_id *id)
{
	struct cm_id *own = cm_id_of(id);

	pthread_mutex_lock(&lock);
	must(!own->in_call);
	own->in_call = true;
	pthread_mutex_unlock(&lock);
	sched_yield();
	pthread_mutex_lock(&lock);
	return own;
}

static int leave(struct cm_id *id, int result)
{
	id->in_call = false;
	pthread_mutex_unlock(&lock);
	return result;
}

static void answer(struct cm_id *id)
{
	if (id->unanswered)
		fake.unanswered--;
	id->unanswered = false;
}

static void put(struct event *event)
{
	struct fake_channel *channel = channel_of(event->owner);
	uint64_t one = 1;

	event->next = NULL;
	*channel->last = event;
	channel->last = &event->next;
	must(write(channel->channel.fd, &one, sizeof(one)) == sizeof(one));
}

static struct event *new_event(struct cm_id *id, enum rdma_cm_event_type type, int status)
{
	struct event *event = calloc(1, sizeof(*event));

	must(event);
	event->owner = id;
	event->event.id = &id->id;
	event->event.event = type;
	event->event.status = status;
	return event;
}

static void post(struct event *event)
{
	if (fake.hold) {
		event->next = held;
		held = event;
		fake.held++;
	} else {
		put(event);
	}
}

static void happen(struct cm_id *id, enum rdma_cm_event_type type, int status)
{
	if (id->port == FATE_STRANGE) {
		post(new_event(id, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0));
		post(new_event(id, RDMA_CM_EVENT_ADDR_CHANGE, 0));
		post(new_event(id, RDMA_CM_EVENT_MULTICAST_ERROR, -EINVAL));
	}
	post(new_event(id, type, status));
	if (id->port == FATE_TWICE)
		post(new_event(id, type, status));
}

static void happen_with(struct cm_id *id, enum rdma_cm_event_type type, int status,
			const void *data, uint8_t len)
{
	struct event *event = new_event(id, type, status);

	if (len)
		memcpy(event->data, data, len);
	event->event.param.conn.private_data = event->data;
	event->event.param.conn.private_data_len = 148;	/* the CM pads it */
	post(event);
}

static struct cm_id *new_id(struct fake_channel *channel, void *context)
{
	struct cm_id *id = calloc(1, sizeof(*id));

	must(id);
	id->id.channel = &channel->channel;
	id->id.context = context;
	id->id.ps = RDMA_PS_TCP;
	id->psn = next_number++ * 0x9e3779 & 0xffffff;
	id->next = all;
	all = id;
	channel->ids++;
	fake.ids++;
	return id;
}

static struct cm_id *listener_of(uint16_t port)
{
	struct cm_id *id;

	for (id = all; id; id = id->next)
		if (id->state == LISTENING && id->port == port)
			return id;
	return NULL;
}

struct sockaddr_in fake_addr(uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(0x0a4d0002),
	};
}

static void set_gid(union ibv_gid *gid, uint32_t addr)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw[10] = 0xff;
	gid->raw[11] = 0xff;
	addr = htonl(addr);
	memcpy(gid->raw + 12, &addr, sizeof(addr));
}

static void set_addrs(struct cm_id *id, uint16_t port, bool passive)
{
	struct rdma_addr *addr = &id->id.route.addr;
	struct sockaddr_in server = fake_addr(port), client = fake_addr(40000);

	client.sin_addr.s_addr = htonl(0x0a4d0001);
	id->port = port;
	id->id.verbs = &verbs[fake.iwarp];
	addr->src_sin = passive ? server : client;
	addr->dst_sin = passive ? client : server;
	set_gid(&addr->addr.ibaddr.sgid, passive ? 0x0a4d0002 : 0x0a4d0001);
	set_gid(&addr->addr.ibaddr.dgid, passive ? 0x0a4d0001 : 0x0a4d0002);
}

static struct cm_id *arrive(struct cm_id *listener, const void *data, uint8_t len, uint32_t qpn,
			    uint32_t psn)
{
	struct cm_id *id = new_id(channel_of(listener), listener->id.context);
	struct event *event = new_event(listener, RDMA_CM_EVENT_CONNECT_REQUEST, 0);

	set_addrs(id, listener->port, true);
	id->state = REQUESTED;
	id->peer_psn = psn;
	event->event.id = &id->id;
	event->event.listen_id = &listener->id;
	event->event.param.conn.qp_num = qpn;
	if (len)
		memcpy(event->data, data, len);
	event->event.param.conn.private_data = event->data;
	event->event.param.conn.private_data_len = REQUEST_LEN;	/* the CM pads it */
	post(event);
	return id;
}

bool fake_request(uint16_t port, const void *data, uint8_t len, uint32_t qpn, uint32_t psn)
{
	struct cm_id *listener;

	pthread_mutex_lock(&lock);
	listener = listener_of(port);
	if (listener)
		arrive(listener, data, len, qpn, psn);
	pthread_mutex_unlock(&lock);
	return listener;
}

void fake_reset(void)
{
	pthread_mutex_lock(&lock);
	memset(&fake, 0, sizeof(fake));
	pthread_mutex_unlock(&lock);
}

void fake_deliver(unsigned int count, unsigned int seed)
{
	struct event **link, *event;
	unsigned int at;

	pthread_mutex_lock(&lock);
	for (; count && fake.held; count--) {
		link = &held;
		for (at = rand_r(&seed) % fake.held; at; at--)
			link = &(*link)->next;
		event = *link;
		*link = event->next;
		fake.held--;
		put(event);
	}
	pthread_mutex_unlock(&lock);
}

bool fake_is_clean(void)
{
	bool clean;

	pthread_mutex_lock(&lock);
	clean = !fake.channels && !fake.ids && !fake.qps && !fake.pds && !fake.cqs && !fake.srqs;
	if (!clean)
		printf("# left: %u channels, %u identifiers, %u QPs, %u PDs, %u CQs, %u SRQs\n",
		       fake.channels, fake.ids, fake.qps, fake.pds, fake.cqs, fake.srqs);
	pthread_mutex_unlock(&lock);
	return clean;
}

unsigned int fake_read(const unsigned int *member)
{
	unsigned int value;

	pthread_mutex_lock(&lock);
	value = *member;
	pthread_mutex_unlock(&lock);
	return value;
}

struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct fake_channel *channel;

	if (fake.no_device) {
		errno = ENODEV;
		return NULL;
	}
	channel = calloc(1, sizeof(*channel));
	must(channel);
	channel->channel.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	channel->last = &channel->first;
	pthread_mutex_lock(&lock);
	fake.channels++;
	pthread_mutex_unlock(&lock);
	return &channel->channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	struct fake_channel *own = (struct fake_channel *)channel;

	pthread_mutex_lock(&lock);
	must(!own->ids);
	must(!own->first);
	fake.channels--;
	pthread_mutex_unlock(&lock);
	close(channel->fd);
	free(own);
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
		   enum rdma_port_space ps)
{
	must(ps == RDMA_PS_TCP);
	pthread_mutex_lock(&lock);
	if (fake.create_fails) {
		fake.create_fails--;
		pthread_mutex_unlock(&lock);
		return error(EMFILE);
	}
	*id = &new_id((struct fake_channel *)channel, context)->id;
	pthread_mutex_unlock(&lock);
	return 0;
}

static void unlink_id(struct cm_id *id)
{
	struct cm_id **link = &all;

	while (*link != id)
		link = &(*link)->next;
	*link = id->next;
	if (id->peer)
		id->peer->peer = NULL;
	channel_of(id)->ids--;
	fake.ids--;
}

static void part(struct cm_id *id)
{
	struct cm_id *peer = id->peer;

	if (!peer)
		return;
	if (id->state == CONNECTED)
		happen(peer, RDMA_CM_EVENT_DISCONNECTED, 0);
	else if (peer->state == CONNECTING || peer->state == CONNECTED)
		happen_with(peer, RDMA_CM_EVENT_REJECTED, 28, NULL, 0);
	peer->state = OVER;
}

/* A request that nobody will see: the kernel destroys its identifier. */
static void drop_request(struct cm_id *id)
{
	part(id);
	unlink_id(id);
	free(id);
}

/* Remove the events of an identifier from a list; return how many. */
static unsigned int drop_events(struct event **link, struct cm_id *id)
{
	unsigned int count = 0;
	struct event *event;

	while ((event = *link)) {
		if (event->owner != id) {
			link = &event->next;
			continue;
		}
		*link = event->next;
		if (event->event.event == RDMA_CM_EVENT_CONNECT_REQUEST)
			drop_request(cm_id_of(event->event.id));
		free(event);
		count++;
	}
	return count;
}

static void drop_queued(struct fake_channel *channel, struct cm_id *id)
{
	unsigned int count = drop_events(&channel->first, id);
	uint64_t one;

	for (; count; count--)
		must(read(channel->channel.fd, &one, sizeof(one)) == sizeof(one));
	for (channel->last = &channel->first; *channel->last;)
		channel->last = &(*channel->last)->next;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	struct cm_id *own = enter(id);
	struct fake_channel *channel = channel_of(own);

	part(own);
	answer(own);
	own->state = OVER;
	fake.held -= drop_events(&held, own);
	drop_queued(channel, own);
	while (own->acked != own->got)
		pthread_cond_wait(&acked, &lock);
	unlink_id(own);
	pthread_mutex_unlock(&lock);
	free(own);
	return 0;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
	struct cm_id *own = enter(id);

	set_addrs(own, ntohs(((struct sockaddr_in *)addr)->sin_port), true);
	if (fake.listen_fails)
		return leave(own, error(EADDRINUSE));
	return leave(own, 0);
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	struct cm_id *own = enter(id);

	must(backlog > 0);
	own->state = LISTENING;
	return leave(own, 0);
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src, struct sockaddr *dst,
		      int timeout_ms)
{
	uint16_t port = ntohs(((struct sockaddr_in *)dst)->sin_port);
	struct cm_id *own = enter(id);

	(void)src;
	must(own->state == IDLE && timeout_ms > 0);
	own->port = port;
	if (port == FATE_ADDR_FAILS)
		return leave(own, error(ENETUNREACH));
	if (port == FATE_ADDR_ERROR)
		happen(own, RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH);
	if (port == FATE_ADDR_ERROR || port == FATE_ADDR_SILENT)
		return leave(own, 0);
	set_addrs(own, port, false);
	own->state = ADDR;
	happen(own, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	return leave(own, 0);
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
	struct cm_id *own = enter(id);

	must(own->state == ADDR && timeout_ms > 0);
	if (own->port == FATE_ROUTE_FAILS)
		return leave(own, error(EINVAL));
	if (own->port == FATE_ROUTE_ERROR)
		happen(own, RDMA_CM_EVENT_ROUTE_ERROR, -ETIMEDOUT);
	if (own->port == FATE_ROUTE_ERROR || own->port == FATE_ROUTE_SILENT)
		return leave(own, 0);
	own->state = ROUTE;
	happen(own, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	return leave(own, 0);
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct cm_id *own = enter(id);

	must(own->state == ROUTE || own->state == REQUESTED || own->state == OVER);
	must(pd && attr->send_cq && attr->recv_cq && attr->qp_type == IBV_QPT_RC);
	if (own->port == FATE_QP_FAILS)
		return leave(own, error(ENOMEM));
	own->qp = calloc(1, sizeof(*own->qp));
	must(own->qp);
	own->qp->port = own->port;
	own->qp->state = IBV_QPS_INIT;
	id->qp = &own->qp->qp;
	id->qp->qp_num = next_number++;
	id->qp->srq = attr->srq;
	fake.qps++;
	return leave(own, 0);
}

void fake_give_keys(void)
{
	pthread_mutex_lock(&lock);
	fake.keys = true;
	pthread_cond_broadcast(&keyed);
	pthread_mutex_unlock(&lock);
}

/* As srnic does, the move to RTR waits for a key that is missing. */
int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct qp *own = (struct qp *)qp;
	int err = 0;

	(void)mask;
	pthread_mutex_lock(&lock);
	must(attr->qp_state == own->state || attr->qp_state == own->state + 1);
	if (attr->qp_state == IBV_QPS_RTR && own->port == FATE_KEY_FAILS)
		err = EACCES;
	while (attr->qp_state == IBV_QPS_RTR && own->port == FATE_KEY_MISSING && !fake.keys)
		pthread_cond_wait(&keyed, &lock);
	if (!err)
		own->state = attr->qp_state;
	pthread_mutex_unlock(&lock);
	return err;
}

/* rdma_get_cm_event() may use the QP of an identifier as long as the identifier exists. */
void rdma_destroy_qp(struct rdma_cm_id *id)
{
	must(!id->qp);
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	pthread_mutex_lock(&lock);
	fake.qps--;
	pthread_mutex_unlock(&lock);
	free(qp);
	return 0;
}

static void hint(struct cm_id *id, enum hint hint)
{
	uint8_t refusal[REFUSAL_LEN];

	hint_write(hint, refusal);
	happen_with(id, RDMA_CM_EVENT_REJECTED, 28, refusal, sizeof(refusal));
}

static void respond(struct cm_id *id, const void *data, uint8_t len)
{
	id->state = CONNECTED;
	happen_with(id, fake.iwarp ? RDMA_CM_EVENT_ESTABLISHED : RDMA_CM_EVENT_CONNECT_RESPONSE, 0,
		    data, len);
}

/* The answers of ports that nobody listens at */
static void meet_fate(struct cm_id *id)
{
	switch (id->port) {
	case FATE_CONNECT_ERROR:
		happen(id, RDMA_CM_EVENT_CONNECT_ERROR, -EPROTO);
		break;
	case FATE_SILENT:
		break;
	case FATE_UNREACHABLE:
		happen(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
		break;
	case FATE_REJECT:
		happen_with(id, RDMA_CM_EVENT_REJECTED, 28, "no", 2);
		break;
	case FATE_NO_LISTENER:
		happen_with(id, RDMA_CM_EVENT_REJECTED, 8, NULL, 0);
		break;
	case FATE_REFUSE:
		hint(id, HINT_REFUSED);
		break;
	case FATE_STALE:
		hint(id, HINT_STALE);
		break;
	case FATE_RESET:
		happen(id, RDMA_CM_EVENT_DISCONNECTED, 0);
		break;
	case FATE_REMOVED:
		happen(id, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
		break;
	default:
		respond(id, NULL, 0);
	}
}

static void meet(struct cm_id *id, const struct rdma_conn_param *param)
{
	struct cm_id *listener = listener_of(id->port);

	if (listener) {
		id->peer = arrive(listener, param->private_data, param->private_data_len,
				  param->qp_num, id->psn);
		id->peer->peer = id;
	} else if (id->port == FATE_BUSY && fake.busy) {
		fake.busy--;
		hint(id, HINT_BUSY);
	} else {
		meet_fate(id);
	}
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct cm_id *own = enter(id);

	must(own->state == ROUTE && !id->qp && param->qp_num == own->qp->qp.qp_num);
	if (own->port == FATE_CONNECT_FAILS)
		return leave(own, error(EADDRNOTAVAIL));
	own->state = CONNECTING;
	fake.requests++;
	own->unanswered = true;
	if (++fake.unanswered > fake.most_unanswered)
		fake.most_unanswered = fake.unanswered;
	memset(fake.last_data, 0, sizeof(fake.last_data));
	if (param->private_data_len)
		memcpy(fake.last_data, param->private_data, param->private_data_len);
	fake.last_qpn = param->qp_num;
	fake.last_psn = own->psn;
	meet(own, param);
	return leave(own, 0);
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct cm_id *own = enter(id), *peer = own->peer;

	must(id->qp && own->state >= REQUESTED);
	if (own->state != REQUESTED)
		return leave(own, error(EINVAL));
	own->state = CONNECTED;
	if (peer)
		respond(peer, param->private_data, param->private_data_len);
	if (!fake.mute && (!peer || fake.iwarp))
		happen(own, RDMA_CM_EVENT_ESTABLISHED, 0);
	return leave(own, 0);
}

/* The peer learns of it; this side has no further event. */
int rdma_establish(struct rdma_cm_id *id)
{
	struct cm_id *own = enter(id), *peer = own->peer;

	must(!id->qp && own->qp->state == IBV_QPS_RTS);
	if (own->state != CONNECTED)
		return leave(own, error(EINVAL));
	if (peer && !fake.mute)
		happen(peer, RDMA_CM_EVENT_ESTABLISHED, 0);
	if (own->port == FATE_CLOSE)
		happen(own, RDMA_CM_EVENT_DISCONNECTED, 0);
	return leave(own, 0);
}

int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t len)
{
	struct cm_id *own = enter(id), *peer = own->peer;

	fake.rejects++;
	if (own->state != REQUESTED)
		return leave(own, error(EINVAL));
	own->state = OVER;
	if (peer) {
		peer->state = OVER;
		happen_with(peer, RDMA_CM_EVENT_REJECTED, 28, data, len);
	}
	return leave(own, 0);
}

int rdma_disconnect(struct rdma_cm_id *id)
{
	struct cm_id *own = enter(id), *peer = own->peer;

	fake.disconnects++;
	if (own->state != CONNECTED)
		return leave(own, error(EINVAL));
	own->state = OVER;
	if (peer && peer->state == CONNECTED)
		happen(peer, RDMA_CM_EVENT_DISCONNECTED, 0);
	/* not held: else each test would wait until the library gives up */
	if (own->port != FATE_NEVER_PARTS)
		put(new_event(own, RDMA_CM_EVENT_DISCONNECTED, 0));
	return leave(own, 0);
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	struct fake_channel *own = (struct fake_channel *)channel;
	struct event *first;
	uint64_t one;

	pthread_mutex_lock(&lock);
	first = own->first;
	if (!first) {
		pthread_mutex_unlock(&lock);
		return error(EAGAIN);
	}
	must(read(channel->fd, &one, sizeof(one)) == sizeof(one));
	own->first = first->next;
	if (!own->first)
		own->last = &own->first;
	first->owner->got++;
	if (first->event.event > RDMA_CM_EVENT_CONNECT_REQUEST)
		answer(first->owner);
	*event = &first->event;
	pthread_mutex_unlock(&lock);
	return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	struct event *own = (struct event *)event;

	pthread_mutex_lock(&lock);
	own->owner->acked++;
	pthread_cond_broadcast(&acked);
	pthread_mutex_unlock(&lock);
	free(own);
	return 0;
}

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	struct cm_id *own = enter(id);

	*mask = 0;
	attr->rq_psn = attr->qp_state == IBV_QPS_RTR ? own->psn : 0;
	attr->sq_psn = own->state == REQUESTED ? own->peer_psn : 0xdead;
	return leave(own, 0);
}

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
	return id->route.addr.src_sin.sin_port;
}

__be16 rdma_get_dst_port(struct rdma_cm_id *id)
{
	return id->route.addr.dst_sin.sin_port;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	must(context == &verbs[fake.iwarp]);
	memset(attr, 0, sizeof(*attr));
	attr->max_cqe = 1000;
	return 0;
}

/* Return an object, and count it. */
static void *make(size_t size, unsigned int *count)
{
	void *made = calloc(1, size);

	must(made);
	pthread_mutex_lock(&lock);
	(*count)++;
	pthread_mutex_unlock(&lock);
	return made;
}

static int unmake(void *made, unsigned int *count)
{
	pthread_mutex_lock(&lock);
	(*count)--;
	pthread_mutex_unlock(&lock);
	free(made);
	return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd = make(sizeof(*pd), &fake.pds);

	pd->context = context;
	return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	return unmake(pd, &fake.pds);
}

#undef ibv_create_cq
struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq *cq = make(sizeof(*cq), &fake.cqs);

	(void)channel;
	(void)comp_vector;
	must(cqe <= 1000);
	cq->context = context;
	cq->cq_context = cq_context;
	return cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	return unmake(cq, &fake.cqs);
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct ibv_srq *srq = make(sizeof(*srq), &fake.srqs);

	must(attr->attr.max_wr && attr->attr.max_sge);
	srq->pd = pd;
	return srq;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	return unmake(srq, &fake.srqs);
}
