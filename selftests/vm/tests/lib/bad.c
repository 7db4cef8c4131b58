// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>
#include <rdma/fi_errno.h>
#include "bad.h"
#include "flog.h"

#define CALLS 200

/* texts of the calls that have been refused, one for each name */
static const char *tried[CALLS];
static size_t ntried;

/* The name in the text of a call, which may contain pointers: p->ops->name(). @len: out. */
static const char *name_of(const char *call, size_t *len)
{
	const char *end = strchr(call, '('), *name = end;

	while (name > call && name[-1] != '>' && name[-1] != '.')
		name--;
	*len = (size_t)(end - name);
	return name;
}

static bool was_tried(const char *name, size_t len)
{
	const char *other;
	size_t i, n;

	for (i = 0; i < ntried; i++) {
		other = name_of(tried[i], &n);
		if (n == len && !memcmp(other, name, len))
			return true;
	}
	return false;
}

bool bad_begin(struct pair *p, bool apart, enum fi_ep_type type, uint64_t caps)
{
	struct opts o = { .type = type, .apart = apart, .caps = caps };

	if (!pair_open(p, &o))
		return false;
	flog_clear();
	return true;
}

bool bad_still_works(struct pair *p)
{
	static uint8_t buf[64];
	struct fi_cq_tagged_entry c;

	CHECK(quiet(p->a.txcq) && quiet(p->b.rxcq));
	CHECK_EQ(fi_recv(p->b.ep, buf, sizeof(buf), NULL, FI_ADDR_UNSPEC, p), 0);
	CHECK_EQ(fi_send(p->a.ep, buf, sizeof(buf), NULL, p->a.peer, p), 0);
	CHECK_EQ(completion(p->a.txcq, &c, NULL, NULL), 1);
	CHECK_EQ(completion(p->b.rxcq, &c, NULL, NULL), 1);
	return true;
}

bool bad_refused(const char *call, long long got, long long want)
{
	const char *name;
	char text[64];
	size_t len;
	bool said = flog_text(text, sizeof(text));

	flog_clear();
	name = name_of(call, &len);
	if (!was_tried(name, len) && ntried < CALLS)
		tried[ntried++] = call;
	if (got != want)
		printf("# %s: %lld (%s), expected %lld (%s)\n", call, got, fi_strerror(-got), want,
		       fi_strerror(-want));
	else if (!said)
		printf("# %s: nothing in the log\n", call);
	return got == want && said;
}

bool bad_each(const char *const *names, size_t n)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < n; i++) {
		if (was_tried(names[i], strlen(names[i])))
			continue;
		printf("# %s has been given no wrong argument\n", names[i]);
		ok = false;
	}
	return ok;
}
