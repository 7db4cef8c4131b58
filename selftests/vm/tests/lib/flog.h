/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libfabric's log, caught: the provider's messages go to a file in memory instead of standard
 * error.
 */
#ifndef WEFT_FLOG_H
#define WEFT_FLOG_H

#include <stdbool.h>
#include <stddef.h>

/* Catch the provider's lines of this level ("warn", "info") and above; before the first call. */
bool flog_open(const char *level);
/* Forget the messages so far. */
void flog_clear(void);
/* Copy the messages since then, at most @len - 1 bytes. Return: bytes. */
size_t flog_text(char *text, size_t len);

#endif
