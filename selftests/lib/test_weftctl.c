// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weftctl without a kernel: its command line, files of commands, text and JSON output
 *
 * Built together with args.c, batch.c, apply.c and output.c of lib/weftctl. TAP on stdout.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../lib/weftctl/weftctl.h"
#include "split.h"
#include "tap.h"

/* Parse @line as the arguments of "port add". */
static int add(const char *line, struct port_spec *spec)
{
	char *argv[WORDS];
	int argc = split(line, argv);

	return parse_port_add(argc, argv, spec);
}

/* Parse @line as the arguments of "port set". */
static int set(const char *line, struct port_change *change)
{
	char *argv[WORDS];
	int argc = split(line, argv);

	return parse_port_set(argc, argv, change);
}

static void test_abbreviations(void)
{
	static const struct choice table[] = { { "port", NULL }, { "path", NULL }, { 0 } };

	CHECK(choose(table, "p") == &table[0]);
	CHECK(choose(table, "pa") == &table[1]);
	CHECK(choose(table, "path") == &table[1]);
	CHECK(!choose(table, "paths"));
	CHECK(!choose(table, "x"));
	CHECK(!choose(table, ""));
}

static void test_port_add(void)
{
	struct port_spec spec;
	struct in6_addr in6;

	CHECK(!add("weft0 netdev veth0 addr 10.77.0.1 addr fd77::1 udp 9000", &spec));
	CHECK(!strcmp(spec.name, "weft0") && !strcmp(spec.driver, "netdev"));
	CHECK(!strcmp(spec.netdev, "veth0") && spec.udp == 9000 && spec.naddr == 2);
	CHECK(spec.addr[0].family == AF_INET && !spec.addr[0].port && spec.addr[0].addr[1] == 77);
	inet_pton(AF_INET6, "fd77::1", &in6);
	CHECK(spec.addr[1].family == AF_INET6 && !memcmp(spec.addr[1].addr, &in6, 16));

	CHECK(!add("w l", &spec));
	CHECK(!strcmp(spec.driver, "loop") && !spec.netdev && !spec.udp && !spec.naddr);
	CHECK(!add("w udp 65535 n eth0", &spec));
	CHECK(!strcmp(spec.netdev, "eth0") && spec.udp == 65535);
	CHECK(!add("w netdev lo addr fe80::1%lo", &spec));
	CHECK(spec.addr[0].scope == 1);
}

static void test_port_add_vnet(void)
{
	struct port_spec spec;

	CHECK(!add("weft0 vnet 0000:01:00.0 addr 10.77.0.1/24 addr fd77::1/64 addr 10.0.0.1 "
		   "gw 10.77.0.254 gw fd77::2 vlan 7 mtu 9000 queues 4", &spec));
	CHECK(!strcmp(spec.driver, "vnet") && !strcmp(spec.device, "0000:01:00.0"));
	CHECK(!spec.netdev && spec.naddr == 3 && spec.prefix[0] == 24 && spec.prefix[1] == 64);
	CHECK(!spec.prefix[2] && spec.ngw == 2 && spec.gw[0].addr[3] == 254);
	CHECK(spec.gw[1].family == AF_INET6 && spec.gw[1].addr[15] == 2);
	CHECK(spec.vlan == 7 && spec.mtu == 9000 && spec.queues == 4);
	CHECK(!add("w v virtio3 a 10.0.0.1/32", &spec));
	CHECK(!strcmp(spec.device, "virtio3") && spec.prefix[0] == 32 && !spec.vlan && !spec.mtu);
}

