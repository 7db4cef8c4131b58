/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weftctl's rooms: args.c reads the command line, netlink.c talks to the kernel, output.c writes
 * text or JSON, objects.c knows what can be shown, port.c changes ports, limit.c their limits,
 * job.c their jobs, main.c chooses, batch.c takes commands from files.
 */
#ifndef _WEFTCTL_H
#define _WEFTCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/weft.h>
#include <linux/weft_netlink.h>

struct nlattr;
struct nl_msg;

/* Exit status, as ip(8) has them */
#define EXIT_USAGE	1	/* the command line is wrong */
#define EXIT_KERNEL	2	/* the kernel refused, or is not there */

/* ---- args.c ----------------------------------------------------------------------------- */

#define PORT_ADDR_MAX	4

/* What "port add" asks for; strings are those of the command line */
struct port_spec {
	const char *name;
	const char *driver;
	const char *netdev;	/* NULL: none */
	const char *device;	/* NULL: none */
	unsigned int naddr;
	struct weft_sockaddr addr[PORT_ADDR_MAX];
	uint8_t prefix[PORT_ADDR_MAX];	/* 0: not given, as with all below */
	unsigned int ngw;
	struct weft_sockaddr gw[2];
	uint16_t udp;
	uint16_t vlan;
	uint32_t mtu;
	uint32_t queues;
};

#define CPU_MAX		0xffffff	/* the kernel knows how many there are */
#define IDLE_US_MAX	10000000

/* What "port set" asks for */
struct port_change {
	const char *name;
	const char *engine;	/* NULL: not given */
	bool has_cpu;
	uint32_t cpu;		/* UINT32_MAX: any */
	uint32_t idle_us;	/* 0: not given */
	const char *priorities;	/* NULL: not given */
};

#define JOB_WHO_MAX	64

/* What "job add" and "job set" ask for */
struct job_change {
	const char *name;
	const char *port;	/* NULL: all ports */
	const char *key;	/* file, "-": standard input; NULL: not given */
	bool all;		/* whoever has the key may use it */
	unsigned int nuid;
	unsigned int ngid;
	uint32_t uid[JOB_WHO_MAX];
	uint32_t gid[JOB_WHO_MAX];
};

/* What "limit set" asks for */
struct limit_change {
	const char *port;
	const char *name;
	uint64_t value;
};

/* A word that chooses; the tables end with a word of NULL */
struct choice {
	const char *word;
	int (*run)(int argc, char **argv);
};

/* Print "weftctl: ..." to stderr */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Is @arg the word @word or a beginning of it */
bool matches(const char *arg, const char *word);

/* The first choice that @arg matches, NULL: none */
const struct choice *choose(const struct choice *table, const char *arg);

/*
 * These complain and return -1 when the arguments are wrong. @argv begins behind the verb.
 * parse_filter(): [[port] NAME]; *@name is NULL when there is none.
 */
int parse_port_name(const char *arg);
int parse_port_add(int argc, char **argv, struct port_spec *spec);
int parse_port_set(int argc, char **argv, struct port_change *change);
int parse_limit_set(int argc, char **argv, struct limit_change *change);
int parse_job(const char *verb, int argc, char **argv, struct job_change *change);
int parse_filter(int argc, char **argv, const char **name);

/* ---- output.c --------------------------------------------------------------------------- */

/* How a value stands in a line of text; in JSON each is a member called key */
enum out_style {
	OUT_LEAD,		/* value: */
	OUT_BARE,		/* value */
	OUT_KEY,		/* key value */
};

void out_mode(bool json, bool pretty);
bool out_is_json(void);
/* The whole output, an object, a list of values within an object */
void out_begin(void);
void out_end(void);
void out_open(void);
void out_close(void);
void out_list_open(const char *key);
void out_list_close(void);
void out_str(const char *key, enum out_style style, const char *val);
void out_uint(const char *key, enum out_style style, uint64_t val);
void out_mac(const char *key, enum out_style style, const uint8_t *mac);
void out_addr(const char *key, enum out_style style, const struct weft_sockaddr *addr);

/* ---- netlink.c -------------------------------------------------------------------------- */

typedef void (*answer_fn)(struct nlattr *attrs, int len, const void *arg);

/* Begin a request; NULL: complained. @dump: all objects are asked for */
struct nl_msg *request(uint8_t cmd, bool dump);
/*
 * Send it, hand each answer with @arg to @answer (may be NULL), release it. @what and @name (may be
 * NULL) are for complaints. Return: exit status.
 */
int perform(struct nl_msg *msg, answer_fn answer, const void *arg, const char *what,
	    const char *name);

/* ---- objects.c, port.c, limit.c, job.c -------------------------------------------------- */

int do_port(int argc, char **argv);
int do_ep(int argc, char **argv);
int do_ctx(int argc, char **argv);
int do_path(int argc, char **argv);
int do_stats(int argc, char **argv);
int do_neigh(int argc, char **argv);
int do_limit(int argc, char **argv);
int do_job(int argc, char **argv);

int show_ports(int argc, char **argv);
int show_limits(int argc, char **argv);
int show_jobs(int argc, char **argv);

/* ---- batch.c ---------------------------------------------------------------------------- */

/*
 * Have @run do each command of the file @name ("-": standard input). The first that fails ends it,
 * or with @force all are done. Return: the worst exit status.
 */
int run_batch(const char *name, bool force, int (*run)(int argc, char **argv));

#endif /* _WEFTCTL_H */
