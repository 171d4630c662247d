// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <infiniband/cmd_ioctl.h>

#include "fake.h"
#include "test.h"

#define FAKE_SGES	4
#define FAKE_INLINE	100

/*
 * The thread sanitizer identifies shared memory by address. Under it, provider and fake
 * kernel share one mapping of a ring; otherwise the order that its words establish would
 * not be seen.
 */
#ifdef __SANITIZE_THREAD__
#define ONE_MAPPING	true
#elif defined(__has_feature)
#define ONE_MAPPING	__has_feature(thread_sanitizer)
#else
#define ONE_MAPPING	false
#endif

struct fake fake;

static _Atomic uint32_t *word(__u32 *shared)
{
	return (_Atomic uint32_t *)shared;
}

void fake_begin(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.fd = memfd_create("srnic-rings", MFD_CLOEXEC);
	fake.ctx.vctx.context.cmd_fd = fake.fd;
	fake.ctx.vctx.context.device = &fake.vdev.device;
	atomic_init(&fake.vdev.refcount, 1);	/* libibverbs does not free it */
	sem_init(&fake.doorbell, 0, 0);
	CHECK(fake.fd >= 0);
}

void fake_end(void)
{
	unsigned int i, j;

	for (i = 0; i < fake.objects; i++)
		for (j = 0; j < FAKE_RINGS; j++)
			fake_ring_drop(&fake.object[i].ring[j]);
	sem_destroy(&fake.doorbell);
	close(fake.fd);
}

static void *map(uint64_t offset, size_t size)
{
	return __real_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fake.fd, offset);
}

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	unsigned int i;

	for (i = 0; ONE_MAPPING && fd == fake.fd && i < fake.rings; i++)
		if (fake.ring[i].offset == (uint64_t)offset)
			return fake.ring[i].hdr;
	return __real_mmap(addr, len, prot, flags, fd, offset);
}

/* mmap()'s name if file offsets have 64 bits */
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
	__attribute__((alias("__wrap_mmap")));

int __wrap_munmap(void *addr, size_t len)
{
	return ONE_MAPPING ? 0 : __real_munmap(addr, len);
}

void fake_ring_make(struct fake_ring *ring, uint32_t entries, uint32_t stride, uint32_t limit)
{
	uint32_t page = sysconf(_SC_PAGESIZE);
	uint32_t size = (SRNIC_RING_SLOTS + entries * stride + page - 1) / page * page;

	ring->abi = (struct srnic_abi_ring) {
		.offset = fake.end,
		.size = size,
		.entries = entries,
		.stride = stride,
		.limit = limit,
	};
	fake.end += size;
	CHECK(!ftruncate(fake.fd, fake.end));
	ring->hdr = map(ring->abi.offset, size);
	CHECK(ring->hdr != MAP_FAILED && fake.rings < ARRAY_LEN(fake.ring));
	fake.ring[fake.rings].offset = ring->abi.offset;
	fake.ring[fake.rings++].hdr = ring->hdr;
	ring->slots = (char *)ring->hdr + SRNIC_RING_SLOTS;
	ring->head = fake.start;
	ring->hdr->prod = fake.start;
	ring->hdr->cons = fake.start;
}

void fake_ring_drop(struct fake_ring *ring)
{
	if (ring->hdr)
		munmap(ring->hdr, ring->abi.size);
	ring->hdr = NULL;
}

void *fake_peek(struct fake_ring *ring)
{
	uint32_t prod = atomic_load_explicit(word(&ring->hdr->prod), memory_order_acquire);

	CHECK(prod - ring->head <= ring->abi.limit);
	return prod == ring->head ? NULL : fake_slot(ring, ring->head);
}

void fake_take(struct fake_ring *ring)
{
	ring->head++;
}

void fake_retire(struct fake_ring *ring)
{
	atomic_store_explicit(word(&ring->hdr->cons), ring->head, memory_order_release);
}

struct srnic_sq_wqe *fake_seen(struct ibv_qp *qp)
{
	static struct srnic_sq_wqe nothing = { .opcode = SRNIC_WQE_OPCODES };
	struct srnic_sq_wqe *wqe = fake_peek(fake_sq(qp));

