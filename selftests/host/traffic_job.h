/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random traffic over the rig: jobs. One thread; no locks.
 *
 * Each process is in a job, or in the default one, for all of its lives. What it sends to processes
 * of other jobs is refused, and nobody receives it.
 */
#ifndef WEFT_TRAFFIC_JOB_H
#define WEFT_TRAFFIC_JOB_H

#include "traffic.h"

/* In which job a process is. */
void tr_job_choose(struct tr *tr, struct tr_proc *p);
/* The endpoints that a process makes from here on are in its job; until tr_job_end(). */
void tr_job_begin(struct tr *tr, struct tr_proc *p);
void tr_job_end(struct tr_proc *p);
/* An endpoint that @ep sends to; if possible in its own job (@own), or in another one. */
struct tr_ep *tr_job_peer(struct tr *tr, struct tr_ep *ep, bool own);
/*
 * A connection to service @service of @to is asked for by somebody of another job, if there is one:
 * it is refused.
 */
void tr_job_intrude(struct tr *tr, struct tr_proc *to, u16 service);
/* What an administrator does about jobs, and what may not be done while they are used. */
void tr_job_admin(struct tr *tr);

#endif
