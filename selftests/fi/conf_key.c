// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_endpoint(3), fi_domain(3): authorization keys. The administrator gives the ports two jobs,
 * whose names differ from node to node: only the keys are the same.
 * TIMEOUT: 120 LINKS: vnet loop
 */
#include <unistd.h>
#include "looks.h"
#include "rows.h"

#define ALONE	.alone = true
#define KEY	"the key of one job"
#define OTHER	"the key of another job"
#define LEN	500

/* ---- Which endpoints hear which -------------------------------------------------------- */

static bool heard(void)
{
	CHECK(post_plain(rbuf, LEN, 1));
	CHECK(send_plain(LEN, 1, 2));
	CHECK(is_received(1, LEN, false, 0));
	return pattern_is(rbuf, LEN, 1);
}

static bool same(void)
{
	CHECK(pair_open(&p, &p.o));
	return heard();
}

static bool same_domain(void)
{
	p.o.key = KEY;
	p.o.key_domain = true;
	CHECK(pair_open(&p, &p.o));
	CHECK_EQ(p.a.info->domain_attr->auth_key_size, strlen(KEY));
	CHECK_EQ(p.a.info->ep_attr->auth_key_size, 0);
	return heard();
}

/* A's own key counts, its domain's does not. */
static bool own(void)
{
	struct opts domain = p.o;

	domain.key = OTHER;
	domain.key_domain = true;
	p.o.key = KEY;
	CHECK(pair_sides(&p, &p.o));
	fi_close(&p.a.domain->fid);
	fi_close(&p.a.eq->fid);
	fi_close(&p.a.fabric->fid);
	fi_freeinfo(p.a.info);
	CHECK(side_open(&p.a, 0, &domain));
	p.a.info->ep_attr->auth_key = (uint8_t *)strdup(KEY);
	p.a.info->ep_attr->auth_key_size = strlen(KEY);
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK(side_endpoint(&p.b, p.b.info, &p.o));
	CHECK(pair_meet(&p));
	return heard();
}

static long long strangers(void)
{
	long long n = port_attr(0, "counters/wrong_job");

	return nodes_are_one() ? n : n + port_attr(1, "counters/wrong_job");
}

/* Ask for a connection, in vain. */
static bool refused(void)
{
	struct fi_eq_err_entry err = { 0 };
	struct fi_eq_cm_entry e;
	uint8_t addr[64];
	size_t len = sizeof(addr);
	uint32_t type;

	CHECK(pair_listen(&p, addr, &len));
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK_EQ(event(p.a.eq, &type, &e, sizeof(e)), -FI_EAVAIL);
	CHECK_EQ(fi_eq_readerr(p.a.eq, &err, 0), sizeof(err));
	CHECK_EQ(err.err, FI_ECONNREFUSED);
	CHECK_EQ(fi_eq_read(p.b.eq, &type, &e, sizeof(e), 0), -FI_EAGAIN);
	return true;
}

/* Send a message, in vain; a datagram is lost. */
static bool unheard(void)
{
	struct iovec iov = { sbuf, LEN };
	struct fi_msg msg = { .msg_iov = &iov, .iov_count = 1, .context = ctx(3) };
	bool dgram = p.o.type == FI_EP_DGRAM;
	struct fi_cq_err_entry err = { 0 };
	struct fi_cq_tagged_entry c;
	long long before = strangers();
	uint64_t until = now_ms() + WAIT_MS;

	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK(side_endpoint(&p.b, p.b.info, &p.o));
	CHECK(pair_meet(&p));
	memset(rbuf, 0xee, LEN);
	CHECK_EQ(fi_recv(p.b.ep, rbuf, LEN, NULL, FI_ADDR_UNSPEC, ctx(4)), 0);
	msg.addr = p.a.peer;
	CHECK_EQ(fi_sendmsg(p.a.ep, &msg, dgram ? 0 : FI_DELIVERY_COMPLETE), 0);
	if (dgram) {
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	} else {
		CHECK_EQ(completion(p.a.txcq, &c, NULL, &err), -FI_EAVAIL);
		CHECK_EQ(err.err, FI_ECONNREFUSED);
	}
	while (strangers() == before && now_ms() < until)
		usleep(1000);
	/* a flow asks again for connect-ms */
	CHECK(dgram ? strangers() == before + 1 : strangers() > before);
	CHECK(all_bytes(rbuf, LEN, 0xee));
	return quiet(p.b.rxcq);
}

