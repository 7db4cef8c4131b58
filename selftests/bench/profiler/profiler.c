// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A plugin of the emulator (QEMU 7.2, its plugin interface 1)
 *
 * The plugin counts the instructions that the machine executes between the marks of ../profile.h,
 * by address, in all programs. At the second mark it writes a line "ADDRESS INSTRUCTIONS" for each
 * translated block. The machine is not disturbed. "names" turns addresses into functions.
 *
 * One processor, so no locks: translation and execution take turns.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "mark.h"

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

#define BLOCKS (1u << 20) /* a power of two, more than the blocks of a boot */

/**
 * struct block - a translated block
 * @addr: its beginning
 * @count: instructions executed in it
 */
struct block {
	uint64_t addr;
	uint64_t count;
};

static struct block blocks[BLOCKS];
static char out[4096];
static uint64_t lost; /* instructions in blocks for which the table had no space */

static uint64_t *counter(uint64_t addr)
{
	uint32_t i = (addr * 0x9e3779b97f4a7c15ull) >> 44, tries;

	for (tries = 0; tries < 64; tries++, i = (i + 1) % BLOCKS) {
		if (!blocks[i].addr)
			blocks[i].addr = addr;
		if (blocks[i].addr == addr)
			return &blocks[i].count;
	}
	return &lost;
}

static void begin(unsigned int cpu, void *data)
{
	size_t i;

	for (i = 0; i < BLOCKS; i++)
		blocks[i].count = 0;
	lost = 0;
}

static void end(unsigned int cpu, void *data)
{
	FILE *f = fopen(out, "w");
	size_t i;

	if (!f) {
		perror(out);
		return;
	}
	for (i = 0; i < BLOCKS; i++) {
		if (blocks[i].count)
			fprintf(f, "%016" PRIx64 " %" PRIu64 "\n", blocks[i].addr, blocks[i].count);
	}
	if (lost)
		fprintf(f, "%016x %" PRIu64 "\n", 0, lost);
	fclose(f);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, counter(qemu_plugin_tb_vaddr(tb)), n);
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t mark = mark_of(insn);

		if (mark == PROFILE_BEGIN)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, 0, NULL);
		else if (mark == PROFILE_END)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, end, 0, NULL);
	}
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "profiler: out=FILE is missing\n");
		return -1;
	}
	snprintf(out, sizeof(out), "%s", argv[0] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
