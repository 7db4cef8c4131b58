// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - triggers: waiting, firing, canceling. object/trigger.h has the states
 *
 * A counter steps under any lock. It then only compares two numbers (queue/cq.c). If a threshold
 * is reached, a worker of the context comes here. It moves the triggers to their endpoints, whose
 * rings a worker drains next. WEFT_TRIGGER_BATCH triggers fire in a row; then other work of the
 * context has its turn. So triggers that feed one another for ever do not keep it.
 *
 * Locks: set->mutex, taken here; inside of it ep->lock and cq->lock, one at a time.
 */
#include "core/trigger/trigger.h"
#include "core/matching/matching.h"

#define WEFT_TRIGGER_BATCH	64	/* triggers that fire in a row */

/* calls.h has the descriptions. */
void weft_triggers_init(struct weft_triggers *set, void *ctx)
{
	weft_mutex_init(&set->mutex);
	weft_list_init(&set->all);
	set->ctx = ctx;
}

static struct weft_cq *weft_trigger_ref(struct weft_cq *cntr)
{
	if (cntr)
		weft_cq_get(cntr);
	return cntr;
}

struct weft_trigger *weft_trigger_new(struct weft_memctx *mc, const struct weft_trigger_conf *conf)
{
	u32 slots = conf->nslots ? roundup_pow_of_two(conf->nslots) : 0;
	struct weft_trigger *t = weft_alloc_sleep_for(mc, struct_size(t, slots, slots));

	if (!t)
		return NULL;
	weft_list_init(&t->all);
	weft_list_init(&t->node);
	t->cntr = weft_trigger_ref(conf->cntr);
	t->done = weft_trigger_ref(conf->done);
	t->target = weft_trigger_ref(conf->target);
	t->ep = conf->ep;
	if (t->ep)
		weft_ep_get(t->ep);
	t->op = conf->op;
	t->flags = conf->flags;
	t->zone = conf->zone;
	t->nslots = conf->nslots;
	t->threshold = conf->threshold;
	t->id = conf->id;
	t->value = conf->value;
	return t;
}

/* ---- At counters ----------------------------------------------------------------- */

static struct weft_list *weft_trigger_list(const struct weft_trigger *t)
{
	return &t->cntr->trip.list[t->flags & WEFT_TRIGGERF_BOTH ? 1 : 0];
}

/* Return: the first trigger of a list, NULL: there is none. set->mutex is held. */
static struct weft_trigger *weft_trigger_first(const struct weft_list *list)
{
	struct weft_list *l = weft_list_first(list);

	return l ? weft_entry(l, struct weft_trigger, node) : NULL;
}

/* Count or uncount a waiting trigger at the counters that it names. set->mutex is held. */
static void weft_trigger_names(const struct weft_trigger *t, int n)
{
	weft_mutex_assert_held(&t->cntr->trip.set->mutex);
	WRITE_ONCE(t->cntr->trip.named, t->cntr->trip.named + n);
	if (t->done)
		WRITE_ONCE(t->done->trip.named, t->done->trip.named + n);
	if (t->target)
		WRITE_ONCE(t->target->trip.named, t->target->trip.named + n);
}

/* Put a trigger into the list of its counter, behind those of the same threshold. */
static void weft_trigger_enter(struct weft_triggers *set, struct weft_trigger *t)
{
	struct weft_list *list = weft_trigger_list(t), *at;

	weft_mutex_assert_held(&set->mutex);
	for (at = list->prev; at != list; at = at->prev)
		if (weft_entry(at, struct weft_trigger, node)->threshold <= t->threshold)
			break;
	/* behind @at */
	weft_list_add(at, &t->node);
	weft_list_add_tail(&set->all, &t->all);
	t->no = set->next++;
	set->n++;
	weft_trigger_names(t, 1);
}

/* Take a waiting trigger off its lists. The lowest thresholds are set by the caller. */
static void weft_trigger_leave(struct weft_triggers *set, struct weft_trigger *t)
{
	weft_mutex_assert_held(&set->mutex);
	weft_list_del(&t->node);
	weft_list_del(&t->all);
	set->n--;
	weft_trigger_names(t, -1);
}

/* Tell a counter its lowest thresholds; it defers its work if one has been reached. */
static void weft_trigger_arm(struct weft_triggers *set, struct weft_cq *cntr, struct weft_out *out)
{
	u64 at[WEFT_TRIPS] = { 0 };
	u32 which = 0, i;

	weft_mutex_assert_held(&set->mutex);
	for (i = 0; i < WEFT_TRIPS; i++) {
		struct weft_trigger *t = weft_trigger_first(&cntr->trip.list[i]);

		if (!t)
			continue;
		which |= 1u << i;
		at[i] = t->threshold;
	}
	weft_cntr_trip(cntr, which, at, out);
}

