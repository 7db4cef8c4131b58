/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files of weftctl:
 *
 * - args.c parses the command line, verb.c selects the command of an object, and has its help;
 *   behind.c takes options behind the name of an object.
 * - words.c finds what a wrong word may mean, blame.c which word the kernel has refused.
 * - netlink.c exchanges messages with the kernel, netns.c enters a network namespace.
 * - output.c writes text or JSON, brief.c tables, color.c colours. details.c explains words.
 * - objects.c describes the objects to show, waits.c those that wait or are under way; sums.c adds
 *   up the latter.
 * - event.c shows events, histogram.c histograms, stats.c counters, since.c and rates.c what has
 *   been counted since a time.
 * - hang.c and diagnose.c show why programs wait, top.c and usage.c what they do now; seen.c asks
 *   the kernel for all that waits.
 * - report.c writes all of this into a file.
 * - port.c changes ports, limit.c their limits, job.c their jobs; path.c ends paths, probe.c probes
 *   them.
 * - module.c prints versions.
 * - main.c selects the command.
 * - batch.c reads commands from files, apply.c applies a changed file.
 * - whole.c writes a file as a whole or not at all.
 */
#ifndef _WEFTCTL_H
#define _WEFTCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/weft.h>
#include <linux/weft_netlink.h>

struct nlattr;
struct nl_msg;

/* Exit status, as of ip(8) */
#define EXIT_USAGE	1	/* the command line is wrong */
#define EXIT_KERNEL	2	/* the kernel refused, or the module is absent */
/* No exit status: an object has printed its help. main.c adds the name of its page. */
#define HELPED		(-1)

/* ---- args.c ----------------------------------------------------------------------------- */

#define PORT_ADDR_MAX	4

/* Arguments of "port add"; strings point into the command line */
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

#define CPU_MAX		0xffffff	/* the kernel checks the actual limit */
#define IDLE_US_MAX	10000000

/* Arguments of "port set" */
struct port_change {
	const char *name;
	const char *engine;	/* NULL: not given */
	bool has_cpu;
	uint32_t cpu;		/* UINT32_MAX: any */
	uint32_t idle_us;	/* 0: not given */
	const char *priorities;	/* NULL: not given */
	const char *bypass;	/* NULL: not given */
	const char *doorbell;	/* NULL: not given */
	const char *rma_users;	/* NULL: not given */
	const char *histograms;	/* NULL: not given */
	const char *questions;	/* NULL: not given */
};

#define JOB_WHO_MAX	64

/* Arguments of "job add" and "job set" */
struct job_change {
	const char *name;
	const char *port;	/* NULL: all ports */
	const char *key;	/* file, "-": standard input; NULL: not given */
	bool all;		/* any user with the key may use it */
	unsigned int nuid;
	unsigned int ngid;
	uint32_t uid[JOB_WHO_MAX];
	uint32_t gid[JOB_WHO_MAX];
};

/* Arguments of "limit set" */
struct limit_change {
	const char *port;
	const char *name;
	uint64_t value;
};

/* A word that selects a function; tables end with a NULL word */
struct choice {
	const char *word;
	int (*run)(int argc, char **argv);	/* Return: exit status, HELPED */
};

/* Print "weftctl: ..." to stderr */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Return: true if @arg is @word or a prefix of it */
bool matches(const char *arg, const char *word);

/* The first choice that @arg matches, NULL: none */
const struct choice *choose(const struct choice *table, const char *arg);
/* Return: true if @arg asks for help, as a word or as an option. @whole: "help", not shortened */
bool asks_help(const char *arg, bool whole);

/*
 * These print a message and return -1 if the arguments are wrong. @argv starts after the verb.
 * parse_filter(): [[port] NAME]; *@name is NULL without a name.
 */
int parse_port_name(const char *arg);
int parse_port_add(int argc, char **argv, struct port_spec *spec);
/* NAME [force] */
int parse_port_del(int argc, char **argv, bool *force);
/* [force] */
int parse_port_flush(int argc, char **argv, bool *force);

/* Arguments of a command that ends an object: NAME ADDRESS[:SERVICE] [force] */
struct end {
	const char *port;
	struct weft_sockaddr addr;
	bool force;
};

/* @what: the command; @service: the address has a service */
int parse_end(const char *what, bool service, int argc, char **argv, struct end *end);

