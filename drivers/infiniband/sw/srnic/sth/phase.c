// SPDX-License-Identifier: GPL-2.0
/*
 * Phases of a sub-key (Documentation/protocol.md, section 10): before a sub-key
 * has sealed as many packets as it may, its sender goes on with another one of
 * the same epoch. Packets name the phase; the receiver follows when one of them
 * has verified.
 */
#include <linux/moduleparam.h>
#include "export.h"
#include "sth/crypto.h"

#if SRNIC_NONCE_ORACLE
unsigned int srnic_sth_emission_limit = SRNIC_STH_EMISSIONS;
module_param_named(emissions, srnic_sth_emission_limit, uint, 0644);
MODULE_PARM_DESC(emissions, "Test kernels: emissions under one sub-key");
SRNIC_EXPORT_FOR_KUNIT(srnic_sth_emission_limit);
#endif

/* Return the sub-key of a phase, or NULL; under rcu_read_lock(). */
static struct srnic_subkey *subkey_of(const struct srnic_phases *phases, u16 phase)
{
	struct srnic_subkey *key = rcu_dereference(phases->at[srnic_phase_index(phase)]);

	return key && key->phase == phase ? key : NULL;
}

/* Request the sub-key of the next phase from srnic_sth_rekey(), unless it is there. */
static void request_successor(struct srnic_flow *flow, struct srnic_phases *phases, u16 phase)
{
	if (phase == SRNIC_PHASE_LAST || READ_ONCE(phases->derived) > phase)
		return;
	WRITE_ONCE(phases->due, true);
	WRITE_ONCE(flow->update_due, true);
}

/* Half of the emissions have been used: go on with the next sub-key at their end. */
static struct srnic_subkey *seal_late(struct srnic_flow *flow, struct srnic_phases *phases,
				      struct srnic_subkey *key)
{
	request_successor(flow, phases, key->phase);
	if (key->emitted < srnic_sth_emissions())
		return key;
	if (key->phase == SRNIC_PHASE_LAST)
		return ERR_PTR(-EKEYEXPIRED);
	key = subkey_of(phases, key->phase + 1);
	if (!key)
		return ERR_PTR(-ENOKEY);
	WRITE_ONCE(phases->latest, key->phase);
	return key;
}

/**
 * srnic_phase_to_seal() - Return the sub-key that seals the next packet of an epoch
 * @flow: the flow
 * @keys: its keys of the epoch
 *
 * Context: under the QP's lock and rcu_read_lock().
 * Return: the sub-key; or an ERR_PTR: -ENOKEY if it is not derived yet, -EKEYEXPIRED
 * after the last phase.
 */
struct srnic_subkey *srnic_phase_to_seal(struct srnic_flow *flow, struct srnic_epoch_keys *keys)
{
	struct srnic_phases *phases = &keys->phases[SRNIC_TO_SEAL];
	struct srnic_subkey *key = subkey_of(phases, phases->latest);

	if (likely(key->emitted < srnic_sth_emissions() / 2))
		return key;
	return seal_late(flow, phases, key);
}

/**
 * srnic_phase_to_open() - Return the sub-key of the phase that a packet names
 * @flow: the flow
 * @keys: its keys of the packet's epoch
 * @bth: BTH of the packet
 *
 * A packet that is not verified can cause one derivation at most: that of the
 * phase behind the newest one that has been verified.
 *
 * Context: under the QP's lock and rcu_read_lock().
 * Return: the sub-key, or NULL if there is none.
 */
struct srnic_subkey *srnic_phase_to_open(struct srnic_flow *flow, struct srnic_epoch_keys *keys,
					 const u8 *bth)
{
	struct srnic_phases *phases = &keys->phases[SRNIC_TO_OPEN];
	struct srnic_subkey *key = rcu_dereference(phases->at[srnic_phase_named(bth)]);

	if (unlikely(!key) && srnic_phase_named(bth) == srnic_phase_index(phases->latest + 1))
		request_successor(flow, phases, phases->latest);
	return key;
}

/**
 * srnic_phase_opened() - Note that a packet has been verified
 * @flow: the flow
 * @keys: its keys of the packet's epoch
 * @key: from srnic_phase_to_open()
 *
 * Context: under the QP's lock and rcu_read_lock().
 */
void srnic_phase_opened(struct srnic_flow *flow, struct srnic_epoch_keys *keys,
			struct srnic_subkey *key)
{
	struct srnic_phases *phases = &keys->phases[SRNIC_TO_OPEN];

	if (unlikely(key->phase > phases->latest))
		WRITE_ONCE(phases->latest, key->phase);
	if (unlikely(++key->opened >= srnic_sth_emissions() / 2))
		request_successor(flow, phases, key->phase);
}

/*
 * Derive and publish the sub-key of the next phase. That of the phase before the present one is
 * wiped: no packet of it is under way any more.
 */
static int install_successor(struct srnic_sth *sth, enum srnic_sth_flow flow,
			     struct srnic_epoch_keys *keys, enum srnic_sth_use use)
{
	struct srnic_phases *phases = &keys->phases[use];
	u16 next = phases->derived + 1;
	struct srnic_subkey *key, *old;

	key = srnic_subkey_make(sth, flow, keys, use, next);
	if (IS_ERR(key))
		return PTR_ERR(key);
	/* The handshake mutex serialises writers. */
	old = rcu_replace_pointer(phases->at[srnic_phase_index(next - 2)], NULL, true);
	rcu_assign_pointer(phases->at[srnic_phase_index(next)], key);
	WRITE_ONCE(phases->derived, next);
	if (old) {
		synchronize_rcu();
		srnic_subkey_free(sth, old, use);
	}
	return 0;
}

static int update_epoch(struct srnic_sth *sth, enum srnic_sth_flow flow,
			struct srnic_epoch_keys *keys)
{
	enum srnic_sth_use use;
	int err = 0;

	for (use = 0; use < SRNIC_USES; use++) {
		struct srnic_phases *phases = &keys->phases[use];

		if (!READ_ONCE(phases->due))
			continue;
		/* a request that has come twice must not displace a sub-key in use */
		if (phases->derived == READ_ONCE(phases->latest))
			err = install_successor(sth, flow, keys, use) ?: err;
		WRITE_ONCE(phases->due, false);
	}
	return err;
}

/**
 * srnic_phases_update() - Derive the sub-keys of the next phases that are due
 * @sth: the connection
 * @flow: flow whose keys are installed
 *
 * Context: process, under the handshake mutex; sleeps.
 * Return: 0 or a negative errno. After an error the next packet requests the
 * sub-key again.
 */
int srnic_phases_update(struct srnic_sth *sth, enum srnic_sth_flow flow)
{
	struct srnic_flow *f = &sth->flow[flow];
	unsigned int i;
	int err = 0;

	if (!READ_ONCE(f->update_due))
		return 0;
	WRITE_ONCE(f->update_due, false);
	for (i = 0; i < ARRAY_SIZE(f->keys); i++) {
		struct srnic_epoch_keys *keys = rcu_dereference_protected(f->keys[i], true);

		if (keys)
			err = update_epoch(sth, flow, keys) ?: err;
	}
	return err;
}
