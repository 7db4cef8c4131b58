// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weftctl: rates of counters, the file of a baseline, options behind an object's name
 *
 * Built together with rates.c, behind.c, args.c and output.c of lib/weftctl. TAP on stdout.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../lib/weftctl/rates.h"
#include "../../lib/weftctl/weftctl.h"
#include "tap.h"

/* ---- Counters --------------------------------------------------------------------------- */

static void put(struct counts *to, const char *port, const char *name, uint64_t value)
{
	struct count *c = counts_more(to);

	strcpy(c->port, port);
	strcpy(c->name, name);
	c->value = value;
}

static void test_since(void)
{
	struct counts base = { 0 }, now = { 0 }, copy = { 0 };

	put(&base, "weft0", "a", 10);
	put(&base, "weft0", "b", 5);
	put(&base, "weft1", "a", 100);
	put(&base, "weft1", "b", 7);
	put(&now, "weft0", "a", 12);
	put(&now, "weft0", "new", 3);
	put(&now, "weft0", "b", 5);
	/* made anew: one counter went down, the other one has passed its old value */
	put(&now, "weft1", "a", 120);
	put(&now, "weft1", "b", 1);
	put(&now, "weft2", "a", 9);
	CHECK(!counts_copy(&copy, &now));
	CHECK(!counts_anew(&now, &base, "weft0") && counts_anew(&now, &base, "weft1"));
	CHECK(!counts_anew(&now, &base, "weft2"));
	counts_since(&now, &base);
	CHECK(now.all[0].value == 2 && now.all[1].value == 3 && now.all[2].value == 0);
	CHECK(now.all[3].value == 120 && now.all[4].value == 1 && now.all[5].value == 9);
	CHECK(copy.n == 6 && copy.all[0].value == 12 && !strcmp(copy.all[5].port, "weft2"));
	counts_since(&copy, &(struct counts){ 0 });
	CHECK(copy.all[0].value == 12);
	counts_free(&base);
	counts_free(&now);
	counts_free(&copy);
}

static void test_rate(void)
{
	CHECK(rate_of(0, 1000000000) == 0);
	CHECK(rate_of(10, 1000000000) == 100);
	CHECK(rate_of(1, 3000000000u) == 3);
	CHECK(rate_of(2, 3000000000u) == 7);
	CHECK(rate_of(5, 0) == 0);
	CHECK(rate_of(UINT64_MAX, 1) == UINT64_MAX);
	CHECK(rate_of(1, UINT64_MAX) == 0);

	CHECK(count_between(5, 5) == 0 && count_between(5, 12) == 7);
	/* it wraps, or is another flow */
	CHECK(count_between(UINT32_MAX, 9) == 10);
	CHECK(count_between(5000, 9) == 9);
}

static void test_rate_text(void)
{
	static const struct {
		uint64_t tenths;
		const char *text;
	} all[] = {
		{ 0, "0.0" }, { 123, "12.3" }, { 9999, "999.9" }, { 10000, "1000" },
		{ 999999, "99999" }, { 1000000, "100.0k" }, { 9999999, "999.9k" },
		{ 10000000, "1.0M" }, { 45600000, "4.5M" }, { 12345678900, "1.2G" },
		{ UINT64_MAX, "1.8E" },
	};
	char text[RATE_TEXT];
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		rate_text(text, all[i].tenths);
		if (strcmp(text, all[i].text)) {
			fprintf(tap_to, "# %s instead of %s\n", text, all[i].text);
			test_ok = 0;
		}
	}
}

static void test_seconds(void)
{
	static const char *const wrong[] = {
		"", ".", ".5", "0", "0.0", "0.05", "0.099", "1.", "1.2345", "-1", "+1", "1s", " 1",
		"1 ", "86401", "86400.001", "1000000", "99999999999999999999", "1e3", "0x10", "inf",
		"nan", "1,5",
	};
	uint64_t ms = 0;
	size_t i;

	CHECK(!parse_seconds("1", &ms) && ms == 1000);
	CHECK(!parse_seconds("0.1", &ms) && ms == 100);
	CHECK(!parse_seconds("2.25", &ms) && ms == 2250);
	CHECK(!parse_seconds("0.125", &ms) && ms == 125);
	CHECK(!parse_seconds("86400", &ms) && ms == 86400000);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (!parse_seconds(wrong[i], &ms)) {
			fprintf(tap_to, "# taken: %s\n", wrong[i]);
			test_ok = 0;
		}
}

/* ---- Baselines -------------------------------------------------------------------------- */

