/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The engines of the nodes' ports, as the administrator sets them. */
#ifndef WEFT_ENGINE_SET_H
#define WEFT_ENGINE_SET_H

#include <stdbool.h>

/* Run "weftctl port set" with these words, for the port of one node, or for all ports. */
bool engine_set(int node, const char *words);
bool engine_set_all(const char *words);

#endif
