/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The steps of a connection between side A, which asks, and side B of the row's pair. For tests of
 * what happens before and after the connection is made.
 */
#ifndef WEFT_CMPAIR_H
#define WEFT_CMPAIR_H

#include "rows.h"

#define DATA 256	/* bytes of private data */

/* an event that was read */
union cm {
	struct fi_eq_cm_entry e;
	uint8_t raw[sizeof(struct fi_eq_cm_entry) + 2 * DATA];
};

/* the address that B listens on */
extern uint8_t addr[64];
extern size_t addr_len;

/* Both sides without endpoints; B listens. */
bool sides(void);
bool listening(void);
/* B listens, A has asked with @len bytes of data, and B has read that, with @want bytes. */
bool asked(union cm *cm, const void *data, size_t len, size_t want);
/* ... and accepts. */
bool answered(union cm *cm, const void *data, size_t len);

/* The next event of a side: connected, with @want bytes of data; shut down; none. */
bool is_connected(struct side *s, union cm *cm, size_t want);
bool is_shutdown(struct side *s);
bool no_event(struct side *s);
/* A's attempt has failed. */
bool has_failed(int want, struct fi_eq_err_entry *err);

/* An endpoint beside the side's own, with its event queue and one completion queue, more_cq(). */
bool more_ep(struct side *s, struct fi_info *info, struct fid_ep **ep);
bool more_cq(struct side *s);

#endif
