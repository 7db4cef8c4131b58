/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests to the generic netlink family "weft", in the form that the socket carries
 *
 * For tests that must know each system call or send what no library does. A process uses one
 * socket.
 */
#ifndef WEFT_GENL_H
#define WEFT_GENL_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/weft_netlink.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct genl_request - a request
 * @h: netlink's header
 * @g: generic netlink's
 * @attrs: attributes
 */
struct genl_request {
	struct nlmsghdr h;
	struct genlmsghdr g;
	char attrs[2000];
};

/*
 * Open the socket, in the caller's network namespace. A second call forgets answers to the first.
 */
bool genl_open(void);
void genl_close(void);

/* A request without attributes. @flags: NLM_F_ACK or NLM_F_DUMP; @cmd: WEFT_CMD_* */
void genl_begin(struct genl_request *r, __u16 flags, __u8 cmd);
/* Add an attribute, if there is space. */
void genl_put(struct genl_request *r, __u16 type, const void *data, size_t len);
void genl_put_text(struct genl_request *r, __u16 type, const char *text);

/* Send, and leave the answer in the socket. Return: 0 or an errno. */
int genl_send(const struct genl_request *r);
/*
 * Send, and read answers until an end, an error or none. @patient: wait for them, up to 20 s.
 * Return: the answer's errno; ETIMEDOUT: no answer came in that time.
 */
int genl_ask(const struct genl_request *r, bool patient);

#endif
