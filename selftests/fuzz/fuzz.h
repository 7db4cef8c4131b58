/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Targets of libFuzzer: each file fuzz_*.c is a program
 */
#ifndef WEFT_FUZZ_H
#define WEFT_FUZZ_H

#include "core/base/env.h"

/* libFuzzer calls this function with bytes that it makes. Return: 0. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

#endif
