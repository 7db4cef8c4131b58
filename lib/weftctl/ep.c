// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Endpoints: show, kill
 */
#include <stddef.h>
#include "weftctl.h"

/* Is it the endpoint whose address is the text @arg? */
static bool is_ep(struct nlattr *attrs, int len, const void *arg)
{
	struct weft_sockaddr addr;

	return find_addr(&addr, attrs, len, WEFT_ATTR_EP_ADDR) && addr_is(&addr, arg);
}

static int kill_ep(int argc, char **argv)
{
	static const struct ending ep = {
		"ep kill", "endpoint", WEFT_CMD_EP_KILL, WEFT_ATTR_EP_ADDR, true,
		WEFT_CMD_EP_GET, "ep show", is_ep
	};

	return run_end(&ep, argc, argv);
}

int do_ep(int argc, char **argv)
{
	static const struct verb verbs[] = {
		{ "show", show_eps, "[show [[port] NAME] [FILTER ...]]",
		  "show: endpoints: state, addresses, what waits and what is being sent, owner; "
		  "-s: also sums\n"
		  "FILTER: pid PID, ep ADDRESS, peer ADDRESS, state WORD: new, enabled, listening,\n"
		  "connecting, accepted, connected, closing, closed, error" },
		{ "kill", kill_ep, "kill NAME ADDRESS:SERVICE force",
		  "kill: end the endpoint of port NAME: its operations fail with ECONNABORTED, its "
		  "peers\n"
		  "see that it has gone, and its program can only close it\n"
		  "force: although a program uses it; without, the program is named" },
		{ "list", show_eps, NULL, NULL },
		{ 0 }
	};

	return run_verb("ep", verbs, argc, argv);
}
