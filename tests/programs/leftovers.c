// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-leftovers - search all of this machine's memory for keys.
 *
 *	srnic-leftovers WANTED
 *	srnic-leftovers --wipe PID
 *
 * WANTED has a key a line: a name, and its bytes in hexadecimal, each XORed
 * with 0xa5, so that the search itself does not put the keys into memory. The
 * program that computed the keys has copies: --wipe overwrites all memory that
 * this process can write, and kills it. The process must be stopped, and must
 * not have released memory before. A match is eight consecutive bytes, from a
 * multiple of eight on, of a key at any address, because the allocator may have
 * overwritten the rest of a freed key.
 *
 * Prints a line for each key that is found: its name, the number of matches,
 * and the first address. The last line is the number of matches. Needs root to
 * read /proc/kcore.
 *
 * Example:
 *	srnic-leftovers --wipe 4711 && srnic-leftovers /run/test/wanted
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MASK		0xa5
#define MASK_8		0xa5a5a5a5a5a5a5a5ULL
#define PIECE		8
#define KEYS_MOST	4096
#define PIECES_MOST	(8 * KEYS_MOST)
#define CHUNK		(1 << 20)
#define PAGE		4096
#define KERNEL_TEXT	0xffffffff80000000	/* x86-64: a second mapping of RAM */

struct key {
	char name[40];
	unsigned int found;
	uint64_t where;
};

struct piece {
	uint64_t masked;
	unsigned int key;
};

static struct key keys[KEYS_MOST];
static struct piece pieces[PIECES_MOST];
static unsigned int nr_keys, nr_pieces;
static uint64_t block_size;		/* of memory that can be taken out of use; 0: none */
static uint8_t maybe[1 << 16];		/* filter: whether a piece begins with these two bytes */
static uint8_t chunk[CHUNK + PIECE - 1];

static int compare(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->masked < y->masked ? -1 : x->masked > y->masked;
}

static void take_piece(const char *hex)
{
	uint8_t bytes[PIECE];
	struct piece *piece;
	int i;

	for (i = 0; i < PIECE; i++)
		if (sscanf(hex + 2 * i, "%2hhx", &bytes[i]) != 1)
			errx(2, "not hexadecimal: %s", hex);
	if (nr_pieces == PIECES_MOST)
		errx(2, "more than %d pieces of keys", PIECES_MOST);
	piece = &pieces[nr_pieces++];
	memcpy(&piece->masked, bytes, PIECE);
	piece->key = nr_keys;
	maybe[(piece->masked ^ MASK_8) & 0xffff] = 1;
}

static void read_wanted(const char *path)
{
	FILE *file = fopen(path, "r");
	char hex[256];
	size_t at;

	if (!file)
		err(2, "%s", path);
	while (nr_keys < KEYS_MOST && fscanf(file, "%39s %255s", keys[nr_keys].name, hex) == 2) {
		for (at = 0; at + 2 * PIECE <= strlen(hex); at += 2 * PIECE)
			take_piece(hex + at);
		nr_keys++;
	}
	if (!feof(file) || !nr_keys)
		errx(2, "%s: a name and a key a line, at most %d of them", path, KEYS_MOST);
	fclose(file);
	qsort(pieces, nr_pieces, sizeof(*pieces), compare);
}

static void compare_at(const uint8_t *p, uint64_t where)
{
	const struct piece *found;
	struct piece this = {};
	uint16_t first;

	memcpy(&first, p, sizeof(first));
	if (!maybe[first])
		return;
	memcpy(&this.masked, p, PIECE);
	this.masked ^= MASK_8;
	found = bsearch(&this, pieces, nr_pieces, sizeof(*pieces), compare);
	if (found && !keys[found->key].found++)
		keys[found->key].where = where;
}

static bool is_zero(const uint8_t *p)
{
	uint64_t words[2];

	memcpy(words, p, sizeof(words));
	return !(words[0] | words[1]);
}

/* Not by memcmp(): the emulator has no vectors. */
static bool is_zero_page(const uint8_t *p)
{
	uint64_t word, seen = 0;
	size_t i;

	for (i = 0; i < PAGE + PIECE && !seen; i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		seen |= word;
	}
	return !seen;
}

/*
 * Arrays of bytes in the kernel's structures are at any address. Most memory is zero: whole pages,
 * and parts of others.
 */
static void search(const uint8_t *p, size_t len, uint64_t where)
{
	size_t i = 0, j;

	for (; i + 2 * PIECE <= len; i += PIECE) {
		while (!(i % PAGE) && i + PAGE + PIECE <= len && is_zero_page(p + i))
			i += PAGE;
		if (i + 2 * PIECE > len)
			break;
		if (is_zero(p + i))
			continue;
		for (j = i; j < i + PIECE; j++)
			compare_at(p + j, where + j);
	}
	for (; i + PIECE <= len; i++)
		compare_at(p + i, where + i);
}

/* Return the first number of a file, or 0. */
static uint64_t number_in(const char *path)
{
	FILE *file = fopen(path, "r");
	uint64_t number = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%" SCNx64, &number) != 1)
		number = 0;
	fclose(file);
	return number;
}

