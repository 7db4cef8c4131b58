// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weftctl without a kernel: what wrong words may mean, messages about them, help, colours, tables
 *
 * Built together with args.c, words.c, verb.c, netns.c, output.c, brief.c, color.c and details.c of
 * lib/weftctl. TAP on stdout.
 */
#include <arpa/inet.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../../lib/weftctl/weftctl.h"
#include "split.h"
#include "tap.h"

/* A stream whose text is read later */
struct caught {
	FILE *was;
	char *text;
	size_t len;
};

static void catch_on(FILE **stream, struct caught *c)
{
	fflush(*stream);
	c->was = *stream;
	*stream = open_memstream(&c->text, &c->len);
}

static void catch_off(FILE **stream, struct caught *c)
{
	fclose(*stream);
	*stream = c->was;
}

static void test_distance(void)
{
	static const struct {
		const char *a;
		const char *b;
		unsigned int far;
	} cases[] = {
		{ "", "", 0 }, { "port", "port", 0 }, { "", "port", 4 }, { "port", "", 4 },
		{ "prot", "port", 1 }, { "por", "port", 1 }, { "portx", "port", 1 },
		{ "pxrt", "port", 1 }, { "kitten", "sitting", 3 }, { "flow", "lawn", 3 },
		{ "ca", "abc", 3 }, { "limti", "limit", 1 }, { "msg", "send", 4 },
	};
	char longest[41], longer[42];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK(word_distance(cases[i].a, cases[i].b) == cases[i].far);
		CHECK(word_distance(cases[i].b, cases[i].a) == cases[i].far);
	}
	memset(longest, 'a', 40);
	longest[40] = 0;
	memset(longer, 'a', 41);
	longer[41] = 0;
	CHECK(word_distance(longest, "") == 40 && word_distance(longest, longest) == 0);
	CHECK(word_distance(longer, "") == UINT_MAX && word_distance("", longer) == UINT_MAX);
}

static void test_guess(void)
{
	static const char limits[] = "unexpected-node unexpected-endpoint messages-user paths jobs";
	char many[200] = "";
	struct guess g;
	char word[8];
	int i;

	CHECK(!strcmp(guess_of("prot", "port path ep"), "; did you mean \"port\"?"));
	/* all words that it begins, and no others */
	CHECK(!strcmp(guess_of("unexp", limits),
		      "; did you mean \"unexpected-node\" or \"unexpected-endpoint\"?"));
	/* a long word may have more mistakes */
	CHECK(!strcmp(guess_of("unexpektet-nod", limits), "; did you mean \"unexpected-node\"?"));
	/* of several, the nearest; those of one distance together */
	CHECK(!strcmp(guess_of("weft2", "weft10 weft0 weft1"),
		      "; did you mean \"weft0\" or \"weft1\"?"));
	CHECK(!strcmp(guess_of("weft2", "weft1 weft1"), "; did you mean \"weft1\"?"));
	/* nothing in common, or too far */
	CHECK(!*guess_of("xy", "ep") && !*guess_of("nonesuch", limits) && !*guess_of("", "ep"));
	CHECK(!*guess_of("abcd", "port") && !*guess_of("port", "") && !*guess_of("port", "port"));
	/* there may be more than are told */
	for (i = 0; i < GUESSES; i++) {
		snprintf(word, sizeof(word), "ab%d ", i);
		strcat(many, word);
	}
	CHECK(strstr(guess_of("ab", many), " or \"ab5\"?") && !strstr(guess_of("ab", many), "..."));
	strcat(many, "ab6");
	CHECK(strstr(guess_of("ab", many), ", \"ab5\", ...?"));
	/* words that the kernel has may be long */
	guess_begin(&g, "a");
	guess_word(&g, "a-word-that-is-far-longer-than-those-that-are-kept");
	CHECK(!*guess_text(&g));
	guess_begin(&g, "credti");
	guess_meanings(&g, WEFT_ATTR_FOR);
	CHECK(!strcmp(guess_text(&g), "; did you mean \"credit\"?"));
}

/* Parsers with one signature */
static int add_of(int argc, char **argv)
{
	struct port_spec spec;

	return parse_port_add(argc, argv, &spec);
}

static int set_of(int argc, char **argv)
{
	struct port_change change;

	return parse_port_set(argc, argv, &change);
}

static int del_of(int argc, char **argv)
{
	bool force;

	return parse_port_del(argc, argv, &force);
}

