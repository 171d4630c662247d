// SPDX-License-Identifier: GPL-2.0
/*
 * Lives of this machine's memory (Documentation/protocol.md, section 7). The
 * snapshot of a virtual machine and the image of a hibernating one can be
 * continued more than once. Then counters and random numbers are repeated, and
 * a nonce would be used twice. So connections and salts belong to the life in which
 * they began, and nothing is sealed or opened by them in another.
 *
 * This file only numbers lives. main is notified of new ones; the engine ends
 * connections and draws new salts.
 */
#include <linux/spinlock.h>
#include "export.h"
#include "sth/sth.h"

static DEFINE_SPINLOCK(life_lock);	/* writers of all below */
static unsigned int last_life = 1;
static bool held;

/* The present life; 0: held. Read by srnic_sth_life() */
unsigned int srnic_sth_present_life __read_mostly = 1;

static void publish_life(unsigned int life)
{
	/* pairs with srnic_sth_life(): the number is seen after the new random numbers */
	smp_store_release(&srnic_sth_present_life, life);
}

static void next_life(void)
{
	last_life = last_life + 1 ?: 1;
	publish_life(last_life);
}

/**
 * srnic_sth_begin_life() - Begin a new life, and end the former one
 *
 * To be called when the random numbers of the new life are its own. Connections and
 * salts of the former life are not used after this returns, except by packets
 * that are being sealed at this moment.
 *
 * Context: any.
 */
void srnic_sth_begin_life(void)
{
	unsigned long flags;

	spin_lock_irqsave(&life_lock, flags);
	if (!held)
		next_life();
	spin_unlock_irqrestore(&life_lock, flags);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_begin_life);

/**
 * srnic_sth_hold_life() - End the present life; the next has not begun
 *
 * Connections that are created meanwhile never seal anything.
 *
 * Context: any.
 */
void srnic_sth_hold_life(void)
{
	unsigned long flags;

	spin_lock_irqsave(&life_lock, flags);
	held = true;
	publish_life(0);
	spin_unlock_irqrestore(&life_lock, flags);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_hold_life);

/**
 * srnic_sth_release_life() - End what srnic_sth_hold_life() began, and begin a new life
 *
 * Context: any.
 */
void srnic_sth_release_life(void)
{
	unsigned long flags;

	spin_lock_irqsave(&life_lock, flags);
	held = false;
	next_life();
	spin_unlock_irqrestore(&life_lock, flags);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_release_life);