/* Arguments of "path probe" */
struct path_probe {
	const char *port;
	struct weft_sockaddr addr;
	uint32_t count;
	uint32_t interval;	/* ms */
	uint32_t size;
};

int parse_path_probe(int argc, char **argv, struct path_probe *probe);
int parse_port_set(int argc, char **argv, struct port_change *change);
int parse_limit_set(int argc, char **argv, struct limit_change *change);
int parse_job(const char *verb, int argc, char **argv, struct job_change *change);
int parse_filter(int argc, char **argv, const char **name);
/*
 * [show ...] or help, of an object without other commands. *@argc, *@argv: then behind the word
 * show. Return: 0: show, 1: help, -1: message printed
 */
int parse_show(const char *object, int *argc, char ***argv);

#define HAS_EP	1	/* its objects are at an endpoint */
#define HAS_AGE	2
#define HAS_TAG	4
#define NO_PID	8	/* no process owns its objects */
#define HAS_SUMS 16	/* with -s: sums over flows */

/* Words of filters that differ from object to object */
struct wait_words {
	const char *object;
	const char *peer;	/* the remote endpoint: "from", "to"; NULL: it has none */
	const char *state;	/* a word that the object has, NULL: it has none */
	unsigned int has;	/* HAS_*, NO_PID */
};

/* Arguments of "hang", and of the command show of objects that run_listing() shows */
struct wait_filter {
	const char *port;	/* NULL: all, as with all below */
	const char *ep;
	const char *peer;
	const char *state;
	uint32_t pid;		/* 0: all */
	bool has_tag;
	uint64_t tag;
	uint64_t age_ms;	/* at least so old */
	bool has_age;
	bool any;		/* a word but the port's name was given */
};

int parse_waits(const struct wait_words *words, int argc, char **argv,
		struct wait_filter *filter);
/*
 * Check the value @arg of a filter's word: an address of a node, or of an endpoint with its
 * service; "?" is one that is not known. Return: 0, -1: message printed
 */
int parse_some_addr(const char *word, const char *arg);
/* Return: true if the address @text, with a service or without, with a scope or without, fits. */
bool addr_is(const struct weft_sockaddr *addr, const char *text);

/* ---- verb.c ----------------------------------------------------------------------------- */

/* A command of an object; tables end with a NULL word. Commands without @usage are other words. */
struct verb {
	const char *word;
	int (*run)(int argc, char **argv);
	const char *usage;	/* behind the object; a line for each form, blanks continue one */
	const char *about;	/* lines that explain, NULL: none */
};

/*
 * Run the command of @object that @argv begins with; without words, the one that is called "show".
 * Answers requests for help. Return: exit status, HELPED
 */
int run_verb(const char *object, const struct verb *verbs, int argc, char **argv);

/* ---- words.c ---------------------------------------------------------------------------- */

#define GUESSES	6

/* Words that a wrong word may mean */
struct guess {
	const char *arg;
	unsigned int rank;	/* 0: @arg begins them; otherwise their distance */
	unsigned int n;
	bool more;		/* there are more than GUESSES */
	char word[GUESSES][40];
};

/*
 * Number of changes that make @a of @b: letters that are inserted, removed, replaced, or exchanged
 * with the next one; UINT_MAX: the words are too long
 */
unsigned int word_distance(const char *a, const char *b);
void guess_begin(struct guess *g, const char *arg);
/* Consider a word. The nearest ones are kept. */
void guess_word(struct guess *g, const char *word);
/* "; did you mean ...?", empty: no word is near. Valid until the next call. */
const char *guess_text(const struct guess *g);
/* The same for the words of @list, which has blanks between them */
const char *guess_of(const char *arg, const char *list);

/* ---- color.c ---------------------------------------------------------------------------- */

enum color { NO_COLOR, COLOR_NAME, COLOR_MAC, COLOR_INET, COLOR_INET6, COLOR_GOOD, COLOR_BAD };

/* Parse "always", "auto", "never", NULL: always. Return: 0, -1: no such word */
int color_mode(const char *word);
/* With "auto", as without a mode: on a terminal, unless NO_COLOR is set. Decided once for a mode */
bool color_wanted(void);
/* The colour of a value: of states, devices, Ethernet addresses, and addresses of endpoints */
enum color color_of(const char *key, const char *val);
/* Begin and end a colour; both are empty for NO_COLOR, or without colours. */
const char *color_on(enum color color);
const char *color_off(enum color color);

