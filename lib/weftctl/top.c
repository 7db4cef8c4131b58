// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * "weftctl top": what each process, path or endpoint does, again and again
 *
 * A terminal is cleared for each look, and keys choose what is shown. Other outputs get a block for
 * each interval.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "rates.h"
#include "since.h"
#include "usage.h"
#include "weftctl.h"

/* What is known at a time */
struct state {
	struct look look;
	struct counts counts;
	uint64_t ns;
};

struct top {
	enum usage_by by;
	const char *port;	/* NULL: all */
	uint64_t ms;
	uint32_t count;		/* 0: no end */
	bool live;		/* on a terminal, with keys */
};

static const char *const views[] = {
	[USAGE_PROCESS] = "process", [USAGE_PATH] = "path", [USAGE_ENDPOINT] = "endpoint",
};

static void forget(struct state *s)
{
	free(s->look.all);
	free(s->look.tallies);
	counts_free(&s->counts);
	memset(s, 0, sizeof(*s));
}

/* What the kernel has counted of endpoints and paths. Return: exit status */
static int read_tallies(struct look *to)
{
	const struct seen *x;
	struct tally *t;

	to->tallies = calloc(to->n + 1, sizeof(*to->tallies));
	if (!to->tallies) {
		complain("top: out of memory");
		return EXIT_KERNEL;
	}
	for (x = to->all; x < to->all + to->n; x++) {
		if (!x->counted)
			continue;
		t = &to->tallies[to->ntallies++];
		t->is_path = x->kind == SEEN_PATH;
		strcpy(t->port, x->port);
		strcpy(t->comm, x->comm);
		t->addr = t->is_path ? x->peer : x->ep;
		t->pid = x->pid;
		t->uid = x->uid;
		t->ctx = x->ctx;
		t->sent = x->sent;
		t->received = x->received;
		t->sent_bytes = x->sent_bytes;
		t->received_bytes = x->received_bytes;
	}
	return 0;
}

static int look(const struct top *t, struct state *s)
{
	int ret = counts_get("top", t->port, &s->counts);

	s->ns = clock_ns();
	if (!ret)
		ret = see("top", t->port, &s->look.all, &s->look.n);
	return ret ? ret : read_tallies(&s->look);
}

/* ---- Lines of a table --------------------------------------------------------------------- */

/* On a terminal a line must not be longer than this, nor lines more; 0: no limit */
static struct {
	int columns;
	int lines;
} screen;

/* Print a line, as much of it as fits. Names of processes are printable already. */
__attribute__((format(printf, 1, 2)))
static void line(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (screen.columns)
		printf("%.*s\033[K\n", screen.columns, text);
	else
		puts(text);
}

/* A number for people. @known: else "-" */
static const char *rate(char text[RATE_TEXT], uint64_t count, uint64_t ns, bool known)
{
	if (known && ns)
		rate_text(text, rate_of(count, ns));
	else
		strcpy(text, "-");
	return text;
}

static const char *amount(char text[RATE_TEXT], uint64_t n)
{
	if (n < 100000)
		snprintf(text, RATE_TEXT, "%" PRIu64, n);
	else
		rate_text(text, n <= UINT64_MAX / 10 ? 10 * n : UINT64_MAX);
	return text;
}

static const char *age(char text[RATE_TEXT], const struct usage *u)
{
	if (!u->sends && !u->recvs && !u->msgs)
		strcpy(text, "-");
	else if (u->oldest_ms < 1000000)
		snprintf(text, RATE_TEXT, "%.1fs", (double)u->oldest_ms / 1000);
	else
		snprintf(text, RATE_TEXT, "%" PRIu64 "s", u->oldest_ms / 1000);
	return text;
}

