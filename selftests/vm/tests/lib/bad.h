/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls that are refused: with which error, and with words in the log. Also whether the test has
 * tried all calls of libfabric's tables of operations.
 */
#ifndef WEFT_BAD_H
#define WEFT_BAD_H

#include <stdbool.h>
#include <stddef.h>
#include "fipair.h"

/* Open a pair whose calls are refused from now on. Return: it is open. */
bool bad_begin(struct pair *p, bool apart, enum fi_ep_type type, uint64_t caps);

/* After all refused calls: traffic still works, and no operation completed meanwhile. */
bool bad_still_works(struct pair *p);

/* In a function that has "bool ok": @call returns @want, and the log says why. */
#define BAD(call, want) (ok &= bad_refused(#call, (call), (want)))

/* The call whose text is @call has returned @got. Return: that is @want, and the log has words. */
bool bad_refused(const char *call, long long got, long long want);

/*
 * The names of all calls of a table of operations (a size and pointers). The build fails if the
 * table has others. @fine: how many calls have no argument that could be wrong.
 */
#define BAD_TABLE(names, type, fine)						\
	_Static_assert(sizeof(type) ==						\
		       sizeof(size_t) + sizeof(names) + (fine) * sizeof(void *),	\
		       "a call of " #type " is not tested")

/*
 * Return: each of these calls has been refused since the program began. Prints those that have not.
 */
#define BAD_EACH(names) bad_each(names, sizeof(names) / sizeof((names)[0]))
bool bad_each(const char *const *names, size_t n);

#endif