static int flush_of(int argc, char **argv)
{
	bool force;

	return parse_port_flush(argc, argv, &force);
}

static int limit_of(int argc, char **argv)
{
	struct limit_change change;

	return parse_limit_set(argc, argv, &change);
}

static int path_of(int argc, char **argv)
{
	struct end end;

	return parse_end("path del", false, argc, argv, &end);
}

static int probe_of(int argc, char **argv)
{
	struct path_probe probe;

	return parse_path_probe(argc, argv, &probe);
}

static int cq_of(int argc, char **argv)
{
	static const struct wait_words words = { "cq", NULL, "kind", HAS_AGE };
	struct wait_filter filter;

	return parse_waits(&words, argc, argv, &filter);
}

static int job_of(int argc, char **argv)
{
	struct job_change change;

	return parse_job("add", argc, argv, &change);
}

static int filter_of(int argc, char **argv)
{
	const char *name;

	return parse_filter(argc, argv, &name);
}

static int show_of(int argc, char **argv)
{
	return parse_show("ep", &argc, &argv);
}

static int recv_of(int argc, char **argv)
{
	static const struct wait_words words = { "recv", "from", NULL, HAS_EP | HAS_AGE | HAS_TAG };
	struct wait_filter filter;

	return parse_waits(&words, argc, argv, &filter);
}

static int send_of(int argc, char **argv)
{
	static const struct wait_words words = { "send", "to", "for", HAS_EP | HAS_AGE | HAS_TAG };
	struct wait_filter filter;

	return parse_waits(&words, argc, argv, &filter);
}

/* Each message names what is wrong, and the word that may have been meant. */
static void test_messages(void)
{
	static const struct {
		int (*parse)(int argc, char **argv);
		const char *line;
		const char *says[2];
	} cases[] = {
		{ add_of, "", { "needs a name" } },
		{ add_of, "w lop addr 10.0.0.1", { "\"lop\"", "mean \"loop\"?" } },
		{ add_of, "w loop adrr 10.0.0.1", { "\"adrr\"", "mean \"addr\"?" } },
		{ add_of, "w vnet x queus 2", { "\"queus\"", "mean \"queues\"?" } },
		{ add_of, "w loop addr 10.0.0", { "\"10.0.0\" is no IPv4" } },
		{ add_of, "w loop udp 65536", { "\"65536\" is no UDP port" } },
		{ add_of, "w addr 10.0.0.1", { "port add w: which driver" } },
		{ add_of, "a-name-that-is-too-long loop", { "\"a-name-that-is-too-long\"" } },
		{ set_of, "", { "needs a name" } },
		{ set_of, "w", { "port set w: what" } },
		{ set_of, "w enigne poll", { "\"enigne\"", "mean \"engine\"?" } },
		{ set_of, "w engine pool", { "\"pool\" is no engine", "mean \"poll\"?" } },
		{ set_of, "w engine", { "engine needs a value" } },
		{ set_of, "w rma-user same doorbel ioctl dorbell ioctl",
		  { "\"dorbell\"", "mean \"doorbell\"?" } },
		{ set_of, "w doorbell octl", { "doorbell octl: it must", "mean \"ioctl\"?" } },
		{ set_of, "w cpu x", { "\"x\" is no CPU" } },
		{ del_of, "", { "port del needs a name" } },
		{ del_of, "w froce", { "port del w: \"froce\"", "mean \"force\"?" } },
		{ del_of, "w force now", { "port del w: \"now\" is too much" } },
		{ flush_of, "fore", { "\"fore\" is too much", "mean \"force\"?" } },
		{ limit_of, "w paths", { "takes a port, a limit and a value" } },
		{ limit_of, "w paths many", { "\"many\" is no value" } },
		{ limit_of, "a-name-that-is-too-long paths 1", { "\"a-name-that-is-too-long\"" } },
		{ path_of, "weft0", { "path del needs a port and an address" } },
		{ path_of, "weft0 10.77", { "\"10.77\" is no IPv4 or IPv6 address" } },
		{ path_of, "weft0 10.77.0.1 farce",
		  { "\"farce\" is too much", "mean \"force\"?" } },
		{ path_of, "weft0 10.77.0.1 force now", { "\"now\" is too much" } },
		{ probe_of, "weft0", { "path probe needs a port and an address" } },
		{ probe_of, "weft0 10.77.0.1 conut 5", { "\"conut\"", "mean \"count\"?" } },
		{ probe_of, "weft0 10.77.0.1 size", { "size needs a value" } },
		{ probe_of, "weft0 10.77.0.1 size 5",
		  { "\"5\" is no number of bytes", "from 60 to 65000" } },
		{ cq_of, "weft0 ep 10.77.0.1", { "unknown word \"ep\"" } },
		{ cq_of, "weft0 tag 1", { "unknown word \"tag\"" } },
		{ cq_of, "weft0 kidn queue", { "\"kidn\"", "mean \"kind\"?" } },
		{ job_of, "", { "job add needs a name" } },
		{ job_of, "lab keys f", { "\"keys\"", "mean \"key\"?" } },
		{ job_of, "lab grup staff", { "\"grup\"", "mean \"group\"?" } },
		{ job_of, "lab user nobody-of-that-name",
		  { "there is no user \"nobody-of-that-name\"" } },
		{ filter_of, "prt weft0", { "\"prt\" is not known", "mean \"port\"?" } },
		{ filter_of, "weft0 weft1", { "\"weft1\" is too much" } },
		{ show_of, "shwo", { "ep shwo: no such command", "mean \"show\"?" } },
		{ recv_of, "fromm 10.0.0.1", { "\"fromm\"", "mean \"from\"?" } },
		{ recv_of, "weft0 tga 1", { "\"tga\"", "mean \"tag\"?" } },
		{ recv_of, "weft0 state open", { "\"state\"" } },
		{ recv_of, "tag x", { "\"x\" is no number for \"tag\"" } },
		{ recv_of, "pid", { "a value is missing after \"pid\"" } },
		{ send_of, "pid 7 fro credit", { "\"fro\"", "mean \"for\"?" } },
	};
	struct caught err;
	char *argv[WORDS];
	int argc, ret;
	size_t i, k;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		argc = split(cases[i].line, argv);
		catch_on(&stderr, &err);
		ret = cases[i].parse(argc, argv);
		catch_off(&stderr, &err);
		CHECK(ret == -1);
		for (k = 0; k < 2 && cases[i].says[k]; k++) {
			if (strstr(err.text, cases[i].says[k]))
				continue;
			fprintf(tap_to, "# %s: %s", cases[i].line, err.text);
			test_ok = 0;
		}
		/* nothing is guessed where nothing is near */
		if (!cases[i].says[1] && strstr(err.text, "did you mean")) {
			fprintf(tap_to, "# %s: %s", cases[i].line, err.text);
			test_ok = 0;
		}
		free(err.text);
	}
}