/* Who it is: the first columns, as a heading without @u */
static void who(char *to, size_t size, enum usage_by by, const struct usage *u)
{
	char addr[ADDR_TEXT], pid[12];

	if (by == USAGE_PROCESS) {
		if (u)
			snprintf(to, size, "%-9s %7u %6u", u->port, u->pid, u->uid);
		else
			snprintf(to, size, "%-9s %7s %6s", "PORT", "PID", "UID");
		return;
	}
	if (u && u->srq)
		snprintf(addr, sizeof(addr), "srq %u", u->srq);
	else if (u)
		addr_text(addr, &u->addr);
	else
		strcpy(addr, by == USAGE_PATH ? "NODE" : "ENDPOINT");
	if (u)
		snprintf(pid, sizeof(pid), "%u", u->pid);
	else
		strcpy(pid, "PID");
	if (by == USAGE_PATH)
		snprintf(to, size, "%-9s %-16s", u ? u->port : "PORT", addr);
	else
		snprintf(to, size, "%-9s %-21s %7s", u ? u->port : "PORT", addr, pid);
}

#define AMOUNTS	"%7s %7s %7s %7s %6s %6s %6s %6s %7s"

static void table_head(enum usage_by by)
{
	static const char *const last[] = {
		[USAGE_PROCESS] = "   EPS NAME",
		[USAGE_PATH] = " RETR/S STATE    SRTT_US FLIGHT   CWND",
		[USAGE_ENDPOINT] = " STATE      NAME",
	};
	char first[ADDR_TEXT + 32];

	who(first, sizeof(first), by, NULL);
	line("%s " AMOUNTS "%s", first, "SENT/S", "RECVD/S", "OUT_B/S", "IN_B/S", "SENDS", "RECVS",
	     "UNEXP", "BYTES", "OLDEST", last[by]);
}

static void table_line(enum usage_by by, const struct usage *u, uint64_t ns)
{
	char sent[RATE_TEXT], received[RATE_TEXT], out[RATE_TEXT], in[RATE_TEXT];
	char sends[RATE_TEXT], recvs[RATE_TEXT];
	char msgs[RATE_TEXT], came[RATE_TEXT], oldest[RATE_TEXT], retrans[RATE_TEXT];
	char first[ADDR_TEXT + 32], last[96];
	const char *state = u->state[0] ? u->state : "-";

	who(first, sizeof(first), by, u);
	if (by == USAGE_PROCESS)
		snprintf(last, sizeof(last), "%6u %s", u->endpoints, u->comm);
	else if (by == USAGE_ENDPOINT)
		snprintf(last, sizeof(last), " %-10s %s", state, u->comm);
	else
		snprintf(last, sizeof(last), " %6s %-7s %8" PRIu64 " %6u %6u",
			 rate(retrans, u->retrans, ns, true), state, u->srtt / 1000, u->flight,
			 u->cwnd);
	line("%s " AMOUNTS "%s", first, rate(sent, u->sent, ns, u->has_messages),
	     rate(received, u->received, ns, u->has_messages),
	     rate(out, u->sent_bytes, ns, u->has_bytes),
	     rate(in, u->received_bytes, ns, u->has_bytes), amount(sends, u->sends),
	     amount(recvs, u->recvs), amount(msgs, u->msgs), amount(came, u->came),
	     age(oldest, u), last);
}

/* ---- Ports -------------------------------------------------------------------------------- */

/* Counters of a port, and their names here */
static const struct {
	const char *counter;
	const char *key;
} port_rates[] = {
	{ "msgs_sent", "sent_per_s" },
	{ "msgs_received", "received_per_s" },
	{ "msgs_local", "local_per_s" },
	{ "tx_bytes", "tx_bytes_per_s" },
	{ "rx_bytes", "rx_bytes_per_s" },
	{ "retransmits", "retransmits_per_s" },
};

#define NRATES	(sizeof(port_rates) / sizeof(port_rates[0]))

static void port_line(const struct counts *change, const char *port, uint64_t ns)
{
	char text[NRATES][RATE_TEXT];
	uint64_t value;
	size_t i;

	for (i = 0; i < NRATES; i++) {
		value = counts_value(change, 0, port, port_rates[i].counter);
		rate(text[i], value, ns, true);
		if (out_is_json() && ns)
			out_tenths(port_rates[i].key, OUT_KEY, rate_of(value, ns));
	}
	if (!out_is_json())
		line("%s: per second: sent %s received %s (local %s), bytes out %s in %s, "
		     "retransmits %s", port, text[0], text[1], text[2], text[3], text[4], text[5]);
}

