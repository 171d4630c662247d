// SPDX-License-Identifier: GPL-2.0
/*
 * Directed routes through the switch (IBA 14.2.2, C14-9 and C14-13). A manager's path begins at its
 * own node, so the switch is the first node after it.
 */
#include "export.h"
#include "fabric/switch.h"

static bool is_port(u8 port)
{
	return port && port <= SRNIC_SWITCH_PORTS;
}

/* Only pure directed routes are handled: managers use no others. */
static bool is_pure(const struct ib_smp *smp)
{
	return smp->dr_slid == IB_LID_PERMISSIVE && smp->dr_dlid == IB_LID_PERMISSIVE &&
	       smp->hop_cnt < IB_SMP_MAX_PATH_HOPS && smp->hop_ptr < IB_SMP_MAX_PATH_HOPS;
}

static int route_out(struct ib_smp *smp, u8 in_port)
{
	if (!smp->hop_ptr || smp->hop_ptr > smp->hop_cnt)
		return SRNIC_ROUTE_DROP;
	smp->return_path[smp->hop_ptr] = in_port;
	if (smp->hop_ptr++ == smp->hop_cnt)
		return SRNIC_ROUTE_HERE;
	if (!is_port(smp->initial_path[smp->hop_ptr]))
		return SRNIC_ROUTE_DROP;
	return smp->initial_path[smp->hop_ptr];
}

/* A node must not answer for another one: the answer comes by the port that the request left by. */
static int route_back(struct ib_smp *smp, u8 in_port)
{
	if (smp->hop_ptr < 2 || smp->hop_ptr > smp->hop_cnt ||
	    smp->initial_path[smp->hop_ptr] != in_port)
		return SRNIC_ROUTE_DROP;
	smp->hop_ptr--;
	if (!is_port(smp->return_path[smp->hop_ptr]))
		return SRNIC_ROUTE_DROP;
	return smp->return_path[smp->hop_ptr];
}

/**
 * srnic_switch_route() - Find out where a directed-route SMP goes
 * @smp: the SMP; its HopPointer and its return path are brought up to date
 * @in_port: port that it came by
 *
 * Return: number of the port that it leaves by, SRNIC_ROUTE_HERE or SRNIC_ROUTE_DROP.
 */
int srnic_switch_route(struct ib_smp *smp, u8 in_port)
{
	if (!is_pure(smp))
		return SRNIC_ROUTE_DROP;
	return ib_get_smp_direction(smp) ? route_back(smp, in_port) : route_out(smp, in_port);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_switch_route);
