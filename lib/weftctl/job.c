// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Jobs of ports: add, set, delete, show. A command without a port applies to all ports.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <weft/key.h>

#include "weftctl.h"

#define PORTS_MAX	256	/* as many as the kernel has */

struct ports {
	unsigned int n;
	char name[PORTS_MAX][WEFT_NAME_MAX];
};

/* ---- Keys ------------------------------------------------------------------------------- */

/* Return: 0, -1: message printed */
static int read_key(const char *name, struct weft_key *key)
{
	bool in = !strcmp(name, "-");
	int fd = in ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC), err;
	struct stat st;

	err = fd < 0 ? -errno : weft_key_read(fd, key);
	if (err == -EINVAL)
		complain("key %s: a key has %d to %d bytes, this one has %s%u", name, WEFT_KEY_MIN,
			 WEFT_KEY_MAX, key->size > WEFT_KEY_MAX ? "more than " : "",
			 key->size > WEFT_KEY_MAX ? WEFT_KEY_MAX : key->size);
	else if (err)
		complain("key %s: %s", name, strerror(-err));
	else if (!in && !fstat(fd, &st) && st.st_mode & 0004)
		complain("key %s: note that everybody can read this file", name);
	if (!in && fd >= 0)
		close(fd);
	return err ? -1 : 0;
}

/* ---- Ports ------------------------------------------------------------------------------ */

static void keep_port(struct nlattr *attrs, int len, const void *arg)
{
	struct nlattr *name = nla_find(attrs, len, WEFT_ATTR_PORT_NAME);
	struct ports *ports = (void *)(uintptr_t)arg;

	if (name && ports->n < PORTS_MAX)
		nla_strlcpy(ports->name[ports->n++], name, WEFT_NAME_MAX);
}

/* Find the named port, or all. Return: exit status */
static int find_ports(const char *name, struct ports *ports)
{
	struct nl_msg *msg;
	int ret;

	ports->n = 0;
	if (name) {
		snprintf(ports->name[ports->n++], WEFT_NAME_MAX, "%s", name);
		return 0;
	}
	msg = request(WEFT_CMD_PORT_GET, true);
	if (!msg)
		return EXIT_KERNEL;
	ret = perform(msg, keep_port, ports, "port show", NULL);
	if (ret || ports->n)
		return ret;
	complain("there is no port: make one first, see \"weftctl port help\"");
	return EXIT_KERNEL;
}

/* ---- Endpoints that prevent a deletion -------------------------------------------------- */

static void print_user(struct nlattr *attrs, int len, const void *arg)
{
	struct nlattr *job = nla_find(attrs, len, WEFT_ATTR_JOB_NAME);
	struct nlattr *handle = nla_find(attrs, len, WEFT_ATTR_EP_HANDLE);
	struct nlattr *pid = nla_find(attrs, len, WEFT_ATTR_PID);
	struct nlattr *comm = nla_find(attrs, len, WEFT_ATTR_COMM);
	char name[32];

	if (!job || !handle || !pid || nla_strcmp(job, arg))
		return;
	copy_name(name, sizeof(name), comm);
	complain("endpoint %u of process %u (%s) is in the job", nla_get_u32(handle),
		 nla_get_u32(pid), name);
}

static void print_users(const char *port, const char *job)
{
	struct nl_msg *msg = request(WEFT_CMD_EP_GET, true);

	if (!msg)
		return;
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, port);
	perform(msg, print_user, job, "ep show", port);
}

/* ---- Commands --------------------------------------------------------------------------- */

