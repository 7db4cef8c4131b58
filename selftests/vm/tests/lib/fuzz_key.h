/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys of jobs that programs show at random. */
#ifndef WEFT_FUZZ_KEY_H
#define WEFT_FUZZ_KEY_H

#include <linux/weft.h>

#define FUZZ_KEYS	4
#define FUZZ_KEY_LEN	24

extern const char fuzz_keys[FUZZ_KEYS][FUZZ_KEY_LEN + 1];

/* Now and then put the next endpoint into a job, mostly with a key that may exist. */
void fuzz_key(unsigned int *seed, struct weft_ioc_ep *e);

#endif
