// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tagged messages on libfabric, endpoint type FI_EP_RDM. The server receives two messages by their
 * tags, in another order than that in which they were sent, and answers.
 *
 * Build:	cc tagged.c -o tagged -lfabric
 * Run:		tagged			on one node: the server
 *		tagged ADDRESS		on any node, with the server's address
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#define SERVICE	"5001"		/* of the server */

enum { TAG_ADDRESS = 1, TAG_FIRST, TAG_SECOND, TAG_ANSWER };

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_av *av;
static struct fid_cq *cq;
static struct fid_ep *ep;

/* libfabric returns negative error numbers, and some of its own. */
static void check(const char *what, ssize_t ret)
{
	if (ret < 0)
		errx(1, "%s: %s", what, fi_strerror((int)-ret));
}

/* @address: the server's, NULL in the server itself */
static void open_endpoint(const char *address)
{
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_UNSPEC };
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
	struct fi_info *hints = fi_allocinfo();

	if (!hints)
		errx(1, "no memory");
	hints->caps = FI_TAGGED;
	hints->ep_attr->type = FI_EP_RDM;
	hints->addr_format = FI_SOCKADDR_IN;
	/* without a name libfabric chooses among its providers */
	hints->fabric_attr->prov_name = strdup("weft");
	check("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), address, SERVICE,
				       address ? 0 : FI_SOURCE, hints, &info));
	fi_freeinfo(hints);

	check("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
	check("fi_domain", fi_domain(fabric, info, &domain, NULL));
	check("fi_av_open", fi_av_open(domain, &av_attr, &av, NULL));
	check("fi_cq_open", fi_cq_open(domain, &cq_attr, &cq, NULL));
	check("fi_endpoint", fi_endpoint(domain, info, &ep, NULL));
	check("fi_ep_bind", fi_ep_bind(ep, &av->fid, 0));
	check("fi_ep_bind", fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
	check("fi_enable", fi_enable(ep));
}

static void close_endpoint(void)
{
	check("fi_close", fi_close(&ep->fid));
	check("fi_close", fi_close(&cq->fid));
	check("fi_close", fi_close(&av->fid));
	check("fi_close", fi_close(&domain->fid));
	check("fi_close", fi_close(&fabric->fid));
	fi_freeinfo(info);
}

/* Wait for the operation that was posted last. Return: bytes of a received message. */
static size_t finish(void)
{
	struct fi_cq_err_entry failed = { 0 };
	struct fi_cq_tagged_entry done;
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

/* -FI_EAGAIN: the queue is full. Reading completions makes progress. */
static void send_tagged(const void *buf, size_t len, fi_addr_t to, uint64_t tag)
{
	ssize_t ret;

	while ((ret = fi_tsend(ep, buf, len, NULL, to, tag, NULL)) == -FI_EAGAIN)
		fi_cq_read(cq, NULL, 0);
	check("fi_tsend", ret);
	finish();
}

static size_t receive_tagged(void *buf, size_t len, uint64_t tag)
{
	ssize_t ret;

	while ((ret = fi_trecv(ep, buf, len, NULL, FI_ADDR_UNSPEC, tag, 0, NULL)) == -FI_EAGAIN)
		fi_cq_read(cq, NULL, 0);
	check("fi_trecv", ret);
	return finish();
}

static fi_addr_t insert(const void *address)
{
	fi_addr_t index;

	if (fi_av_insert(av, address, 1, &index, 0, NULL) != 1)
		errx(1, "the address is not valid");
	return index;
}

static void serve(void)
{
	char address[64], text[64];
	fi_addr_t client;
	uint64_t tag;
	size_t len;

	open_endpoint(NULL);
	printf("waiting at service %s\n", SERVICE);
	fflush(stdout);
	receive_tagged(address, sizeof(address), TAG_ADDRESS);
	client = insert(address);
	/* the second message comes before the first one, and waits for its receive */
	for (tag = TAG_FIRST; tag <= TAG_SECOND; tag++) {
		len = receive_tagged(text, sizeof(text), tag);
		printf("tag %d: %.*s\n", (int)tag, (int)len, text);
	}
	send_tagged("thanks", 6, client, TAG_ANSWER);
	close_endpoint();
}

static void ask(const char *server_address)
{
	char address[64], text[64];
	size_t len = sizeof(address);
	fi_addr_t server;

	open_endpoint(server_address);
	server = insert(info->dest_addr);
	/* the server does not know this endpoint: tell it where to answer */
	check("fi_getname", fi_getname(&ep->fid, address, &len));
	send_tagged(address, len, server, TAG_ADDRESS);
	send_tagged("the second message", 18, server, TAG_SECOND);
	send_tagged("the first message", 17, server, TAG_FIRST);
	len = receive_tagged(text, sizeof(text), TAG_ANSWER);
	printf("answer: %.*s\n", (int)len, text);
	close_endpoint();
}

int main(int argc, char **argv)
{
	if (argc > 2)
		errx(2, "usage: tagged [ADDRESS]");
	if (argc == 2)
		ask(argv[1]);
	else
		serve();
	return 0;
}
