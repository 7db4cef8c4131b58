// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <netinet/in.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "dpair.h"

struct dside a, b;
DAT_EP_ATTR aattr, battr;

static const DAT_EP_ATTR plain = {
	.service_type = DAT_SERVICE_TYPE_RC,
	.max_message_size = MEM,
	.qos = DAT_QOS_BEST_EFFORT,
	.max_recv_dtos = 64,
	.max_request_dtos = 256,
	.max_recv_iov = 4,
	.max_request_iov = 4,
	.srq_soft_hw = DAT_HW_DEFAULT,
};

bool dside_open(struct dside *s, int node, int qlen)
{
	DAT_REGION_DESCRIPTION region;
	DAT_VADDR addr;
	DAT_VLEN len;

	memset(s, 0, sizeof(*s));
	node_enter(node);
	s->async = DAT_HANDLE_NULL;
	OK(dat_ia_open((DAT_NAME_PTR)"weft", 64, &s->async, &s->ia));
	s->mem = mmap(NULL, MEM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(s->mem != MAP_FAILED);
	region.for_va = s->mem;
	OK(dat_pz_create(s->ia, &s->pz));
	OK(dat_lmr_create(s->ia, DAT_MEM_TYPE_VIRTUAL, region, MEM, s->pz, DAT_MEM_PRIV_ALL_FLAG,
			  DAT_VA_TYPE_VA, &s->lmr, &s->key, &s->rmr, &len, &addr));
	OK(dat_evd_create(s->ia, qlen, DAT_HANDLE_NULL, DAT_EVD_CR_FLAG, &s->cr));
	OK(dat_evd_create(s->ia, qlen, DAT_HANDLE_NULL, DAT_EVD_CONNECTION_FLAG, &s->conn));
	OK(dat_evd_create(s->ia, qlen, DAT_HANDLE_NULL,
			  DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG, &s->tx));
	OK(dat_evd_create(s->ia, qlen, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &s->rx));
	return true;
}

bool dpair_open(bool apart, int recvs, int iov)
{
	DAT_SRQ_ATTR attr = {
		.max_recv_dtos = recvs,
		.max_recv_iov = iov,
		.low_watermark = DAT_SRQ_LW_DEFAULT,
	};

	aattr = plain;
	battr = plain;
	CHECK(dside_open(&a, 0, 4096));
	CHECK(dside_open(&b, apart, 4096));
	OK(dat_srq_create(b.ia, b.pz, &attr, &b.srq));
	OK(dat_psp_create(b.ia, QUAL, b.cr, DAT_PSP_CONSUMER_FLAG, &b.psp));
	return true;
}

DAT_IA_ADDRESS_PTR dpair_addr(void)
{
	static struct sockaddr_storage addr;
	DAT_IA_ATTR attr;

	if (dat_ia_query(b.ia, NULL, DAT_IA_FIELD_ALL, &attr, 0, NULL) != DAT_SUCCESS)
		return NULL;
	memcpy(&addr, attr.ia_address_ptr, sizeof(struct sockaddr_in6));
	return (DAT_IA_ADDRESS_PTR)&addr;
}

bool dpair_accept(void)
{
	DAT_EVENT ev;

	OK(dat_ep_create_with_srq(b.ia, b.pz, b.rx, b.tx, b.conn, b.srq, &battr,
				  &b.ep[b.neps]));
	CHECK(next(b.cr, &ev));
	CHECK_EQ(ev.event_number, DAT_CONNECTION_REQUEST_EVENT);
	OK(dat_cr_accept(ev.event_data.cr_arrival_event_data.cr_handle, b.ep[b.neps], 0, NULL));
	CHECK(conn(b.conn, DAT_CONNECTION_EVENT_ESTABLISHED, b.ep[b.neps]));
	b.neps++;
	return true;
}

bool dpair_ask(struct dside *s, DAT_IA_ADDRESS_PTR addr)
{
	OK(dat_ep_create(s->ia, s->pz, s->rx, s->tx, s->conn, &aattr, &s->ep[s->neps]));
	OK(dat_ep_connect(s->ep[s->neps], addr, QUAL, DAT_TIMEOUT_INFINITE, 0, NULL,
			  DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	s->neps++;
	return true;
}

bool dpair_link(int n)
{
	while (n--) {
		CHECK(dpair_ask(&a, dpair_addr()));
		CHECK(dpair_accept());
		CHECK(conn(a.conn, DAT_CONNECTION_EVENT_ESTABLISHED, a.ep[a.neps - 1]));
	}
	return true;
}

static void dside_close(struct dside *s)
{
	if (s->ia && dat_ia_close(s->ia, DAT_CLOSE_ABRUPT_FLAG) != DAT_SUCCESS)
		printf("# an adapter is not closed\n");
	if (s->mem && s->mem != MAP_FAILED)
		munmap(s->mem, MEM);
	memset(s, 0, sizeof(*s));
}

void dpair_close(void)
{
	dside_close(&a);
	dside_close(&b);
}

DAT_LMR_TRIPLET seg(const struct dside *s, size_t at, size_t len)
{
	return (DAT_LMR_TRIPLET) {
		.lmr_context = s->key,
		.virtual_address = (uintptr_t)s->mem + at,
		.segment_length = len,
	};
}

DAT_DTO_COOKIE cookie(uint64_t n)
{
	return (DAT_DTO_COOKIE) { .as_64 = n };
}

DAT_RETURN post(size_t at, size_t len, uint64_t n)
{
	DAT_LMR_TRIPLET iov = seg(&b, at, len);

	return dat_srq_post_recv(b.srq, 1, &iov, cookie(n));
}

DAT_RETURN put_as(int i, size_t at, size_t len, uint64_t n, DAT_COMPLETION_FLAGS flags)
{
	DAT_LMR_TRIPLET iov = seg(&a, at, len);

	return dat_ep_post_send(a.ep[i], len ? 1 : 0, &iov, cookie(n), flags);
}

DAT_RETURN put(int i, size_t at, size_t len, uint64_t n)
{
	return put_as(i, at, len, n, DAT_COMPLETION_DEFAULT_FLAG);
}

DAT_RMR_TRIPLET far_seg(const struct dside *s, size_t at, size_t len)
{
	return (DAT_RMR_TRIPLET) {
		.rmr_context = s->rmr,
		.virtual_address = (uintptr_t)s->mem + at,
		.segment_length = len,
	};
}

DAT_RETURN write_as(int i, size_t at, size_t to, size_t len, uint64_t n,
		    DAT_COMPLETION_FLAGS flags)
{
	DAT_RMR_TRIPLET remote = far_seg(&b, to, len);
	DAT_LMR_TRIPLET iov = seg(&a, at, len);

	return dat_ep_post_rdma_write(a.ep[i], 1, &iov, cookie(n), &remote, flags);
}

DAT_RETURN read_as(int i, size_t at, size_t from, size_t len, uint64_t n,
		   DAT_COMPLETION_FLAGS flags)
{
	DAT_RMR_TRIPLET remote = far_seg(&b, from, len);
	DAT_LMR_TRIPLET iov = seg(&a, at, len);

	return dat_ep_post_rdma_read(a.ep[i], 1, &iov, cookie(n), &remote, flags);
}

bool next(DAT_EVD_HANDLE evd, DAT_EVENT *ev)
{
	DAT_COUNT more;

	OK(dat_evd_wait(evd, WAIT_US, 1, ev, &more));
	CHECK(ev->evd_handle == evd);
	return true;
}

bool none(DAT_EVD_HANDLE evd)
{
	DAT_EVENT ev;

	CHECK_EQ(DAT_GET_TYPE(dat_evd_dequeue(evd, &ev)), DAT_QUEUE_EMPTY);
	return true;
}

/* Check the next event. Out: its operation. */
static bool dto_next(DAT_EVD_HANDLE evd, DAT_EP_HANDLE ep, uint64_t n,
		     DAT_DTO_COMPLETION_STATUS status, size_t len, DAT_DTOS *kind)
{
	DAT_DTO_COMPLETION_EVENT_DATA *d;
	DAT_EVENT ev;

	CHECK(next(evd, &ev));
	CHECK_EQ(ev.event_number, DAT_DTO_COMPLETION_EVENT);
	d = &ev.event_data.dto_completion_event_data;
	CHECK_EQ(d->status, status);
	CHECK_EQ(d->user_cookie.as_64, n);
	CHECK(!ep || d->ep_handle == ep);
	if (status == DAT_DTO_SUCCESS)
		CHECK_EQ(d->transfered_length, len);
	*kind = d->operation;
	return true;
}

bool dto(DAT_EVD_HANDLE evd, DAT_EP_HANDLE ep, uint64_t n, DAT_DTO_COMPLETION_STATUS status,
	 size_t len)
{
	DAT_DTOS kind;

	return dto_next(evd, ep, n, status, len, &kind);
}

bool dto_of(DAT_DTOS want, DAT_EVD_HANDLE evd, DAT_EP_HANDLE ep, uint64_t n,
	    DAT_DTO_COMPLETION_STATUS status, size_t len)
{
	DAT_DTOS kind;

	CHECK(dto_next(evd, ep, n, status, len, &kind));
	CHECK_EQ(kind, want);
	return true;
}

bool conn(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER number, DAT_EP_HANDLE ep)
{
	DAT_EVENT ev;

	CHECK(next(evd, &ev));
	CHECK_EQ(ev.event_number, number);
	CHECK(ev.event_data.connect_event_data.ep_handle == ep);
	return true;
}

bool async(DAT_EVENT_NUMBER number, DAT_HANDLE handle, DAT_COUNT reason)
{
	DAT_EVENT ev;

	CHECK(next(b.async, &ev));
	CHECK_EQ(ev.event_number, number);
	CHECK(ev.event_data.asynch_error_event_data.dat_handle == handle);
	CHECK_EQ(ev.event_data.asynch_error_event_data.reason, reason);
	return true;
}

bool sleeps(atomic_int *tid)
{
	uint64_t until = now_ms() + WAIT_US / 1000;
	char path[64];
	long nr = -1;
	FILE *f;

	while (!*tid)
		sched_yield();
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", *tid);
	do {
		f = fopen(path, "r");
		if (!f || fscanf(f, "%ld", &nr) != 1)
			nr = -1;
		if (f)
			fclose(f);
	} while (nr != SYS_ppoll && now_ms() < until);
	CHECK_EQ(nr, SYS_ppoll);
	return true;
}

bool counts(int available, int outstanding)
{
	DAT_SRQ_PARAM param;

	OK(dat_srq_query(b.srq, DAT_SRQ_FIELD_ALL, &param));
	CHECK_EQ(param.available_dto_count, available);
	CHECK_EQ(param.outstanding_dto_count, outstanding);
	return true;
}

bool counts_become(int available, int outstanding)
{
	uint64_t until = now_ms() + WAIT_US / 1000;
	DAT_SRQ_PARAM param;

	do {
		OK(dat_srq_query(b.srq, DAT_SRQ_FIELD_ALL, &param));
		if (param.available_dto_count == available &&
		    param.outstanding_dto_count == outstanding)
			return true;
	} while (now_ms() < until);
	return counts(available, outstanding);
}

bool held(int i, int n, int span)
{
	DAT_COUNT have, far;

	OK(dat_ep_recv_query(b.ep[i], &have, &far));
	CHECK_EQ(have, n);
	CHECK_EQ(far, span);
	return true;
}

bool held_becomes(int i, int n)
{
	uint64_t until = now_ms() + WAIT_US / 1000;
	DAT_COUNT have, far;

	do {
		OK(dat_ep_recv_query(b.ep[i], &have, &far));
	} while (have != n && now_ms() < until);
	CHECK_EQ(have, n);
	return true;
}

bool lossy(const char *what)
{
	char cmd[128];
	int n;

	for (n = 0; n < 2; n++) {
		snprintf(cmd, sizeof(cmd), "node %d tc qdisc %s dev veth%d root netem loss 5%%",
			 n, what, n);
		CHECK_EQ(system(cmd), 0);
	}
	return true;
}

bool may_lose(bool apart)
{
	const char *link = getenv("LINK");

	return apart && link && !strcmp(link, "veth");
}

bool stall(bool on)
{
	/* the type of a packet's first chunk, behind the headers of UDP and weft */
	const char *cmd = on ? "node 0 nft 'add table inet weft_stall; "
				"add chain inet weft_stall c { type filter hook input priority 0; }; "
				"add rule inet weft_stall c udp dport 9471 @th,320,8 3 drop'" :
			       "node 0 nft delete table inet weft_stall";

	CHECK_EQ(system(cmd), 0);
	return true;
}