static void test_port_add_wrong(void)
{
	static const char *const wrong[] = {
		"", "w", "a-name-that-is-too-long loop", "w netdev", "w netdev eth0 loop",
		"w loop loop", "w netdev a-name-that-is-too-long", "w loop addr",
		"w loop addr 10.0.0", "w loop addr 10.0.0.1/33", "w loop addr fe80::1%nosuch",
		"w loop addr 10.0.0.1%lo", "w loop udp", "w loop udp 0", "w loop udp 65536",
		"w loop udp -1", "w loop udp 7x", "w loop udp 7 udp 8", "w loop else",
		"w vnet", "w vnet a-name-that-is-too-long", "w vnet virtio0 loop",
		"w vnet virtio0 addr fd77::1/129", "w vnet virtio0 addr 10.0.0.1/",
		"w vnet virtio0 addr /24", "w vnet virtio0 addr 10.0.0.1/0",
		"w vnet virtio0 gw", "w vnet virtio0 gw 10.0.0.1/24",
		"w vnet virtio0 gw 10.0.0.1 gw fd77::1 gw 10.0.0.2", "w vnet virtio0 vlan 0",
		"w vnet virtio0 vlan 4095", "w vnet virtio0 mtu 1279", "w vnet virtio0 mtu 65536",
		"w vnet virtio0 queues 0", "w vnet virtio0 queues 1 queues 2",
		"w loop addr 1.1.1.1 addr 1.1.1.2 addr 1.1.1.3 addr 1.1.1.4 addr 1.1.1.5",
	};
	struct port_spec spec;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (add(wrong[i], &spec) != -1) {
			fprintf(tap_to, "# taken: %s\n", wrong[i]);
			test_ok = 0;
		}
	}
}

static void test_job(void)
{
	static const char *const wrong[] = {
		"", "01234567890123456789012345678901", "j key", "j key a key b", "j user", "j group",
		"j user nobody-of-that-name", "j group nobody-of-that-name", "j user -1",
		"j user 4294967295", "j port", "j port a-name-that-is-too-long", "j port a port b",
		"j user 1 all", "j all group 1", "j other",
	};
	char line[1024] = "j";
	struct job_change change;
	char *argv[2 * JOB_WHO_MAX + WORDS];
	char buf[sizeof(line)];
	int argc, i;

	strcpy(buf, "lab key - user root user 7 group root group 8 port weft0");
	for (argc = 0; argc < WORDS; argc++) {
		argv[argc] = strtok(argc ? NULL : buf, " ");
		if (!argv[argc])
			break;
	}
	CHECK(!parse_job("add", argc, argv, &change));
	CHECK(!strcmp(change.name, "lab") && !strcmp(change.key, "-"));
	CHECK(change.nuid == 2 && !change.uid[0] && change.uid[1] == 7);
	CHECK(change.ngid == 2 && !change.gid[0] && change.gid[1] == 8);
	CHECK(!strcmp(change.port, "weft0") && !change.all);
	strcpy(buf, "lab a");
	argv[0] = strtok(buf, " ");
	argv[1] = strtok(NULL, " ");
	CHECK(!parse_job("set", 2, argv, &change) && change.all && !change.key && !change.port);
	for (i = 0; i < (int)(sizeof(wrong) / sizeof(wrong[0])); i++) {
		argc = split(wrong[i], argv);
		if (parse_job("add", argc, argv, &change) != -1) {
			fprintf(tap_to, "# taken: %s\n", wrong[i]);
			test_ok = 0;
		}
	}
	/* the largest number, and one more */
	for (i = 0; i <= JOB_WHO_MAX; i++)
		strcat(line, " user 5");
	argv[0] = strtok(line, " ");
	for (argc = 1; (argv[argc] = strtok(NULL, " ")); argc++)
		;
	CHECK(!parse_job("add", argc - 2, argv, &change) && change.nuid == JOB_WHO_MAX);
	CHECK(parse_job("add", argc, argv, &change) == -1);
}

static void test_port_del(void)
{
	static const char *const wrong[] = {
		"", "a-name-that-is-too-long", "w forced", "w now", "w force force", "w force now",
	};
	char *argv[WORDS];
	bool force;
	size_t i;
	int argc;

	argc = split("weft0", argv);
	CHECK(!parse_port_del(argc, argv, &force) && !force && !strcmp(argv[0], "weft0"));
	argc = split("weft0 force", argv);
	CHECK(!parse_port_del(argc, argv, &force) && force);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		argc = split(wrong[i], argv);
		if (parse_port_del(argc, argv, &force) != -1) {
			fprintf(tap_to, "# taken: %s\n", wrong[i]);
			test_ok = 0;
		}
	}
}

static void test_port_flush(void)
{
	char *argv[WORDS];
	int argc;
	bool force;

	CHECK(!parse_port_flush(0, argv, &force) && !force);
	argc = split("force", argv);
	CHECK(!parse_port_flush(argc, argv, &force) && force);
	argc = split("weft0", argv);
	CHECK(parse_port_flush(argc, argv, &force) == -1);
	argc = split("force force", argv);
	CHECK(parse_port_flush(argc, argv, &force) == -1);
}

