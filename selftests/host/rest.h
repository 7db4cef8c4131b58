/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a world at rest, as text, so that a test can compare two worlds
 *
 * The text has a line for each endpoint, path, lane and flow. Lines that begin with "=" do not
 * depend on when a packet came, nor with which others. They are equal in all runs without trouble.
 */
#ifndef WEFT_REST_H
#define WEFT_REST_H

#include "traffic.h"

/* Let pending acknowledgements leave, then describe the world. Return: text, to be freed. */
char *rest_of(struct tr *tr);

/*
 * Print the lines that differ. Both texts are cut into lines. @all: also lines that depend on time.
 * Return: how many.
 */
u32 rest_differ(char *a, char *b, bool all);

#endif
