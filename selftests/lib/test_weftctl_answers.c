// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weftctl with a stand-in for the kernel: what it makes of answers and of refusals
 *
 * Built together with all of lib/weftctl but main.c, and netlink.c, whose functions are here. TAP
 * on stdout.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/genl/genl.h>

#include "../../lib/weftctl/weftctl.h"
#include "tap.h"

/* ---- The kernel -------------------------------------------------------------------------- */

#define OBJECTS_MAX	16

/* Objects that there are: messages with the number of the command that shows them */
static struct nl_msg *objects[OBJECTS_MAX];
static uint8_t object_cmd[OBJECTS_MAX];
static unsigned int nobjects;
static uint8_t asked;		/* command of the last request */

static struct nlattr *attrs_of(struct nl_msg *msg, int *len)
{
	struct genlmsghdr *hdr = nlmsg_data(nlmsg_hdr(msg));

	*len = genlmsg_attrlen(hdr, 0);
	return genlmsg_attrdata(hdr, 0);
}

static struct nl_msg *message(void)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, 0, 0, 0, 0, 0, 0, WEFT_GENL_VERSION);
	return msg;
}

/* Add an object. Return: its message, for attributes */
static struct nl_msg *object(uint8_t cmd, const char *port)
{
	struct nl_msg *msg = message();

	object_cmd[nobjects] = cmd;
	objects[nobjects++] = msg;
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, port);
	return msg;
}

static void forget(void)
{
	while (nobjects)
		nlmsg_free(objects[--nobjects]);
}

static void each(uint8_t cmd, answer_fn answer, const void *arg)
{
	struct nlattr *attrs;
	unsigned int i;
	int len;

	for (i = 0; i < nobjects; i++) {
		if (object_cmd[i] != cmd)
			continue;
		attrs = attrs_of(objects[i], &len);
		answer(attrs, len, arg);
	}
}

int find_family(void)
{
	return 0;
}

void netlink_forget(void)
{
}

struct nl_msg *request(uint8_t cmd, bool dump)
{
	asked = cmd;
	return message();
}

int perform(struct nl_msg *msg, answer_fn answer, const void *arg, const char *what,
	    const char *name)
{
	nlmsg_free(msg);
	if (answer)
		each(asked, answer, arg);
	return 0;
}

int perform_quietly(struct nl_msg *msg, answer_fn answer, const void *arg)
{
	return perform(msg, answer, arg, NULL, NULL);
}

int ask_quietly(uint8_t cmd, const char *port, answer_fn answer, const void *arg)
{
	each(cmd, answer, arg);
	return 0;
}

int collect(uint8_t cmd, const char *what, const char *port,
	    bool (*wanted)(struct nlattr *attrs, int len, const void *arg), const void *arg,
	    struct answers *to)
{
	unsigned int i;

	to->all = calloc(OBJECTS_MAX, sizeof(*to->all));
	for (i = 0; i < nobjects; i++) {
		struct answer *a = &to->all[to->n];

		a->attrs = attrs_of(objects[i], &a->len);
		to->n += object_cmd[i] == cmd && (!wanted || wanted(a->attrs, a->len, arg));
	}
	return 0;
}

void release(struct answers *answers)
{
	free(answers->all);
	memset(answers, 0, sizeof(*answers));
}

void copy_name(char *name, size_t size, const struct nlattr *attr)
{
	name[0] = 0;
	if (attr)
		nla_strlcpy(name, attr, size);
}

/* ---- What is printed --------------------------------------------------------------------- */

static struct {
	FILE *out, *err;
	char *text, *said;
	size_t text_len, said_len;
} caught;

static void catch_on(void)
{
	free(caught.text);
	free(caught.said);
	fflush(stdout);
	caught.out = stdout;
	caught.err = stderr;
	stdout = open_memstream(&caught.text, &caught.text_len);
	stderr = open_memstream(&caught.said, &caught.said_len);
}

static void catch_off(void)
{
	fclose(stdout);
	fclose(stderr);
	stdout = caught.out;
	stderr = caught.err;
}

/* Run a command of an object with up to three words, NULL: fewer. */
static int run(int (*fn)(int argc, char **argv), const char *a, const char *b, const char *c)
{
	const char *const words[] = { a, b, c };
	char text[3][32], *argv[3];
	int argc, status;

	for (argc = 0; argc < 3 && words[argc]; argc++) {
		snprintf(text[argc], sizeof(text[argc]), "%s", words[argc]);
		argv[argc] = text[argc];
	}
	catch_on();
	status = fn(argc, argv);
	catch_off();
	return status;
}

static void check_text(const char *is, const char *want)
{
	if (!strcmp(is, want))
		return;
	fprintf(tap_to, "# %s# instead of: %s", is, want);
	test_ok = 0;
}

static void put_addr(struct nl_msg *msg, int attr, const char *text, unsigned int service)
{
	struct weft_sockaddr addr = { .family = AF_INET, .port = htons(service) };

	inet_pton(AF_INET, text, addr.addr);
	nla_put(msg, attr, sizeof(addr), &addr);
}

/* ---- Refusals ---------------------------------------------------------------------------- */

