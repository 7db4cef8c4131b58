// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every ioctl once with success, by libweft or by hand. The program watches its own calls. At the
 * end each ioctl of the interface has succeeded. (uapi_ioctl has what is refused.)
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/weft_trigger.h>
#include <weft/weft.h>
#include "check.h"

#define SLOTS	16

static bool succeeded[256];	/* by the number of the ioctl */
static int device;		/* file of the context */

/* In place of the C library's, for libweft, too */
int ioctl(int fd, unsigned long req, ...)
{
	void *arg;
	long ret;
	va_list ap;

	va_start(ap, req);
	arg = va_arg(ap, void *);
	va_end(ap);
	ret = syscall(SYS_ioctl, fd, req, arg);
	if (ret >= 0 && _IOC_TYPE(req) == 'w')
		succeeded[_IOC_NR(req)] = true;
	if (req == WEFT_IOC_QUERY)
		device = fd;
	return ret;
}

#define CALL(name)	{ #name, WEFT_IOC_##name }

static const struct {
	const char *name;
	unsigned long req;
} calls[] = {
	CALL(QUERY), CALL(CQ_CREATE), CALL(EQ_CREATE), CALL(AV_CREATE), CALL(AV_INSERT),
	CALL(AV_REMOVE), CALL(EP_CREATE), CALL(EP_ENABLE), CALL(DESTROY), CALL(SETNAME),
	CALL(GETNAME), CALL(GETPEER), CALL(LISTEN), CALL(CONNECT), CALL(ACCEPT), CALL(REJECT),
	CALL(SHUTDOWN), CALL(MR_REG), CALL(HANDOFF), CALL(CANCEL), CALL(SRQ_CREATE),
	CALL(SRQ_RESIZE), CALL(SRQ_QUERY), CALL(SRQ_NOTIFY), CALL(SRQ_CANCEL), CALL(SRQ_ARM),
	CALL(EP_MARK), CALL(EP_HELD), CALL(GROUP_JOIN), CALL(GROUP_LEAVE), CALL(REGION_ADD),
	CALL(REGION_END), CALL(CQ_NOTIFY), CALL(CQ_WAIT), CALL(CQ_SIGNAL), CALL(TRIGGER_ADD),
	CALL(TRIGGER_END), CALL(CNTR_CHANGE), { "NOTIFY", WEFT_IOC_NOTIFY(WEFT_NOTIFY_RQ) },
};

static struct weft_ctx *ctx;
static struct weft_cq *cq;
static struct weft_eq *eq;
static struct weft_av *av;
static struct weft_sockaddr own;	/* of the port */
static char memory[8192];

static struct weft_ep *new_ep_with(uint32_t type, uint16_t service, uint32_t flags)
{
	struct weft_ep_attr attr = { .type = type, .flags = flags, .sq_slots = SLOTS,
				     .rq_slots = SLOTS };
	struct weft_ep *ep;

	if (type == WEFT_EP_PASSIVE)
		attr.sq_slots = 0;
	if (type == WEFT_EP_PASSIVE || (flags & WEFT_EPF_SRQ))
		attr.rq_slots = 0;
	attr.addr.port = htons(service);
	return weft_ep_create(ctx, &attr, &ep) ? NULL : ep;
}

static struct weft_ep *new_ep(uint32_t type, uint16_t service)
{
	return new_ep_with(type, service, 0);
}

/* Wait for the next event. Return: it is of this type */
static bool event(struct weft_eq *queue, uint32_t type, struct weft_event *ev)
{
	struct pollfd p = { .fd = weft_eq_fd(queue), .events = POLLIN };
	char data[WEFT_CM_DATA_MAX];

	CHECK_EQ(poll(&p, 1, 20000), 1);
	CHECK_EQ(weft_eq_read(queue, ev, data), 0);
	CHECK_EQ(ev->type, type);
	return true;
}

static bool opens(void)
{
	struct weft_ioc_query q;

	CHECK_EQ(weft_open("weft0", &ctx), 0);
	CHECK_EQ(weft_query(ctx, &q), 0);
	own = q.addr[0];
	CHECK_EQ(weft_cq_create(ctx, 64, &cq), 0);
	CHECK_EQ(weft_eq_create(ctx, &eq), 0);
	CHECK_EQ(weft_av_create(ctx, 4, &av), 0);
	return true;
}

static bool queues(void)
{
	/* (another index than the queue's: there is no wait) */
	struct weft_ioc_wait wait = { .size = sizeof(wait), .seen = weft_cq_seen(cq) - 1 };

	CHECK_EQ(ioctl(weft_cq_fd(cq), WEFT_IOC_CQ_WAIT, &wait), 0);
	CHECK_EQ(weft_cq_signal(cq), 0);
	CHECK_EQ(weft_cq_wait(cq, weft_cq_seen(cq), NULL, WEFT_FOREVER), -ECANCELED);
	CHECK_EQ(ioctl(weft_cq_fd(cq), WEFT_IOC_CQ_NOTIFY, NULL), 0);
	return true;
}

