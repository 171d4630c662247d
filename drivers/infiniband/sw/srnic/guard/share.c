// SPDX-License-Identifier: GPL-2.0
/*
 * Fair sharing of a receive queue among several streams (RFC 5042 6.4.3.1,
 * R20).
 *
 * As long as the queue does not run empty, each stream takes what it needs.
 * Takings are counted in rounds of as many entries as the queue can hold; each
 * stream that asks in a round may take an equal part of it, its quantum. A stream
 * that finds the queue empty before it has taken its quantum is owed the rest.
 * From then on, a stream that has taken its quantum gets only entries that are
 * owed to no other stream.
 *
 * A round ends when as many entries as the queue can hold have been taken and
 * none is owed any more, or when the owed streams do not return in time (a
 * denied stream retries after the RNR delay, which is known). Entries are thus
 * set aside only for a short time, and a queue that never runs empty is not
 * divided.
 *
 * A busy QP that is denied entries may run out of RNR retries. If all streams trust
 * each other, the limit 'greed' turns the denial off; takings are still
 * counted.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include "export.h"
#include "guard/guard.h"

static void share_next_round(struct srnic_share *share)
{
	share->round++;
	share->taken = 0;
	share->owed = 0;
	share->prev_streams = share->streams;
	share->streams = 0;
}

static bool share_round_over(const struct srnic_share *share, u32 capacity, unsigned long now)
{
	return share->owed ? time_after(now, share->owed_deadline) : share->taken >= capacity;
}

static void share_join(struct srnic_share *share, struct srnic_stream *stream)
{
	if (stream->round == share->round)
		return;
	stream->round = share->round;
	stream->taken = 0;
	stream->owed = 0;
	share->streams++;
}

/* Streams of the previous round count, too: they may still ask. */
static u32 share_quantum(const struct srnic_share *share, u32 capacity)
{
	return max(capacity / max(share->streams, share->prev_streams), 1U);
}

static void share_owe(struct srnic_share *share, struct srnic_stream *stream, u32 quantum)
{
	if (stream->taken + stream->owed >= quantum)
		return;
	share->owed += quantum - stream->taken - stream->owed;
	stream->owed = quantum - stream->taken;
}

/* As long as one owed stream returns, the others may return, too. */
static void share_extend(struct srnic_share *share, const struct srnic_stream *stream,
			 unsigned long until)
{
	if (stream->owed)
		share->owed_deadline = until;
}

/**
 * srnic_share_init() - Initialise the sharing state of a queue
 * @share: state of the queue
 */
void srnic_share_init(struct srnic_share *share)
{
	*share = (struct srnic_share){};
	/* round 0 is never used: a zeroed stream belongs to no round */
	share_next_round(share);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_share_init);

/**
 * srnic_share_ask() - Decide whether a stream may take an entry
 * @share: state of the queue
 * @stream: the stream that asks; zeroed at creation
 * @queue: entries in the queue, and how long to wait for a denied stream
 * @now: jiffies
 *
 * Context: any; callers serialise per queue.
 * Return: SRNIC_SHARE_TAKE, or the reason for the refusal.
 */
enum srnic_share_answer srnic_share_ask(struct srnic_share *share, struct srnic_stream *stream,
					const struct srnic_share_queue *queue, unsigned long now)
{
	u32 quantum;

	if (share_round_over(share, queue->capacity, now))
		share_next_round(share);
	share_join(share, stream);
	quantum = share_quantum(share, queue->capacity);

	if (!queue->avail)
		share_owe(share, stream, quantum);
	share_extend(share, stream, now + queue->retry_time);
	if (!queue->avail)
		return SRNIC_SHARE_EMPTY;
	if (queue->greed)
		return SRNIC_SHARE_TAKE;
	if (stream->taken < quantum || stream->owed || queue->avail > share->owed)
		return SRNIC_SHARE_TAKE;
	stream->denied++;
	return SRNIC_SHARE_UNFAIR;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_share_ask);

/**
 * srnic_share_forgotten() - Begin the account of a stream whose takings are not known any more
 * @share: state of the queue
 * @stream: the stream, zeroed
 * @capacity: capacity of the queue
 *
 * Until the next round, it gets only entries that are owed to no other stream.
 *
 * Context: any; callers serialise per queue.
 */
void srnic_share_forgotten(const struct srnic_share *share, struct srnic_stream *stream,
			   u32 capacity)
{
	stream->round = share->round;
	stream->taken = capacity;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_share_forgotten);

/**
 * srnic_share_took() - Record that a stream has taken an entry
 * @share: state of the queue
 * @stream: the stream, after srnic_share_ask() returned SRNIC_SHARE_TAKE
 *
 * Context: any; callers serialise per queue.
 */
void srnic_share_took(struct srnic_share *share, struct srnic_stream *stream)
{
	share->taken++;
	stream->taken++;
	stream->max_taken = max(stream->max_taken, stream->taken);
	if (!stream->owed)
		return;
	stream->owed--;
	share->owed--;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_share_took);