/* Return: number of ports */
static int print_ports(const struct counts *change, uint64_t ns)
{
	const struct count *c;
	int n = 0;

	out_list_open("ports");
	for (c = change->all; c < change->all + change->n; c++) {
		if (c > change->all && !strcmp(c->port, c[-1].port))
			continue;
		n++;
		if (out_is_json()) {
			out_open();
			out_str("port", OUT_KEY, c->port);
		}
		port_line(change, c->port, ns);
		if (out_is_json())
			out_close();
	}
	out_list_close();
	return n;
}

/* ---- A look ------------------------------------------------------------------------------- */

static void print_owner(enum usage_by by, const struct usage *u)
{
	out_str("port", OUT_KEY, u->port);
	if (by == USAGE_PATH) {
		out_addr("path", OUT_KEY, &u->addr);
	} else {
		out_uint("pid", OUT_KEY, u->pid);
		out_uint("uid", OUT_KEY, u->uid);
		out_str("comm", OUT_KEY, u->comm);
	}
	if (by == USAGE_ENDPOINT && u->srq)
		out_uint("srq", OUT_KEY, u->srq);
	else if (by == USAGE_ENDPOINT)
		out_addr("ep", OUT_KEY, &u->addr);
	if (by == USAGE_ENDPOINT)
		out_uint("ctx", OUT_KEY, u->ctx);
	else if (by == USAGE_PROCESS)
		out_uint("endpoints", OUT_KEY, u->endpoints);
	if (u->state[0])
		out_str("state", OUT_KEY, u->state);
}

static void print_json(enum usage_by by, const struct usage *u, uint64_t ns)
{
	out_open();
	print_owner(by, u);
	if (u->has_messages && ns) {
		out_tenths("sent_per_s", OUT_KEY, rate_of(u->sent, ns));
		out_tenths("received_per_s", OUT_KEY, rate_of(u->received, ns));
	}
	if (u->has_bytes && ns) {
		out_tenths("sent_bytes_per_s", OUT_KEY, rate_of(u->sent_bytes, ns));
		out_tenths("received_bytes_per_s", OUT_KEY, rate_of(u->received_bytes, ns));
	}
	if (u->has_bytes && ns && by == USAGE_PATH) {
		out_tenths("sent_packets_per_s", OUT_KEY, rate_of(u->sent_packets, ns));
		out_tenths("received_packets_per_s", OUT_KEY, rate_of(u->received_packets, ns));
	}
	out_uint("sends", OUT_KEY, u->sends);
	out_uint("recvs", OUT_KEY, u->recvs);
	out_uint("unexpected", OUT_KEY, u->msgs);
	out_uint("unexpected_bytes", OUT_KEY, u->came);
	if (u->sends || u->recvs || u->msgs)
		out_uint("oldest_ms", OUT_KEY, u->oldest_ms);
	if (by == USAGE_PATH && u->state[0]) {
		if (ns)
			out_tenths("retransmits_per_s", OUT_KEY, rate_of(u->retrans, ns));
		out_uint("srtt_ns", OUT_KEY, u->srtt);
		out_uint("flight", OUT_KEY, u->flight);
		out_uint("cwnd", OUT_KEY, u->cwnd);
	}
	out_close();
}

static void print_rows(const struct top *t, const struct usage *rows, long n, uint64_t ns, int used)
{
	long fit = n, i;

	out_list_open("rows");
	if (!out_is_json())
		table_head(t->by);
	/* the last line is for the rest, and below it is the cursor */
	if (screen.lines && used + n >= screen.lines)
		fit = used + 1 < screen.lines ? screen.lines - used - 2 : 0;
	for (i = 0; i < fit; i++) {
		if (out_is_json())
			print_json(t->by, &rows[i], ns);
		else
			table_line(t->by, &rows[i], ns);
	}
	if (fit < n)
		line("(%ld more)", n - fit);
	out_list_close();
}

