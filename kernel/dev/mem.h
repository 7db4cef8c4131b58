/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - memory of programs: interface for the character device
 *
 * The core's interface (windows, copies) is in core/base/env.h. A context's memory is created when
 * the device is opened, and killed when the context ends. Its structure lives until the last
 * reference has gone.
 *
 *	weft_memctx_new()	open
 *	weft_memctx_use()	before weft_core_work() in a worker; weft_memctx_unuse() after it
 *	weft_memctx_kill()	the context ends: from now on pins, lookups and copies fail
 *	weft_memctx_quiesce()	waits for those in progress
 *	weft_memctx_put()	(core/base/env.h) the last reference frees the structure
 *
 * The functions take none of their callers' locks. Unless a function says "any context", no lock
 * may be held.
 */
#ifndef WEFT_MEM_H
#define WEFT_MEM_H

#include <linux/types.h>

struct weft_memctx;
struct weft_mr;

/**
 * weft_mem_init - set up the state that all contexts share
 *
 * Context: process, when the module is loaded.
 * Return: 0, -ENOMEM.
 */
int weft_mem_init(void);

/**
 * weft_mem_exit - the reverse of weft_mem_init()
 *
 * Every context has been killed, quiesced and put. Waits for the work that they left to workers.
 * Context: process, when the module is unloaded.
 */
void weft_mem_exit(void);

/**
 * weft_memctx_new - create the memory of a context, for the address space of the calling process
 * @gone: called when the process dies (or calls execve) before weft_memctx_kill(); also while a
 *	forked child holds the file
 * @priv: its argument; must stay valid until weft_memctx_quiesce() has returned
 *
 * @gone is called at most once, in process context, inside exit_mmap() of the dying process. It
 * should queue work that ends the context, and must not wait. The memory is dead by then: windows
 * give -EFAULT. The owner still has to call weft_memctx_kill(), weft_memctx_quiesce() and
 * weft_memctx_put().
 *
 * The limit of pinned memory, the charged user, CAP_IPC_LOCK and the memory cgroup are the caller's
 * at the time of the call.
 *
 * Context: process, with an address space; mmap_lock is taken.
 * Return: one reference, ERR_PTR(-ENOMEM, -EINVAL: no address space, -EINTR: killed).
 */
struct weft_memctx *weft_memctx_new(void (*gone)(void *priv), void *priv);

/**
 * weft_memctx_kill - end a context's memory
 * @mc: memory of the context
 *
 * A worker unpins the ranges that no window holds. Accesses that begin later fail with -EFAULT. May
 * be called several times.
 * Context: any; never waits.
 */
void weft_memctx_kill(struct weft_memctx *mc);

/**
 * weft_memctx_quiesce - wait for all accesses to the context's memory
 * @mc: memory of the context, killed
 *
 * Waits for copies to or from the memory, and for calls of gone().
 *
 * Context: process, sleeps; not inside weft_memctx_use() of the same context.
 */
void weft_memctx_quiesce(struct weft_memctx *mc);

/**
 * weft_memctx_use - enter the context's address space
 * @mc: memory of the context
 *
 * The module cannot be removed meanwhile: the caller may wait for the program's memory without end,
 * and rmmod must not wait for that.
 *
 * Context: kernel thread (a worker) without an address space of its own; sleeps.
 * Return: 0, to be undone with weft_memctx_unuse(); -EFAULT: the memory is gone. The caller still
 * calls weft_core_work(), which detects that.
 */
int weft_memctx_use(struct weft_memctx *mc);

/**
 * weft_memctx_unuse - leave the context's address space
 * @mc: memory of the context
 *
 * Context: as weft_memctx_use(). A dying process may wait for this call: then gone() is called
 * inside.
 */
void weft_memctx_unuse(struct weft_memctx *mc);

/**
 * weft_memctx_pinned - report the bytes that a context has pinned now
 * @mc: memory of the context
 *
 * Context: any.
 * Return: bytes.
 */
u64 weft_memctx_pinned(const struct weft_memctx *mc);

/**
 * weft_mem_total_pinned - report the bytes that all contexts have pinned now, dead ones included
 *
 * Context: any.
 * Return: bytes.
 */
u64 weft_mem_total_pinned(void);

/**
 * weft_mr_reg - register memory, to keep it pinned
 * @mc: memory of the context, the caller's own
 * @addr: user address
 * @len: bytes, not 0
 * @access: WEFT_MR_READ, WEFT_MR_WRITE or both
 * @mr: out: registration, to be given to weft_mr_dereg() before weft_memctx_put()
 *
 * If pinning is refused it succeeds all the same, with nothing pinned. Then data are copied.
 *
 * Context: process, sleeps.
 * Return: 0, -EFAULT: not mapped, or not with that access; -ENOMEM, -EINTR: killed.
 */
int weft_mr_reg(struct weft_memctx *mc, u64 addr, u64 len, u32 access, struct weft_mr **mr);

/**
 * weft_mr_dereg - end a registration; its pages stay cached until they are evicted
 * @mr: the registration
 *
 * Context: process, sleeps.
 */
void weft_mr_dereg(struct weft_mr *mr);

#endif
