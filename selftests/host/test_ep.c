// SPDX-License-Identifier: GPL-2.0-only
/*
 * Endpoints: making them, their addresses and services, their queues, and their end. Messages and
 * connections are in other files.
 */
#include "core/api/internal.h"
#include "rig.h"
#include "harness.h"

FIXTURE(ep)
{
	struct rig *rig;
	struct rig_proc *proc;
	struct weft_core *core;
	struct rig_cq *cq, *more;
	struct rig_av *av;
	struct rig_eq *eq;
	struct weft_ep_conf conf;
	struct weft_sqe sq[16];
	struct weft_rqe rq[16];
	struct weft_ep_doorbell bell;
	struct weft_ep_status status;
	struct weft_out *out;
};

FIXTURE_SETUP(ep)
{
	struct rig_conf conf;

	rig_conf_default(&conf, 3);
	conf.nodes = 1;
	self->rig = rig_new(&conf);
	self->proc = rig_proc_new(&self->rig->node[0]);
	self->core = &self->rig->node[0].core;
	self->cq = rig_cq_new(self->proc, 16);
	self->more = rig_cq_new(self->proc, 16);
	self->av = rig_av_new(self->proc);
	self->eq = rig_eq_new(self->proc);
	self->out = &self->rig->node[0].out;
	self->conf = (struct weft_ep_conf){
		.type = WEFT_EP_RDM,
		.handle = 7,
		.mc = self->proc->mc,
		.sq = self->sq,
		.sq_slots = 16,
		.rq = self->rq,
		.rq_slots = 16,
		.doorbell = &self->bell,
		.status = &self->status,
		.ctx = self->proc,
	};
}

FIXTURE_TEARDOWN(ep)
{
	rig_free(self->rig);
}

static struct weft_ep *make(struct _test_data_ep *self)
{
	struct weft_ep *ep = weft_ep_new(self->core, &self->conf);

	if (IS_ERR(ep))
		weft_host_die(__FILE__, __LINE__, "no endpoint: %ld", PTR_ERR(ep));
	return ep;
}

static void end(struct _test_data_ep *self, struct weft_ep *ep)
{
	bool more;

	do {
		more = weft_ep_kill(ep, NSEC_PER_SEC, self->out);
		weft_flush(self->out);
	} while (more);
	weft_ep_put(ep);
}

static struct weft_sockaddr here(struct _test_data_ep *self, u16 service)
{
	struct weft_sockaddr a;

	rig_node_addr(&self->rig->conf, 0, service, &a);
	return a;
}

TEST_F(ep, address)
{
	struct weft_sockaddr a = here(self, 5), got;
	struct weft_ep *ep;

	self->conf.addr = a;
	ep = make(self);
	weft_ep_getname(ep, &got);
	EXPECT_TRUE(weft_addr_eq(&a, &got));
	end(self, ep);

	/* not the port's, or of a family without an address */
	self->conf.addr.addr[3] ^= 64;
	EXPECT_EQ(-EADDRNOTAVAIL, PTR_ERR(weft_ep_new(self->core, &self->conf)));
	self->conf.addr = (struct weft_sockaddr){
		.family = a.family == AF_INET ? AF_INET6 : AF_INET,
	};
	EXPECT_EQ(-EAFNOSUPPORT, PTR_ERR(weft_ep_new(self->core, &self->conf)));

	/* any address: the port's first */
	self->conf.addr.family = 0;
	self->conf.addr.port = a.port;
	ep = make(self);
	weft_ep_getname(ep, &got);
	EXPECT_TRUE(weft_addr_eq(&a, &got));
	end(self, ep);
	EXPECT_EQ(0, self->core->neps);
}

TEST_F(ep, type)
{
	self->conf.type = 0;
	EXPECT_EQ(-EINVAL, PTR_ERR(weft_ep_new(self->core, &self->conf)));
	self->conf.type = WEFT_EP_PASSIVE + 1;
	EXPECT_EQ(-EINVAL, PTR_ERR(weft_ep_new(self->core, &self->conf)));
}

