/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - memory of programs, as the character device sees it
 *
 * The core's side (windows, copies) is in core/base/env.h. This is the other: a context's memory is
 * made when the device is opened, killed when the context goes, and its structure lives as long
 * as somebody holds a reference.
 *
 *	weft_memctx_new()	open
 *	weft_memctx_use()	before weft_core_work() in a worker, weft_memctx_unuse() after it
 *	weft_memctx_kill()	the context is going: nothing is pinned, found, copied any more
 *	weft_memctx_quiesce()	... and nobody is still at it
 *	weft_memctx_put()	(core/base/env.h) the structure goes with the last reference
 *
 * Locks: none of the callers' locks is taken; all of these may be called with no lock held but
 * where it says "any context".
 */
#ifndef WEFT_MEM_H
#define WEFT_MEM_H

#include <linux/types.h>

struct weft_memctx;
struct weft_mr;

/**
 * weft_mem_init - set up what all contexts share
 *
 * Context: process, when the module is loaded.
 * Return: 0, -ENOMEM.
 */
int weft_mem_init(void);

/**
 * weft_mem_exit - the reverse of weft_mem_init()
 *
 * Every context has been killed, quiesced and put; what they left to workers is waited for.
 * Context: process, when the module is unloaded.
 */
void weft_mem_exit(void);

/**
 * weft_memctx_new - make the memory of a context: that of the calling process
 * @gone: called when the process dies (or calls execve) before weft_memctx_kill(); also while a
 * forked child holds the file
 * @priv: its argument; must stay valid until weft_memctx_quiesce() has returned
 *
 * @gone is called at most once, in process context, inside exit_mmap() of the dying process: it
 * should queue work that tears the context down, and must not wait. The memory is dead already
 * then: windows give -EFAULT. The owner still has to call weft_memctx_kill(),
 * weft_memctx_quiesce() and weft_memctx_put().
 *
 * The limit of pinned memory, the user it is charged to, CAP_IPC_LOCK and the memory cgroup are
 * those of the caller, now.
 *
 * Context: process, with an address space; mmap_lock is taken.
 * Return: one reference, ERR_PTR(-ENOMEM, -EINVAL: no address space, -EINTR: killed).
 */
struct weft_memctx *weft_memctx_new(void (*gone)(void *priv), void *priv);

/**
 * weft_memctx_mine - does the caller run in the address space that the context belongs to?
 * @mc: memory of the context
 *
 * ioctl and mmap from another one are to be refused with EPERM. Context: any.
 * Return: true: it does.
 */
bool weft_memctx_mine(const struct weft_memctx *mc);

/**
 * weft_memctx_kill - end of a context's memory
 * @mc: memory of the context
 *
 * Pinned ranges that no window holds are let go (by a worker); what is begun after this fails
 * with -EFAULT. May be called several times.
 * Context: any; never waits.
 */
void weft_memctx_kill(struct weft_memctx *mc);

/**
 * weft_memctx_quiesce - wait until no copy to or from the context's memory, and no call of
 * gone(), is in progress
 * @mc: memory of the context, killed
 *
 * Context: process, sleeps; not inside weft_memctx_use() of the same context.
 */
void weft_memctx_quiesce(struct weft_memctx *mc);

/**
 * weft_memctx_use - take over the context's address space
 * @mc: memory of the context
 *
 * Context: kernel thread (a worker) without an address space of its own; sleeps. To be undone
 * with weft_memctx_unuse().
 * Return: 0, -EFAULT: it is gone; weft_core_work() is to be called all the same, and finds that
 * out by itself.
 */
int weft_memctx_use(struct weft_memctx *mc);

/**
 * weft_memctx_unuse - give it back
 * @mc: memory of the context
 *
 * Context: as weft_memctx_use(). May be what the dying process waited for: gone() is called inside.
 */
void weft_memctx_unuse(struct weft_memctx *mc);

/**
 * weft_memctx_pinned - bytes that are pinned now
 * @mc: memory of the context
 *
 * Context: any.
 * Return: bytes.
 */
u64 weft_memctx_pinned(const struct weft_memctx *mc);

/**
 * weft_mem_total_pinned - bytes that are pinned now by all contexts, dead ones included
 *
 * Context: any.
 * Return: bytes.
 */
u64 weft_mem_total_pinned(void);

/**
 * weft_mr_reg - keep memory pinned
 * @mc: memory of the context, the caller's own
 * @addr: user address
 * @len: bytes, not 0
 * @access: WEFT_MR_READ, WEFT_MR_WRITE or both
 * @mr: out: to be given to weft_mr_dereg() before weft_memctx_put()
 *
 * Where pinning is refused it succeeds all the same, with nothing pinned: data are copied.
 *
 * Context: process, sleeps.
 * Return: 0, -EFAULT: not mapped, or not with that access; -ENOMEM, -EINTR: killed.
 */
int weft_mr_reg(struct weft_memctx *mc, u64 addr, u64 len, u32 access, struct weft_mr **mr);

/**
 * weft_mr_dereg - let it go; its pages stay cached until they are evicted
 * @mr: the registration
 *
 * Context: process, sleeps.
 */
void weft_mr_dereg(struct weft_mr *mr);

#endif
