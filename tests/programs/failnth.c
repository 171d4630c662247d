// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-failnth - fail every memory allocation of every verb, one after the
 * other.
 *
 * The kernel can fail a task's Nth allocation
 * (fault-injection/fault-injection.rst). Each verb is called with the first
 * allocation failing, then the second, and so on until no allocation fails.
 * Each time the verb must either work or report lack of memory, and on failure
 * leave its objects unchanged. Destroying an object must always work.
 *
 *	srnic-failnth DEVICE
 *
 * The debugfs files of failslab and fail_page_alloc select which allocations
 * may fail. The seal used here needs a policy that requires aes-gcm-128, aead,
 * with a key.
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <srnic/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE	(1 << 20)
#define MOST	2000	/* maximum of allocations in a verb */

static struct {
	struct ibv_device *dev;
	struct ibv_context *ctx, *spare;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_dm *dm;
	struct ibv_mr *dm_mr;
	struct ibv_mw *mw;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *rc;
	struct ibv_qp *ud;
	struct ibv_ah *ah;
	struct srnic_grant *grant;
	union ibv_gid gid;
	int gid_index;
	int cqe;
	void *buf;
} the;

static int fail_nth;

static void die(const char *what)
{
	fprintf(stderr, "srnic-failnth: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* arm N: fail the Nth allocation from now on; 0: none */
static void arm(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	if (pwrite(fail_nth, text, len, 0) != len)
		die("fail-nth");
}

/* Return whether that allocation was reached; disarm. */
static int reached(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0)
		die("fail-nth");
	arm(0);
	return atoi(text) == 0;
}

static int open_dev(void)
{
	the.ctx = ibv_open_device(the.dev);
	return the.ctx ? 0 : errno;
}

static int close_dev(void)
{
	return ibv_close_device(the.ctx);
}

static int alloc_pd(void)
{
	the.pd = ibv_alloc_pd(the.ctx);
	return the.pd ? 0 : errno;
}

static int dealloc_pd(void)
{
	return ibv_dealloc_pd(the.pd);
}

static const unsigned char secret[SRNIC_IOCTL_KEY_MAX];

static int key_pd(void)
{
	return -srnic_key_pd(the.pd, secret, sizeof(secret));
}

/* A domain's key cannot be changed: use a new domain */
static int new_pd(void)
{
	return dealloc_pd() ?: alloc_pd();
}

static int reg_mr(void)
{
	the.mr = ibv_reg_mr(the.pd, the.buf, SIZE, IBV_ACCESS_LOCAL_WRITE);
	return the.mr ? 0 : errno;
}

static int dereg_mr(void)
{
	return ibv_dereg_mr(the.mr);
}

static int alloc_dm(void)
{
	the.dm = ibv_alloc_dm(the.ctx, &(struct ibv_alloc_dm_attr){ .length = SIZE });
	return the.dm ? 0 : errno;
}

static int free_dm(void)
{
	return ibv_free_dm(the.dm);
}

static int reg_dm_mr(void)
{
	the.dm_mr = ibv_reg_dm_mr(the.pd, the.dm, 0, SIZE, IBV_ACCESS_ZERO_BASED);
	return the.dm_mr ? 0 : errno;
}

static int dereg_dm_mr(void)
{
	return ibv_dereg_mr(the.dm_mr);
}

static int rereg_mr(void)
{
	return ibv_rereg_mr(the.mr, IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS,
			    NULL, (char *)the.buf + 4096, SIZE / 2, IBV_ACCESS_LOCAL_WRITE) ?
	       errno : 0;
}

static int protect_mr(void)
{
	return -srnic_protect_mr(the.mr, &(struct srnic_tree){ .depth = 4, .block = 4096 }, NULL);
}

/* A region's key cannot be changed: use a new region */
static int new_mr(void)
{
	return dereg_mr() ?: reg_mr();
}

static int grant_mr(void)
{
	return -srnic_grant_mr(the.mr, SRNIC_RIGHT_READ, &the.grant);
}

static int free_grant(void)
{
	srnic_grant_free(the.grant);
	return 0;
}

static int alloc_mw(void)
{
	the.mw = ibv_alloc_mw(the.pd, IBV_MW_TYPE_2);
	return the.mw ? 0 : errno;
}

static int dealloc_mw(void)
{
	return ibv_dealloc_mw(the.mw);
}

static int create_channel(void)
{
	the.channel = ibv_create_comp_channel(the.ctx);
	return the.channel ? 0 : errno;
}

static int destroy_channel(void)
{
	return ibv_destroy_comp_channel(the.channel);
}

static int create_cq(void)
{
	the.cq = ibv_create_cq(the.ctx, 64, NULL, the.channel, 0);
	return the.cq ? 0 : errno;
}

static int destroy_cq(void)
{
	return ibv_destroy_cq(the.cq);
}

/* Alternate the size: resizing to the current one does nothing */
static int resize_cq(void)
{
	the.cqe = the.cqe == 200 ? 1000 : 200;
	return ibv_resize_cq(the.cq, the.cqe);
}

static int create_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 64, .max_sge = 2 } };

	the.srq = ibv_create_srq(the.pd, &init);
	return the.srq ? 0 : errno;
}

