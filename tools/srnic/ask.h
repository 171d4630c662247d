/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ask - queries to the kernel through libsrnic(7). Functions return CLI_OK, or CLI_REFUSED
 * after printing the library's message to cli.err.
 */
#ifndef ASK_H
#define ASK_H

#include <srnic/srnic.h>

/* Return the handle, which is shared until ask_close() */
int ask_open(const char *where, struct srnic **srnic);
void ask_close(void);

/* Convert the library's return value @err into a status; print the message of an error */
int ask_done(const char *where, int err);

#endif /* ASK_H */
