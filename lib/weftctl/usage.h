/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What each process, path or endpoint does, from two looks at all objects. usage.c only computes,
 * so that a test can pass any objects.
 */
#ifndef _WEFTCTL_USAGE_H
#define _WEFTCTL_USAGE_H

#include "diagnose.h"

enum usage_by { USAGE_PROCESS, USAGE_PATH, USAGE_ENDPOINT };

/* What a process, path or endpoint does. A value that it lacks is 0. */
struct usage {
	char port[32];
	struct weft_sockaddr addr;	/* of the endpoint; of the remote node */
	uint32_t pid;
	uint32_t uid;
	uint32_t ctx;			/* endpoints only */
	uint32_t srq;			/* the shared receive queue that it is */
	char comm[16];
	char state[16];			/* of the endpoint, of the path */
	uint32_t endpoints;
	uint64_t sends;			/* under way */
	uint64_t recvs;			/* that wait */
	uint64_t msgs;			/* that wait for a receive */
	uint64_t came;			/* bytes of those that have come */
	uint64_t oldest_ms;		/* the longest wait of all these */
	bool has_messages;		/* these are known */
	uint64_t sent;			/* messages since the look before */
	uint64_t received;
	bool has_bytes;			/* and these */
	uint64_t sent_bytes;		/* of messages; of a path, of UDP payload */
	uint64_t received_bytes;
	uint64_t sent_packets;		/* of a path */
	uint64_t received_packets;
	uint64_t retrans;		/* packets of the path sent again since then */
	uint64_t srtt;			/* of the path, ns */
	uint32_t cwnd;
	uint32_t flight;
};

/* What the kernel has counted of an endpoint or a path since it was made */
struct tally {
	bool is_path;
	char port[32];
	struct weft_sockaddr addr;	/* of the endpoint; of the remote node */
	uint32_t pid;			/* of an endpoint, as the next ones */
	uint32_t uid;
	uint32_t ctx;
	char comm[16];
	uint64_t sent;			/* messages of an endpoint, packets of a path */
	uint64_t received;
	uint64_t sent_bytes;
	uint64_t received_bytes;
};

/* All objects at a time */
struct look {
	struct seen *all;
	size_t n;
	struct tally *tallies;
	size_t ntallies;
};

/*
 * Compute what each does @now. @before: the look before, NULL: there is none, and nothing is known
 * of what was sent since. *@to, for free(), has the busiest first. Return: their number, -1: out of
 * memory
 */
long usage_of(enum usage_by by, const struct look *now, const struct look *before,
	      struct usage **to);

#endif /* _WEFTCTL_USAGE_H */