static int destroy_srq(void)
{
	return ibv_destroy_srq(the.srq);
}

static struct ibv_qp *create_qp(enum ibv_qp_type type, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = the.cq, .recv_cq = the.cq, .srq = srq, .qp_type = type,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 2,
			 .max_recv_sge = 2, .max_inline_data = 64 },
	};

	return ibv_create_qp(the.pd, &init);
}

static int create_rc(void)
{
	the.rc = create_qp(IBV_QPT_RC, the.srq);
	return the.rc ? 0 : errno;
}

static int destroy_rc(void)
{
	return ibv_destroy_qp(the.rc);
}

static int create_ud(void)
{
	the.ud = create_qp(IBV_QPT_UD, NULL);
	return the.ud ? 0 : errno;
}

static int destroy_ud(void)
{
	return ibv_destroy_qp(the.ud);
}

static int seal_rc(void)
{
	return -srnic_seal_qp(the.rc, SRNIC_MODE_AEAD, "aes-gcm-128", secret, sizeof(secret));
}

static int use_grant(void)
{
	return -srnic_use_grant(the.rc, the.grant);
}

static int drop_grants(void)
{
	return -srnic_drop_grants(the.rc, srnic_grant_rkey(the.grant));
}

static int to_init(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	return ibv_modify_qp(the.rc, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     IBV_QP_ACCESS_FLAGS);
}

/*
 * Connect to a QP of the same address, which never answers. This looks up the
 * policy and derives keys.
 */
static int to_rtr(void)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024,
		.dest_qp_num = the.ud->qp_num, .max_dest_rd_atomic = 4, .min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = the.gid, .sgid_index = the.gid_index,
				      .hop_limit = 4 } },
	};

	return ibv_modify_qp(the.rc, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(void)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 3, .max_rd_atomic = 4,
	};

	return ibv_modify_qp(the.rc, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

/* Bring the RC QP back to its earlier state */
static int rc_reset(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	return ibv_modify_qp(the.rc, &attr, IBV_QP_STATE);
}

static int back_to_init(void)
{
	return rc_reset() ?: to_init() ?: seal_rc();
}

static int back_to_rtr(void)
{
	return back_to_init() ?: to_rtr();
}

static int query_qp(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(the.rc, &attr, IBV_QP_STATE | IBV_QP_AV, &init);
}

static int ud_to_init(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x1234 };

	return ibv_modify_qp(the.ud, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     IBV_QP_QKEY);
}

static int create_ah(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = the.gid, .sgid_index = the.gid_index, .hop_limit = 4 },
	};

	the.ah = ibv_create_ah(the.pd, &attr);
	return the.ah ? 0 : errno;
}

static int destroy_ah(void)
{
	return ibv_destroy_ah(the.ah);
}

static const union ibv_gid group = {
	.raw = { [10] = 0xff, [11] = 0xff, [12] = 239, [13] = 1, [14] = 2, [15] = 3 },
};

static int attach(void)
{
	return ibv_attach_mcast(the.ud, &group, 0);
}

static int detach(void)
{
	return ibv_detach_mcast(the.ud, &group, 0);
}

/*
 * Steps in order; each result stays for the steps after it. Steps without an
 * undo may be repeated. @BACK: the undo creates something, so it may fail.
 * @OTHER: on failure libibverbs opens the device by another name and returns
 * that error.
 */
#define BACK	1
#define OTHER	2

