/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations for the fuzz targets. A target implements libFuzzer's interface
 * and checks its requirements by CHECK(); the sanitizers check the rest.
 */
#ifndef SRNIC_FUZZ_H
#define SRNIC_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer's own mutation, for mutators that repair its results */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#define CHECK(cond) do { if (!(cond)) __builtin_trap(); } while (0)

#endif /* SRNIC_FUZZ_H */
