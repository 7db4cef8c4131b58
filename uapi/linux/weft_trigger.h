/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * weft - triggers: operations that wait for the value of a counter (WEFT_CAP_TRIGGER)
 *
 * A trigger names a counter, a threshold and an operation. The kernel posts the operation when the
 * counter has reached the threshold. The program need not run then. fi_trigger(3) has the model.
 *
 * Calls and their errors: Documentation/uapi.rst. Rules: Documentation/trigger.rst.
 */
#ifndef _UAPI_LINUX_WEFT_TRIGGER_H
#define _UAPI_LINUX_WEFT_TRIGGER_H

#include <linux/types.h>
#include <linux/ioctl.h>

/* What a trigger does */
#define WEFT_TRIGGER_SEND	1	/* post an entry of an endpoint's send ring */
#define WEFT_TRIGGER_RECV	2	/* post an entry of an endpoint's receive ring */
#define WEFT_TRIGGER_SET	3	/* set a counter */
#define WEFT_TRIGGER_ADD	4	/* add to a counter */

/* the counter's value is the sum of both its numbers; else that of the successful operations */
#define WEFT_TRIGGERF_BOTH	(1u << 0)
/*
 * SEND, RECV: the end of the operation is counted by @done alone. There is a completion, and the
 * endpoint's counter counts, only if the entry asks for a completion.
 */
#define WEFT_TRIGGERF_ALONE	(1u << 1)

/**
 * struct weft_ioc_trigger_add - have an operation wait for a counter (WEFT_IOC_TRIGGER_ADD)
 * @size: size of this structure
 * @flags: WEFT_TRIGGERF_*
 * @cntr: the counter that fires it
 * @op: WEFT_TRIGGER_*
 * @object: SEND, RECV: the endpoint, which is enabled; SET, ADD: the counter to be changed
 * @done: WEFT_TRIGGERF_ALONE: counter of the operation's end, or WEFT_HANDLE_NONE; else that
 * @zone: group of triggers that WEFT_IOC_TRIGGER_END may end together
 * @nslots: SEND, RECV: slots of the entry, 1 to WEFT_NSLOTS_MAX; else 0
 * @threshold: value at which it fires
 * @id: name for WEFT_IOC_TRIGGER_END; need not be unique
 * @value: SET, ADD: number of successful operations; else 0
 * @entry: SEND, RECV: user address of the slots, without inline payload; else 0
 *
 * The entry is copied. Memory that it names is read or written after the trigger has fired.
 */
struct weft_ioc_trigger_add {
	__u32 size;
	__u32 flags;
	__u32 cntr;
	__u32 op;
	__u32 object;
	__u32 done;
	__u32 zone;
	__u32 nslots;
	__u64 threshold;
	__u64 id;
	__u64 value;
	__u64 entry;
};

/* end the oldest trigger with @id only; ENOENT: there is none */
#define WEFT_TRIGGERF_ONE	(1u << 0)
/* operations that end complete with ECANCELED, else without a trace */
#define WEFT_TRIGGERF_TELL	(1u << 1)

/**
 * struct weft_ioc_trigger_end - end triggers that have not fired (WEFT_IOC_TRIGGER_END)
 * @size: size of this structure
 * @flags: WEFT_TRIGGERF_ONE, WEFT_TRIGGERF_TELL
 * @zone: zone of the triggers
 * @cntr: only those of this counter, WEFT_HANDLE_NONE: of any
 * @object: only those of this endpoint, or that change this counter, WEFT_HANDLE_NONE: of any
 * @rsvd: 0
 * @id: with WEFT_TRIGGERF_ONE, else 0
 */
struct weft_ioc_trigger_end {
	__u32 size;
	__u32 flags;
	__u32 zone;
	__u32 cntr;
	__u32 object;
	__u32 rsvd;
	__u64 id;
};

#define WEFT_IOC_TRIGGER_ADD	_IOW('w', 0x2c, struct weft_ioc_trigger_add)
#define WEFT_IOC_TRIGGER_END	_IOW('w', 0x2d, struct weft_ioc_trigger_end)

/* ---- The file of a counter ------------------------------------------------------------------ */

#define WEFT_CNTRF_ADD		(1u << 0)	/* add @value, else set to it */
#define WEFT_CNTRF_FAILED	(1u << 1)	/* of failed operations, else of others */

/**
 * struct weft_ioc_cntr_change - change a counter (WEFT_IOC_CNTR_CHANGE)
 * @size: size of this structure
 * @flags: WEFT_CNTRF_*
 * @value: the number; it wraps
 *
 * Waits on an earlier value return 0.
 */
struct weft_ioc_cntr_change {
	__u32 size;
	__u32 flags;
	__u64 value;
};

#define WEFT_IOC_CNTR_CHANGE	_IOW('w', 0x44, struct weft_ioc_cntr_change)

#endif /* _UAPI_LINUX_WEFT_TRIGGER_H */
