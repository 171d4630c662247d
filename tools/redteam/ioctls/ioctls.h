/* SPDX-License-Identifier: GPL-2.0 */
/*
 * srnic-ioctls - a fuzzer of the commands of uverbs, and of the rings that they make.
 *
 *	calls.c		the grammar: what can be asked of the kernel
 *	sense.c		what the fields of some calls have to do with each other
 *	keys.c		what srnic's own methods are told: seals, trees, grants
 *	spoil.c		what is done to a call so that it makes no sense
 *	fire.c		a call becomes a system call
 *	world.c		what there is: files, objects, memory
 *	scribble.c	what is written into rings
 *	packets.c	what comes over the wire meanwhile
 *	events.c	what is read of completion channels, and that they are closed
 *	main.c		who calls, for how long, and what came of it
 */
#ifndef IOCTLS_H
#define IOCTLS_H

#include <pthread.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

#include "chance.h"
#include "srnic-abi.h"
#include "srnic-ioctl.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

enum kind {
	NOTHING,
	PD, CQ, QP, SRQ, AH, MR, MW,
	CHANNEL, EVENTS,	/* by file descriptor, each process has its own */
	KINDS,
};

/* what a good value of a field is; in brackets what its argument means */
enum value {
	FIXED,		/* [the value] */
	UP_TO,		/* 0 and more [the most] */
	SIZE,		/* 1 and more [the most] */
	BITS,		/* any of the bits [which] */
	HANDLE,		/* of an object [kind] */
	VICTIM,		/* the same, of one that others need less */
	NEW,		/* attribute: the handle comes back [kind] */
	OUT,		/* attribute: the answer comes back */
	START, LENGTH,	/* of memory */
	CAP,		/* struct ib_uverbs_qp_cap */
	TYPE,		/* of a queue pair that srnic has */
	GROUP,		/* address of multicast */
	ROUTE,		/* struct ib_uverbs_ah_attr */
	TRACK,		/* a descriptor of a completion channel, or -1 */
	SEAL,		/* struct srnic_ioctl_seal */
	TREE,		/* struct srnic_ioctl_tree */
	GRANT,		/* struct srnic_ioctl_grant */
};

struct field {
	uint16_t at;		/* offset in the command; number of the attribute */
	uint16_t size;		/* bytes; 0: an attribute that is a handle */
	uint8_t value;
	bool optional;		/* an attribute that may be left out */
	uint64_t arg;
};

enum way {
	COMMAND,	/* by write(), or by the method that takes one */
	EXTENDED,
	METHOD,
	OTHER,		/* no command: @run does it */
};

struct caller;
struct shot;

struct call {
	const char *name;
	enum way way;
	uint16_t object;	/* of a method */
	uint16_t number;	/* of a command or method */
	uint16_t in, out;	/* bytes of a command and its answer */
	uint16_t drv_in, drv_out;	/* and of srnic's parts behind them */
	bool absent;		/* srnic has no such thing: never granted */
	bool apart;		/* made where main says so, and nowhere else */
	uint8_t weight;		/* how often beside others; 0: as most */
	uint8_t makes, ends;	/* kind of object */
	uint8_t nfields;
	const struct field *fields;
	void (*sense)(struct shot *shot);
	void (*note)(struct shot *shot);	/* granted: what is now known of its object */
	int (*run)(struct shot *shot);	/* returns 0 or an errno */
};

extern const struct call calls[];
extern const size_t ncalls;

const struct call *call_named(const char *name);
const struct call *call_that_ends(struct caller *caller, enum kind kind);

/* What is known of an object: a hint, for others may have changed or ended it. */
struct object {
	atomic_uint handle;	/* and one more; 0: there is none */
	uint32_t number;	/* of a queue pair or address handle; the key */
	uint64_t start;		/* of a region */
	uint32_t length;
	uint8_t type, state;	/* of a queue pair */
	uint8_t groups;		/* that it has joined: bits of load_group()'s numbers */
	uint32_t grant;		/* R_Key of the last that it was given; of a region: it has keys */
};

/* enum ib_qp_type */
enum { RC = 2, UC = 3, UD = 4 };

/* enum ib_qp_state */
enum { RESET, INIT, RTR, RTS, SQD, SQE, ERR };

#define STATE_UNKNOWN	ERR	/* most likely; RESET comes next */

#define SLOTS		16	/* objects of a kind that are remembered of a file */

/* An open device: private to a process, or shared by all. */
struct file {
	pthread_mutex_t opening;	/* held by who does; for threads of one process */
	int fd;
	pid_t owner;		/* who has opened it: nobody else may use write() */
	struct object objects[CHANNEL][SLOTS];
};

#define PRIVATE_FILES	2	/* of a process */
#define ERRNOS		134

