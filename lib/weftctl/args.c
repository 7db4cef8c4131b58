// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parsing of the command line: abbreviations, names, addresses, numbers.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <net/if.h>
#include <pwd.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weftctl.h"

void complain(const char *fmt, ...)
{
	va_list ap;

	fputs("weftctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

bool matches(const char *arg, const char *word)
{
	size_t len = strlen(arg);

	return len && !strncmp(arg, word, len);
}

bool asks_help(const char *arg, bool whole)
{
	return !strcmp(arg, "-h") || !strcmp(arg, "--help") ||
	       (whole ? !strcmp(arg, "help") : matches(arg, "help"));
}

const struct choice *choose(const struct choice *table, const char *arg)
{
	for (; table->word; table++)
		if (matches(arg, table->word))
			return table;
	return NULL;
}

int parse_port_name(const char *arg)
{
	size_t len = strlen(arg);

	if (!len || len >= WEFT_NAME_MAX) {
		complain("\"%s\" is no port name: it must have 1 to %d characters", arg,
			 WEFT_NAME_MAX - 1);
		return -1;
	}
	return 0;
}

/* Return: 0, -1: not a number in this range (no message printed) */
static int parse_number(const char *arg, unsigned long min, unsigned long max, unsigned long *val)
{
	char *end;

	errno = 0;
	*val = strtoul(arg, &end, 10);
	return errno || *end || arg[0] < '0' || arg[0] > '9' || *val < min || *val > max ? -1 : 0;
}

/* Why a text is no address of a node */
enum addr_fault { ADDR_GOOD, ADDR_WRONG, ADDR_NO_DEVICE };

/* Read 10.77.0.1, fd77::1, fe80::1%eth0, fe80::1%3 */
static enum addr_fault read_node(const char *arg, struct weft_sockaddr *addr)
{
	char host[INET6_ADDRSTRLEN + 1];
	const char *scope = strchr(arg, '%');
	size_t len = scope ? (size_t)(scope - arg) : strlen(arg);
	unsigned long index;

	memset(addr, 0, sizeof(*addr));
	if (len >= sizeof(host))
		return ADDR_WRONG;
	memcpy(host, arg, len);
	host[len] = 0;
	if (!scope && inet_pton(AF_INET, host, addr->addr) == 1)
		addr->family = AF_INET;
	else if (inet_pton(AF_INET6, host, addr->addr) == 1)
		addr->family = AF_INET6;
	else
		return ADDR_WRONG;
	if (!scope)
		return ADDR_GOOD;
	addr->scope = if_nametoindex(scope + 1);
	/* of a device that has gone the number is shown */
	if (!addr->scope && !parse_number(scope + 1, 1, UINT32_MAX, &index))
		addr->scope = (uint32_t)index;
	return addr->scope ? ADDR_GOOD : ADDR_NO_DEVICE;
}

static int parse_addr(const char *arg, struct weft_sockaddr *addr)
{
	enum addr_fault fault = read_node(arg, addr);

	if (fault == ADDR_WRONG)
		complain("\"%s\" is no IPv4 or IPv6 address", arg);
	else if (fault == ADDR_NO_DEVICE)
		complain("addr %s: there is no network device \"%s\"", arg, strchr(arg, '%') + 1);
	return fault ? -1 : 0;
}

/*
 * Take an address apart: copy the node's to @host, and set *@service to the service, or to 0 if it
 * has none. IPv6 addresses with a service have brackets. Return: false: it has another form
 */
static bool split_addr(const char *arg, char host[ADDR_TEXT], unsigned long *service)
{
	const char *end = arg + strcspn(arg, ":"), *from = arg;

	if (arg[0] == '[') {
		from++;
		end = strchr(arg, ']');
		if (!end || (end[1] && end[1] != ':'))
			return false;
	} else if (*end && strchr(end + 1, ':')) {
		/* IPv6 without a service */
		end += strlen(end);
	}
	if (end - from >= ADDR_TEXT)
		return false;
	snprintf(host, ADDR_TEXT, "%.*s", (int)(end - from), from);
	end += *end == ']';
	*service = 0;
	return !*end || !parse_number(end + 1, 1, 65535, service);
}

bool addr_is(const struct weft_sockaddr *addr, const char *text)
{
	struct weft_sockaddr want;
	unsigned long service;
	char host[ADDR_TEXT];

	/* the kernel does not know it any more */
	if (!strcmp(text, "?"))
		return addr->family != AF_INET && addr->family != AF_INET6;
	if (!split_addr(text, host, &service) || read_node(host, &want))
		return false;
	return addr->family == want.family && (!want.scope || addr->scope == want.scope) &&
	       !memcmp(addr->addr, want.addr, want.family == AF_INET ? 4 : sizeof(want.addr)) &&
	       (!service || addr->port == htons((uint16_t)service));
}

/* Return: a number in this range, whose minimum is above 0; 0: message printed */
static uint32_t parse_count(const char *what, const char *arg, uint32_t min, uint32_t max)
{
	unsigned long val;

	if (!parse_number(arg, min, max, &val))
		return val;
	complain("\"%s\" is no %s: it must be a number from %u to %u", arg, what, min, max);
	return 0;
}

/* ADDRESS[/LENGTH] */
static int parse_prefixed(const char *arg, struct weft_sockaddr *addr, uint8_t *prefix)
{
	char host[INET6_ADDRSTRLEN + 32];
	const char *slash = strchr(arg, '/');

	if (!slash)
		return parse_addr(arg, addr);
	snprintf(host, sizeof(host), "%.*s", (int)(slash - arg), arg);
	if (parse_addr(host, addr))
		return -1;
	*prefix = parse_count("prefix length", slash + 1, 1,
			      addr->family == AF_INET ? 32 : 128);
	return *prefix ? 0 : -1;
}

static int parse_netdev(const char *arg, struct port_spec *spec)
{
	if (!*arg || strlen(arg) >= WEFT_NAME_MAX) {
		complain("\"%s\" is no name of a network device", arg);
		return -1;
	}
	spec->netdev = arg;
	return 0;
}

static int parse_device(const char *arg, struct port_spec *spec)
{
	if (!*arg || strlen(arg) >= WEFT_NAME_MAX) {
		complain("\"%s\" is no PCI address and no name of a virtio device", arg);
		return -1;
	}
	spec->device = arg;
	return 0;
}

/* KEYWORD VALUE; allowed only once if @again is false */
static const char *value_of(const char *keyword, bool again, int argc, char **argv)
{
	if (again) {
		complain("%s is given twice", keyword);
		return NULL;
	}
	if (argc < 2) {
		complain("%s needs a value", keyword);
		return NULL;
	}
	return argv[1];
}

/* Parse a driver and its device. Return: number of words, 0: no driver, -1: message printed */
static int parse_driver(int argc, char **argv, struct port_spec *spec)
{
	static const char * const drivers[] = { "loop", "netdev", "vnet" };
	const char *val;
	size_t i;

	for (i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (matches(argv[0], drivers[i]))
			break;
	if (i == sizeof(drivers) / sizeof(drivers[0]))
		return 0;
	if (spec->driver) {
		complain("a port has one driver: \"%s\" comes after \"%s\"", argv[0], spec->driver);
		return -1;
	}
	spec->driver = drivers[i];
	if (!i)
		return 1;
	val = value_of(drivers[i], false, argc, argv);
	if (!val || (i == 1 ? parse_netdev(val, spec) : parse_device(val, spec)))
		return -1;
	return 2;
}

static int parse_port_address(int argc, char **argv, struct port_spec *spec)
{
	const char *val = value_of("addr", false, argc, argv);
	unsigned int i = spec->naddr;

	if (!val)
		return -1;
	if (i == PORT_ADDR_MAX) {
		complain("a port has at most %d addresses", PORT_ADDR_MAX);
		return -1;
	}
	spec->naddr++;
	return parse_prefixed(val, &spec->addr[i], &spec->prefix[i]) ? -1 : 2;
}

static int parse_gateway(int argc, char **argv, struct port_spec *spec)
{
	const char *val = value_of("gw", spec->ngw == 2, argc, argv);

	return val && !parse_addr(val, &spec->gw[spec->ngw++]) ? 2 : -1;
}

/* Parse an option of "port add" at @argv. Return: number of words, -1: message printed */
static int parse_port_option(int argc, char **argv, struct port_spec *spec)
{
	const char *val;
	int n = parse_driver(argc, argv, spec);

	if (n)
		return n;
	if (matches(argv[0], "address"))
		return parse_port_address(argc, argv, spec);
	if (matches(argv[0], "udp")) {
		val = value_of("udp", spec->udp, argc, argv);
		spec->udp = val ? parse_count("UDP port", val, 1, UINT16_MAX) : 0;
		return spec->udp ? 2 : -1;
	}
	if (matches(argv[0], "gw") || !strcmp(argv[0], "gateway"))
		return parse_gateway(argc, argv, spec);
	if (matches(argv[0], "vlan")) {
		val = value_of("vlan", spec->vlan, argc, argv);
		spec->vlan = val ? parse_count("VLAN", val, 1, 4094) : 0;
		return spec->vlan ? 2 : -1;
	}
	if (matches(argv[0], "mtu")) {
		val = value_of("mtu", spec->mtu, argc, argv);
		spec->mtu = val ? parse_count("MTU", val, 1280, UINT16_MAX) : 0;
		return spec->mtu ? 2 : -1;
	}
	if (matches(argv[0], "queues")) {
		val = value_of("queues", spec->queues, argc, argv);
		spec->queues = val ? parse_count("number of queues", val, 1, UINT16_MAX) : 0;
		return spec->queues ? 2 : -1;
	}
	complain("\"%s\" is not known here, try \"weftctl port add help\"%s", argv[0],
		 guess_of(argv[0], "loop netdev vnet addr udp gw vlan mtu queues"));
	return -1;
}

int parse_port_add(int argc, char **argv, struct port_spec *spec)
{
	int n;

	memset(spec, 0, sizeof(*spec));
	if (argc < 1) {
		complain("port add needs a name, try \"weftctl port add help\"");
		return -1;
	}
	if (parse_port_name(argv[0]))
		return -1;
	spec->name = argv[0];

	for (argc--, argv++; argc; argc -= n, argv += n) {
		n = parse_port_option(argc, argv, spec);
		if (n < 0)
			return -1;
	}
	if (!spec->driver) {
		complain("port add %s: which driver? loop, netdev DEV, or vnet DEVICE", spec->name);
		return -1;
	}
	return 0;
}

/* [force] behind a command and its arguments, @what. Return: 0, -1: message printed */
static int parse_force(const char *what, int argc, char **argv, bool *force)
{
	*force = argc == 1 && matches(argv[0], "force");
	if (!argc || *force)
		return 0;
	complain("%s: \"%s\" is too much: force is what can be given%s", what, argv[argc - 1],
		 guess_of(argv[argc - 1], "force"));
	return -1;
}

int parse_port_del(int argc, char **argv, bool *force)
{
	char what[128];

	if (argc < 1) {
		complain("port del needs a name, try \"weftctl port del help\"");
		return -1;
	}
	snprintf(what, sizeof(what), "port del %s", argv[0]);
	if (parse_force(what, argc - 1, argv + 1, force))
		return -1;
	return parse_port_name(argv[0]);
}

int parse_port_flush(int argc, char **argv, bool *force)
{
	return parse_force("port flush", argc, argv, force);
}

/* 10.77.0.1:7, [fd77::1]:7 */
static int parse_service(const char *arg, struct weft_sockaddr *addr)
{
	unsigned long service;
	char host[ADDR_TEXT];

	if (!split_addr(arg, host, &service) || !service) {
		complain("\"%s\" is no endpoint: it must be as 10.77.0.1:7 or [fd77::1]:7", arg);
		return -1;
	}
	if (parse_addr(host, addr))
		return -1;
	addr->port = htons((uint16_t)service);
	return 0;
}

int parse_end(const char *what, bool service, int argc, char **argv, struct end *end)
{
	char words[128];

	memset(end, 0, sizeof(*end));
	if (argc < 2) {
		complain("%s needs a port and an address, try \"weftctl %s help\"", what, what);
		return -1;
	}
	snprintf(words, sizeof(words), "%s %s %s", what, argv[0], argv[1]);
	if (parse_force(words, argc - 2, argv + 2, &end->force))
		return -1;
	end->port = argv[0];
	if (parse_port_name(argv[0]))
		return -1;
	return service ? parse_service(argv[1], &end->addr) : parse_addr(argv[1], &end->addr);
}

/* Parse an option of "path probe" at @argv: KEYWORD VALUE. Return: 0, -1: message printed */
static int parse_probe_option(int argc, char **argv, struct path_probe *probe, bool given[3])
{
	static const struct {
		const char *word, *what;
		size_t field;		/* offset of its uint32_t in struct path_probe */
		uint32_t min, max;
	} options[] = {
		{ "count", "number of packets", offsetof(struct path_probe, count), 1, 65535 },
		{ "interval", "number of milliseconds", offsetof(struct path_probe, interval), 1,
		  60000 },
		{ "size", "number of bytes", offsetof(struct path_probe, size), 60, 65000 },
	};
	const char *val;
	uint32_t *field;
	unsigned int i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (!matches(argv[0], options[i].word))
			continue;
		val = value_of(options[i].word, given[i], argc, argv);
		if (!val)
			return -1;
		given[i] = true;
		field = (uint32_t *)((char *)probe + options[i].field);
		*field = parse_count(options[i].what, val, options[i].min, options[i].max);
		return *field ? 0 : -1;
	}
	complain("\"%s\" is not known here, try \"weftctl path probe help\"%s", argv[0],
		 guess_of(argv[0], "count interval size"));
	return -1;
}

int parse_path_probe(int argc, char **argv, struct path_probe *probe)
{
	bool given[3] = { false };

	memset(probe, 0, sizeof(*probe));
	probe->count = 100;
	probe->interval = 10;
	probe->size = 64;
	if (argc < 2) {
		complain("path probe needs a port and an address, try \"weftctl path probe help\"");
		return -1;
	}
	probe->port = argv[0];
	if (parse_port_name(argv[0]) || parse_addr(argv[1], &probe->addr))
		return -1;
	for (argc -= 2, argv += 2; argc > 0; argc -= 2, argv += 2)
		if (parse_probe_option(argc, argv, probe, given))
			return -1;
	return 0;
}

static int parse_engine(const char *arg, struct port_change *change)
{
	static const char *const names[] = { "inline", "poll", "auto" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (matches(arg, names[i])) {
			change->engine = names[i];
			return 0;
		}
	complain("\"%s\" is no engine: it must be inline, poll or auto%s", arg,
		 guess_of(arg, "inline poll auto"));
	return -1;
}

static int parse_cpu(const char *arg, struct port_change *change)
{
	unsigned long val = UINT32_MAX;

	if (!matches(arg, "any") && parse_number(arg, 0, CPU_MAX, &val)) {
		complain("\"%s\" is no CPU: it must be a number or \"any\"", arg);
		return -1;
	}
	change->cpu = val;
	change->has_cpu = true;
	return 0;
}

static int parse_idle(const char *arg, struct port_change *change)
{
	unsigned long val;

	if (parse_number(arg, 1, IDLE_US_MAX, &val)) {
		complain("idle-us %s: it must be a number from 1 to %d", arg, IDLE_US_MAX);
		return -1;
	}
	change->idle_us = val;
	return 0;
}

/* A setting whose value is one of a few words */
struct word_setting {
	const char *name;
	size_t field;		/* offset of its const char * in struct port_change */
	const char *words[3];
	const char *list;	/* the words, for a message */
};

static const struct word_setting word_settings[] = {
	{ "priorities", offsetof(struct port_change, priorities), { "on", "off" }, "on or off" },
	{ "bypass", offsetof(struct port_change, bypass), { "auto", "on", "off" },
	  "auto, on or off" },
	{ "doorbell", offsetof(struct port_change, doorbell), { "lseek", "ioctl" },
	  "lseek or ioctl" },
	{ "rma-users", offsetof(struct port_change, rma_users), { "same", "any" }, "same or any" },
	{ "histograms", offsetof(struct port_change, histograms), { "on", "off" }, "on or off" },
	{ "questions", offsetof(struct port_change, questions), { "on", "off" }, "on or off" },
};

#define NWORDS	(sizeof(word_settings[0].words) / sizeof(word_settings[0].words[0]))

/* Parse a setting at @argv whose value is a word. Return: 0, -1: message printed */
static int parse_word(const struct word_setting *w, int argc, char **argv,
		      struct port_change *change)
{
	const char **field = (const char **)((char *)change + w->field);
	const char *val = value_of(w->name, *field, argc, argv);
	unsigned int i;

	if (!val)
		return -1;
	for (i = 0; i < NWORDS && w->words[i]; i++)
		if (!strcmp(val, w->words[i])) {
			*field = val;
			return 0;
		}
	complain("%s %s: it must be %s%s", w->name, val, w->list, guess_of(val, w->list));
	return -1;
}

/* Parse an option of "port set" at @argv: KEYWORD VALUE. Return: 0, -1: message printed */
static int parse_port_setting(int argc, char **argv, struct port_change *change)
{
	const char *val;
	unsigned int i;

	if (matches(argv[0], "engine")) {
		val = value_of("engine", change->engine, argc, argv);
		return val ? parse_engine(val, change) : -1;
	}
	if (matches(argv[0], "cpu")) {
		val = value_of("cpu", change->has_cpu, argc, argv);
		return val ? parse_cpu(val, change) : -1;
	}
	if (matches(argv[0], "idle-us")) {
		val = value_of("idle-us", change->idle_us, argc, argv);
		return val ? parse_idle(val, change) : -1;
	}
	for (i = 0; i < sizeof(word_settings) / sizeof(word_settings[0]); i++)
		if (matches(argv[0], word_settings[i].name))
			return parse_word(&word_settings[i], argc, argv, change);
	complain("\"%s\" is not known here, try \"weftctl port set help\"%s", argv[0],
		 guess_of(argv[0], "engine cpu idle-us priorities bypass doorbell rma-users "
				   "histograms questions"));
	return -1;
}

int parse_port_set(int argc, char **argv, struct port_change *change)
{
	memset(change, 0, sizeof(*change));
	if (argc < 1) {
		complain("port set needs a name, try \"weftctl port set help\"");
		return -1;
	}
	if (parse_port_name(argv[0]))
		return -1;
	change->name = argv[0];
	if (argc == 1) {
		complain("port set %s: what is to be changed? engine, cpu, idle-us, priorities,"
			 " bypass, doorbell, rma-users, histograms or questions", argv[0]);
		return -1;
	}
	for (argc--, argv++; argc > 0; argc -= 2, argv += 2)
		if (parse_port_setting(argc, argv, change))
			return -1;
	return 0;
}

/* Parse a number with optional K, M or G. Return: 0, -1: no number (no message printed) */
static int parse_amount(const char *arg, uint64_t *val)
{
	static const char units[] = "KMG";
	unsigned long long n;
	const char *unit;
	int shift = 0;
	char *end;

	if (arg[0] < '0' || arg[0] > '9')
		return -1;
	errno = 0;
	n = strtoull(arg, &end, 10);
	if (*end) {
		unit = strchr(units, *end);
		if (!unit || end[1])
			return -1;
		shift = 10 * (int)(unit - units + 1);
	}
	if (errno || n > UINT64_MAX >> shift)
		return -1;
	*val = (uint64_t)n << shift;
	return 0;
}

int parse_limit_set(int argc, char **argv, struct limit_change *change)
{
	if (argc != 3) {
		complain("limit set takes a port, a limit and a value, try \"weftctl limit set "
			 "help\"");
		return -1;
	}
	if (parse_port_name(argv[0]))
		return -1;
	change->port = argv[0];
	change->name = argv[1];
	if (!*argv[1] || strlen(argv[1]) >= 32) {
		complain("\"%s\" is no name of a limit", argv[1]);
		return -1;
	}
	if (parse_amount(argv[2], &change->value)) {
		complain("\"%s\" is no value: it must be a number, maybe with K, M or G", argv[2]);
		return -1;
	}
	return 0;
}

static int parse_job_name(const char *arg)
{
	size_t len = strlen(arg);

	if (!len || len >= WEFT_JOB_NAME_MAX) {
		complain("\"%s\" is no name of a job: it must have 1 to %d characters", arg,
			 WEFT_JOB_NAME_MAX - 1);
		return -1;
	}
	return 0;
}

/* Parse a name or number of a user or group. Return: 0, -1: message printed */
static int parse_who(const char *arg, bool group, uint32_t *ids, unsigned int *n)
{
	const char *what = group ? "group" : "user";
	unsigned long id = 0;

	if (*n == JOB_WHO_MAX) {
		complain("%s %s: at most %d can be named", what, arg, JOB_WHO_MAX);
		return -1;
	}
	if (group) {
		const struct group *g = getgrnam(arg);

		if (g)
			id = g->gr_gid;
		else if (parse_number(arg, 0, UINT32_MAX - 1, &id))
			what = NULL;
	} else {
		const struct passwd *p = getpwnam(arg);

		if (p)
			id = p->pw_uid;
		else if (parse_number(arg, 0, UINT32_MAX - 1, &id))
			what = NULL;
	}
	if (!what) {
		complain("there is no %s \"%s\"", group ? "group" : "user", arg);
		return -1;
	}
	ids[(*n)++] = id;
	return 0;
}

/* Parse an option of a job at @argv. Return: number of words, -1: message printed */
static int parse_job_option(int argc, char **argv, struct job_change *change)
{
	const char *val;

	if (matches(argv[0], "key")) {
		change->key = value_of("key", change->key, argc, argv);
		return change->key ? 2 : -1;
	}
	if (matches(argv[0], "user")) {
		val = value_of("user", false, argc, argv);
		return val && !parse_who(val, false, change->uid, &change->nuid) ? 2 : -1;
	}
	if (matches(argv[0], "group")) {
		val = value_of("group", false, argc, argv);
		return val && !parse_who(val, true, change->gid, &change->ngid) ? 2 : -1;
	}
	if (matches(argv[0], "all")) {
		change->all = true;
		return 1;
	}
	if (matches(argv[0], "port")) {
		change->port = value_of("port", change->port, argc, argv);
		return change->port && !parse_port_name(change->port) ? 2 : -1;
	}
	complain("\"%s\" is not known here, try \"weftctl job help\"%s", argv[0],
		 guess_of(argv[0], "key user group all port"));
	return -1;
}

int parse_job(const char *verb, int argc, char **argv, struct job_change *change)
{
	int n;

	memset(change, 0, sizeof(*change));
	if (argc < 1) {
		complain("job %s needs a name, try \"weftctl job %s help\"", verb, verb);
		return -1;
	}
	if (parse_job_name(argv[0]))
		return -1;
	change->name = argv[0];
	for (argc--, argv++; argc; argc -= n, argv += n) {
		n = parse_job_option(argc, argv, change);
		if (n < 0)
			return -1;
	}
	if (change->all && (change->nuid || change->ngid)) {
		complain("job %s %s: either users and groups, or \"all\" who have the key", verb,
			 change->name);
		return -1;
	}
	return 0;
}

/* The word "port" of a filter must have a name behind it. Return: 0, -1: message printed */
static int need_port_name(const char *what, int argc, char **argv)
{
	if (argc != 1 || strcmp(argv[0], "port"))
		return 0;
	complain("%sa name is missing after \"port\"", what);
	return -1;
}

int parse_filter(int argc, char **argv, const char **name)
{
	*name = NULL;
	if (need_port_name("", argc, argv))
		return -1;
	if (argc == 2 && matches(argv[0], "port")) {
		argc--;
		argv++;
	}
	if (argc > 1 && *guess_of(argv[0], "port")) {
		complain("\"%s\" is not known here%s", argv[0], guess_of(argv[0], "port"));
		return -1;
	}
	if (argc > 1) {
		complain("\"%s\" is too much: [port NAME] is what can be given", argv[1]);
		return -1;
	}
	if (argc) {
		*name = argv[0];
		return parse_port_name(argv[0]);
	}
	return 0;
}

int parse_show(const char *object, int *argc, char ***argv)
{
	if (*argc && (matches(**argv, "show") || matches(**argv, "list"))) {
		--*argc;
		++*argv;
	} else if (*argc && !asks_help(**argv, false)) {
		complain("%s %s: no such command, try \"weftctl %s help\"%s", object, **argv,
			 object, guess_of(**argv, "show list help"));
		return -1;
	}
	return *argc == 1 && asks_help(**argv, false);
}

/* Return: 0, -1: not a number of up to 64 bits (no message printed) */
static int parse_tag(const char *arg, uint64_t *tag)
{
	char *end;

	errno = 0;
	*tag = strtoull(arg, &end, 0);
	return errno || *end || arg[0] < '0' || arg[0] > '9' ? -1 : 0;
}

enum wait_word { NO_WORD, PID, EP, AGE, PEER, TAG, STATE };

/* The word of a filter that @arg is */
static enum wait_word wait_word(const struct wait_words *w, const char *arg)
{
	if (!(w->has & NO_PID) && matches(arg, "pid"))
		return PID;
	if (w->has & HAS_EP && matches(arg, "ep"))
		return EP;
	if (w->has & HAS_AGE && matches(arg, "age"))
		return AGE;
	if (w->peer && matches(arg, w->peer))
		return PEER;
	if (w->has & HAS_TAG && matches(arg, "tag"))
		return TAG;
	return w->state && matches(arg, w->state) ? STATE : NO_WORD;
}

/* Words of filters like @arg */
static const char *near_wait_words(const struct wait_words *w, const char *arg)
{
	struct guess g;

	guess_begin(&g, arg);
	guess_word(&g, "port");
	if (!(w->has & NO_PID))
		guess_word(&g, "pid");
	if (w->has & HAS_EP)
		guess_word(&g, "ep");
	if (w->has & HAS_AGE)
		guess_word(&g, "age");
	if (w->peer)
		guess_word(&g, w->peer);
	if (w->has & HAS_TAG)
		guess_word(&g, "tag");
	if (w->state)
		guess_word(&g, w->state);
	return guess_text(&g);
}

int parse_some_addr(const char *word, const char *arg)
{
	struct weft_sockaddr addr;
	unsigned long service;
	char host[ADDR_TEXT];

	if (!strcmp(arg, "?"))
		return 0;
	if (split_addr(arg, host, &service))
		return parse_addr(host, &addr);
	complain("%s \"%s\": it must be an address, as 10.77.0.1 or fd77::1, or that of an "
		 "endpoint, as 10.77.0.1:7 or [fd77::1]:7", word, arg);
	return -1;
}

/* Is @arg, taken for the name of a port, a word of a filter, here or of another object? */
static bool is_some_word(const struct wait_words *w, const char *arg)
{
	static const char *const words[] = {
		"pid", "ep", "age", "tag", "peer", "from", "to", "state", "for", "kind", "cause",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(arg, words[i]))
			return true;
	return *near_wait_words(w, arg);
}

/* The value @arg of the word @name of a filter. Return: 0, -1: message printed */
static int parse_wait(enum wait_word word, const char *name, const char *arg,
		      struct wait_filter *filter)
{
	unsigned long val = 0;
	int ret = 0;

	switch (word) {
	case PID:
		ret = parse_number(arg, 1, UINT32_MAX, &val);
		filter->pid = val;
		break;
	case EP:
		filter->ep = arg;
		return parse_some_addr(name, arg);
	case AGE:
		ret = parse_number(arg, 0, UINT32_MAX, &val);
		filter->age_ms = 1000ull * val;
		filter->has_age = true;
		break;
	case PEER:
		filter->peer = arg;
		return parse_some_addr(name, arg);
	case TAG:
		ret = parse_tag(arg, &filter->tag);
		filter->has_tag = true;
		break;
	default:
		filter->state = arg;
	}
	if (ret)
		complain("\"%s\" is no number for \"%s\"", arg, name);
	return ret;
}

int parse_waits(const struct wait_words *words, int argc, char **argv, struct wait_filter *filter)
{
	const char *object = words->object;
	enum wait_word word;
	const char *wrong;
	char what[64];
	bool named;

	memset(filter, 0, sizeof(*filter));
	snprintf(what, sizeof(what), "%s show: ", object);
	if (need_port_name(what, argc, argv))
		return -1;
	named = argc > 1 && matches(argv[0], "port");
	argc -= named;
	argv += named;
	if (argc && (named || !wait_word(words, argv[0]))) {
		filter->port = argv[0];
		if (parse_port_name(argv[0]))
			return -1;
		argc--;
		argv++;
	}
	for (; argc; argc -= 2, argv += 2) {
		word = wait_word(words, argv[0]);
		if (!word) {
			wrong = filter->any || named || !filter->port ||
				!is_some_word(words, filter->port) ? argv[0] : filter->port;
			complain("%s show: unknown word \"%s\", try \"weftctl %s help\"%s", object,
				 wrong, object, near_wait_words(words, wrong));
			return -1;
		}
		if (argc == 1) {
			complain("%s show: a value is missing after \"%s\"", object, argv[0]);
			return -1;
		}
		if (parse_wait(word, argv[0], argv[1], filter))
			return -1;
		filter->any = true;
	}
	return 0;
}
