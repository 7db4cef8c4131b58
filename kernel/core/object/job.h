/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - jobs: what the adapter asks for. The rules are in job.c.
 */
#ifndef WEFT_JOB_H
#define WEFT_JOB_H

#include "core/base/env.h"

struct weft_core;
struct weft_job;

#define WEFT_JOB_WHO	64	/* users, and groups of users, that may be named for a job */

/**
 * struct weft_job_key - what the adapter makes of a job's key; the key itself is kept nowhere
 * @secret: what authentication codes are made with
 * @print: what keys are compared by
 */
struct weft_job_key {
	u64 secret[2];
	u64 print[2];
};

/**
 * struct weft_job_who - who may use a job; nobody is named: whoever has the key
 * @nuid: users
 * @ngid: groups of users
 * @uid: the users, as in the initial user namespace
 * @gid: the groups, likewise
 */
struct weft_job_who {
	u32 nuid;
	u32 ngid;
	u32 uid[WEFT_JOB_WHO];
	u32 gid[WEFT_JOB_WHO];
};

/**
 * struct weft_job_info - a look at a job, for the administrator
 * @name: its name
 * @users: endpoints in it
 * @who: who may use it
 */
struct weft_job_info {
	char name[WEFT_JOB_NAME_MAX];
	u32 users;
	struct weft_job_who who;
};

/**
 * weft_job_add - make a job
 * @core: the core
 * @name: its name
 * @key: of it
 * @who: who may use it
 *
 * Sleeps. Return: 0, -EINVAL: that is no name, or too many users; -EEXIST: there is a job of that
 * name; -EADDRINUSE: another one has the key; -ENOSPC: there are as many as may be (the limit
 * "jobs"); -ENODEV: the port is going; -ENOMEM.
 */
int weft_job_add(struct weft_core *core, const char *name, const struct weft_job_key *key,
		 const struct weft_job_who *who);

/**
 * weft_job_set - change a job
 * @core: the core
 * @name: its name
 * @key: its new key, NULL: it stays; not while endpoints are in the job
 * @who: who may use it from now on, NULL: as it was; endpoints that are in it stay
 *
 * Return: 0, -ENOENT: there is no such job; -EBUSY: endpoints are in it; -EADDRINUSE: another one
 * has the key; -EINVAL: too many users. An error changes nothing.
 */
int weft_job_set(struct weft_core *core, const char *name, const struct weft_job_key *key,
		 const struct weft_job_who *who);

/* Return: 0, -ENOENT: there is no such job; -EBUSY: endpoints are in it. */
int weft_job_del(struct weft_core *core, const char *name);

/* Job number @n, counted from 0. Return: there is one. */
bool weft_job_look(struct weft_core *core, u32 n, struct weft_job_info *info);

/**
 * weft_job_enter - the job that a program's endpoint is to be in
 * @core: the core
 * @key: of the program
 * @may: may who asks use a job for these? Called with a lock held; does not sleep
 * @arg: given to it
 *
 * Return: the job, which stays until weft_job_leave() and weft_job_put(); ERR_PTR(-EKEYREJECTED: no
 * job has that key, -EACCES: it is not for who asks).
 */
struct weft_job *weft_job_enter(struct weft_core *core, const struct weft_job_key *key,
				bool (*may)(const struct weft_job_who *who, const void *arg),
				const void *arg);

/* One endpoint less is in it. */
void weft_job_leave(struct weft_job *job);
/* Drop a reference on the structure. */
void weft_job_put(struct weft_job *job);

#endif
