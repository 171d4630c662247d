/* SPDX-License-Identifier: GPL-2.0 */
/*
 * srnic-ioctls - a fuzzer of uverbs commands, and of the rings that they create.
 *
 *	calls.c		the grammar: all calls to the kernel
 *	sense.c		constraints between the fields of some calls
 *	keys.c		arguments of srnic's own methods: seals, trees, grants
 *	spoil.c		ways to make a call invalid
 *	fire.c		turns a call into a system call
 *	world.c		known files, objects and memory
 *	scribble.c	writes into rings
 *	packets.c	sends packets meanwhile
 *	events.c	reads and closes completion channels
 *	main.c		processes, duration and results
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

#define GROUPS		4	/* more than load_group()'s numbers */
#define GROUP_LIDS	2

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* A buffer of another driver, and the descriptor of its file in each process */
#define DMABUF_FD	60
#define DMABUF_LENGTH	65536

enum kind {
	NOTHING,
	PD, CQ, QP, SRQ, AH, MR, MW, DM, XRCD,
	CHANNEL, EVENTS,	/* file descriptors; each process has its own */
	KINDS,
};

/* The valid values of a field; in brackets the meaning of its argument */
enum value {
	FIXED,		/* [the value] */
	UP_TO,		/* 0 to the argument [maximum] */
	SIZE,		/* 1 to the argument [maximum] */
	BITS,		/* any of the bits [mask] */
	HANDLE,		/* of an object [kind] */
	VICTIM,		/* of an object that is less needed by other calls [kind] */
	NEW,		/* attribute: returns the handle [kind] */
	OUT,		/* attribute: returns the answer */
	START, LENGTH,	/* of memory */
	CAP,		/* struct ib_uverbs_qp_cap */
	TYPE,		/* of a queue pair, supported by srnic */
	GROUP,		/* multicast address */
	ROUTE,		/* struct ib_uverbs_ah_attr */
	TRACK,		/* descriptor of a completion channel, or -1 */
	SEAL,		/* struct srnic_ioctl_seal */
	TREE,		/* struct srnic_ioctl_tree */
	GRANT,		/* struct srnic_ioctl_grant */
	PART,		/* struct ib_uverbs_sge: of a region */
};

struct field {
	uint16_t at;		/* offset in the command; id of the attribute */
	uint16_t size;		/* in bytes; 0: the attribute is a handle */
	uint8_t value;
	bool optional;		/* the attribute may be omitted */
	uint64_t arg;
};

enum way {
	COMMAND,	/* by write(), or by the method that takes commands */
	EXTENDED,
	METHOD,
	OTHER,		/* not a command: @run does it */
};

struct caller;
struct shot;

struct call {
	const char *name;
	enum way way;
	uint16_t object;	/* of the method */
	uint16_t number;	/* id of the command or method */
	uint16_t in, out;	/* size of a command and its answer, in bytes */
	uint16_t drv_in, drv_out;	/* size of srnic's parts after them */
	bool absent;		/* not supported by srnic: must never be granted */
	bool apart;		/* called only explicitly, by main.c */
	uint8_t weight;		/* relative frequency; 0: the default */
	uint8_t makes, ends;	/* kinds of objects */
	uint8_t nfields;
	const struct field *fields;
	void (*sense)(struct shot *shot);
	void (*note)(struct shot *shot);	/* after success: update @object */
	int (*run)(struct shot *shot);	/* returns 0 or an errno value */
};

extern const struct call calls[];
extern const size_t ncalls;

const struct call *call_named(const char *name);
const struct call *call_that_ends(struct caller *caller, enum kind kind);

/* The last known state of an object; other threads may have changed or ended the object. */
struct object {
	atomic_uint handle;	/* handle + 1; 0: no object */
	uint32_t number;	/* QPN, AH or SRQ number, or key */
	uint64_t start;		/* of the region */
	uint32_t length;
	uint8_t type, state;	/* of the queue pair */
	uint16_t groups;	/* joined groups, as bits of load_group()'s numbers and the LID */
	uint32_t grant;		/* R_Key of its last grant; region: set if protected */
};

/* enum ib_qp_type */
enum { RC = 2, UC = 3, UD = 4, XRC_INI = 9, XRC_TGT = 10 };

/* enum ib_qp_state */
enum { RESET, INIT, RTR, RTS, SQD, SQE, ERR };

#define STATE_UNKNOWN	ERR	/* most likely; RESET follows */

#define SLOTS		16	/* objects remembered per kind and file */

/* An open device: private to a process, or shared by all processes. */
struct file {
	pthread_mutex_t opening;	/* held while reopening; for threads of one process */
	int fd;
	pid_t owner;		/* the opener: only it may use write() */
	struct object objects[CHANNEL][SLOTS];
};

#define PRIVATE_FILES	2	/* per process */
#define ERRNOS		134

struct tally {
	atomic_ulong granted, refused;
	atomic_ulong errors[ERRNOS];	/* number of refused calls, by errno value */
};

/* Memory shared by all processes. */
struct world {
	struct file shared;
	atomic_ulong packets;	/* number of sent packets */
	atomic_ulong ended[32];	/* number of completions, by enum ib_wc_status */
	struct tally tallies[];	/* by call */
};

extern struct world *world;

#define LEDGE		4096
#define SPILL		(2 << 19)

/* A calling thread. */
struct caller {
	struct chance chance;
	int fd;			/* of the file that it is opening; otherwise -1 */
	uint8_t *ledge;		/* LEDGE bytes, followed by an unmapped page */
	uint8_t *spill;		/* SPILL bytes: as many as two half-words can count, by 8 */
};

#define FIELDS		16	/* maximum of all calls */
#define FIELD_SIZE	256

/* Location of memory that the kernel reads or writes. */
enum place {
	GOOD,
	EDGE,	/* only the first part is mapped */
	ODD,	/* unmapped, inaccessible or read-only */
};

/* A call being prepared. */
struct shot {
	const struct call *call;
	struct caller *caller;
	struct file *file;
	struct object *object;	/* the main object of the call, if any */
	uint8_t state;		/* the object's state after success */
	uint8_t type;		/* of the new queue pair */
	bool onward;		/* @object is given and to be brought closer to RTS */
	bool bare;		/* use write() */
	uint32_t in_len, out_len, drv_in_len, drv_out_len;	/* lengths passed to the kernel */
	uint32_t nattrs;
	struct ib_uverbs_attr attrs[FIELDS + 4];
	uint64_t in[64];	/* command, then the driver's part */
	uint64_t out[96];	/* answer, then the driver's part */
	uint64_t data[FIELDS][FIELD_SIZE / 8];	/* values of attributes */
	/* faults of the call */
	bool bad_header, bad_value, bad_form;
	enum place in_place, out_place;
};

/* scribble.c */
struct ib_uverbs_sge;
void load_part(struct caller *caller, struct file *file, struct ib_uverbs_sge *part);

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
void sense_initiator(struct shot *shot);
void sense_target(struct shot *shot);
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