/* Names, addresses, a receive that is cancelled, memory, a group */
static bool endpoints(void)
{
	struct weft_sockaddr name = own, got, group = own;
	struct weft_ep *ep = new_ep(WEFT_EP_RDM, 0), *dgram = new_ep(WEFT_EP_DGRAM, 0);
	uint32_t index, joined, mr;
	struct weft_cqe cqe;

	CHECK(ep && dgram);
	name.port = htons(5100);
	CHECK_EQ(weft_setname(ep, &name), 0);
	CHECK_EQ(weft_ep_enable(ep, cq, cq, eq, av), 0);
	CHECK_EQ(weft_getname(ep, &got), 0);
	CHECK_EQ(ntohs(got.port), 5100);
	CHECK_EQ(weft_av_insert(av, &got, 1, &index), 1);
	CHECK_EQ(weft_recv(ep, memory, sizeof(memory), WEFT_SRC_ANY, 7, WEFT_RQ_COMPLETION), 0);
	weft_publish_recv(ep);
	CHECK_EQ(ioctl(device, WEFT_IOC_NOTIFY(WEFT_NOTIFY_RQ), (long)weft_ep_handle(ep)), 0);
	CHECK_EQ(weft_cancel(ep, 7), 0);
	while (!weft_cq_read(cq, &cqe, 1))
		CHECK_EQ(weft_cq_wait(cq, weft_cq_seen(cq), NULL, 20000000000ull), 0);
	CHECK_EQ(cqe.context, 7);
	CHECK_EQ(cqe.status, ECANCELED);
	CHECK_EQ(weft_av_remove(av, &index, 1), 0);
	CHECK_EQ(weft_mr_reg(ctx, memory, sizeof(memory), WEFT_MR_READ, &mr), 0);
	CHECK_EQ(weft_mr_dereg(ctx, mr), 0);
	CHECK_EQ(weft_ep_destroy(ep), 0);

	CHECK_EQ(weft_ep_enable(dgram, cq, cq, eq, av), 0);
	memset(group.addr, 0, sizeof(group.addr));
	group.family = AF_INET;
	memcpy(group.addr, "\xef\x01\x02\x03", 4);
	CHECK_EQ(weft_group_join(dgram, &group, WEFT_GROUP_RECV, &joined), 0);
	CHECK_EQ(weft_group_leave(dgram, joined), 0);
	CHECK_EQ(weft_ep_destroy(dgram), 0);
	return true;
}

/* The first request is refused. The second one goes to another listener, which accepts it. */
static bool connections(void)
{
	struct weft_ep *first = new_ep(WEFT_EP_PASSIVE, 5101);
	struct weft_ep *second = new_ep(WEFT_EP_PASSIVE, 5102);
	struct weft_ep *a = new_ep(WEFT_EP_MSG, 0), *b = new_ep(WEFT_EP_MSG, 0);
	struct weft_sockaddr to = own, peer;
	struct weft_eq *side;
	struct weft_event ev;

	CHECK(first && second && a && b);
	CHECK_EQ(weft_eq_create(ctx, &side), 0);
	CHECK_EQ(weft_listen(first, eq, 4), 0);
	CHECK_EQ(weft_listen(second, eq, 4), 0);
	to.port = htons(5101);
	CHECK_EQ(weft_ep_enable(a, cq, cq, side, NULL), 0);
	CHECK_EQ(weft_connect(a, &to, NULL, 0), 0);
	CHECK(event(eq, WEFT_EV_CONNREQ, &ev));
	CHECK_EQ(weft_reject(first, ev.conn, NULL, 0), 0);
	CHECK(event(side, WEFT_EV_CONN_FAILED, &ev));
	CHECK_EQ(weft_ep_destroy(a), 0);

	a = new_ep(WEFT_EP_MSG, 0);
	CHECK(a);
	CHECK_EQ(weft_ep_enable(a, cq, cq, side, NULL), 0);
	CHECK_EQ(weft_connect(a, &to, NULL, 0), 0);
	CHECK(event(eq, WEFT_EV_CONNREQ, &ev));
	CHECK_EQ(weft_handoff(first, ev.conn, 5102), 0);
	CHECK(event(eq, WEFT_EV_CONNREQ, &ev));
	CHECK_EQ(ev.handle, weft_ep_handle(second));
	CHECK_EQ(weft_ep_enable(b, cq, cq, eq, NULL), 0);
	CHECK_EQ(weft_accept(b, ev.conn, NULL, 0), 0);
	CHECK(event(side, WEFT_EV_CONNECTED, &ev));
	CHECK_EQ(weft_getpeer(a, &peer), 0);
	CHECK_EQ(weft_shutdown(a), 0);
	CHECK_EQ(weft_ep_destroy(a), 0);
	CHECK_EQ(weft_ep_destroy(b), 0);
	CHECK_EQ(weft_ep_destroy(first), 0);
	CHECK_EQ(weft_ep_destroy(second), 0);
	CHECK_EQ(weft_eq_destroy(side), 0);
	return true;
}

