// SPDX-License-Identifier: GPL-2.0
/*
 * The known world: files that have the device open, their objects, and memory to register.
 * Lookups return what existed a moment ago. Another thread may be about to end it; this race
 * is intended.
 */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ioctls.h"

#define PAGE		4096UL
#define ARENA		(1UL << 20)
/* At the same address in each process, so that registrations of one are valid in all. */
#define ARENA_AT	0x100000000000UL
#define HOLE_AT		(ARENA_AT + ARENA)	/* an inaccessible page */
#define READ_ONLY_AT	(HOLE_AT + PAGE)	/* 16 read-only pages */

struct world *world;

static char device_path[64];
static uint8_t own_gid[16], own_gid_index;
static struct file own_files[PRIVATE_FILES];
/* Descriptors are valid in this process only. By file: the shared one comes first. */
static struct object descriptors[1 + PRIVATE_FILES][KINDS - CHANNEL][SLOTS];

static void *map_at(uint64_t at, size_t size, int prot, int flags)
{
	void *got = mmap((void *)(uintptr_t)at, size, prot,
			 flags | MAP_ANONYMOUS | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);

	if (got == MAP_FAILED)
		err(2, "mmap");
	return got;
}

/* Read the first word of a file; "" if there is none */
static void read_word(const char *path, char word[64])
{
	FILE *f = fopen(path, "r");

	word[0] = '\0';
	if (!f)
		return;
	if (fscanf(f, "%63s", word) != 1)
		word[0] = '\0';
	fclose(f);
}

static void find_device(const char *name)
{
	char path[128], word[64];

	for (int i = 0; i < 64; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband_verbs/uverbs%d/ibdev", i);
		read_word(path, word);
		if (strcmp(word, name))
			continue;
		snprintf(device_path, sizeof(device_path), "/dev/infiniband/uverbs%d", i);
		return;
	}
	errx(2, "no device %s", name);
}

/* Find the first GID made of an IPv4 address: all of srnic's GIDs are for RoCEv2 */
static void find_address(const char *name)
{
	const char *mapped = "0000:0000:0000:0000:0000:ffff";
	char path[128], word[64];

	for (int i = 0; i < 16; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/%d", name, i);
		read_word(path, word);
		if (strncmp(word, mapped, strlen(mapped)))
			continue;
		inet_pton(AF_INET6, word, own_gid);
		own_gid_index = i;
		return;
	}
	errx(2, "%s has no IPv4 address", name);
}

/*
 * A buffer of another driver, by the same descriptor in each process. udmabuf makes the table
 * of its pages at the first begin_cpu_access(), without a lock (Linux 6.12): of two that come
 * at once it leaks one. It is made here, where one process is.
 */
static void make_dmabuf(void)
{
	struct dma_buf_sync first = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW };
	struct dma_buf_sync last = { .flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW };
	struct udmabuf_create create = {
		.memfd = memfd_create("dma-buf", MFD_ALLOW_SEALING), .size = DMABUF_LENGTH,
	};
	int driver = open("/dev/udmabuf", O_RDWR), fd;

	if (driver < 0)
		err(2, "/dev/udmabuf");
	if (ftruncate(create.memfd, create.size) ||
	    fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		err(2, "memfd");
	fd = ioctl(driver, UDMABUF_CREATE, &create);
	if (fd < 0 || dup2(fd, DMABUF_FD) < 0)
		err(2, "UDMABUF_CREATE");
	if (ioctl(fd, DMA_BUF_IOCTL_SYNC, &first) || ioctl(fd, DMA_BUF_IOCTL_SYNC, &last))
		err(2, "DMA_BUF_IOCTL_SYNC");
	close(fd);
	close(create.memfd);
	close(driver);
}

/**
 * world_make() - Create the shared state, before any process is forked
 * @device: its name
 * @n: number of calls to count
 */
