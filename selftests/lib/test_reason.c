// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The level at which the log says why fi_getinfo offers nothing (lib/fi/weft_reason.c), with a log
 * of the test's own. TAP on stdout.
 */
#include <stdarg.h>
#include <string.h>

#include "../../lib/fi/weft_fi.h"
#include "tap.h"

#define LINES	8	/* of the log that are kept */

struct fi_provider weft_fi_prov = { .name = WEFT_FI_NAME };

static enum fi_log_level shown;		/* the log shows this level and above */
static const char *provider;		/* FI_PROVIDER, or NULL */
static unsigned int warnings, infos;
static char lines[LINES][1024];

int fi_log_enabled(const struct fi_provider *prov, enum fi_log_level level,
		   enum fi_log_subsys subsys)
{
	return level <= shown;
}

void fi_log(const struct fi_provider *prov, enum fi_log_level level, enum fi_log_subsys subsys,
	    const char *func, int line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(lines[(warnings + infos) % LINES], sizeof(lines[0]), fmt, args);
	va_end(args);
	if (level == FI_LOG_WARN)
		warnings++;
	else
		infos++;
}

int fi_param_get(struct fi_provider *prov, const char *name, void *value)
{
	CHECK(!prov && !strcmp(name, "provider"));
	if (!provider)
		return -FI_ENODATA;
	*(const char **)value = provider;
	return 0;
}

const char *weft_fi_limit_advice(int ret)
{
	return ret == -FI_ENOSPC ? "; advice" : "";
}

const char *fi_strerror(int err)
{
	return strerror(err);
}

static void begin(void)
{
	shown = FI_LOG_INFO;
	provider = NULL;
	warnings = 0;
	infos = 0;
}

/* A call with one reason. @names: in the hints, NULL: none. */
static void call(const char *names, const char *fabric, bool found, const char *reason)
{
	struct fi_fabric_attr attr = { .prov_name = (char *)names, .name = (char *)fabric };
	struct fi_info hints = { .fabric_attr = &attr };

	warnings = 0;
	infos = 0;
	weft_fi_reasons_begin(names || fabric ? &hints : NULL);
	weft_fi_reason("%s", reason);
	CHECK(!warnings && !infos);
	weft_fi_reasons_end(found);
	CHECK(!weft_fi_explains());
}

static void wanted(void)
{
	char text[16];
	const struct {
		const char *names, *fabric, *provider;
		bool warns;
	} t[] = {
		{ NULL, NULL, NULL, false }, { "weft", NULL, NULL, true },
		{ "WEFT", NULL, NULL, true }, { "weft;ofi_rxm", NULL, NULL, true },
		{ "ofi_rxm", NULL, NULL, false }, { "", NULL, NULL, false },
		{ NULL, "weft", NULL, true }, { NULL, "10.0.0.0/8", NULL, false },
		{ NULL, NULL, "weft", true }, { NULL, NULL, "tcp,weft", true },
		{ NULL, NULL, "weft,tcp", true }, { NULL, NULL, "weft;ofi_rxm", true },
		{ NULL, NULL, "^weft", false }, { NULL, NULL, "^tcp,weft", false },
		{ NULL, NULL, "weftier", false }, { NULL, NULL, "tcp", false },
		{ NULL, NULL, "", false }, { "ofi_rxm", NULL, "weft", true },
	};
	unsigned int i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		provider = t[i].provider;
		snprintf(text, sizeof(text), "wanted %u", i);
		call(t[i].names, t[i].fabric, false, text);
		CHECK(warnings == t[i].warns && infos == !t[i].warns);
		CHECK(!strncmp(lines[0], text, strlen(text)));
	}
}

static void found(void)
{
	call("weft", NULL, true, "found");
	CHECK(!warnings && infos == 1);
	/* a later call that finds nothing warns of it */
	call("weft", NULL, false, "found");
	CHECK(warnings == 1 && !infos);
}

static void quiet_log(void)
{
	/* a log of warnings alone */
	shown = FI_LOG_WARN;
	call(NULL, NULL, false, "quiet");
	CHECK(!warnings);
	call("weft", NULL, true, "quiet");
	CHECK(!warnings);
	call("weft", NULL, false, "quiet");
	CHECK(warnings == 1);
	call("weft", NULL, false, "quiet");
	CHECK(!warnings);
}

/* Outside of fi_getinfo nothing is kept. */
static void alone(void)
{
	weft_fi_reason("%s", "alone");
	CHECK(!warnings && infos == 1);
	CHECK(!strcmp(lines[0], "alone\n"));
	shown = FI_LOG_WARN;
	weft_fi_reason("%s", "alone");
	CHECK(infos == 1);
}

static void ports(void)
{
	weft_fi_reasons_begin(NULL);
	weft_fi_reason_port("weft7", -FI_ENOSPC);
	weft_fi_reason_port("weft7", -EPROTONOSUPPORT);
	weft_fi_reason_port("weft7", -EPERM);
	weft_fi_reason_none(-EACCES);
	weft_fi_reason_elsewhere(3);
	weft_fi_reasons_end(false);
	CHECK(!warnings && infos == 5);
	CHECK(strstr(lines[0], "weft7: cannot be opened: No space left on device; advice\n"));
	CHECK(strstr(lines[1], "weft7: the kernel module is of another version"));
	CHECK(strstr(lines[2], "weft7: the container does not permit"));
	CHECK(strstr(lines[3], "/dev/weft cannot be read: Permission denied"));
	CHECK(strstr(lines[4], "no port in this network namespace, 3 in others"));
}

/* The memory of causes is bounded: a process that has warned of many warns no more. */
static void bounded(void)
{
	unsigned int i, warned = 0;
	char text[16];

	for (i = 0; i < 200; i++) {
		snprintf(text, sizeof(text), "cause %u", i);
		call("weft", NULL, false, text);
		CHECK(warnings + infos == 1);
		warned += warnings;
	}
	CHECK(warned >= 32 && warned <= 64);
}

static const struct test tests[] = {
	{ "a user asks for weft by hints or FI_PROVIDER", wanted },
	{ "a call that offers something does not warn", found },
	{ "a log without the level info has one warning", quiet_log },
	{ "a reason outside of fi_getinfo is logged at once", alone },
	{ "reasons of ports", ports },
	{ "a process warns of a bounded number of causes", bounded },
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]), begin, NULL);
}
