// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Peers: their faults, and cut-offs.
 */
#include "nl.h"

struct srnic_peer {
	struct nlmsghdr nlh;
};

struct srnic_fault {
	struct nlattr nest;
};

int srnic_peer_list(struct srnic *srnic, uint32_t dev_index, struct srnic_list **list)
{
	return nl_dump_of(srnic, SRNIC_CMD_PEER_GET, SRNIC_A_PEER_DEV_INDEX, dev_index, list);
}

const struct srnic_peer *srnic_peer_next(const struct srnic_list *list,
					 const struct srnic_peer *peer)
{
	return (const void *)nl_next(list, (const void *)peer, SRNIC_CMD_PEER_GET);
}

uint32_t srnic_peer_dev_index(const struct srnic_peer *peer)
{
	return nl_uint(nl_attr(&peer->nlh, SRNIC_A_PEER_DEV_INDEX));
}

const char *srnic_peer_dev_name(const struct srnic_peer *peer)
{
	return nl_text(nl_attr(&peer->nlh, SRNIC_A_PEER_DEV_NAME));
}

const uint8_t *srnic_peer_address(const struct srnic_peer *peer)
{
	return nl_address(nl_attr(&peer->nlh, SRNIC_A_PEER_ADDRESS));
}

uint64_t srnic_peer_silent(const struct srnic_peer *peer)
{
	return nl_uint(nl_attr(&peer->nlh, SRNIC_A_PEER_SILENT));
}

uint64_t srnic_peer_dropped(const struct srnic_peer *peer)
{
	return nl_uint(nl_attr(&peer->nlh, SRNIC_A_PEER_DROPPED));
}

bool srnic_peer_is_cut_off(const struct srnic_peer *peer)
{
	return nl_attr(&peer->nlh, SRNIC_A_PEER_CUT_OFF);
}

bool srnic_peer_is_timed(const struct srnic_peer *peer)
{
	return nl_attr(&peer->nlh, SRNIC_A_PEER_SECONDS);
}

uint32_t srnic_peer_seconds(const struct srnic_peer *peer)
{
	return nl_uint(nl_attr(&peer->nlh, SRNIC_A_PEER_SECONDS));
}

const struct srnic_fault *srnic_fault_next(const struct srnic_peer *peer,
					   const struct srnic_fault *fault)
{
	return (const void *)nl_next_attr(&peer->nlh, (const void *)fault, SRNIC_A_PEER_FAULT);
}

const char *srnic_fault_name(const struct srnic_fault *fault)
{
	return nl_text(nl_nested(&fault->nest, SRNIC_A_FAULT_NAME));
}

uint64_t srnic_fault_count(const struct srnic_fault *fault)
{
	return nl_uint(nl_nested(&fault->nest, SRNIC_A_FAULT_COUNT));
}

static struct nlmsghdr *begin_about(union nl_request *request, uint8_t cmd, uint32_t dev_index,
				    const uint8_t address[16])
{
	struct nlmsghdr *nlh = nl_begin(request, cmd);

	mnl_attr_put_u32(nlh, SRNIC_A_PEER_DEV_INDEX, dev_index);
	mnl_attr_put(nlh, SRNIC_A_PEER_ADDRESS, 16, address);
	return nlh;
}

int srnic_peer_cut(struct srnic *srnic, uint32_t dev_index, const uint8_t address[16],
		   uint32_t seconds)
{
	union nl_request request;
	struct nlmsghdr *nlh;

	nlh = begin_about(&request, SRNIC_CMD_PEER_CUT, dev_index, address);
	mnl_attr_put_u32(nlh, SRNIC_A_PEER_SECONDS, seconds);
	return nl_do(srnic, nlh);
}

int srnic_peer_allow(struct srnic *srnic, uint32_t dev_index, const uint8_t address[16])
{
	union nl_request request;

	return nl_do(srnic, begin_about(&request, SRNIC_CMD_PEER_ALLOW, dev_index, address));
}
