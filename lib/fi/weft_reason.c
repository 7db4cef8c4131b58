// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_reason.c - the log says why fi_getinfo offers nothing
 *
 * Each program of libfabric calls fi_getinfo of all providers, with hints that may be meant for
 * another one. So a reason is a warning only if the call offers nothing, and the user asks for
 * weft: the hints name the provider or its fabric, or FI_PROVIDER names the provider. A process
 * warns once of each cause. All other reasons have the level info.
 *
 * Whether the call offers something is known at its end. Until then the thread keeps its reasons.
 */
#include <dirent.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weft_fi.h"

#define WEFT_FI_REASON	1024	/* maximum bytes of a reason */
#define WEFT_FI_CAUSES	64	/* causes that a process warns of, at most */
#define WEFT_FI_MODULE	"/sys/module/weft"
#define WEFT_FI_CLASS	"/sys/class/weft"
#define WEFT_FI_DEVICES	"/dev/weft"

/**
 * struct weft_fi_reason - a reason that the thread keeps
 * @next: in weft_fi_reasons.head
 * @text: the reason
 */
struct weft_fi_reason {
	struct weft_fi_reason *next;
	char text[];
};

/**
 * struct weft_fi_reasons - reasons of a call of fi_getinfo
 * @kept: the call is under way, and the log may show its reasons
 * @wanted: the user asks for weft
 * @head: reasons
 * @tail: link for the next one
 */
struct weft_fi_reasons {
	bool kept;
	bool wanted;
	struct weft_fi_reason *head;
	struct weft_fi_reason **tail;
};

static _Thread_local struct weft_fi_reasons weft_fi_reasons;

static pthread_mutex_t weft_fi_causes_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t weft_fi_causes[WEFT_FI_CAUSES];
static unsigned int weft_fi_ncauses;

static bool weft_fi_logs(enum fi_log_level level)
{
	return fi_log_enabled(&weft_fi_prov, level, FI_LOG_CORE);
}

/* Return: true if a list such as "tcp,weft" or "weft;ofi_rxm" has the name of the provider. */
static bool weft_fi_lists(const char *names)
{
	size_t len;

	for (; names && *names && *names != '^'; names += len + !!names[len]) {
		len = strcspn(names, ",;");
		if (len == strlen(WEFT_FI_NAME) && !strncasecmp(names, WEFT_FI_NAME, len))
			return true;
	}
	return false;
}

static bool weft_fi_wanted(const struct fi_info *hints)
{
	const struct fi_fabric_attr *fabric = hints ? hints->fabric_attr : NULL;
	char *names = NULL;

	if (fabric && (weft_fi_lists(fabric->prov_name) ||
		       (fabric->name && !strcmp(fabric->name, WEFT_FI_FABRIC))))
		return true;
	return !fi_param_get_str(NULL, "provider", &names) && weft_fi_lists(names);
}

/* Return: true if the process warns of a cause for the first time. */
static bool weft_fi_first(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;	/* FNV-1a */
	unsigned int i;
	bool first;

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
	pthread_mutex_lock(&weft_fi_causes_lock);
	for (i = 0; i < weft_fi_ncauses && weft_fi_causes[i] != hash; i++)
		;
	first = i == weft_fi_ncauses && i < WEFT_FI_CAUSES;
	if (first)
		weft_fi_causes[weft_fi_ncauses++] = hash;
	pthread_mutex_unlock(&weft_fi_causes_lock);
	return first;
}

/**
 * weft_fi_reasons_begin() - begin to keep the reasons of a call
 * @hints: of the program, or NULL
 */
void weft_fi_reasons_begin(const struct fi_info *hints)
{
	struct weft_fi_reasons *r = &weft_fi_reasons;

	r->head = NULL;
	r->tail = &r->head;
	r->wanted = weft_fi_logs(FI_LOG_WARN) && weft_fi_wanted(hints);
	r->kept = r->wanted || weft_fi_logs(FI_LOG_INFO);
}

/**
 * weft_fi_reasons_end() - log the reasons of a call
 * @found: the call offers something
 */
void weft_fi_reasons_end(bool found)
{
	struct weft_fi_reasons *r = &weft_fi_reasons;
	struct weft_fi_reason *reason;
	enum fi_log_level level;

	while ((reason = r->head)) {
		r->head = reason->next;
		level = r->wanted && !found && weft_fi_first(reason->text) ? FI_LOG_WARN :
									     FI_LOG_INFO;
		FI_LOG(&weft_fi_prov, level, FI_LOG_CORE, "%s\n", reason->text);
		free(reason);
	}
	r->kept = false;
}