static void test_port_set(void)
{
	static const char *const wrong[] = {
		"", "w", "a-name-that-is-too-long engine poll", "w engine", "w engine fast",
		"w engine poll engine poll", "w cpu", "w cpu x", "w cpu -1", "w cpu 1 cpu 2",
		"w cpu any cpu any", "w idle-us 0", "w idle-us 10000001", "w idle-us 5 idle-us 5",
		"w idle-us 1s", "w other 5", "w engine poll 3", "w priorities", "w priorities maybe",
		"w priorities on priorities off", "w bypass", "w bypass maybe",
		"w bypass on bypass off", "w doorbell", "w doorbell bell",
		"w doorbell lseek doorbell ioctl", "w rma-users", "w rma-users all",
		"w rma-users any rma-users any", "w histograms", "w histograms yes",
	};
	struct port_change change;
	size_t i;

	CHECK(!set("weft0 engine poll cpu 3 idle-us 250", &change));
	CHECK(!strcmp(change.name, "weft0") && !strcmp(change.engine, "poll"));
	CHECK(change.has_cpu && change.cpu == 3 && change.idle_us == 250);
	CHECK(!set("w e i", &change));
	CHECK(!strcmp(change.engine, "inline") && !change.has_cpu && !change.idle_us);
	CHECK(!set("w engine a", &change) && !strcmp(change.engine, "auto"));
	CHECK(!set("w cpu any", &change));
	CHECK(!change.engine && change.has_cpu && change.cpu == UINT32_MAX);
	CHECK(!set("w idle-us 10000000 cpu 0", &change));
	CHECK(change.idle_us == 10000000 && change.has_cpu && !change.cpu && !change.priorities);
	CHECK(!set("w priorities off", &change) && !strcmp(change.priorities, "off"));
	CHECK(!set("w doorbell ioctl", &change) && !strcmp(change.doorbell, "ioctl"));
	CHECK(!set("w rma-users any", &change) && !strcmp(change.rma_users, "any"));
	CHECK(!set("w histograms on", &change) && !strcmp(change.histograms, "on"));
	CHECK(!set("w bypass auto", &change) && !strcmp(change.bypass, "auto"));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (set(wrong[i], &change) != -1) {
			fprintf(tap_to, "# taken: %s\n", wrong[i]);
			test_ok = 0;
		}
	}
}

static void test_limit_set(void)
{
	static const struct {
		const char *line;
		uint64_t value;
	} good[] = {
		{ "weft0 paths 100", 100 }, { "weft0 paths 0", 0 }, { "weft0 u 64K", 65536 },
		{ "weft0 u 16M", 16 << 20 }, { "w u 3G", 3ull << 30 },
		{ "w u 18446744073709551615", UINT64_MAX },
		{ "w u 17179869183G", UINT64_MAX << 30 },
	};
	static const char *const wrong[] = {
		"", "w", "w paths", "w paths 1 2", "a-name-that-is-too-long paths 1", "w paths x",
		"w paths -1", "w paths 1k", "w paths 1KK", "w paths K", "w paths 1.5",
		"w paths 18446744073709551616", "w paths 17179869184G",
		"w a-name-that-is-far-too-long-for-a-limit 1",
	};
	struct limit_change change;
	char *argv[WORDS];
	size_t i;
	int argc;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		argc = split(good[i].line, argv);
		CHECK(!parse_limit_set(argc, argv, &change) && change.value == good[i].value);
	}
	argc = split(good[0].line, argv);
	CHECK(!parse_limit_set(argc, argv, &change));
	CHECK(!strcmp(change.port, "weft0") && !strcmp(change.name, "paths"));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		argc = split(wrong[i], argv);
		if (parse_limit_set(argc, argv, &change) != -1) {
			fprintf(tap_to, "# taken: %s\n", wrong[i]);
			test_ok = 0;
		}
	}
}

