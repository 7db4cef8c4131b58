// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_getinfo(3), rule by rule: hints, addresses, ports, and what the log says.
 * TIMEOUT: 120 LINKS: vnet loop
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include "flog.h"
#include "rows.h"

#define API	 FI_VERSION(1, 17)
#define LOG_SPACE 65536

static struct fi_info *hints, *info;
static char said[LOG_SPACE];

/* ---- Asking --------------------------------------------------------------------------- */

static bool hints_new(void)
{
	fi_freeinfo(hints);
	hints = fi_allocinfo();
	CHECK(hints);
	hints->fabric_attr->prov_name = strdup("weft");
	return true;
}

/* fi_getinfo() on node 0, and the log of the call */
static int ask(const char *node, const char *service, uint64_t flags)
{
	int ret;

	node_enter(0);
	if (info)
		fi_freeinfo(info);
	info = NULL;
	flog_clear();
	ret = fi_getinfo(API, node, service, flags, hints, &info);
	flog_text(said, sizeof(said));
	return ret;
}

static unsigned int answers(void)
{
	struct fi_info *i;
	unsigned int n = 0;

	for (i = info; i; i = i->next)
		n++;
	return n;
}

static bool says(const char *what)
{
	if (strstr(said, what))
		return true;
	printf("# the log does not say: %s\n# but: %s\n", what, said);
	return false;
}

static bool is_v4(const void *addr, size_t len, const char *host, uint16_t port)
{
	const struct sockaddr_in *a = addr;
	struct in_addr want;

	CHECK(addr);
	CHECK_EQ(len, sizeof(*a));
	CHECK_EQ(a->sin_family, AF_INET);
	CHECK_EQ(inet_pton(AF_INET, host, &want), 1);
	CHECK_EQ(a->sin_addr.s_addr, want.s_addr);
	CHECK_EQ(ntohs(a->sin_port), port);
	return true;
}

#define FROM(host, port) CHECK(is_v4(info->src_addr, info->src_addrlen, host, port))
#define TO(host, port) CHECK(is_v4(info->dest_addr, info->dest_addrlen, host, port))

static struct sockaddr_in *v4(const char *host, uint16_t port)
{
	struct sockaddr_in *a = calloc(1, sizeof(*a));

	if (!a || inet_pton(AF_INET, host, &a->sin_addr) != 1)
		abort();
	a->sin_family = AF_INET;
	a->sin_port = htons(port);
	return a;
}

/* ---- One hint at a time --------------------------------------------------------------- */

/**
 * struct wish - a hint, and its result
 * @part: which structure
 * @name: of the field
 * @offset: where it is
 * @size: its bytes
 * @value: value of the hint
 * @got: the value of that field in the answer, or KEPT, MORE (that or a bigger one), ANY
 * @log: for a hint without an answer: how the one line about it ends
 */
struct wish {
	enum { INFO, TX, RX, EP, DOM, FAB } part;
	const char *name;
	size_t offset, size;
	uint64_t value;
	uint64_t got;
	const char *log;
};

#define KEPT	UINT64_MAX
#define MORE	(UINT64_MAX - 1)
#define ANY	(UINT64_MAX - 2)
#define FIELD(part, type, field) \
	part, #field, offsetof(struct type, field), sizeof(((struct type *)0)->field)
#define OF_INFO(field) FIELD(INFO, fi_info, field)
#define OF_TX(field) FIELD(TX, fi_tx_attr, field)
#define OF_RX(field) FIELD(RX, fi_rx_attr, field)
#define OF_EP(field) FIELD(EP, fi_ep_attr, field)
#define OF_DOM(field) FIELD(DOM, fi_domain_attr, field)
#define OF_FAB(field) FIELD(FAB, fi_fabric_attr, field)