	CHECK(wqe);
	if (!wqe)
		return &nothing;
	fake_take(fake_sq(qp));
	fake_retire(fake_sq(qp));
	return wqe;
}

bool fake_complete(struct fake_ring *ring, const struct srnic_cqe *cqe, bool solicited)
{
	uint32_t cons = atomic_load_explicit(word(&ring->hdr->cons), memory_order_acquire);
	struct srnic_cqe *slot;
	uint32_t arm;

	CHECK(ring->head - cons < ring->abi.limit);
	slot = fake_slot(ring, ring->head++);
	*slot = *cqe;
	if (!ring->timed)
		slot->timestamp = 0;
	atomic_store_explicit(word(&ring->hdr->prod), ring->head, memory_order_release);
	atomic_thread_fence(memory_order_seq_cst);

	arm = atomic_load_explicit(word(&ring->hdr->arm), memory_order_relaxed);
	if (!arm || (arm == SRNIC_ARM_SOLICITED && !solicited && !cqe->status))
		return false;
	return atomic_exchange(word(&ring->hdr->arm), SRNIC_ARM_NONE);
}

static struct fake_object *object(uint32_t handle)
{
	return &fake.object[handle];
}

struct fake_ring *fake_sq(struct ibv_qp *qp)
{
	return &object(qp->handle)->ring[FAKE_SQ];
}

struct fake_ring *fake_rq(struct ibv_qp *qp)
{
	return &object(qp->handle)->ring[FAKE_RQ];
}

struct fake_ring *fake_srq(struct ibv_srq *srq)
{
	return &object(srq->handle)->ring[FAKE_RQ];
}

struct fake_ring *fake_cq(struct ibv_cq *cq)
{
	return &object(cq->handle)->ring[FAKE_SQ];
}

static void check_send_doorbell(const struct ibv_post_send *cmd)
{
	CHECK(cmd->hdr.command == IB_USER_VERBS_CMD_POST_SEND);
	CHECK(cmd->hdr.in_words * 4 == sizeof(*cmd));
	CHECK(cmd->hdr.out_words * 4 == sizeof(struct ib_uverbs_post_send_resp));
	CHECK(cmd->response && cmd->qp_handle < fake.objects);
	CHECK(!cmd->wr_count && !cmd->sge_count);
	CHECK(cmd->wqe_size >= sizeof(struct ib_uverbs_send_wr));
	atomic_fetch_add(&fake.doorbells, 1);
}

static void check_recv_doorbell(const struct ibv_post_recv *cmd)
{
	CHECK(cmd->hdr.in_words * 4 == sizeof(*cmd));
	CHECK(cmd->hdr.out_words * 4 == sizeof(struct ib_uverbs_post_recv_resp));
	CHECK(cmd->response && cmd->qp_handle < fake.objects);
	CHECK(!cmd->wr_count && !cmd->sge_count);
	CHECK(cmd->wqe_size >= sizeof(struct ib_uverbs_recv_wr));
	fake.recv_doorbells++;
}

static void retire_some(struct fake_ring *ring)
{
	if (!fake.retires)
		return;
	ring->head += fake.retires;
	fake.retires = 0;
	fake_retire(ring);
}

/* Return the errno of a doorbell. */
static int ring(const void *cmd)
{
	const struct ib_uverbs_cmd_hdr *hdr = cmd;
	const struct ibv_post_send *post = cmd;	/* both have the same layout */

	if (hdr->command == IB_USER_VERBS_CMD_POST_RECV) {
		check_recv_doorbell(cmd);
		retire_some(&object(post->qp_handle)->ring[FAKE_RQ]);
	} else {
		check_send_doorbell(cmd);
		retire_some(&object(post->qp_handle)->ring[FAKE_SQ]);
	}
	if (!fake.doorbell_errno)
		sem_post(&fake.doorbell);
	return fake.doorbell_errno;
}

static ssize_t written(const void *buf, size_t len)
{
	const struct ib_uverbs_cmd_hdr *hdr = buf;

	CHECK(len == hdr->in_words * 4);
	atomic_fetch_add(&fake.writes, 1);
	errno = fake.no_write ? EACCES : ring(buf);
	return errno ? -1 : (ssize_t)len;
}