static void test_end(void)
{
	static const char *const wrong[] = { "10.77.0.1", "10.77.0.1:0", "10.77.0.1:65536",
					     "10.77.0.1:", ":7", "fd77::1:7", "[fd77::1]", "[]:7",
					     "[fd77::1:7", "10.77.0.1:7x", "weft0:7" };
	char *argv[WORDS];
	struct end end;
	unsigned int i;
	int argc = split("weft0 fd77::1 f", argv);

	CHECK(!parse_end("path del", false, argc, argv, &end) && end.force &&
	      !strcmp(end.port, "weft0"));
	CHECK(end.addr.family == AF_INET6 && end.addr.addr[0] == 0xfd && end.addr.addr[15] == 1);
	argc = split("weft1 10.77.0.2", argv);
	CHECK(!parse_end("path del", false, argc, argv, &end) && !end.force && !end.addr.port);
	CHECK(end.addr.family == AF_INET && end.addr.addr[3] == 2);
	argc = split("weft1 10.77.0.2:7 force", argv);
	CHECK(!parse_end("ep kill", true, argc, argv, &end) && end.force);
	CHECK(end.addr.family == AF_INET && end.addr.addr[3] == 2 && ntohs(end.addr.port) == 7);
	argc = split("weft1 [fd77::1]:65535", argv);
	CHECK(!parse_end("ep kill", true, argc, argv, &end) && !end.force);
	CHECK(end.addr.family == AF_INET6 && end.addr.addr[15] == 1 &&
	      ntohs(end.addr.port) == 65535);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		argc = split("weft1 address", argv);
		argv[1] = (char *)(uintptr_t)wrong[i];
		CHECK(parse_end("ep kill", true, argc, argv, &end) == -1);
	}
}

static void test_path_probe(void)
{
	static const char * const wrong[] = {
		"weft0", "weft0 10.77", "weft0 10.77.0.2 count", "weft0 10.77.0.2 count 0",
		"weft0 10.77.0.2 count 65536", "weft0 10.77.0.2 interval 0.5",
		"weft0 10.77.0.2 interval 60001", "weft0 10.77.0.2 size 59",
		"weft0 10.77.0.2 size 65001", "weft0 10.77.0.2 size 64 size 64",
		"weft0 10.77.0.2 force", "",
	};
	struct path_probe probe;
	char *argv[WORDS];
	unsigned int i;
	int argc = split("weft0 fd77::1 s 1400 i 1 c 65535", argv);

	CHECK(!parse_path_probe(argc, argv, &probe) && !strcmp(probe.port, "weft0"));
	CHECK(probe.size == 1400 && probe.interval == 1 && probe.count == 65535);
	CHECK(probe.addr.family == AF_INET6 && probe.addr.addr[15] == 1);
	argc = split("weft0 10.77.0.2", argv);
	CHECK(!parse_path_probe(argc, argv, &probe) && probe.addr.family == AF_INET);
	CHECK(probe.size == 64 && probe.interval == 10 && probe.count == 100);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		argc = split(wrong[i], argv);
		if (parse_path_probe(argc, argv, &probe) != -1) {
			fprintf(tap_to, "# taken: %s\n", wrong[i]);
			test_ok = 0;
		}
	}
}

static void test_filter(void)
{
	char port[] = "port", weft0[] = "weft0", other[] = "other";
	const char *name;

	CHECK(!parse_filter(0, NULL, &name) && !name);
	CHECK(!parse_filter(1, (char *[]) { weft0 }, &name) && name == weft0);
	CHECK(!parse_filter(2, (char *[]) { port, port }, &name) && name == port);
	/* a word without its value */
	CHECK(parse_filter(1, (char *[]) { port }, &name) == -1);
	CHECK(!parse_filter(2, (char *[]) { port, weft0 }, &name) && name == weft0);
	CHECK(parse_filter(2, (char *[]) { weft0, other }, &name) == -1);
	CHECK(parse_filter(3, (char *[]) { port, weft0, other }, &name) == -1);
}

static const struct wait_words recv_words = { "recv", "from", NULL, HAS_EP | HAS_AGE | HAS_TAG };
static const struct wait_words flow_words = { "flow", "peer", "state", HAS_EP | HAS_AGE };

/* Parse @line behind "recv": the word show, and the arguments. Return: of parse_waits(), 1: help */
static int waits_of(const struct wait_words *w, const char *line, struct wait_filter *filter)
{
	char *words[WORDS], **argv = words;
	int argc = split(line, argv), ret = parse_show(w->object, &argc, &argv);

	return ret ? ret : parse_waits(w, argc, argv, filter);
}

static int waits(const char *line, struct wait_filter *filter)
{
	return waits_of(&recv_words, line, filter);
}

