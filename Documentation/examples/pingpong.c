// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ping-pong on libweft: two programs send each other a short message in turn.
 *
 * Build:	cc pingpong.c -o pingpong -lweft
 * Run:		pingpong		on one node; it waits for the other program
 *		pingpong ADDRESS	on any node, with the address of the first one
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <weft/weft.h>

#define SERVICE	5000		/* of the program that waits */
#define ROUNDS	1000
#define SLOTS	64		/* of each ring; a few entries are in use at a time */

/* What a program needs to send and to receive. */
struct side {
	struct weft_ctx *ctx;
	struct weft_cq *cq;
	struct weft_av *av;
	struct weft_ep *ep;
};

/* The message. The first one tells the other program where to send its own. */
struct ball {
	uint32_t round;
	struct weft_sockaddr from;
};

/* libweft returns negative error numbers. */
static void check(const char *what, int ret)
{
	if (ret < 0)
		errx(1, "%s: %s", what, strerror(-ret));
}

/* Open the first port of this node. Ports of other network namespaces cannot be opened. */
static struct weft_ctx *open_port(void)
{
	char names[16][WEFT_NAME_MAX];
	int n = weft_ports(names, 16), ret = -ENODEV, i;
	struct weft_ctx *ctx;

	check("weft_ports", n);
	for (i = 0; i < n && i < 16; i++) {
		ret = weft_open(names[i], &ctx);
		if (!ret)
			return ctx;
	}
	errx(1, "there is no port that can be opened: %s", strerror(-ret));
}

/* @service: own service, 0: the kernel chooses one */
static void side_open(struct side *s, uint16_t service)
{
	struct weft_ep_attr attr = {
		.type = WEFT_EP_RDM,
		.sq_slots = SLOTS,
		.rq_slots = SLOTS,
		.addr.port = htons(service),	/* family 0: the first address of the port */
	};

	s->ctx = open_port();
	check("weft_cq_create", weft_cq_create(s->ctx, 2 * SLOTS, &s->cq));
	check("weft_av_create", weft_av_create(s->ctx, 1, &s->av));
	check("weft_ep_create", weft_ep_create(s->ctx, &attr, &s->ep));
	check("weft_ep_enable", weft_ep_enable(s->ep, s->cq, s->cq, NULL, s->av));
}

/* An object can be destroyed when no other object uses it. */
static void side_close(struct side *s)
{
	check("weft_ep_destroy", weft_ep_destroy(s->ep));
	check("weft_av_destroy", weft_av_destroy(s->av));
	check("weft_cq_destroy", weft_cq_destroy(s->cq));
	check("weft_close", weft_close(s->ctx));
}

/* Wait for the next operation that ends. The queue is read first: the wait costs a system call. */
static void next_completion(struct side *s)
{
	struct weft_cqe cqe;
	int ret;

	while (!(ret = weft_cq_read(s->cq, &cqe, 1))) {
		ret = weft_cq_wait(s->cq, weft_cq_seen(s->cq), NULL, WEFT_FOREVER);
		if (ret != -EINTR)
			check("weft_cq_wait", ret);
	}
	check("weft_cq_read", ret);
	if (cqe.status)
		errx(1, "a %s has failed: %s", cqe.flags & WEFT_CQE_SEND ? "send" : "receive",
		     strerror(cqe.status));
	if (!(cqe.flags & WEFT_CQE_SEND) && cqe.len != sizeof(struct ball))
		errx(1, "a message of %llu bytes is not of this program",
		     (unsigned long long)cqe.len);
}

static void post_receive(struct side *s, struct ball *ball)
{
	check("weft_recv", weft_recv(s->ep, ball, sizeof(*ball), WEFT_SRC_ANY, 0,
				     WEFT_RQ_COMPLETION));
}

/* The message is copied into the ring, so it may change at once. Only a failure is reported. */
static void send_ball(struct side *s, uint32_t dst, const struct ball *ball, uint32_t flags)
{
	check("weft_send", weft_send(s->ep, ball, sizeof(*ball), dst, 0, 0,
				     WEFT_SQ_INLINE | flags));
}

static void serve(void)
{
	uint32_t peer = WEFT_SRC_ANY;
	struct ball ball;
	struct side s;

	side_open(&s, SERVICE);
	post_receive(&s, &ball);
	printf("waiting at service %d\n", SERVICE);
	fflush(stdout);
	do {
		struct ball answer;

		next_completion(&s);
		answer = ball;
		if (peer == WEFT_SRC_ANY &&
		    weft_av_insert(s.av, &ball.from, 1, &peer) != 1)
			errx(1, "the client's address is not valid");
		post_receive(&s, &ball);	/* before the client can send again */
		/* an endpoint must not be destroyed before its last message has arrived */
		send_ball(&s, peer, &answer, answer.round < ROUNDS ? 0 :
			  WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY);
		if (answer.round == ROUNDS)
			break;
	} while (1);
	next_completion(&s);
	printf("%d messages answered\n", ROUNDS);
	side_close(&s);
}

static void play(const char *address)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(SERVICE) };
	struct ball ball = { 0 }, answer;
	struct weft_sockaddr addr;
	struct side s;
	uint32_t peer;

	if (inet_pton(AF_INET, address, &in.sin_addr) != 1)
		errx(2, "%s is not an IPv4 address", address);
	check("address", weft_addr_from_sockaddr(&addr, (struct sockaddr *)&in, sizeof(in)));
	side_open(&s, 0);
	check("weft_getname", weft_getname(s.ep, &ball.from));
	if (weft_av_insert(s.av, &addr, 1, &peer) != 1)
		errx(1, "%s cannot be a destination", address);
	for (ball.round = 1; ball.round <= ROUNDS; ball.round++) {
		post_receive(&s, &answer);
		send_ball(&s, peer, &ball, 0);
		next_completion(&s);
		if (answer.round != ball.round)
			errx(1, "answer %u came to message %u", answer.round, ball.round);
	}
	printf("%d round trips\n", ROUNDS);
	side_close(&s);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		errx(2, "usage: pingpong [ADDRESS]");
	if (argc == 2)
		play(argv[1]);
	else
		serve();
	return 0;
}
