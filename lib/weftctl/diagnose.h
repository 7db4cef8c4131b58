/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Why an object waits. seen.c asks the kernel for all objects; diagnose.c compares them. It asks
 * nothing itself, so that a test can pass any objects.
 */
#ifndef _WEFTCTL_DIAGNOSE_H
#define _WEFTCTL_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/weft.h>

enum seen_kind {
	SEEN_RECV, SEEN_MSG, SEEN_SEND, SEEN_CQ,	/* what may wait */
	SEEN_FLOW, SEEN_PATH, SEEN_EP, SEEN_PORT,
	SEEN_CONN			/* see_more(): a connection may wait, too */
};

/* An object that the kernel has reported. A value that it lacks is 0. */
struct seen {
	uint8_t kind;			/* enum seen_kind */
	char port[32];
	uint32_t pid;
	uint32_t uid;
	uint32_t ctx;
	uint32_t srq;			/* of a shared receive, or of an endpoint of its queue */
	char comm[16];
	struct weft_sockaddr ep;	/* of this node; family 0: a shared receive */
	struct weft_sockaddr peer;	/* the only sender, the sender, destination, remote node */
	bool named;			/* a receive: it names its sender */
	bool tagged;
	uint64_t tag;
	uint64_t ignore;
	uint64_t len;
	uint64_t came;			/* bytes of a message that have come */
	uint32_t cq;			/* handle of a completion queue, as all below */
	uint32_t slots;
	uint32_t unread;		/* slots that the program has not read */
	/* completions that wait for slots, since age_ms; shared queue: endpoints with messages */
	uint32_t waiting;
	uint64_t age_ms;
	bool least;			/* a receive: it may be older; see hang.c */
	char state[16];			/* of a send: what it waits for; of a connection */
	bool in;			/* a flow or a connection to this node */
	uint32_t last;
	uint32_t early;
	char job[WEFT_JOB_NAME_MAX];	/* of an endpoint, as all below */
	uint64_t truncated;		/* messages longer than their receives */
	uint64_t truncated_ms;		/* since the last of them */
	uint64_t retrans;		/* of a path, as all below: packets sent again */
	uint64_t srtt;			/* ns */
	uint32_t cwnd;
	uint32_t flight;
	uint32_t payload;		/* of its largest packet, bytes */
	uint64_t heard_ms;		/* since a packet came from the node */
	uint32_t mtu;			/* of a port */
	bool counted;			/* an endpoint or a path: it has the counts below */
	uint64_t sent;			/* messages, of a path packets */
	uint64_t received;
	uint64_t sent_bytes;
	uint64_t received_bytes;
};

/*
 * Ask the kernel for all objects of a port (NULL: of all). @what is for error messages. Return:
 * exit status; *@all is for free() in any case. seen.c
 */
int see(const char *what, const char *port, struct seen **all, size_t *n);
/* Add to these objects those that only diagnose() compares. */
int see_more(const char *what, const char *port, struct seen **all, size_t *n);

/* A path to another node was given up, or has come up. */
struct path_event {
	char port[32];
	struct weft_sockaddr peer;
	bool up;
	uint64_t at;			/* ns since 1970 */
	uint64_t age_ms;
	char why[96];
};

/* Ask the kernel for the events of the paths of a port, as see() */
int see_paths(const char *what, const char *port, struct path_event **all, size_t *n);

/*
 * All objects, and events of paths. @program: state of a process, in the letters of /proc; X: /proc
 * does not have it, 0: not known
 */
struct scene {
	const struct seen *all;
	size_t n;
	const struct path_event *events;
	size_t nevents;
	char (*program)(uint32_t pid);
};

#define CAUSE_TEXT	1024

/* Words of causes: of receives, of sends, of connections, of messages, of completion queues */
#define RECV_CAUSES	"tag source kind lost handshake version silent truncated nothing"
#define SEND_CAUSES	"handshake contact endpoint fence credit window turn receive grant " \
			"memory ack dead mtu answer tag"
#define CONN_CAUSES	"handshake dead asking asked accepted closing"
#define CAUSES		RECV_CAUSES " " SEND_CAUSES " " CONN_CAUSES " unread cq"

struct cause {
	const char *word;		/* of CAUSES */
	char text[CAUSE_TEXT];
	char hint[128];			/* where else the reason is; empty: it is known */
};

/*
 * Find out why object @x of @scene waits. Return: false: nothing waits here, as with a message
 * whose endpoint has posted receives (they are the ones that wait).
 */
bool diagnose(const struct scene *scene, const struct seen *x, struct cause *cause);

/* The state of a program, in words behind its name: "is stopped". */
const char *program_words(char state);

/* The endpoint of this node at an address, NULL: there is none */
const struct seen *endpoint_at(const struct scene *scene, const struct weft_sockaddr *addr);

/* ---- What other nodes tell: asking.c asks, told.c makes text of it ----------------------- */

/* Objects of one kind at an endpoint of another node; all but @n are of the oldest one. */
struct told_held {
	uint32_t n;
	uint64_t age_ms;
	bool tagged;
	uint64_t tag;
	uint64_t ignore;
	char state[16];			/* of a send: what it waits for */
	bool least;			/* a receive: it may be older */
	bool named;			/* a receive: it names its sender */
	struct weft_sockaddr peer;	/* this sender, family 0: not known */
};

enum told_status {
	TOLD_NOT,			/* not asked */
	TOLD_YES,
	TOLD_OFF,			/* the node answers no questions */
	TOLD_NONE,			/* it has no such endpoint in this job */
	TOLD_SILENT,			/* it did not answer, or knows no questions */
};

/* What the program of an endpoint of another node does */
struct told {
	uint8_t status;			/* enum told_status */
	struct weft_sockaddr ep;
	uint32_t pid;
	char comm[16];
	char program;			/* its state, 0: not known */
	uint32_t full;			/* completions that wait for space in its queues */
	struct told_held recv;		/* receives that take messages of the asking endpoint */
	struct told_held msg;		/* its messages that no receive has taken */
	struct told_held send;		/* sends to it under way */
	struct told_held wait;		/* all posted receives */
};

#define TOLD_MOST	8		/* endpoints that wait for one another */

/*
 * Answers: of the endpoint for which an object waits, then of the one for which that endpoint
 * waits, and so on
 */
struct chain {
	struct told told[TOLD_MOST];
	size_t n;
	bool circle;			/* the last one waits for one of these, or the object's */
};

/* Ask the node of @x's peer, and those for which it waits. asking.c */
void ask_there(const struct scene *scene, const struct seen *x, struct chain *chain);
/* Add to the text of the cause what was told, or the hint. told.c */
void add_told(const struct seen *x, const struct chain *chain, struct cause *cause);
/* Does the last one of the chain wait for another endpoint? Return: NULL: no, or not known */
const struct weft_sockaddr *waits_for(const struct chain *chain);
/* Do the addresses name the same endpoint? */
bool same_ep(const struct weft_sockaddr *a, const struct weft_sockaddr *b);
/* The word of a status: "answered" */
const char *told_word(uint8_t status);

#endif /* _WEFTCTL_DIAGNOSE_H */
