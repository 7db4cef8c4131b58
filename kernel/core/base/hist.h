/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - histograms of a port: for how long messages wait, and how long searches are
 *
 * Bucket 0 of a histogram counts the value 0, and bucket n the values from 2^(n - 1) to 2^n - 1.
 * The last bucket counts all larger values, too. Behind the buckets stands the sum of the values.
 * Histograms are filled while the setting "histograms" is on (api/measure.c).
 *
 * Locks: none; the numbers are per CPU.
 */
#ifndef WEFT_HIST_H
#define WEFT_HIST_H

#include "core/base/env.h"

/*
 * Histograms: X(name, "unit", "description"). netlink and weftctl use these names; the page
 * weftctl-histogram(8) describes them.
 */
#define WEFT_HISTS(X)									\
	X(send, "ns",									\
	  "from the time that a send is taken from its ring until it is completed")	\
	X(receive_wait, "ns", "from the posting of a receive until its message has come") \
	X(message_wait, "ns", "from the arrival of a message until its receive is posted") \
	X(search, "entries",								\
	  "receives or messages that were compared to find one that matches")

#define WEFT_HIST_ENUM(name, unit, text)	WEFT_HIST_##name,
enum weft_hist { WEFT_HISTS(WEFT_HIST_ENUM) WEFT_NHISTS };

#define WEFT_HIST_BUCKETS	40	/* nanoseconds: values of more than 4 minutes are alike */
#define WEFT_HIST_WORDS		(WEFT_HIST_BUCKETS + 1)	/* with the sum */

/* Return: the bucket that counts @value. */
static inline u32 weft_hist_bucket(u64 value)
{
	return value ? min_t(u32, ilog2(value) + 1, WEFT_HIST_BUCKETS - 1) : 0;
}

/* Count @value in the histogram @hist of @c, which has all histograms of a port. */
static inline void weft_hist_add(weft_counters_t c, enum weft_hist hist, u64 value)
{
	u32 first = hist * WEFT_HIST_WORDS;

	weft_counters_add(c, first + weft_hist_bucket(value), 1);
	weft_counters_add(c, first + WEFT_HIST_BUCKETS, value);
}

/* The same for the core @core, if its histograms are on. */
#define weft_measure(core, name, value) do {						\
	if (unlikely(READ_ONCE((core)->conf.histograms)))				\
		weft_hist_add((core)->hist, WEFT_HIST_##name, value);			\
} while (0)

#endif