/*
 * Return the size of the block of memory that begins there and is offline, or 0. It belongs to
 * nobody, and reads as zero.
 */
static uint64_t offline_at(uint64_t where)
{
	char path[64], state[16] = "";
	FILE *file;

	if (!block_size || where % block_size)
		return 0;
	snprintf(path, sizeof(path), "/sys/devices/system/memory/memory%" PRIu64 "/state",
		 where / block_size);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (!fgets(state, sizeof(state), file))
		*state = 0;
	fclose(file);
	return strncmp(state, "offline", 7) ? 0 : block_size;
}

static void search_chunk(int kcore, const Elf64_Phdr *ph, uint64_t at)
{
	size_t want = ph->p_filesz - at < sizeof(chunk) ? ph->p_filesz - at : sizeof(chunk);
	ssize_t got = pread(kcore, chunk, want, ph->p_offset + at);

	if (got < 0)
		err(2, "/proc/kcore: at %#" PRIx64, (uint64_t)ph->p_paddr + at);
	search(chunk, got, ph->p_paddr + at);
}

/* Chunks overlap, so that pieces across their boundary are found, once each. */
static uint64_t search_segment(int kcore, const Elf64_Phdr *ph)
{
	uint64_t at = 0, seen = 0, offline;

	while (at < ph->p_filesz) {
		offline = offline_at(ph->p_paddr + at);
		if (!offline) {
			search_chunk(kcore, ph, at);
			seen += CHUNK;
		}
		at += offline ? offline : CHUNK;
	}
	memset(chunk, 0, sizeof(chunk));
	return seen;
}

/*
 * Segments of RAM have a physical address; those of vmalloc and the like have
 * none.
 */
static uint64_t search_memory(void)
{
	int kcore = open("/proc/kcore", O_RDONLY);
	Elf64_Ehdr header;
	Elf64_Phdr ph;
	uint64_t seen = 0;
	int i;

	block_size = number_in("/sys/devices/system/memory/block_size_bytes");
	if (kcore < 0 || pread(kcore, &header, sizeof(header), 0) != sizeof(header))
		err(2, "/proc/kcore");
	for (i = 0; i < header.e_phnum; i++) {
		if (pread(kcore, &ph, sizeof(ph), header.e_phoff + i * sizeof(ph)) != sizeof(ph))
			err(2, "/proc/kcore");
		if (ph.p_type != PT_LOAD || ph.p_paddr == UINT64_MAX || ph.p_vaddr >= KERNEL_TEXT)
			continue;
		seen += search_segment(kcore, &ph);
	}
	close(kcore);
	return seen;
}

/*
 * Return the kind of page of a match (Documentation/admin-guide/mm/pagemap.rst)
 */
static const char *page_kind(uint64_t where)
{
	static const struct { unsigned int bit; const char *name; } kinds[] = {
		{ 10, "free" }, { 7, "slab" }, { 12, "anonymous" }, { 26, "page table" },
		{ 5, "lru" },
	};
	int fd = open("/proc/kpageflags", O_RDONLY);
	uint64_t flags = 0;
	unsigned int i;

	if (fd < 0 || pread(fd, &flags, sizeof(flags), where / 4096 * 8) != sizeof(flags))
		err(2, "/proc/kpageflags");
	close(fd);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (flags >> kinds[i].bit & 1)
			return kinds[i].name;
	return "kernel's own";
}

static void overwrite(int mem, uint64_t at, uint64_t end)
{
	ssize_t done;

	memset(chunk, MASK, sizeof(chunk));
	for (; at < end; at += done) {
		done = pwrite(mem, chunk, end - at < CHUNK ? end - at : CHUNK, at);
		if (done <= 0)
			err(2, "the process's memory at %#" PRIx64, at);
	}
}

static void wipe(const char *process)
{
	char path[64], line[512];
	uint64_t at, end;
	FILE *maps;
	int mem;

	snprintf(path, sizeof(path), "/proc/%s/mem", process);
	mem = open(path, O_RDWR);
	snprintf(path, sizeof(path), "/proc/%s/maps", process);
	maps = fopen(path, "r");
	if (mem < 0 || !maps)
		err(2, "process %s", process);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &at, &end) == 2 && strstr(line, " rw-p "))
			overwrite(mem, at, end);
	fclose(maps);
	close(mem);
	if (kill(atoi(process), SIGKILL))
		err(2, "process %s", process);
}

int main(int argc, char **argv)
{
	unsigned int i, finds = 0;
	uint64_t seen;

	if (argc == 3 && !strcmp(argv[1], "--wipe")) {
		wipe(argv[2]);
		return 0;
	}
	if (argc != 2 || *argv[1] == '-')
		errx(2, "usage: srnic-leftovers WANTED | --wipe PID");
	read_wanted(argv[1]);
	seen = search_memory();
	for (i = 0; i < nr_keys; i++) {
		finds += keys[i].found;
		if (keys[i].found)
			printf("  %s: %u, first at %#" PRIx64 " (%s)\n", keys[i].name,
			       keys[i].found, keys[i].where, page_kind(keys[i].where));
	}
	printf("%u keys in %" PRIu64 " MiB: %u finds\n", nr_keys, seen >> 20, finds);
	return 0;
}
