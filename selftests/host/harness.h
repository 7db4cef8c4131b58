/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * host/harness.h - the kernel's kselftest_harness.h, for machines that are busy with other work
 *
 * The harness limits each test to 30 seconds of the clock. A test here needs a few seconds of
 * processor time, which take longer on a busy machine. The whole program has 300 seconds
 * (selftests/check).
 */
#ifndef WEFT_HARNESS_H
#define WEFT_HARNESS_H

#include "kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 240

#endif
