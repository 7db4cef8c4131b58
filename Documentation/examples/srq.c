// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A shared receive queue on uDAPL: the messages of all clients go into the buffers of one queue, so
 * that their number follows the traffic and not the number of clients.
 *
 * Build:	cc srq.c -o srq -ldat2
 * Run:		srq COUNT		on one node; it ends when COUNT clients have left
 *		srq ADDRESS TEXT	on any node, with the server's address, COUNT times
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dat2/udat.h>

#define SERVICE		5003
#define BUFFERS		4		/* for all clients together */
#define TEXT_MAX	256
#define EVENTS		64

static DAT_IA_HANDLE ia;
static DAT_EVD_HANDLE async, events;	/* connections and transfers: one queue of events */
static DAT_PZ_HANDLE zone;
static DAT_LMR_HANDLE region;
static DAT_LMR_CONTEXT key;
static char text[BUFFERS][TEXT_MAX];

static void check(const char *what, DAT_RETURN ret)
{
	const char *major, *minor;

	if (ret == DAT_SUCCESS)
		return;
	if (dat_strerror(ret, &major, &minor) != DAT_SUCCESS)
		errx(1, "%s: error 0x%x", what, ret);
	errx(1, "%s: %s %s", what, major, minor);
}

static void open_adapter(void)
{
	DAT_REGION_DESCRIPTION mem = { .for_va = text };
	DAT_RMR_CONTEXT remote;
	DAT_VADDR addr;
	DAT_VLEN len;

	async = DAT_HANDLE_NULL;
	check("dat_ia_open", dat_ia_open((DAT_NAME_PTR)"weft", EVENTS, &async, &ia));
	check("dat_pz_create", dat_pz_create(ia, &zone));
	check("dat_lmr_create", dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, mem, sizeof(text), zone,
					       DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &region, &key,
					       &remote, &len, &addr));
	check("dat_evd_create", dat_evd_create(ia, EVENTS, DAT_HANDLE_NULL,
					       DAT_EVD_CR_FLAG | DAT_EVD_CONNECTION_FLAG |
					       DAT_EVD_DTO_FLAG, &events));
}

/* Each object is freed before those that it uses. */
static void close_adapter(void)
{
	check("dat_evd_free", dat_evd_free(events));
	check("dat_lmr_free", dat_lmr_free(region));
	check("dat_pz_free", dat_pz_free(zone));
	check("dat_ia_close", dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG));
}

static DAT_LMR_TRIPLET segment(int buffer, size_t len)
{
	return (DAT_LMR_TRIPLET) {
		.lmr_context = key,
		.virtual_address = (uintptr_t)text[buffer],
		.segment_length = len,
	};
}

/* ---- The server -------------------------------------------------------------------------- */

static void post_buffer(DAT_SRQ_HANDLE srq, int buffer)
{
	DAT_LMR_TRIPLET seg = segment(buffer, TEXT_MAX);
	DAT_DTO_COOKIE cookie = { .as_64 = (DAT_UINT64)buffer };

	check("dat_srq_post_recv", dat_srq_post_recv(srq, 1, &seg, cookie));
}

/* A message has arrived: its cookie names the buffer. */
static void take_message(DAT_SRQ_HANDLE srq, const DAT_DTO_COMPLETION_EVENT_DATA *done)
{
	int buffer = (int)done->user_cookie.as_64;

	if (done->status != DAT_DTO_SUCCESS)
		warnx("a receive has failed with status %d", done->status);
	else
		printf("message: %.*s\n", (int)done->transfered_length, text[buffer]);
	post_buffer(srq, buffer);
}

static void accept_client(DAT_SRQ_HANDLE srq, DAT_CR_HANDLE request)
{
	DAT_EP_HANDLE ep;

	check("dat_ep_create_with_srq",
	      dat_ep_create_with_srq(ia, zone, events, events, events, srq, NULL, &ep));
	check("dat_cr_accept", dat_cr_accept(request, ep, 0, NULL));
}

