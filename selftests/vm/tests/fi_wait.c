// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Waiting through stock libfabric: wait objects of queues, wait sets, poll sets, conditions of
 * blocking reads.
 */
#include <poll.h>
#include <string.h>
#include "fipair.h"

static struct pair p;
static char buf[64];

/* An endpoint that sends to itself, with these queues. */
static bool open_self(struct fi_cq_attr *attr)
{
	struct opts o = { .type = FI_EP_RDM };
	struct fi_av_attr av = { .type = FI_AV_TABLE };
	struct side *s = &p.a;
	uint8_t addr[64];
	size_t len = sizeof(addr);

	attr->format = FI_CQ_FORMAT_TAGGED;
	CHECK_EQ(fi_cq_open(s->domain, attr, &s->txcq, &s->txcq), 0);
	CHECK_EQ(fi_cq_open(s->domain, attr, &s->rxcq, &s->rxcq), 0);
	CHECK_EQ(fi_av_open(s->domain, &av, &s->av, NULL), 0);
	CHECK_EQ(fi_endpoint(s->domain, s->info, &s->ep, NULL), 0);
	CHECK_EQ(fi_ep_bind(s->ep, &s->txcq->fid, FI_TRANSMIT), 0);
	CHECK_EQ(fi_ep_bind(s->ep, &s->rxcq->fid, FI_RECV), 0);
	CHECK_EQ(fi_ep_bind(s->ep, &s->av->fid, 0), 0);
	CHECK_EQ(fi_enable(s->ep), 0);
	CHECK_EQ(fi_getname(&s->ep->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(s->av, addr, 1, &s->peer, 0, NULL), 1);
	p.o = o;
	return true;
}

static bool begin(void)
{
	struct opts o = { .type = FI_EP_RDM };

	memset(&p, 0, sizeof(p));
	return side_open(&p.a, 0, &o);
}

static bool message(int n)
{
	while (n--) {
		CHECK_EQ(fi_recv(p.a.ep, buf, sizeof(buf), NULL, FI_ADDR_UNSPEC, NULL), 0);
		CHECK_EQ(fi_inject(p.a.ep, buf, 8, p.a.peer), 0);
	}
	return true;
}

static bool take(int n)
{
	struct fi_cq_tagged_entry c;

	while (n--)
		CHECK_EQ(completion(p.a.rxcq, &c, NULL, NULL), 1);
	return true;
}

static bool readable(int fd, int timeout)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, timeout) == 1;
}

/* The file of a queue is readable while there is something to read, and fi_trywait() knows. */
static bool files(void)
{
	static const enum fi_wait_obj objs[] = { FI_WAIT_FD, FI_WAIT_UNSPEC };
	struct fid *fids[1];
	enum fi_wait_obj obj;
	size_t i;
	int fd;

	for (i = 0; i < 2; i++) {
		struct fi_cq_attr attr = { .wait_obj = objs[i] };

		CHECK(begin());
		CHECK(open_self(&attr));
		fids[0] = &p.a.rxcq->fid;
		CHECK_EQ(fi_control(fids[0], FI_GETWAITOBJ, &obj), 0);
		CHECK_EQ(obj, FI_WAIT_FD);
		CHECK_EQ(fi_control(fids[0], FI_GETWAIT, &fd), 0);
		CHECK_EQ(fi_trywait(p.a.fabric, fids, 1), 0);
		CHECK(!readable(fd, 0));
		CHECK(message(1));
		CHECK(readable(fd, WAIT_MS));
		CHECK_EQ(fi_trywait(p.a.fabric, fids, 1), -FI_EAGAIN);
		CHECK(take(1));
		CHECK_EQ(fi_trywait(p.a.fabric, fids, 1), 0);
		CHECK(!readable(fd, 0));
		pair_close(&p);
	}
	return true;
}

static bool pollfd(void)
{
	struct fi_cq_attr attr = { .wait_obj = FI_WAIT_POLLFD };
	struct pollfd pfd;
	struct fi_wait_pollfd list = { .fd = &pfd };

	CHECK(begin());
	CHECK(open_self(&attr));
	CHECK_EQ(fi_control(&p.a.rxcq->fid, FI_GETWAIT, &list), -FI_ETOOSMALL);
	CHECK_EQ(list.nfds, 1);
	CHECK_EQ(fi_control(&p.a.rxcq->fid, FI_GETWAIT, &list), 0);
	CHECK(message(1));
	CHECK(readable(pfd.fd, WAIT_MS));
	CHECK(take(1));
	CHECK(!readable(pfd.fd, 0));
	return true;
}