static void names(void)
{
	static const char *const limits[] = {
		"unexpected-node", "unexpected-endpoint", "unexpected-user", "paths", "jobs",
	};
	unsigned int i;

	object(WEFT_CMD_PORT_GET, "weft0");
	object(WEFT_CMD_PORT_GET, "other");
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		nla_put_string(object(WEFT_CMD_LIMIT_GET, "weft0"), WEFT_ATTR_LIMIT_NAME,
			       limits[i]);
	nla_put_string(object(WEFT_CMD_JOB_GET, "weft0"), WEFT_ATTR_JOB_NAME, "lab");
}

#define NO_PORT		"no such port in this network namespace; see 'port show'"
#define NO_LIMIT	"no such limit; see 'limit show'"
#define NO_JOB		"no such job; see 'job show'"

static void test_refused(void)
{
	static const struct {
		const char *what;
		const char *name;
		const char *port;
		int attr;		/* with this text, 0: none */
		const char *value;
		const char *why;
		const char *says;
	} cases[] = {
		{ "port del", "weftX", "weftX", 0, NULL, NO_PORT,
		  "weftctl: port del weftX: " NO_PORT "; did you mean \"weft0\"?\n" },
		{ "ep show", "nonesuch", "nonesuch", 0, NULL, NO_PORT,
		  "weftctl: ep show nonesuch: " NO_PORT "\n" },
		{ "limit set", "weftX", "weftX", WEFT_ATTR_LIMIT_NAME, "paths", NO_PORT,
		  "weftctl: limit set weftX: " NO_PORT "; did you mean \"weft0\"?\n" },
		{ "limit set", "weft0", "weft0", WEFT_ATTR_LIMIT_NAME, "pahts", NO_LIMIT,
		  "weftctl: limit set weft0 limit pahts: " NO_LIMIT "; did you mean \"paths\"?\n" },
		{ "limit set", "weft0", "weft0", WEFT_ATTR_LIMIT_NAME, "unexp", NO_LIMIT,
		  "weftctl: limit set weft0 limit unexp: " NO_LIMIT "; did you mean "
		  "\"unexpected-node\", \"unexpected-endpoint\" or \"unexpected-user\"?\n" },
		{ "job del", "labb port weft0", "weft0", WEFT_ATTR_JOB_NAME, "labb", NO_JOB,
		  "weftctl: job del labb port weft0: " NO_JOB "; did you mean \"lab\"?\n" },
		{ "job del", "lab port othre", "othre", WEFT_ATTR_JOB_NAME, "lab", NO_PORT,
		  "weftctl: job del lab port othre: " NO_PORT "; did you mean \"other\"?\n" },
		{ "port add", "bad", "bad", WEFT_ATTR_PORT_NETDEV, "lo0",
		  "no such device in this network namespace; see 'ip link'",
		  "weftctl: port add bad netdev lo0: no such device in this network namespace; see "
		  "'ip link'; did you mean \"lo\"?\n" },
		{ "port add", "weft0", "weft0", 0, NULL, "taken",
		  "weftctl: port add weft0: taken\n" },
		{ "port flush", NULL, "weft0", 0, NULL, "no", "weftctl: port flush: no\n" },
	};
	struct nl_msg *msg;
	struct nlattr *attrs;
	unsigned int i;
	int len;

	names();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		msg = message();
		nla_put_string(msg, WEFT_ATTR_PORT_NAME, cases[i].port);
		if (cases[i].attr)
			nla_put_string(msg, cases[i].attr, cases[i].value);
		attrs = attrs_of(msg, &len);
		catch_on();
		complain_refused(cases[i].what, cases[i].name, cases[i].why, NULL, attrs, len);
		catch_off();
		check_text(caught.said, cases[i].says);
		nlmsg_free(msg);
	}
	forget();
}

/* The kernel points to an attribute. */
static void check_pointed(struct nl_msg *msg, int attr, const char *name, const char *says)
{
	struct nlattr *attrs;
	int len;

	attrs = attrs_of(msg, &len);
	catch_on();
	complain_refused("x", name, "why", nla_find(attrs, len, attr), attrs, len);
	catch_off();
	check_text(caught.said, says);
}

static void test_pointed(void)
{
	static const uint8_t key[32] = { 1 };
	struct nl_msg *msg = message();

	nla_put_string(msg, WEFT_ATTR_PORT_NAME, "weft0");
	nla_put_string(msg, WEFT_ATTR_LIMIT_NAME, "paths");
	nla_put_u64(msg, WEFT_ATTR_LIMIT_VALUE, 1ull << 40);
	nla_put_u32(msg, WEFT_ATTR_ENGINE_CPU, 99);
	nla_put_u32(msg, WEFT_ATTR_JOB_GID, 7);
	nla_put(msg, WEFT_ATTR_JOB_KEY, sizeof(key), key);
	put_addr(msg, WEFT_ATTR_PORT_ADDR, "224.0.0.1", 0);
	check_pointed(msg, WEFT_ATTR_LIMIT_VALUE, "weft0",
		      "weftctl: x weft0 paths 1099511627776: why\n");
	check_pointed(msg, WEFT_ATTR_ENGINE_CPU, "weft0", "weftctl: x weft0 cpu 99: why\n");
	check_pointed(msg, WEFT_ATTR_JOB_GID, "lab", "weftctl: x lab group 7: why\n");
	check_pointed(msg, WEFT_ATTR_PORT_ADDR, "bad", "weftctl: x bad addr 224.0.0.1: why\n");
	/* a key is secret */
	check_pointed(msg, WEFT_ATTR_JOB_KEY, "lab", "weftctl: x lab: why\n");
	check_pointed(msg, WEFT_ATTR_PORT_NAME, NULL, "weftctl: x port weft0: why\n");
	nlmsg_free(msg);
}