static void title(const struct top *t)
{
	time_t now = time(NULL);
	struct tm tm;
	char clock[16];

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &tm));
	if (t->live)
		line("weftctl top %s by %s (keys: p process, n path to a node, e endpoint, q end)",
		     clock, views[t->by]);
	else
		line("weftctl top %s by %s", clock, views[t->by]);
}

/* @before has no look the first time. Return: exit status */
static int print(const struct top *t, const struct state *now, const struct state *before)
{
	uint64_t ns = before->ns ? now->ns - before->ns : 0;
	struct counts change = { 0 };
	struct usage *rows = NULL;
	long n = usage_of(t->by, &now->look, before->ns ? &before->look : NULL, &rows);
	int used;

	if (n < 0 || counts_copy(&change, &now->counts)) {
		complain("top: out of memory");
		free(rows);
		return EXIT_KERNEL;
	}
	counts_since(&change, &before->counts);
	out_open();
	if (out_is_json()) {
		out_uint("interval_ms", OUT_KEY, (ns + 500000) / 1000000);
		out_str("by", OUT_KEY, views[t->by]);
	} else {
		title(t);
	}
	used = 2 + print_ports(&change, ns);
	print_rows(t, rows, n, ns, used);
	if (out_is_json() || !t->live)
		out_close();
	counts_free(&change);
	free(rows);
	return 0;
}

/* ---- The terminal ------------------------------------------------------------------------- */

static struct termios saved;
static volatile sig_atomic_t ended;	/* the signal that ends the view */
static volatile sig_atomic_t stopped;	/* by the terminal's stop key */

static void on_signal(int sig)
{
	if (sig == SIGTSTP)
		stopped = 1;
	else if (sig != SIGWINCH && sig != SIGCONT)
		ended = sig;
}

static void signals(void (*handler)(int))
{
	static const int all[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGCONT,
	};
	struct sigaction act = { .sa_handler = handler };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		sigaction(all[i], &act, NULL);
}

static void terminal_begin(void)
{
	struct termios raw = saved;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
	/* no cursor */
	printf("\033[?25l");
	fflush(stdout);
}

static void terminal_end(void)
{
	printf("\033[?25h\n");
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved);
}

static void terminal_stop(void)
{
	stopped = 0;
	terminal_end();
	raise(SIGSTOP);
	terminal_begin();
}

static void terminal_size(void)
{
	struct winsize size;

	screen.columns = 80;
	screen.lines = 24;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_row) {
		screen.columns = size.ws_col;
		screen.lines = size.ws_row;
	}
	/* to the upper left corner, clear all */
	printf("\033[H\033[2J");
}

/* A key. Return: 1: the view changes, 0: nothing, -1: the end */
static int on_key(struct top *t, char key)
{
	static const char keys[] = {
		[USAGE_PROCESS] = 'p', [USAGE_PATH] = 'n', [USAGE_ENDPOINT] = 'e',
	};
	size_t i;

	if (key == 'q' || key == 'Q')
		return -1;
	for (i = 0; i < sizeof(keys); i++)
		if (key == keys[i]) {
			t->by = (enum usage_by)i;
			return 1;
		}
	return 0;
}

/*
 * Wait until @due, for a key or for a signal. Return: 1: what is shown must be drawn again, 0: the
 * time has come, -1: the end
 */
static int wait_live(struct top *t, uint64_t due)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	struct timespec ts;
	uint64_t now;
	sigset_t none;
	ssize_t got;
	char key;
	int ret;

	sigemptyset(&none);
	while (!ended) {
		now = clock_ns();
		if (now >= due)
			return 0;
		ts = (struct timespec){ (time_t)((due - now) / 1000000000),
					(long)((due - now) % 1000000000) };
		/* signals come here only: none is lost between the test and the wait */
		ret = ppoll(&fd, 1, &ts, &none);
		if (stopped)
			terminal_stop();
		if (ret < 0)
			return ended ? -1 : 1;
		if (!ret)
			continue;
		got = read(STDIN_FILENO, &key, 1);
		if (got <= 0)
			return -1;
		ret = on_key(t, key);
		if (ret)
			return ret;
	}
	return -1;
}

