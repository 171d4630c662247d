// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "kernel.h"

struct test_kernel kernel;

static union test_message message;

/* Answers not yet read */
static struct test_messages pending;
static size_t read_so_far;
/* Notifications, and the descriptor that makes poll() report them */
static struct test_messages events;
static int event_fd = -1;

static void append(struct test_messages *to, const void *data, size_t len)
{
	size_t aligned = NLMSG_ALIGN(len);

	to->data = realloc(to->data, to->len + aligned);
	if (!to->data)
		abort();
	memset(to->data + to->len, 0, aligned);
	memcpy(to->data + to->len, data, len);
	to->len += aligned;
}

static void clear(struct test_messages *messages)
{
	free(messages->data);
	memset(messages, 0, sizeof(*messages));
}

void kernel_reset(void)
{
	int sockets = kernel.sockets;
	unsigned int cmd;

	for (cmd = 0; cmd <= SRNIC_CMD_MAX; cmd++)
		clear(&kernel.answers[cmd]);
	clear(&pending);
	clear(&events);
	read_so_far = 0;
	memset(&kernel, 0, sizeof(kernel));
	kernel.sockets = sockets;
}

static struct nlmsghdr *begin(uint16_t type, uint8_t cmd)
{
	struct genlmsghdr *genl;
	struct nlmsghdr *nlh;

	memset(&message, 0, sizeof(message));
	nlh = mnl_nlmsg_put_header(&message);
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_MULTI;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = SRNIC_FAMILY_VERSION;
	return nlh;
}

struct nlmsghdr *kernel_answer(uint8_t cmd)
{
	return begin(KERNEL_FAMILY, cmd);
}

static uint8_t cmd_of(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);

	return genl->cmd;
}

void kernel_commit(struct nlmsghdr *nlh)
{
	append(&kernel.answers[cmd_of(nlh)], nlh, nlh->nlmsg_len);
}

void kernel_tell(struct nlmsghdr *nlh)
{
	nlh->nlmsg_flags = 0;
	append(&events, nlh, nlh->nlmsg_len);
}

uint8_t kernel_cmd(void)
{
	return cmd_of(&kernel.last.nlh);
}

/* As the kernel's nla_put_uint(): as short as the value allows */
static void put_uint(struct nlmsghdr *nlh, uint16_t type, uint64_t value)
{
	if (value > UINT32_MAX)
		mnl_attr_put_u64(nlh, type, value);
	else
		mnl_attr_put_u32(nlh, type, value);
}

void kernel_put_flow(struct nlmsghdr *nlh, uint8_t side, uint32_t epoch, uint32_t base,
		     uint64_t replayed)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, SRNIC_A_QP_FLOW);

	mnl_attr_put_u8(nlh, SRNIC_A_FLOW_SIDE, side);
	if (side == SRNIC_FLOW_SIDE_OURS)
		mnl_attr_put(nlh, SRNIC_A_FLOW_READY, 0, NULL);
	put_uint(nlh, SRNIC_A_FLOW_EPOCH, epoch);
	put_uint(nlh, SRNIC_A_FLOW_PSN64, 1ull << 32);
	put_uint(nlh, SRNIC_A_FLOW_SEALED, base);
	put_uint(nlh, SRNIC_A_FLOW_OPENED, base + 1);
	put_uint(nlh, SRNIC_A_FLOW_FAILED, base + 2);
	put_uint(nlh, SRNIC_A_FLOW_REPLAYED, replayed);
	mnl_attr_nest_end(nlh, nest);
}

const struct nlattr *kernel_attr(uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, &kernel.last.nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == type)
			return attr;
	return NULL;
}

const struct nlattr *kernel_nested(uint16_t nest, uint16_t type)
{
	const struct nlattr *attr;

	if (kernel_attr(nest))
		mnl_attr_for_each_nested(attr, kernel_attr(nest))
			if (mnl_attr_get_type(attr) == type)
				return attr;
	return NULL;
}

bool attr_is_bytes(const struct nlattr *attr, const void *bytes, size_t len)
{
	return attr && mnl_attr_get_payload_len(attr) == len &&
		!memcmp(mnl_attr_get_payload(attr), bytes, len);
}

bool attr_is_u8(const struct nlattr *attr, uint8_t value)
{
	return attr_is_bytes(attr, &value, sizeof(value));
}

