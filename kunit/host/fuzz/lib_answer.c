// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz the kernel's answers to libsrnic and their output by the srnic command:
 * any messages, split into any reads. All lists and strings must end, and the
 * command must print its output or an error.
 *
 * Input: number of the command, size of a read, then messages.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include "fuzz/fuzz.h"
#include "srnic/cli.h"

#define FAMILY	0x4d
#define ROOM	8192

static struct {
	_Alignas(8) uint8_t data[ROOM];
	size_t len, at;
	unsigned int piece;
	uint32_t seq;
	bool controller;
} kernel;

/* Replacements for libmnl's functions */

struct mnl_socket {
	int unused;
};

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	return calloc(1, sizeof(struct mnl_socket));
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	return 0;
}

int mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf, socklen_t len)
{
	return 0;
}

int mnl_socket_close(struct mnl_socket *nl)
{
	free(nl);
	return 0;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t size)
{
	const struct nlmsghdr *nlh = req;

	kernel.seq = nlh->nlmsg_seq;
	kernel.controller = nlh->nlmsg_type == GENL_ID_CTRL;
	return size;
}

/* The controller's answer is correct: otherwise no command would send a request. */
static ssize_t tell_family(void *buf)
{
	struct genlmsghdr *genl;
	struct nlmsghdr *nlh, *ack;
	struct nlmsgerr *err;

	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = GENL_ID_CTRL;
	nlh->nlmsg_seq = kernel.seq;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = CTRL_CMD_NEWFAMILY;
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, FAMILY);
	ack = mnl_nlmsg_put_header((char *)buf + nlh->nlmsg_len);
	ack->nlmsg_type = NLMSG_ERROR;
	ack->nlmsg_seq = kernel.seq;
	err = mnl_nlmsg_put_extra_header(ack, sizeof(*err));
	err->error = 0;
	kernel.controller = false;
	return nlh->nlmsg_len + ack->nlmsg_len;
}

/* Set sequence numbers: libmnl ignores answers to other requests. */
static void put_seq(char *buf, size_t len)
{
	struct nlmsghdr *nlh = (void *)buf;
	int left = len;

	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
		if (nlh->nlmsg_seq % 8)
			nlh->nlmsg_seq = kernel.seq;
		if (nlh->nlmsg_len > (unsigned int)left)
			break;
	}
}

ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size)
{
	size_t len = kernel.len - kernel.at;

	if (kernel.controller)
		return tell_family(buf);
	if (!len) {
		errno = EAGAIN;
		return -1;
	}
	if (kernel.piece && len > 64 * kernel.piece)
		len = 64 * kernel.piece;
	memcpy(buf, kernel.data + kernel.at, len);
	kernel.at += len;
	put_seq(buf, len);
	return len;
}

static const char *const lines[] = {
	"show", "show --json", "qp", "qp --json", "qp --details", "policy", "policy --json",
	"key", "key --json", "suite", "suite --json", "quota", "policy flush",
};

static void run(const char *line)
{
	char copy[32], *rest = copy, *words[8] = { "srnic" };
	int argc = 1, status;

	snprintf(copy, sizeof(copy), "%s", line);
	while (rest)
		words[argc++] = strsep(&rest, " ");
	status = cli_run(argc, words);
	CHECK(status == CLI_OK || status == CLI_REFUSED || status == CLI_USAGE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	const char *line;

	if (size < 2)
		return 0;
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	line = lines[data[0] % NUM(lines)];
	kernel.piece = data[1];
	kernel.at = 0;
	kernel.len = size - 2 < ROOM ? size - 2 : ROOM;
	memcpy(kernel.data, data + 2, kernel.len);
	memset(&cli, 0, sizeof(cli));
	cli.out = nowhere;
	cli.err = nowhere;
	run(line);
	return 0;
}

/* Repair lengths of messages and attributes, and choose types that the parser reads. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static const uint16_t types[] = { FAMILY, FAMILY, FAMILY, NLMSG_DONE, NLMSG_ERROR };
	_Alignas(8) static uint8_t copy[ROOM];
	struct nlmsghdr *nlh = (void *)copy;
	struct nlattr *attr;
	size_t len;

	size = LLVMFuzzerMutate(data, size, max_size);
	if (seed % 4 == 0 || size < 2 + NLMSG_HDRLEN + GENL_HDRLEN || size > ROOM)
		return size;
	len = (size - 2) & ~3u;
	memset(copy, 0, sizeof(copy));
	memcpy(copy, data + 2, len);
	while (len >= NLMSG_HDRLEN + GENL_HDRLEN) {
		if (nlh->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN || nlh->nlmsg_len > len)
			nlh->nlmsg_len = len;
		nlh->nlmsg_type = types[nlh->nlmsg_type % NUM(types)];
		for (attr = mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN);
		     (uint8_t *)attr + 4 <= (uint8_t *)nlh + nlh->nlmsg_len;
		     attr = mnl_attr_next(attr)) {
			size_t left = (uint8_t *)nlh + nlh->nlmsg_len - (uint8_t *)attr;

			if (attr->nla_len < 4 || attr->nla_len > left)
				attr->nla_len = left;
			attr->nla_type = (attr->nla_type & NLA_F_NESTED) |
				(attr->nla_type & 0x1f);
		}
		if (NLMSG_ALIGN(nlh->nlmsg_len) >= len)
			break;
		len -= NLMSG_ALIGN(nlh->nlmsg_len);
		nlh = (void *)((char *)nlh + NLMSG_ALIGN(nlh->nlmsg_len));
	}
	memcpy(data + 2, copy, (size - 2) & ~3u);
	return size;
}
