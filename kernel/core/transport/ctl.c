// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - control chunks: queues of objects that have a chunk to send
 *
 * An object (a message, a flow, a connection) is in the queue of a lane while it has something to
 * say. Its chunk is written when a packet has space for it. So it states what is true then, and an
 * object takes no memory for its chunks. The layer that knows the object writes the chunk
 * (weft_ctl_write()). Chunks without an object are answers: their bytes wait in the queue.
 *
 * Locks: path->lock. See Documentation/locking.rst.
 */
#include "core/transport/emit.h"

static void weft_ctl_hold(struct weft_ctl *ctl)
{
	switch (ctl->kind) {
	case WEFT_CTL_RXM:
		weft_rxm_get(weft_ctl_obj(ctl, struct weft_rxm));
		break;
	case WEFT_CTL_TXM:
		weft_txm_get(weft_ctl_obj(ctl, struct weft_txm));
		weft_ctl_obj(ctl, struct weft_txm)->flow->ref++;
		break;
	case WEFT_CTL_FLOW:
		weft_ctl_obj(ctl, struct weft_flow)->ref++;
		break;
	case WEFT_CTL_CONN:
		refcount_inc(&weft_ctl_obj(ctl, struct weft_conn)->ref);
		break;
	case WEFT_CTL_CHUNK:
		weft_ctl_obj(ctl, struct weft_ctl_chunk)->path->ctl_pending++;
		break;
	}
}

static void weft_ctl_release(struct weft_ctl *ctl, struct weft_out *out)
{
	struct weft_flow *flow;
	struct weft_conn *conn;
	struct weft_ctl_chunk *note;

	ctl->queued = false;
	weft_list_del(&ctl->node);
	switch (ctl->kind) {
	case WEFT_CTL_RXM:
		weft_rxm_put(weft_ctl_obj(ctl, struct weft_rxm));
		break;
	case WEFT_CTL_TXM:
		flow = weft_ctl_obj(ctl, struct weft_txm)->flow;
		weft_txm_put(weft_ctl_obj(ctl, struct weft_txm), out);
		weft_flow_check(flow, out);
		weft_flow_put(flow);
		break;
	case WEFT_CTL_FLOW:
		weft_flow_put(weft_ctl_obj(ctl, struct weft_flow));
		break;
	case WEFT_CTL_CONN:
		conn = weft_ctl_obj(ctl, struct weft_conn);
		if (conn->ctl_pending)
			conn->path->ctl_pending--;
		conn->ctl_pending = false;
		weft_conn_put(conn);
		break;
	case WEFT_CTL_CHUNK:
		note = weft_ctl_obj(ctl, struct weft_ctl_chunk);
		note->path->ctl_pending--;
		weft_free(note);
		break;
	}
}

/**
 * weft_ctl_put - queue an object that has a chunk to send
 * @path: its path; a dead path sends nothing
 * @lane: lane
 * @ctl: part of the object, which is referenced until a record holds the chunk; a note that cannot
 *	be sent is freed
 */
void weft_ctl_put(struct weft_path *path, u8 lane, struct weft_ctl *ctl)
{
	if (path->state == WEFT_PATHS_DEAD) {
		if (ctl->kind == WEFT_CTL_CHUNK)
			weft_free(weft_ctl_obj(ctl, struct weft_ctl_chunk));
		return;
	}
	if (ctl->queued)
		return;
	ctl->queued = true;
	if (ctl->kind == WEFT_CTL_CHUNK)
		weft_ctl_obj(ctl, struct weft_ctl_chunk)->path = path;
	weft_ctl_hold(ctl);
	weft_list_add_tail(&path->lane[lane].ctlq, &ctl->node);
	path->busy |= 1u << lane;
}

/**
 * weft_ctl_drop - remove an object from the queue: it has no chunk to send any more
 * @ctl: part of the object; its path is locked
 * @out: output
 */
void weft_ctl_drop(struct weft_ctl *ctl, struct weft_out *out)
{
	if (ctl->queued)
		weft_ctl_release(ctl, out);
}

/**
 * weft_ctl_build - write the first chunk of the queue
 * @path: the path
 * @lane: the lane; its ctlq is not empty
 * @rec: an open record
 * @out: output
 *
 * Return: true if the record had space for it.
 */
bool weft_ctl_build(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
		    struct weft_out *out)
{
	struct weft_ctl *ctl = weft_entry(weft_list_first(&lane->ctlq), struct weft_ctl, node);
	u32 room = weft_rec_space(rec);
	struct weft_ctl_chunk *note;
	bool more = false;
	u32 n = 0;

	switch (ctl->kind) {
	case WEFT_CTL_CHUNK:
		note = weft_ctl_obj(ctl, struct weft_ctl_chunk);
		if (room >= note->len) {
			memcpy(rec->raw + rec->len, note->chunk, note->len);
			n = note->len;
		}
		break;
	case WEFT_CTL_PING:
		if (room >= weft_wire_size(sizeof(struct weft_w_ping))) {
			n = weft_wire_ping_put(rec->raw + rec->len);
			rec->acknow = true;
		}
		break;
	case WEFT_CTL_MTU:
		if (room >= weft_wire_size(sizeof(struct weft_w_mtu)))
			n = weft_wire_mtu_put(rec->raw + rec->len, path->mtu->own,
					      path->mtu->own_no);
		break;
	default:
		n = weft_ctl_write(ctl, rec, room, &more);
	}
	if (!n && rec->len)
		return false;
	/* the end of a flow is reported when its beginning has been acknowledged */
	if (n && ctl->kind == WEFT_CTL_FLOW)
		weft_rec_ref(rec, weft_ctl_obj(ctl, struct weft_flow), NULL);
	/* an object that writes nothing into an empty record has nothing to send */
	rec->len += n;
	if (!more)
		weft_ctl_release(ctl, out);
	return true;
}

/**
 * weft_ctl_chunk_new - make a chunk without an object: an answer
 * @path: its path, locked
 *
 * The limit bounds the answers to a peer that acknowledges nothing and sends more requests. The
 * congestion window cannot be that bound. Two nodes whose windows are full of requests to each
 * other would wait for each other.
 *
 * Return: a note to be filled in and put to a lane; NULL: no memory, or too many answers wait: the
 * request is not to be taken now.
 */
struct weft_ctl_chunk *weft_ctl_chunk_new(const struct weft_path *path)
{
	struct weft_ctl_chunk *note;

	weft_assert_held(&path->lock);
	if (path->ctl_pending >= WEFT_CTL_PENDING_MAX)
		return NULL;
	note = weft_alloc(sizeof(*note));
	if (note)
		weft_ctl_init(&note->ctl, WEFT_CTL_CHUNK);
	return note;
}