/* Return: true if the log may show why an offer does not match. */
bool weft_fi_explains(void)
{
	return weft_fi_reasons.kept;
}

/**
 * weft_fi_reason() - keep a reason; outside of fi_getinfo log it
 * @format: of its text, as printf(3)
 */
void weft_fi_reason(const char *format, ...)
{
	struct weft_fi_reasons *r = &weft_fi_reasons;
	struct weft_fi_reason *reason;
	char text[WEFT_FI_REASON];
	va_list args;

	if (!r->kept && !weft_fi_logs(FI_LOG_INFO))
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!r->kept) {
		FI_LOG(&weft_fi_prov, FI_LOG_INFO, FI_LOG_CORE, "%s\n", text);
		return;
	}
	reason = malloc(sizeof(*reason) + strlen(text) + 1);
	if (!reason)
		return;
	strcpy(reason->text, text);
	reason->next = NULL;
	*r->tail = reason;
	r->tail = &reason->next;
}

/* ---- Ports that cannot be opened ------------------------------------------------------------ */

/* The device of a port refuses the user: name the group to join, or what keeps groups out. */
static void weft_fi_reason_group(const char *port)
{
	char path[64], buf[1024], name[32];
	struct group grp, *found = NULL;
	struct stat st;

	snprintf(path, sizeof(path), WEFT_FI_DEVICES "/%s", port);
	if (stat(path, &st)) {
		weft_fi_reason("%s: no permission to open %s: %s", port, path, strerror(errno));
		return;
	}
	if (getgrgid_r(st.st_gid, &grp, buf, sizeof(buf), &found) || !found)
		snprintf(name, sizeof(name), "%u", st.st_gid);
	else
		snprintf(name, sizeof(name), "%s", grp.gr_name);
	if (st.st_gid && (st.st_mode & 060) == 060)
		weft_fi_reason("%s: no permission to open %s: become a member of group '%s' ('usermod -aG %s USER'), then log in again",
			       port, path, name, name);
	else
		weft_fi_reason("%s: no permission to open %s of group '%s', mode %04o: install weft's udev rule, which gives it to group 'weft'",
			       port, path, name, st.st_mode & 07777);
}

/**
 * weft_fi_reason_port() - keep the reason why a port is not offered
 * @port: its name
 * @err: negative errno of its opening
 */
void weft_fi_reason_port(const char *port, int err)
{
	if (!weft_fi_explains())
		return;
	switch (err) {
	case -EPERM:
		weft_fi_reason("%s: the container does not permit its programs to open %s/%s",
			       port, WEFT_FI_DEVICES, port);
		break;
	case -EACCES:
		weft_fi_reason_group(port);
		break;
	case -EPROTONOSUPPORT:
		weft_fi_reason("%s: the kernel module is of another version than this library",
			       port);
		break;
	default:
		weft_fi_reason("%s: cannot be opened: %s%s", port, fi_strerror(-err),
			       weft_fi_limit_advice(err));
	}
}

static bool weft_fi_any_port(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;

	if (!dir)
		return false;
	do {
		e = readdir(dir);
	} while (e && e->d_name[0] == '.');
	closedir(dir);
	return e;
}

/**
 * weft_fi_reason_none() - keep the reason why there is no device of a port
 * @err: 0: the folder of devices is empty or missing; a negative errno: it cannot be read
 */
void weft_fi_reason_none(int err)
{
	if (!weft_fi_explains())
		return;
	if (err)
		weft_fi_reason(WEFT_FI_DEVICES " cannot be read: %s", strerror(-err));
	else if (access(WEFT_FI_MODULE, F_OK))
		weft_fi_reason("no port: the kernel module is not loaded, load it ('modprobe weft') and add a port, as in 'weftctl port add weft0 netdev eth0'");
	else if (weft_fi_any_port(WEFT_FI_CLASS))
		weft_fi_reason("no port: " WEFT_FI_CLASS " has ports, and " WEFT_FI_DEVICES " has no device of them; give the container these devices");
	else
		weft_fi_reason("no port: add one, as in 'weftctl port add weft0 netdev eth0'");
}

/**
 * weft_fi_reason_elsewhere() - keep the reason why the ports of the machine are not offered
 * @ports: number of ports in other network namespaces
 */
void weft_fi_reason_elsewhere(int ports)
{
	weft_fi_reason("no port in this network namespace, %d in others: add one here, as in 'weftctl port add weft1 netdev eth0', or run the program in the namespace of a port",
		       ports);
}
