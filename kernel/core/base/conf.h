/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - settings of a port, its limits and its counters. limit.c has the rules of limits
 *
 * Locks: none for settings, which are read at any time; counters are per CPU.
 */
#ifndef WEFT_CONF_H
#define WEFT_CONF_H

#include "core/base/env.h"

/**
 * struct weft_conf - settings of a port; read at any time, changed by the administrator
 * @udp_port: UDP port on the wire, both ends, host order
 * @max_payload: bytes of UDP payload of the largest packet that is sent, at least 1280 - 48
 * @eager_max: bytes of the longest message that is sent eager
 * @unexp_window: bytes of eager payload of one remote node that may be on the way here, or wait for
 *	endpoints at their limits
 * @unexp_ep: bytes of short messages that wait for receives of one endpoint
 * @unexp_user: the same for all endpoints of a user
 * @msgs_ep: messages that wait for receives of one endpoint
 * @msgs_user: the same for all endpoints of a user
 * @dgram_max: datagrams among them that wait for receives of one endpoint
 * @window_bytes: bytes of a receive that are pinned at a time; a single sender is granted two such
 *	windows, one for a message of which nothing has come yet
 * @grant_bytes: bytes of announced messages that may be under way to this port from several nodes
 * @ack_delay_ns: longest time that an acknowledgement is held back
 * @rto_min_ns: shortest retransmission timeout
 * @dead_ns: time without a sign of life after which a path with operations is given up
 * @linger_ns: time for which sends of an ended program go on while their receiver lives
 * @linger_user: flows of a user with such sends; those of further flows go on for @dead_ns
 * @keepalive_ns: silence on a path with connections after which PING is sent
 * @connect_ns: longest time of a path's handshake
 * @accept_ns: longest time until a program answers a connection request
 * @max_paths: most paths, one for each remote node
 * @backlog_max: upper limit of each listener's backlog
 * @asked_max: connection requests that may wait for an answer, at all listeners
 * @idle_ns: time without a packet after which an unused path is released
 * @fast: the fast paths may be taken; constant, off in tests only
 * @histograms: messages are measured; see api/measure.c
 * @questions: questions of other nodes are answered; see api/answer.c
 * @priorities: packets have the priority of their class on the wire; the adapter reads it
 * @rec_max: unacknowledged packets, or runs of them, that are kept for one remote node
 * @jobs_max: most jobs
 * @ctxs_user: contexts of a user
 * @eps_user: endpoints of a user
 * @memory_user: bytes of a user's rings, and of its descriptors of sends and receives
 * @regions_user: regions of a user that peers may access
 * @rma_same_user: in the default job, regions are open to the same user only
 */
struct weft_conf {
	u16 udp_port;
	u32 max_payload;
	u32 eager_max;
	u32 unexp_window;
	u32 unexp_ep;
	u32 unexp_user;
	u32 msgs_ep;
	u32 msgs_user;
	u32 dgram_max;
	u32 window_bytes;
	u32 grant_bytes;
	weft_ns ack_delay_ns;
	weft_ns rto_min_ns;
	weft_ns dead_ns;
	weft_ns linger_ns;
	u32 linger_user;
	weft_ns keepalive_ns;
	weft_ns connect_ns;
	weft_ns accept_ns;
	u32 max_paths;
	u32 backlog_max;
	u32 asked_max;
	u32 rec_max;
	u32 jobs_max;
	u32 ctxs_user;
	u32 eps_user;
	u64 memory_user;
	u32 regions_user;
	bool priorities;
	bool rma_same_user;
	bool fast;
	bool histograms;
	bool questions;
	weft_ns idle_ns;
};

/*
 * Counters: X(name, "unit", "settings", "description"). sysfs, netlink and weftctl use these names.
 * The settings are those of "weftctl limit" and "weftctl port set" that bear on the counter. The
 * page weft-counters(7) is made from this table (selftests/counters).
 */
