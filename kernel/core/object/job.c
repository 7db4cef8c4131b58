// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - jobs: groups of endpoints that communicate only among themselves
 *
 * The administrator gives a port jobs, each with a key. An endpoint is in the job whose key its
 * program has shown. Without a key it is in the default job. Endpoints of different jobs do not
 * exchange messages. Nodes match jobs by key. The name of a job is local to the port and may
 * differ.
 *
 *	known --(weft_job_del(), no endpoint is in it)--> not found; freed with the last reference
 *
 * Within a node the pointers are compared when a flow or a connection begins. Between nodes an
 * authentication code proves that the sender's kernel has an endpoint with the key. The code is a
 * keyed hash of the path's token, of both services and of the flow's generation. The receiver that
 * checks the code has chosen the token at random. So the code answers a challenge, and a code from
 * another path is not valid. Both sides compute the code when a flow begins and compare it with
 * each message; the default job has the code 0. A sender to a group does not know the members. That
 * code is computed from the group's and the sender's address and does not answer a challenge.
 *
 * A key arrives as two halves of a digest (struct weft_job_key). One half makes authentication
 * codes, the other compares keys. This file stores the users of a job; the adapter checks them.
 *
 * Locks: core->job_lock, taken here, protects the list, @users, @key and @who. The job of an
 * endpoint does not change. Its key does not change while endpoints are in it.
 */
#include "core/object/object.h"

/**
 * struct weft_job - a job
 * @node: in core->jobs
 * @ref: the list, structures of endpoints and connections
 * @core: its core
 * @name: its name; constant
 * @no: its number among all jobs of the core, in the order in which they were made; constant
 * @key: digest of its key
 * @who: users that may use it
 * @users: its endpoints, including those being made
 */
struct weft_job {
	struct weft_list node;
	refcount_t ref;
	struct weft_core *core;
	char name[WEFT_JOB_NAME_MAX];
	u64 no;
	struct weft_job_key key;
	struct weft_job_who who;
	u32 users;
};

/*
 * Input of an authentication code between two endpoints, in the same byte order on each machine.
 */
struct weft_auth_flow {
	__be64 token;
	__be32 kind;
	__be16 ssvc;
	__be16 dsvc;
	__be32 sgen;
	__be32 zero;
};

/* Input of the authentication code of a group. */
struct weft_auth_group {
	u8 addr[16];
	u8 from[16];
	__be32 kind;
	__be16 family;
	__be16 dsvc;
	__be16 ssvc;
	__be16 zero;
	__be32 zero2;
};

/* ---- Names and keys -------------------------------------------------------------- */

static bool weft_job_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Return: true for a name of letters and digits, and between them "-", "_" and ".". */
static bool weft_job_named(const char *name)
{
	u32 i;

	for (i = 0; i < WEFT_JOB_NAME_MAX && name[i]; i++)
		if (!weft_job_letter(name[i]) &&
		    (!i || (name[i] != '-' && name[i] != '_' && name[i] != '.')))
			return false;
	return i && i < WEFT_JOB_NAME_MAX;
}

static bool weft_job_counted(const struct weft_job_who *who)
{
	return who->nuid <= WEFT_JOB_WHO && who->ngid <= WEFT_JOB_WHO;
}

/* Find a job by its name. core->job_lock is held. */
static struct weft_job *weft_job_find(struct weft_core *core, const char *name)
{
	struct weft_list *l;

	weft_assert_held(&core->job_lock);
	weft_list_for_each(l, &core->jobs) {
		struct weft_job *job = weft_entry(l, struct weft_job, node);

		if (!strcmp(job->name, name))
			return job;
	}
	return NULL;
}

/* Find the job with a key. core->job_lock is held. */
static struct weft_job *weft_job_of(struct weft_core *core, const struct weft_job_key *key)
{
	struct weft_list *l;

	weft_assert_held(&core->job_lock);
	weft_list_for_each(l, &core->jobs) {
		struct weft_job *job = weft_entry(l, struct weft_job, node);

		if (job->key.print[0] == key->print[0] && job->key.print[1] == key->print[1])
			return job;
	}
	return NULL;
}

/* ---- Calls of the administrator -------------------------------------------------- */

/* Check a new job. core->job_lock is held. Return: 0, negative errno: it cannot be added. */
static int weft_job_fits(struct weft_core *core, const char *name, const struct weft_job_key *key)
{
	weft_assert_held(&core->job_lock);
	if (READ_ONCE(core->stopped))
		return -ENODEV;
	if (weft_job_find(core, name))
		return -EEXIST;
	if (weft_job_of(core, key))
		return -EADDRINUSE;
	if (core->njobs < READ_ONCE(core->conf.jobs_max))
		return 0;
	weft_limit_hit(core, limit_jobs, WEFT_NOTE_NO_UID);
	return -ENOSPC;
}