/* Read @len bytes as a baseline, on a machine with boot id "me". Return: as baseline_read() */
static long read_bytes(const char *bytes, size_t len, struct counts *to)
{
	FILE *f = tmpfile();
	long ret;

	counts_free(to);
	if (!f)
		return -2;
	fwrite(bytes, 1, len, f);
	rewind(f);
	ret = baseline_read(f, "me", to);
	fclose(f);
	return ret;
}

static long read_text(const char *text, struct counts *to)
{
	return read_bytes(text, strlen(text), to);
}

#define HEAD	BASELINE_HEAD "\nboot me\n"
#define EOL	"\n"

static void test_baseline(void)
{
	struct counts out = { 0 }, in = { 0 };
	FILE *f = tmpfile();

	put(&out, "weft0", "msgs_sent", 12);
	put(&out, "a-port.with_15c", "x", UINT64_MAX);
	baseline_write(f, "me", &out);
	rewind(f);
	CHECK(!baseline_read(f, "me", &in) && in.n == 2);
	CHECK(in.n == 2 && counts_value(&in, 0, "weft0", "msgs_sent") == 12);
	CHECK(counts_value(&in, 0, "a-port.with_15c", "x") == UINT64_MAX);
	CHECK(!counts_value(&in, 0, "weft0", "x"));
	/* after another start of the machine all counters began at 0 */
	counts_free(&in);
	rewind(f);
	CHECK(!baseline_read(f, "other", &in) && !in.n);
	fclose(f);
	CHECK(!read_text(HEAD, &in) && !in.n);
	counts_free(&in);
	counts_free(&out);
}

/* Each wrong file is refused, with the number of the line. */
static void test_hostile(void)
{
	static const struct {
		long line;
		const char *text;
	} wrong[] = {
		{ 1, "" }, { 1, "\n" }, { 1, "weftctl baseline 2\nboot me\n" },
		{ 1, BASELINE_HEAD }, { 1, BASELINE_HEAD " " EOL "boot me\n" },
		{ 2, BASELINE_HEAD "\n" }, { 2, BASELINE_HEAD "\nme\n" },
		{ 2, BASELINE_HEAD "\nboot me" },
		{ 3, HEAD "\n" }, { 3, HEAD "weft0\n" }, { 3, HEAD "weft0 a\n" },
		{ 3, HEAD "weft0 a " EOL }, { 3, HEAD "weft0  1\n" }, { 3, HEAD " a 1\n" },
		{ 3, HEAD "weft0 a -1\n" }, { 3, HEAD "weft0 a +1\n" }, { 3, HEAD "weft0 a 0x1\n" },
		{ 3, HEAD "weft0 a 1 " EOL }, { 3, HEAD "weft0 a 1 2\n" }, { 3, HEAD "weft0 a 1" },
		{ 3, HEAD "weft0 a 18446744073709551616\n" }, { 3, HEAD "weft0\ta 1\n" },
		{ 3, HEAD "a-name-that-is-too-long a 1\n" }, { 3, HEAD "weft0 a 1\r\n" },
		{ 3, HEAD "w\033[2J a 1\n" }, { 3, HEAD "w\xff a 1\n" },
		{ 4, HEAD "weft0 a 1\nweft0 a x\n" },
	};
	char text[512] = HEAD "weft0 ";
	struct counts in = { 0 };
	size_t i, len;
	long line;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		line = read_text(wrong[i].text, &in);
		if (line != wrong[i].line) {
			fprintf(tap_to, "# wrong %zu: line %ld\n", i, line);
			test_ok = 0;
		}
	}
	/* a byte 0, a name and a line without end */
	CHECK(read_bytes(HEAD "weft0 a\0 1\n", strlen(HEAD) + 11, &in) == 3);
	len = strlen(text);
	memset(text + len, 'a', 70);
	strcpy(text + len + 70, " 1\n");
	CHECK(read_text(text, &in) == 3);
	memset(text + len, 'a', 300);
	strcpy(text + len + 300, " 1\n");
	CHECK(read_text(text, &in) == 3);
	counts_free(&in);
}

/* A file without end is not read for ever. */
static void test_long(void)
{
	struct counts in = { 0 };
	FILE *f = tmpfile();
	long i;

	fputs(HEAD, f);
	for (i = 0; i < BASELINE_MOST + 10; i++)
		fputs("weft0 a 1\n", f);
	rewind(f);
	CHECK(baseline_read(f, "me", &in) == BASELINE_MOST + 3);
	fclose(f);
	counts_free(&in);
}