#define WEFT_COUNTERS(X)						\
	X(tx_packets, "packets", "", "packets given to the network device")		\
	X(tx_bytes, "bytes", "", "bytes of tx_packets, from the weft header on")		\
	X(tx_direct, "packets", "",							\
	  "packets whose payload the device reads from the program's memory")		\
	X(tx_errors, "packets", "", "packets that the device refused")			\
	X(tx_dropped, "packets", "",							\
	  "packets dropped because the device's queue was full")			\
	X(tx_unresolved, "packets", "",							\
	  "packets to a node without a known Ethernet address")				\
	X(rx_packets, "packets", "", "packets received")				\
	X(rx_bytes, "bytes", "", "bytes of rx_packets, from the weft header on")		\
	X(rx_bad, "packets", "",							\
	  "received packets that could not be decoded, or were for another node")		\
	X(rx_version, "packets", "",							\
	  "received packets of another version of the protocol")			\
	X(rx_unknown, "packets", "",							\
	  "received packets of an unknown path or with a wrong token")			\
	X(rx_duplicate, "packets", "",							\
	  "received packets that had been received before")				\
	X(rx_dropped, "packets", "",							\
	  "received packets dropped for lack of memory or buffer space")		\
	X(beyond_credit, "messages", "",						\
	  "messages dropped because their sender had no credit")			\
	X(rx_runs, "runs", "", "runs of packets that were taken as one")		\
	X(retransmits, "packets", "", "packets sent again")				\
	X(spurious, "packets", "", "packets sent again although they had arrived")	\
	X(timeouts, "timeouts", "", "retransmission timeouts")			\
	X(mtu_reduced, "times", "",							\
	  "times that a path's largest packet became smaller")				\
	X(acks_sent, "packets", "", "packets that only acknowledge")			\
	X(probes_answered, "packets", "",						\
	  "packets of other nodes' probes (weftctl path probe) that were answered")	\
	X(questions_answered, "packets", "",						\
	  "questions of other nodes (weftctl hang) that were answered")			\
	X(msgs_sent, "messages", "", "messages sent")					\
	X(msgs_received, "messages", "", "messages received")				\
	X(msgs_eager, "messages", "", "messages sent eager")				\
	X(msgs_rendezvous, "messages", "", "messages sent by rendezvous")		\
	X(msgs_local, "messages", "", "messages that stayed on the node")		\
	X(msgs_unexpected, "messages", "",						\
	  "messages that arrived before their receive was posted")			\
	X(msgs_lost, "messages", "",							\
	  "messages whose sender was gone before a receive took them")			\
	X(msgs_given_up, "messages", "linger-ms",					\
	  "messages reported as sent whose delivery is unknown")			\
	X(msgs_truncated, "messages", "",						\
	  "messages that were longer than their receive")				\
	X(notifications, "calls", "engine", "notify calls of programs")			\
	X(engine_joins, "endpoints", "engine",						\
	  "endpoints that an engine began to poll")					\
	X(engine_sleeps, "times", "idle-us",						\
	  "times that an engine without work went to sleep")				\
	X(deferred, "messages", "", "messages that waited for memory to be pinned")	\
	X(bounced, "windows", "", "windows copied because memory could not be pinned")	\
	X(limit_unexp, "messages", "unexpected-node",					\
	  "messages sent by RTS because the receiver was at its limit")			\
	X(limit_endpoint, "times", "messages-endpoint unexpected-endpoint",		\
	  "times that an endpoint reached its limit of kept messages")			\
	X(limit_user, "times", "messages-user unexpected-user",				\
	  "times that a user reached the limit of kept messages")			\
	X(limit_messages, "messages", "messages-endpoint",				\
	  "messages that waited for credit of their receiver")				\
	X(limit_packets, "times", "packets-path",					\
	  "times that a path reached its limit of unacknowledged packets")		\
	X(limit_paths, "nodes", "paths", "remote nodes refused at the limit of paths")	\
	X(limit_requests, "requests", "requests",					\
	  "connection requests refused at the limit of unanswered ones")		\
	X(limit_datagrams, "datagrams", "datagrams-endpoint",				\
	  "datagrams dropped at the limit of their endpoint")				\
	X(limit_jobs, "jobs", "jobs", "jobs refused at the limit of jobs")		\
	X(limit_linger, "flows", "linger-user",						\
	  "flows of ended programs at the limit of their user")				\
	X(limit_contexts, "contexts", "contexts-user",					\
	  "contexts refused at the limit of their user")				\
	X(limit_endpoints, "endpoints", "endpoints-user",				\
	  "endpoints refused at the limit of their user")				\
	X(limit_memory, "objects", "memory-user",					\
	  "rings and descriptors refused at the limit of their user")			\
	X(limit_regions, "regions", "regions-user",					\
	  "regions refused at the limit of their user")					\
	X(cq_overflows, "completions", "",						\
	  "completions that waited for space in their queue")				\
	X(bad_entries, "entries", "", "ring entries that could not be decoded")		\
	X(bad_completions, "entries", "",						\
	  "ring entries that were decoded and refused")					\
	X(paths_made, "paths", "", "paths set up")					\
	X(paths_dead, "paths", "dead-ms", "paths given up")				\
	X(paths_idle, "paths", "idle-ms", "paths released because they were unused")	\
	X(peer_restarts, "nodes", "", "remote nodes found to have restarted")		\
	X(peer_gone, "paths", "",							\
	  "paths given up because the remote node has none any more")			\
	X(conns_made, "connections", "", "connections established")			\
	X(conns_refused, "requests", "backlog", "connection requests refused")		\
	X(no_service, "messages", "connect-ms",						\
	  "messages for a service that does not exist")					\
	X(wrong_job, "messages", "",							\
	  "messages, datagrams and connection requests of another job")			\
	X(rma_writes, "operations", "",							\
	  "writes of other programs to regions of this node")				\
	X(rma_atomics, "operations", "",						\
	  "atomic operations of other programs on regions of this node")		\
	X(rma_reads, "operations", "",							\
	  "reads of other programs from regions of this node")				\
	X(rma_denied, "operations", "rma-users",					\
	  "one-sided operations refused: key, bounds, rights or user")			\
	X(dgrams_sent, "datagrams", "", "datagrams sent")				\
	X(dgrams_received, "datagrams", "", "datagrams received")			\
	X(dgrams_dropped, "datagrams", "datagrams-endpoint",				\
	  "datagrams dropped for lack of a receive, memory or a path")

