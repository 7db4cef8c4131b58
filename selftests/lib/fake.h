/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's part for tests of libweft: the device is a memfd, ioctl() and lseek() are those of
 * fake.c
 *
 * The test checks each byte that the library writes into the rings, and writes what the library
 * reads. No threads.
 */
#ifndef WEFT_FAKE_H
#define WEFT_FAKE_H

#include "../../lib/libweft/internal.h"
#include "tap.h"

#define PAGE	4096
#define SLOTS	16

/* One page each; the doorbells and the status lines of all objects share theirs. */
struct fake_dev {
	struct {
		struct weft_cq_doorbell cq;
		struct weft_ep_doorbell ep;
	} bell __attribute__((aligned(PAGE)));
	struct {
		struct weft_cq_status cq;
		struct weft_ep_status ep;
	} status __attribute__((aligned(PAGE)));
	union {
		struct weft_cqe e[SLOTS];
		unsigned char raw[PAGE];
	} cq __attribute__((aligned(PAGE)));
	union {
		struct weft_sqe e[SLOTS];
		struct weft_iov iov[SLOTS * 4];
		unsigned char raw[PAGE];
	} sq __attribute__((aligned(PAGE)));
	union {
		struct weft_rqe e[SLOTS];
		struct weft_iov iov[SLOTS * 4];
		unsigned char raw[PAGE];
	} rq __attribute__((aligned(PAGE)));
};

extern struct fake_dev *dev;
extern char dev_path[];			/* path of the device */
extern int event_pipe[2];		/* events are written into the second */
extern unsigned int notifies, cq_notifies, cancels, waits;
extern unsigned int seeks;		/* notifies and waits that were lseek(2) */
extern uint64_t caps;			/* capabilities that the device says */
extern struct weft_ioc_wait wait_arg;	/* argument of the last wait by ioctl */
extern unsigned int notify_eintr;		/* so many notify calls are interrupted */
extern uint32_t notify_handle, notify_flags;
extern int destroy_errno;		/* result of any destroy call */
extern uint32_t abi;			/* version that the device reports */
/* arguments of the last calls of these kinds, as the library writes them */
extern struct weft_ioc_cm last_cm;
extern struct weft_ioc_ep last_ep;
extern struct weft_ioc_ep_enable last_enable;
extern uint64_t last_wait;		/* where the last wait was */
extern struct weft_ioc_region last_region;	/* arguments of the last region */
extern struct weft_iov last_segs[WEFT_IOV_MAX];
/* arguments of the last trigger, of the last call that ended some, of a counter's last change */
extern struct weft_ioc_trigger_add last_trigger;
extern unsigned char last_entry[WEFT_NSLOTS_MAX * WEFT_SLOT_SIZE];	/* its entry */
extern struct weft_ioc_trigger_end last_end;
extern struct weft_ioc_cntr_change last_change;
extern int trigger_errno;		/* result of the calls of triggers */
/* insertions report that addresses have the last index already */
extern bool addr_known;

/* What each test has. */
extern struct weft_ctx *ctx;
extern struct weft_cq *cq;
extern struct weft_ep *ep;

/* Let all indices begin at @index, as after so many slots. */
void start_at(uint32_t index);
void pattern(unsigned char *p, size_t len);
/* Act as the kernel: write an entry with @len bytes of payload to @buf. */
void complete(uint64_t context, uint16_t status, void *buf, size_t len);
/* Run the tests, each on a new device. Return: main()'s status. */
int fake_run(const struct test *tests, unsigned int n);

#endif
