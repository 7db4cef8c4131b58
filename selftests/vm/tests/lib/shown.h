/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What weftctl(8), or another command, prints on a node
 */
#ifndef WEFT_SHOWN_H
#define WEFT_SHOWN_H

#include <stdbool.h>
#include "fipair.h"

extern char *shown;	/* what the last command printed, weftctl's stderr too */

/* Run a command on a node. Return: its exit status. */
int shell_on(bool node, const char *command);
/* Run "weftctl WORDS" on a node, as shell_on(). */
int weftctl_on(bool node, const char *words);
/* Return: number of lines with @what, "": of all lines. */
unsigned int lines(const char *what);
/* Return: true if so many lines have @what; else what was shown is printed. */
bool says(const char *what, unsigned int times);
/* Run "weftctl WORDS" on a node until a line has @what, for at most WAIT_MS. */
bool wait_for_line(bool node, const char *words, const char *what);

/* The address of a side as weftctl writes it: IPv4 */
bool address(const struct side *s, char text[64]);

#endif