static bool shared_receives(void)
{
	struct weft_srq_attr attr = { .slots = SLOTS, .recvs = SLOTS };
	struct iovec iov = { .iov_base = memory, .iov_len = sizeof(memory) };
	struct weft_ep *ep = new_ep_with(WEFT_EP_RDM, 0, WEFT_EPF_SRQ);
	struct weft_ioc_handle notify = { .size = sizeof(notify) };
	struct weft_ioc_srq_query q = { .size = sizeof(q) };
	uint32_t held, span;
	struct weft_srq *srq;
	struct weft_eq *side;

	CHECK(ep);
	CHECK_EQ(weft_eq_create(ctx, &side), 0);
	CHECK_EQ(weft_srq_create(ctx, &attr, side, &srq), 0);
	CHECK_EQ(weft_ep_enable_srq(ep, cq, cq, side, av, srq), 0);
	CHECK_EQ(weft_srq_recvv(srq, &iov, 1, WEFT_SRC_ANY, 9, WEFT_RQ_COMPLETION), 0);
	weft_srq_flush(srq);
	notify.handle = weft_srq_handle(srq);
	CHECK_EQ(ioctl(device, WEFT_IOC_SRQ_NOTIFY, &notify), 0);
	CHECK_EQ(weft_srq_query(srq, &q), 0);
	CHECK_EQ(weft_srq_arm(srq, 1), 0);
	CHECK_EQ(weft_ep_mark(ep, 4, 8), 0);
	CHECK_EQ(weft_ep_held(ep, &held, &span), 0);
	CHECK_EQ(weft_srq_cancel(srq, cq, 9), 0);
	CHECK_EQ(weft_srq_resize(srq, 2 * SLOTS, 2 * SLOTS), 0);
	CHECK_EQ(weft_ep_destroy(ep), 0);
	CHECK_EQ(weft_srq_destroy(srq), 0);
	CHECK_EQ(weft_eq_destroy(side), 0);
	return true;
}

static bool regions(void)
{
	struct iovec iov = { .iov_base = memory, .iov_len = sizeof(memory) };
	struct weft_region r = { .iov = &iov, .count = 1, .access = WEFT_REGION_READ };
	uint64_t key = 77;

	CHECK_EQ(weft_region_add(ctx, &r, &key), 0);
	CHECK_EQ(weft_region_end(ctx, 0, key), 0);
	return true;
}

/* A trigger fires, another one is ended. */
static bool triggers(void)
{
	struct weft_cntr *cntr, *target;
	struct weft_trigger t = { .threshold = 3 };
	struct weft_triggers all = { 0 };
	struct weft_count count;

	CHECK_EQ(weft_cntr_create(ctx, &cntr), 0);
	CHECK_EQ(weft_cntr_create(ctx, &target), 0);
	t.cntr = cntr;
	CHECK_EQ(weft_trigger_cntr(target, true, 5, &t), 0);
	CHECK_EQ(weft_cntr_change(cntr, 3, 0), 0);
	CHECK_EQ(weft_cntr_wait(target, 0, 20000000000ull), 0);
	weft_cntr_read(target, &count);
	CHECK_EQ(count.done, 5);
	t.threshold = 9;
	CHECK_EQ(weft_trigger_cntr(target, true, 5, &t), 0);
	CHECK_EQ(weft_trigger_end(ctx, &all), 0);
	CHECK_EQ(weft_cntr_destroy(cntr), 0);
	CHECK_EQ(weft_cntr_destroy(target), 0);
	return true;
}

static bool closes(void)
{
	CHECK_EQ(weft_av_destroy(av), 0);
	CHECK_EQ(weft_eq_destroy(eq), 0);
	CHECK_EQ(weft_cq_destroy(cq), 0);
	CHECK_EQ(weft_close(ctx), 0);
	return true;
}

static bool all_of_them(void)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!succeeded[_IOC_NR(calls[i].req)]) {
			printf("# %s has not succeeded\n", calls[i].name);
			ok = false;
		}
	return ok;
}

static void nothing(void)
{
}

int main(void)
{
	static const struct check cases[] = {
		{ "a context and its queues", opens },
		{ "signal, wait and notification of a queue", queues },
		{ "endpoints, addresses, memory, groups", endpoints },
		{ "connections", connections },
		{ "shared receives", shared_receives },
		{ "regions", regions },
		{ "triggers", triggers },
		{ "the end", closes },
		{ "each ioctl has succeeded", all_of_them },
	};

	node_enter(0);
	checks_run(cases, sizeof(cases) / sizeof(cases[0]), "", nothing);
	return results_end();
}