static const struct wish wishes[] = {
	{ OF_INFO(caps), FI_MSG, ANY, NULL },
	{ OF_INFO(caps), FI_TAGGED | FI_SOURCE | FI_FENCE | FI_MULTI_RECV, ANY, NULL },
	{ OF_INFO(caps), FI_RMA, ANY, NULL },
	{ OF_INFO(caps), FI_COLLECTIVE, 0, "hints->caps asks for FI_COLLECTIVE (bits 0x40), weft" },
	{ OF_INFO(caps), FI_RMA | FI_RMA_PMEM, 0, "hints->caps asks for FI_RMA_PMEM (" },
	{ OF_INFO(caps), FI_MSG | FI_TRIGGER, ANY, NULL },
	{ OF_INFO(caps), 1ULL << 29, 0, "hints->caps asks for bits 0x20000000, weft offers FI_" },
	{ OF_INFO(mode), FI_CONTEXT | FI_CONTEXT2 | FI_LOCAL_MR, 0, NULL },
	{ OF_INFO(mode), ~0ULL, 0, NULL },
	{ OF_INFO(addr_format), FI_SOCKADDR_IN, KEPT, NULL },
	{ OF_INFO(addr_format), FI_SOCKADDR, KEPT, NULL },
	{ OF_INFO(addr_format), FI_SOCKADDR_IB, 0,
	  "hints->addr_format asks for FI_SOCKADDR_IB, weft offers FI_SOCKADDR_IN," },
	{ OF_INFO(addr_format), FI_ADDR_STR, 0, "hints->addr_format asks for FI_ADDR_STR," },

	{ OF_TX(caps), FI_MSG | FI_SEND, KEPT, NULL },
	{ OF_TX(caps), FI_RMA | FI_WRITE, KEPT, NULL },
	{ OF_TX(op_flags), FI_DELIVERY_COMPLETE | FI_COMPLETION, KEPT, NULL },
	{ OF_TX(op_flags), FI_COMMIT_COMPLETE, 0,
	  "hints->tx_attr->op_flags asks for bits 0x40000000, weft" },
	{ OF_TX(msg_order), FI_ORDER_SAS, ANY, NULL },
	{ OF_TX(msg_order), FI_ORDER_RAW, ANY, NULL },
	{ OF_TX(msg_order), 1ULL << 40, 0, "hints->tx_attr->msg_order asks for bits 0x1000" },
	{ OF_TX(comp_order), FI_ORDER_NONE, ANY, NULL },
	{ OF_TX(inject_size), 1, MORE, NULL },
	{ OF_TX(inject_size), 1 << 20, 0, "hints->tx_attr->inject_size asks for 1048576, weft" },
	{ OF_TX(size), 16, MORE, NULL },
	{ OF_TX(size), 1 << 30, 0, "hints->tx_attr->size asks for 1073741824, weft offers " },
	{ OF_TX(iov_limit), 2, MORE, NULL },
	{ OF_TX(iov_limit), 4096, 0, "hints->tx_attr->iov_limit asks for 4096, weft offers " },
	{ OF_TX(rma_iov_limit), 1, MORE, NULL },
	{ OF_TX(rma_iov_limit), 9, 0,
	  "hints->tx_attr->rma_iov_limit asks for 9, weft offers 0 at most" },

	{ OF_RX(caps), FI_MSG | FI_RECV, ANY, NULL },
	{ OF_RX(caps), FI_COLLECTIVE, 0, "hints->rx_attr->caps asks for FI_COLLECTIVE" },
	{ OF_RX(op_flags), FI_MULTI_RECV, KEPT, NULL },
	{ OF_RX(op_flags), FI_FENCE, 0, "hints->rx_attr->op_flags asks for FI_FENCE" },
	{ OF_RX(msg_order), FI_ORDER_WAW, ANY, NULL },
	{ OF_RX(msg_order), 1ULL << 40, 0, "hints->rx_attr->msg_order asks for bits 0x1000" },
	{ OF_RX(total_buffered_recv), 1 << 20, MORE, NULL },
	{ OF_RX(size), 16, MORE, NULL },
	{ OF_RX(size), 1 << 30, 0, "hints->rx_attr->size asks for 1073741824, weft offers " },
	{ OF_RX(iov_limit), 4096, 0, "hints->rx_attr->iov_limit asks for 4096, weft offers " },

	{ OF_EP(type), FI_EP_RDM, KEPT, NULL },
	{ OF_EP(type), FI_EP_MSG, KEPT, NULL },
	{ OF_EP(type), FI_EP_DGRAM, KEPT, NULL },
	{ OF_EP(type), FI_EP_SOCK_STREAM, 0,
	  "hints->ep_attr->type asks for type 4, weft offers FI_EP_RDM, FI_EP_MSG and" },
	{ OF_EP(protocol), FI_PROTO_SOCK_TCP, 0, "hints->ep_attr->protocol asks for that of " },
	{ OF_EP(protocol_version), 99, 0, "hints->ep_attr->protocol_version asks for 99, weft" },
	{ OF_EP(max_msg_size), 1 << 20, MORE, NULL },
	{ OF_EP(max_msg_size), UINT64_MAX, 0, "hints->ep_attr->max_msg_size asks for 184" },
	{ OF_EP(max_order_raw_size), 8, MORE, NULL },
	{ OF_EP(max_order_waw_size), UINT64_MAX, 0,
	  "hints->ep_attr->max_order_waw_size asks for 184" },
	{ OF_EP(mem_tag_format), 0xaaaa, KEPT, NULL },
	{ OF_EP(tx_ctx_cnt), 4, KEPT, NULL },
	{ OF_EP(tx_ctx_cnt), FI_SHARED_CONTEXT, KEPT, NULL },
	{ OF_EP(tx_ctx_cnt), 1000, 0, "hints->ep_attr->tx_ctx_cnt asks for 1000, weft offers 64" },
	{ OF_EP(rx_ctx_cnt), 1000, 0, "hints->ep_attr->rx_ctx_cnt asks for 1000, weft offers 64" },
	{ OF_EP(auth_key_size), 8, 0,
	  "hints->ep_attr->auth_key has 8 bytes that are not there, keys of weft have 16 to 256" },

	{ OF_DOM(threading), FI_THREAD_DOMAIN, KEPT, NULL },
	{ OF_DOM(threading), 77, 0, "hints->domain_attr->threading asks for 77, weft offers " },
	{ OF_DOM(control_progress), FI_PROGRESS_AUTO, KEPT, NULL },
	{ OF_DOM(control_progress), 77, 0, "hints->domain_attr->control_progress asks for 77," },
	{ OF_DOM(data_progress), FI_PROGRESS_AUTO, KEPT, NULL },
	{ OF_DOM(data_progress), 77, 0, "hints->domain_attr->data_progress asks for 77," },
	{ OF_DOM(resource_mgmt), FI_RM_ENABLED, KEPT, NULL },
	{ OF_DOM(resource_mgmt), 77, 0, "hints->domain_attr->resource_mgmt asks for 77," },
	{ OF_DOM(av_type), FI_AV_MAP, KEPT, NULL },
	{ OF_DOM(av_type), FI_AV_TABLE, KEPT, NULL },
	{ OF_DOM(av_type), 77, 0, "hints->domain_attr->av_type asks for 77, weft offers " },
	{ OF_DOM(mr_mode), FI_MR_LOCAL | FI_MR_PROV_KEY | FI_MR_ALLOCATED, 0, NULL },
	{ OF_DOM(cq_data_size), 8, KEPT, NULL },
	{ OF_DOM(cq_data_size), 9, 0, "hints->domain_attr->cq_data_size asks for 9, weft offers" },
	{ OF_DOM(mr_key_size), 9, 0, "hints->domain_attr->mr_key_size asks for 9, weft offers 8" },
	{ OF_DOM(mr_iov_limit), 4096, 0, "hints->domain_attr->mr_iov_limit asks for 4096," },
	{ OF_DOM(cq_cnt), 8, MORE, NULL },
	{ OF_DOM(cq_cnt), 1 << 30, 0, "hints->domain_attr->cq_cnt asks for 1073741824, weft" },
	{ OF_DOM(ep_cnt), 1 << 30, 0, "hints->domain_attr->ep_cnt asks for 1073741824, weft" },
	{ OF_DOM(cntr_cnt), 8, MORE, NULL },
	{ OF_DOM(cntr_cnt), 1 << 30, 0, "hints->domain_attr->cntr_cnt asks for 1073741824, weft" },
	{ OF_DOM(max_ep_tx_ctx), 1000, 0, "hints->domain_attr->max_ep_tx_ctx asks for 1000, weft" },
	{ OF_DOM(max_err_data), 1 << 20, 0, "hints->domain_attr->max_err_data asks for 1048576" },
	{ OF_DOM(caps), FI_LOCAL_COMM, ANY, NULL },
	{ OF_DOM(caps), 1ULL << 29, 0, "hints->domain_attr->caps asks for " },

	{ OF_FAB(prov_version), FI_VERSION(99, 0), 0, "hints->fabric_attr->prov_version asks for" },
};