/* ---- Objects ----------------------------------------------------------------------------- */

static void flow(const char *port, const char *way, unsigned int service, const char *peer,
		 uint32_t waiting, uint32_t other, uint64_t age)
{
	struct nl_msg *msg = object(WEFT_CMD_FLOW_GET, port);

	nla_put_string(msg, WEFT_ATTR_FLOW_WAY, way);
	put_addr(msg, WEFT_ATTR_EP_ADDR, "10.77.0.1", service);
	put_addr(msg, WEFT_ATTR_FLOW_PEER, peer, 900);
	nla_put_u32(msg, WEFT_ATTR_FLOW_WAITING, waiting);
	nla_put_u32(msg, *way == 'i' ? WEFT_ATTR_FLOW_EARLY : WEFT_ATTR_FLOW_UNACKED, other);
	if (age)
		nla_put_u64(msg, WEFT_ATTR_AGE, age);
}

static void test_sums(void)
{
	struct nl_msg *msg = object(WEFT_CMD_EP_GET, "weft0");

	put_addr(msg, WEFT_ATTR_EP_ADDR, "10.77.0.1", 7);
	msg = object(WEFT_CMD_PATH_GET, "weft0");
	put_addr(msg, WEFT_ATTR_PATH_ADDR, "10.77.0.2", 0);
	flow("weft0", "out", 7, "10.77.0.2", 3, 4, 5000000);
	flow("weft0", "out", 7, "10.77.0.3", 10, 20, 9000000);
	flow("weft0", "out", 8, "10.77.0.2", 100, 200, 0);
	flow("weft0", "in", 7, "10.77.0.2", 1000, 2, 0);
	flow("weft0", "in", 7, "10.77.0.3", 1, 0, 0);
	/* the same addresses at another port */
	flow("weft1", "out", 7, "10.77.0.2", 5, 5, 99000000);
	CHECK(!run(do_ep, NULL, NULL, NULL));
	check_text(caught.text, "weft0: ep 10.77.0.1:7\n");
	out_count(true);
	CHECK(!run(do_ep, NULL, NULL, NULL));
	check_text(caught.text, "weft0: ep 10.77.0.1:7 flows_out 2 flows_in 2 waiting 13 "
		   "unacked 24 oldest_ms 9 unmatched 1001 gaps 1\n");
	CHECK(!run(do_path, "show", NULL, NULL));
	check_text(caught.text, "weft0: path 10.77.0.2 flows_out 2 flows_in 1 waiting 103 "
		   "unacked 204 oldest_ms 5 unmatched 1000 gaps 1\n");
	out_count(false);
	forget();
}

static void test_details(void)
{
	struct nl_msg *msg = object(WEFT_CMD_LIMIT_GET, "weft0");

	nla_put_string(msg, WEFT_ATTR_LIMIT_NAME, "paths");
	msg = object(WEFT_CMD_SEND_GET, "weft0");
	nla_put_string(msg, WEFT_ATTR_FOR, "turn");
	nla_put_u64(msg, WEFT_ATTR_AGE, 5000123);
	nla_put_u32(msg, WEFT_ATTR_UID, 0);
	CHECK(!run(do_send, NULL, NULL, NULL));
	check_text(caught.text, "weft0: for turn age_ms 5 uid 0\n");
	out_more(true, false);
	CHECK(!run(do_send, NULL, NULL, NULL));
	check_text(caught.text, "weft0: for turn age_ms 5 age_ns 5000123 uid 0 user root\n"
		   "    other sends of the path come first\n");
	out_form(true, false);
	CHECK(!run(do_limit, NULL, NULL, NULL));
	check_text(caught.text, "weft0: limit paths\\    remote nodes\n");
	out_form(false, false);
	out_mode(true, false);
	CHECK(!run(do_limit, NULL, NULL, NULL));
	check_text(caught.text, "[{\"port\":\"weft0\",\"limit\":\"paths\",\"text\":"
		   "\"remote nodes\"}]\n");
	out_mode(false, false);
	out_more(false, false);
	forget();
}

/* An endpoint, a path or a context of process @pid */
static void found(uint8_t cmd, const char *addr, const char *peer, const char *state, uint32_t pid,
		  uint64_t age)
{
	struct nl_msg *msg = object(cmd, "weft0");
	bool path = cmd == WEFT_CMD_PATH_GET;

	if (addr)
		put_addr(msg, path ? WEFT_ATTR_PATH_ADDR : WEFT_ATTR_EP_ADDR, addr, path ? 0 : 7);
	if (peer)
		put_addr(msg, WEFT_ATTR_EP_PEER, peer, 9);
	if (state)
		nla_put_string(msg, path ? WEFT_ATTR_PATH_STATE : WEFT_ATTR_EP_STATE, state);
	if (pid)
		nla_put_u32(msg, WEFT_ATTR_PID, pid);
	if (age)
		nla_put_u64(msg, WEFT_ATTR_AGE, age);
}