static void test_waits(void)
{
	static const char *const wrong[] = {
		"add", "show pid", "show pid 0", "show pid x", "show weft0 weft1", "show tag",
		"show tag x", "show tag -1", "show age -1", "show weft0 pid 1 else 2",
		"show a-name-that-is-too-long", "show tag 0x10000000000000000", "show port",
		"show from", "show weft0 ep", "show from 10.77", "show from 10.77.0.256",
		"show from weft0", "show ep 10.77.0.1:", "show ep 10.77.0.1:0",
		"show ep 10.77.0.1:65536", "show ep [fd77::1", "show ep [fd77::1]7",
		"show ep [fd77::1]:x", "show from fd77:::1", "show from fe80::1%nosuch",
		"show from 10.0.0.1%lo", "show ep :7", "show ep []:7",
	};
	struct wait_filter f;
	size_t i;

	CHECK(!waits("", &f) && !f.port && !f.any && !f.pid && !f.has_tag && !f.age_ms);
	CHECK(!waits("s weft0", &f) && !strcmp(f.port, "weft0") && !f.any);
	CHECK(!waits("show port tag", &f) && !strcmp(f.port, "tag") && !f.has_tag);
	CHECK(!waits("show tag 0x2a", &f) && f.has_tag && f.tag == 42 && f.any && !f.port);
	CHECK(!waits("list weft0 pid 7 ep 10.77.0.1:9 from fd77::1 tag 18446744073709551615 age 3",
		     &f));
	CHECK(f.pid == 7 && !strcmp(f.ep, "10.77.0.1:9") && !strcmp(f.peer, "fd77::1"));
	CHECK(f.tag == UINT64_MAX && f.age_ms == 3000);
	CHECK(!waits("show port port", &f) && !strcmp(f.port, "port"));
	CHECK(!waits("show from ? ep [FD77::1]", &f) && !strcmp(f.peer, "?"));
	CHECK(!waits("show from fe80::1%lo ep [fe80::1%7]:9", &f));
	CHECK(!waits_of(&flow_words, "show weft1 peer 10.77.0.2 state open", &f) && !f.has_tag);
	CHECK(!strcmp(f.state, "open") && !strcmp(f.peer, "10.77.0.2") && f.any);
	CHECK(waits_of(&flow_words, "show weft1 tag 7", &f) == -1);
	CHECK(waits("show weft0 state open", &f) == -1);
	CHECK(waits("help", &f) == 1 && waits("show help", &f) == 1);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (waits(wrong[i], &f) != -1) {
			fprintf(tap_to, "# taken: %s\n", wrong[i]);
			test_ok = 0;
		}
	}
}

/* An address fits a text, whatever the form of both. */
static void test_addresses(void)
{
	struct weft_sockaddr a4 = { .family = AF_INET, .port = htons(7), .addr = { 10, 77, 0, 1 } };
	struct weft_sockaddr a6 = { .family = AF_INET6, .port = htons(7) };
	struct weft_sockaddr near = { .family = AF_INET6, .scope = 1 }, none = { 0 };

	inet_pton(AF_INET6, "fd77::1", a6.addr);
	inet_pton(AF_INET6, "fe80::1", near.addr);
	CHECK(addr_is(&a4, "10.77.0.1") && addr_is(&a4, "10.77.0.1:7"));
	CHECK(!addr_is(&a4, "10.77.0.1:8") && !addr_is(&a4, "10.77.0.2"));
	CHECK(!addr_is(&a4, "fd77::1") && !addr_is(&a4, "10.77") && !addr_is(&a4, "?"));
	CHECK(addr_is(&a6, "fd77::1") && addr_is(&a6, "FD77::1") && addr_is(&a6, "fd77:0::1"));
	CHECK(addr_is(&a6, "[fd77::1]") && addr_is(&a6, "[fd77:0:0::1]:7"));
	CHECK(!addr_is(&a6, "[fd77::1]:8") && !addr_is(&a6, "fd77::2"));
	CHECK(addr_is(&near, "fe80::1%lo") && addr_is(&near, "fe80::1%1"));
	CHECK(addr_is(&near, "fe80::1") && !addr_is(&near, "fe80::1%2"));
	CHECK(addr_is(&none, "?") && !addr_is(&none, "0.0.0.0"));
}

