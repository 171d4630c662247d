/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ask - the kernel, through libsrnic(7). What can fail returns CLI_OK, or CLI_REFUSED
 * with the library's line on cli.err.
 */
#ifndef ASK_H
#define ASK_H

#include <srnic/srnic.h>

/* The handle, the same one until ask_close() */
int ask_open(const char *where, struct srnic **srnic);
void ask_close(void);

/* What became of a call of the library that returned @err */
int ask_done(const char *where, int err);

#endif /* ASK_H */