/* Bytes of a good file are changed at random. All is read or refused, within bounds. */
static void test_random(void)
{
	static const char good[] = HEAD "weft0 msgs_sent 123456\nweft1 rx_packets 1\n";
	struct counts in = { 0 };
	unsigned int i, k;
	char text[sizeof(good)];

	srand(7);
	for (i = 0; i < 5000; i++) {
		memcpy(text, good, sizeof(good));
		for (k = 0; k < 1 + i % 4; k++)
			text[(size_t)rand() % (sizeof(good) - 1)] = (char)rand();
		CHECK(read_bytes(text, (size_t)rand() % sizeof(good), &in) >= 0);
		CHECK(in.n <= 42);
	}
	counts_free(&in);
}

/* ---- Options ---------------------------------------------------------------------------- */

struct options {
	bool flag;
	uint64_t ms;
	uint32_t count;
	const char *word;
};

/* Return: words that are left, -1: refused */
static int take(const char *text, struct options *o, char **argv)
{
	const struct behind table[] = {
		{ "-f", "--flag", BEHIND_FLAG, &o->flag },
		{ "-i", "--interval", BEHIND_SECONDS, &o->ms },
		{ "-n", "--count", BEHIND_COUNT, &o->count },
		{ NULL, "--by", BEHIND_WORD, &o->word },
		{ 0 }
	};
	static char buf[128];
	int argc = 0;
	char *word;

	memset(o, 0, sizeof(*o));
	snprintf(buf, sizeof(buf), "%s", text);
	for (word = strtok(buf, " "); word && argc < 15; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return take_options("top", &argc, argv, table) ? -1 : argc;
}

static void test_options(void)
{
	static const char *const wrong[] = {
		"-x", "--flags", "-i", "show -i", "-i 0", "-n 0", "-n -1", "-n 4294967296", "-n 1x",
		"-n", "--by", "-fi 1", "--interval=1",
	};
	char *argv[16];
	struct options o;
	size_t i;

	CHECK(take("show -i 0.5 weft0 --by path -n 3", &o, argv) == 2);
	CHECK(!strcmp(argv[0], "show") && !strcmp(argv[1], "weft0"));
	CHECK(o.ms == 500 && o.count == 3 && !strcmp(o.word, "path") && !o.flag);
	CHECK(take("--flag -", &o, argv) == 1 && o.flag && !strcmp(argv[0], "-"));
	CHECK(take("--count 4294967295", &o, argv) == 0 && o.count == UINT32_MAX);
	CHECK(!freopen("/dev/null", "w", stderr) || 1);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (take(wrong[i], &o, argv) >= 0) {
			fprintf(tap_to, "# taken: %s\n", wrong[i]);
			test_ok = 0;
		}
}

/* ---- JSON ------------------------------------------------------------------------------- */

/* Objects within a list have keys; an object that is in no other is a line. */
static void test_nested(void)
{
	char got[256] = "";
	FILE *f = tmpfile();
	int copy;

	fflush(stdout);
	copy = dup(STDOUT_FILENO);
	dup2(fileno(f), STDOUT_FILENO);
	out_mode(true, false);
	out_open();
	out_uint("a", OUT_KEY, 1);
	out_list_open("list");
	out_open();
	out_tenths("b", OUT_KEY, 23);
	out_list_open("in");
	out_uint("none", OUT_KEY, 4);
	out_list_close();
	out_str("c", OUT_KEY, "d");
	out_close();
	out_open();
	out_close();
	out_list_close();
	out_uint("e", OUT_KEY, 5);
	out_close();
	out_open();
	out_close();
	out_begin();
	out_end();
	fflush(stdout);
	dup2(copy, STDOUT_FILENO);
	close(copy);
	rewind(f);
	got[fread(got, 1, sizeof(got) - 1, f)] = 0;
	fclose(f);
	CHECK(!strcmp(got, "{\"a\":1,\"list\":[{\"b\":2.3,\"in\":[4],\"c\":\"d\"},{}],\"e\":5}\n"
			   "{}\n[]\n"));
}

int main(void)
{
	static const struct test tests[] = {
		{ "counters since a baseline, and a port that was made anew", test_since },
		{ "rates", test_rate },
		{ "rates as text", test_rate_text },
		{ "seconds", test_seconds },
		{ "a baseline is written and read", test_baseline },
		{ "a baseline of wrong content", test_hostile },
		{ "a baseline that is too long", test_long },
		{ "a baseline with random bytes", test_random },
		{ "options behind an object", test_options },
		{ "objects in lists, as JSON", test_nested },
	};

	return tap_run(tests, sizeof(tests) / sizeof(tests[0]), NULL, NULL);
}