/* Write two objects in the chosen mode. Return: the text, to be freed */
static char *print(bool json, bool pretty)
{
	struct weft_sockaddr a4 = { .family = AF_INET, .addr = { 10, 77, 0, 1 } };
	struct weft_sockaddr a6 = { .family = AF_INET6, .port = htons(7), .addr = { 0xfd, 0x77 } };
	size_t len;
	char *buf;

	fflush(stdout);
	stdout = open_memstream(&buf, &len);
	out_mode(json, pretty);
	out_begin();
	out_open();
	out_str("name", OUT_LEAD, "weft0");
	out_str("driver", OUT_BARE, "loop");
	out_list_open("addr");
	out_addr("addr", OUT_KEY, &a4);
	out_addr("addr", OUT_KEY, &a6);
	out_list_close();
	out_mac("mac", OUT_KEY, (const uint8_t[]) { 0x52, 0x54, 0, 0xab, 1, 0xff });
	out_uint("pinned", OUT_KEY, UINT64_MAX);
	out_close();
	out_open();
	out_str("comm", OUT_KEY, "a\"\\\n\xff");
	out_list_open("addr");
	out_list_close();
	out_close();
	out_end();
	fclose(stdout);
	stdout = tap_to;
	return buf;
}

static void test_output(void)
{
	char *text = print(false, false);
	char *json = print(true, false);
	char *lines = print(true, true);

	CHECK(!strcmp(text, "weft0: loop addr 10.77.0.1 addr [fd77::]:7 "
			    "mac 52:54:00:ab:01:ff pinned 18446744073709551615\ncomm a\"\\??\n"));
	CHECK(!strcmp(json, "[{\"name\":\"weft0\",\"driver\":\"loop\","
			    "\"addr\":[\"10.77.0.1\",\"[fd77::]:7\"],"
			    "\"mac\":\"52:54:00:ab:01:ff\",\"pinned\":18446744073709551615},"
			    "{\"comm\":\"a\\\"\\\\\\u000a\\u00ff\",\"addr\":[]}]\n"));
	CHECK(!strncmp(lines, "[\n    {\n        \"name\": \"weft0\",\n", 33));
	CHECK(strstr(lines, "\"addr\": []\n    }\n]\n"));
	free(text);
	free(json);
	free(lines);
}

/* Commands of a file that ran: words joined by '.', commands by ';' */
static char ran[512];

/* A command: "fail N" fails with N */
static int note(int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		strcat(ran, argv[i]);
		strcat(ran, i + 1 < argc ? "." : ";");
	}
	return argc == 2 && !strcmp(argv[0], "fail") ? atoi(argv[1]) : 0;
}

/* Run @text as a file. Return: exit status */
static int batch(const char *text, bool force)
{
	char name[] = "/tmp/weftctl-XXXXXX";
	int fd = mkstemp(name), status;
	size_t len = strlen(text);

	CHECK(fd >= 0 && write(fd, text, len) == (ssize_t)len);
	close(fd);
	ran[0] = 0;
	status = run_batch(name, force, note);
	unlink(name);
	return status;
}

static void test_batch(void)
{
	static char many[2 * 65 + 1];

	CHECK(!batch("", false) && !*ran);
	CHECK(!batch("a b\n\n  # nothing\n\tc  d # e\nlast", false));
	CHECK(!strcmp(ran, "a.b;c.d;last;"));
	CHECK(!batch("a \\\nb\\\t\n c\nd\n", false) && !strcmp(ran, "a.b.c;d;"));
	CHECK(batch("a\nfail 2\nb\n", false) == 2 && !strcmp(ran, "a;fail.2;"));
	CHECK(batch("fail 2\nfail 1\nb\n", true) == 2 && !strcmp(ran, "fail.2;fail.1;b;"));
	CHECK(!batch("end \\", false) && !strcmp(ran, "end;"));
	memset(many, 'x', sizeof(many) - 1);
	for (size_t i = 1; i < sizeof(many) - 1; i += 2)
		many[i] = ' ';
	CHECK(batch(many, false) == EXIT_USAGE && !*ran);
	CHECK(run_batch("/nonesuch", true, note) == EXIT_USAGE);
	CHECK(run_batch("/", true, note) == EXIT_USAGE);
}

