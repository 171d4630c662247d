/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the kernel's API that the pure files use, in user space.
 *
 * It has only what means the same in both: types, bytes, bits. A file that
 * needs a lock, an allocator's flags or a list is not pure.
 */
#ifndef SRNIC_HOST_SHIM_H
#define SRNIC_HOST_SHIM_H

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include_next <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#ifndef __force
#define __force
#endif
#define __aligned(n)		__attribute__((aligned(n)))
#define __packed		__attribute__((packed))
#define __maybe_unused		__attribute__((unused))
#define noinline		__attribute__((noinline))
#define fallthrough		__attribute__((fallthrough))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define OPTIMIZER_HIDE_VAR(var)	__asm__("" : "+r" (var))
#define WRITE_ONCE(x, v)	(*(volatile typeof(x) *)&(x) = (v))
#define barrier_data(p)		__asm__ __volatile__("" : : "r" (p) : "memory")

/* A compiler barrier is enough for one thread. */
#define barrier()		__asm__ __volatile__("" : : : "memory")
#define smp_mb()		barrier()
#define smp_load_acquire(p)	({ typeof(*(p)) __v = READ_ONCE(*(p)); barrier(); __v; })
#define smp_store_release(p, v)	do { barrier(); WRITE_ONCE(*(p), v); } while (0)

/* As in the kernel, the message is optional. */
#undef static_assert
#define static_assert(expr, ...)	__static_assert(expr, ##__VA_ARGS__, #expr)
#define __static_assert(expr, msg, ...)	_Static_assert(expr, msg)
#define BUILD_BUG_ON(cond)		_Static_assert(!(cond), #cond)

#define U8_MAX		UINT8_MAX
#define U16_MAX		UINT16_MAX
#define U32_MAX		UINT32_MAX
#define S32_MAX		INT32_MAX
#define S32_MIN		INT32_MIN
#define U64_MAX		(~0ULL)
#define SZ_4K		4096
#define SZ_1M		0x100000
#define SZ_2G		0x80000000U

#define BITS_PER_LONG	(8 * (int)sizeof(long))
#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))

/* Return the position of the highest bit set, from 1; 0 if no bit is set. */
static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}
#define GENMASK(h, l)	((~0UL << (l)) & (~0UL >> (BITS_PER_LONG - 1 - (h))))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_up(x, y)		((((x) - 1) | ((typeof(x))(y) - 1)) + 1)
#define round_down(x, y)	((x) & ~((typeof(x))(y) - 1))
#define sizeof_field(t, f)	sizeof(((t *)0)->f)
#define offsetofend(t, f)	(offsetof(t, f) + sizeof_field(t, f))
#define container_of(p, t, m)	((t *)((char *)(p) - offsetof(t, m)))

#define swap(a, b)		do { typeof(a) __t = (a); (a) = (b); (b) = __t; } while (0)
#define DECLARE_FLEX_ARRAY(type, name)	struct { struct {} __empty_##name; type name[]; }

struct list_head {
	struct list_head *next, *prev;
};

#define min_t(t, a, b) ({ t __a = (a); t __b = (b); __a < __b ? __a : __b; })
#define max_t(t, a, b) ({ t __a = (a); t __b = (b); __a > __b ? __a : __b; })
#define min(a, b)	min_t(typeof(a), a, b)
#define max(a, b)	max_t(typeof(a), a, b)

#define cpu_to_be16	htobe16
#define cpu_to_be32	htobe32
#define cpu_to_be64	htobe64
#define cpu_to_le16	htole16
#define cpu_to_le32	htole32
#define cpu_to_le64	htole64
#define be16_to_cpu	be16toh
#define be32_to_cpu	be32toh
#define be64_to_cpu	be64toh
#define le16_to_cpu	le16toh
#define le32_to_cpu	le32toh
#define le64_to_cpu	le64toh

#define SHIM_UNALIGNED(bits, end) \
static inline u##bits get_unaligned_##end##bits(const void *p) \
{ \
	u##bits v; \
\
	memcpy(&v, p, sizeof(v)); \
	return end##bits##toh(v); \
} \
\
static inline void put_unaligned_##end##bits(u##bits v, void *p) \
{ \
	v = hto##end##bits(v); \
	memcpy(p, &v, sizeof(v)); \
}

SHIM_UNALIGNED(16, be)
SHIM_UNALIGNED(32, be)
SHIM_UNALIGNED(64, be)
SHIM_UNALIGNED(16, le)
SHIM_UNALIGNED(32, le)
SHIM_UNALIGNED(64, le)

/* For tests: allocate exactly this size, so that ASan detects any access past its end. */
#define GFP_KERNEL		0
#define kmalloc(size, gfp)	((void)(gfp), malloc(size))
#define kzalloc(size, gfp)	((void)(gfp), calloc(1, size))
#define kfree(p)		free(p)

#endif /* SRNIC_HOST_SHIM_H */
