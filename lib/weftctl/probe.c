// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Probe a path: the kernel sends packets that the other node answers, and counts. This program asks
 * what it has found so far until the probe is over, or until a signal.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "weftctl.h"

#define LOOK_MS	50	/* between two requests */

/* What a probe has found; of the numbers, see linux/weft_netlink.h */
struct found {
	bool over;
	bool exact;
	uint32_t err;
	uint64_t hello;		/* ns, 0: the path was there */
	uint32_t sent;
	uint32_t came;
	uint32_t answered;
	uint32_t back;
	uint64_t rtt[4];	/* min, avg, max, dev: ns */
	uint32_t payload;
};

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static void read_no(struct nlattr *attrs, int len, const void *arg)
{
	*(uint32_t *)(uintptr_t)arg = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PROBE_NO);
}

static void read_found(struct nlattr *attrs, int len, const void *arg)
{
	struct found *f = (struct found *)(uintptr_t)arg;
	char state[16];
	unsigned int i;

	find_text(state, sizeof(state), attrs, len, WEFT_ATTR_PROBE_STATE);
	f->over = !strcmp(state, "over");
	f->exact = nla_find(attrs, len, WEFT_ATTR_PROBE_EXACT);
	f->err = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PROBE_ERR);
	f->hello = find_uint(attrs, len, WEFT_ATTR_PROBE_HELLO);
	f->sent = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PROBE_SENT);
	f->came = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PROBE_CAME);
	f->answered = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PROBE_ANSWERED);
	f->back = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PROBE_BACK);
	f->payload = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PATH_PAYLOAD);
	for (i = 0; i < 4; i++)
		f->rtt[i] = find_uint(attrs, len, WEFT_ATTR_PROBE_RTT_MIN + i);
}

/* ---- Requests ---------------------------------------------------------------------------- */

static int begin(const struct path_probe *p, uint32_t *no)
{
	struct nl_msg *msg = request(WEFT_CMD_PROBE_ADD, false);

	if (!msg)
		return EXIT_KERNEL;
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, p->port);
	nla_put(msg, WEFT_ATTR_PATH_ADDR, sizeof(p->addr), &p->addr);
	nla_put_u32(msg, WEFT_ATTR_PROBE_COUNT, p->count);
	nla_put_u32(msg, WEFT_ATTR_PROBE_INTERVAL, p->interval);
	nla_put_u32(msg, WEFT_ATTR_PROBE_SIZE, p->size);
	return perform(msg, read_no, no, "path probe", p->port);
}

static int ask(uint8_t cmd, const struct path_probe *p, uint32_t no, struct found *f)
{
	struct nl_msg *msg = request(cmd, false);

	if (!msg)
		return EXIT_KERNEL;
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, p->port);
	nla_put_u32(msg, WEFT_ATTR_PROBE_NO, no);
	return perform(msg, f ? read_found : NULL, f, "path probe", p->port);
}

/* Wait until the probe is over, or for a signal. */
static int follow(const struct path_probe *p, uint32_t no, struct found *f)
{
	struct sigaction old, sa = { .sa_handler = stop };
	int ret;

	stopped = 0;
	sigaction(SIGINT, &sa, &old);
	while (!(ret = ask(WEFT_CMD_PROBE_GET, p, no, f)) && !f->over && !stopped)
		poll(NULL, 0, LOOK_MS);
	sigaction(SIGINT, &old, NULL);
	if (!ret)
		ret = ask(WEFT_CMD_PROBE_DEL, p, no, NULL);
	return ret;
}

/* ---- Output ------------------------------------------------------------------------------ */

/* Why the probe has ended. */
static const char *reason(uint32_t err)
{
	switch (err) {
	case EHOSTUNREACH:
		return "no path: the handshake timed out. Does the node have a port, and does a "
		       "firewall drop its UDP port?";
	case EPROTONOSUPPORT:
		return "no path: the node speaks another version of the protocol, see \"path "
		       "show\"";
	case EOPNOTSUPP:
		return "the node does not answer probes: its module is older";
	case EMSGSIZE:
		return "the path does not carry packets of this size";
	case ECONNABORTED:
		return "the path was deleted here";
	case ECONNRESET:
		return "the path has ended: the node has restarted, or has deleted its port or the "
		       "path";
	case ETIMEDOUT:
		return "the path has ended: the node was silent";
	case ENODEV:
		return "the port was deleted";
	case ECANCELED:
		return "nobody has read the result for 10 s";
	default:
		return strerror((int)err);
	}
}

