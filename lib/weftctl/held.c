// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What programs hold besides endpoints: connections, completion queues and counters, shared receive
 * queues, registered memory
 */
#include "weftctl.h"

static const struct field conn_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_CONN_ROLE, STR, OUT_BARE, "role" },
	{ WEFT_ATTR_EP_PEER, ADDR, OUT_KEY, "peer" },
	{ WEFT_ATTR_CONN_STATE, STR, OUT_KEY, "state" },
	{ WEFT_ATTR_AGE, MS, OUT_KEY, "age_ms" },
	{ WEFT_ATTR_EP_ADDR, ADDR, OUT_KEY, "ep" },
	{ WEFT_ATTR_CTX_ID, UINT, OUT_KEY, "ctx" },
	{ WEFT_ATTR_UID, UINT, OUT_KEY, "uid" },
	{ WEFT_ATTR_PID, UINT, OUT_KEY, "pid" },
	{ WEFT_ATTR_COMM, STR, OUT_KEY, "comm" },
	{ 0 }
};

static const struct field cq_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_KIND, STR, OUT_BARE, "kind" },
	{ WEFT_ATTR_CQ, UINT, OUT_KEY, "cq" },
	{ WEFT_ATTR_CQ_SLOTS, UINT, OUT_KEY, "slots" },
	{ WEFT_ATTR_CQ_UNREAD, UINT, OUT_KEY, "unread" },
	{ WEFT_ATTR_CQ_WAITING, UINT, OUT_KEY, "waiting" },
	{ WEFT_ATTR_AGE, MS, OUT_KEY, "age_ms" },
	{ WEFT_ATTR_CNTR_DONE, UINT, OUT_KEY, "done" },
	{ WEFT_ATTR_CNTR_FAILED, UINT, OUT_KEY, "failed" },
	{ WEFT_ATTR_CQ_WAITER, YES, OUT_KEY, "waiter" },
	{ WEFT_ATTR_CQ_ERROR, YES, OUT_KEY, "error" },
	{ WEFT_ATTR_CTX_ID, UINT, OUT_KEY, "ctx" },
	{ WEFT_ATTR_UID, UINT, OUT_KEY, "uid" },
	{ WEFT_ATTR_PID, UINT, OUT_KEY, "pid" },
	{ WEFT_ATTR_COMM, STR, OUT_KEY, "comm" },
	{ 0 }
};

static const struct field srq_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_SRQ, UINT, OUT_KEY, "srq" },
	{ WEFT_ATTR_EP_POSTED, UINT, OUT_KEY, "posted" },
	{ WEFT_ATTR_SRQ_HELD, UINT, OUT_KEY, "held" },
	{ WEFT_ATTR_SRQ_RECVS, UINT, OUT_KEY, "recvs" },
	{ WEFT_ATTR_SRQ_LOW, UINT, OUT_KEY, "low" },
	{ WEFT_ATTR_CTX_NEP, UINT, OUT_KEY, "ep" },
	{ WEFT_ATTR_SRQ_WAITING, UINT, OUT_KEY, "waiting" },
	{ WEFT_ATTR_CTX_ID, UINT, OUT_KEY, "ctx" },
	{ WEFT_ATTR_UID, UINT, OUT_KEY, "uid" },
	{ WEFT_ATTR_PID, UINT, OUT_KEY, "pid" },
	{ WEFT_ATTR_COMM, STR, OUT_KEY, "comm" },
	{ 0 }
};

static const struct field mr_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_KIND, STR, OUT_BARE, "kind" },
	{ WEFT_ATTR_MR, UINT, OUT_KEY, "mr" },
	{ WEFT_ATTR_MR_KEY, HEX, OUT_KEY, "key" },
	{ WEFT_ATTR_MR_ZONE, UINT, OUT_KEY, "zone" },
	{ WEFT_ATTR_BUF, HEX, OUT_KEY, "addr" },
	{ WEFT_ATTR_LEN, UINT, OUT_KEY, "len" },
	{ WEFT_ATTR_MR_ACCESS, STR, OUT_KEY, "access" },
	{ WEFT_ATTR_MR_USERS, UINT, OUT_KEY, "users" },
	{ WEFT_ATTR_CTX_ID, UINT, OUT_KEY, "ctx" },
	{ WEFT_ATTR_UID, UINT, OUT_KEY, "uid" },
	{ WEFT_ATTR_PID, UINT, OUT_KEY, "pid" },
	{ WEFT_ATTR_COMM, STR, OUT_KEY, "comm" },
	{ 0 }
};

static const struct listing conn_listing = {
	{ "conn", "peer", "state", HAS_EP | HAS_AGE },
	WEFT_CMD_CONN_GET, WEFT_ATTR_EP_PEER, WEFT_ATTR_CONN_STATE, conn_fields,
	"port role peer state age_ms", "connections, and requests for them",
	"asking, asked, accepted, up, closing"
};

static const struct listing cq_listing = {
	{ "cq", NULL, "kind", HAS_AGE }, WEFT_CMD_CQ_GET, 0, WEFT_ATTR_KIND, cq_fields,
	"port kind cq unread waiting age_ms",
	"completion queues and counters",
	"queue, counter"
};

static const struct listing srq_listing = {
	{ "srq", NULL, NULL, 0 }, WEFT_CMD_SRQ_GET, 0, 0, srq_fields,
	"port srq posted held waiting pid", "shared receive queues", NULL
};

static const struct listing mr_listing = {
	{ "mr", NULL, "kind", 0 }, WEFT_CMD_MR_GET, 0, WEFT_ATTR_KIND, mr_fields,
	"port kind key addr len access", "registered memory", "pinned, remote"
};

int do_conn(int argc, char **argv)
{
	return run_listing(&conn_listing, argc, argv);
}

int do_cq(int argc, char **argv)
{
	return run_listing(&cq_listing, argc, argv);
}

int do_srq(int argc, char **argv)
{
	return run_listing(&srq_listing, argc, argv);
}

int do_mr(int argc, char **argv)
{
	return run_listing(&mr_listing, argc, argv);
}