/* The function is a cancellation point ... */
ssize_t __wrap_write(int fd, const void *buf, size_t len)
{
	if (fd != fake.fd)
		return __real_write(fd, buf, len);
	pthread_testcancel();
	return written(buf, len);
}

/* ... and the system call is none. */
long __wrap_syscall(long number, ...)
{
	const void *buf;
	va_list ap;
	size_t len;
	int fd;

	va_start(ap, number);
	fd = va_arg(ap, int);
	buf = va_arg(ap, const void *);
	len = va_arg(ap, size_t);
	va_end(ap);
	CHECK(number == SYS_write && fd == fake.fd);
	return written(buf, len);
}

/*
 * The commands. Functions of the program take precedence over the library's.
 */
static int command(void)
{
	int ret = fake.fail;

	fake.commands++;
	fake.fail = 0;
	return ret;
}

static uint32_t new_handle(void)
{
	CHECK(fake.objects < ARRAY_LEN(fake.object));
	return fake.objects++;
}

static uint32_t power_of_two(uint32_t n)
{
	uint32_t p = 1;

	while (p < n)
		p <<= 1;
	return p;
}

static struct srnic_abi_ring describe(const struct fake_ring *ring)
{
	struct srnic_abi_ring abi = ring->abi;

	if (fake.bad_ring)
		abi.entries++;
	return abi;
}

int ibv_cmd_create_cq_ex(struct ibv_context *ctx, const struct ibv_cq_init_attr_ex *attr,
			 struct verbs_cq *cq, struct ibv_create_cq_ex *cmd, size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp, size_t resp_size,
			 uint32_t cmd_flags)
{
	struct srnic_create_cq_uresp *uresp = (void *)resp;
	struct fake_ring *ring;
	int ret = command();

	(void)cmd;
	(void)cmd_size;
	(void)cmd_flags;
	if (ret)
		return ret;
	CHECK(resp_size == sizeof(*uresp));
	CHECK(!attr->comp_mask);
	cq->cq.context = ctx;
	cq->cq.handle = new_handle();
	cq->cq.cqe = attr->cqe;
	ring = fake_cq(&cq->cq);
	fake_ring_make(ring, power_of_two(attr->cqe), sizeof(struct srnic_cqe), attr->cqe);
	ring->timed = attr->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
	uresp->drv.ring = describe(ring);
	return 0;
}

/* Move the waiting entries, to other indices, and the pending request for an event. */
static void move_ring(struct fake_ring *ring, uint32_t limit, uint32_t first)
{
	const uint32_t shift = 1001;
	struct fake_ring old = *ring;
	uint32_t i;

	fake_ring_make(ring, power_of_two(limit), old.abi.stride, limit);
	for (i = first; i != old.hdr->prod; i++)
		memcpy(fake_slot(ring, i + shift), fake_slot(&old, i), old.abi.stride);
	ring->head = old.head + shift;
	ring->hdr->prod = old.hdr->prod + shift;
	ring->hdr->cons = first + shift;
	ring->hdr->arm = old.hdr->arm;
	fake_ring_drop(&old);
}

int ibv_cmd_resize_cq(struct ibv_cq *cq, int cqe, struct ibv_resize_cq *cmd, size_t cmd_size,
		      struct ib_uverbs_resize_cq_resp *resp, size_t resp_size)
{
	struct srnic_resize_cq_uresp *uresp = (void *)resp;
	struct fake_ring *ring = fake_cq(cq);
	int ret = command();

	(void)cmd;
	(void)cmd_size;
	if (ret)
		return ret;
	CHECK(resp_size == sizeof(*uresp));
	move_ring(ring, cqe, ring->hdr->cons);
	cq->cqe = cqe;
	uresp->drv.ring = describe(ring);
	return 0;
}

int ibv_cmd_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr,
		      struct ibv_modify_cq *cmd, size_t cmd_size)
{
	CHECK(cmd_size == sizeof(*cmd) && fake_cq(cq));
	return attr->attr_mask & ~IBV_CQ_ATTR_MODERATE ? EINVAL : command();
}

static void drop_object(uint32_t handle)
{
	fake_ring_drop(&object(handle)->ring[FAKE_SQ]);
	fake_ring_drop(&object(handle)->ring[FAKE_RQ]);
}

