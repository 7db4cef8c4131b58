/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The link between the nodes, for rows that want it worse than it is. Whoever changes it ends with
 * link_over(), whatever comes of the row.
 */
#ifndef WEFT_LINK_H
#define WEFT_LINK_H

#include "rows.h"

/* Is there a link between A and B that can be cut? Within a node there is none. */
bool link_there(void);
/* Nothing passes from now on, in either direction; everything passes again. */
bool link_cut(void);
bool link_mend(void);
/* Packets are lost, doubled and reordered, where the link can do that. */
bool link_spoil(void);
/*
 * The row is over, with result @ok, and the link as before. A node that has heard nothing for ten
 * seconds gives up: if a link was cut for half of that, as the machine is very slow, a row that has
 * failed says nothing and is passed over.
 */
bool link_over(bool ok);

#endif