static int ran, ran_argc;

static int run_show(int argc, char **argv)
{
	ran = 1;
	ran_argc = argc;
	return 0;
}

static int run_set(int argc, char **argv)
{
	ran = 2;
	ran_argc = argc;
	return EXIT_KERNEL;
}

static const struct verb verbs[] = {
	{ "set", run_set, "set NAME\n         [VALUE]\nset all", "NAME: a name" },
	{ "show", run_show, "[show]", "shows it" },
	{ "list", run_show, NULL, NULL },
	{ 0 }
};

/* Run @line. Return: exit status, with what has been printed to @out and @err, to be freed */
static int verb(const char *line, struct caught *out, struct caught *err)
{
	char *argv[WORDS];
	int argc = split(line, argv), ret;

	ran = 0;
	catch_on(&stdout, out);
	catch_on(&stderr, err);
	ret = run_verb("thing", verbs, argc, argv);
	catch_off(&stderr, err);
	catch_off(&stdout, out);
	return ret;
}

static const char all_help[] =
	"Usage: weftctl thing set NAME\n"
	"                              [VALUE]\n"
	"       weftctl thing set all\n"
	"       weftctl thing [show]\n"
	"       weftctl thing [COMMAND] help\n"
	"NAME: a name\n"
	"shows it\n";

static const char set_help[] =
	"Usage: weftctl thing set NAME\n"
	"                              [VALUE]\n"
	"       weftctl thing set all\n"
	"NAME: a name\n";

static const char show_help[] = "Usage: weftctl thing [show]\nshows it\n";

