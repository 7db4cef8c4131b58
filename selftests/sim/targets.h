/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulator: targets, and a list of those that are missed today
 *
 * A target that is missed fails the run, unless the list has its name. A target of the list that is
 * met fails the run, too: its name has to leave the list.
 */
#ifndef WEFT_SIM_TARGETS_H
#define WEFT_SIM_TARGETS_H

#include "sim.h"

#define TARGETS		128	/* names in the list */
#define TARGET_NAME	48	/* bytes of a name, with its end */

/**
 * struct targets - targets of a run
 * @file: the list: a name on each line, then perhaps # and a comment
 * @name: names of the list
 * @seen: the run has judged this name
 * @n: how many
 * @judged: targets of the run
 * @known: targets that are missed and in the list
 * @wrong: targets that fail the run
 */
struct targets {
	const char *file;
	char name[TARGETS][TARGET_NAME];
	bool seen[TARGETS];
	u32 n;
	u32 judged;
	u32 known;
	u32 wrong;
};

/* Read the list. Dies when it cannot be read. */
void targets_read(struct targets *t, const char *file);
/* The target @name is @met. Return: text of the verdict. */
const char *targets_judge(struct targets *t, const char *name, bool met);
/*
 * After the last target; @all: the run had all of them, so that a name of the list that was not
 * judged is none. Prints a summary. Return: the run has not failed.
 */
bool targets_end(struct targets *t, bool all);

#endif
