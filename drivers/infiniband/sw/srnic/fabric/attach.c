// SPDX-License-Identifier: GPL-2.0
/*
 * An InfiniBand port's consumers of its own while the device is registered: the SA's agent, and the
 * switch. An ib_client adds and removes them.
 */
#include "fabric/port.h"
#include "fabric/switch.h"

static int port_add(struct ib_device *ib)
{
	struct srnic_fabric *fabric;

	if (ib->ops.driver_id != (enum rdma_driver_id)SRNIC_DRIVER_ID || !to_srnic(ib)->fabric)
		return -EOPNOTSUPP;
	fabric = to_srnic(ib)->fabric;
	mutex_lock(&fabric->subnet_lock);
	fabric->attached = true;
	if (!fabric->managed)
		srnic_sa_agent_start(fabric);
	mutex_unlock(&fabric->subnet_lock);
	return 0;
}

static void port_remove(struct ib_device *ib, void *client_data)
{
	struct srnic_fabric *fabric = to_srnic(ib)->fabric;

	mutex_lock(&fabric->subnet_lock);
	fabric->attached = false;
	srnic_switch_destroy(fabric);
	srnic_sa_agent_stop(fabric);
	mutex_unlock(&fabric->subnet_lock);
}

static struct ib_client port_client = {
	.name = "srnic_port",
	.add = port_add,
	.remove = port_remove,
};

/**
 * srnic_fabric_init() - Register the client that gives each InfiniBand port an agent
 *
 * Context: process, at load. ib_mad's client is registered before this one, so a
 * device gets its MAD agents first, and loses them last.
 * Return: 0 or an error.
 */
int srnic_fabric_init(void)
{
	return ib_register_client(&port_client);
}

/**
 * srnic_fabric_exit() - Undo srnic_fabric_init()
 *
 * Context: process, at unload.
 */
void srnic_fabric_exit(void)
{
	ib_unregister_client(&port_client);
}