bool attr_is_u32(const struct nlattr *attr, uint32_t value)
{
	return attr_is_bytes(attr, &value, sizeof(value));
}

bool attr_is_text(const struct nlattr *attr, const char *text)
{
	return attr_is_bytes(attr, text, strlen(text) + 1);
}

/* Append NLMSG_ERROR or, after a dump, NLMSG_DONE, with the text of the extended ACK */
static void put_verdict(uint16_t type, const struct nlmsghdr *request, int err)
{
	struct nlmsghdr *nlh;
	struct nlmsgerr *ack;
	int *done;

	memset(&message, 0, sizeof(message));
	nlh = mnl_nlmsg_put_header(&message);
	nlh->nlmsg_type = type;
	nlh->nlmsg_seq = request->nlmsg_seq;
	if (type == NLMSG_ERROR) {
		ack = mnl_nlmsg_put_extra_header(nlh, sizeof(*ack));
		ack->error = -err;
		ack->msg = *request;
		nlh->nlmsg_flags = NLM_F_CAPPED;
	} else {
		done = mnl_nlmsg_put_extra_header(nlh, sizeof(*done));
		*done = -err;
		nlh->nlmsg_flags = NLM_F_MULTI;
	}
	if (err && kernel.refusal) {
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, kernel.refusal);
		nlh->nlmsg_flags |= NLM_F_ACK_TLVS;
		kernel.refusal = NULL;
	}
	append(&pending, nlh, nlh->nlmsg_len);
}

static void put_dump(const struct nlmsghdr *request, int err)
{
	const struct test_messages *answer = &kernel.answers[cmd_of(request)];
	const struct nlmsghdr *nlh = (void *)answer->data;
	int left = answer->len;
	struct nlmsghdr *copy;

	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
		append(&pending, nlh, nlh->nlmsg_len);
		copy = (void *)(pending.data + pending.len - NLMSG_ALIGN(nlh->nlmsg_len));
		copy->nlmsg_seq = request->nlmsg_seq;
		if (kernel.stale)
			copy->nlmsg_flags |= NLM_F_DUMP_INTR;
	}
	if (kernel.stale)
		kernel.stale--;
	put_verdict(NLMSG_DONE, request, err);
}

static void put_group(struct nlmsghdr *nlh, uint16_t place, const char *name, uint32_t id)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, place);

	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, id);
	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, name);
	mnl_attr_nest_end(nlh, nest);
}

static void put_groups(struct nlmsghdr *nlh)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);

	put_group(nlh, 1, "others", KERNEL_EVENTS + 1);
	put_group(nlh, 2, "events", KERNEL_EVENTS);
	put_group(nlh, 3, "keys", KERNEL_KEYS);
	mnl_attr_nest_end(nlh, nest);
}

static void answer_controller(const struct nlmsghdr *request)
{
	struct nlmsghdr *nlh;

	if (!kernel.unknown) {
		nlh = begin(GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
		nlh->nlmsg_seq = request->nlmsg_seq;
		mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, SRNIC_FAMILY_NAME);
		mnl_attr_put_u32(nlh, CTRL_ATTR_VERSION,
				 SRNIC_FAMILY_VERSION + kernel.other_version);
		if (!kernel.nameless)
			mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, KERNEL_FAMILY);
		if (!kernel.groupless)
			put_groups(nlh);
		append(&pending, nlh, nlh->nlmsg_len);
	}
	put_verdict(NLMSG_ERROR, request, kernel.unknown ? ENOENT : 0);
}

/* Return the verdict on a request: 0, or the error, which is returned once */
static int judge(const struct nlmsghdr *request)
{
	int err = kernel.err;

	if (kernel.refuse_cmd && kernel.refuse_cmd != cmd_of(request))
		return 0;
	if (kernel.refusal && !err)
		err = EINVAL;
	kernel.err = 0;
	kernel.refuse_cmd = 0;
	return err;
}

