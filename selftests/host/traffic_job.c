// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random traffic over the rig: jobs. See traffic_job.h.
 */
#include "core/object/job.h"
#include "traffic_job.h"

static const struct weft_job_who all, one = { .nuid = 1 };

static void name_of(u32 job, char *name, size_t size)
{
	snprintf(name, size, "job%u", job);
}

/* Key number @age of a job: an administrator may change the key. */
static struct weft_job_key key_of(u32 job, u32 age)
{
	return (struct weft_job_key) {
		.secret = { job, 0x5ec7e7 + age }, .print = { job << 8 | age, 0xf00d },
	};
}

static bool yes(const struct weft_job_who *who, const void *arg)
{
	return true;
}

static bool no(const struct weft_job_who *who, const void *arg)
{
	return false;
}

void tr_job_choose(struct tr *tr, struct tr_proc *p)
{
	if (!tr->conf.jobs)
		return;
	/* both ends of a connection are in one job: processes in pairs */
	p->job = tr->conf.msg ? (p->no / 2 + (u32)tr->conf.rig.seed) % (tr->conf.jobs + 1) :
				rig_below(tr->rig, tr->conf.jobs + 1);
}

void tr_job_begin(struct tr *tr, struct tr_proc *p)
{
	struct weft_core *core = &p->proc->node->core;
	struct weft_job_key key = key_of(p->job, 0);
	char name[WEFT_JOB_NAME_MAX];
	struct weft_job *job;
	int err;

	if (!p->job)
		return;
	name_of(p->job, name, sizeof(name));
	err = weft_job_add(core, name, &key, &all);
	if (err && err != -EEXIST)
		tr_die(tr, "job %u cannot be made: %d", p->job, err);
	job = weft_job_enter(core, &key, yes, NULL);
	if (job == ERR_PTR(-EKEYREJECTED)) {
		/* tr_job_admin() has changed the key, so the job is empty */
		err = weft_job_set(core, name, &key, NULL);
		if (err)
			tr_die(tr, "job %u: its key cannot be set: %d", p->job, err);
		job = weft_job_enter(core, &key, yes, NULL);
	}
	if (IS_ERR(job))
		tr_die(tr, "job %u cannot be entered: %ld", p->job, PTR_ERR(job));
	p->proc->job = job;
}

void tr_job_end(struct tr_proc *p)
{
	struct weft_job *job = p->proc->job;

	p->proc->job = NULL;
	if (!job)
		return;
	weft_job_leave(job);
	weft_job_put(job);
}

struct tr_ep *tr_job_peer(struct tr *tr, struct tr_ep *ep, bool own)
{
	u32 i, from = rig_below(tr->rig, tr->neps);

	for (i = 0; i < tr->neps; i++) {
		struct tr_ep *to = &tr->eps[(from + i) % tr->neps];

		bool same = to->proc->job == ep->proc->job;

		if (same == own && (to != ep || tr->conf.self))
			return to;
	}
	/* an endpoint alone in its job sends to itself */
	return own ? ep : NULL;
}

static bool event_there(void *arg)
{
	return weft_eq_ready(arg);
}

void tr_job_intrude(struct tr *tr, struct tr_proc *to, u16 service)
{
	u32 node = to->proc->node->index, i;
	struct tr_proc *p = NULL;
	struct weft_event ev;
	struct rig_cq *cq;
	struct rig_eq *eq;
	struct rig_ep *ep;

	for (i = 0; i < tr->nprocs && !p; i++)
		if (tr->procs[i].job != to->job)
			p = &tr->procs[i];
	if (!p)
		return;
	cq = rig_cq_new(p->proc, 16);
	eq = rig_eq_new(p->proc);
	tr_job_begin(tr, p);
	ep = rig_ep_new(p->proc, WEFT_EP_MSG, 0, 16, 16, 0);
	tr_job_end(p);
	if (!ep || rig_ep_enable(ep, cq, cq, eq, NULL) || rig_connect(ep, node, service, "hi", 2))
		tr_die(tr, "connection to another job cannot be asked for");
	if (!rig_until(tr->rig, event_there, &eq->eq, 5 * NSEC_PER_SEC) ||
	    !rig_eq_read(eq, &ev, NULL) || ev.type != WEFT_EV_CONN_FAILED ||
	    ev.status != ECONNREFUSED)
		tr_die(tr, "connection to another job is not refused");
	if (weft_eq_ready(&to->eq->eq))
		tr_die(tr, "a listener hears of another job");
	rig_ep_free(ep);
}

void tr_job_admin(struct tr *tr)
{
	struct rig_node *node = &tr->rig->node[rig_below(tr->rig, tr->conf.rig.nodes)];
	u32 no_of = 1 + rig_below(tr->rig, tr->conf.jobs);
	struct weft_job_key key = key_of(no_of, 0), other = key_of(no_of, 1);
	struct weft_core *core = &node->core;
	struct weft_job_info info = { 0 };
	struct weft_job *job;
	char name[WEFT_JOB_NAME_MAX];
	int err, want;
	u64 pos = 0;

	if (!node->up)
		return;
	name_of(no_of, name, sizeof(name));
	while (weft_job_look(core, &pos, &info))
		if (!strcmp(info.name, name))
			break;
	want = strcmp(info.name, name) ? -ENOENT : info.users ? -EBUSY : 0;
	switch (rig_below(tr->rig, 4)) {
	case 0:
		err = weft_job_del(core, name);
		break;
	case 1:
		err = weft_job_set(core, name, &other, NULL);
		break;
	case 2:
		err = weft_job_set(core, name, NULL, rig_below(tr->rig, 2) ? &all : &one);
		want = want == -EBUSY ? 0 : want;
		break;
	default:
		job = weft_job_enter(core, &key, no, NULL);
		if (IS_ERR(job))
			return;
		if (want == -ENOENT || info.who.nuid)
			tr_die(tr, "job %u is entered by who may not", no_of);
		weft_job_leave(job);
		weft_job_put(job);
		return;
	}
	if (err != want)
		tr_die(tr, "job %u of %u endpoints: %d", no_of, info.users, err);
}
