/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two sides that may connect, one of which listens. The sides are on two nodes, on one node, or on
 * two nodes with a bad link. test_cm.c, test_listen.c and test_look_conn.c use this fixture.
 */
#ifndef CM_FIXTURE_H
#define CM_FIXTURE_H

#include "lone.h"
#include "harness.h"

#define MS	((weft_ns)NSEC_PER_MSEC)
#define SVC	4000

FIXTURE(cm)
{
	struct rig *rig;
	struct side a;
	struct side b;
	struct rig_ep *pep;
	struct weft_event ev;
	u8 data[WEFT_CM_DATA_MAX];
};

FIXTURE_VARIANT(cm)
{
	bool local;
	u32 bad;
};

FIXTURE_VARIANT_ADD(cm, remote) { .local = false };
FIXTURE_VARIANT_ADD(cm, local) { .local = true };
FIXTURE_VARIANT_ADD(cm, bad_link) { .bad = RIG_PPM / 4 };

FIXTURE_SETUP(cm)
{
	struct rig_conf conf;

	rig_conf_default(&conf, 11);
	conf.loss = variant->bad;
	conf.dup = variant->bad;
	conf.late = variant->bad;
	conf.late_by = 5 * MS;
	self->rig = rig_new(&conf);
	side_init(&self->a, &self->rig->node[0]);
	side_init(&self->b, &self->rig->node[variant->local ? 0 : 1]);
	self->pep = side_listen(&self->b, SVC, 4);
}

FIXTURE_TEARDOWN(cm)
{
	rig_free(self->rig);
}

#define peer(self)	((self)->b.proc->node->index)

#define EVENT(side)	side_event(self->rig, side, &self->ev, self->data, 10ull * NSEC_PER_SEC)
#define NO_EVENT(side)	(!side_event(self->rig, side, &self->ev, self->data, 100 * MS))

static int ask(struct rig *rig, struct side *a, u32 node, const char *data)
{
	return rig_connect(a->ep, node, SVC, data, data ? strlen(data) : 0);
}

#endif
