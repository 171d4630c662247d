// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The log of refused packets: its past entries, and new ones as they arrive.
 */
#include <errno.h>
#include "error.h"
#include "nl.h"

struct srnic_log_entry {
	struct nlmsghdr nlh;
};

int srnic_log_list(struct srnic *srnic, uint32_t dev_index, struct srnic_list **list)
{
	return nl_dump_of(srnic, SRNIC_CMD_LOG_GET, SRNIC_A_LOG_DEV_INDEX, dev_index, list);
}

int srnic_log_follow(struct srnic *srnic, int timeout, struct srnic_list **list)
{
	int err;

	*list = NULL;
	if (!srnic->events.id)
		return fail(EOPNOTSUPP, "this version of the module keeps no log: load a newer one");
	err = nl_listen(srnic, &srnic->events);
	return err ?: nl_wait(srnic, timeout, list);
}

/* Past entries are answers to LOG_GET; new ones arrive as LOG_NTF. */
const struct srnic_log_entry *srnic_log_next(const struct srnic_list *list,
					     const struct srnic_log_entry *entry)
{
	const void *next = nl_next(list, (const void *)entry, SRNIC_CMD_LOG_GET);

	return next ?: (const void *)nl_next(list, (const void *)entry, SRNIC_CMD_LOG_NTF);
}

uint32_t srnic_log_dev_index(const struct srnic_log_entry *entry)
{
	return nl_uint(nl_attr(&entry->nlh, SRNIC_A_LOG_DEV_INDEX));
}

const char *srnic_log_dev_name(const struct srnic_log_entry *entry)
{
	return nl_text(nl_attr(&entry->nlh, SRNIC_A_LOG_DEV_NAME));
}

uint64_t srnic_log_serial(const struct srnic_log_entry *entry)
{
	return nl_uint(nl_attr(&entry->nlh, SRNIC_A_LOG_SERIAL));
}

uint64_t srnic_log_time(const struct srnic_log_entry *entry)
{
	return nl_uint(nl_attr(&entry->nlh, SRNIC_A_LOG_TIME));
}

uint64_t srnic_log_count(const struct srnic_log_entry *entry)
{
	return nl_uint(nl_attr(&entry->nlh, SRNIC_A_LOG_COUNT));
}

const char *srnic_log_reason(const struct srnic_log_entry *entry)
{
	return nl_text(nl_attr(&entry->nlh, SRNIC_A_LOG_REASON));
}

const uint8_t *srnic_log_peer(const struct srnic_log_entry *entry)
{
	return nl_address(nl_attr(&entry->nlh, SRNIC_A_LOG_PEER));
}

bool srnic_log_legible(const struct srnic_log_entry *entry)
{
	return nl_attr(&entry->nlh, SRNIC_A_LOG_QPN);
}

uint32_t srnic_log_qp_num(const struct srnic_log_entry *entry)
{
	return nl_uint(nl_attr(&entry->nlh, SRNIC_A_LOG_QPN));
}

uint32_t srnic_log_psn(const struct srnic_log_entry *entry)
{
	return nl_uint(nl_attr(&entry->nlh, SRNIC_A_LOG_PSN));
}

uint8_t srnic_log_opcode(const struct srnic_log_entry *entry)
{
	return nl_uint(nl_attr(&entry->nlh, SRNIC_A_LOG_OPCODE));
}
