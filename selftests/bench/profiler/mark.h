/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a plugin of the emulator recognises the marks of ../profile.h. */
#ifndef BENCH_MARK_H
#define BENCH_MARK_H

#include <string.h>
#include "../profile.h"
#include "plugin.h"

/* Return: PROFILE_BEGIN or PROFILE_END, or another value: no mark */
static inline uint32_t mark_of(const struct qemu_plugin_insn *insn)
{
	static const uint8_t nop[4] = { 0x0f, 0x1f, 0x84, 0x00 };
	const uint8_t *code = qemu_plugin_insn_data(insn);
	uint32_t mark;

	if (qemu_plugin_insn_size(insn) != 8 || memcmp(code, nop, sizeof(nop)))
		return 0;
	memcpy(&mark, code + 4, sizeof(mark));
	return mark;
}

#endif