/*
 * Return: the next trigger of a counter whose threshold has been reached, NULL: none. set->mutex is
 * held.
 */
static struct weft_trigger *weft_trigger_due(struct weft_cq *cntr)
{
	struct weft_trigger *due = NULL, *t;
	u64 value[WEFT_TRIPS];
	u32 i;

	weft_mutex_assert_held(&cntr->trip.set->mutex);
	if (!weft_cntr_values(cntr, value))
		return NULL;
	for (i = 0; i < WEFT_TRIPS; i++) {
		t = weft_trigger_first(&cntr->trip.list[i]);
		if (!t || t->threshold > value[i])
			continue;
		if (!due || t->threshold < due->threshold ||
		    (t->threshold == due->threshold && t->no < due->no))
			due = t;
	}
	return due;
}

/* ---- Firing ---------------------------------------------------------------------- */

/* Give a trigger to its endpoint. @t: in no list; freed if the endpoint is dead. */
static void weft_trigger_give(struct weft_trigger *t, struct weft_out *out)
{
	struct weft_ep *ep = t->ep;
	bool dead;

	/* the endpoint's list needs no reference: it ends before the endpoint */
	t->ep = NULL;
	weft_lock(&ep->lock);
	dead = ep->state == WEFT_EPS_DEAD;
	if (!dead && t->op == WEFT_TRIGGER_SEND) {
		weft_list_add_tail(&ep->tx.fired, &t->node);
		WRITE_ONCE(ep->tx.aside, true);
		weft_ep_sq_defer(ep, out);
	} else if (!dead) {
		weft_list_add_tail(&ep->rx.fired, &t->node);
		weft_recv_later(ep, out);
	}
	weft_unlock(&ep->lock);
	if (dead)
		weft_trigger_free(t);
	weft_ep_put(ep);
}

/* Fire a trigger that has left its lists. */
static void weft_trigger_fire(struct weft_trigger *t, struct weft_out *out)
{
	struct weft_cq *cntr = t->cntr;

	t->cntr = NULL;
	if (t->ep) {
		weft_trigger_give(t, out);
	} else {
		weft_cntr_change(t->target, t->value,
				 t->op == WEFT_TRIGGER_ADD ? WEFT_CNTRF_ADD : 0, out);
		weft_trigger_free(t);
	}
	weft_cq_put(cntr);
}

void weft_trigger_work(struct weft_cq *cntr, weft_ns now, struct weft_out *out)
{
	struct weft_triggers *set = cntr->trip.set;
	struct weft_trigger *t;
	u32 n;

	out->now = now;
	weft_mutex_lock(&set->mutex);
	weft_cntr_tripped(cntr);
	for (n = 0; n < WEFT_TRIGGER_BATCH && (t = weft_trigger_due(cntr)); n++) {
		weft_trigger_leave(set, t);
		weft_trigger_fire(t, out);
	}
	/* defers the work again if more are due */
	weft_trigger_arm(set, cntr, out);
	weft_mutex_unlock(&set->mutex);
	weft_cq_put(cntr);
}

/* ---- Adding ---------------------------------------------------------------------- */

/* Return: 0: the endpoint takes the entry; -EINVAL. */
static int weft_trigger_entry(const struct weft_ep *ep, const struct weft_trigger *t)
{
	bool msg = ep->conf.type == WEFT_EP_MSG;
	struct weft_sq_entry *s;
	struct weft_rq_entry *r;
	struct weft_ring ring;
	int err = -EINVAL;

	weft_ring_init(&ring, NULL, 0);
	weft_trigger_ring(&ring, t);
	if (t->op == WEFT_TRIGGER_SEND) {
		ring.known = ep->tx.ring.known;
		ring.longest = ep->tx.ring.longest;
		ring.rma = ep->tx.ring.rma;
		s = weft_alloc_sleep(sizeof(*s));
		if (!s)
			return -ENOMEM;
		if (weft_ring_sq(&ring, msg, s) == WEFT_RING_OK && s->nslots == t->nslots &&
		    !s->inl)
			err = 0;
		weft_free(s);
		return err;
	}
	if (ep->rx.srq)
		return -EINVAL;
	r = weft_alloc_sleep(sizeof(*r));
	if (!r)
		return -ENOMEM;
	if (weft_ring_rq(&ring, msg, r) == WEFT_RING_OK && r->nslots == t->nslots &&
	    r->op <= WEFT_RQ_TRECV && !(r->flags & ~WEFT_RQ_COMPLETION))
		err = 0;
	weft_free(r);
	return err;
}

