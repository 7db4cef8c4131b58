/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - the core of one port
 *
 * Locks: the comment of each field names its lock. See Documentation/locking.rst.
 */
#ifndef WEFT_CORE_H
#define WEFT_CORE_H

#include "core/base/conf.h"
#include "core/base/hist.h"
#include "core/object/grant.h"
#include "core/object/user.h"
#include <linux/weft.h>

#define WEFT_CORE_ADDRS		4
#define WEFT_RETRY_NS		(20 * NSEC_PER_MSEC)	/* until waiting endpoints try again */
#define WEFT_CORE_GROUPS	256	/* multicast groups with members on this node */

#define WEFT_FOREIGN		16	/* nodes of another version that are remembered */

/**
 * struct weft_foreign - a node that speaks another version of the wire format
 * @addr: its address, family 0: none
 * @oldest: oldest version that it speaks
 * @newest: newest version
 */
struct weft_foreign {
	struct weft_sockaddr addr;
	u8 oldest;
	u8 newest;
};

/**
 * struct weft_core - the protocol of one port
 * @conf: settings
 * @fast: the fast paths are taken: conf.fast is set, and messages are not measured
 * @lock: protects the tables of paths and endpoints, @npaths and @neps
 * @stopped: the port is going: no operation begins (READ_ONCE outside of @lock)
 * @ended: stopped, and all operations have been completed (READ_ONCE; the adapter sets it)
 * @incarnation: random number of this port, by which peers detect a restart
 * @secret: key of cookies
 * @addr: own addresses, service 0; constant
 * @naddr: number of @addr
 * @svc_lock: protects changes of @services, and @conns and their counters
 * @services: endpoints by service number; read under RCU
 * @paths: paths by remote address; @lock
 * @path_slots: entries of @path_ids; constant, the largest value of the limit "paths"
 * @path_ids: paths by the id in the peer's packets; read under RCU
 * @path_used: a bit for each slot of @path_ids in use; changed under @lock
 * @npaths: number of paths in the tables
 * @npaths_most: the most that there have been
 * @hand: slot at which the search for unused paths continues; see reclaim.c
 * @retries: endpoints that wait for a path or for memory; @lock
 * @retry_at: when the timer of @local has them try again, U64_MAX: none waits; the lock of @local
 * @monitored: endpoints whose receives may name nodes; those looked at last come last; @lock
 * @monitor_pass: number of the present pass over them; @lock
 * @neps: number of endpoints
 * @next_service: where the search for a free service begins
 * @next_gen: next generation of an endpoint's service, and of a flow's sending side
 * @next_path: next generation of a path id
 * @next_conn: next connection id
 * @nasked: unanswered requests for a connection; core->svc_lock
 * @nasked_most: the most that there have been; core->svc_lock
 * @eps: all endpoints
 * @conns: connections being set up or up, by id
 * @gone_at: earliest time of the next GONE
 * @foreign: nodes of another version, see version.c; @lock
 * @next_foreign: which of them is replaced next; @lock
 * @key: key of hash tables
 * @grp_mutex: serialises joining and leaving of groups
 * @grp_lock: protects @groups and their members
 * @groups: struct weft_group
 * @ngroups: number of groups
 * @user_lock: protects @users
 * @users: struct weft_user, the owners of endpoints
 * @peak: the most that users who are gone have taken, by WEFT_USE_*; @user_lock
 * @job_lock: protects @jobs
 * @jobs: struct weft_job
 * @njobs: number of jobs
 * @next_job: number of the next one
 * @njobs_most: the most that there have been
 * @hit_by: the user that reached a limit last, by the limit's counter; WEFT_NOTE_NO_UID: none
 * @echoes: probes of paths, running or over, the oldest one first; see transport/echo.c; @lock
 * @nechoes: number of them; @lock
 * @next_echo: number of the next one; @lock
 * @local: path of messages within the node
 * @grants: grants of long messages
 * @known_lock: protects the fields up to @deaths; see monitor.c
 * @known: known nodes without a path, by address: lists, as many as @known_lists
 * @known_lists: a power of two; constant
 * @known_ages: known nodes, the oldest first
 * @nknown: number of known nodes (READ_ONCE outside of the lock)
 * @deaths: number of deaths of paths to such nodes (READ_ONCE outside of the lock)
 * @monitor_at: when nodes that receives name are checked again; under the lock of @local
 * @cnt: counters: per CPU in the kernel; see weft_count()
 * @hist: histograms: per CPU in the kernel, WEFT_HIST_WORDS for each
 * @hist_base: what @hist had counted when the histograms were last turned on; the adapter
 *	serialises calls that access it
 * @port: private pointer of the adapter
 */
struct weft_core {
	struct weft_conf conf;
	bool fast;
	struct weft_lock lock;
	bool stopped;
	bool ended;
	u64 incarnation;
	u64 secret[2];
	struct weft_sockaddr addr[WEFT_CORE_ADDRS];
	u32 naddr;
	struct weft_lock svc_lock;
	struct weft_index services;
	struct weft_hash paths;
	u32 path_slots;
	struct weft_path **path_ids;
	unsigned long *path_used;
	u32 npaths;
	u32 npaths_most;
	u32 hand;
	struct weft_list retries;
	weft_ns retry_at;
	struct weft_list monitored;
	u32 monitor_pass;
	u32 neps;
	u16 next_service;
	u32 next_gen;
	u32 next_path;
	u32 next_conn;
	u32 nasked;
	u32 nasked_most;
	struct weft_list eps;
	struct weft_index conns;
	weft_ns gone_at;
	struct weft_foreign foreign[WEFT_FOREIGN];
	u32 next_foreign;
	u64 key[2];
	struct weft_mutex grp_mutex;
	struct weft_lock grp_lock;
	struct weft_list groups;
	u32 ngroups;
	struct weft_lock user_lock;
	struct weft_list users;
	struct weft_peak peak[WEFT_USES];
	struct weft_lock job_lock;
	struct weft_list jobs;
	u32 njobs;
	u32 njobs_most;
	u64 next_job;
	u32 hit_by[WEFT_NCOUNTERS];
	struct weft_list echoes;
	u32 nechoes;
	u32 next_echo;
	struct weft_path *local;
	struct weft_grants grants;
	struct weft_lock known_lock;
	struct weft_list *known;
	u32 known_lists;
	struct weft_list known_ages;
	u32 nknown;
	u32 deaths;
	weft_ns monitor_at;
	weft_counters_t cnt;
	weft_counters_t hist;
	u64 hist_base[WEFT_NHISTS * WEFT_HIST_WORDS];
	void *port;
};

#endif
