// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_init.c - entry point for libfabric, which loads the provider
 *
 * libfabric accepts a provider only if its fi_version is at least the requested one. The structures
 * at compile time are a prefix of those of any later version. All fi_info come from fi_allocinfo()
 * of the running library. So the provider may report the later version. The log has both versions.
 */
#include <stdarg.h>
#include <stdio.h>

#include "weft_fi.h"

/* Refuse a call: log the reason and advice. Return: @err. */
int weft_fi_fail(enum fi_log_subsys subsys, int err, const char *format, ...)
{
	char text[256];
	va_list args;

	if (!fi_log_enabled(&weft_fi_prov, FI_LOG_WARN, subsys))
		return err;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fi_log(&weft_fi_prov, FI_LOG_WARN, subsys, __func__, __LINE__, "%s\n", text);
	return err;
}

/* No state is left: the program closes its objects. */
static void weft_fi_cleanup(void)
{
}

struct fi_provider weft_fi_prov = {
	.version = WEFT_FI_VERSION,
	.fi_version = FI_VERSION(1, 17),
	.name = WEFT_FI_NAME,
	.getinfo = weft_fi_getinfo,
	.fabric = weft_fi_fabric,
	.cleanup = weft_fi_cleanup,
};

/* A setting of tests: the environment's FI_WEFT_FAST_PATHS=0 has all calls take the slow path. */
bool weft_fi_fast_paths = true;

/* FI_WEFT_MR_KEYS=provider: keys of memory regions are those of the provider if the hints permit */
bool weft_fi_mr_keys;

static void weft_fi_settings(void)
{
	char *keys = NULL;
	int fast;

	fi_param_define(&weft_fi_prov, "fast_paths", FI_PARAM_BOOL,
			"take the fast paths of the provider (0: for tests)");
	if (!fi_param_get_bool(&weft_fi_prov, "fast_paths", &fast))
		weft_fi_fast_paths = fast;
	fi_param_define(&weft_fi_prov, "mr_keys", FI_PARAM_STRING,
			"keys of memory regions: program (default), or provider if the hints have FI_MR_PROV_KEY");
	if (!fi_param_get_str(&weft_fi_prov, "mr_keys", &keys))
		weft_fi_mr_keys = keys && !strcmp(keys, "provider");
	fi_param_define(&weft_fi_prov, "key_file", FI_PARAM_STRING,
			"file with the key of the job, for programs that present no key");
	fi_param_get_str(&weft_fi_prov, "key_file", &weft_fi_key_file);
}

__attribute__((visibility("default"))) struct fi_provider *fi_prov_ini(void);

struct fi_provider *fi_prov_ini(void)
{
	uint32_t here = fi_version();

	if (FI_VERSION_LT(weft_fi_prov.fi_version, here))
		weft_fi_prov.fi_version = here;
	weft_fi_settings();
	FI_INFO(&weft_fi_prov, FI_LOG_CORE,
		"weft " WEFT_VERSION ", made for libfabric %d.%d, runs under %u.%u\n",
		FI_MAJOR_VERSION, FI_MINOR_VERSION, FI_MAJOR(here), FI_MINOR(here));
	return &weft_fi_prov;
}