/* Block the signals that the view handles, but for its wait. */
static void block_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGCONT);
	sigprocmask(SIG_BLOCK, &set, old);
}

/* ---- The command -------------------------------------------------------------------------- */

/* Return: exit status */
static int run_live(struct top *t)
{
	struct state now = { 0 }, before = { 0 };
	uint64_t due;
	int ret, wait = 0;

	ret = look(t, &now);
	while (!ret && wait >= 0) {
		terminal_size();
		ret = print(t, &now, &before);
		if (fflush(stdout) || ret)
			break;
		due = now.ns + t->ms * 1000000;
		wait = wait_live(t, due);
		if (wait)
			continue;
		forget(&before);
		before = now;
		now = (struct state){ 0 };
		ret = look(t, &now);
	}
	forget(&now);
	forget(&before);
	return ret;
}

static int on_terminal(struct top *t)
{
	int ret, sig;
	sigset_t old;

	block_signals(&old);
	signals(on_signal);
	terminal_begin();
	ret = run_live(t);
	terminal_end();
	signals(SIG_DFL);
	sig = ended;
	sigprocmask(SIG_SETMASK, &old, NULL);
	/* the caller's shell learns what has ended this program */
	if (sig)
		raise(sig);
	return ret;
}

static int in_blocks(struct top *t)
{
	struct state now = { 0 }, before = { 0 };
	uint32_t n = 0;
	int ret = look(t, &before);

	while (!ret && (!t->count || n++ < t->count)) {
		wait_until(before.ns + t->ms * 1000000);
		ret = look(t, &now);
		if (!ret)
			ret = print(t, &now, &before);
		if (fflush(stdout))
			break;
		forget(&before);
		before = now;
		now = (struct state){ 0 };
	}
	forget(&now);
	forget(&before);
	return ret;
}

static int help_top(void)
{
	puts("Usage: weftctl top [-i SECONDS] [-n COUNT] [--by WHAT] [[port] NAME]\n"
	     "       weftctl top help\n"
	     "Shows what processes, paths or endpoints do: messages and bytes per second, what waits\n"
	     "and how long.\n"
	     "-i, --interval S  a look each S seconds, default 1\n"
	     "-n, --count N     prints N blocks and ends; without a terminal, too\n"
	     "--by WHAT         what has a line each: process (default), path or endpoint\n"
	     "Keys on a terminal: p process, n path to a node, e endpoint, q end");
	return HELPED;
}

/* Return: 0, -1: message printed */
static int parse_by(struct top *t, const char *by)
{
	size_t i;

	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		if (matches(by, views[i])) {
			t->by = (enum usage_by)i;
			return 0;
		}
	complain("--by %s: it must be process, path or endpoint", by);
	return -1;
}

int do_top(int argc, char **argv)
{
	struct top t = { .by = USAGE_PROCESS, .ms = 1000 };
	const char *by = views[USAGE_PROCESS];
	const struct behind table[] = {
		{ "-i", "--interval", BEHIND_SECONDS, &t.ms },
		{ "-n", "--count", BEHIND_COUNT, &t.count },
		{ NULL, "--by", BEHIND_WORD, &by },
		{ 0 }
	};

	if (take_options("top", &argc, argv, table))
		return EXIT_USAGE;
	if (argc == 1 && asks_help(argv[0], true))
		return help_top();
	if (parse_by(&t, by) || parse_filter(argc, argv, &t.port))
		return EXIT_USAGE;
	t.live = !t.count && !out_is_json() && isatty(STDOUT_FILENO) &&
		 !tcgetattr(STDIN_FILENO, &saved);
	return t.live ? on_terminal(&t) : in_blocks(&t);
}