int ibv_cmd_destroy_cq(struct ibv_cq *cq)
{
	int ret = command();

	if (!ret)
		drop_object(cq->handle);
	return ret;
}

int ibv_cmd_create_qp_ex(struct ibv_context *ctx, struct verbs_qp *vqp,
			 struct ibv_qp_init_attr_ex *attr, struct ibv_create_qp *cmd,
			 size_t cmd_size, struct ib_uverbs_create_qp_resp *resp, size_t resp_size)
{
	struct srnic_create_qp_uresp *uresp = (void *)resp;
	struct ibv_qp *qp = &vqp->qp;
	int ret = command();

	CHECK(attr->comp_mask == IBV_QP_INIT_ATTR_PD);
	CHECK(cmd_size == sizeof(*cmd) && resp_size == sizeof(*uresp));
	if (ret)
		return ret;
	qp->context = ctx;
	qp->handle = new_handle();
	qp->qp_type = attr->qp_type;
	qp->pd = attr->pd;
	qp->qp_num = 100 + qp->handle;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->srq = attr->srq;
	qp->state = IBV_QPS_RESET;
	vqp->comp_mask = 0;
	attr->cap.max_inline_data = FAKE_INLINE;
	if (attr->cap.max_send_wr) {
		fake_ring_make(fake_sq(qp), power_of_two(attr->cap.max_send_wr),
			       sizeof(struct srnic_sq_wqe) + 128, attr->cap.max_send_wr);
		fake_sq(qp)->hdr->need_wakeup = 1;
		uresp->drv.sq = describe(fake_sq(qp));
	}
	if (attr->cap.max_recv_wr && !attr->srq) {
		fake_ring_make(fake_rq(qp), power_of_two(attr->cap.max_recv_wr),
			       sizeof(struct srnic_rq_wqe) + FAKE_SGES * 16,
			       attr->cap.max_recv_wr);
		uresp->drv.rq = describe(fake_rq(qp));
	}
	return 0;
}

static void reset_ring(struct fake_ring *ring, uint32_t need_wakeup)
{
	if (!ring->hdr)
		return;
	ring->head = ring->hdr->prod;
	fake_retire(ring);
	ring->hdr->need_wakeup = need_wakeup;
}

int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		      struct ibv_modify_qp *cmd, size_t cmd_size)
{
	int ret = command();

	(void)cmd;
	(void)cmd_size;
	if (!ret && attr_mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RESET) {
		reset_ring(fake_sq(qp), 1);
		reset_ring(fake_rq(qp), 0);
	}
	return ret;
}

int ibv_cmd_destroy_qp(struct ibv_qp *qp)
{
	int ret = command();

	if (!ret)
		drop_object(qp->handle);
	return ret;
}

int ibv_cmd_create_qp_ex2(struct ibv_context *ctx, struct verbs_qp *vqp,
			  struct ibv_qp_init_attr_ex *attr, struct ibv_create_qp_ex *cmd,
			  size_t cmd_size, struct ib_uverbs_ex_create_qp_resp *resp,
			  size_t resp_size)
{
	struct srnic_create_rss_ucmd *ucmd = (void *)cmd;
	int ret = command();

	(void)resp;
	CHECK(attr->comp_mask == (IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE));
	CHECK(cmd_size == sizeof(*ucmd) && resp_size == sizeof(struct srnic_create_rss_uresp));
	if (ret)
		return ret;
	fake.rss = ucmd->drv;
	vqp->qp.context = ctx;
	vqp->qp.handle = new_handle();
	vqp->qp.qp_type = attr->qp_type;
	vqp->comp_mask = 0;
	return 0;
}

struct fake_ring *fake_wq(struct ibv_wq *wq)
{
	return &object(wq->handle)->ring[FAKE_RQ];
}

int ibv_cmd_create_wq(struct ibv_context *ctx, struct ibv_wq_init_attr *attr, struct ibv_wq *wq,
		      struct ibv_create_wq *cmd, size_t cmd_size,
		      struct ib_uverbs_ex_create_wq_resp *resp, size_t resp_size)
{
	struct srnic_create_wq_uresp *uresp = (void *)resp;
	int ret = command();

