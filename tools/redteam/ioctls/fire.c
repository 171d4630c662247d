// SPDX-License-Identifier: GPL-2.0
/*
 * Turning a call into a system call. Commands are sent by write(), like old versions of
 * libibverbs, or by the method that takes commands, like current ones; the kernel's paths to
 * the handlers differ.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ioctls.h"

/* Return the location of a field's value; of an attribute, of what it points to or holds */
void *field_place(struct shot *shot, size_t i)
{
	if (shot->call->way == METHOD)
		return shot->data[i];
	return (uint8_t *)shot->in + shot->call->fields[i].at;
}

static void field_set(struct shot *shot, size_t i, uint64_t value)
{
	size_t size = shot->call->fields[i].size;

	memcpy(field_place(shot, i), &value, size && size < 8 ? size : 8);
}

static void load_cap(struct chance *chance, struct ib_uverbs_qp_cap *cap)
{
	cap->max_send_wr = chance_below(chance, 65);
	cap->max_recv_wr = chance_below(chance, 65);
	cap->max_send_sge = chance_below(chance, 9);
	cap->max_recv_sge = chance_below(chance, 9);
	cap->max_inline_data = chance_below(chance, 257);
}

/* Choose one of few groups, so that groups have several members: 239.77.0.x in mapped form */
static void load_group(struct chance *chance, uint8_t gid[16])
{
	memset(gid, 0, 16);
	gid[10] = 0xff;
	gid[11] = 0xff;
	gid[12] = 239;
	gid[13] = 77;
	gid[15] = 1 + chance_below(chance, 2);
}

static void load_route(struct chance *chance, struct ib_uverbs_ah_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->grh.sgid_index = address_of_own(attr->grh.dgid);
	attr->grh.hop_limit = 4;
	attr->is_global = 1;
	attr->port_num = 1;
	if (chance_one_in(chance, 4))
		load_group(chance, attr->grh.dgid);
}

static uint64_t number_for(struct shot *shot, const struct field *field)
{
	struct chance *chance = &shot->caller->chance;

	switch (field->value) {
	case UP_TO:
		return chance_below(chance, field->arg + 1);
	case SIZE:
		return 1 + chance_below(chance, field->arg);
	case BITS:
		return chance_any(chance) & field->arg;
	case START:
		return memory_start(shot->caller);
	case LENGTH:
		return 1 + chance_below(chance, chance_one_in(chance, 4) ? 0x40000 : 0x3000);
	case TYPE:	/* enum ib_qp_type: RC, UC, UD; half of them RC */
		return chance_one_in(chance, 2) ? RC : RC + chance_below(chance, 3);
	default:
		return field->arg;
	}
}

/* Return the handle of an existing object, or an unlikely one */
static uint64_t handle_for(struct shot *shot, const struct field *field)
{
	enum kind kind = field->value == TRACK ? CHANNEL : (enum kind)field->arg;
	struct caller *caller = shot->caller;
	struct object *object;

	if (shot->onward && shot->object)
		return atomic_load(&shot->object->handle) - 1;
	/* most queues have no channel */
	if (field->value == TRACK && !chance_one_in(&caller->chance, 3))
		return (uint32_t)-1;
	object = field->value == VICTIM ? object_victim(caller, shot->file, kind) :
					  object_any(caller, shot->file, kind);
	if (!object)
		return field->value == TRACK ? (uint32_t)-1 : 0xffff;
	if (!shot->object)
		shot->object = object;
	return atomic_load(&object->handle) - 1;
}

static void field_load(struct shot *shot, size_t i)
{
	const struct field *field = &shot->call->fields[i];
	struct chance *chance = &shot->caller->chance;
	void *place = field_place(shot, i);

	switch (field->value) {
	case HANDLE:
	case VICTIM:
	case TRACK:
		field_set(shot, i, handle_for(shot, field));
		break;
	case CAP:
		load_cap(chance, place);
		break;
	case GROUP:
		load_group(chance, place);
		break;
	case ROUTE:
		load_route(chance, place);
		break;
	case SEAL:
		load_seal(shot->caller, place);
		break;
	case TREE:
		load_tree(shot->caller, place);
		break;
	case GRANT:
		load_grant(shot->caller, shot->file, place);
		break;
	case PART:
		load_part(shot->caller, shot->file, place);
		break;
	case NEW:
	case OUT:
		break;
	default:
		if (field->size <= 8)
			field_set(shot, i, number_for(shot, field));
	}
}