/* ---- brief.c ---------------------------------------------------------------------------- */

/*
 * A table of the columns that @columns names, with blanks between them. Values of other columns are
 * left out, several values of one share it. The table is printed at its end. @head: with a head
 */
void brief_begin(const char *columns, bool head);
bool brief_has(const char *columns, const char *key);
void brief_row(void);
void brief_cell(const char *key, const char *val);
void brief_end(void);

/* ---- details.c -------------------------------------------------------------------------- */

/* What a word means that the kernel has as the value of @attr; NULL: the word says it all */
const char *meaning(uint16_t attr, const char *word);
/* Print what a counter of an endpoint or path counts. */
void note_counter(const char *name);
/* Consider all words of @attr that have a meaning. */
void guess_meanings(struct guess *g, uint16_t attr);

/* ---- netns.c ---------------------------------------------------------------------------- */

/*
 * Enter a network namespace: a name below /run/netns, a path, or the number of a process. Return:
 * 0, -1: message printed
 */
int enter_netns(const char *name);
/* ---- behind.c ---------------------------------------------------------------------------- */

/* What the value of an option is, and the type of the variable that takes it */
enum behind_kind {
	BEHIND_FLAG,		/* none: bool */
	BEHIND_SECONDS,		/* seconds: uint64_t, milliseconds */
	BEHIND_COUNT,		/* a number from 1: uint32_t */
	BEHIND_WORD,		/* const char *, into the command line */
};

/* An option behind the name of an object; tables end with a NULL name */
struct behind {
	const char *brief;	/* "-i", NULL: none */
	const char *name;	/* "--interval" */
	enum behind_kind kind;
	void *to;
};

/*
 * Take the options of @table out of @argv, wherever they are. Return: 0, -1: message printed
 */
int take_options(const char *object, int *argc, char **argv, const struct behind *table);

/* ---- seen.c ----------------------------------------------------------------------------- */

/* Monotonic time in milliseconds */
uint64_t now_ms(void);

/* ---- output.c --------------------------------------------------------------------------- */

/* Form of a value in a line of text; in JSON each is a member named key */
enum out_style {
	OUT_LEAD,		/* value: */
	OUT_BARE,		/* value */
	OUT_KEY,		/* key value */
};

void out_mode(bool json, bool pretty);
bool out_is_json(void);
/* Descriptions are wanted; the counters are for Prometheus, whatever out_mode() said. */
void out_more(bool details, bool metrics);
bool out_has_details(void);
bool out_is_metrics(void);
/* Each object is one line, or a row of a table (JSON: with the members of its columns only). */
void out_form(bool oneline, bool brief);
bool out_is_brief(void);
/* More counters are wanted. */
void out_count(bool statistics);
bool out_has_statistics(void);
/* Values with this key are left out; NULL: none */
void out_hide(const char *key);
/* Columns of the next output, if it is brief; without them it is not */
void out_columns(const char *columns);
/* The end of a line within an object: with out_form(), a backslash */
char out_line_end(void);
/*
 * The whole output, an object, a list of values or objects within an object. An object or a list
 * that is in no other ends with a new line.
 */
void out_begin(void);
void out_end(void);
void out_open(void);
void out_close(void);
void out_list_open(const char *key);
void out_list_close(void);
void out_str(const char *key, enum out_style style, const char *val);
void out_uint(const char *key, enum out_style style, uint64_t val);
/* A time in nanoseconds since 1970, as local time (ISO 8601) */
void out_time(const char *key, enum out_style style, uint64_t ns);
/* A number with one decimal */
void out_tenths(const char *key, enum out_style style, uint64_t tenths);
void out_mac(const char *key, enum out_style style, const uint8_t *mac);
/* A number in hexadecimal digits, in JSON as text: it may have 64 bits */
void out_hex(const char *key, enum out_style style, uint64_t val);
void out_addr(const char *key, enum out_style style, const struct weft_sockaddr *addr);
/* A text about the object; as text it has a line of its own */
void out_note(const char *key, const char *text);

#define ADDR_TEXT	96