static void test_verbs(void)
{
	static const struct {
		const char *line;
		int status;
		int ran;
		const char *out;
		const char *err;	/* NULL: nothing */
	} cases[] = {
		{ "", 0, 1, "", NULL }, { "sh", 0, 1, "", NULL }, { "list a b", 0, 1, "", NULL },
		{ "s", EXIT_KERNEL, 2, "", NULL }, { "set x", EXIT_KERNEL, 2, "", NULL },
		{ "help", HELPED, 0, all_help, NULL }, { "h", HELPED, 0, all_help, NULL },
		{ "-h", HELPED, 0, all_help, NULL }, { "--help", HELPED, 0, all_help, NULL },
		{ "set help", HELPED, 0, set_help, NULL }, { "set -h", HELPED, 0, set_help, NULL },
		{ "show help", HELPED, 0, show_help, NULL },
		{ "list help", HELPED, 0, show_help, NULL },
		/* names may begin like help */
		{ "set h", EXIT_KERNEL, 2, "", NULL }, { "set help me", EXIT_KERNEL, 2, "", NULL },
		{ "shwo", EXIT_USAGE, 0, "", "thing shwo: no such command, try \"weftctl thing "
		  "help\"; did you mean \"show\"?" },
		{ "hlep", EXIT_USAGE, 0, "", "mean \"help\"?" },
	};
	struct caught out, err;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int status = verb(cases[i].line, &out, &err);

		if (status != cases[i].status || ran != cases[i].ran ||
		    strcmp(out.text, cases[i].out) || (!cases[i].err && *err.text) ||
		    (cases[i].err && !strstr(err.text, cases[i].err))) {
			fprintf(tap_to, "# %s: status %d, ran %d, %s%s\n", cases[i].line, status,
				ran, out.text, err.text);
			test_ok = 0;
		}
		free(out.text);
		free(err.text);
	}
	verb("set a b", &out, &err);
	CHECK(ran_argc == 2);
	free(out.text);
	free(err.text);
}

static void test_color(void)
{
	unsetenv("COLORFGBG");
	unsetenv("NO_COLOR");
	CHECK(color_mode("sometimes") == -1);
	CHECK(!color_mode(NULL) && color_wanted());
	CHECK(!color_mode("never") && !color_wanted() && !*color_on(COLOR_NAME));
	CHECK(!*color_off(COLOR_NAME));
	/* the output of this test is no terminal, or NO_COLOR is set */
	setenv("NO_COLOR", "1", 1);
	CHECK(!color_mode("auto") && !color_wanted());
	/* what is asked for explicitly counts more */
	CHECK(!color_mode("always") && color_wanted());
	CHECK(!strcmp(color_on(COLOR_GOOD), "\033[32m"));
	CHECK(!strcmp(color_off(COLOR_GOOD), "\033[0m"));
	CHECK(!*color_on(NO_COLOR) && !*color_off(NO_COLOR));
	setenv("COLORFGBG", "15;0", 1);
	CHECK(!strcmp(color_on(COLOR_INET6), "\033[1;34m"));
	setenv("COLORFGBG", "0;15", 1);
	CHECK(!strcmp(color_on(COLOR_INET6), "\033[34m"));
	unsetenv("COLORFGBG");
	unsetenv("NO_COLOR");
	CHECK(color_of("name", "weft0") == COLOR_NAME && color_of("netdev", "eth0") == COLOR_NAME);
	CHECK(color_of("mac", "52:54:00:00:00:01") == COLOR_MAC);
	CHECK(color_of("addr", "10.77.0.1") == COLOR_INET);
	CHECK(color_of("peer", "[fd77::1]:7") == COLOR_INET6);
	CHECK(color_of("ep", "10.77.0.1:7") == COLOR_INET && color_of("ep", "7") == NO_COLOR);
	CHECK(color_of("path", "3") == NO_COLOR && color_of("path", "fd77::1") == COLOR_INET6);
	CHECK(color_of("state", "up") == COLOR_GOOD && color_of("state", "dead") == COLOR_BAD);
	CHECK(color_of("state", "hello") == NO_COLOR && color_of("mtu", "1500") == NO_COLOR);
	color_mode("never");
}

/* Two objects. Return: the text, to be freed */
static char *print(const char *columns)
{
	struct weft_sockaddr a4 = { .family = AF_INET, .addr = { 10, 77, 0, 1 } };
	struct weft_sockaddr a6 = { .family = AF_INET6, .addr = { 0xfd, 0x77 } };
	struct caught out;

	catch_on(&stdout, &out);
	out_columns(columns);
	out_begin();
	out_open();
	out_str("name", OUT_LEAD, "weft0");
	out_str("state", OUT_KEY, "up");
	out_uint("mtu", OUT_KEY, 1500);
	out_list_open("addr");
	out_addr("addr", OUT_KEY, &a4);
	out_addr("addr", OUT_KEY, &a6);
	out_list_close();
	out_list_open("gw");
	out_addr("gw", OUT_KEY, &a4);
	out_list_close();
	out_note("text", "what it is");
	out_close();
	out_open();
	out_str("name", OUT_LEAD, "a\033");
	out_uint("mtu", OUT_KEY, 9000);
	out_list_open("addr");
	out_list_close();
	out_close();
	out_end();
	catch_off(&stdout, &out);
	return out.text;
}