/* Return: clients that have left by this event. */
static int handle(DAT_SRQ_HANDLE srq, const DAT_EVENT *event)
{
	switch (event->event_number) {
	case DAT_CONNECTION_REQUEST_EVENT:
		accept_client(srq, event->event_data.cr_arrival_event_data.cr_handle);
		return 0;
	case DAT_DTO_COMPLETION_EVENT:
		take_message(srq, &event->event_data.dto_completion_event_data);
		return 0;
	case DAT_CONNECTION_EVENT_ESTABLISHED:
		return 0;
	case DAT_CONNECTION_EVENT_DISCONNECTED:
	case DAT_CONNECTION_EVENT_BROKEN:
	case DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR:
		check("dat_ep_free", dat_ep_free(event->event_data.connect_event_data.ep_handle));
		return 1;
	default:
		errx(1, "unexpected event 0x%x", event->event_number);
	}
}

static void serve(int count)
{
	DAT_SRQ_ATTR attr = {
		.max_recv_dtos = BUFFERS,
		.max_recv_iov = 1,
		.low_watermark = DAT_SRQ_LW_DEFAULT,
	};
	DAT_PSP_HANDLE psp;
	DAT_SRQ_HANDLE srq;
	DAT_EVENT event;
	DAT_COUNT more;
	int i, left = 0;

	open_adapter();
	check("dat_srq_create", dat_srq_create(ia, zone, &attr, &srq));
	for (i = 0; i < BUFFERS; i++)
		post_buffer(srq, i);
	check("dat_psp_create", dat_psp_create(ia, SERVICE, events, DAT_PSP_CONSUMER_FLAG, &psp));
	printf("waiting at service %d\n", SERVICE);
	fflush(stdout);
	while (left < count) {
		check("dat_evd_wait", dat_evd_wait(events, DAT_TIMEOUT_INFINITE, 1, &event, &more));
		left += handle(srq, &event);
	}
	/* messages may stand behind the end of their connection */
	while (dat_evd_dequeue(events, &event) == DAT_SUCCESS)
		handle(srq, &event);
	printf("%d clients have been served\n", left);
	check("dat_psp_free", dat_psp_free(psp));
	check("dat_srq_free", dat_srq_free(srq));
	close_adapter();
}

/* ---- A client ---------------------------------------------------------------------------- */

/* Wait for an event, which must be this one. */
static void expect(DAT_EVENT_NUMBER want, const char *what)
{
	DAT_EVENT event;
	DAT_COUNT more;

	check("dat_evd_wait", dat_evd_wait(events, DAT_TIMEOUT_INFINITE, 1, &event, &more));
	if (event.event_number != want)
		errx(1, "%s: event 0x%x", what, event.event_number);
	if (want == DAT_DTO_COMPLETION_EVENT &&
	    event.event_data.dto_completion_event_data.status != DAT_DTO_SUCCESS)
		errx(1, "%s: status %d", what,
		     event.event_data.dto_completion_event_data.status);
}

static void say(const char *address, const char *words)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	DAT_IA_ADDRESS_PTR server = (void *)&in;
	DAT_DTO_COOKIE cookie = { 0 };
	DAT_LMR_TRIPLET seg;
	DAT_EP_HANDLE ep;

	if (inet_pton(AF_INET, address, &in.sin_addr) != 1)
		errx(2, "%s is not an IPv4 address", address);
	if (strlen(words) > TEXT_MAX)
		errx(2, "TEXT has at most %d characters", TEXT_MAX);
	open_adapter();
	check("dat_ep_create", dat_ep_create(ia, zone, events, events, events, NULL, &ep));
	check("dat_ep_connect", dat_ep_connect(ep, server, SERVICE, DAT_TIMEOUT_INFINITE, 0, NULL,
					       DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	expect(DAT_CONNECTION_EVENT_ESTABLISHED, "there is no connection");
	memcpy(text[0], words, strlen(words));
	seg = segment(0, strlen(words));
	check("dat_ep_post_send", dat_ep_post_send(ep, 1, &seg, cookie,
						   DAT_COMPLETION_DEFAULT_FLAG));
	/* a buffer of the server has taken the message */
	expect(DAT_DTO_COMPLETION_EVENT, "the message is lost");
	check("dat_ep_disconnect", dat_ep_disconnect(ep, DAT_CLOSE_GRACEFUL_FLAG));
	expect(DAT_CONNECTION_EVENT_DISCONNECTED, "the connection does not end");
	printf("sent: %s\n", words);
	check("dat_ep_free", dat_ep_free(ep));
	close_adapter();
}

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0;

	if (argc == 3)
		say(argv[1], argv[2]);
	else if (count > 0)
		serve(count);
	else
		errx(2, "usage: srq COUNT, or srq ADDRESS TEXT");
	return 0;
}