/* Write @text to the file @name. */
static void write_text(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

/* Apply @text over the state of the last call. Return: exit status */
static int apply(const char *state, const char *text, bool force)
{
	static const char name[] = "/tmp/weftctl-apply";
	int status;

	write_text(name, text);
	ran[0] = 0;
	status = apply_batch(name, state, force, note);
	unlink(name);
	return status;
}

/* Is the content of the file @name @text? */
static bool has_text(const char *name, const char *text)
{
	char got[512];
	FILE *f = fopen(name, "r");
	size_t n = f ? fread(got, 1, sizeof(got) - 1, f) : 0;

	got[n] = 0;
	if (f)
		fclose(f);
	return f && !strcmp(got, text);
}

#define PORT_A	"port add a netdev eth0\n"
#define PORT_B	"port add b netdev eth1\n"
#define LIMIT_A	"limit set a paths 10\n"
#define JOB	"job add lab key F\n"

static void test_apply(void)
{
	char state[] = "/tmp/weftctl-XXXXXX";
	int fd = mkstemp(state);

	CHECK(fd >= 0);
	close(fd);
	unlink(state);
	/* without a state all is executed, and nothing the second time */
	CHECK(!apply(state, "# x\n" PORT_A LIMIT_A JOB, true));
	CHECK(!strcmp(ran, "port.add.a.netdev.eth0;limit.set.a.paths.10;job.add.lab.key.F;"));
	CHECK(has_text(state, PORT_A LIMIT_A JOB));
	CHECK(!apply(state, PORT_A "\n" LIMIT_A "# y\n" JOB, true) && !*ran);
	/* a job of all ports is created on a new one, too */
	CHECK(!apply(state, PORT_A PORT_B LIMIT_A JOB, true));
	CHECK(!strcmp(ran, "port.add.b.netdev.eth1;job.add.lab.key.F.port.b;"));
	/* a changed setting is set, a port that is gone is deleted */
	CHECK(!apply(state, PORT_A "limit set a paths 11\n" JOB, true));
	CHECK(!strcmp(ran, "port.del.b;limit.set.a.paths.11;"));
	CHECK(has_text(state, PORT_A "limit set a paths 11\n" JOB));
	/* a changed port is made anew, with all that belongs to it */
	CHECK(!apply(state, "port add a netdev eth2\nlimit set a paths 11\n" JOB, true));
	CHECK(!strcmp(ran, "port.del.a;port.add.a.netdev.eth2;limit.set.a.paths.11;"
			   "job.add.lab.key.F.port.a;"));
	/* a setting cannot be taken back: it stays in the state */
	CHECK(apply(state, "port add a netdev eth2\n" JOB, true) == EXIT_USAGE && !*ran);
	CHECK(has_text(state, "port add a netdev eth2\n" JOB "limit set a paths 11\n"));
	/* a job of one port */
	CHECK(!apply(state, "p a a netdev eth2\nlimit set a paths 11\nj a x key G port a\n", true));
	CHECK(strstr(ran, "port.del.a;") && strstr(ran, "job.del.lab;"));
	CHECK(!apply(state, "p a a netdev eth2\nlimit set a paths 11\n", true));
	CHECK(!strcmp(ran, "j.del.x.port.a;"));
	/* what fails is tried again the next time */
	write_text(state, "");
	CHECK(apply(state, "fail 2\n" PORT_A, true) == 2);
	CHECK(!strcmp(ran, "fail.2;port.add.a.netdev.eth0;"));
	CHECK(has_text(state, PORT_A));
	CHECK(apply(state, "fail 2\n" PORT_A PORT_B, false) == 2 && !strcmp(ran, "fail.2;"));
	CHECK(has_text(state, PORT_A));
	/* a file that cannot be read changes nothing */
	CHECK(apply_batch("/nonesuch", state, true, note) == EXIT_USAGE);
	CHECK(has_text(state, PORT_A));
	unlink(state);
}

static const struct test tests[] = {
	{ "abbreviations", test_abbreviations },
	{ "port add", test_port_add },
	{ "port add of a device that is taken over", test_port_add_vnet },
	{ "port add with mistakes", test_port_add_wrong },
	{ "port del", test_port_del },
	{ "port flush", test_port_flush },
	{ "port set", test_port_set },
	{ "limit set", test_limit_set },
	{ "jobs", test_job },
	{ "path del, ep kill", test_end },
	{ "path probe", test_path_probe },
	{ "show's filter", test_filter },
	{ "filters of what waits", test_waits },
	{ "addresses in filters", test_addresses },
	{ "commands from a file", test_batch },
	{ "a changed file", test_apply },
	{ "text and JSON", test_output },
};

int main(void)
{
	/* error messages are expected here, and not shown */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]), NULL, NULL);
}
