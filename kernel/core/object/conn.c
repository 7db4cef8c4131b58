// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - connections as objects: references, and the table of a core
 *
 * Locks: core->svc_lock, held by the caller, protects the table.
 */
#include "core/object/object.h"

/**
 * weft_conn_by_id - find a connection
 * @core: the core; core->svc_lock is held
 * @id: id of this node
 *
 * Return: the connection, not referenced, or NULL.
 */
struct weft_conn *weft_conn_by_id(struct weft_core *core, u32 id)
{
	weft_assert_held(&core->svc_lock);
	return weft_index_get(&core->conns, id);
}

/**
 * weft_conn_next - iterate over connections
 * @core: the core; core->svc_lock is not held
 * @id: id at which to begin; out: id of the connection
 *
 * Return: the connection, referenced; NULL: no more.
 */
struct weft_conn *weft_conn_next(struct weft_core *core, u32 *id)
{
	struct weft_conn *conn;

	weft_lock(&core->svc_lock);
	conn = weft_index_next(&core->conns, id);
	if (conn)
		refcount_inc(&conn->ref);
	weft_unlock(&core->svc_lock);
	return conn;
}

/**
 * weft_conn_put - drop a reference
 * @conn: the connection
 */
void weft_conn_put(struct weft_conn *conn)
{
	if (!refcount_dec_and_test(&conn->ref))
		return;
	weft_job_put(conn->job);
	weft_path_put(conn->path);
	weft_free(conn);
}