/* Without a wait object there is no blocking read; to yield is one that may block. */
static bool none_and_yield(void)
{
	struct fi_cq_attr attr = { .wait_obj = FI_WAIT_NONE };
	struct fi_cq_attr yield = { .wait_obj = FI_WAIT_YIELD };
	struct fi_cq_attr mutex = { .wait_obj = FI_WAIT_MUTEX_COND };
	struct fi_cq_tagged_entry c;
	struct fid_cq *cq;
	struct fid *fids[1];
	int fd;

	CHECK(begin());
	CHECK_EQ(fi_cq_open(p.a.domain, &mutex, &cq, NULL), -FI_ENOSYS);
	CHECK(open_self(&attr));
	fids[0] = &p.a.rxcq->fid;
	CHECK_EQ(fi_cq_sread(p.a.rxcq, &c, 1, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_cq_signal(p.a.rxcq), -FI_EINVAL);
	CHECK_EQ(fi_control(fids[0], FI_GETWAIT, &fd), -FI_ENODATA);
	CHECK_EQ(fi_trywait(p.a.fabric, fids, 1), -FI_EINVAL);
	pair_close(&p);

	CHECK(begin());
	CHECK(open_self(&yield));
	CHECK_EQ(fi_cq_sread(p.a.rxcq, &c, 1, NULL, 1), -FI_EAGAIN);
	CHECK(message(1));
	CHECK_EQ(fi_cq_sread(p.a.rxcq, &c, 1, NULL, WAIT_MS), 1);
	CHECK_EQ(fi_control(&p.a.rxcq->fid, FI_GETWAIT, &fd), -FI_ENODATA);
	return true;
}

/* A blocking read with a threshold waits for that many, and gives what there is in the end. */
static bool threshold(void)
{
	struct fi_cq_attr attr = { .wait_obj = FI_WAIT_UNSPEC, .wait_cond = FI_CQ_COND_THRESHOLD };
	struct fi_cq_tagged_entry c[8];
	uint64_t t;

	CHECK(begin());
	CHECK(open_self(&attr));
	CHECK(message(3));
	CHECK_EQ(fi_cq_sread(p.a.rxcq, c, 8, (void *)3, WAIT_MS), 3);
	CHECK(message(2));
	t = now_ms();
	CHECK_EQ(fi_cq_sread(p.a.rxcq, c, 8, (void *)3, 50), 2);
	CHECK(now_ms() - t >= 45);
	CHECK(message(2));
	CHECK_EQ(fi_cq_sread(p.a.rxcq, c, 2, (void *)5, WAIT_MS), 2);
	CHECK(message(1));
	CHECK_EQ(fi_cq_signal(p.a.rxcq), 0);
	CHECK_EQ(fi_cq_sread(p.a.rxcq, c, 8, (void *)3, WAIT_MS), 1);
	return true;
}

/* A wait set wakes for each of its queues. */
static bool wait_set(void)
{
	struct fi_wait_attr wattr = { .wait_obj = FI_WAIT_FD };
	struct fi_cq_attr attr = { .wait_obj = FI_WAIT_SET };
	struct fi_eq_attr eattr = { .wait_obj = FI_WAIT_SET, .flags = FI_WRITE };
	struct fi_eq_entry out = {};
	struct fi_cq_tagged_entry c;
	struct fid_wait *set;
	struct fid_eq *eq;
	struct fid *fids[1];
	uint32_t type;
	int fd;

	CHECK(begin());
	CHECK_EQ(fi_wait_open(p.a.fabric, &wattr, &set), 0);
	attr.wait_set = set;
	eattr.wait_set = set;
	CHECK(open_self(&attr));
	CHECK_EQ(fi_eq_open(p.a.fabric, &eattr, &eq, NULL), 0);
	fids[0] = &set->fid;
	CHECK_EQ(fi_control(fids[0], FI_GETWAIT, &fd), 0);
	CHECK_EQ(fi_wait(set, 1), -FI_ETIMEDOUT);
	CHECK_EQ(fi_trywait(p.a.fabric, fids, 1), 0);
	CHECK(!readable(fd, 0));

	CHECK(message(1));
	CHECK_EQ(fi_wait(set, WAIT_MS), 0);
	CHECK(readable(fd, WAIT_MS));
	CHECK_EQ(fi_trywait(p.a.fabric, fids, 1), -FI_EAGAIN);
	CHECK_EQ(fi_cq_sread(p.a.rxcq, &c, 1, NULL, 0), -FI_EINVAL);
	CHECK(take(1));
	CHECK_EQ(fi_wait(set, 1), -FI_ETIMEDOUT);

	CHECK_EQ(fi_eq_write(eq, FI_NOTIFY, &out, sizeof(out), 0), sizeof(out));
	CHECK_EQ(fi_wait(set, WAIT_MS), 0);
	CHECK_EQ(fi_eq_read(eq, &type, &out, sizeof(out), 0), sizeof(out));
	CHECK_EQ(fi_wait(set, 1), -FI_ETIMEDOUT);

	CHECK_EQ(fi_close(&set->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	CHECK_EQ(fi_close(&p.a.rxcq->fid), 0);
	CHECK_EQ(fi_close(&p.a.txcq->fid), 0);
	p.a.rxcq = NULL;
	p.a.txcq = NULL;
	CHECK_EQ(fi_close(&eq->fid), 0);
	CHECK_EQ(fi_close(&set->fid), 0);
	return true;
}

/* A poll set names the queues that have something, an error too, and keeps them from closing. */
static bool poll_set(void)
{
	struct fi_poll_attr pattr = {};
	struct fi_cq_attr attr = {};
	struct fid_poll *set;
	void *context[4];

	CHECK(begin());
	CHECK(open_self(&attr));
	CHECK_EQ(fi_poll_open(p.a.domain, &pattr, &set), 0);
	CHECK_EQ(fi_poll_add(set, &p.a.txcq->fid, 0), 0);
	CHECK_EQ(fi_poll_add(set, &p.a.rxcq->fid, 0), 0);
	CHECK_EQ(fi_poll_add(set, &p.a.rxcq->fid, 0), -FI_EINVAL);
	CHECK_EQ(fi_poll_add(set, &p.a.ep->fid, 0), -FI_EINVAL);
	CHECK_EQ(fi_poll_add(set, &p.a.eq->fid, 1), -FI_EBADFLAGS);
	CHECK_EQ(fi_poll(set, context, 4), 0);

	CHECK(message(1));
	while (fi_poll(set, context, 4) == 0)
		;
	CHECK(context[0] == &p.a.rxcq);
	CHECK(take(1));
	CHECK_EQ(fi_poll(set, context, 4), 0);

	CHECK_EQ(fi_recv(p.a.ep, buf, 4, NULL, FI_ADDR_UNSPEC, NULL), 0);
	CHECK_EQ(fi_send(p.a.ep, buf, 8, NULL, p.a.peer, NULL), 0);
	while (fi_poll(set, context, 4) != 2)
		;
	CHECK_EQ(fi_cq_read(p.a.rxcq, buf, 1), -FI_EAVAIL);
	CHECK_EQ(fi_poll(set, context, 1), 1);
	CHECK_EQ(fi_poll(set, context, 4), 2);
	CHECK(context[0] == &p.a.txcq);
	CHECK(context[1] == &p.a.rxcq);

	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	CHECK_EQ(fi_close(&p.a.rxcq->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&set->fid), -FI_EBUSY);
	CHECK_EQ(fi_poll_del(set, &p.a.rxcq->fid, 0), 0);
	CHECK_EQ(fi_poll_del(set, &p.a.rxcq->fid, 0), -FI_EINVAL);
	CHECK_EQ(fi_poll_del(set, &p.a.txcq->fid, 0), 0);
	CHECK_EQ(fi_close(&set->fid), 0);
	return true;
}

static const struct check cases[] = {
	{ "files", files },
	{ "pollfd", pollfd },
	{ "none_and_yield", none_and_yield },
	{ "threshold", threshold },
	{ "wait_set", wait_set },
	{ "poll_set", poll_set },
};

static void close_all(void)
{
	pair_close(&p);
}

int main(void)
{
	checks_run(cases, sizeof(cases) / sizeof(cases[0]), "", close_all);
	return results_end();
}