	CHECK(cmd_size == sizeof(*cmd) && resp_size == sizeof(*uresp));
	if (ret)
		return ret;
	wq->context = ctx;
	wq->handle = new_handle();
	wq->wq_num = 100 + wq->handle;
	wq->cq = attr->cq;
	wq->state = IBV_WQS_RESET;
	fake_ring_make(fake_wq(wq), power_of_two(attr->max_wr),
		       sizeof(struct srnic_rq_wqe) + FAKE_SGES * 16, attr->max_wr);
	uresp->drv.ring = describe(fake_wq(wq));
	return 0;
}

int ibv_cmd_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr, struct ibv_modify_wq *cmd,
		      size_t cmd_size)
{
	int ret = command();

	CHECK(cmd_size == sizeof(*cmd));
	if (ret)
		return ret;
	fake.wq_attr = *attr;
	wq->state = attr->wq_state;
	if (attr->wq_state == IBV_WQS_RESET)
		reset_ring(fake_wq(wq), 0);
	else
		fake_wq(wq)->hdr->need_wakeup = attr->wq_state == IBV_WQS_ERR;
	return 0;
}

int ibv_cmd_destroy_wq(struct ibv_wq *wq)
{
	int ret = command();

	if (!ret)
		drop_object(wq->handle);
	return ret;
}

int ibv_cmd_create_srq_ex(struct ibv_context *ctx, struct verbs_srq *vsrq,
			  struct ibv_srq_init_attr_ex *attr, struct ibv_create_xsrq *cmd,
			  size_t cmd_size, struct ib_uverbs_create_srq_resp *resp,
			  size_t resp_size)
{
	struct srnic_create_srq_uresp *uresp = (void *)resp;
	int ret = command();

	CHECK(cmd_size == sizeof(*cmd) && resp_size == sizeof(*uresp));
	CHECK(attr->srq_type == IBV_SRQT_BASIC);
	if (ret)
		return ret;
	vsrq->srq.context = ctx;
	vsrq->srq.handle = new_handle();
	attr->attr.max_sge = FAKE_SGES;
	fake_ring_make(fake_srq(&vsrq->srq), power_of_two(attr->attr.max_wr),
		       sizeof(struct srnic_rq_wqe) + FAKE_SGES * 16, attr->attr.max_wr);
	uresp->drv.ring = describe(fake_srq(&vsrq->srq));
	uresp->drv.srq_num = 77;
	return 0;
}

int ibv_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int attr_mask,
		       struct ibv_modify_srq *cmd, size_t cmd_size)
{
	struct srnic_modify_srq_ucmd *ucmd = (void *)cmd;
	struct srnic_modify_srq_resp *resp;
	int ret = command();

	CHECK(cmd_size == sizeof(*ucmd));
	if (ret || !(attr_mask & IBV_SRQ_MAX_WR))
		return ret;
	move_ring(fake_srq(srq), attr->max_wr, fake_srq(srq)->head);
	resp = (void *)(uintptr_t)ucmd->drv.resp_addr;
	resp->ring = describe(fake_srq(srq));
	return 0;
}

int ibv_cmd_destroy_srq(struct ibv_srq *srq)
{
	int ret = command();

	if (!ret)
		drop_object(srq->handle);
	return ret;
}

int ibv_cmd_alloc_pd(struct ibv_context *ctx, struct ibv_pd *pd, struct ibv_alloc_pd *cmd,
		     size_t cmd_size, struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size)
{
	(void)cmd;
	(void)cmd_size;
	(void)resp;
	(void)resp_size;
	pd->context = ctx;
	pd->handle = new_handle();
	object(pd->handle)->is_pd = true;
	return command();
}

