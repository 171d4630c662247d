/* SPDX-License-Identifier: GPL-2.0 */
/*
 * say - messages on standard error, one line each, with the level that systemd's journal reads.
 * No function is given a secret.
 */
#ifndef SAY_H
#define SAY_H

void say_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A warning that anybody in the network can cause: at most five in ten seconds */
void say_refusal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* SAY_H */
