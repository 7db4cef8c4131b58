/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The link between the nodes, for rows that need a bad one. A row that changes the link ends with
 * link_over(), whatever its result.
 */
#ifndef WEFT_LINK_H
#define WEFT_LINK_H

#include "rows.h"

/* Return: a link between A and B can be cut. Within a node there is none. */
bool link_there(void);
/* No packet passes from now on, in either direction; all packets pass again. */
bool link_cut(void);
bool link_mend(void);
/* Packets are lost, doubled and reordered, where the link can do that. */
bool link_spoil(void);
/*
 * The row is over, with result @ok, and the link is as before. A node that has heard nothing for
 * ten seconds gives up. On a very slow machine a link may have been cut for half of that time. A
 * row that failed proves nothing then, and is skipped.
 */
bool link_over(bool ok);

#endif
