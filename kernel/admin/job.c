// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - requests about jobs, of the generic netlink family "weft"
 *
 * The key arrives in an attribute. dev/key.c makes a digest of it, and the key is wiped out of the
 * message. No answer contains it. Dumps are in dump.c.
 *
 * The functions take no lock; the core has its own.
 */
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/weft_netlink.h>
#include <net/genetlink.h>

#include "../dev/dev.h"
#include "../port/port.h"
#include "netlink.h"

/** weft_job_policy - attributes of the requests */
const struct nla_policy weft_job_policy[WEFT_ATTR_JOB_ALL + 1] = {
	[WEFT_ATTR_PORT_NAME] = WEFT_NAME_POLICY,
	[WEFT_ATTR_JOB_NAME] = { .type = NLA_NUL_STRING, .len = WEFT_JOB_NAME_MAX - 1 },
	[WEFT_ATTR_JOB_KEY] = { .type = NLA_BINARY, .len = WEFT_KEY_MAX },
	[WEFT_ATTR_JOB_UID] = { .type = NLA_U32 },
	[WEFT_ATTR_JOB_GID] = { .type = NLA_U32 },
	[WEFT_ATTR_JOB_ALL] = { .type = NLA_FLAG },
};

/**
 * struct weft_nl_job - a request
 * @port: the port, referenced
 * @name: name of the job
 * @has_key: @key is valid
 * @has_who: @who is valid
 * @key: digest of the job's key
 * @who: users and groups that may use it
 */
struct weft_nl_job {
	struct weft_port *port;
	const char *name;
	bool has_key;
	bool has_who;
	struct weft_job_key key;
	struct weft_job_who who;
};

static int weft_nl_job_key(struct weft_nl_job *req, struct nlattr *attr,
			   struct netlink_ext_ack *extack)
{
	if (nla_len(attr) < WEFT_KEY_MIN) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "the key is too short: it must have 16 to 256 bytes");
		return -EINVAL;
	}
	weft_key_digest(&req->key, nla_data(attr), nla_len(attr));
	memzero_explicit(nla_data(attr), nla_len(attr));
	req->has_key = true;
	return 0;
}

/* Add a user or group that may use the job. Numbers are those of the caller's user namespace. */
static int weft_nl_job_one(struct weft_job_who *who, const struct nlattr *attr,
			   struct netlink_ext_ack *extack)
{
	bool group = nla_type(attr) == WEFT_ATTR_JOB_GID;
	u32 *n = group ? &who->ngid : &who->nuid;
	kuid_t uid = make_kuid(current_user_ns(), nla_get_u32(attr));
	kgid_t gid = make_kgid(current_user_ns(), nla_get_u32(attr));

	if (group ? !gid_valid(gid) : !uid_valid(uid)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "there can be no user or group of that number");
		return -EINVAL;
	}
	if (*n == WEFT_JOB_WHO) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "at most 64 users and 64 groups can be named; make a group of them");
		return -E2BIG;
	}
	if (group)
		who->gid[who->ngid++] = __kgid_val(gid);
	else
		who->uid[who->nuid++] = __kuid_val(uid);
	return 0;
}

static int weft_nl_job_who(struct weft_nl_job *req, struct genl_info *info)
{
	const struct nlattr *attr;
	int left, err = 0;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, left) {
		if (nla_type(attr) != WEFT_ATTR_JOB_UID && nla_type(attr) != WEFT_ATTR_JOB_GID)
			continue;
		err = weft_nl_job_one(&req->who, attr, info->extack);
		if (err)
			return err;
	}
	req->has_who = req->who.nuid || req->who.ngid;
	if (!info->attrs[WEFT_ATTR_JOB_ALL])
		return 0;
	if (req->has_who) {
		NL_SET_ERR_MSG(info->extack,
			       "either users and groups may use it, or whoever has the key");
		return -EINVAL;
	}
	req->has_who = true;
	return 0;
}

