/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random traffic over the rig: jobs. One thread; no locks.
 *
 * Each process is in a job, or in the default one, for all of its lives. Its messages to processes
 * of other jobs are refused, and not received.
 */
#ifndef WEFT_TRAFFIC_JOB_H
#define WEFT_TRAFFIC_JOB_H

#include "traffic.h"

/* Return: the job of a process. */
void tr_job_choose(struct tr *tr, struct tr_proc *p);
/* Endpoints that a process makes from here on are in its job; until tr_job_end(). */
void tr_job_begin(struct tr *tr, struct tr_proc *p);
void tr_job_end(struct tr_proc *p);
/* An endpoint that @ep sends to; if possible in its own job (@own), or in another one. */
struct tr_ep *tr_job_peer(struct tr *tr, struct tr_ep *ep, bool own);
/*
 * An endpoint of another job, if there is one, asks service @service of @to for a connection. The
 * request is refused.
 */
void tr_job_intrude(struct tr *tr, struct tr_proc *to, u16 service);
/* An administrator changes jobs, and tries changes that are refused while a job is in use. */
void tr_job_admin(struct tr *tr);

#endif