static void *part(struct fi_info *i, const struct wish *w)
{
	void *parts[] = { i, i->tx_attr, i->rx_attr, i->ep_attr, i->domain_attr, i->fabric_attr };

	return (char *)parts[w->part] + w->offset;
}

static uint64_t field(struct fi_info *i, const struct wish *w)
{
	uint64_t value = 0;

	memcpy(&value, part(i, w), w->size);
	return value;
}

static bool wish(const struct wish *w)
{
	struct fi_info *i;
	uint64_t got;

	CHECK(hints_new());
	memcpy(part(hints, w), &w->value, w->size);
	if (w->log) {
		CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
		CHECK(!info);
		return says(w->log);
	}
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	for (i = info; i; i = i->next) {
		got = field(i, w);
		if (w->got == MORE)
			CHECK(got >= w->value);
		else if (w->got != ANY)
			CHECK_EQ(got, w->got == KEPT ? w->value : w->got);
	}
	return true;
}

static bool each_hint(void)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
		if (wish(&wishes[i]))
			continue;
		printf("# hint %s, %#llx\n", wishes[i].name, (unsigned long long)wishes[i].value);
		ok = false;
	}
	return ok;
}

/* ---- Capabilities --------------------------------------------------------------------- */

/* capabilities that belong to a direction, by fi_endpoint(3), of those offered */
#define TX_CAPS	(FI_MSG | FI_TAGGED | FI_SEND | FI_MULTICAST | FI_NAMED_RX_CTX | FI_FENCE | \
		 FI_RMA | FI_ATOMIC | FI_READ | FI_WRITE | FI_TRIGGER)
