// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of regions of a dma-buf (mem/dmabuf.c), with an exporter of its own. R numbers are
 * the rows of Documentation/security/rfc5042.md.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/dma-buf.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/iosys-map.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include "srnic.h"
#include "mem/dmabuf.h"

#define SIZE	(4 * PAGE_SIZE)

/**
 * struct exporter - Another driver, and the requests to it
 * @test: the running test
 * @memory: contents of its buffer
 * @skew: bytes to add to the address of a mapping
 * @is_iomem: its memory is I/O memory
 * @begin_err: errno of begin_cpu_access
 * @mapped: the buffer is mapped
 * @begun: the processor accesses it
 * @dir: as begin_cpu_access was told
 * @released: the buffer has no more references
 */
struct exporter {
	struct kunit *test;
	void *memory;
	u32 skew;
	bool is_iomem;
	int begin_err;
	bool mapped;
	bool begun;
	enum dma_data_direction dir;
	struct completion released;
};

static int exporter_vmap(struct dma_buf *buf, struct iosys_map *map)
{
	struct exporter *e = buf->priv;

	e->mapped = true;
	if (e->is_iomem)
		iosys_map_set_vaddr_iomem(map, (void __iomem __force *)e->memory);
	else
		iosys_map_set_vaddr(map, e->memory + e->skew);
	return 0;
}

/* A mapping goes after all accesses have ended (dma-buf.rst). */
static void exporter_vunmap(struct dma_buf *buf, struct iosys_map *map)
{
	struct exporter *e = buf->priv;

	KUNIT_EXPECT_FALSE(e->test, e->begun);
	e->mapped = false;
}

static int exporter_begin(struct dma_buf *buf, enum dma_data_direction dir)
{
	struct exporter *e = buf->priv;

	KUNIT_EXPECT_TRUE(e->test, e->mapped && !e->begun);
	if (e->begin_err)
		return e->begin_err;
	e->begun = true;
	e->dir = dir;
	return 0;
}

static int exporter_end(struct dma_buf *buf, enum dma_data_direction dir)
{
	struct exporter *e = buf->priv;

	KUNIT_EXPECT_TRUE(e->test, e->begun);
	KUNIT_EXPECT_EQ(e->test, e->dir, dir);
	e->begun = false;
	return 0;
}

static void exporter_release(struct dma_buf *buf)
{
	struct exporter *e = buf->priv;

	complete(&e->released);
}

/* Nothing attaches to the buffer: srnic is no DMA device. */
static struct sg_table *exporter_map(struct dma_buf_attachment *at, enum dma_data_direction dir)
{
	return ERR_PTR(-EIO);
}

static void exporter_unmap(struct dma_buf_attachment *at, struct sg_table *sg,
			   enum dma_data_direction dir)
{
}

#define EXPORTER_OPS						\
	.map_dma_buf = exporter_map,				\
	.unmap_dma_buf = exporter_unmap,			\
	.release = exporter_release,				\
	.begin_cpu_access = exporter_begin,			\
	.end_cpu_access = exporter_end

static const struct dma_buf_ops mapping_ops = {
	EXPORTER_OPS,
	.vmap = exporter_vmap,
	.vunmap = exporter_vunmap,
};

static const struct dma_buf_ops other_ops = { EXPORTER_OPS };

static int dmabuf_test_init(struct kunit *test)
{
	struct exporter *e = kunit_kzalloc(test, sizeof(*e), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, e);
	e->test = test;
	e->memory = vzalloc(SIZE);
	KUNIT_ASSERT_NOT_NULL(test, e->memory);
	test->priv = e;
	return 0;
}

static void dmabuf_test_exit(struct kunit *test)
{
	struct exporter *e = test->priv;

	KUNIT_EXPECT_FALSE(test, e->mapped || e->begun);
	vfree(e->memory);
}

static struct dma_buf *export(struct kunit *test, const struct dma_buf_ops *ops, u64 size,
			      int flags)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct exporter *e = test->priv;
	struct dma_buf *buf;

	init_completion(&e->released);
	info.ops = ops;
	info.size = size;
	info.flags = flags;
	info.priv = e;
	buf = dma_buf_export(&info);
	KUNIT_ASSERT_FALSE(test, IS_ERR(buf));
	return buf;
}

/* Wait until the buffer is released: files of kernel threads are closed later. */
static void expect_released(struct kunit *test)
{
	struct exporter *e = test->priv;

	flush_delayed_fput();
	wait_for_completion(&e->released);
}

/* Take a buffer of SIZE bytes that was exported with @flags. */
static int take(struct kunit *test, struct srnic_map *map, int flags, int access)
{
	return srnic_dmabuf_take(map, export(test, &mapping_ops, SIZE, flags), 0, SIZE, access);
}

static u8 pattern(u32 at)
{
	return at * 7 + (at >> 8);
}