int weft_job_add(struct weft_core *core, const char *name, const struct weft_job_key *key,
		 const struct weft_job_who *who)
{
	struct weft_job *job;
	int err;

	if (!weft_job_named(name) || !weft_job_counted(who))
		return -EINVAL;
	job = weft_alloc_sleep(sizeof(*job));
	if (!job)
		return -ENOMEM;
	refcount_set(&job->ref, 1);
	job->core = core;
	memcpy(job->name, name, strlen(name));
	job->key = *key;
	job->who = *who;
	weft_lock(&core->job_lock);
	err = weft_job_fits(core, name, key);
	if (!err) {
		job->no = core->next_job++;
		weft_list_add_tail(&core->jobs, &job->node);
		core->njobs++;
		core->njobs_most = max(core->njobs_most, core->njobs);
	}
	weft_unlock(&core->job_lock);
	if (err)
		weft_free(job);
	return err;
}

int weft_job_set(struct weft_core *core, const char *name, const struct weft_job_key *key,
		 const struct weft_job_who *who)
{
	struct weft_job *job, *other;
	int err = 0;

	if (who && !weft_job_counted(who))
		return -EINVAL;
	weft_lock(&core->job_lock);
	job = weft_job_find(core, name);
	other = key ? weft_job_of(core, key) : NULL;
	if (!job)
		err = -ENOENT;
	else if (other && other != job)
		err = -EADDRINUSE;
	else if (key && !other && job->users)
		err = -EBUSY;
	if (!err && key)
		job->key = *key;
	if (!err && who)
		job->who = *who;
	weft_unlock(&core->job_lock);
	return err;
}

int weft_job_del(struct weft_core *core, const char *name)
{
	struct weft_job *job;
	int err = 0;

	weft_lock(&core->job_lock);
	job = weft_job_find(core, name);
	if (!job)
		err = -ENOENT;
	else if (job->users)
		err = -EBUSY;
	if (!err) {
		weft_list_del(&job->node);
		core->njobs--;
	}
	weft_unlock(&core->job_lock);
	if (!err)
		weft_job_put(job);
	return err;
}

bool weft_job_look(struct weft_core *core, u64 *pos, struct weft_job_info *info)
{
	struct weft_list *l;
	bool found = false;

	weft_lock(&core->job_lock);
	weft_list_for_each(l, &core->jobs) {
		struct weft_job *job = weft_entry(l, struct weft_job, node);

		found = job->no >= *pos;
		if (!found)
			continue;
		*pos = job->no + 1;
		memcpy(info->name, job->name, sizeof(info->name));
		info->users = job->users;
		info->who = job->who;
		break;
	}
	weft_unlock(&core->job_lock);
	return found;
}

/**
 * weft_job_forget_all - release all jobs of a port that has gone
 * @core: the core, without endpoints
 */
void weft_job_forget_all(struct weft_core *core)
{
	struct weft_list *l;

	while ((l = weft_list_first(&core->jobs))) {
		struct weft_job *job = weft_entry(l, struct weft_job, node);

		WARN_ON_ONCE(job->users);
		weft_list_del(l);
		weft_job_put(job);
	}
}

/* ---- Endpoints ------------------------------------------------------------------- */

struct weft_job *weft_job_enter(struct weft_core *core, const struct weft_job_key *key,
				bool (*may)(const struct weft_job_who *who, const void *arg),
				const void *arg)
{
	struct weft_job *job;

	weft_lock(&core->job_lock);
	job = weft_job_of(core, key);
	if (!job) {
		job = ERR_PTR(-EKEYREJECTED);
	} else if ((job->who.nuid || job->who.ngid) && !may(&job->who, arg)) {
		job = ERR_PTR(-EACCES);
	} else {
		job->users++;
		refcount_inc(&job->ref);
	}
	weft_unlock(&core->job_lock);
	return job;
}

/**
 * weft_job_join - count one more endpoint in a job
 * @job: a job that the caller has entered
 *
 * Return: the job, referenced.
 */
struct weft_job *weft_job_join(struct weft_job *job)
{
	weft_lock(&job->core->job_lock);
	job->users++;
	weft_unlock(&job->core->job_lock);
	return weft_job_get(job);
}

void weft_job_leave(struct weft_job *job)
{
	weft_lock(&job->core->job_lock);
	job->users--;
	weft_unlock(&job->core->job_lock);
}

/**
 * weft_job_get - take a reference on a job
 * @job: the job, or NULL
 *
 * Return: the job.
 */
struct weft_job *weft_job_get(struct weft_job *job)
{
	if (job)
		refcount_inc(&job->ref);
	return job;
}

