/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzz targets share. A target is one function of libFuzzer's interface; what it
 * demands of the code is in CHECK()s, the rest is the sanitizers' to see.
 */
#ifndef SRNIC_FUZZ_H
#define SRNIC_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer's: its own mutation, for those who mend afterwards what it breaks */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#define CHECK(cond) do { if (!(cond)) __builtin_trap(); } while (0)

#endif /* SRNIC_FUZZ_H */
