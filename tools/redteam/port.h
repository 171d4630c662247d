/* SPDX-License-Identifier: GPL-2.0 */
/* A port of the wire that an attacker controls. */
#ifndef SRNIC_REDTEAM_PORT_H
#define SRNIC_REDTEAM_PORT_H

/* Exit with a message and errno. */
void die(const char *what, const char *name) __attribute__((noreturn));
/* Open a socket for all frames received by a netdev; @room: size of its buffer, in bytes */
int port_open(const char *name, int room);

#endif