#define EP_1	"weft0: ep 10.77.0.1:7 state connected peer 10.77.0.2:9 pid 5\n"
#define EP_2	"weft0: ep 10.77.0.3:7 state enabled pid 6\n"
#define PATH_1	"weft0: path 10.77.0.8 state hello age_ms 1000\n"
#define PATH_2	"weft0: path 10.77.0.9 state up age_ms 7000\n"

static void test_filters(void)
{
	static const struct {
		int (*fn)(int argc, char **argv);
		const char *word, *value, *text;
	} cases[] = {
		{ do_ep, "pid", "5", EP_1 }, { do_ep, "pid", "6", EP_2 },
		{ do_ep, "ep", "10.77.0.3:7", EP_2 }, { do_ep, "ep", "10.77.0.1", EP_1 },
		{ do_ep, "peer", "10.77.0.2", EP_1 }, { do_ep, "state", "enabled", EP_2 },
		{ do_ep, "weft0", NULL, EP_1 EP_2 },
		/* the oldest first */
		{ do_path, NULL, NULL, PATH_2 PATH_1 }, { do_path, "peer", "10.77.0.8", PATH_1 },
		{ do_path, "state", "up", PATH_2 }, { do_path, "age", "7", PATH_2 },
		{ do_path, "age", "1", PATH_2 PATH_1 },
		{ do_ctx, "pid", "8", "weft0: pid 8\n" },
	};
	unsigned int i;

	found(WEFT_CMD_EP_GET, "10.77.0.1", "10.77.0.2", "connected", 5, 0);
	found(WEFT_CMD_EP_GET, "10.77.0.3", NULL, "enabled", 6, 0);
	found(WEFT_CMD_PATH_GET, "10.77.0.8", NULL, "hello", 0, 1000000000);
	found(WEFT_CMD_PATH_GET, "10.77.0.9", NULL, "up", 0, 7000000000);
	found(WEFT_CMD_CTX_GET, NULL, NULL, NULL, 7, 0);
	found(WEFT_CMD_CTX_GET, NULL, NULL, NULL, 8, 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK(!run(cases[i].fn, "show", cases[i].word, cases[i].value));
		check_text(caught.text, cases[i].text);
		check_text(caught.said, "");
	}
	CHECK(!run(do_ep, "show", "state", "opne"));
	check_text(caught.said, "weftctl: ep show: nothing matches\n");
	CHECK(!run(do_path, "show", "state", "ledding"));
	check_text(caught.said,
		   "weftctl: path show: nothing matches; did you mean \"leaving\"?\n");
	/* what an object lacks is no filter */
	CHECK(run(do_path, "show", "pid", "5") == EXIT_USAGE && strstr(caught.said, "\"pid\""));
	CHECK(run(do_ep, "show", "age", "5") == EXIT_USAGE && strstr(caught.said, "\"age\""));
	CHECK(run(do_ctx, "show", "ep", "10.77.0.1") == EXIT_USAGE);
	forget();
}

/* What a report leaves out */
static void test_hidden(void)
{
	struct nl_msg *msg = object(WEFT_CMD_MR_GET, "weft0");

	nla_put_string(msg, WEFT_ATTR_KIND, "remote");
	nla_put_u64(msg, WEFT_ATTR_MR_KEY, 0x77);
	nla_put_u64(msg, WEFT_ATTR_LEN, 5);
	CHECK(!run(do_mr, "show", NULL, NULL));
	check_text(caught.text, "weft0: remote key 0x77 len 5\n");
	out_hide("key");
	CHECK(!run(do_mr, "show", NULL, NULL));
	check_text(caught.text, "weft0: remote len 5\n");
	out_hide(NULL);
	forget();
}

static void test_tables(void)
{
	struct nl_msg *msg = message();

	nobjects = 1;
	objects[0] = msg;
	object_cmd[0] = WEFT_CMD_PORT_GET;
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, "weft0");
	nla_put_string(msg, WEFT_ATTR_PORT_DRIVER, "loop");
	nla_put_string(msg, WEFT_ATTR_PORT_STATE, "up");
	nla_put_u32(msg, WEFT_ATTR_PORT_MTU, 1500);
	put_addr(msg, WEFT_ATTR_PORT_ADDR, "10.77.0.1", 0);
	put_addr(msg, WEFT_ATTR_PORT_ADDR, "10.77.0.2", 0);
	msg = object(WEFT_CMD_STATS_GET, "weft0");
	nla_put_string(msg, WEFT_ATTR_STAT_NAME, "tx_packets");
	nla_put_u64(msg, WEFT_ATTR_STAT_VALUE, 7);
	msg = object(WEFT_CMD_STATS_GET, "weft0");
	nla_put_string(msg, WEFT_ATTR_STAT_NAME, "rx_packets");
	nla_put_u64(msg, WEFT_ATTR_STAT_VALUE, 0);
	msg = object(WEFT_CMD_FLOW_GET, "weft0");
	nla_put_string(msg, WEFT_ATTR_FLOW_STATE, "open");
	nla_put_u64(msg, WEFT_ATTR_AGE, 7000000);
	out_form(false, true);
	CHECK(!run(show_ports, NULL, NULL, NULL));
	check_text(caught.text, "weft0  up  loop  -  1500  10.77.0.1,10.77.0.2\n");
	/* counters that have not counted are left out */
	CHECK(!run(do_stats, NULL, NULL, NULL));
	check_text(caught.text, "weft0  tx_packets  7\n");
	CHECK(!run(do_flow, NULL, NULL, NULL));
	check_text(caught.text, "weft0  -  -  open  -  7\n");
	out_form(false, false);
	forget();
}

