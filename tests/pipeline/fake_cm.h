/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A stand-in for librdmacm and libibverbs: a network in this process, whose peers do what
 * their port says. Misuse, such as two calls on an identifier at once, ends the test.
 */
#ifndef FAKE_CM_H
#define FAKE_CM_H

#include <stdbool.h>
#include <stdint.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>

/* Ports that nobody listens at: the peer's behaviour. Other ports: the listener there */
enum fate {
	FATE_FINE = 1000,
	FATE_CREATE_FAILS,	/* rdma_create_id() fails; see fake.create_fails */
	FATE_ADDR_FAILS,	/* rdma_resolve_addr() fails */
	FATE_ADDR_ERROR,
	FATE_ADDR_SILENT,
	FATE_ROUTE_FAILS,
	FATE_ROUTE_ERROR,
	FATE_ROUTE_SILENT,
	FATE_QP_FAILS,
	FATE_CONNECT_FAILS,
	FATE_CONNECT_ERROR,
	FATE_SILENT,		/* no answer to the request */
	FATE_UNREACHABLE,
	FATE_REJECT,
	FATE_NO_LISTENER,
	FATE_REFUSE,		/* with this library's hints */
	FATE_STALE,
	FATE_BUSY,		/* the first fake.busy requests, then fine */
	FATE_KEY_FAILS,		/* the QP cannot be moved to RTR */
	FATE_KEY_MISSING,	/* nor before fake_give_keys() */
	FATE_RESET,		/* DISCONNECTED in place of an answer */
	FATE_REMOVED,		/* DEVICE_REMOVAL likewise */
	FATE_CLOSE,		/* DISCONNECTED as soon as it is established */
	FATE_TWICE,		/* all events come twice */
	FATE_STRANGE,		/* events that do not fit the state come before each */
	FATE_NEVER_PARTS,	/* no answer to a disconnection */
};

struct fake {
	/* settings of a test */
	bool no_device;
	unsigned int busy;
	unsigned int create_fails;
	bool listen_fails;
	bool hold;		/* keep events until fake_deliver() */
	bool iwarp;
	bool mute;		/* no event after rdma_accept() */
	bool keys;		/* those of FATE_KEY_MISSING are there */
	/* observations */
	unsigned int channels, ids, qps, pds, cqs, srqs;
	unsigned int unanswered, most_unanswered;
	unsigned int requests, rejects, disconnects;
	unsigned int held;
	uint8_t last_data[56];	/* private data of the last request */
	uint32_t last_qpn, last_psn;
};

extern struct fake fake;

void fake_reset(void);
/* Deliver @count of the events that are held, in an order that @seed determines. */
void fake_deliver(unsigned int count, unsigned int seed);
/* Let QPs go on that wait for a key. */
void fake_give_keys(void);
/* Have a request with this content arrive at a listener of this port; return whether there is
 * one. Nobody receives the answer.
 */
bool fake_request(uint16_t port, const void *data, uint8_t len, uint32_t qpn, uint32_t psn);
/* Whether all that was created has been destroyed */
bool fake_is_clean(void);
/* Read a member of `fake` that other threads change */
unsigned int fake_read(const unsigned int *member);
struct sockaddr_in fake_addr(uint16_t port);

#endif /* FAKE_CM_H */
