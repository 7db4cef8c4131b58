/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - bounded rates: a bucket of tokens, which gains one in each gap while it is not full
 *
 * Locks: none; the caller's.
 */
#ifndef WEFT_RATE_H
#define WEFT_RATE_H

#include "core/base/env.h"

/**
 * weft_rate_at - when is there a token?
 * @full: when the bucket is full
 * @burst: tokens in a full bucket
 * @gap: time in which it gains one
 *
 * Return: when the next token is there; a time that has passed: there is one.
 */
static inline weft_ns weft_rate_at(weft_ns full, u32 burst, weft_ns gap)
{
	const weft_ns most = (burst - 1) * gap;

	return full > most ? full - most : 0;
}

/**
 * weft_rate_token - use a token
 * @full: when the bucket is full; 0 in the beginning
 * @burst: as in weft_rate_at()
 * @gap: as in weft_rate_at()
 * @now: time
 *
 * Return: true if there was one.
 */
static inline bool weft_rate_token(weft_ns *full, u32 burst, weft_ns gap, weft_ns now)
{
	if (weft_rate_at(*full, burst, gap) > now)
		return false;
	*full = max(*full, now) + gap;
	return true;
}

#endif
