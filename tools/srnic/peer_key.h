/* SPDX-License-Identifier: GPL-2.0 */
/*
 * peer_key - the verbs of 'srnic peer' for peers that srnicd(8) shares keys with.
 */
#ifndef PEER_KEY_H
#define PEER_KEY_H

struct args;

int peer_add(struct args *args);
int peer_del(struct args *args);
int peer_list(struct args *args);

#endif /* PEER_KEY_H */