static void load_attr(struct shot *shot, uint16_t id, uint16_t len, uint64_t data)
{
	shot->attrs[shot->nattrs++] = (struct ib_uverbs_attr){
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = data,
	};
}

static void field_to_attr(struct shot *shot, size_t i)
{
	const struct field *field = &shot->call->fields[i];
	bool holds = field->value != OUT && field->size <= 8;

	load_attr(shot, field->at, field->size,
		  holds ? shot->data[i][0] : (uintptr_t)shot->data[i]);
}

static void load_udata(struct shot *shot, void *in, void *out)
{
	if (shot->drv_in_len)
		load_attr(shot, UVERBS_ATTR_UHW_IN, shot->drv_in_len,
			  shot->drv_in_len > 8 ? (uintptr_t)in : *(uint64_t *)in);
	if (shot->drv_out_len)
		load_attr(shot, UVERBS_ATTR_UHW_OUT, shot->drv_out_len, (uintptr_t)out);
}

static void shot_clear(struct shot *shot, struct caller *caller, struct file *file,
		       const struct call *call)
{
	memset(shot, 0, sizeof(*shot));
	shot->call = call;
	shot->caller = caller;
	shot->file = file;
	shot->in_len = call->in;
	shot->out_len = call->out;
	shot->drv_in_len = call->drv_in;
	shot->drv_out_len = call->drv_out;
	/* uverbs lets only the opener use write(): ib_safe_file_access() */
	shot->bare = file->owner == getpid() && chance_one_in(&caller->chance, 2);
}

static void shot_fill(struct shot *shot)
{
	const struct call *call = shot->call;

	for (size_t i = 0; i < call->nfields; i++)
		field_load(shot, i);
	if (call->sense)
		call->sense(shot);
}

/**
 * shot_load() - Fill in a call that is valid as far as known
 * @shot: filled in
 * @caller: the thread, whose random numbers decide
 * @file: the file to call
 * @call: entry of the grammar
 */
void shot_load(struct shot *shot, struct caller *caller, struct file *file,
	       const struct call *call)
{
	shot_clear(shot, caller, file, call);
	shot_fill(shot);
}

/* Build the attributes from the final values */
void shot_form(struct shot *shot)
{
	const struct call *call = shot->call;

	if (call->way == METHOD) {
		for (size_t i = 0; i < call->nfields; i++)
			if (!call->fields[i].optional || chance_one_in(&shot->caller->chance, 2))
				field_to_attr(shot, i);
		load_udata(shot, shot->in, shot->out);
		return;
	}

	load_attr(shot, UVERBS_ATTR_WRITE_CMD, 8,
		  call->number | (call->way == EXTENDED ? IB_USER_VERBS_CMD_FLAG_EXTENDED : 0));
	if (shot->in_len)
		load_attr(shot, UVERBS_ATTR_CORE_IN, shot->in_len,
			  shot->in_len > 8 ? (uintptr_t)shot->in : shot->in[0]);
	if (shot->out_len)
		load_attr(shot, UVERBS_ATTR_CORE_OUT, shot->out_len, (uintptr_t)shot->out);
	load_udata(shot, (uint8_t *)shot->in + call->in, (uint8_t *)shot->out + call->out);
}

/* Return the address to pass to the kernel; at an edge, only the first bytes are mapped */
static void *placed(struct shot *shot, enum place place, void *what, size_t size)
{
	struct caller *caller = shot->caller;
	size_t there;

	switch (place) {
	case EDGE:
		there = size ? chance_below(&caller->chance, size) : 0;
		return memcpy(caller->ledge + LEDGE - there, what, there);
	case ODD:
		return (void *)(uintptr_t)memory_odd(caller);
	default:
		return what;
	}
}

/* During reopen(), only the opening thread knows the descriptor */
static int file_descriptor(const struct shot *shot)
{
	return shot->caller->fd >= 0 ? shot->caller->fd : shot->file->fd;
}

/* See reopen() in main.c */
static bool is_get_context(const struct ib_uverbs_ioctl_hdr *hdr)
{
	return hdr->object_id == UVERBS_OBJECT_DEVICE &&
	       hdr->method_id == UVERBS_METHOD_GET_CONTEXT;
}