#define PROBED	"probing the path of weft0 to 10.77.0.2: " \
		"100 packets of 64 bytes, one each 10 ms; " \
		"it touches no program\n"
#define FAILED	"weftctl: path probe weft0 10.77.0.2: "

static void test_probe(void)
{
	static const struct {
		unsigned int sent, came, answered, back, err;
		bool exact, made;
		int status;
		const char *text, *said;
	} cases[] = {
		{ 100, 98, 98, 97, 0, true, true, 0,
		  "handshake 1.234 ms\n100 packets sent, 98 came to the node, 97 answers came back\n"
		  "loss 2.0 % to the node, 1.0 % from the node\n"
		  "rtt min/avg/max/dev 0.010/0.020/0.030/0.004 ms\nmax_payload 1472 bytes\n", "" },
		{ 100, 100, 40, 40, 0, true, false, 0,
		  "no handshake: the path was there\n"
		  "100 packets sent, 100 came to the node, 40 answers came back\n"
		  "loss 0.0 % to the node, 0.0 % from the node\n"
		  "60 packets came too fast to be answered\n"
		  "rtt min/avg/max/dev 0.010/0.020/0.030/0.004 ms\nmax_payload 1472 bytes\n", "" },
		{ 100, 90, 90, 90, 0, false, false, 0,
		  "no handshake: the path was there\n"
		  "100 packets sent, 90 answers came back\n"
		  "loss 10.0 % in both directions: the node's report about the last packets is "
		  "missing\n"
		  "rtt min/avg/max/dev 0.010/0.020/0.030/0.004 ms\nmax_payload 1472 bytes\n", "" },
		{ 100, 0, 0, 0, 0, false, false, EXIT_KERNEL,
		  "no handshake: the path was there\n"
		  "100 packets sent, 0 answers came back\n"
		  "no answer came: in which direction packets are lost is not known\n"
		  "max_payload 1472 bytes\n", FAILED "the node is silent\n" },
		{ 0, 0, 0, 0, EHOSTUNREACH, false, false, EXIT_KERNEL, "",
		  FAILED "no path: the handshake timed out. Does the node have a port, and does a "
		  "firewall drop its UDP port?\n" },
		{ 0, 0, 0, 0, EOPNOTSUPP, false, true, EXIT_KERNEL, "handshake 1.234 ms\n",
		  FAILED "the node does not answer probes: its module is older\n" },
	};
	static const uint64_t rtts[] = { 10000, 20000, 30000, 4000 };
	struct nl_msg *msg;
	unsigned int i, k;
	char text[1024];

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		msg = object(WEFT_CMD_PROBE_GET, "weft0");
		nla_put_string(msg, WEFT_ATTR_PROBE_STATE, "over");
		nla_put_u32(msg, WEFT_ATTR_PROBE_SENT, cases[i].sent);
		nla_put_u32(msg, WEFT_ATTR_PROBE_CAME, cases[i].came);
		nla_put_u32(msg, WEFT_ATTR_PROBE_ANSWERED, cases[i].answered);
		nla_put_u32(msg, WEFT_ATTR_PROBE_BACK, cases[i].back);
		if (cases[i].err)
			nla_put_u32(msg, WEFT_ATTR_PROBE_ERR, cases[i].err);
		if (cases[i].made)
			nla_put_u64(msg, WEFT_ATTR_PROBE_HELLO, 1234567);
		if (cases[i].exact)
			nla_put_flag(msg, WEFT_ATTR_PROBE_EXACT);
		for (k = 0; k < 4 && cases[i].back; k++)
			nla_put_u64(msg, WEFT_ATTR_PROBE_RTT_MIN + k, rtts[k]);
		nla_put_u32(msg, WEFT_ATTR_PATH_PAYLOAD, 1472);
		CHECK(run(probe_path, "weft0", "10.77.0.2", NULL) == cases[i].status);
		snprintf(text, sizeof(text), PROBED "%s", cases[i].text);
		check_text(caught.text, text);
		check_text(caught.said, cases[i].said);
		forget();
	}
	msg = object(WEFT_CMD_PROBE_GET, "weft0");
	nla_put_string(msg, WEFT_ATTR_PROBE_STATE, "over");
	nla_put_u32(msg, WEFT_ATTR_PROBE_SENT, 40);
	nla_put_u32(msg, WEFT_ATTR_PROBE_ERR, ECONNABORTED);
	nla_put_u32(msg, WEFT_ATTR_PATH_PAYLOAD, 1472);
	out_mode(true, false);
	CHECK(run(probe_path, "weft0", "10.77.0.2", NULL) == EXIT_KERNEL);
	out_mode(false, false);
	check_text(caught.text, "[{\"port\":\"weft0\",\"path\":\"10.77.0.2\",\"count\":100,"
		   "\"interval_ms\":10,\"size\":64,\"sent\":40,\"answers\":0,\"lost\":40,"
		   "\"max_payload\":1472,\"error\":\"the path was deleted here\"}]\n");
	check_text(caught.said, FAILED "the path was deleted here\n");
	forget();
}

