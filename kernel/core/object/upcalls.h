/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - what all layers above object/ ask of api/, bound when linking
 */
#ifndef WEFT_OBJECT_UPCALLS_H
#define WEFT_OBJECT_UPCALLS_H

struct weft_out;

/**
 * weft_flush - do all that the core has put out, and what comes of it
 * @out: output; empty afterwards
 *
 * Copies, and what comes of their being done, then transmit (weft_env_tx()), then wake, then queue
 * cold work; again until nothing is left. Received packets (struct weft_rx) must stay valid until
 * it returns. No lock may be held.
 */
void weft_flush(struct weft_out *out);

#endif
