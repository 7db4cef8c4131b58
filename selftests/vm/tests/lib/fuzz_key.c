// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdint.h>
#include <stdlib.h>
#include "fuzz_key.h"

const char fuzz_keys[FUZZ_KEYS][FUZZ_KEY_LEN + 1] = {
	"the key of the first job",
	"the key of the other one",
	"this is what it is later",
	"nobody has this one here",
};

void fuzz_key(unsigned int *seed, struct weft_ioc_ep *e)
{
	unsigned int r = (unsigned int)rand_r(seed);

	if (r % 4)
		return;
	e->key = (__u64)(uintptr_t)fuzz_keys[r / 4 % FUZZ_KEYS];
	e->key_size = r / 16 % 16 ? FUZZ_KEY_LEN : r / 256 % (WEFT_KEY_MAX + 8);
}