/* Parse the common attributes of requests. @req: zeroed; after a failure it holds nothing. */
static int weft_nl_job_begin(struct weft_nl_job *req, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	int err = 0;

	if (!attrs[WEFT_ATTR_PORT_NAME] || !attrs[WEFT_ATTR_JOB_NAME]) {
		NL_SET_ERR_MSG(info->extack, "say which job of which port");
		return -EINVAL;
	}
	req->name = nla_data(attrs[WEFT_ATTR_JOB_NAME]);
	if (attrs[WEFT_ATTR_JOB_KEY])
		err = weft_nl_job_key(req, attrs[WEFT_ATTR_JOB_KEY], info->extack);
	if (!err)
		err = weft_nl_job_who(req, info);
	if (err)
		return err;
	req->port = weft_nl_port(info);
	return req->port ? 0 : -ENODEV;
}

/* Explain an error in words. @err: result of the core. Return: @err. */
static int weft_nl_job_end(const struct weft_nl_job *req, struct genl_info *info, int err)
{
	weft_port_put(req->port);
	switch (err) {
	case -EINVAL:
		NL_SET_ERR_MSG(info->extack,
			       "that is no name of a job: letters and digits, and '-', '_', '.' within");
		break;
	case -EEXIST:
		NL_SET_ERR_MSG(info->extack, "there is a job of this name; see 'job show'");
		break;
	case -EADDRINUSE:
		NL_SET_ERR_MSG(info->extack, "another job of the port has this key");
		break;
	case -ENOSPC:
		NL_SET_ERR_MSG(info->extack,
			       "the port has as many jobs as it may: see the limit 'jobs'");
		break;
	case -ENODEV:
		NL_SET_ERR_MSG(info->extack, "the port is going");
		break;
	case -ENOENT:
		NL_SET_ERR_MSG(info->extack, "no such job; see 'job show'");
		break;
	case -EBUSY:
		NL_SET_ERR_MSG(info->extack, "endpoints are in the job; see 'ep show'");
		break;
	}
	return err;
}

typedef int (*weft_nl_job_fn)(struct weft_nl_job *req, struct genl_info *info);

/* The request is too large for the stack. */
static int weft_nl_job_do(struct genl_info *info, weft_nl_job_fn fn)
{
	struct weft_nl_job *req = kzalloc(sizeof(*req), GFP_KERNEL);
	int err;

	if (!req)
		return -ENOMEM;
	err = weft_nl_job_begin(req, info);
	if (!err)
		err = weft_nl_job_end(req, info, fn(req, info));
	kfree_sensitive(req);
	return err;
}

static int weft_nl_job_adds(struct weft_nl_job *req, struct genl_info *info)
{
	return weft_job_add(&req->port->core, req->name, &req->key, &req->who);
}

static int weft_nl_job_sets(struct weft_nl_job *req, struct genl_info *info)
{
	return weft_job_set(&req->port->core, req->name, req->has_key ? &req->key : NULL,
			    req->has_who ? &req->who : NULL);
}

static int weft_nl_job_dels(struct weft_nl_job *req, struct genl_info *info)
{
	return weft_job_del(&req->port->core, req->name);
}

/* ---- For netlink.c; context of all: process -------------------------------------------------- */

/**
 * weft_nl_job_add - WEFT_CMD_JOB_ADD
 * @skb: the request
 * @info: the same, parsed
 *
 * Return: 0 or a negative errno, explained in words.
 */
int weft_nl_job_add(struct sk_buff *skb, struct genl_info *info)
{
	if (!info->attrs[WEFT_ATTR_JOB_KEY]) {
		NL_SET_ERR_MSG(info->extack, "a job needs a key");
		return -EINVAL;
	}
	return weft_nl_job_do(info, weft_nl_job_adds);
}

/**
 * weft_nl_job_set - WEFT_CMD_JOB_SET
 * @skb: the request
 * @info: the same, parsed
 *
 * Return: as weft_nl_job_add().
 */
int weft_nl_job_set(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_job_do(info, weft_nl_job_sets);
}

/**
 * weft_nl_job_del - WEFT_CMD_JOB_DEL
 * @skb: the request
 * @info: the same, parsed
 *
 * Return: as weft_nl_job_add().
 */
int weft_nl_job_del(struct sk_buff *skb, struct genl_info *info)
{
	return weft_nl_job_do(info, weft_nl_job_dels);
}