/* Count a trigger for its endpoint. Return: 0; -EINVAL: the endpoint is not enabled; -EAGAIN. */
static int weft_trigger_count(struct weft_ep *ep, const struct weft_trigger *t)
{
	u32 most = t->op == WEFT_TRIGGER_SEND ? ep->conf.sq_slots : ep->conf.rq_slots;
	int err = 0;

	weft_lock(&ep->lock);
	if (ep->state == WEFT_EPS_NEW || ep->state == WEFT_EPS_LISTENING ||
	    ep->state >= WEFT_EPS_ERROR)
		err = -EINVAL;
	else if (*weft_trigger_number(ep, t) >= most)
		err = -EAGAIN;
	else
		++*weft_trigger_number(ep, t);
	weft_unlock(&ep->lock);
	return err;
}

static void weft_trigger_uncount(struct weft_ep *ep, const struct weft_trigger *t)
{
	weft_lock(&ep->lock);
	--*weft_trigger_number(ep, t);
	weft_unlock(&ep->lock);
}

int weft_trigger_add(struct weft_triggers *set, struct weft_trigger *t, weft_ns now,
		     struct weft_out *out)
{
	int err = 0;

	out->now = now;
	if (t->ep)
		err = weft_trigger_entry(t->ep, t) ?: weft_trigger_count(t->ep, t);
	if (err)
		return err;
	weft_mutex_lock(&set->mutex);
	if (set->n >= WEFT_TRIGGERS_MAX) {
		err = -ENOSPC;
	} else {
		if (!t->cntr->trip.set)
			weft_cntr_trips(t->cntr, set, WEFT_WORK_TRIGGER, set->ctx);
		weft_trigger_enter(set, t);
		weft_trigger_arm(set, t->cntr, out);
	}
	weft_mutex_unlock(&set->mutex);
	if (err && t->ep)
		weft_trigger_uncount(t->ep, t);
	return err;
}

/* ---- Ending ---------------------------------------------------------------------- */

/* End a trigger that waits: without a trace, or by an operation that fails. */
static void weft_trigger_cancel(struct weft_triggers *set, struct weft_trigger *t, bool tell,
				struct weft_out *out)
{
	struct weft_cq *cntr = t->cntr;

	weft_cq_get(cntr);
	weft_trigger_leave(set, t);
	if (tell && t->ep) {
		t->err = ECANCELED;
		weft_trigger_fire(t, out);
	} else {
		if (t->ep)
			weft_trigger_uncount(t->ep, t);
		weft_trigger_free(t);
	}
	weft_trigger_arm(set, cntr, out);
	weft_cq_put(cntr);
}

static bool weft_trigger_chosen(const struct weft_trigger *t, const struct weft_trigger_choice *c)
{
	return t->zone == c->zone && (!c->cntr || t->cntr == c->cntr) &&
	       (!c->ep || t->ep == c->ep) && (!c->target || t->target == c->target) &&
	       (!(c->flags & WEFT_TRIGGERF_ONE) || t->id == c->id);
}

int weft_triggers_end(struct weft_triggers *set, const struct weft_trigger_choice *choice,
		      weft_ns now, struct weft_out *out)
{
	bool one = choice->flags & WEFT_TRIGGERF_ONE, found = false;
	struct weft_list *l, *tmp;

	out->now = now;
	weft_mutex_lock(&set->mutex);
	weft_list_for_each_safe(l, tmp, &set->all) {
		struct weft_trigger *t = weft_entry(l, struct weft_trigger, all);

		if (!weft_trigger_chosen(t, choice))
			continue;
		found = true;
		weft_trigger_cancel(set, t, choice->flags & WEFT_TRIGGERF_TELL, out);
		if (one)
			break;
	}
	weft_mutex_unlock(&set->mutex);
	return one && !found ? -ENOENT : 0;
}

/* End the waiting triggers of @ep, NULL: all, without a trace. */
static void weft_triggers_drop(struct weft_triggers *set, const struct weft_ep *ep)
{
	struct weft_list *l, *tmp;

	weft_mutex_lock(&set->mutex);
	weft_list_for_each_safe(l, tmp, &set->all) {
		struct weft_trigger *t = weft_entry(l, struct weft_trigger, all);

		if (ep && t->ep != ep)
			continue;
		/* a counter without triggers may compare too often: its work finds none */
		weft_trigger_leave(set, t);
		if (t->ep)
			weft_trigger_uncount(t->ep, t);
		weft_trigger_free(t);
	}
	weft_mutex_unlock(&set->mutex);
}

void weft_triggers_end_all(struct weft_triggers *set)
{
	weft_triggers_drop(set, NULL);
}

void weft_triggers_forget(struct weft_triggers *set, struct weft_ep *ep)
{
	weft_triggers_drop(set, ep);
}
