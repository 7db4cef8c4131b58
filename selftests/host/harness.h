/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * host/harness.h - the kernel's kselftest_harness.h, for machines that have other things to do
 *
 * Its limit for a test is 30 seconds by the clock. What a test here needs is a few seconds of a
 * processor, which may take longer than that where many programs share it; the whole program has
 * 300 seconds (selftests/check).
 */
#ifndef WEFT_HARNESS_H
#define WEFT_HARNESS_H

#include "kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 240

#endif