static void R10_region_has_the_bytes_that_were_asked_for(struct kunit *test)
{
	const u32 offset = PAGE_SIZE + 100, length = PAGE_SIZE + 333;
	struct srnic_mr *mr = kunit_kzalloc(test, sizeof(*mr), GFP_KERNEL);
	struct srnic_mem_ref ref = { .stag = &mr->stag, .mr = mr };
	u8 *data = kunit_kzalloc(test, length, GFP_KERNEL);
	struct exporter *e = test->priv;
	const u8 *memory = e->memory;
	u32 wrong = 0;

	KUNIT_ASSERT_TRUE(test, mr && data);
	for (u32 i = 0; i < length; i++)
		data[i] = pattern(i) | 1;
	KUNIT_ASSERT_EQ(test, take(test, &mr->map, O_RDWR, IB_ACCESS_LOCAL_WRITE), 0);
	KUNIT_EXPECT_EQ(test, srnic_dmabuf_pages(&mr->map), 4);
	KUNIT_ASSERT_EQ(test, srnic_dmabuf_map(&mr->map), 0);
	mr->stag.iova = 0x1000000 + 100;
	mr->stag.offset = offset;

	srnic_mem_place(&ref, mr->stag.iova, data, length);
	for (u32 i = 0; i < SIZE; i++)
		wrong += memory[i] != (i - offset < length ? data[i - offset] : 0);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	memset(data, 0, length);
	srnic_mem_gather(&ref, mr->stag.iova + 1, data, length - 1);
	KUNIT_EXPECT_MEMEQ(test, data, memory + offset + 1, length - 1);
	KUNIT_EXPECT_EQ(test, srnic_mem_fetch_add(&ref, mr->stag.iova + 4, 1),
			*(u64 *)(memory + offset + 4) - 1);
	srnic_map_release(&mr->map);
	expect_released(test);
}

static void range_outside_of_the_buffer_is_refused(struct kunit *test)
{
	static const struct {
		u64 offset, length;
		int err;
	} cases[] = {
		{ SIZE - 1, 1, 0 },
		{ 0, SIZE, 0 },
		{ 0, SIZE + 1, -EINVAL },
		{ SIZE, 1, -EINVAL },
		{ SIZE - 1, 2, -EINVAL },
		{ U64_MAX, 2, -EINVAL },
		{ 2, U64_MAX - 1, -EINVAL },
	};

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct srnic_map map = {};

		KUNIT_EXPECT_EQ(test,
				srnic_dmabuf_take(&map, export(test, &mapping_ops, SIZE, O_RDWR),
						  cases[i].offset, cases[i].length, 0),
				cases[i].err);
		srnic_map_release(&map);
		expect_released(test);
	}
}

static void R32_buffer_is_accessed_as_its_file_was_opened(struct kunit *test)
{
	static const struct {
		int flags, access, err;
	} cases[] = {
		{ O_RDONLY, 0, 0 },
		{ O_RDONLY, IB_ACCESS_REMOTE_READ, 0 },
		{ O_RDONLY, IB_ACCESS_LOCAL_WRITE, -EACCES },
		{ O_RDONLY, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE, -EACCES },
		{ O_WRONLY, 0, -EACCES },
		{ O_WRONLY, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE, -EACCES },
		{ O_RDWR, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_ATOMIC, 0 },
	};

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct srnic_map map = {};

		KUNIT_EXPECT_EQ(test, take(test, &map, cases[i].flags, cases[i].access),
				cases[i].err);
		srnic_map_release(&map);
		expect_released(test);
	}
}

static void rights_that_a_buffer_cannot_have_are_refused(struct kunit *test)
{
	/* of uncached memory */
	const bool atomics = IS_ENABLED(CONFIG_X86) || IS_ENABLED(CONFIG_UML);
	const struct {
		int access, err;
	} cases[] = {
		{ 0, 0 },
		{ IB_ACCESS_REMOTE_READ | IB_ACCESS_RELAXED_ORDERING, 0 },
		{ IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ, 0 },
		{ IB_ACCESS_LOCAL_WRITE | SRNIC_ACCESS_REMOTE, atomics ? 0 : -EOPNOTSUPP },
		{ IB_ACCESS_REMOTE_WRITE, -EINVAL },
		{ IB_ACCESS_MW_BIND, -EOPNOTSUPP },
		{ IB_ZERO_BASED, -EOPNOTSUPP },
		{ IB_ACCESS_ON_DEMAND, -EOPNOTSUPP },
		{ IB_ACCESS_HUGETLB, -EOPNOTSUPP },
		{ IB_ACCESS_FLUSH_GLOBAL, -EOPNOTSUPP },
		{ IB_ACCESS_FLUSH_PERSISTENT, -EOPNOTSUPP },
	};

	for (int i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test, srnic_dmabuf_check_access(cases[i].access), cases[i].err);
}