static void answer_family(const struct nlmsghdr *request)
{
	bool dump = (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	int err = judge(request);

	kernel.requests++;
	if (dump && (!err || kernel.at_end))
		put_dump(request, err);
	else
		put_verdict(NLMSG_ERROR, request, err);
}

static void put_stray(const struct nlmsghdr *request)
{
	struct nlmsghdr nlh = {
		.nlmsg_len = sizeof(nlh),
		.nlmsg_type = NLMSG_DONE,
		.nlmsg_seq = request->nlmsg_seq - 1,
	};

	append(&pending, &nlh, sizeof(nlh));
}

/* Replacements of libmnl's functions */

struct mnl_socket {
	int unused;
};

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	if (bus != NETLINK_GENERIC || !(flags & SOCK_CLOEXEC))
		abort();
	kernel.sockets++;
	return calloc(1, sizeof(struct mnl_socket));
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	return nl && !groups && pid == MNL_SOCKET_AUTOPID ? 0 : -1;
}

int mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf, socklen_t len)
{
	bool on = len == sizeof(int) && *(int *)buf;

	(void)nl;
	if (type == NETLINK_ADD_MEMBERSHIP && kernel.closed) {
		errno = EPERM;
		return -1;
	}
	if (type == NETLINK_ADD_MEMBERSHIP)
		kernel.group = *(uint32_t *)buf;
	if (type == NETLINK_CAP_ACK)
		kernel.cap_ack = on;
	if (type == NETLINK_EXT_ACK)
		kernel.ext_ack = on;
	return 0;
}

int mnl_socket_get_fd(const struct mnl_socket *nl)
{
	(void)nl;
	if (event_fd >= 0)
		close(event_fd);
	event_fd = eventfd(kernel.group ? events.len : 0, EFD_CLOEXEC);
	return event_fd;
}

int mnl_socket_close(struct mnl_socket *nl)
{
	kernel.sockets--;
	free(nl);
	return 0;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t size)
{
	const struct nlmsghdr *nlh = req;

	(void)nl;
	if (kernel.deaf) {
		errno = ENOBUFS;
		return -1;
	}
	/* lengths and flags must be those that the sender has set */
	if (size != nlh->nlmsg_len || size > sizeof(kernel.last) ||
	    !(nlh->nlmsg_flags & NLM_F_REQUEST))
		abort();

	clear(&pending);
	read_so_far = 0;
	if (kernel.strays) {
		kernel.strays--;
		put_stray(nlh);
	}
	if (nlh->nlmsg_type == GENL_ID_CTRL) {
		answer_controller(nlh);
	} else {
		memcpy(&kernel.last, nlh, size);
		answer_family(nlh);
	}
	if (kernel.mangle)
		kernel.mangle(pending.data, pending.len);
	return size;
}

/* Return how much is read at once; mangled answers are read as a whole */
static size_t piece(void)
{
	const struct nlmsghdr *nlh = (void *)(pending.data + read_so_far);
	int all = pending.len - read_so_far, left = all;
	unsigned int count;

	if (!kernel.per_read || kernel.mangle)
		return all;
	for (count = 0; count < kernel.per_read && mnl_nlmsg_ok(nlh, left); count++)
		nlh = mnl_nlmsg_next(nlh, &left);
	return all - left;
}

ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size)
{
	size_t len;

	(void)nl;
	if (events.len && kernel.group) {
		len = events.len;
		memcpy(buf, events.data, len);
		clear(&events);
		return len;
	}
	len = piece();
	if (kernel.interrupts) {
		kernel.interrupts--;
		errno = EINTR;
		return -1;
	}
	if (kernel.mute || !len) {
		errno = EAGAIN;
		return -1;
	}
	if (len > size)
		abort();
	memcpy(buf, pending.data + read_so_far, len);
	read_so_far += len;
	return len;
}

void kernel_put_node(struct nlmsghdr *nlh, uint8_t last, uint8_t port, bool up)
{
	const uint8_t gid[16] = { 0xfe, 0x80, [15] = last };
	struct nlattr *nest = mnl_attr_nest_start(nlh, SRNIC_A_DEV_NODE);

	mnl_attr_put(nlh, SRNIC_A_NODE_GID, sizeof(gid), gid);
	mnl_attr_put_u8(nlh, SRNIC_A_NODE_ROLE, port ? SRNIC_ROLE_MEMBER : SRNIC_ROLE_MANAGER);
	if (up)
		mnl_attr_put_u16(nlh, SRNIC_A_NODE_LID, last + 10);
	if (port)
		mnl_attr_put_u8(nlh, SRNIC_A_NODE_PORT, port);
	if (port && up)
		mnl_attr_put(nlh, SRNIC_A_NODE_UP, 0, NULL);
	mnl_attr_nest_end(nlh, nest);
}
