/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libfabric's log, caught: what the provider says goes to a file in memory instead of standard
 * error.
 */
#ifndef WEFT_FLOG_H
#define WEFT_FLOG_H

#include <stdbool.h>
#include <stddef.h>

/* Catch the provider's lines of this level ("warn", "info") and above; before the first call. */
bool flog_open(const char *level);
/* Forget what has been said. */
void flog_clear(void);
/* What has been said since, at most @len - 1 bytes. Return: bytes. */
size_t flog_text(char *text, size_t len);

#endif
