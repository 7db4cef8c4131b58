// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_poll(3), rule by rule: wait objects, fi_trywait, wait sets, poll sets.
 * TIMEOUT: 120 LINKS: vnet loop
 */
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "rows.h"

#define ROUNDS	500

static char buf[64];

/* An endpoint that sends to itself, with these queues. */
static bool open_self(struct fi_cq_attr *attr)
{
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
	return true;
}

static bool begin(void)
{
	struct opts o = { .type = FI_EP_RDM };

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

/* The file of a queue is readable while the queue has an entry, and fi_trywait() agrees. */
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

/* Without a wait object there is no blocking read; FI_WAIT_YIELD permits one. */
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

/*
 * A blocking read with a threshold waits for that many, and in the end returns the entries it has.
 */
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

/* A poll set names the queues that have an entry or an error, and keeps them from closing. */
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

/* ---- Races: no wake-up is lost, whoever is quicker ------------------------------------- */

/* The other thread writes ROUNDS times, each time after the entry before has been seen. */
static bool (*act)(void);
static pthread_barrier_t turn;
static bool acted;

static void *actor(void *arg)
{
	int i;

	acted = true;
	for (i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&turn);
		acted &= act();
	}
	return NULL;
}

/* The loop of fi_poll(3): read, fi_trywait(), sleep, read. Return: all rounds were seen. */
static bool loops(struct fid *fid, bool (*took)(void))
{
	struct epoll_event event, watch = { .events = EPOLLIN };
	int fd, epfd, i, ret;
	bool ok = true;

	CHECK_EQ(fi_control(fid, FI_GETWAIT, &fd), 0);
	epfd = epoll_create1(0);
	CHECK(epfd >= 0 && !epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &watch));
	for (i = 0; i < ROUNDS && ok; i++) {
		pthread_barrier_wait(&turn);
		while (!took()) {
			ret = fi_trywait(p.a.fabric, &fid, 1);
			if (ret == -FI_EAGAIN)
				continue;
			/* a lost wake-up shows here: no other one comes */
			if (ret || epoll_wait(epfd, &event, 1, WAIT_MS) != 1) {
				ok = check_failed(__FILE__, __LINE__, "a wake-up");
				break;
			}
		}
	}
	close(epfd);
	return ok;
}

static bool race(bool (*does)(void), struct fid *fid, bool (*took)(void))
{
	pthread_t thread;
	bool ok;

	act = does;
	CHECK(!pthread_barrier_init(&turn, NULL, 2));
	CHECK(!pthread_create(&thread, NULL, actor, NULL));
	ok = loops(fid, took);
	if (!ok)
		exit(1);	/* the other thread waits for its turn for ever */
	CHECK(!pthread_join(thread, NULL));
	pthread_barrier_destroy(&turn);
	return acted;
}

static bool inject_one(void)
{
	return message(1);
}

static bool took_cq(void)
{
	struct fi_cq_tagged_entry c;

	return fi_cq_read(p.a.rxcq, &c, 1) == 1;
}

static bool no_lost_completion(void)
{
	struct fi_cq_attr attr = { .wait_obj = FI_WAIT_FD };

	CHECK(begin());
	CHECK(open_self(&attr));
	return race(inject_one, &p.a.rxcq->fid, took_cq);
}

static struct fid_eq *events;

static bool write_one(void)
{
	struct fi_eq_entry e = {};

	return fi_eq_write(events, FI_NOTIFY, &e, sizeof(e), 0) == sizeof(e);
}

static bool took_eq(void)
{
	struct fi_eq_entry e;
	uint32_t type;

	return fi_eq_read(events, &type, &e, sizeof(e), 0) == sizeof(e);
}

static bool no_lost_event(void)
{
	struct fi_eq_attr attr = { .wait_obj = FI_WAIT_FD, .flags = FI_WRITE };
	bool ok;

	CHECK(begin());
	CHECK_EQ(fi_eq_open(p.a.fabric, &attr, &events, NULL), 0);
	ok = race(write_one, &events->fid, took_eq);
	CHECK_EQ(fi_close(&events->fid), 0);
	return ok;
}

/* A set of both queues, and one or the other has an entry. */
static unsigned int both;

static bool one_of_two(void)
{
	return both++ % 2 ? write_one() : message(1);
}

static bool took_any(void)
{
	return took_eq() || took_cq();
}

static bool no_lost_member(void)
{
	struct fi_wait_attr wattr = { .wait_obj = FI_WAIT_FD };
	struct fi_eq_attr eattr = { .wait_obj = FI_WAIT_SET, .flags = FI_WRITE };
	struct fi_cq_attr attr = { .wait_obj = FI_WAIT_SET };
	struct fid_wait *set;
	bool ok;

	CHECK(begin());
	CHECK_EQ(fi_wait_open(p.a.fabric, &wattr, &set), 0);
	attr.wait_set = set;
	eattr.wait_set = set;
	CHECK(open_self(&attr));
	CHECK_EQ(fi_eq_open(p.a.fabric, &eattr, &events, NULL), 0);
	ok = race(one_of_two, &set->fid, took_any);
	CHECK_EQ(fi_close(&events->fid), 0);
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	CHECK_EQ(fi_close(&p.a.rxcq->fid), 0);
	CHECK_EQ(fi_close(&p.a.txcq->fid), 0);
	p.a.rxcq = NULL;
	p.a.txcq = NULL;
	CHECK_EQ(fi_close(&set->fid), 0);
	return ok;
}

#define ALONE .alone = true, .once = true

static const struct row rows[] = {
	ROW("WAIT-001", ON_RDM, "A queue's file is readable while there is something to read, and fi_trywait knows",
	    files, ALONE),
	ROW("WAIT-002", ON_RDM, "FI_WAIT_POLLFD tells files, and how many there are", pollfd,
	    ALONE),
	ROW("WAIT-003", ON_RDM, "Without a wait object nobody blocks; what is not offered is refused",
	    none_and_yield, ALONE),
	ROW("WAIT-004", ON_RDM, "A blocking read with a threshold waits for that many", threshold,
	    ALONE),
	ROW("WAIT-005", ON_RDM, "A wait set wakes for each of its queues, and outlives them",
	    wait_set, ALONE),
	ROW("WAIT-006", ON_RDM, "A poll set names the queues that have something", poll_set,
	    ALONE),
	ROW("WAIT-007", ON_RDM, "After fi_trywait no completion is missed by who sleeps",
	    no_lost_completion, ALONE),
	ROW("WAIT-008", ON_RDM, "After fi_trywait no event is missed by who sleeps", no_lost_event,
	    ALONE),
	ROW("WAIT-009", ON_RDM, "After fi_trywait no member of a wait set is missed by who sleeps",
	    no_lost_member, ALONE),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
