/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - function that the layers above object/ need from api/, bound when linking
 */
#ifndef WEFT_OBJECT_UPCALLS_H
#define WEFT_OBJECT_UPCALLS_H

struct weft_out;

/**
 * weft_flush - execute all requests in an output, and those that result from them
 * @out: output; empty afterwards
 *
 * The order is: copies and the processing of their end, transmission (weft_env_tx()), wake-ups,
 * queuing of deferred work. This repeats until nothing is left. Received packets (struct weft_rx)
 * have to stay valid until it returns.
 *
 * Context: no lock is held.
 */
void weft_flush(struct weft_out *out);

#endif