/* Whichever allocation fails, no part of the endpoint is left. */
TEST_F(ep, no_memory)
{
	static const u32 types[] = { WEFT_EP_MSG, WEFT_EP_RDM, WEFT_EP_DGRAM, WEFT_EP_PASSIVE };
	struct weft_ep *ep;
	u32 i, n, live;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		self->conf.type = types[i];
		self->conf.sq_slots = types[i] == WEFT_EP_PASSIVE ? 0 : 16;
		self->conf.rq_slots = self->conf.sq_slots;
		/* the endpoint before is freed when no reader is left */
		weft_host_quiesce();
		live = weft_host_live();
		for (n = 1; n < 100; n++) {
			weft_host_fail_nth(n);
			ep = weft_ep_new(self->core, &self->conf);
			weft_host_fail_nth(0);
			if (!IS_ERR(ep))
				break;
			ASSERT_EQ(-ENOMEM, PTR_ERR(ep));
			weft_host_quiesce();
			ASSERT_EQ(live, weft_host_live());
		}
		EXPECT_LT(1, n);
		ASSERT_GT(100, n);
		end(self, ep);
	}
}

TEST_F(ep, queues_that_fit)
{
	struct weft_ep_queues none = {}, q = { .tx_cq = &self->cq->cq };
	struct weft_ep *ep;

	/* RDM: an address vector */
	ep = make(self);
	EXPECT_EQ(-EINVAL, weft_ep_enable(ep, &none));
	EXPECT_EQ(-EINVAL, weft_ep_enable(ep, &q));
	end(self, ep);

	/* MSG: an event queue, and no address vector */
	self->conf.type = WEFT_EP_MSG;
	ep = make(self);
	EXPECT_EQ(-EINVAL, weft_ep_enable(ep, &q));
	q.eq = &self->eq->eq;
	q.av = self->av->av;
	EXPECT_EQ(-EINVAL, weft_ep_enable(ep, &q));
	q.av = NULL;
	EXPECT_EQ(0, weft_ep_enable(ep, &q));
	/* only connectionless endpoints have more queues */
	q.rx_cq = &self->more->cq;
	q.eq = NULL;
	EXPECT_EQ(-EINVAL, weft_ep_enable(ep, &q));
	end(self, ep);

	/* its receives are shared: no shared queue yet */
	self->conf.type = WEFT_EP_RDM;
	self->conf.flags = WEFT_EPF_SRQ;
	self->conf.rq_slots = 0;
	ep = make(self);
	q.av = self->av->av;
	EXPECT_EQ(-EINVAL, weft_ep_enable(ep, &q));
	end(self, ep);
}

/* A direction without a queue gets one, once. */
TEST_F(ep, queues_one_by_one)
{
	struct weft_cq *cq = &self->cq->cq, *more = &self->more->cq;
	struct weft_ep_queues q = { .tx_cq = cq, .av = self->av->av };
	struct weft_ep_queues tx = { .tx_cq = more, .av = self->av->av };
	struct weft_ep_queues rx = { .rx_cq = more, .av = self->av->av };
	struct rig_av *other = rig_av_new(self->proc);
	struct weft_ep *ep = make(self);
	u32 held = refcount_read(&more->ref);

	ASSERT_EQ(0, weft_ep_enable(ep, &q));
	EXPECT_EQ(-EBUSY, weft_ep_enable(ep, &tx));
	q.tx_cq = NULL;
	EXPECT_EQ(-EBUSY, weft_ep_enable(ep, &q));
	rx.av = other->av;
	EXPECT_EQ(-EBUSY, weft_ep_enable(ep, &rx));
	rx.av = self->av->av;
	rx.eq = &self->eq->eq;
	EXPECT_EQ(-EBUSY, weft_ep_enable(ep, &rx));
	rx.eq = NULL;
	EXPECT_EQ(held, refcount_read(&more->ref));
	EXPECT_EQ(0, weft_ep_enable(ep, &rx));
	EXPECT_EQ(held + 1, refcount_read(&more->ref));
	EXPECT_TRUE(ep->tx_cq == cq && ep->rx_cq == more);
	EXPECT_EQ(-EBUSY, weft_ep_enable(ep, &rx));
	end(self, ep);
	EXPECT_EQ(held, refcount_read(&more->ref));
}

TEST_F(ep, names)
{
	struct weft_sockaddr a = here(self, 9), no = {}, got;
	struct weft_ep_queues q = { .av = self->av->av };
	struct weft_ep *ep = make(self), *other;

	EXPECT_EQ(-EINVAL, weft_ep_setname(ep, &no));
	a.addr[3] ^= 64;
	EXPECT_EQ(-EADDRNOTAVAIL, weft_ep_setname(ep, &a));
	a = here(self, 9);
	EXPECT_EQ(0, weft_ep_setname(ep, &a));
	EXPECT_EQ(0, weft_ep_enable(ep, &q));
	weft_ep_getname(ep, &got);
	EXPECT_TRUE(weft_addr_eq(&a, &got));
	EXPECT_EQ(-EBUSY, weft_ep_setname(ep, &a));
	EXPECT_EQ(-ENOTCONN, weft_ep_getpeer(ep, &got));

	/* the service is in use, also for the program that asked for it before */
	other = make(self);
	EXPECT_EQ(-EADDRINUSE, weft_ep_setname(other, &a));
	a.port = 0;
	EXPECT_EQ(0, weft_ep_setname(other, &a));
	other->addr.port = cpu_to_be16(9);
	EXPECT_EQ(-EADDRINUSE, weft_ep_enable(other, &q));
	end(self, ep);
	EXPECT_EQ(0, weft_ep_enable(other, &q));
	end(self, other);
}

