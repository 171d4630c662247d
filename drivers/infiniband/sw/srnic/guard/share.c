// SPDX-License-Identifier: GPL-2.0
/*
 * Who may take from a receive queue that several streams share (RFC 5042 6.4.3.1, R20).
 *
 * While there is enough, everybody takes what he needs. Takings are counted in rounds of
 * as many as the queue has room for, and each stream that wants something in a round has
 * an equal part of it. Who comes to an empty queue before he has had his part is owed the
 * rest; and from then on who has had his gets only what nobody is owed.
 *
 * A round ends when nobody is owed anything any more, or when those who are do not come
 * back for it (a stream that was refused tries again after the RNR delay, which is known):
 * nothing lies unused for long, and a queue that is never empty is not shared out.
 *
 * A busy QP that is refused may run out of RNR retries. Where all streams trust each other,
 * the limit 'greed' turns the refusal off; takings are still counted.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include "../export.h"
#include "guard.h"

static void share_next_round(struct srnic_share *share)
{
	share->round++;
	share->taken = 0;
	share->owed = 0;
	share->before = share->streams;
	share->streams = 0;
}

static bool share_round_over(const struct srnic_share *share, u32 room, unsigned long now)
{
	return share->owed ? time_after(now, share->until) : share->taken >= room;
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

/* Those of the last round count, too: they may come yet. */
static u32 share_part(const struct srnic_share *share, u32 room)
{
	return max(room / max(share->streams, share->before), 1U);
}

static void share_owe(struct srnic_share *share, struct srnic_stream *stream, u32 part)
{
	if (stream->taken + stream->owed >= part)
		return;
	share->owed += part - stream->taken - stream->owed;
	stream->owed = part - stream->taken;
}

/* As long as one of those who are owed something comes, the others may come yet. */
static void share_wait(struct srnic_share *share, const struct srnic_stream *stream,
		       unsigned long until)
{
	if (stream->owed)
		share->until = until;
}

/**
 * srnic_share_init - nobody has taken anything yet
 * @share: of a queue
 */
void srnic_share_init(struct srnic_share *share)
{
	*share = (struct srnic_share){};
	/* a stream that was never here is in no round of it */
	share_next_round(share);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_share_init);

/**
 * srnic_share_ask - a stream wants to take one
 * @share: of the queue
 * @stream: who asks; zeroed when it is made
 * @queue: what there is, and for how long a stream that is refused is waited for
 * @now: jiffies
 *
 * Context: any; users of the queue serialise.
 * Return: whether it may, and if not, whose fault that is.
 */
enum srnic_share_answer srnic_share_ask(struct srnic_share *share, struct srnic_stream *stream,
					const struct srnic_share_queue *queue, unsigned long now)
{
	u32 part;

	if (share_round_over(share, queue->room, now))
		share_next_round(share);
	share_join(share, stream);
	part = share_part(share, queue->room);

	if (!queue->left)
		share_owe(share, stream, part);
	share_wait(share, stream, now + queue->patience);
	if (!queue->left)
		return SRNIC_SHARE_EMPTY;
	if (queue->greed)
		return SRNIC_SHARE_TAKE;
	if (stream->taken < part || stream->owed || queue->left > share->owed)
		return SRNIC_SHARE_TAKE;
	stream->refused++;
	return SRNIC_SHARE_UNFAIR;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_share_ask);

/**
 * srnic_share_took - and has done so
 * @share: of the queue
 * @stream: it asked just now, and might
 *
 * Context: any; users of the queue serialise.
 */
void srnic_share_took(struct srnic_share *share, struct srnic_stream *stream)
{
	share->taken++;
	stream->taken++;
	stream->most = max(stream->most, stream->taken);
	if (!stream->owed)
		return;
	stream->owed--;
	share->owed--;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_share_took);
