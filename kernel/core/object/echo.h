/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - probes of a path, which an administrator asks for: what was sent, and what has come;
 * and questions to the node at its end
 *
 * transport/echo.c has the method, transport/question.c that of questions. A probe is in
 * core->echoes until its result is forgotten. A path leads to its probe while it exists.
 *
 * Locks: the comment of each structure names the lock of its fields.
 */
#ifndef WEFT_OBJECT_ECHO_H
#define WEFT_OBJECT_ECHO_H

#include "core/object/conf.h"
#include "core/wire/wire.h"

struct weft_path;
struct weft_job;

/**
 * struct weft_echo_seen - numbered packets that have come, each counted once
 * @last: bit i: number @next - 1 - i has come
 * @next: the number after the highest one
 * @n: how many have come
 */
struct weft_echo_seen {
	u64 last;
	u32 next;
	u32 n;
};

/**
 * struct weft_question - what a question has beyond a probe; constant but for @answer
 * @asked: it is a question
 * @ssvc: service of the asking endpoint
 * @dsvc: service of the endpoint that is asked about
 * @uid: user that asks
 * @job: job of the asking endpoint, referenced, NULL: the default one
 * @answer: the answer, when it has come; path->lock, or core->lock without a path
 */
struct weft_question {
	bool asked;
	u16 ssvc;
	u16 dsvc;
	u32 uid;
	struct weft_job *job;
	struct weft_answer answer;
};

/**
 * struct weft_echo - a probe of this node
 * @node: in core->echoes; core->lock
 * @path: its path, not referenced; NULL: the path is dead. Changed under core->lock and path->lock;
 *	one of them protects a read
 * @no: number of the probe; constant, as the next three
 * @count: packets to send
 * @size: bytes of each
 * @interval: time between two of them
 * @state: WEFT_ECHOS_*; path->lock protects this field and those below, core->lock without a path
 * @made: the path was made, or made anew, for the probe
 * @exact: the newest report of the peer was made after the last packet
 * @err: errno that ended the probe, 0: none
 * @payload: bytes of the largest packet of the path, when the probe was over
 * @at: when the next step is due
 * @read_at: when the result was read last
 * @began: when the first packet was sent: its stamps count from then on
 * @hello: how long the handshake took, 0: the path was there
 * @sent: packets sent
 * @asks: packets sent that ask for a report
 * @came: packets that have come to the peer, as it reports
 * @answered: packets that it has answered, as it reports
 * @back: answers that have come
 * @rtt_min: shortest round-trip time
 * @rtt_max: longest one
 * @rtt_sum: sum of them
 * @rtt_units: the same in units of 2^WEFT_ECHO_UNIT ns
 * @rtt_sq: sum of their squares, in these units
 * @question: a question is a probe that only asks
 */
struct weft_echo {
	struct weft_list node;
	struct weft_path *path;
	u32 no;
	u32 count;
	u32 size;
	weft_ns interval;
	u8 state;
	bool made;
	bool exact;
	u16 err;
	u32 payload;
	weft_ns at;
	weft_ns read_at;
	weft_ns began;
	weft_ns hello;
	u32 sent;
	u32 asks;
	u32 came;
	u32 answered;
	struct weft_echo_seen back;
	weft_ns rtt_min;
	weft_ns rtt_max;
	u64 rtt_sum;
	u64 rtt_units;
	u64 rtt_sq;
	struct weft_question question;
};

/**
 * struct weft_path_echo - probes of a path; path->lock
 * @run: this node's, also when it is over; NULL: none. Changed under core->lock, too
 * @peer_no: number of the peer's newest probe, 0: none
 * @answered: packets of that probe that were answered
 * @came: packets of it that have come
 * @full: when all tokens for answers are there again (base/rate.h)
 * @asked: the same for answers to questions
 */
struct weft_path_echo {
	struct weft_echo *run;
	u32 peer_no;
	u32 answered;
	struct weft_echo_seen came;
	weft_ns full;
	weft_ns asked;
};

#endif