/* Chosen services are free ones, and the port's count of lives is never 0. */
TEST_F(ep, chosen_services)
{
	struct weft_ep_queues q = { .av = self->av->av };
	struct weft_ep *a = make(self), *b = make(self);

	self->core->next_gen = U32_MAX;
	ASSERT_EQ(0, weft_ep_enable(a, &q));
	EXPECT_EQ(1, a->gen);
	self->core->next_service--;
	ASSERT_EQ(0, weft_ep_enable(b, &q));
	EXPECT_NE(a->addr.port, b->addr.port);
	EXPECT_LE(0xc000, be16_to_cpu(b->addr.port));
	end(self, a);
	end(self, b);
}

/* The port is removed. */
TEST_F(ep, stopped)
{
	struct weft_ep_queues q = { .av = self->av->av };
	struct weft_ep_info info;
	struct weft_ep *ep = make(self);
	bool more;

	do {
		more = weft_core_stop(self->core, NSEC_PER_SEC, ENODEV, self->out);
		weft_flush(self->out);
	} while (more);
	EXPECT_EQ(-ENODEV, weft_ep_enable(ep, &q));
	EXPECT_EQ(-ENODEV, PTR_ERR(weft_ep_new(self->core, &self->conf)));
	weft_ep_look(ep, &info);
	EXPECT_EQ(WEFT_EP_RDM, info.type);
	EXPECT_EQ(7, info.handle);
	EXPECT_EQ(0, info.posted + info.unexp + info.sending);
	end(self, ep);
}

/* An error is told once, by the event queue, if there is one. */
TEST_F(ep, error)
{
	struct weft_ep_queues q = { .av = self->av->av, .eq = &self->eq->eq };
	struct weft_ep *ep = make(self);
	struct weft_event ev;
	u32 n;

	ASSERT_EQ(0, weft_ep_enable(ep, &q));
	for (n = 0; n < 2; n++) {
		weft_lock(&ep->lock);
		weft_ep_error(ep, EINVAL, self->out);
		weft_unlock(&ep->lock);
		weft_flush(self->out);
	}
	EXPECT_TRUE(self->status.flags & WEFT_ST_ERROR);
	ASSERT_EQ(sizeof(ev), weft_eq_read(&self->eq->eq, &ev, sizeof(ev)));
	EXPECT_EQ(WEFT_EV_EP_ERROR, ev.type);
	EXPECT_EQ(7, ev.handle);
	EXPECT_EQ(EINVAL, ev.status);
	EXPECT_EQ(-EAGAIN, weft_eq_read(&self->eq->eq, &ev, sizeof(ev)));
	EXPECT_EQ(0, weft_ep_notify(ep, WEFT_NOTIFY_SQ | WEFT_NOTIFY_RQ, NSEC_PER_SEC, self->out));
	end(self, ep);
}

/* Before the endpoint is enabled, and with nothing to cancel. */
TEST_F(ep, calls_too_early)
{
	struct weft_ep_queues q = { .av = self->av->av, .rx_cq = &self->cq->cq };
	struct weft_ep *ep = make(self);

	self->bell.sq_tail = 1;
	self->bell.rq_tail = 1;
	EXPECT_EQ(0, weft_ep_notify(ep, WEFT_NOTIFY_SQ | WEFT_NOTIFY_RQ, NSEC_PER_SEC, self->out));
	EXPECT_EQ(0, self->status.sq_head + self->status.rq_head);
	EXPECT_EQ(-EINVAL, weft_ep_cancel(ep, 1, NSEC_PER_SEC, self->out));
	self->bell.sq_tail = 0;
	self->bell.rq_tail = 0;
	ASSERT_EQ(0, weft_ep_enable(ep, &q));
	EXPECT_EQ(0, weft_ep_cancel(ep, 1, NSEC_PER_SEC, self->out));
	weft_flush(self->out);
	end(self, ep);
}

TEST_HARNESS_MAIN
