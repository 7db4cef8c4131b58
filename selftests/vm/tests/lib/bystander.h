/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Another program on a node: it has an endpoint, and neither sends nor receives
 */
#ifndef WEFT_BYSTANDER_H
#define WEFT_BYSTANDER_H

#include <stdbool.h>
#include <sys/types.h>

extern pid_t bystander_pid;	/* its process */

/*
 * Begin it. @node: its node. @busy: a thread of it computes, while the first one sleeps. @addr:
 * out: the address of its endpoint, for fi_av_insert()
 */
bool bystander_begin(bool node, bool busy, char addr[64]);
bool bystander_stop(void);
bool bystander_end(void);

#endif