static int ask_port(uint8_t cmd, const char *what, const char *port,
		    const struct job_change *change, const struct weft_key *key)
{
	struct nl_msg *msg = request(cmd, false);
	char name[WEFT_JOB_NAME_MAX + WEFT_NAME_MAX + 16];
	unsigned int i;

	if (!msg)
		return EXIT_KERNEL;
	/* A message has a page of space; these calls cannot fail. */
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, port);
	nla_put_string(msg, WEFT_ATTR_JOB_NAME, change->name);
	if (change->key)
		nla_put(msg, WEFT_ATTR_JOB_KEY, key->size, key->bytes);
	if (change->all)
		nla_put_flag(msg, WEFT_ATTR_JOB_ALL);
	for (i = 0; i < change->nuid; i++)
		nla_put_u32(msg, WEFT_ATTR_JOB_UID, change->uid[i]);
	for (i = 0; i < change->ngid; i++)
		nla_put_u32(msg, WEFT_ATTR_JOB_GID, change->gid[i]);
	snprintf(name, sizeof(name), "%s port %s", change->name, port);
	return perform(msg, NULL, NULL, what, name);
}

/* Ask each port, even after a refusal. Return: the worst exit status */
static int ask_ports(uint8_t cmd, const char *what, const struct job_change *change)
{
	static struct ports ports;
	struct weft_key key = { 0 };
	int ret, worst;
	unsigned int i;

	if (change->key && read_key(change->key, &key))
		return EXIT_USAGE;
	worst = find_ports(change->port, &ports);
	if (worst)
		ports.n = 0;
	for (i = 0; i < ports.n; i++) {
		ret = ask_port(cmd, what, ports.name[i], change, &key);
		if (ret && errno == EBUSY)
			print_users(ports.name[i], change->name);
		worst = ret > worst ? ret : worst;
	}
	explicit_bzero(&key, sizeof(key));
	return worst;
}

static int add_job(int argc, char **argv)
{
	struct job_change change;

	if (parse_job("add", argc, argv, &change))
		return EXIT_USAGE;
	if (!change.key) {
		complain("job add %s: which key? key FILE, or key - for standard input",
			 change.name);
		return EXIT_USAGE;
	}
	return ask_ports(WEFT_CMD_JOB_ADD, "job add", &change);
}

static int set_job(int argc, char **argv)
{
	struct job_change change;

	if (parse_job("set", argc, argv, &change))
		return EXIT_USAGE;
	if (!change.key && !change.all && !change.nuid && !change.ngid) {
		complain("job set %s: what is to be changed? key, user, group or all",
			 change.name);
		return EXIT_USAGE;
	}
	return ask_ports(WEFT_CMD_JOB_SET, "job set", &change);
}

static int del_job(int argc, char **argv)
{
	struct job_change change;

	if (parse_job("del", argc, argv, &change))
		return EXIT_USAGE;
	if (change.key || change.all || change.nuid || change.ngid) {
		complain("job del takes a name, and may be a port");
		return EXIT_USAGE;
	}
	return ask_ports(WEFT_CMD_JOB_DEL, "job del", &change);
}

int do_job(int argc, char **argv)
{
	static const struct verb verbs[] = {
		{ "add", add_job,
		  "add NAME key { FILE | - } [user U]... [group G]... [port PORT]",
		  "add: a job; NAME: on this node; what is the same job on other nodes says the key\n"
		  "FILE: the key, 16 to 256 bytes; a line of text without its end; -: standard input\n"
		  "U, G: who may use it, by name or number; nobody is named: all who have the key\n"
		  "PORT: of that port; default: of all that there are\n"
		  "A program shows the key as its auth_key, see fi_weft(7)." },
		{ "delete", del_job, "del NAME [port PORT]",
		  "del: delete a job in which there are no endpoints" },
		{ "show", show_jobs, "[show [[port] PORT]]",
		  "show: jobs of all ports, or of one" },
		{ "set", set_job,
		  "set NAME [key { FILE | - }] [all | [user U]... [group G]...]\n"
		  "         [port PORT]",
		  "set: those who are named may use it, instead of all who might before;\n"
		  "all: whoever has the key" },
		{ "list", show_jobs, NULL, NULL },
		{ 0 }
	};

	return run_verb("job", verbs, argc, argv);
}
