// SPDX-License-Identifier: GPL-2.0
#include "cli.h"

int main(int argc, char **argv)
{
	cli.out = stdout;
	cli.err = stderr;
	return cli_run(argc, argv);
}