#define RX_CAPS	(FI_MSG | FI_TAGGED | FI_RECV | FI_DIRECTED_RECV | FI_VARIABLE_MSG | \
		 FI_MULTI_RECV | FI_SOURCE | FI_SOURCE_ERR | FI_RMA | FI_ATOMIC | \
		 FI_REMOTE_READ | FI_REMOTE_WRITE | FI_RMA_EVENT | FI_TRIGGER)

/* Without hints: all that costs nothing, for each type of endpoint and family. */
static bool no_hints(void)
{
	const enum fi_ep_type types[] = { FI_EP_RDM, FI_EP_MSG, FI_EP_DGRAM };
	const uint32_t formats[] = { FI_SOCKADDR_IN, FI_SOCKADDR_IN6 };
	struct fi_info *i;
	unsigned int n = 0;

	CHECK(hints_new());
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	for (i = info; i; i = i->next, n++) {
		CHECK(n < 6);
		CHECK_EQ(i->ep_attr->type, types[n / 2]);
		CHECK_EQ(i->addr_format, formats[n % 2]);
		CHECK(i->src_addr && i->src_addrlen && !i->dest_addr && !i->dest_addrlen);
		CHECK(!strcmp(i->domain_attr->name, "weft0"));
		CHECK(!strcmp(i->fabric_attr->name, "weft"));
		CHECK(!strcmp(i->fabric_attr->prov_name, "weft"));
		CHECK_EQ(i->fabric_attr->api_version, API);
		CHECK_EQ(!!(i->caps & FI_TAGGED), types[n / 2] != FI_EP_DGRAM);
		CHECK(i->caps & FI_MSG && i->caps & FI_SEND && i->caps & FI_RECV);
		CHECK(i->caps & FI_LOCAL_COMM && i->caps & FI_SOURCE);
		CHECK(!(i->caps & (FI_FENCE | FI_TRIGGER)));
		CHECK_EQ(!!(i->caps & FI_REMOTE_COMM), !nodes_are_one());
		CHECK_EQ(i->tx_attr->caps & ~(TX_CAPS & i->caps), 0);
		CHECK_EQ(i->rx_attr->caps & ~(RX_CAPS & i->caps), 0);
		CHECK(!i->mode && !i->domain_attr->mr_mode);
		CHECK_EQ(!!(i->caps & FI_RMA), types[n / 2] != FI_EP_DGRAM);
		CHECK_EQ(i->domain_attr->data_progress, FI_PROGRESS_AUTO);
		CHECK_EQ(i->domain_attr->control_progress, FI_PROGRESS_AUTO);
		CHECK_EQ(i->domain_attr->threading, FI_THREAD_SAFE);
		CHECK_EQ(i->domain_attr->resource_mgmt, FI_RM_ENABLED);
	}
	return n == 6;
}

static bool only_asked(void)
{
	CHECK(hints_new());
	hints->caps = FI_TAGGED;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK(!(info->caps & (FI_MSG | FI_DIRECTED_RECV | FI_MULTI_RECV | FI_FENCE |
			      FI_NAMED_RX_CTX)));
	CHECK(info->caps & FI_SEND && info->caps & FI_RECV);
	CHECK(info->tx_attr->caps & FI_TAGGED && info->tx_attr->caps & FI_SEND);
	CHECK(!(info->tx_attr->caps & FI_RECV) && !(info->rx_attr->caps & FI_SEND));
	hints->caps = FI_MSG | FI_SEND;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK(!(info->caps & FI_RECV) && !info->rx_attr->caps);
	hints->caps = FI_MSG | FI_RECV | FI_FENCE;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK(info->caps & FI_FENCE && !(info->caps & FI_SEND) && !info->tx_attr->caps);
	/* datagrams have no tags: the other capabilities are offered */
	hints->caps = FI_TAGGED;
	hints->ep_attr->type = FI_EP_DGRAM;
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	return says("weft0 dgram: hints->caps asks for FI_TAGGED");
}