#define WEFT_COUNTER_ENUM(name, unit, settings, text)	WEFT_CNT_##name,
enum weft_counter { WEFT_COUNTERS(WEFT_COUNTER_ENUM) WEFT_NCOUNTERS };

/* ---- Limits ---------------------------------------------------------------------- */

/**
 * struct weft_limit_info - state of a limit
 * @name: its name
 * @unit: "bytes", "ms", or the name of the counted objects
 * @value: present value, in that unit
 * @min: smallest value
 * @max: largest value
 * @used: present use; of a limit of each user, that of the user that uses most
 * @used_by: that user, WEFT_NOTE_NO_UID: none, or a limit of the whole port
 * @peak: the largest use since the port was made
 * @peak_by: its user, likewise
 * @counts: @used and @peak are valid: a limit of the whole port, or of each user
 * @hits: number of times that the limit was reached
 * @hit_by: the user who reached it last, WEFT_NOTE_NO_UID: none
 * @has_hits: @hits and @hit_by are valid
 */
struct weft_limit_info {
	const char *name;
	const char *unit;
	u64 value;
	u64 min;
	u64 max;
	u64 used;
	u32 used_by;
	u64 peak;
	u32 peak_by;
	bool counts;
	u64 hits;
	u32 hit_by;
	bool has_hits;
};

/* Get limit number @n, from 0. Return: true if it exists. */
bool weft_limit_look(struct weft_core *core, u32 n, struct weft_limit_info *info);
/*
 * Set a limit. Return: 0; -ENOENT: no such limit; -ERANGE: out of range. An error changes nothing.
 */
int weft_limit_set(struct weft_core *core, const char *name, u64 value);

#endif