static int fire_method(struct shot *shot)
{
	uint64_t cmd[(sizeof(struct ib_uverbs_ioctl_hdr) + sizeof(shot->attrs)) / 8] = {};
	struct ib_uverbs_ioctl_hdr *hdr = (void *)cmd;
	const struct call *call = shot->call;
	void *at;
	int err;

	hdr->length = sizeof(*hdr) + shot->nattrs * sizeof(hdr->attrs[0]);
	hdr->object_id = call->way == METHOD ? call->object : UVERBS_OBJECT_DEVICE;
	hdr->method_id = call->way == METHOD ? call->number : UVERBS_METHOD_INVOKE_WRITE;
	hdr->num_attrs = shot->nattrs;
	hdr->driver_id = SRNIC_DRIVER_ID;
	if (shot->bad_header)
		spoil_header(shot->caller, hdr, sizeof(*hdr));
	if (!call->apart && is_get_context(hdr))
		hdr->method_id = UVERBS_METHOD_QUERY_CONTEXT;
	memcpy(hdr->attrs, shot->attrs, sizeof(shot->attrs));
	at = placed(shot, shot->in_place, cmd, sizeof(cmd));
	err = ioctl(file_descriptor(shot), RDMA_VERBS_IOCTL, at) ? errno : 0;
	memcpy(shot->attrs, hdr->attrs, sizeof(shot->attrs));
	return err;
}

/* Write the header of a command; extended commands have a second one, in words of 8 bytes */
static size_t write_header(struct shot *shot, void *to, void *answer)
{
	const struct call *call = shot->call;
	bool extended = call->way == EXTENDED;
	uint32_t in = shot->in_len + shot->drv_in_len, out = shot->out_len + shot->drv_out_len;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
	} header = { .hdr.command = call->number };
	size_t size = extended ? sizeof(header) : sizeof(header.hdr);

	if (extended) {
		header.hdr.command |= IB_USER_VERBS_CMD_FLAG_EXTENDED;
		header.hdr.in_words = shot->in_len / 8;
		header.hdr.out_words = shot->out_len / 8;
		header.ex.provider_in_words = shot->drv_in_len / 8;
		header.ex.provider_out_words = shot->drv_out_len / 8;
		header.ex.response = out ? (uintptr_t)answer : 0;
	} else {
		header.hdr.in_words = (sizeof(header.hdr) + in) / 4;
		header.hdr.out_words = out / 4;
	}
	/* do not spoil the address of the answer: it could be any of our memory */
	if (shot->bad_header && extended && chance_one_in(&shot->caller->chance, 2))
		spoil_header(shot->caller, &header.ex.provider_in_words, 8);
	else if (shot->bad_header)
		spoil_header(shot->caller, &header.hdr, sizeof(header.hdr));
	memcpy(to, &header, size);
	return size;
}

/* Commands with an answer start with its address, except for extended ones */
static int fire_write(struct shot *shot)
{
	/* the kernel clears the part of the announced answer that it does not fill */
	void *out = shot->bad_header ? shot->caller->spill : (void *)shot->out;
	void *answer = placed(shot, shot->out_place, out, sizeof(shot->out));
	uint8_t cmd[sizeof(shot->in) + 32];
	size_t size, in = shot->in_len + shot->drv_in_len;

	if (shot->call->way == COMMAND && shot->call->out)
		shot->in[0] = (uintptr_t)answer;
	size = write_header(shot, cmd, answer);
	if (in > sizeof(shot->in))
		in = sizeof(shot->in);
	memcpy(cmd + size, shot->in, in);
	size += in;
	if (write(file_descriptor(shot), placed(shot, shot->in_place, cmd, size), size) < 0)
		return errno;
	return 0;
}

static struct ib_uverbs_attr *attr_of(struct shot *shot, uint16_t id)
{
	for (uint32_t i = 0; i < shot->nattrs; i++)
		if (shot->attrs[i].attr_id == id)
			return &shot->attrs[i];
	return NULL;
}

/* Extract from a method's answer the new object's handle and, for a queue pair, its QPN */
static void learn_of_method(struct shot *shot, struct object *made, uint32_t *handle)
{
	for (size_t i = 0; i < shot->call->nfields; i++) {
		const struct field *field = &shot->call->fields[i];
		struct ib_uverbs_attr *attr = attr_of(shot, field->at);

		if (field->value == NEW && attr)
			*handle = attr->data;
		if (shot->call->makes == QP && field->at == UVERBS_ATTR_CREATE_QP_RESP_QP_NUM)
			made->number = shot->data[i][0];
	}
}