/* What concerns one-sided operations comes with FI_RMA, or where it is named. */
static bool one_sided(void)
{
	const uint64_t dirs = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
	const uint64_t order = FI_ORDER_SAS | FI_ORDER_RAR | FI_ORDER_RAW | FI_ORDER_RAS |
			       FI_ORDER_WAR | FI_ORDER_WAW | FI_ORDER_WAS | FI_ORDER_SAR;

	CHECK(hints_new());
	hints->caps = FI_RMA;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK_EQ(info->caps & (FI_MSG | FI_TAGGED | FI_SEND | FI_RECV | FI_RMA_EVENT), 0);
	CHECK_EQ(info->caps & dirs, dirs);
	CHECK_EQ(info->tx_attr->caps & (FI_RMA | dirs), FI_RMA | FI_READ | FI_WRITE);
	CHECK_EQ(info->rx_attr->caps & (FI_RMA | dirs), FI_RMA | FI_REMOTE_READ | FI_REMOTE_WRITE);
	CHECK_EQ(info->tx_attr->msg_order & (order | FI_ORDER_SAW), order);
	CHECK_EQ(info->rx_attr->msg_order, info->tx_attr->msg_order);
	CHECK_EQ(info->tx_attr->op_flags, FI_DELIVERY_COMPLETE);
	CHECK_EQ(info->tx_attr->rma_iov_limit, 8);
	CHECK_EQ(info->ep_attr->max_order_raw_size, 4096);
	CHECK_EQ(info->ep_attr->max_order_war_size, 4096);
	CHECK_EQ(info->ep_attr->max_order_waw_size, 4096);
	CHECK_EQ(info->domain_attr->mr_key_size, 8);
	hints->caps = FI_MSG | FI_RMA | FI_WRITE | FI_RMA_EVENT;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK_EQ(info->caps & (hints->caps | FI_SEND | FI_RECV), hints->caps | FI_SEND | FI_RECV);
	CHECK_EQ(info->caps & dirs, FI_WRITE);
	CHECK(!(info->rx_attr->caps & FI_RMA));
	hints->caps = FI_MSG;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK(!(info->caps & (FI_RMA | FI_RMA_EVENT | dirs)));
	CHECK_EQ(info->tx_attr->msg_order, FI_ORDER_SAS);
	CHECK_EQ(info->ep_attr->max_order_raw_size, 0);
	hints->tx_attr->msg_order = FI_ORDER_RMA_WAW;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK_EQ(info->tx_attr->msg_order, FI_ORDER_SAS | FI_ORDER_RMA_WAW);
	hints->caps = FI_RMA;
	hints->tx_attr->msg_order = FI_ORDER_SAW;
	hints->rx_attr->msg_order = FI_ORDER_SAW;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK(info->tx_attr->msg_order & info->rx_attr->msg_order & FI_ORDER_SAW);
	hints->ep_attr->type = FI_EP_DGRAM;
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	return says("weft0 dgram: hints->caps asks for FI_RMA");
}

static bool versions(void)
{
	CHECK(hints_new());
	node_enter(0);
	fi_freeinfo(info);
	info = NULL;
	/* before 1.5 memory without registration had no name */
	CHECK_EQ(fi_getinfo(FI_VERSION(1, 4), NULL, NULL, 0, hints, &info), 0);
	CHECK_EQ(info->domain_attr->mr_mode, 2);
	CHECK_EQ(info->fabric_attr->api_version, FI_VERSION(1, 4));
	fi_freeinfo(info);
	info = NULL;
	/* whatever library runs */
	CHECK_EQ(fi_getinfo(fi_version(), NULL, NULL, 0, hints, &info), 0);
	CHECK_EQ(info->fabric_attr->api_version, fi_version());
	return true;
}