void weft_job_put(struct weft_job *job)
{
	if (!job || !refcount_dec_and_test(&job->ref))
		return;
	memset(&job->key, 0, sizeof(job->key));
	weft_free(job);
}

/* Return: the name of a job, which is constant; NULL: the default job, which has none. */
const char *weft_job_name(const struct weft_job *job)
{
	return job ? job->name : NULL;
}

/* ---- Authentication codes -------------------------------------------------------------------- */

static u64 weft_job_hash(const struct weft_job *job, const void *seed, size_t len)
{
	return weft_siphash(seed, len, job->key.secret) >> (64 - WEFT_AUTH_BITS) ?: 1;
}

/**
 * weft_job_auth - compute the authentication code of messages between two endpoints
 * @job: their job, NULL: the default one
 * @token: token of the path, chosen by the receiver
 * @id: the flow; @dgen and @mseq are not used
 * @kind: WEFT_AUTH_*, but not GROUP: a code of one kind is not valid for another
 *
 * Return: the authentication code, 0 for the default job.
 */
u64 weft_job_auth(const struct weft_job *job, u64 token, const struct weft_flowid *id, u32 kind)
{
	struct weft_auth_flow seed;

	if (likely(!job))
		return 0;
	seed.token = cpu_to_be64(token);
	seed.kind = cpu_to_be32(kind);
	seed.ssvc = cpu_to_be16(id->ssvc);
	seed.dsvc = cpu_to_be16(id->dsvc);
	/* a datagram carries no flow generation */
	seed.sgen = cpu_to_be32(kind == WEFT_AUTH_DGRAM ? 0 : id->sgen);
	seed.zero = 0;
	return weft_job_hash(job, &seed, sizeof(seed));
}

/**
 * weft_job_auth_group - compute the authentication code of datagrams to a group
 * @job: their job, NULL: the default one
 * @group: the group
 * @from: the sending endpoint; it has the group's family, its scope is not used
 *
 * Return: the authentication code, 0 for the default job.
 */
u64 weft_job_auth_group(const struct weft_job *job, const struct weft_sockaddr *group,
			const struct weft_sockaddr *from)
{
	struct weft_auth_group seed = {};

	if (!job)
		return 0;
	BUILD_BUG_ON(sizeof(seed.addr) != sizeof(group->addr));
	memcpy(seed.addr, group->addr, sizeof(seed.addr));
	memcpy(seed.from, from->addr, sizeof(seed.from));
	seed.kind = cpu_to_be32(WEFT_AUTH_GROUP);
	/* the value of AF_INET6 differs between systems */
	seed.family = cpu_to_be16(group->family == AF_INET6 ? 6 : 4);
	seed.dsvc = group->port;
	seed.ssvc = from->port;
	return weft_job_hash(job, &seed, sizeof(seed));
}

/**
 * weft_job_cm_auth - write the authentication code of a REQ or a REP
 * @conn: the connection; its path is locked
 * @w: the chunk, whose status and last message have no other use
 */
void weft_job_cm_auth(const struct weft_conn *conn, struct weft_w_cm *w)
{
	u64 auth = weft_job_auth(conn->job, weft_path_challenge(conn->path), &conn->fid,
				 WEFT_AUTH_CM);

	weft_assert_held(&conn->path->lock);
	w->status = cpu_to_be16((u16)(auth >> 32));
	w->last = cpu_to_be32((u32)auth);
}

/**
 * weft_job_cm_ok - check the authentication code of a REQ or a REP
 * @path: the path of the chunk, locked
 * @job: job of the endpoint that receives it
 * @w: the chunk
 * @f: its flow
 *
 * Return: true if it is valid; else it is counted.
 */
bool weft_job_cm_ok(struct weft_path *path, const struct weft_job *job, const struct weft_w_cm *w,
		    const struct weft_flowid *f)
{
	u64 auth = (u64)be16_to_cpu(w->status) << 32 | be32_to_cpu(w->last);

	weft_assert_held(&path->lock);
	if (auth == weft_job_auth(job, path->token, f, WEFT_AUTH_CM))
		return true;
	weft_count(path->core, wrong_job);
	return false;
}

/**
 * weft_flow_auth - compute a flow's authentication code for the present token of its path
 * @flow: the flow; its path is locked, and UP
 */
void weft_flow_auth(struct weft_flow *flow)
{
	const struct weft_job *job = flow->ep->job;

	weft_assert_held(&flow->path->lock);
	if (likely(!job) || flow->lep)
		return;
	flow->auth = flow->path->group ? weft_job_auth_group(job, &flow->peer, &flow->ep->addr) :
		     weft_job_auth(job, weft_path_challenge(flow->path), &flow->id,
				   flow->ep->conf.type == WEFT_EP_DGRAM ? WEFT_AUTH_DGRAM :
									  WEFT_AUTH_FLOW);
}