/* A histogram with these numbers of values, the first ones of its buckets */
static void histogram(const char *port, const char *name, const char *unit, bool on, uint64_t sum,
		      uint64_t zero, uint64_t one, uint64_t three, uint64_t large)
{
	const uint64_t counts[5] = { zero, one, three, 0, large };
	struct nl_msg *msg = object(WEFT_CMD_HIST_GET, port);

	nla_put_string(msg, WEFT_ATTR_PORT_HISTOGRAMS, on ? "on" : "off");
	nla_put_string(msg, WEFT_ATTR_HIST_NAME, name);
	nla_put_string(msg, WEFT_ATTR_HIST_UNIT, unit);
	nla_put_string(msg, WEFT_ATTR_HIST_TEXT, "what it measures");
	nla_put_u64(msg, WEFT_ATTR_HIST_SUM, sum);
	nla_put(msg, WEFT_ATTR_HIST_COUNTS, sizeof(counts), counts);
}

static void test_histograms(void)
{
	histogram("weft0", "search", "entries", true, 109, 4, 2, 3, 1);
	histogram("weft0", "send", "ns", true, 0, 0, 0, 0, 0);
	CHECK(!run(do_histogram, "show", NULL, NULL));
	check_text(caught.text,
		   "weft0: name search histograms on unit entries values 10 mean 10 p50 1 p90 3 "
		   "p99 15\n"
		   "               0 - 0                     4  40.0 % ################################\n"
		   "               1 - 1                     2  20.0 % ################\n"
		   "               2 - 3                     3  30.0 % ########################\n"
		   "               4 - 7                     0   0.0 %\n"
		   "               8 -                       1  10.0 % ########\n"
		   "weft0: name send histograms on unit ns values 0\n");
	out_form(false, true);
	CHECK(!run(do_histogram, NULL, NULL, NULL));
	check_text(caught.text, "weft0  search  entries  10  1  15\n"
		   "weft0  send    ns       0   -  -\n");
	out_form(false, false);
	out_mode(true, false);
	CHECK(!run(do_histogram, NULL, NULL, NULL));
	check_text(caught.text,
		   "[{\"port\":\"weft0\",\"name\":\"search\",\"histograms\":\"on\","
		   "\"unit\":\"entries\",\"values\":10,\"mean\":10,\"p50\":1,\"p90\":3,"
		   "\"p99\":15,\"sum\":109,\"buckets\":[{\"from\":0,\"to\":0,\"count\":4},"
		   "{\"from\":1,\"to\":1,\"count\":2},{\"from\":2,\"to\":3,\"count\":3},"
		   "{\"from\":4,\"to\":7,\"count\":0},{\"from\":8,\"count\":1}]},"
		   "{\"port\":\"weft0\",\"name\":\"send\",\"histograms\":\"on\",\"unit\":\"ns\","
		   "\"values\":0,\"sum\":0,\"buckets\":[]}]\n");
	out_mode(false, false);
	forget();
}