static void access_by_the_processor_lasts_as_long_as_the_region(struct kunit *test)
{
	static const struct {
		int access;
		enum dma_data_direction dir;
	} cases[] = {
		{ IB_ACCESS_REMOTE_READ, DMA_FROM_DEVICE },
		{ IB_ACCESS_LOCAL_WRITE, DMA_BIDIRECTIONAL },
	};
	struct exporter *e = test->priv;

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct srnic_map map = {};

		KUNIT_ASSERT_EQ(test, take(test, &map, O_RDWR, cases[i].access), 0);
		KUNIT_EXPECT_FALSE(test, e->mapped);
		KUNIT_ASSERT_EQ(test, srnic_dmabuf_map(&map), 0);
		KUNIT_EXPECT_TRUE(test, e->mapped && e->begun);
		KUNIT_EXPECT_EQ(test, e->dir, cases[i].dir);
		flush_delayed_fput();
		KUNIT_EXPECT_FALSE(test, completion_done(&e->released));

		srnic_map_release(&map);
		KUNIT_EXPECT_FALSE(test, e->mapped || e->begun);
		expect_released(test);
	}
}

static void buffer_that_is_not_memory_is_refused(struct kunit *test)
{
	struct exporter *e = test->priv;
	struct srnic_map map = {};

	KUNIT_EXPECT_EQ(test, srnic_dmabuf_take(&map, export(test, &other_ops, SIZE, O_RDWR), 0,
						SIZE, 0), -EOPNOTSUPP);
	expect_released(test);

	e->is_iomem = true;
	KUNIT_ASSERT_EQ(test, take(test, &map, O_RDWR, 0), 0);
	KUNIT_EXPECT_EQ(test, srnic_dmabuf_map(&map), -EOPNOTSUPP);
	KUNIT_EXPECT_FALSE(test, e->mapped || e->begun);
	srnic_map_release(&map);
	expect_released(test);

	/* words of atomics would not be aligned */
	e->is_iomem = false;
	e->skew = 4;
	KUNIT_ASSERT_EQ(test, take(test, &map, O_RDWR, 0), 0);
	KUNIT_EXPECT_EQ(test, srnic_dmabuf_map(&map), -EOPNOTSUPP);
	KUNIT_EXPECT_FALSE(test, e->mapped || e->begun);
	srnic_map_release(&map);
	expect_released(test);
}

static void failure_of_the_exporter_leaves_nothing_mapped(struct kunit *test)
{
	struct exporter *e = test->priv;
	struct srnic_map map = {};

	e->begin_err = -ENOSPC;
	KUNIT_ASSERT_EQ(test, take(test, &map, O_RDWR, 0), 0);
	KUNIT_EXPECT_EQ(test, srnic_dmabuf_map(&map), -ENOSPC);
	KUNIT_EXPECT_FALSE(test, e->mapped || e->begun);
	srnic_map_release(&map);
	expect_released(test);
}

/* The address is only computed: there is no such memory. */
static void buffer_may_be_larger_than_a_block(struct kunit *test)
{
	const u64 size = 2ULL * SZ_1G + PAGE_SIZE;
	struct exporter *e = test->priv;
	struct srnic_map map = {};

	KUNIT_ASSERT_EQ(test, srnic_dmabuf_take(&map, export(test, &mapping_ops, size, O_RDWR),
						size - 8, 8, 0), 0);
	KUNIT_EXPECT_EQ(test, srnic_dmabuf_pages(&map), size >> PAGE_SHIFT);
	KUNIT_ASSERT_EQ(test, srnic_dmabuf_map(&map), 0);
	KUNIT_ASSERT_EQ(test, map.count, 3);
	KUNIT_EXPECT_PTR_EQ(test, map.blocks[(size - 8) >> map.shift] +
			    ((size - 8) & (BIT_ULL(map.shift) - 1)), e->memory + size - 8);
	srnic_map_release(&map);
	expect_released(test);
}

static struct kunit_case dmabuf_cases[] = {
	KUNIT_CASE(R10_region_has_the_bytes_that_were_asked_for),
	KUNIT_CASE(range_outside_of_the_buffer_is_refused),
	KUNIT_CASE(R32_buffer_is_accessed_as_its_file_was_opened),
	KUNIT_CASE(rights_that_a_buffer_cannot_have_are_refused),
	KUNIT_CASE(access_by_the_processor_lasts_as_long_as_the_region),
	KUNIT_CASE(buffer_that_is_not_memory_is_refused),
	KUNIT_CASE(failure_of_the_exporter_leaves_nothing_mapped),
	KUNIT_CASE(buffer_may_be_larger_than_a_block),
	{}
};

static struct kunit_suite dmabuf_suite = {
	.name = "srnic-dmabuf",
	.init = dmabuf_test_init,
	.exit = dmabuf_test_exit,
	.test_cases = dmabuf_cases,
};

kunit_test_suite(dmabuf_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's regions of a dma-buf");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
MODULE_IMPORT_NS(DMA_BUF);