static void print_ms(uint64_t ns)
{
	printf("%" PRIu64 ".%03u", ns / 1000000, (unsigned int)(ns / 1000 % 1000));
}

/* @part of @all, in percent */
static void print_percent(uint32_t part, uint32_t all)
{
	uint64_t tenths = all ? (1000ull * part + all / 2) / all : 0;

	printf("%" PRIu64 ".%u %%", tenths / 10, (unsigned int)(tenths % 10));
}

static void print_loss(const struct found *f)
{
	if (!f->back) {
		puts("no answer came: in which direction packets are lost is not known");
		return;
	}
	fputs("loss ", stdout);
	if (!f->exact) {
		print_percent(f->sent - f->back, f->sent);
		puts(" in both directions: the node's report about the last packets is missing");
		return;
	}
	print_percent(f->sent - f->came, f->sent);
	fputs(" to the node, ", stdout);
	print_percent(f->answered - f->back, f->answered);
	puts(" from the node");
	if (f->came != f->answered)
		printf("%u packets came too fast to be answered\n", f->came - f->answered);
}

static void print_text(const struct found *f)
{
	unsigned int i;

	if (f->hello) {
		fputs("handshake ", stdout);
		print_ms(f->hello);
		puts(" ms");
	} else if (f->sent) {
		puts("no handshake: the path was there");
	}
	if (!f->sent)
		return;
	printf("%u packets sent, ", f->sent);
	if (f->exact)
		printf("%u came to the node, ", f->came);
	printf("%u answers came back\n", f->back);
	print_loss(f);
	if (f->back) {
		fputs("rtt min/avg/max/dev ", stdout);
		for (i = 0; i < 4; i++) {
			print_ms(f->rtt[i]);
			fputs(i < 3 ? "/" : " ms\n", stdout);
		}
	}
	printf("max_payload %u bytes\n", f->payload);
}

static void print_json(const struct path_probe *p, const struct found *f)
{
	static const char * const keys[] = { "rtt_min_ns", "rtt_avg_ns", "rtt_max_ns",
					     "rtt_dev_ns" };
	unsigned int i;

	out_begin();
	out_open();
	out_str("port", OUT_LEAD, p->port);
	out_addr("path", OUT_KEY, &p->addr);
	out_uint("count", OUT_KEY, p->count);
	out_uint("interval_ms", OUT_KEY, p->interval);
	out_uint("size", OUT_KEY, p->size);
	if (f->hello)
		out_uint("handshake_ns", OUT_KEY, f->hello);
	out_uint("sent", OUT_KEY, f->sent);
	out_uint("answers", OUT_KEY, f->back);
	out_uint("lost", OUT_KEY, f->sent - f->back);
	if (f->exact) {
		out_uint("lost_to", OUT_KEY, f->sent - f->came);
		out_uint("lost_from", OUT_KEY, f->answered - f->back);
		out_uint("unanswered", OUT_KEY, f->came - f->answered);
	}
	for (i = 0; i < 4 && f->back; i++)
		out_uint(keys[i], OUT_KEY, f->rtt[i]);
	if (f->sent)
		out_uint("max_payload", OUT_KEY, f->payload);
	if (f->err)
		out_str("error", OUT_KEY, reason(f->err));
	out_close();
	out_end();
}

int probe_path(int argc, char **argv)
{
	struct found f = { 0 };
	struct path_probe p;
	char addr[ADDR_TEXT];
	uint32_t no = 0;
	int ret;

	if (parse_path_probe(argc, argv, &p))
		return EXIT_USAGE;
	addr_text(addr, &p.addr);
	if (!out_is_json()) {
		printf("probing the path of %s to %s: %u packets of %u bytes, one each %u ms; it "
		       "touches no program\n", p.port, addr, p.count, p.size, p.interval);
		fflush(stdout);
	}
	ret = begin(&p, &no);
	if (!ret)
		ret = follow(&p, no, &f);
	if (ret)
		return ret;
	if (out_is_json())
		print_json(&p, &f);
	else
		print_text(&f);
	if (f.err)
		complain("path probe %s %s: %s", p.port, addr, reason(f.err));
	else if (!f.back && f.over)
		complain("path probe %s %s: the node is silent", p.port, addr);
	return f.back ? (f.err ? EXIT_KERNEL : 0) : EXIT_KERNEL;
}