static bool flags(void)
{
	CHECK(hints_new());
	CHECK_EQ(ask(NULL, NULL, FI_PEEK), -FI_ENODATA);
	CHECK(says("fi_getinfo has no flags but FI_SOURCE"));
	/* libfabric itself answers this call: all providers, usable or not */
	CHECK_EQ(ask(NULL, NULL, FI_PROV_ATTR_ONLY), 0);
	while (info && strcmp(info->fabric_attr->prov_name, "weft")) {
		struct fi_info *next = info->next;

		info->next = NULL;
		fi_freeinfo(info);
		info = next;
	}
	CHECK(info);
	CHECK(info->fabric_attr->prov_version);
	CHECK(!info->caps && !info->src_addr && !info->fabric_attr->name);
	return true;
}

/* ---- Addresses ------------------------------------------------------------------------ */

static bool to_node(void)
{
	const char *peer = nodes_are_one() ? "10.77.0.1" : "10.77.0.2";

	CHECK(hints_new());
	CHECK_EQ(ask(peer, "4711", 0), 0);
	CHECK_EQ(answers(), 3);
	TO(peer, 4711);
	FROM("10.77.0.1", 0);
	CHECK_EQ(ask(peer, "4711", FI_NUMERICHOST), 0);
	/* a service alone: this node */
	CHECK_EQ(ask(NULL, "4712", 0), 0);
	CHECK_EQ(ask("127.0.0.1", "4712", 0), 0);
	TO("10.77.0.1", 4712);
	/* the family of the node is that of the answers */
	CHECK_EQ(ask(nodes_are_one() ? "fd77::1" : "fd77::2", "1", 0), 0);
	CHECK_EQ(answers(), 3);
	CHECK_EQ(info->addr_format, FI_SOCKADDR_IN6);
	CHECK_EQ(info->dest_addrlen, sizeof(struct sockaddr_in6));
	/* with a node argument hints do not count, except for the source */
	hints->dest_addr = v4("10.1.2.3", 5);
	hints->dest_addrlen = sizeof(struct sockaddr_in);
	hints->src_addr = v4("10.77.0.1", 99);
	hints->src_addrlen = sizeof(struct sockaddr_in);
	CHECK_EQ(ask(peer, "4711", 0), 0);
	TO(peer, 4711);
	FROM("10.77.0.1", 99);
	CHECK(hints_new());
	CHECK_EQ(ask("no.such.name", "1", FI_NUMERICHOST), -FI_ENODATA);
	CHECK(says("node 'no.such.name' service '1': "));
	CHECK_EQ(ask(peer, "no-such-service", 0), -FI_ENODATA);
	return says("service 'no-such-service': ");
}

static bool from_node(void)
{
	CHECK(hints_new());
	CHECK_EQ(ask(NULL, NULL, FI_SOURCE), -FI_ENODATA);
	CHECK(says("FI_SOURCE needs a node or a service"));
	CHECK_EQ(ask(NULL, "4713", FI_SOURCE), 0);
	FROM("10.77.0.1", 4713);
	CHECK(!info->dest_addr);
	CHECK_EQ(ask("10.77.0.1", "4713", FI_SOURCE), 0);
	CHECK_EQ(answers(), 3);
	FROM("10.77.0.1", 4713);
	CHECK_EQ(ask("10.1.2.3", NULL, FI_SOURCE), -FI_ENODATA);
	CHECK(says("weft0: has no address 10.1.2.3"));
	/* the hints' source does not count, their destination does */
	hints->src_addr = v4("10.1.2.3", 5);
	hints->src_addrlen = sizeof(struct sockaddr_in);
	hints->dest_addr = v4("10.77.0.1", 6);
	hints->dest_addrlen = sizeof(struct sockaddr_in);
	CHECK_EQ(ask("10.77.0.1", "4714", FI_SOURCE), 0);
	FROM("10.77.0.1", 4714);
	TO("10.77.0.1", 6);
	return true;
}

static bool as_text(void)
{
	CHECK(hints_new());
	CHECK_EQ(ask("fi_sockaddr_in://10.77.0.1:4715", NULL, 0), 0);
	TO("10.77.0.1", 4715);
	CHECK_EQ(ask("fi_sockaddr_in6://[fd77::1]:4715", NULL, FI_SOURCE), 0);
	CHECK_EQ(info->addr_format, FI_SOCKADDR_IN6);
	CHECK_EQ(ntohs(((struct sockaddr_in6 *)info->src_addr)->sin6_port), 4715);
	CHECK_EQ(ask("fi_sockaddr://10.77.0.1", NULL, 0), 0);
	TO("10.77.0.1", 0);
	CHECK_EQ(ask("fi_sockaddr_in://10.77.0.1:4715", "4715", 0), -FI_ENODATA);
	CHECK(says("has its service already"));
	CHECK_EQ(ask("fi_sockaddr_in6://[fd77::1:4715", NULL, 0), -FI_ENODATA);
	return says("is no address");
}

