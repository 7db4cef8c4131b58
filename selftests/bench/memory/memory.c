// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A plugin of the emulator: the bytes that the machine's processor stores between the marks of
 * ../profile.h, in all programs
 *
 * A byte that is copied is stored once, so these are the copies, and little else when messages are
 * long. At each second mark the plugin appends a line with their number to a file. One processor,
 * so no locks.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include "../profiler/mark.h"

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

#define STORES 2

static char out[4096];
static bool on;
static uint64_t bytes;

static void begin(unsigned int cpu, void *data)
{
	bytes = 0;
	on = true;
}

static void end(unsigned int cpu, void *data)
{
	FILE *f = fopen(out, "a");

	on = false;
	if (!f) {
		perror(out);
		return;
	}
	fprintf(f, "%" PRIu64 "\n", bytes);
	fclose(f);
}

/* (QEMU 7.2 calls this for loads, too) */
static void stored(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t addr, void *data)
{
	if (on && qemu_plugin_mem_is_store(info))
		bytes += 1u << qemu_plugin_mem_size_shift(info);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t mark = mark_of(insn);

		if (mark == PROFILE_BEGIN)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, 0, NULL);
		else if (mark == PROFILE_END)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, end, 0, NULL);
		else
			qemu_plugin_register_vcpu_mem_cb(insn, stored, 0, STORES, NULL);
	}
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "memory: out=FILE is missing\n");
		return -1;
	}
	snprintf(out, sizeof(out), "%s", argv[0] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
