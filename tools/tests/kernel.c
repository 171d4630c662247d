// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "../srnic/cli.h"
#include "kernel.h"

struct test_kernel kernel;

static union nl_buf answer;

void kernel_reset(void)
{
	unsigned int cmd;

	for (cmd = 0; cmd <= SRNIC_CMD_MAX; cmd++)
		free(kernel.answers[cmd].data);
	memset(&kernel, 0, sizeof(kernel));
}

struct nlmsghdr *kernel_answer(uint8_t cmd)
{
	return nl_begin(&answer, cmd);
}

void kernel_commit(struct nlmsghdr *nlh)
{
	struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct nl_list *list = &kernel.answers[genl->cmd];
	size_t len = NLMSG_ALIGN(nlh->nlmsg_len);

	list->data = realloc(list->data, list->len + len);
	if (!list->data)
		abort();
	memcpy(list->data + list->len, nlh, len);
	list->len += len;
}

static int take(const char *where, const struct nlmsghdr *nlh)
{
	const char *refusal = kernel.refusal;

	kernel.requests++;
	memcpy(&kernel.last, nlh, nlh->nlmsg_len);
	kernel.refusal = NULL;
	return refusal ? cli_refused(where, "%s", refusal) : CLI_OK;
}

int nl_do(const char *where, struct nlmsghdr *nlh)
{
	return take(where, nlh);
}

int nl_dump(const char *where, struct nlmsghdr *nlh, struct nl_list *list)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct nl_list *from = &kernel.answers[genl->cmd];

	memset(list, 0, sizeof(*list));
	if (take(where, nlh))
		return CLI_REFUSED;
	if (from->len) {
		list->data = malloc(from->len);
		if (!list->data)
			abort();
		memcpy(list->data, from->data, from->len);
		list->len = from->len;
	}
	return CLI_OK;
}