/* Only ports that measure have metrics of histograms; each name has one head. */
static void test_metrics(void)
{
	const char *at;

	histogram("weft0", "send", "ns", true, 1000000109, 4, 2, 3, 1);
	histogram("weft0", "search", "entries", true, 3, 0, 3, 0, 0);
	histogram("weft1", "send", "ns", false, 7, 1, 1, 0, 0);
	histogram("weft1", "search", "entries", false, 7, 1, 1, 0, 0);
	histogram("weft2", "send", "ns", true, 1, 0, 1, 0, 0);
	histogram("weft2", "search", "entries", true, 0, 0, 0, 0, 0);
	CHECK(!run(do_stats, "--prometheus", NULL, NULL));
	at = strstr(caught.text, "# HELP weft_send_");
	CHECK(at);
	if (at)
		check_text(at,
			   "# HELP weft_send_seconds what it measures\n"
			   "# TYPE weft_send_seconds histogram\n"
			   "weft_send_seconds_bucket{port=\"weft0\",le=\"0.000000000\"} 4\n"
			   "weft_send_seconds_bucket{port=\"weft0\",le=\"0.000000001\"} 6\n"
			   "weft_send_seconds_bucket{port=\"weft0\",le=\"0.000000003\"} 9\n"
			   "weft_send_seconds_bucket{port=\"weft0\",le=\"0.000000007\"} 9\n"
			   "weft_send_seconds_bucket{port=\"weft0\",le=\"+Inf\"} 10\n"
			   "weft_send_seconds_sum{port=\"weft0\"} 1.000000109\n"
			   "weft_send_seconds_count{port=\"weft0\"} 10\n"
			   "weft_send_seconds_bucket{port=\"weft2\",le=\"0.000000000\"} 0\n"
			   "weft_send_seconds_bucket{port=\"weft2\",le=\"0.000000001\"} 1\n"
			   "weft_send_seconds_bucket{port=\"weft2\",le=\"0.000000003\"} 1\n"
			   "weft_send_seconds_bucket{port=\"weft2\",le=\"0.000000007\"} 1\n"
			   "weft_send_seconds_bucket{port=\"weft2\",le=\"+Inf\"} 1\n"
			   "weft_send_seconds_sum{port=\"weft2\"} 0.000000001\n"
			   "weft_send_seconds_count{port=\"weft2\"} 1\n"
			   "# HELP weft_search_entries what it measures\n"
			   "# TYPE weft_search_entries histogram\n"
			   "weft_search_entries_bucket{port=\"weft0\",le=\"0\"} 0\n"
			   "weft_search_entries_bucket{port=\"weft0\",le=\"1\"} 3\n"
			   "weft_search_entries_bucket{port=\"weft0\",le=\"3\"} 3\n"
			   "weft_search_entries_bucket{port=\"weft0\",le=\"7\"} 3\n"
			   "weft_search_entries_bucket{port=\"weft0\",le=\"+Inf\"} 3\n"
			   "weft_search_entries_sum{port=\"weft0\"} 3\n"
			   "weft_search_entries_count{port=\"weft0\"} 3\n"
			   "weft_search_entries_bucket{port=\"weft2\",le=\"0\"} 0\n"
			   "weft_search_entries_bucket{port=\"weft2\",le=\"1\"} 0\n"
			   "weft_search_entries_bucket{port=\"weft2\",le=\"3\"} 0\n"
			   "weft_search_entries_bucket{port=\"weft2\",le=\"7\"} 0\n"
			   "weft_search_entries_bucket{port=\"weft2\",le=\"+Inf\"} 0\n"
			   "weft_search_entries_sum{port=\"weft2\"} 0\n"
			   "weft_search_entries_count{port=\"weft2\"} 0\n");
	forget();
	histogram("weft0", "send", "ns", false, 7, 1, 1, 0, 0);
	CHECK(!run(do_stats, "--prometheus", NULL, NULL));
	CHECK(!strstr(caught.text, "weft_send_"));
	forget();
}

static void test_nothing(void)
{
	nla_put_string(object(WEFT_CMD_FLOW_GET, "weft0"), WEFT_ATTR_FLOW_STATE, "open");
	CHECK(!run(do_ep, NULL, NULL, NULL));
	CHECK(!*caught.text && !*caught.said);
	CHECK(!run(do_ep, "show", "weft0", NULL) && !*caught.text);
	check_text(caught.said, "weftctl: ep show weft0: nothing matches\n");
	CHECK(!run(do_flow, "show", "state", "open") && *caught.text && !*caught.said);
	CHECK(!run(do_flow, "show", "state", "closing") && !*caught.text);
	check_text(caught.said, "weftctl: flow show: nothing matches\n");
	CHECK(!run(do_flow, "show", "state", "closign") && !*caught.text);
	check_text(caught.said,
		   "weftctl: flow show: nothing matches; did you mean \"closing\"?\n");
	nla_put_string(object(WEFT_CMD_CQ_GET, "weft0"), WEFT_ATTR_KIND, "queue");
	CHECK(!run(do_cq, "show", "kind", "queue") && *caught.text && !*caught.said);
	CHECK(!run(do_cq, "show", "kind", "quue") && !*caught.text);
	check_text(caught.said, "weftctl: cq show: nothing matches; did you mean \"queue\"?\n");
	CHECK(!run(do_send, "show", "for", "credti") && !*caught.text);
	check_text(caught.said, "weftctl: send show: nothing matches; did you mean \"credit\"?\n");
	CHECK(!run(do_recv, "show", "weft0", NULL) && !*caught.text);
	check_text(caught.said, "weftctl: recv show weft0: nothing matches\n");
	forget();
}

/* Kinds that there are not are refused. */
static void test_kinds(void)
{
	nla_put_string(object(WEFT_CMD_EVENT_GET, "weft0"), WEFT_ATTR_EVENT_WHAT, "link-up");
	CHECK(!run(do_event, "show", "event", "link-up") && *caught.text && !*caught.said);
	CHECK(!run(do_event, "show", "event", "link-down") && !*caught.text);
	check_text(caught.said, "weftctl: event show: nothing matches\n");
	CHECK(run(do_event, "show", "event", "linkdown") == EXIT_USAGE && !*caught.text);
	check_text(caught.said, "weftctl: event: there is no kind of event \"linkdown\", try "
		   "\"weftctl event help\"; did you mean \"link-down\"?\n");
	/* monitor would wait for ever; beginnings of kinds are none */
	CHECK(run(do_event, "show", "peer", NULL) == EXIT_USAGE && !*caught.text);
	check_text(caught.said, "weftctl: event: a value is missing after \"peer\"\n");
	CHECK(run(do_event, "show", "peer", "10.77.0") == EXIT_USAGE && !*caught.text);
	CHECK(strstr(caught.said, "10.77.0"));
	CHECK(run(do_monitor, "count", NULL, NULL) == EXIT_USAGE && *caught.said);
	CHECK(run(do_monitor, "event", "linkdown", NULL) == EXIT_USAGE && *caught.said);
	CHECK(run(do_monitor, "event", "link", NULL) == EXIT_USAGE && *caught.said);
	CHECK(run(do_monitor, "event", "", NULL) == EXIT_USAGE && *caught.said);
	forget();
}

