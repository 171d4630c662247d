/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * error - the message behind rdma_pipeline_message().
 */
#ifndef ERROR_H
#define ERROR_H

/* Set the message; return -@err. */
int fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif /* ERROR_H */