static bool from_hints(void)
{
	CHECK(hints_new());
	hints->src_addr = v4("10.77.0.1", 77);
	hints->src_addrlen = sizeof(struct sockaddr_in);
	hints->dest_addr = v4("10.77.0.1", 78);
	hints->dest_addrlen = sizeof(struct sockaddr_in);
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	FROM("10.77.0.1", 77);
	TO("10.77.0.1", 78);
	hints->src_addrlen--;
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	CHECK(says("hints->src_addr of 15 bytes is no whole sockaddr_in"));
	hints->src_addrlen++;
	((struct sockaddr_in *)hints->dest_addr)->sin_family = AF_UNIX;
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	CHECK(says("hints->dest_addr of 16 bytes is no whole sockaddr_in"));
	((struct sockaddr_in *)hints->dest_addr)->sin_family = AF_INET;
	((struct sockaddr_in *)hints->src_addr)->sin_addr.s_addr = htonl(0x0a010203);
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	return says("weft0: has no address 10.1.2.3:77");
}

/* ---- Names, open objects, several ports ----------------------------------------------- */

static bool by_name(void)
{
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_pep *pep;
	struct fid odd;

	CHECK(hints_new());
	hints->domain_attr->name = strdup("WEFT0");
	hints->fabric_attr->name = strdup("weft");
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK(!info->fabric_attr->fabric && !info->domain_attr->domain);
	/* later answers name open objects, and hints can ask for them */
	CHECK_EQ(fi_fabric(info->fabric_attr, &fabric, NULL), 0);
	CHECK_EQ(fi_domain(fabric, info, &domain, NULL), 0);
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK(info->fabric_attr->fabric == fabric && info->domain_attr->domain == domain);
	hints->fabric_attr->fabric = fabric;
	hints->domain_attr->domain = domain;
	hints->ep_attr->type = FI_EP_MSG;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK_EQ(fi_passive_ep(fabric, info, &pep, NULL), 0);
	hints->handle = &pep->fid;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK(info->handle == &pep->fid);
	memset(&odd, 0, sizeof(odd));
	hints->handle = &odd;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK(!info->handle);
	hints->handle = NULL;
	CHECK_EQ(fi_close(&pep->fid), 0);
	CHECK_EQ(fi_close(&domain->fid), 0);
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	CHECK(says("hints->domain_attr->domain asks for one that is closed"));
	hints->domain_attr->domain = NULL;
	CHECK_EQ(fi_close(&fabric->fid), 0);
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	CHECK(says("hints->fabric_attr->fabric asks for one that is closed"));
	hints->fabric_attr->fabric = NULL;
	hints->domain_attr->name[4] = '7';
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	CHECK(says("hints->domain_attr->name asks for 'WEFT7', weft offers 'weft0'"));
	hints->domain_attr->name[4] = '0';
	hints->fabric_attr->name[0] = 'l';
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	return says("hints->fabric_attr->name asks for 'left', weft offers 'weft'");
}

static bool two_ports(void)
{
	CHECK(hints_new());
	hints->ep_attr->type = FI_EP_RDM;
	hints->addr_format = FI_SOCKADDR_IN;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK_EQ(answers(), 2);
	/* a port that reaches other nodes comes first, whatever the names */
	CHECK(nodes_are_one() || !strcmp(info->domain_attr->name, "weft0"));
	CHECK(nodes_are_one() || !strcmp(info->next->domain_attr->name, "another"));
	/* a source and a destination choose */
	CHECK_EQ(ask("10.78.0.1", NULL, FI_SOURCE), 0);
	CHECK_EQ(answers(), 1);
	CHECK(!strcmp(info->domain_attr->name, "another"));
	CHECK_EQ(ask("10.78.0.1", "9", 0), 0);
	CHECK(!strcmp(info->domain_attr->name, "another"));
	FROM("10.78.0.1", 0);
	CHECK(nodes_are_one() || says("weft0: another port has the address 10.7"));
	CHECK_EQ(ask("10.77.0.1", "9", 0), 0);
	CHECK(!strcmp(info->domain_attr->name, "weft0"));
	CHECK(says("another: a loop port reaches only its own addresses, not 10."));
	hints->addr_format = FI_SOCKADDR_IN6;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK_EQ(answers(), 1);
	return says("another: hints->addr_format asks for FI_SOCKADDR_IN6, weft offers FI_SOCKADDR_IN only");
}

