/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets whose bytes change while the core reads them, as a device can change them
 *
 * A program that includes this header is linked with changing_wrap (selftests/build.mk). The linker
 * then passes calls between two files of the core through the functions below.
 */
#ifndef WEFT_CHANGING_H
#define WEFT_CHANGING_H

#include "core/api/internal.h"

#define CHANGING_LOCK	1	/* a lock of the fast path has been taken */
#define CHANGING_NEXT	2	/* the packet was checked, and its next chunk is to be decoded */
#define CHANGING_RUN	3	/* a run of packets has been found */

/**
 * struct changing - the packets that the core reads now
 * @rx: packets, NULL: none
 * @n: number of them
 * @run: first packet of a run, for CHANGING_RUN
 * @fn: may change them; NULL: nothing does. @where: CHANGING_*
 * @arg: for it
 */
static struct {
	const struct weft_rx *rx;
	u32 n;
	u8 *run;
	void (*fn)(u32 where, void *arg);
	void *arg;
} changing;

static void changing_at(u32 where)
{
	if (changing.rx && changing.fn)
		changing.fn(where, changing.arg);
}

void __real_weft_core_rx(struct weft_core *core, weft_ns now, const struct weft_rx *rx, u32 n,
			 struct weft_out *out);
void __wrap_weft_core_rx(struct weft_core *core, weft_ns now, const struct weft_rx *rx, u32 n,
			 struct weft_out *out);
void __wrap_weft_core_rx(struct weft_core *core, weft_ns now, const struct weft_rx *rx, u32 n,
			 struct weft_out *out)
{
	changing.rx = rx;
	changing.n = n;
	__real_weft_core_rx(core, now, rx, n, out);
	changing.rx = NULL;
}

void __real_weft_host_lock_inner(struct weft_lock *l, const char *file, int line);
void __wrap_weft_host_lock_inner(struct weft_lock *l, const char *file, int line);
void __wrap_weft_host_lock_inner(struct weft_lock *l, const char *file, int line)
{
	__real_weft_host_lock_inner(l, file, line);
	changing_at(CHANGING_LOCK);
}

bool __real_weft_wire_next(struct weft_chunks *rest, struct weft_chunk *c);
bool __wrap_weft_wire_next(struct weft_chunks *rest, struct weft_chunk *c);
bool __wrap_weft_wire_next(struct weft_chunks *rest, struct weft_chunk *c)
{
	changing_at(CHANGING_NEXT);
	return __real_weft_wire_next(rest, c);
}

u32 __real_weft_wire_run(const u8 *pkt, u32 left, u32 seg, u32 stride, bool *acknow);
u32 __wrap_weft_wire_run(const u8 *pkt, u32 left, u32 seg, u32 stride, bool *acknow);
u32 __wrap_weft_wire_run(const u8 *pkt, u32 left, u32 seg, u32 stride, bool *acknow)
{
	u32 n = __real_weft_wire_run(pkt, left, seg, stride, acknow);

	changing.run = (u8 *)pkt;
	if (n > 1)
		changing_at(CHANGING_RUN);
	return n;
}

#endif
