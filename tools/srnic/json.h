/* SPDX-License-Identifier: GPL-2.0 */
/*
 * json - writes JSON to cli.out. Inside arrays, the name is NULL.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>

void json_open(const char *name, char bracket);	/* '[' or '{' */
void json_close(void);
void json_string(const char *name, const char *value);
void json_number(const char *name, uint64_t value);
void json_bool(const char *name, bool value);

#endif /* JSON_H */
