// SPDX-License-Identifier: GPL-2.0
#include "ask.h"
#include "cli.h"

static struct srnic *handle;

int ask_open(const char *where, struct srnic **srnic)
{
	int err = handle ? 0 : srnic_open(&handle, SRNIC_NETNS_OWN);

	*srnic = handle;
	return ask_done(where, err);
}

void ask_close(void)
{
	srnic_close(handle);
	handle = NULL;
}

int ask_done(const char *where, int err)
{
	return err ? cli_refused(where, "%s", srnic_error()) : CLI_OK;
}
