/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends and receives in each form that fi_msg(3) and fi_tagged(3) have. */
#ifndef WEFT_FORMS_H
#define WEFT_FORMS_H

#include "fipair.h"

/* forms without a flag for it inject: FORM_INJECT, FORM_INJECTDATA */
enum send_form {
	FORM_SEND, FORM_SENDV, FORM_SENDMSG, FORM_SENDDATA, FORM_INJECT, FORM_INJECTDATA,
	SEND_FORMS
};

enum recv_form { FORM_RECV, FORM_RECVV, FORM_RECVMSG, RECV_FORMS };

/**
 * struct letter - arguments of a call besides the buffer
 * @tagged: by fi_tagged(3)
 * @tag: tag
 * @ignore: of a receive
 * @data: remote completion data, of the forms that have them
 * @peer: destination or source
 * @flags: of the forms that have flags
 * @desc: one descriptor for each segment, or NULL
 * @context: context, of all but injects
 */
struct letter {
	bool tagged;
	uint64_t tag;
	uint64_t ignore;
	uint64_t data;
	fi_addr_t peer;
	uint64_t flags;
	void **desc;
	void *context;
};

/* Forms with segments have two for a send, three for a receive, one of them empty. */
ssize_t send_by(struct fid_ep *ep, enum send_form f, const void *buf, size_t len,
		const struct letter *l);
ssize_t recv_by(struct fid_ep *ep, enum recv_form f, void *buf, size_t len,
		const struct letter *l);

/* Return: the form has no completion; the form sends data (fi_sendmsg: with its flag). */
bool form_injects(enum send_form f);
bool form_has_data(enum send_form f, uint64_t flags);

#endif
