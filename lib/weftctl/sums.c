// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Statistics of endpoints and paths: sums over their flows.
 */
#include <string.h>
#include <netlink/attr.h>

#include "weftctl.h"

#define SUMS 7

static const char *const names[SUMS] = {
	"flows_out", "flows_in", "waiting", "unacked", "oldest_ms", "unmatched", "gaps",
};

int collect_sums(struct sums *sums, const char *what, const char *port)
{
	return collect(WEFT_CMD_FLOW_GET, what, port, NULL, NULL, &sums->flows);
}

void release_sums(struct sums *sums)
{
	release(&sums->flows);
}

/* Does the flow belong to the endpoint or path with this address? */
static bool is_of(const struct sums *sums, const struct answer *flow, const char *port,
		  const struct weft_sockaddr *addr)
{
	struct weft_sockaddr is;
	char name[WEFT_NAME_MAX];

	find_text(name, sizeof(name), flow->attrs, flow->len, WEFT_ATTR_PORT_NAME);
	if (strcmp(name, port) ||
	    !find_addr(&is, flow->attrs, flow->len,
		       sums->peers ? WEFT_ATTR_FLOW_PEER : WEFT_ATTR_EP_ADDR))
		return false;
	return is.family == addr->family && is.scope == addr->scope &&
	       !memcmp(is.addr, addr->addr, sizeof(is.addr)) &&
	       (sums->peers || is.port == addr->port);
}

static void print_all(const uint64_t sums[SUMS])
{
	size_t i;

	for (i = 0; i < SUMS; i++)
		out_uint(names[i], OUT_KEY, sums[i]);
}

void print_sums(const struct sums *sums, struct nlattr *attrs, int len)
{
	uint64_t out = 0, in = 0, waiting = 0, unacked = 0, unmatched = 0, gaps = 0;
	uint64_t age, oldest = 0;
	struct weft_sockaddr addr;
	char port[WEFT_NAME_MAX], way[8];
	const struct answer *f;

	find_text(port, sizeof(port), attrs, len, WEFT_ATTR_PORT_NAME);
	find_addr(&addr, attrs, len, sums->peers ? WEFT_ATTR_PATH_ADDR : WEFT_ATTR_EP_ADDR);
	for (f = sums->flows.all; f < sums->flows.all + sums->flows.n; f++) {
		if (!is_of(sums, f, port, &addr))
			continue;
		find_text(way, sizeof(way), f->attrs, f->len, WEFT_ATTR_FLOW_WAY);
		if (!strcmp(way, "in")) {
			in++;
			unmatched += find_uint(f->attrs, f->len, WEFT_ATTR_FLOW_WAITING);
			gaps += !!find_uint(f->attrs, f->len, WEFT_ATTR_FLOW_EARLY);
			continue;
		}
		out++;
		waiting += find_uint(f->attrs, f->len, WEFT_ATTR_FLOW_WAITING);
		unacked += find_uint(f->attrs, f->len, WEFT_ATTR_FLOW_UNACKED);
		age = find_uint(f->attrs, f->len, WEFT_ATTR_AGE);
		oldest = age > oldest ? age : oldest;
	}
	const uint64_t all[SUMS] = { out, in, waiting, unacked, oldest / 1000000, unmatched, gaps };

	print_all(all);
}

void print_sums_meanings(void)
{
	size_t i;

	for (i = 0; i < SUMS; i++)
		note_counter(names[i]);
}