struct tally {
	atomic_ulong granted, refused;
	atomic_ulong errors[ERRNOS];	/* of the refused, by errno */
};

/* In memory that all processes share. */
struct world {
	struct file shared;
	atomic_ulong packets;	/* that were sent */
	atomic_ulong ended[32];	/* completions that were seen, by enum ib_wc_status */
	struct tally tallies[];	/* by call */
};

extern struct world *world;

#define LEDGE		4096
#define SPILL		(2 << 19)

/* A thread that calls. */
struct caller {
	struct chance chance;
	int fd;			/* of a file that it is about to open; else -1 */
	uint8_t *ledge;		/* LEDGE bytes, behind which there is nothing */
	uint8_t *spill;		/* SPILL bytes: all that two half-words count in 8 bytes */
};

#define FIELDS		16	/* the most that a call has */
#define FIELD_SIZE	256

/* Where something is that the kernel reads or writes. */
enum place {
	GOOD,
	EDGE,	/* only the first part is */
	ODD,	/* not there, not ours, read-only */
};

/* A call with all that belongs to it, on its way. */
struct shot {
	const struct call *call;
	struct caller *caller;
	struct file *file;
	struct object *object;	/* the one that it is mainly about, if any */
	uint8_t state;		/* that it will then have */
	uint8_t type;		/* of a queue pair that it makes */
	bool onward;		/* @object is given, and to come nearer to RTS */
	bool bare;		/* by write() */
	uint32_t in_len, out_len, drv_in_len, drv_out_len;	/* that the kernel is told */
	uint32_t nattrs;
	struct ib_uverbs_attr attrs[FIELDS + 4];
	uint64_t in[64];	/* command, and the driver's part behind it */
	uint64_t out[96];	/* the same of the answer */
	uint64_t data[FIELDS][FIELD_SIZE / 8];	/* of attributes */
	/* what is wrong with it */
	bool bad_header, bad_value, bad_form;
	enum place in_place, out_place;
};

/* world.c */
void world_make(const char *device, size_t ncalls);
void process_begin(void);
void caller_begin(struct caller *caller, uint64_t seed);
void caller_end(struct caller *caller);
bool device_open(struct caller *caller, struct file *file);
void device_show(struct caller *caller, struct file *file);
void device_close(struct file *file);
struct file *file_any(struct caller *caller);
struct file *file_own(size_t which);
struct object *object_any(struct caller *caller, struct file *file, enum kind kind);
struct object *object_fit(struct shot *shot, enum kind kind,
			  bool (*fits)(const struct shot *shot, const struct object *object));
struct object *object_victim(struct caller *caller, struct file *file, enum kind kind);
struct object *object_free(struct file *file, enum kind kind);
bool objects_abound(struct file *file, enum kind kind);
uint64_t memory_start(struct caller *caller);
uint64_t memory_odd(struct caller *caller);
uint8_t address_of_own(uint8_t gid[16]);

/* sense.c */
void sense_reg_mr(struct shot *shot);
void sense_rereg_mr(struct shot *shot);
void sense_create_qp(struct shot *shot);
void sense_modify_qp(struct shot *shot);
int qp_bring_up(struct shot *shot);
void note_modify_qp(struct shot *shot);
void sense_mcast(struct shot *shot);
void note_mcast(struct shot *shot);
void sense_modify_srq(struct shot *shot);
void sense_post_send(struct shot *shot);

/* keys.c */
void load_seal(struct caller *caller, struct srnic_ioctl_seal *seal);
void load_tree(struct caller *caller, struct srnic_ioctl_tree *tree);
void load_grant(struct caller *caller, struct file *file, struct srnic_ioctl_grant *grant);
void sense_seal(struct shot *shot);
void note_use_grant(struct shot *shot);
void sense_drop_grants(struct shot *shot);
void note_protect(struct shot *shot);
void sense_grant(struct shot *shot);

/* fire.c */
void *field_place(struct shot *shot, size_t i);
void shot_load(struct shot *shot, struct caller *caller, struct file *file,
	       const struct call *call);
void shot_form(struct shot *shot);
int shot_fire(struct shot *shot);
int call_count(const struct call *call, int err);
int call_onward(struct caller *caller, struct file *file, const struct call *call,
		struct object *qp);
int call_make(struct caller *caller, struct file *file, const struct call *call, bool spoilt);

/* spoil.c */
void spoil_values(struct shot *shot);
void spoil_form(struct shot *shot);
void spoil_header(struct caller *caller, void *header, size_t size);

/* scribble.c */
void rings_forget(void);
void rings_note(struct shot *shot, uint32_t handle);
int ring_map(struct shot *shot);
int ring_scribble(struct shot *shot);

/* packets.c */
int packets_send(struct shot *shot);

/* events.c */
int events_read(struct shot *shot);
int channel_close(struct shot *shot);

#endif