static bool apart_by(const char *a, const char *b)
{
	p.o.key = a;
	p.o.key_b = b;
	CHECK(pair_sides(&p, &p.o));
	return p.o.type == FI_EP_MSG ? refused() : unheard();
}

static bool different(void)
{
	return apart_by(KEY, OTHER);
}

static bool without(void)
{
	return apart_by("", KEY);
}

static bool only_one(void)
{
	return apart_by(KEY, "");
}

/* ---- What calls return, what they refuse ----------------------------------------------- */

static struct fi_info *hints_of(void)
{
	struct fi_info *h = fi_allocinfo();

	h->fabric_attr->prov_name = strdup("weft");
	h->ep_attr->type = p.o.type;
	h->ep_attr->auth_key = (uint8_t *)strdup(KEY);
	h->ep_attr->auth_key_size = strlen(KEY);
	h->domain_attr->auth_key = (uint8_t *)strdup(OTHER);
	h->domain_attr->auth_key_size = strlen(OTHER);
	return h;
}

static bool handed_back(void)
{
	struct fi_info *h = hints_of();

	CHECK_EQ(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, &p.a.info), 0);
	CHECK_EQ(p.a.info->ep_attr->auth_key_size, strlen(KEY));
	CHECK(!memcmp(p.a.info->ep_attr->auth_key, KEY, strlen(KEY)));
	CHECK_EQ(p.a.info->domain_attr->auth_key_size, strlen(OTHER));
	CHECK(!memcmp(p.a.info->domain_attr->auth_key, OTHER, strlen(OTHER)));
	CHECK(p.a.info->ep_attr->auth_key != h->ep_attr->auth_key);
	fi_freeinfo(p.a.info);
	p.a.info = NULL;
	h->ep_attr->auth_key_size = 15;
	CHECK_EQ(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, &p.a.info), -FI_ENODATA);
	h->ep_attr->auth_key_size = strlen(KEY);
	h->domain_attr->auth_key_size = 257;
	CHECK_EQ(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, &p.a.info), -FI_ENODATA);
	fi_freeinfo(h);
	return true;
}

static bool nobodys(void)
{
	p.o.key = "a key that is of no job";
	CHECK(side_open(&p.a, 0, &p.o));
	CHECK_EQ(fi_endpoint(p.a.domain, p.a.info, &p.a.ep, NULL), -FI_EKEYREJECTED);
	p.a.ep = NULL;
	if (p.o.type == FI_EP_MSG)
		CHECK_EQ(fi_passive_ep(p.a.fabric, p.a.info, &p.pep, NULL), -FI_EKEYREJECTED);
	p.pep = NULL;
	return true;
}

static const struct row rows[] = {
	ROW("KEY-001", ON_ALL, "Endpoints that have the same auth_key hear each other", same, ALONE,
	    .o.key = KEY),
	ROW("KEY-002", ON_ALL, "An endpoint without an auth_key has that of its domain",
	    same_domain, ALONE),
	ROW("KEY-003", ON_FREE, "An endpoint's own auth_key counts, and not its domain's", own,
	    ALONE),
	ROW("KEY-004", ON_ALL, "Endpoints that have different keys do not hear each other",
	    different, ALONE),
	ROW("KEY-005", ON_ALL, "An endpoint without a key is not heard by one that has one",
	    without, ALONE),
	ROW("KEY-006", ON_ALL, "An endpoint with a key is not heard by one that has none", only_one,
	    ALONE),
	ROW("KEY-007", ON_ALL, "fi_getinfo hands keys back, and refuses what cannot be one",
	    handed_back, ALONE, .once = true),
	ROW("KEY-008", ON_ALL, "A key of no job is refused: -FI_EKEYREJECTED", nobodys, ALONE,
	    .once = true),
};

int main(int argc, char **argv)
{
	int ret;

	nodes_run("printf '%s' | node %d weftctl job add conf%d-one key -", KEY);
	nodes_run("printf '%s' | node %d weftctl job add conf%d-two key -", OTHER);
	ret = rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	nodes_run("node %2$d weftctl job del conf%2$d-one # %1$s", "");
	nodes_run("node %2$d weftctl job del conf%2$d-two # %1$s", "");
	return ret;
}
