// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A connection on libfabric, endpoint type FI_EP_MSG. The client sends one text, and the server
 * sends it back. server.c serves several of these clients.
 *
 * Build:	cc connect.c -o connect -lfabric
 * Run:		connect				on one node: a server for one client
 *		connect ADDRESS NAME TEXT	on any node, with the server's address
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#define SERVICE		"5002"
#define TEXT_MAX	256
#define NAME_MAX	256	/* bytes of private data that weft passes */

/* An event of a connection, with its private data */
union event {
	struct fi_eq_cm_entry entry;
	char space[sizeof(struct fi_eq_cm_entry) + NAME_MAX];
};

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_eq *eq;
static struct fid_cq *cq;
static struct fid_ep *ep;
static char text[TEXT_MAX];

static void check(const char *what, ssize_t ret)
{
	if (ret < 0)
		errx(1, "%s: %s", what, fi_strerror((int)-ret));
}

/* @address: the server's, NULL in the server itself */
static void open_fabric(const char *address)
{
	struct fi_eq_attr attr = { .wait_obj = FI_WAIT_UNSPEC };
	struct fi_info *hints = fi_allocinfo();

	if (!hints)
		errx(1, "no memory");
	hints->caps = FI_MSG;
	hints->ep_attr->type = FI_EP_MSG;
	hints->addr_format = FI_SOCKADDR_IN;
	hints->fabric_attr->prov_name = strdup("weft");
	check("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), address, SERVICE,
				       address ? 0 : FI_SOURCE, hints, &info));
	fi_freeinfo(hints);
	check("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
	check("fi_eq_open", fi_eq_open(fabric, &attr, &eq, NULL));
}

/* @conn_info: of the client's address, or of the request that the server accepts */
static void open_endpoint(struct fi_info *conn_info)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_UNSPEC };

	check("fi_domain", fi_domain(fabric, conn_info, &domain, NULL));
	check("fi_cq_open", fi_cq_open(domain, &attr, &cq, NULL));
	check("fi_endpoint", fi_endpoint(domain, conn_info, &ep, NULL));
	check("fi_ep_bind", fi_ep_bind(ep, &eq->fid, 0));
	check("fi_ep_bind", fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
	check("fi_enable", fi_enable(ep));
}

static void close_all(void)
{
	check("fi_close", fi_close(&ep->fid));
	check("fi_close", fi_close(&cq->fid));
	check("fi_close", fi_close(&domain->fid));
	check("fi_close", fi_close(&eq->fid));
	check("fi_close", fi_close(&fabric->fid));
	fi_freeinfo(info);
}

/* Wait for an event, which must be this one. Return: bytes of private data. */
static size_t expect(uint32_t want, union event *event)
{
	struct fi_eq_err_entry failed = { 0 };
	uint32_t type;
	ssize_t ret;

	do {
		ret = fi_eq_sread(eq, &type, event, sizeof(*event), -1, 0);
	} while (ret == -FI_EINTR || ret == -FI_EAGAIN);
	if (ret == -FI_EAVAIL) {
		check("fi_eq_readerr", fi_eq_readerr(eq, &failed, 0));
		errx(1, "there is no connection: %s", fi_strerror(failed.err));
	}
	check("fi_eq_sread", ret);
	if (type != want)
		errx(1, "the connection has ended too early (event %u)", type);
	return (size_t)ret - sizeof(event->entry);
}

/* Wait for the operation that was posted last. Return: bytes of a received message. */
static size_t finish(void)
{
	struct fi_cq_err_entry failed = { 0 };
	struct fi_cq_msg_entry done;
	ssize_t ret;

	do {
		ret = fi_cq_sread(cq, &done, 1, NULL, -1);
	} while (ret == -FI_EINTR || ret == -FI_EAGAIN);
	if (ret == -FI_EAVAIL) {
		check("fi_cq_readerr", fi_cq_readerr(cq, &failed, 0));
		errx(1, "an operation has failed: %s", fi_strerror(failed.err));
	}
	check("fi_cq_sread", ret);
	return done.len;
}

static void serve(void)
{
	struct fid_pep *pep;
	union event event;
	size_t len;

	open_fabric(NULL);
	check("fi_passive_ep", fi_passive_ep(fabric, info, &pep, NULL));
	check("fi_pep_bind", fi_pep_bind(pep, &eq->fid, 0));
	check("fi_listen", fi_listen(pep));
	printf("waiting at service %s\n", SERVICE);
	fflush(stdout);

	len = expect(FI_CONNREQ, &event);
	printf("%.*s asks for a connection\n", (int)len, (char *)event.entry.data);
	open_endpoint(event.entry.info);
	fi_freeinfo(event.entry.info);
	/* posted before the client may send */
	check("fi_recv", fi_recv(ep, text, sizeof(text), NULL, 0, NULL));
	check("fi_accept", fi_accept(ep, NULL, 0));
	expect(FI_CONNECTED, &event);
	len = finish();
	printf("%zu bytes\n", len);
	check("fi_send", fi_send(ep, text, len, NULL, 0, NULL));
	finish();
	/* the client ends the connection, when it has the answer */
	expect(FI_SHUTDOWN, &event);
	check("fi_close", fi_close(&pep->fid));
	close_all();
}

static void ask(const char *address, const char *name, const char *say)
{
	char answer[TEXT_MAX];
	union event event;
	size_t len;

	if (strlen(name) > NAME_MAX || strlen(say) > TEXT_MAX)
		errx(2, "NAME has at most %d characters, TEXT %d", NAME_MAX, TEXT_MAX);
	open_fabric(address);
	open_endpoint(info);
	check("fi_connect", fi_connect(ep, info->dest_addr, name, strlen(name)));
	expect(FI_CONNECTED, &event);
	memcpy(text, say, strlen(say));
	check("fi_send", fi_send(ep, text, strlen(say), NULL, 0, NULL));
	finish();
	check("fi_recv", fi_recv(ep, answer, sizeof(answer), NULL, 0, NULL));
	len = finish();
	printf("%s: %.*s\n", name, (int)len, answer);
	check("fi_shutdown", fi_shutdown(ep, 0));
	close_all();
}

int main(int argc, char **argv)
{
	if (argc == 4)
		ask(argv[1], argv[2], argv[3]);
	else if (argc == 1)
		serve();
	else
		errx(2, "usage: connect [ADDRESS NAME TEXT]");
	return 0;
}
