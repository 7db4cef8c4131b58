/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conformance rows: each test has the id of a rule of a manual page of libfabric and says the rule
 * in one sentence. The script "table" makes Documentation/conformance.rst from the tables. So the
 * tables keep to one form: ROW(id, types, "sentence", function[, .option = value ...]).
 *
 * A test asserts results on both sides, and leaves no entry in either queue. The caller checks that
 * after each test.
 */
#ifndef WEFT_ROWS_H
#define WEFT_ROWS_H

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include "forms.h"

#define ON_MSG	1	/* FI_EP_MSG */
#define ON_RDM	2	/* FI_EP_RDM */
#define ON_DGRAM 4	/* FI_EP_DGRAM */
#define ON_BOTH (ON_MSG | ON_RDM)
#define ON_FREE (ON_RDM | ON_DGRAM)
#define ON_ALL (ON_BOTH | ON_DGRAM)

/**
 * struct row - a rule and its test
 * @id: of the rule
 * @on: ON_*
 * @rule: in one sentence
 * @run: the test
 * @o: how the pair of endpoints is made; type and place are filled in
 * @alone: no pair is made: the test makes its objects; those in p are closed after it
 * @mess: entries may be left in the queues
 * @once: it does not matter where B is: run within a node only
 */
struct row {
	const char *id;
	unsigned int on;
	const char *rule;
	bool (*run)(void);
	struct opts o;
	bool alone;
	bool mess;
	bool once;
};

#define ROW(_id, _on, _rule, _run, ...) \
	{ .id = _id, .on = _on, .rule = _rule, .run = _run, __VA_ARGS__ }

#define ROOM (4u << 20)

/* The pair of the current row, with ROOM bytes on either side. */
extern struct pair p;
extern uint8_t *sbuf, *rbuf;

/* Contexts: distinct for each @n, places for a struct fi_context2 each. */
void *ctx(unsigned int n);

/*
 * Run all rows, or those named by the arguments. With WEFT_WHERE=between in the environment, rows
 * run only between nodes, if there are two. Rows that do not depend on nodes run, too. Return:
 * status of the program.
 */
int rows_main(int argc, char **argv, const struct row *rows, size_t count);

/* ---- Steps that many rows share ----------------------------------------------------- */

/* Close the pair, and make it with other options, as the row may have changed them in p.o. */
bool pair_again(void);
/* 1: the endpoints have untagged messages only, 2: tagged ones, too. */
int nkinds(void);

/* What B's receive, and A's send to it, say in @n's name. */
struct letter at_b(bool tagged, uint64_t tag, uint64_t ignore, unsigned int n);
struct letter to_b(bool tagged, uint64_t tag, uint64_t data, unsigned int n);
/* A's next completion is that of @s; B's is that of @r, for the message @s in form @f. */
bool sent_as(const struct letter *s);
bool got_as(const struct letter *r, const struct letter *s, enum send_form f, size_t len);
/* A message from A to B, with all its completions. */
bool exchange(enum recv_form rf, const struct letter *r, enum send_form sf,
	      const struct letter *s, size_t len);

/* A sends from memory that is overwritten and unmapped as soon as the call returns. */
bool send_gone(enum send_form f, const struct letter *s, size_t len, uint32_t seed);

/* Post a tagged receive at B; send tagged from A, and wait for its completion. */
bool post_tagged(void *buf, size_t len, uint64_t tag, uint64_t ignore, unsigned int n);
bool send_tagged(size_t len, uint64_t tag, uint32_t seed, unsigned int n);
/* The same, untagged. */
bool post_plain(void *buf, size_t len, unsigned int n);
bool send_plain(size_t len, uint32_t seed, unsigned int n);

/* Say why the row is skipped. Return: true. */
bool pass_over(const char *why);

/*
 * A counter reaches a value and does not pass it, or counts that many errors. Counters change after
 * completions.
 */
bool cntr_is(struct fid_cntr *cntr, uint64_t value);
bool cntr_fails(struct fid_cntr *cntr, uint64_t value);

/* A's next completion is of send @n. */
bool is_sent(unsigned int n);
/* B's next completion is of receive @n, tagged or not, of @len bytes. */
bool is_received(unsigned int n, size_t len, bool tagged, uint64_t tag);
/* B's next completion is an error. @err: the entry. */
bool is_failed(unsigned int n, int err, struct fi_cq_err_entry *e);

/*
 * fi_trecvmsg() at B with flags of the peek family, segments optional. Return: the call's result.
 */
ssize_t look(uint64_t flags, void *buf, size_t len, uint64_t tag, uint64_t ignore, unsigned int n);
/*
 * Peek until the message is there: a message whose send has completed may be on its way. Flags and
 * buffer as in look(). @c: the hit.
 */
bool look_hit(uint64_t flags, void *buf, size_t len, uint64_t tag, uint64_t ignore, unsigned int n,
	      struct fi_cq_tagged_entry *c);
/* A peek that finds no message. */
bool look_miss(uint64_t flags, uint64_t tag, uint64_t ignore, unsigned int n);

#endif