/* Write an address as text, with its service unless that is 0 */
void addr_text(char text[ADDR_TEXT], const struct weft_sockaddr *addr);

/* ---- netlink.c -------------------------------------------------------------------------- */

typedef void (*answer_fn)(struct nlattr *attrs, int len, const void *arg);

/* Find the module, and have it loaded. Return: 0, -1: message printed */
int find_family(void);
/* A child process must not share the socket of its parent: its requests then open another one. */
void netlink_forget(void);
/* Create a request; NULL: message printed. @dump: request all objects */
struct nl_msg *request(uint8_t cmd, bool dump);
/*
 * Send a request, pass each answer with @arg to @answer (may be NULL), and release it. @what and
 * @name (may be NULL) are for error messages. Return: exit status; after a refusal of the kernel,
 * errno is its reason.
 */
int perform(struct nl_msg *msg, answer_fn answer, const void *arg, const char *what,
	    const char *name);
/* The same; failures are not reported. Return: 0, a negative errno */
int perform_quietly(struct nl_msg *msg, answer_fn answer, const void *arg);
/* Request all objects, of @port unless NULL; failures are not reported. Return: 0, -1: failed */
int ask_quietly(uint8_t cmd, const char *port, answer_fn answer, const void *arg);

/* ---- blame.c ---------------------------------------------------------------------------- */

/*
 * Report that the kernel has refused the request @attrs, with the text @why, and which argument it
 * is about. @at: the attribute to which the kernel points, NULL: none; @what, @name: as perform()
 */
void complain_refused(const char *what, const char *name, const char *why, const struct nlattr *at,
		      struct nlattr *attrs, int len);
/*
 * Is there a port of the name with which guess_begin() has begun? @guess then has the names of
 * ports. Return: true, too, if the kernel does not say
 */
bool find_port(struct guess *guess);

/* ---- netlink.c, lists ------------------------------------------------------------------- */

/* Attributes of an object */
struct answer {
	struct nlattr *attrs;
	int len;
};

/* Objects, in the order of the answers */
struct answers {
	struct answer *all;
	size_t n;
	size_t room;
	bool short_of_memory;
};

/*
 * Request all objects of a port (NULL: of all ports), and keep those that @wanted permits (NULL:
 * all). Return: exit status, as of perform(); release() frees them in any case.
 */
int collect(uint8_t cmd, const char *what, const char *port,
	    bool (*wanted)(struct nlattr *attrs, int len, const void *arg), const void *arg,
	    struct answers *to);
void release(struct answers *answers);

/* A command that ends objects of a kind */
struct ending {
	const char *what;	/* the command: "path del" */
	const char *noun;	/* an object: "path" */
	uint8_t cmd;		/* the request */
	int attr;		/* the address that names the object */
	bool service;		/* it has a service */
	uint8_t users;		/* what names programs that use the object: a dump, */
	const char *dump;	/* its command, and a test of its objects */
	bool (*uses)(struct nlattr *attrs, int len, const void *addr_text);
};

/* Return: exit status */
int run_end(const struct ending *e, int argc, char **argv);

/*
 * Copy the name of a process (@attr may be NULL). Its user chooses it, and it is printed on a
 * terminal: other characters become "?".
 */
void copy_name(char *name, size_t size, const struct nlattr *attr);

/* ---- objects.c and the files of each object --------------------------------------------- */

enum kind { STR, UINT, SUM, HEX, MS, TIME, FLAG, YES, MAC, ADDR, ADDRS, UINTS };

/*
 * A value of an object. Values are printed in the order of the table. ADDRS and UINTS may repeat. A
 * FLAG that is present prints "all", a YES "yes". MS: nanoseconds, printed in milliseconds.
 * TIME: nanoseconds since 1970. SUM: a number that is printed only with -s
 */
struct field {
	uint16_t attr;
	enum kind kind;
	enum out_style style;
	const char *key;	/* NULL: end */
};

/*
 * Sums over the flows of endpoints, or of paths (@peers): of what is under way on each, and how old
 * it is
 */
struct sums {
	bool peers;
	struct answers flows;
};

/* Read all flows of a port (NULL: of all). Return: exit status; release_sums() in any case */
int collect_sums(struct sums *sums, const char *what, const char *port);
/* Print the sums of the object with these attributes, within it. */
void print_sums(const struct sums *sums, struct nlattr *attrs, int len);
/* Print what these sums count. */
void print_sums_meanings(void);
void release_sums(struct sums *sums);