void world_make(const char *device, size_t n)
{
	find_device(device);
	find_address(device);
	world = map_at(0, sizeof(*world) + n * sizeof(world->tallies[0]),
		       PROT_READ | PROT_WRITE, MAP_SHARED);
	world->shared.fd = -1;
	map_at(ARENA_AT, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	map_at(HOLE_AT, PAGE, PROT_NONE, MAP_PRIVATE);
	map_at(READ_ONLY_AT, 16 * PAGE, PROT_READ, MAP_PRIVATE);
	make_dmabuf();
}

/* Initialize a process: it has the shared file, and none of its own */
void process_begin(void)
{
	rings_forget();
	memset(descriptors, 0, sizeof(descriptors));
	for (int i = 0; i < PRIVATE_FILES; i++)
		own_files[i] = (struct file){ .opening = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };
}

void caller_begin(struct caller *caller, uint64_t seed)
{
	chance_seed(&caller->chance, seed);
	caller->fd = -1;
	caller->spill = map_at(0, SPILL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE);
	caller->ledge = map_at(0, LEDGE + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	if (mprotect(caller->ledge + LEDGE, PAGE, PROT_NONE))
		err(2, "mprotect");
}

void caller_end(struct caller *caller)
{
	munmap(caller->spill, SPILL);
	munmap(caller->ledge, LEDGE + PAGE);
}

static struct object *objects_of(struct file *file, enum kind kind)
{
	size_t which = file == &world->shared ? 0 : 1 + file - own_files;

	if (kind < CHANNEL)
		return file->objects[kind];
	return descriptors[which][kind - CHANNEL];
}

/* Open a file, visible to the caller only until device_show() */
bool device_open(struct caller *caller, struct file *file)
{
	caller->fd = open(device_path, O_RDWR | O_CLOEXEC);
	file->owner = getpid();
	for (enum kind kind = PD; kind < KINDS; kind++)
		memset(objects_of(file, kind), 0, SLOTS * sizeof(struct object));
	return caller->fd >= 0;
}

void device_show(struct caller *caller, struct file *file)
{
	file->fd = caller->fd;
	caller->fd = -1;
}

/* Close a file with all of its objects; other threads may be in the middle of calls */
void device_close(struct file *file)
{
	int fd = file->fd;

	file->fd = -1;
	if (fd >= 0)
		close(fd);
	for (int i = 0; i < 2 * SLOTS; i++) {
		struct object *object = &objects_of(file, CHANNEL + i / SLOTS)[i % SLOTS];
		unsigned int handle = atomic_exchange(&object->handle, 0);

		if (handle)
			close(handle - 1);
	}
}

struct file *file_own(size_t which)
{
	return &own_files[which];
}

struct file *file_any(struct caller *caller)
{
	if (chance_one_in(&caller->chance, 3))
		return &world->shared;
	return file_own(chance_below(&caller->chance, PRIVATE_FILES));
}

/* Return an existing object, searching from slot @from on */
static struct object *object_from(struct file *file, enum kind kind, uint32_t from)
{
	struct object *objects = objects_of(file, kind);

	for (uint32_t i = 0; i < SLOTS; i++) {
		struct object *object = &objects[(from + i) % SLOTS];

		if (atomic_load(&object->handle))
			return object;
	}
	return NULL;
}

/* Return an object to use: mostly one of the first, so that the others can be ended */
struct object *object_any(struct caller *caller, struct file *file, enum kind kind)
{
	uint32_t from = chance_below(&caller->chance, 1 + chance_below(&caller->chance, SLOTS));

	return object_from(file, kind, chance_one_in(&caller->chance, 8) ? from : from / 8);
}

/* Return an object that fits, or any */
struct object *object_fit(struct shot *shot, enum kind kind,
			  bool (*fits)(const struct shot *shot, const struct object *object))
{
	struct object *objects = objects_of(shot->file, kind);
	uint32_t from = chance_below(&shot->caller->chance, SLOTS);

	for (uint32_t i = 0; i < SLOTS; i++) {
		struct object *object = &objects[(from + i) % SLOTS];

		if (atomic_load(&object->handle) && fits(shot, object))
			return object;
	}
	return object_any(shot->caller, shot->file, kind);
}

/* Return an object to end: none of the first, which other calls need */
struct object *object_victim(struct caller *caller, struct file *file, enum kind kind)
{
	return object_from(file, kind, 2 + chance_below(&caller->chance, SLOTS - 2));
}

/* Return a slot for a new object; NULL: all are in use */
struct object *object_free(struct file *file, enum kind kind)
{
	struct object *objects = objects_of(file, kind);

	for (int i = 0; i < SLOTS; i++)
		if (!atomic_load(&objects[i].handle))
			return &objects[i];
	return NULL;
}

bool objects_abound(struct file *file, enum kind kind)
{
	struct object *objects = objects_of(file, kind);
	int n = 0;

	for (int i = 0; i < SLOTS; i++)
		n += !!atomic_load(&objects[i].handle);
	return n > SLOTS * 3 / 4;
}

/* Return the start of memory to register: a page, or an address within one */
uint64_t memory_start(struct caller *caller)
{
	uint64_t start = ARENA_AT + chance_below(&caller->chance, ARENA / PAGE / 2) * PAGE;

	if (chance_one_in(&caller->chance, 3))
		start += chance_below(&caller->chance, PAGE);
	return start;
}

/* Return an address that the kernel cannot use as intended */
uint64_t memory_odd(struct caller *caller)
{
	const uint64_t odd[] = {
		0, 1, PAGE - 1, HOLE_AT, HOLE_AT - 3, READ_ONLY_AT, READ_ONLY_AT + 5,
		0x7ffffffff000, 0x7fffffffffff, 0x800000000000, 0xffff800000000000,
		0xffff888000000000, 0xffffffff81000000, ~0ULL, ~0ULL - 7,
		(uintptr_t)caller->ledge + LEDGE - chance_below(&caller->chance, 64),
	};

	return odd[chance_below(&caller->chance, ARRAY_SIZE(odd))];
}

/* Set @gid to the device's own; return its index */
uint8_t address_of_own(uint8_t gid[16])
{
	memcpy(gid, own_gid, sizeof(own_gid));
	return own_gid_index;
}