static const struct step {
	const char *name;
	int (*make)(void);
	int (*undo)(void);
	int flags;
} steps[] = {
	{ "open", open_dev, close_dev, OTHER },
	{ "alloc_pd", alloc_pd, dealloc_pd, 0 },
	{ "srnic_key_pd", key_pd, new_pd, BACK },
	{ "reg_mr", reg_mr, dereg_mr, 0 },
	{ "rereg_mr", rereg_mr, NULL, 0 },
	{ "alloc_dm", alloc_dm, free_dm, 0 },
	{ "reg_dm_mr", reg_dm_mr, dereg_dm_mr, 0 },
	{ "srnic_protect_mr", protect_mr, new_mr, BACK },
	{ "srnic_grant_mr", grant_mr, free_grant, 0 },
	{ "alloc_mw", alloc_mw, dealloc_mw, 0 },
	{ "create_comp_channel", create_channel, destroy_channel, 0 },
	{ "create_cq", create_cq, destroy_cq, 0 },
	{ "resize_cq", resize_cq, NULL, 0 },
	{ "create_srq", create_srq, destroy_srq, 0 },
	{ "create_qp RC", create_rc, destroy_rc, 0 },
	{ "create_qp UD", create_ud, destroy_ud, 0 },
	{ "create_ah", create_ah, destroy_ah, 0 },
	{ "modify_qp INIT", to_init, rc_reset, BACK },
	{ "srnic_seal_qp", seal_rc, NULL, 0 },
	{ "modify_qp RTR", to_rtr, back_to_init, BACK },
	{ "modify_qp RTS", to_rts, back_to_rtr, BACK },
	{ "query_qp", query_qp, NULL, 0 },
	{ "srnic_use_grant", use_grant, drop_grants, 0 },
	{ "modify_qp UD INIT", ud_to_init, NULL, 0 },
	{ "attach_mcast", attach, detach, 0 },
};

#define STEPS	((int)(sizeof(steps) / sizeof(steps[0])))

static int failures;

/* Route lookups return ENOBUFS instead */
static int no_memory(int err)
{
	return err == ENOMEM || err == ENOBUFS;
}

static void wrong(const struct step *step, const char *what, int n, int err)
{
	fprintf(stderr, "FAIL: %s%s, allocation %d: %s\n", what, step->name, n, strerror(err));
	failures++;
}

/* Run a step that must work; the test cannot continue otherwise */
static void must(const struct step *step, int (*fn)(void), const char *what, int n)
{
	int err = fn();

	if (err) {
		wrong(step, what, n, err);
		exit(1);
	}
}

/*
 * Fail each allocation of make() in turn and leave the object made. Return how
 * many failed.
 */
static int fail_making(const struct step *step)
{
	int err, hit, n;

	for (n = 1; n < MOST; n++) {
		arm(n);
		err = step->make();
		hit = reached();
		if (err && (!hit || (!no_memory(err) && !(step->flags & OTHER))))
			wrong(step, "", n, err);
		if (!hit)
			break;
		if (!err && step->undo)
			must(step, step->undo, "undoing ", n);
	}
	if (err)
		must(step, step->make, "", 0);
	return n - 1;
}

/* The same for undo() */
static int fail_undoing(const struct step *step)
{
	int err, hit, n;

	for (n = 1; step->undo && !(step->flags & BACK) && n < MOST; n++) {
		arm(n);
		err = step->undo();
		hit = reached();
		if (err)
			wrong(step, "undoing ", n, err);
		must(step, step->make, "again ", n);
		if (!hit)
			break;
	}
	return n - 1;
}

static void find(const char *name)
{
	static const unsigned char v4[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (; list && *list; list++)
		if (!strcmp(ibv_get_device_name(*list), name))
			the.dev = *list;
	if (!the.dev || open_dev())
		die(name);
	while (!ibv_query_gid(the.ctx, 1, the.gid_index, &the.gid) &&
	       memcmp(the.gid.raw, v4, sizeof(v4)))
		the.gid_index++;
	/*
	 * Keep this context open: if the first context of a cgroup cannot be
	 * charged, 6.12's core leaks a reference to the task
	 * (uverbs_std_types_device.c, GET_CONTEXT), which this test does not
	 * examine.
	 */
	the.spare = the.ctx;
}

int main(int argc, char **argv)
{
	int total = 0;
	int i;

	if (argc != 2 || argv[1][0] == '-') {
		fprintf(stderr, "usage: srnic-failnth DEVICE\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	the.buf = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (the.buf == MAP_FAILED || fail_nth < 0)
		die("/proc/thread-self/fail-nth");
	find(argv[1]);

	for (i = 0; i < STEPS; i++) {
		int making = fail_making(&steps[i]);
		int undoing = fail_undoing(&steps[i]);

		printf("%-20s %4d allocations failed, and %d where it was undone\n",
		       steps[i].name, making, undoing);
		total += making + undoing;
	}
	while (i--)
		if (steps[i].undo && steps[i].undo())
			die(steps[i].name);
	ibv_close_device(the.spare);
	printf("%d allocations failed, each in its turn\n", total);
	return failures > 0;
}