/* Answers to commands that make objects start with the handle; numbers and keys follow */
static void learn_of_command(struct shot *shot, struct object *made, uint32_t *handle)
{
	const uint32_t *answer = (void *)shot->out;
	const struct ib_uverbs_reg_mr *cmd = (void *)shot->in;

	*handle = answer[0];
	made->number = answer[shot->call->makes == SRQ ? 3 : 1];
	if (shot->call->makes == MR) {
		made->start = cmd->hca_va;
		made->length = cmd->length;
	}
}

static void learn_type(struct shot *shot, struct object *made)
{
	for (size_t i = 0; i < shot->call->nfields; i++)
		if (shot->call->fields[i].value == TYPE)
			memcpy(&shot->type, field_place(shot, i), 1);
	made->type = shot->type;
}

/* Record a new object; return its handle */
static uint32_t note_made(struct shot *shot)
{
	enum kind kind = shot->call->makes;
	struct object *slot = object_free(shot->file, kind), made = {};
	uint32_t handle = 0;

	if (shot->call->way == METHOD)
		learn_of_method(shot, &made, &handle);
	else
		learn_of_command(shot, &made, &handle);
	learn_type(shot, &made);
	if (!slot) {
		if (kind >= CHANNEL)
			close(handle);
		return handle;
	}
	slot->number = made.number;
	slot->start = made.start;
	slot->length = made.length;
	slot->type = made.type;
	slot->state = 0;
	slot->groups = 0;
	slot->grant = 0;
	atomic_store(&slot->handle, handle + 1);
	return handle;
}

static void note_granted(struct shot *shot)
{
	uint32_t handle = 0;

	/* misplaced or malformed calls do not tell what was made */
	if (shot->bad_form)
		return;
	if (shot->call->makes)
		handle = note_made(shot);
	else if (shot->object)
		handle = atomic_load(&shot->object->handle) - 1;
	if (shot->call->note && shot->object)
		shot->call->note(shot);
	rings_note(shot, handle);
}

/* Forget an object that this or another call has ended */
static void note_ended(struct shot *shot, int err)
{
	bool meant = !shot->bad_value && !shot->bad_form;

	if (shot->object && meant && (!err || err == ENOENT || err == EINVAL))
		atomic_store(&shot->object->handle, 0);
}

/* The queue pair is not in the assumed state: restart it from RESET */
static void note_astray(struct shot *shot)
{
	if (shot->object && !shot->bad_value && !shot->bad_form)
		shot->object->state = STATE_UNKNOWN;
}

/**
 * shot_fire() - Make the system call
 * @shot: loaded, and possibly spoilt
 *
 * Return: 0 or an errno value.
 */
int shot_fire(struct shot *shot)
{
	const struct call *call = shot->call;
	int err;

	if (call->run)
		return call->run(shot);
	err = call->way != METHOD && shot->bare ? fire_write(shot) : fire_method(shot);
	if (call->ends)
		note_ended(shot, err);
	else if (err == EINVAL && call->sense == sense_modify_qp)
		note_astray(shot);
	else if (!err)
		note_granted(shot);
	return err;
}

/* Count the result of a call. Return: @err */
int call_count(const struct call *call, int err)
{
	struct tally *tally = &world->tallies[call - calls];

	if (err)
		atomic_fetch_add(&tally->errors[err < ERRNOS ? err : 0], 1);
	atomic_fetch_add(err ? &tally->refused : &tally->granted, 1);
	return err;
}

/* Make and count a valid call that brings a queue pair closer to RTS */
int call_onward(struct caller *caller, struct file *file, const struct call *call,
		struct object *qp)
{
	struct shot shot;

	shot_clear(&shot, caller, file, call);
	shot.object = qp;
	shot.onward = true;
	shot_fill(&shot);
	shot_form(&shot);
	return call_count(call, shot_fire(&shot));
}

/**
 * call_make() - Load, spoil, fire and count a call
 * @caller: the thread, whose random numbers decide
 * @file: the file to call
 * @call: entry of the grammar
 * @spoilt: whether to make it invalid, in one way or several
 *
 * Return: 0 or an errno value.
 */
int call_make(struct caller *caller, struct file *file, const struct call *call, bool spoilt)
{
	struct shot shot;

	shot_load(&shot, caller, file, call);
	if (call->run)
		return call_count(call, shot_fire(&shot));
	if (spoilt)
		spoil_values(&shot);
	shot_form(&shot);
	if (spoilt)
		spoil_form(&shot);
	return call_count(call, shot_fire(&shot));
}
