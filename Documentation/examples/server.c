// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A server for several clients, on libfabric with epoll(7). It sends back what the programs of
 * connect.c send. All clients share one completion queue and one event queue. The server sleeps in
 * epoll_wait(2), where a real server would wait for its other files, too.
 *
 * Build:	cc server.c -o server -lfabric
 * Run:		server COUNT		on one node; it ends when COUNT clients have left
 *		connect ADDRESS NAME TEXT	COUNT times, at the same time or not
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#define SERVICE		"5002"
#define TEXT_MAX	256
#define NAME_MAX	256	/* bytes of private data that weft passes */

/* A client. It is the context of its endpoint, and of its only operation at a time. */
struct client {
	struct fid_ep *ep;	/* NULL: the client has left */
	char name[NAME_MAX + 1];
	char text[TEXT_MAX];
};

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_eq *eq;
static struct fid_cq *cq;
static int left;		/* clients that have left */

static void check(const char *what, ssize_t ret)
{
	if (ret < 0)
		errx(1, "%s: %s", what, fi_strerror((int)-ret));
}

static void open_fabric(void)
{
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_FD };
	struct fi_eq_attr eq_attr = { .wait_obj = FI_WAIT_FD };
	struct fi_info *hints = fi_allocinfo();

	if (!hints)
		errx(1, "no memory");
	hints->caps = FI_MSG;
	hints->ep_attr->type = FI_EP_MSG;
	hints->addr_format = FI_SOCKADDR_IN;
	hints->fabric_attr->prov_name = strdup("weft");
	check("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), NULL, SERVICE, FI_SOURCE, hints, &info));
	fi_freeinfo(hints);
	check("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
	check("fi_domain", fi_domain(fabric, info, &domain, NULL));
	check("fi_eq_open", fi_eq_open(fabric, &eq_attr, &eq, NULL));
	check("fi_cq_open", fi_cq_open(domain, &cq_attr, &cq, NULL));
}

/* -FI_ENOTCONN: the client has left meanwhile, and FI_SHUTDOWN follows. */
static void check_post(const char *what, ssize_t ret)
{
	if (ret != -FI_ENOTCONN)
		check(what, ret);
}

static void post_receive(struct client *client)
{
	check_post("fi_recv", fi_recv(client->ep, client->text, TEXT_MAX, NULL, 0, client));
}

/* Handle all completions. */
static void read_completions(void)
{
	struct fi_cq_err_entry failed = { 0 };
	struct fi_cq_msg_entry done;
	struct client *client;
	ssize_t ret;

	while ((ret = fi_cq_read(cq, &done, 1)) != -FI_EAGAIN) {
		if (ret == -FI_EAVAIL) {
			/* one client's trouble is not the end of the server: an event follows */
			check("fi_cq_readerr", fi_cq_readerr(cq, &failed, 0));
			client = failed.op_context;
			if (failed.err != FI_ECANCELED)
				warnx("%s: %s", client->name, fi_strerror(failed.err));
			continue;
		}
		check("fi_cq_read", ret);
		client = done.op_context;
		if (!client->ep)
			continue;
		if (!(done.flags & FI_RECV)) {
			post_receive(client);
			continue;
		}
		printf("%s: %zu bytes\n", client->name, done.len);
		check_post("fi_send", fi_send(client->ep, client->text, done.len, NULL, 0, client));
	}
}

/* No completion may name the client after it has been freed. */
static void free_client(struct client *client)
{
	check("fi_close", fi_close(&client->ep->fid));
	client->ep = NULL;
	read_completions();
	free(client);
}

/* A client asks for a connection. @name: private data of its request */
static void accept_client(struct fi_info *request, const uint8_t *name, size_t len)
{
	struct client *client = calloc(1, sizeof(*client));
	int ret;

	if (!client)
		errx(1, "no memory");
	memcpy(client->name, name, len);
	check("fi_endpoint", fi_endpoint(domain, request, &client->ep, client));
	fi_freeinfo(request);
	check("fi_ep_bind", fi_ep_bind(client->ep, &eq->fid, 0));
	check("fi_ep_bind", fi_ep_bind(client->ep, &cq->fid, FI_TRANSMIT | FI_RECV));
	check("fi_enable", fi_enable(client->ep));
	post_receive(client);
	ret = fi_accept(client->ep, NULL, 0);
	if (ret) {
		/* the client no longer waits for the answer */
		warnx("%s: fi_accept: %s", client->name, fi_strerror(-ret));
		free_client(client);
	}
}

/* The connection has ended. */
static void drop_client(struct client *client)
{
	printf("%s has left\n", client->name);
	free_client(client);
	left++;
}

/* Handle all events. */
static void read_events(void)
{
	union {
		struct fi_eq_cm_entry entry;
		char space[sizeof(struct fi_eq_cm_entry) + NAME_MAX];
	} event;
	struct fi_eq_err_entry failed = { 0 };
	uint32_t type;
	ssize_t ret;

	while ((ret = fi_eq_read(eq, &type, &event, sizeof(event), 0)) != -FI_EAGAIN) {
		if (ret == -FI_EAVAIL) {
			/* the connection did not come about */
			check("fi_eq_readerr", fi_eq_readerr(eq, &failed, 0));
			drop_client(failed.fid->context);
			continue;
		}
		check("fi_eq_read", ret);
		if (type == FI_CONNREQ)
			accept_client(event.entry.info, event.entry.data,
				      (size_t)ret - sizeof(event.entry));
		else if (type == FI_SHUTDOWN)
			drop_client(event.entry.fid->context);
	}
}

/* Add the file of a queue to those that epoll_wait(2) waits for. */
static void watch(int epoll, struct fid *queue)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int fd;

	check("fi_control", fi_control(queue, FI_GETWAIT, &fd));
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev) < 0)
		err(1, "epoll_ctl");
}

static void serve(int count)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct fid *queues[] = { &eq->fid, &cq->fid };
	struct epoll_event ev;
	int ret;

	if (epoll < 0)
		err(1, "epoll_create1");
	watch(epoll, &eq->fid);
	watch(epoll, &cq->fid);
	while (left < count) {
		/* 0: nothing is left to read that the files would not show */
		ret = fi_trywait(fabric, queues, 2);
		if (ret != -FI_EAGAIN) {
			check("fi_trywait", ret);
			if (epoll_wait(epoll, &ev, 1, -1) < 0 && errno != EINTR)
				err(1, "epoll_wait");
		}
		/* what clients have sent comes before the news that they have left */
		read_completions();
		read_events();
	}
	close(epoll);
}

int main(int argc, char **argv)
{
	struct fid_pep *pep;
	int count = argc == 2 ? atoi(argv[1]) : 0;

	if (count < 1)
		errx(2, "usage: server COUNT");
	open_fabric();
	check("fi_passive_ep", fi_passive_ep(fabric, info, &pep, NULL));
	check("fi_pep_bind", fi_pep_bind(pep, &eq->fid, 0));
	check("fi_listen", fi_listen(pep));
	printf("waiting at service %s\n", SERVICE);
	fflush(stdout);
	serve(count);
	check("fi_close", fi_close(&pep->fid));
	check("fi_close", fi_close(&cq->fid));
	check("fi_close", fi_close(&eq->fid));
	check("fi_close", fi_close(&domain->fid));
	check("fi_close", fi_close(&fabric->fid));
	fi_freeinfo(info);
	printf("%d clients have been served\n", left);
	return 0;
}