/* A doorbell by a method: the command and its response are attributes, without a header. */
static int ring_by_method(const struct ib_uverbs_attr *attr)
{
	struct ibv_post_send cmd = {
		.hdr = {
			.command = attr[0].data,
			.in_words = sizeof(cmd) / 4,
			.out_words = sizeof(struct ib_uverbs_post_send_resp) / 4,
		},
	};

	CHECK(attr[0].attr_id == UVERBS_ATTR_WRITE_CMD && attr[0].len == sizeof(uint64_t));
	CHECK(attr[1].attr_id == UVERBS_ATTR_CORE_IN);
	CHECK(attr[1].len == sizeof(struct ib_uverbs_post_send));
	CHECK(attr[2].attr_id == UVERBS_ATTR_CORE_OUT);
	CHECK(attr[2].len == sizeof(struct ib_uverbs_post_send_resp) && attr[2].data);
	memcpy(&cmd.response, (void *)(uintptr_t)attr[1].data, attr[1].len);
	cmd.response = attr[2].data;
	return ring(&cmd);
}

static int query_pd(const struct ib_uverbs_attr *attr)
{
	CHECK(attr->attr_id == SRNIC_ATTR_PD_QUERY_HANDLE && !attr->len);
	return attr->data < fake.objects && object(attr->data)->is_pd ? 0 : ENOENT;
}

static int query_dm(const struct ib_uverbs_attr *attr)
{
	CHECK(attr[0].attr_id == SRNIC_ATTR_DM_QUERY_HANDLE && !attr[0].len);
	CHECK(attr[1].attr_id == SRNIC_ATTR_DM_QUERY_RESP);
	CHECK(attr[1].len == sizeof(struct srnic_ioctl_dm));
	if (attr[0].data >= fake.objects || !object(attr[0].data)->dm.length)
		return ENOENT;
	*(struct srnic_ioctl_dm *)(uintptr_t)attr[1].data = object(attr[0].data)->dm;
	return 0;
}

/* Register a dma-buf, and note what was asked for. */
static int reg_dmabuf(const struct ib_uverbs_attr *attr)
{
	static const uint16_t lengths[] = { 0, 0, 8, 8, 8, 4, 4, 4, 4 };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(lengths); i++)
		CHECK(attr[i].attr_id == UVERBS_ATTR_REG_DMABUF_MR_HANDLE + i &&
		      attr[i].len == lengths[i]);
	if (!object(attr[1].data)->is_pd)
		return ENOENT;
	fake.dmabuf = (struct fake_dmabuf) {
		attr[2].data, attr[3].data, attr[4].data, (int)attr[5].data, (int)attr[6].data,
	};
	((struct ib_uverbs_attr *)attr)->data = new_handle();
	*(uint32_t *)(uintptr_t)attr[7].data = FAKE_LKEY;
	*(uint32_t *)(uintptr_t)attr[8].data = FAKE_RKEY;
	return 0;
}

/*
 * Methods that the provider calls by itself. libibverbs asks first whether commands may be
 * methods, with one attribute; it is told that they may not.
 */
int execute_ioctl(struct ibv_context *ctx, struct ibv_command_buffer *cmd)
{
	const struct ib_uverbs_attr *attr = cmd->hdr.attrs;
	int ret;

	CHECK(ctx->cmd_fd >= 0);
	if (cmd->hdr.method_id == UVERBS_METHOD_INVOKE_WRITE)
		return cmd->next_attr == attr + 3 ? ring_by_method(attr) : EPROTONOSUPPORT;
	if (cmd->hdr.object_id == UVERBS_OBJECT_MR) {
		CHECK(cmd->hdr.method_id == UVERBS_METHOD_REG_DMABUF_MR);
		CHECK(cmd->next_attr == attr + 9);
		return command() ?: reg_dmabuf(attr);
	}
	if (cmd->hdr.object_id == UVERBS_OBJECT_DM) {
		CHECK(cmd->hdr.method_id == SRNIC_METHOD_DM_QUERY && cmd->next_attr == attr + 2);
		ret = query_dm(attr);
	} else {
		CHECK(cmd->hdr.object_id == UVERBS_OBJECT_PD && cmd->next_attr == attr + 1);
		CHECK(cmd->hdr.method_id == SRNIC_METHOD_PD_QUERY);
		ret = query_pd(attr);
	}
	return command() ?: ret;
}