static void check_print(const char *columns, const char *is)
{
	char *text = print(columns);

	if (strcmp(text, is)) {
		fprintf(tap_to, "# %s\n# instead of: %s\n", text, is);
		test_ok = 0;
	}
	free(text);
}

static void test_lines(void)
{
	check_print("mtu name", "weft0: state up mtu 1500 addr 10.77.0.1 addr fd77:: gw 10.77.0.1\n"
		    "    what it is\na?: mtu 9000\n");
	out_form(true, false);
	check_print("mtu name", "weft0: state up mtu 1500 addr 10.77.0.1 addr fd77:: gw 10.77.0.1\\"
		    "    what it is\na?: mtu 9000\n");
	color_mode("always");
	check_print(NULL, "\033[36mweft0\033[0m: state \033[32mup\033[0m mtu 1500 "
		    "addr \033[35m10.77.0.1\033[0m addr \033[34mfd77::\033[0m gw 10.77.0.1\\"
		    "    what it is\n\033[36ma?\033[0m: mtu 9000\n");
	/* JSON has no colours */
	out_mode(true, false);
	check_print(NULL, "[{\"name\":\"weft0\",\"state\":\"up\",\"mtu\":1500,"
		    "\"addr\":[\"10.77.0.1\",\"fd77::\"],\"gw\":[\"10.77.0.1\"],"
		    "\"text\":\"what it is\"},"
		    "{\"name\":\"a\\u001b\",\"mtu\":9000,\"addr\":[]}]\n");
	color_mode("never");
	out_mode(false, false);
	out_form(false, false);
}

static void test_brief(void)
{
	out_form(false, true);
	/* a column for each name, in their order; the last one has no blanks behind it */
	check_print("name state mtu addr", "weft0  up  1500  10.77.0.1,fd77::\n"
		    "a?     -   9000  -\n");
	check_print("mtu state", "1500  up\n9000  -\n");
	check_print("stat other", "-  -\n-  -\n");
	out_more(true, false);
	check_print("name state mtu", "name   state  mtu\nweft0  up     1500\na?     -      9000\n");
	out_more(false, false);
	/* escapes do not change the widths */
	color_mode("always");
	check_print("name state", "\033[36mweft0\033[0m  \033[32mup\033[0m\n"
		    "\033[36ma?\033[0m     -\n");
	color_mode("never");
	/* JSON has the members of the columns */
	out_mode(true, false);
	check_print("mtu addr", "[{\"mtu\":1500,\"addr\":[\"10.77.0.1\",\"fd77::\"]},"
		    "{\"mtu\":9000,\"addr\":[]}]\n");
	out_mode(false, false);
	/* what has no columns is printed in full, also after a table */
	check_print(NULL, "weft0: state up mtu 1500 addr 10.77.0.1 addr fd77:: gw 10.77.0.1\n"
		    "    what it is\na?: mtu 9000\n");
	out_form(false, false);
}

static void test_netns(void)
{
	static const char *const cases[][2] = {
		{ "no-namespace-of-that-name", "there is no network namespace \"no-namesp" },
		{ "", "there is no network namespace \"\"" },
		{ ".", "there is no network namespace \".\"" },
		{ "999999999", "there is no network namespace \"999999999\"" },
		{ "/nonesuch/netns", "there is no network namespace \"/nonesuch/netns\"" },
		{ "/etc/passwd", "/etc/passwd is no network namespace" },
	};
	struct caught err;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		catch_on(&stderr, &err);
		CHECK(enter_netns(cases[i][0]) == -1);
		catch_off(&stderr, &err);
		CHECK(strstr(err.text, cases[i][1]));
		free(err.text);
	}
}

static const struct test tests[] = {
	{ "distances of words", test_distance },
	{ "words that may be meant", test_guess },
	{ "messages about wrong words", test_messages },
	{ "commands of an object, and their help", test_verbs },
	{ "colours", test_color },
	{ "lines and JSON", test_lines },
	{ "tables", test_brief },
	{ "no such network namespace", test_netns },
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]), NULL, NULL);
}
