/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - jobs: functions for the adapter. job.c describes the rules.
 */
#ifndef WEFT_JOB_H
#define WEFT_JOB_H

#include "core/base/env.h"

#define WEFT_JOB_WHO	64	/* most users, and most groups of users, of a job */

/**
 * struct weft_job_key - digest that the adapter makes of a job's key; the key is not stored
 * @secret: makes authentication codes
 * @print: compares keys
 */
struct weft_job_key {
	u64 secret[2];
	u64 print[2];
};

/**
 * struct weft_job_who - users that may use a job; without names: each user with the key
 * @nuid: number of users
 * @ngid: number of groups
 * @uid: the users, as in the initial user namespace
 * @gid: the groups, as in the initial user namespace
 */
struct weft_job_who {
	u32 nuid;
	u32 ngid;
	u32 uid[WEFT_JOB_WHO];
	u32 gid[WEFT_JOB_WHO];
};

/**
 * struct weft_job_info - state of a job, for the administrator
 * @name: its name
 * @users: number of its endpoints
 * @who: users that may use it
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
 * @key: digest of its key
 * @who: users that may use it
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: not a valid name, or too many users; -EEXIST: a job has this name;
 * -EADDRINUSE: another job has the key; -ENOSPC: the limit "jobs" is reached; -ENODEV: the port is
 * going; -ENOMEM.
 */
int weft_job_add(struct weft_core *core, const char *name, const struct weft_job_key *key,
		 const struct weft_job_who *who);

/**
 * weft_job_set - change a job
 * @core: the core
 * @name: its name
 * @key: its new key, NULL: unchanged; not while endpoints are in the job
 * @who: users that may use it from now on, NULL: unchanged; endpoints in it stay
 *
 * Return: 0; -ENOENT: no such job; -EBUSY: endpoints are in it; -EADDRINUSE: another job has the
 * key; -EINVAL: too many users. An error changes nothing.
 */
int weft_job_set(struct weft_core *core, const char *name, const struct weft_job_key *key,
		 const struct weft_job_who *who);

/* Delete a job. Return: 0; -ENOENT: no such job; -EBUSY: endpoints are in it. */
int weft_job_del(struct weft_core *core, const char *name);

/*
 * Read the state of the next job, in the order in which they were made. *@pos: where to begin, 0:
 * at the oldest one; out: where the next call continues. Return: true if there is one.
 */
bool weft_job_look(struct weft_core *core, u64 *pos, struct weft_job_info *info);

/**
 * weft_job_enter - enter the job of a program's key
 * @core: the core
 * @key: digest of the program's key
 * @may: returns true if the caller is among these users; called with a lock held; does not sleep
 * @arg: passed to @may
 *
 * Return: the job, which stays until weft_job_leave() and weft_job_put(); ERR_PTR(-EKEYREJECTED: no
 * job has that key, -EACCES: the caller may not use it).
 */
struct weft_job *weft_job_enter(struct weft_core *core, const struct weft_job_key *key,
				bool (*may)(const struct weft_job_who *who, const void *arg),
				const void *arg);

/* Count one endpoint less in a job. */
void weft_job_leave(struct weft_job *job);
/* Drop a reference on the structure. */
void weft_job_put(struct weft_job *job);

#endif
