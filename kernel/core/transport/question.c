// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - questions to the kernel of another node: what does an endpoint there wait for?
 *
 * A question is a probe (echo.c) that only asks. It names an endpoint of this node and one of the
 * peer. It carries the authentication code of the asking endpoint's job. So the peer answers for
 * endpoints of the same job alone; api/answer.c has the rules. A question is sent again until its
 * answer comes, WEFT_ECHO_ASKS times at most. The answer may be read once, by the user that asked.
 *
 * Locks: core->lock for the list of probes; path->lock for the rest, inside core->lock where both
 * are held.
 */
#include "core/transport/emit.h"

/**
 * weft_question_put - put out the question of a path
 * @path: the path, UP, locked
 * @out: output
 *
 * Return: false: the output is full.
 */
bool weft_question_put(struct weft_path *path, struct weft_out *out)
{
	const struct weft_echo *e = path->echo.run;
	const struct weft_question *q = &e->question;
	struct weft_flowid id = { .ssvc = q->ssvc, .dsvc = q->dsvc, .sgen = e->no };
	/* the answer is not longer */
	u32 zeros = sizeof(struct weft_w_answer) - sizeof(struct weft_w_question);
	u32 head = WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_question);
	struct weft_tx *tx;
	u64 auth;

	weft_assert_held(&path->lock);
	tx = weft_frame_plain(path, head, zeros, out);
	if (!tx)
		return false;
	auth = weft_job_auth(q->job, weft_path_challenge(path), &id, WEFT_AUTH_QUESTION);
	weft_wire_question_put(tx->raw + WEFT_WIRE_HDR, e->no, q->ssvc, q->dsvc, auth, zeros);
	return true;
}

/**
 * weft_question_back - process ANSWER
 * @path: the path, locked
 * @w: the chunk
 */
void weft_question_back(struct weft_path *path, const struct weft_w_answer *w)
{
	struct weft_echo *e = weft_echo_running(path, be32_to_cpu(w->no));

	weft_assert_held(&path->lock);
	if (!e || !e->question.asked || e->state != WEFT_ECHOS_ASK)
		return;
	weft_wire_answer_get(w, &e->question.answer);
	/* another node cannot wait on an address of a link of this one */
	if (e->question.answer.peer.family == path->node.addr.family)
		e->question.answer.peer.scope = path->node.addr.scope;
	weft_echo_over(e, 0);
}

int weft_question_start(struct weft_core *core, const struct weft_sockaddr *from,
			const struct weft_sockaddr *peer, u32 uid, weft_ns now,
			struct weft_out *out, u32 *no)
{
	struct weft_ep *ep = weft_core_service(core, be16_to_cpu(from->port));
	struct weft_sockaddr node = *peer;
	struct weft_echo *e;
	int err = -ENOENT;

	out->now = now;
	if (!ep)
		return err;
	if (weft_addr_same_node(&ep->addr, from) &&
	    (uid == WEFT_NOTE_NO_UID || uid == ep->conf.uid)) {
		node.port = 0;
		e = weft_echo_new(now);
		err = -ENOMEM;
		if (e) {
			e->question = (struct weft_question){
				.asked = true,
				.ssvc = be16_to_cpu(from->port),
				.dsvc = be16_to_cpu(peer->port),
				.uid = uid,
				.job = weft_job_get(ep->job),
			};
			err = weft_echo_launch(core, &node, e, out, no);
		}
	}
	weft_ep_put(ep);
	return err;
}

/* The result of a question is read. Its path is locked, if it has one. */
static void weft_question_copy(struct weft_echo *e, weft_ns now, struct weft_question_info *info)
{
	if (e->path)
		weft_assert_held(&e->path->lock);
	e->read_at = now;
	*info = (struct weft_question_info){
		.state = e->state,
		.err = e->err,
		.answer = e->question.answer,
	};
}

int weft_question_look(struct weft_core *core, u32 no, u32 uid, weft_ns now,
		       struct weft_question_info *info)
{
	struct weft_echo *e;
	int ret = -ENOENT;

	weft_lock(&core->lock);
	e = weft_echo_by_no(core, no, true);
	if (e && (uid == WEFT_NOTE_NO_UID || uid == e->question.uid)) {
		if (e->path) {
			weft_lock(&e->path->lock);
			weft_question_copy(e, now, info);
			weft_unlock(&e->path->lock);
		} else {
			weft_question_copy(e, now, info);
		}
		if (info->state == WEFT_ECHOS_OVER)
			weft_echo_free(core, e);
		ret = 0;
	}
	weft_unlock(&core->lock);
	return ret;
}