/* An endpoint of a job, and a receive there that waits for a minute */
static void put_waiting(void)
{
	struct nl_msg *msg = object(WEFT_CMD_EP_GET, "weft0");

	put_addr(msg, WEFT_ATTR_EP_ADDR, "10.77.0.1", 7);
	nla_put_string(msg, WEFT_ATTR_JOB_NAME, "lab");
	msg = object(WEFT_CMD_RECV_GET, "weft0");
	put_addr(msg, WEFT_ATTR_EP_ADDR, "10.77.0.1", 7);
	nla_put_u64(msg, WEFT_ATTR_AGE, 60000000000ull);
}

/* The path to a node was given up, or has come up, so many seconds ago. */
static void put_path_event(const char *what, unsigned int s)
{
	struct nl_msg *msg = object(WEFT_CMD_EVENT_GET, "weft0");

	put_addr(msg, WEFT_ATTR_EVENT_PEER, "10.77.0.2", 0);
	nla_put_string(msg, WEFT_ATTR_EVENT_WHAT, what);
	nla_put_string(msg, WEFT_ATTR_EVENT_WHY, "the node was silent");
	nla_put_u64(msg, WEFT_ATTR_EVENT_FIRST, 1);
	nla_put_u64(msg, WEFT_ATTR_EVENT_LAST, (time(NULL) - s) * 1000000000ull);
}

static void test_hang_events(void)
{
	put_waiting();
	put_path_event("path-idle", 1);
	CHECK(!run(do_hang, NULL, NULL, NULL) && !strstr(caught.text, "given up"));
	put_path_event("path-down", 100);
	CHECK(!run(do_hang, NULL, NULL, NULL) && !strstr(caught.text, "given up"));
	put_path_event("path-down", 20);
	CHECK(!run(do_hang, NULL, NULL, NULL) && strstr(caught.text, " has come; node 10.77.0.2 "
							"was given up 2") &&
	      strstr(caught.text, " s ago: the node was silent\n"));
	put_path_event("path-up", 10);
	CHECK(!run(do_hang, NULL, NULL, NULL) && !strstr(caught.text, "given up"));
	forget();
}

static void test_hang(void)
{
	CHECK(!run(do_hang, NULL, NULL, NULL) && !*caught.text);
	check_text(caught.said, "weftctl: hang: nothing has waited for 10 s\n");
	put_waiting();
	CHECK(!run(do_hang, NULL, NULL, NULL) && strstr(caught.text, "since 60 s: no message"));
	CHECK(!run(do_hang, "job", "lab", NULL) && strstr(caught.text, "since 60 s: no message"));
	CHECK(!run(do_hang, "age", "100", NULL) && !*caught.text);
	check_text(caught.said, "weftctl: hang: nothing has waited for 100 s\n");
	CHECK(!run(do_hang, "job", "lbb", NULL) && !*caught.text);
	check_text(caught.said, "weftctl: hang: nothing matches of what has waited for 10 s; did "
		   "you mean \"lab\"?\n");
	CHECK(!run(do_hang, "cause", "crdit", NULL) && !*caught.text);
	check_text(caught.said, "weftctl: hang: nothing matches of what has waited for 10 s; did "
		   "you mean \"credit\"?\n");
	CHECK(!run(do_hang, "pid", "4711", NULL) && !*caught.text);
	check_text(caught.said, "weftctl: hang: nothing matches of what has waited for 10 s\n");
	CHECK(run(do_hang, "weft0", "job", NULL) == EXIT_USAGE);
	check_text(caught.said, "weftctl: hang show: a value is missing after \"job\"\n");
	forget();
}

static const struct test tests[] = {
	{ "names that there are not", test_refused },
	{ "arguments to which the kernel points", test_pointed },
	{ "statistics of endpoints and paths", test_sums },
	{ "details", test_details },
	{ "what a report leaves out", test_hidden },
	{ "filters of endpoints, paths and contexts", test_filters },
	{ "tables", test_tables },
	{ "nothing matches", test_nothing },
	{ "kinds of events", test_kinds },
	{ "what waits, and filters", test_hang },
	{ "what waits, and paths that were given up", test_hang_events },
	{ "probes of a path", test_probe },
	{ "histograms", test_histograms },
	{ "histograms for Prometheus", test_metrics },
};

int main(void)
{
	color_mode("never");
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]), NULL, NULL);
}
