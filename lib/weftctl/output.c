// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Output: each object is a line of text, or an element of a JSON array.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "weftctl.h"

static bool json, pretty, details, metrics, oneline, brief, statistics;
static const char *columns;	/* of this output, NULL: all values */
static const char *hidden;	/* the key of values that are left out, NULL: none */
static int depth;		/* number of open JSON brackets */
static bool filled;		/* the innermost bracket has an element */
static uint64_t lists;		/* bit N: the bracket at depth N is a list's */
static bool in_line;		/* the line of text has begun */

void out_mode(bool want_json, bool want_pretty)
{
	json = want_json;
	pretty = want_pretty;
}

bool out_is_json(void)
{
	return json;
}

void out_more(bool want_details, bool want_metrics)
{
	details = want_details;
	metrics = want_metrics;
}

bool out_has_details(void)
{
	return details;
}

bool out_is_metrics(void)
{
	return metrics;
}

void out_form(bool want_oneline, bool want_brief)
{
	oneline = want_oneline;
	brief = want_brief;
}

bool out_is_brief(void)
{
	return brief;
}

void out_count(bool want_statistics)
{
	statistics = want_statistics;
}

bool out_has_statistics(void)
{
	return statistics;
}

void out_hide(const char *key)
{
	hidden = key;
}

void out_columns(const char *names)
{
	columns = brief ? names : NULL;
}

char out_line_end(void)
{
	return oneline ? '\\' : '\n';
}

static bool is_table(void)
{
	return columns && !json;
}

/* A brief output has only the values of its columns. */
static bool is_left_out(const char *key)
{
	if (hidden && !strcmp(key, hidden))
		return true;
	return columns && !brief_has(columns, key);
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void new_line(void)
{
	if (pretty)
		printf("\n%*s", depth * 4, "");
}

static void json_string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		unsigned char c = *s;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

/* Print the text before a value; elements of a list have no key. */
static void json_value(const char *key)
{
	if (filled)
		putchar(',');
	filled = true;
	new_line();
	if (key && !(lists >> depth & 1)) {
		json_string(key);
		fputs(pretty ? ": " : ":", stdout);
	}
}

static void json_open(const char *key, char bracket)
{
	if (depth)
		json_value(key);
	putchar(bracket);
	depth++;
	lists = (lists & ~(1ull << depth)) | (uint64_t)(bracket == '[') << depth;
	filled = false;
}

static void json_close(char bracket)
{
	depth--;
	if (filled)
		new_line();
	filled = true;
	putchar(bracket);
	if (!depth) {
		putchar('\n');
		filled = false;
	}
}

/* ---- Text ------------------------------------------------------------------------------- */

static void text_value(const char *key, enum out_style style, const char *s)
{
	enum color color = color_of(key, s);

	if (is_table()) {
		brief_cell(key, s);
		return;
	}
	if (in_line)
		putchar(' ');
	in_line = true;
	if (style == OUT_KEY)
		printf("%s ", key);
	fputs(color_on(color), stdout);
	for (; *s; s++)
		putchar(isprint((unsigned char)*s) ? *s : '?');
	fputs(color_off(color), stdout);
	if (style == OUT_LEAD)
		putchar(':');
}

/* ---- Both ------------------------------------------------------------------------------- */

void out_begin(void)
{
	if (json)
		json_open(NULL, '[');
	else if (is_table())
		brief_begin(columns, details);
}

void out_end(void)
{
	if (is_table())
		brief_end();
	columns = NULL;
	if (json)
		json_close(']');
}

void out_open(void)
{
	if (json)
		json_open(NULL, '{');
	else if (is_table())
		brief_row();
}

void out_close(void)
{
	if (json)
		json_close('}');
	else if (!is_table())
		putchar('\n');
	in_line = false;
}

void out_list_open(const char *key)
{
	if (json && !is_left_out(key))
		json_open(key, '[');
}

void out_list_close(void)
{
	/* it may have been left out */
	if (json && lists >> depth & 1)
		json_close(']');
}

void out_str(const char *key, enum out_style style, const char *val)
{
	if (is_left_out(key))
		return;
	if (json) {
		json_value(key);
		json_string(val);
	} else {
		text_value(key, style, val);
	}
}

static void out_number(const char *key, enum out_style style, const char *number)
{
	if (is_left_out(key))
		return;
	if (json) {
		json_value(key);
		fputs(number, stdout);
	} else {
		text_value(key, style, number);
	}
}

void out_uint(const char *key, enum out_style style, uint64_t val)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "%" PRIu64, val);
	out_number(key, style, buf);
}

void out_tenths(const char *key, enum out_style style, uint64_t tenths)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "%" PRIu64 ".%u", tenths / 10, (unsigned int)(tenths % 10));
	out_number(key, style, buf);
}

void out_mac(const char *key, enum out_style style, const uint8_t *mac)
{
	char buf[18];

	snprintf(buf, sizeof(buf), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
		 mac[4], mac[5]);
	out_str(key, style, buf);
}

void out_hex(const char *key, enum out_style style, uint64_t val)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "0x%" PRIx64, val);
	out_str(key, style, buf);
}

void out_time(const char *key, enum out_style style, uint64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	char buf[64], day[32], zone[8];
	struct tm tm = { 0 };

	localtime_r(&s, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	snprintf(buf, sizeof(buf), "%s.%06u%s", day, (unsigned int)(ns / 1000 % 1000000), zone);
	out_str(key, style, buf);
}

/* 10.0.0.1, fd00::1, fe80::1%eth0; with a service 10.0.0.1:7, [fd00::1]:7 */
void addr_text(char text[ADDR_TEXT], const struct weft_sockaddr *addr)
{
	char host[INET6_ADDRSTRLEN], ifname[IF_NAMESIZE], scope[IF_NAMESIZE + 1] = "";
	bool v6 = addr->family == AF_INET6;

	if (!inet_ntop(addr->family, addr->addr, host, sizeof(host)))
		snprintf(host, sizeof(host), "?");
	if (v6 && addr->scope) {
		if (if_indextoname(addr->scope, ifname))
			snprintf(scope, sizeof(scope), "%%%s", ifname);
		else
			snprintf(scope, sizeof(scope), "%%%u", addr->scope);
	}
	if (addr->port)
		snprintf(text, ADDR_TEXT, v6 ? "[%s%s]:%u" : "%s%s:%u", host, scope,
			 ntohs(addr->port));
	else
		snprintf(text, ADDR_TEXT, "%s%s", host, scope);
}

void out_addr(const char *key, enum out_style style, const struct weft_sockaddr *addr)
{
	char text[ADDR_TEXT];

	addr_text(text, addr);
	out_str(key, style, text);
}

void out_note(const char *key, const char *text)
{
	if (json || is_left_out(key)) {
		out_str(key, OUT_KEY, text);
		return;
	}
	putchar(out_line_end());
	printf("    %s", text);
}
