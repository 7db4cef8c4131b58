/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions of the sender's endpoint of two.h (node 0) about the receiver's one (node 1)
 */
#ifndef WEFT_ASKING_H
#define WEFT_ASKING_H

#include "two.h"

#define ASKING_MS	((weft_ns)NSEC_PER_MSEC)

/**
 * struct asking - a question
 * @t: sender and receiver
 * @uid: user that asks: the sender's
 * @no: its number
 * @info: what has come of it
 */
struct asking {
	struct two t;
	u32 uid;
	u32 no;
	struct weft_question_info info;
};

/* Two nodes; the second one answers questions if @on. */
static inline void asking_init(struct asking *a, bool on)
{
	memset(a, 0, sizeof(*a));
	two_init(&a->t, 1, 256, 0);
	a->uid = a->t.ea->ep->conf.uid;
	a->t.rig->node[1].core.conf.questions = on;
	a->t.rig->node[1].program = 'S';
}

/* Ask about the endpoint @service of node @node. Return: as weft_question_start(). */
static inline int asking_start(struct asking *a, u32 node, u16 service)
{
	struct rig_node *near = &a->t.rig->node[0];
	struct weft_out *out = rig_out(near);
	struct weft_sockaddr from, to;
	int err;

	weft_ep_getname(a->t.ea->ep, &from);
	rig_node_addr(&a->t.rig->conf, node, service, &to);
	err = weft_question_start(&near->core, &from, &to, a->uid, rig_clock(near), out, &a->no);
	rig_leave(near, out);
	return err;
}

/* Read what has come of the question. Return: true if it is over, or forgotten. */
static inline bool asking_over(void *arg)
{
	struct asking *a = arg;
	struct rig_node *near = &a->t.rig->node[0];

	return weft_question_look(&near->core, a->no, a->uid, rig_clock(near), &a->info) ||
	       a->info.state == WEFT_ECHOS_OVER;
}

/* Ask about the receiver. Return: the status of the answer; a negative errno: there is none. */
static inline int asking_ask(struct asking *a)
{
	int err = asking_start(a, 1, 2);

	if (err)
		return err;
	if (!rig_until(a->t.rig, asking_over, a, 20 * 1000 * ASKING_MS))
		return -EINPROGRESS;
	return a->info.err ? -(int)a->info.err : a->info.answer.status;
}

#endif
