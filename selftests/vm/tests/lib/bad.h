/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls that are refused: with which error, that the log says something about it, and whether all
 * calls of libfabric's tables of operations have been tried.
 */
#ifndef WEFT_BAD_H
#define WEFT_BAD_H

#include <stdbool.h>
#include <stddef.h>
#include "fipair.h"

/* A pair whose calls are refused from now on. Return: it is open. */
bool bad_begin(struct pair *p, bool apart, enum fi_ep_type type, uint64_t caps);

/* After all that was refused: what moved before still moves, and nothing completed meanwhile. */
bool bad_still_works(struct pair *p);

/* In a function that has "bool ok": @call returns @want, and the log says why. */
#define BAD(call, want) (ok &= bad_refused(#call, (call), (want)))

/* The call whose text is @call has returned @got. Return: it should, and something was said. */
bool bad_refused(const char *call, long long got, long long want);

/*
 * The names of all calls of a table of operations, which is a size and pointers: does not build if
 * there are others. @fine: how many calls have no argument that could be wrong.
 */
#define BAD_TABLE(names, type, fine)						\
	_Static_assert(sizeof(type) ==						\
		       sizeof(size_t) + sizeof(names) + (fine) * sizeof(void *),	\
		       "a call of " #type " is not tested")

/* Has each of these calls been refused since the program began? Says which has not. */
#define BAD_EACH(names) bad_each(names, sizeof(names) / sizeof((names)[0]))
bool bad_each(const char *const *names, size_t n);

#endif