static bool several_ports(void)
{
	bool ok;

	node_enter(0);
	CHECK(!system("weftctl port add another loop addr 10.78.0.1 >/dev/null"));
	ok = two_ports();
	node_enter(0);
	fi_freeinfo(info);
	info = NULL;
	CHECK(!system("weftctl port del another"));
	return ok;
}

static bool none_suits(void)
{
	CHECK(hints_new());
	hints->domain_attr->name = strdup("nowhere");
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	CHECK(says("weft0 rdm: hints->domain_attr->name asks for 'nowhere'"));
	CHECK(says("weft0 msg: hints->domain_attr->name asks for 'nowhere'"));
	return says("no port suits; what is said above stands against each");
}

static bool silent(const char *what)
{
	if (!strstr(said, what))
		return true;
	printf("# the log says: %s\n", said);
	return false;
}

/* A reason is a warning if the call offers nothing and names weft, and once for each process. */
static bool warns_once(void)
{
	const char *warned = "<warn> weft0 rdm: hints->tx_attr->size asks for 536870913";
	const char *told = "<info> weft0 rdm: hints->tx_attr->size asks for 536870913";

	CHECK(hints_new());
	hints->tx_attr->size = (1 << 29) + 1;
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	CHECK(says(warned) && silent(told));
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	CHECK(says(told) && silent("<warn> weft0"));
	/* another cause */
	hints->tx_attr->size++;
	CHECK_EQ(ask(NULL, NULL, 0), -FI_ENODATA);
	CHECK(says("<warn> weft0 rdm: hints->tx_attr->size asks for 536870914"));
	/* the program may mean another provider */
	free(hints->fabric_attr->prov_name);
	hints->fabric_attr->prov_name = NULL;
	hints->tx_attr->size++;
	ask(NULL, NULL, 0);
	CHECK(says("<info> weft0 rdm: hints->tx_attr->size asks for 536870915"));
	CHECK(silent("<warn> weft0"));
	/* one of the types suits: the others are no reason to warn */
	CHECK(hints_new());
	hints->ep_attr->max_msg_size = 1 << 20;
	CHECK_EQ(ask(NULL, NULL, 0), 0);
	CHECK(says("<info> weft0 dgram: hints->ep_attr->max_msg_size asks for 1048576"));
	return silent("<warn> weft0");
}

#define ALONE .alone = true, .once = true

static const struct row rows[] = {
	/* the first one: a process warns of a bounded number of reasons */
	ROW("GET-013", ON_RDM, "The log warns a program that names weft, once of each reason",
	    warns_once, ALONE),
	ROW("GET-001", ON_RDM, "Each hint is honoured, or refused with a line that names it, what was asked and what there is",
	    each_hint, ALONE),
	ROW("GET-002", ON_RDM, "Without hints all is offered, for each type of endpoint and family",
	    no_hints, ALONE),
	ROW("GET-003", ON_RDM, "Primary capabilities are given if asked for, modifiers restrict them",
	    only_asked, ALONE),
	ROW("GET-004", ON_RDM, "The version of the answer is that of the question", versions,
	    ALONE),
	ROW("GET-005", ON_RDM, "Unknown flags are refused; attributes of providers alone can be had",
	    flags, ALONE),
	ROW("GET-006", ON_RDM, "Node and service are the destination, routes give the source",
	    to_node, ALONE),
	ROW("GET-007", ON_RDM, "With FI_SOURCE they are the source", from_node, ALONE),
	ROW("GET-008", ON_RDM, "A node may be a whole address as text, then without service",
	    as_text, ALONE),
	ROW("GET-009", ON_RDM, "Without node, addresses come from the hints", from_hints, ALONE),
	ROW("GET-010", ON_RDM, "Names, open objects and handles choose", by_name, ALONE),
	ROW("GET-011", ON_RDM, "Of several ports the most able is first; addresses choose",
	    several_ports, ALONE),
	ROW("RMA-49", ON_RDM, "Order, sizes and limits of one-sided operations come with FI_RMA",
	    one_sided, ALONE),
	ROW("GET-012", ON_RDM, "When nothing suits, the log has a reason for each port", none_suits,
	    ALONE),
};

int main(int argc, char **argv)
{
	int ret;

	if (!flog_open("info"))
		return 1;
	ret = rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	fi_freeinfo(info);
	fi_freeinfo(hints);
	return ret;
}