/* Print an object with these attributes; @fields: a table of struct field */
void print_object(struct nlattr *attrs, int len, const void *fields);
/* The same, with sums unless they are NULL */
void print_object_sums(struct nlattr *attrs, int len, const struct field *fields,
		       const struct sums *sums);
uint64_t get_uint(const struct nlattr *attr);
/* The value of the attribute @type; 0, an empty text, an address of family 0: there is none */
uint64_t find_uint(struct nlattr *attrs, int len, int type);
void find_text(char *to, size_t size, struct nlattr *attrs, int len, int type);
bool find_addr(struct weft_sockaddr *to, struct nlattr *attrs, int len, int type);

/* A kind of object that run_listing() shows; 0 as an attribute: it has none. waits.c */
struct listing {
	struct wait_words words;
	uint8_t cmd;
	uint16_t peer;
	uint16_t state;
	const struct field *fields;
	const char *columns;	/* of a brief output */
	const char *shows;
	const char *states;	/* what its state may be, for the help */
};

/* Show the objects that fit a filter. Return: exit status */
int show_listing(const struct listing *l, int argc, char **argv);
/* The command show of an object, with filters, and its help. Return: exit status, HELPED */
int run_listing(const struct listing *l, int argc, char **argv);

int do_port(int argc, char **argv);
int do_ep(int argc, char **argv);
int do_ctx(int argc, char **argv);
int do_path(int argc, char **argv);
int do_stats(int argc, char **argv);
int do_neigh(int argc, char **argv);
int do_user(int argc, char **argv);
int do_recv(int argc, char **argv);
int do_msg(int argc, char **argv);
int do_send(int argc, char **argv);
int do_flow(int argc, char **argv);
int do_conn(int argc, char **argv);
int do_cq(int argc, char **argv);
int do_srq(int argc, char **argv);
int do_mr(int argc, char **argv);
int do_hang(int argc, char **argv);
int do_histogram(int argc, char **argv);
int do_event(int argc, char **argv);
int do_monitor(int argc, char **argv);
int do_top(int argc, char **argv);
int do_report(int argc, char **argv);
int do_limit(int argc, char **argv);
int do_job(int argc, char **argv);

int show_ports(int argc, char **argv);
int show_eps(int argc, char **argv);
int show_paths(int argc, char **argv);
int probe_path(int argc, char **argv);
int show_limits(int argc, char **argv);
int show_jobs(int argc, char **argv);

/* Print histograms, answers to WEFT_CMD_HIST_GET, of ports that measure, for Prometheus. */
void metrics_histograms(const struct answers *all);

/* ---- batch.c, apply.c ------------------------------------------------------------------- */

#define WORDS_MAX	64

/*
 * Read a command of one or more lines into *@text, which the caller frees; @n counts lines. Return:
 * 1, 0: the end, -1: message printed
 */
int read_command(FILE *f, const char *name, unsigned int *n, char **text);
/* Split @line into up to WORDS_MAX words. Return: number of words, -1: too many, message printed */
int split_command(char *line, char **words);

/*
 * Call @run for each command of the file @name ("-": standard input). Stops at the first failure,
 * unless @force. Return: the worst exit status.
 */
int run_batch(const char *name, bool force, int (*run)(int argc, char **argv));
/*
 * Call @run only for what the file @name changes, compared with the file @state. Takes back what
 * @name no longer has, and writes the commands in effect to @state. Return: as run_batch()
 */
int apply_batch(const char *name, const char *state, bool force,
		int (*run)(int argc, char **argv));

/* ---- whole.c ----------------------------------------------------------------------------- */

/*
 * Begin to write the file @name, for this user alone. One file can be written at a time. Return: a
 * file descriptor, -1: errno says why
 */
int whole_begin(const char *name);
/* End: @name has what was written to @fd. Return: 0, -1: errno says why, and nothing has changed */
int whole_end(int fd, const char *name);
/* Give up: nothing has changed. errno stays. */
void whole_drop(int fd);

/* ---- module.c --------------------------------------------------------------------------- */

/* Print the versions of weftctl and of the module that is loaded; tell if another is installed. */
void print_versions(void);

#endif /* _WEFTCTL_H */
