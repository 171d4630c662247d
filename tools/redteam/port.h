/* SPDX-License-Identifier: GPL-2.0 */
/* One end of a wire that an attacker is. */
#ifndef SRNIC_REDTEAM_PORT_H
#define SRNIC_REDTEAM_PORT_H

/* Ends the program, with a line that says why: errno. */
void die(const char *what, const char *name) __attribute__((noreturn));
/* A socket that takes every frame that comes in by a netdev; @room: bytes for them to wait */
int port_open(const char *name, int room);

#endif
