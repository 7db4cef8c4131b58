// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What shown.h says. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include "shown.h"

char *shown;

int shell_on(bool node, const char *command)
{
	static const size_t most = 4u << 20;
	size_t n;
	FILE *f;

	if (!shown)
		shown = malloc(most);
	node_enter(node);
	f = popen(command, "r");
	node_enter(0);
	if (!f || !shown)
		return -1;
	n = fread(shown, 1, most - 1, f);
	shown[n] = 0;
	return pclose(f);
}

int weftctl_on(bool node, const char *words)
{
	char command[256];

	snprintf(command, sizeof(command), "weftctl %s 2>&1", words);
	return shell_on(node, command);
}

unsigned int lines(const char *what)
{
	const char *s, *end, *found;
	unsigned int n = 0;

	for (s = shown; (end = strchr(s, '\n')); s = end + 1) {
		found = strstr(s, what);
		n += found && found <= end;
	}
	return n;
}

bool says(const char *what, unsigned int times)
{
	if (lines(what) == times)
		return true;
	printf("# %u lines say \"%s\", not %u:\n", lines(what), what, times);
	printf("# %.2000s\n", shown);
	return false;
}

bool address(const struct side *s, char text[64])
{
	union {
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} name;
	size_t len = sizeof(name);
	char host[INET6_ADDRSTRLEN];

	CHECK_EQ(fi_getname(&s->ep->fid, &name, &len), 0);
	if (name.v4.sin_family == AF_INET)
		snprintf(text, 64, "%s:%u",
			 inet_ntop(AF_INET, &name.v4.sin_addr, host, sizeof(host)),
			 ntohs(name.v4.sin_port));
	else
		snprintf(text, 64, "[%s]:%u",
			 inet_ntop(AF_INET6, &name.v6.sin6_addr, host, sizeof(host)),
			 ntohs(name.v6.sin6_port));
	return true;
}

bool wait_for_line(bool node, const char *words, const char *what)
{
	uint64_t until = now_ms() + WAIT_MS;

	do {
		CHECK_EQ(weftctl_on(node, words), 0);
		if (lines(what))
			return true;
	} while (now_ms() < until);
	return says(what, 1);
}