int ibv_cmd_query_context(struct ibv_context *ctx, struct ibv_command_buffer *driver)
{
	const struct ib_uverbs_attr *attr = driver->hdr.attrs;
	int ret = command();

	CHECK(ctx->cmd_fd >= 0 && driver->next_attr == attr + 1);
	CHECK(attr->attr_id == SRNIC_ATTR_QUERY_CONTEXT_RESP);
	CHECK(attr->len == sizeof(FAKE_LIMITS));
	if (!ret)
		*(struct srnic_alloc_ucontext_resp *)(uintptr_t)attr->data = FAKE_LIMITS;
	return ret;
}

int ibv_cmd_query_mr(struct ibv_pd *pd, struct verbs_mr *vmr, uint32_t mr_handle)
{
	int ret = command();

	if (ret)
		return ret;
	vmr->ibv_mr.context = pd->context;
	vmr->ibv_mr.pd = pd;
	vmr->ibv_mr.handle = mr_handle;
	vmr->ibv_mr.lkey = FAKE_LKEY;
	vmr->ibv_mr.rkey = FAKE_RKEY;
	vmr->mr_type = IBV_MR_TYPE_IMPORTED_MR;
	return 0;
}

int ibv_cmd_dereg_mr(struct verbs_mr *vmr)
{
	(void)vmr;
	return command();
}

int ibv_cmd_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		      struct ibv_sge *sg_list, uint32_t num_sge)
{
	(void)pd;
	(void)advice;
	(void)flags;
	(void)sg_list;
	(void)num_sge;
	return command();
}

int ibv_cmd_alloc_dm(struct ibv_context *ctx, const struct ibv_alloc_dm_attr *attr,
		     struct verbs_dm *dm, struct ibv_command_buffer *link)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	int ret = command();

	if (ret)
		return ret;
	CHECK(!link);
	dm->dm.context = ctx;
	dm->handle = new_handle();
	object(dm->handle)->dm = (struct srnic_ioctl_dm) {
		.offset = fake.end,
		.size = (attr->length + page - 1) / page * page,
		.length = attr->length,
	};
	fake.end += object(dm->handle)->dm.size;
	CHECK(!ftruncate(fake.fd, fake.end));
	return 0;
}

int ibv_cmd_free_dm(struct verbs_dm *dm)
{
	int ret = command();

	if (!ret)
		object(dm->handle)->dm.length = 0;
	return ret;
}

int ibv_cmd_reg_dm_mr(struct ibv_pd *pd, struct verbs_dm *dm, uint64_t offset, size_t length,
		      unsigned int access, struct verbs_mr *vmr, struct ibv_command_buffer *link)
{
	int ret = command();

	if (ret)
		return ret;
	CHECK(!link && access & IBV_ACCESS_ZERO_BASED);
	CHECK(offset + length <= object(dm->handle)->dm.length);
	vmr->ibv_mr.context = pd->context;
	vmr->ibv_mr.pd = pd;
	vmr->ibv_mr.lkey = FAKE_LKEY;
	vmr->ibv_mr.rkey = FAKE_RKEY;
	vmr->mr_type = IBV_MR_TYPE_MR;
	return 0;
}

int ibv_cmd_dealloc_pd(struct ibv_pd *pd)
{
	(void)pd;
	return command();
}

int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah, struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *resp, size_t resp_size)
{
	struct srnic_create_ah_uresp *uresp = (void *)resp;

	(void)attr;
	CHECK(resp_size == sizeof(*uresp));
	ah->context = pd->context;
	uresp->drv.ah = 4711;
	return command();
}

int ibv_cmd_destroy_ah(struct ibv_ah *ah)
{
	(void)ah;
	return command();
}

struct ibv_qp *fake_create_qp(enum ibv_qp_type type, uint32_t max_wr, uint64_t send_ops)
{
	static struct srnic_pd pd;
	struct ibv_qp_init_attr_ex attr = {
		.cap = {
			.max_send_wr = max_wr,
			.max_recv_wr = max_wr,
			.max_send_sge = FAKE_SGES,
			.max_recv_sge = FAKE_SGES,
		},
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = &pd.ibv,
		.send_ops_flags = send_ops,
	};
	struct ibv_qp *qp;

	pd.ibv.context = &fake.ctx.vctx.context;
	if (send_ops)
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	qp = srnic_create_qp_ex(pd.ibv.context, &attr);
	if (qp)
		qp->state = IBV_QPS_RTS;
	return qp;
}
