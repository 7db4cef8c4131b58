// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What states mean, what limits bound, and what the counters of endpoints and paths count. The
 * kernel has the words of states and limits.
 */
#include <stdio.h>
#include <string.h>

#include "weftctl.h"

static const struct {
	uint16_t attr;
	const char *word;
	const char *text;
} meanings[] = {
	{ WEFT_ATTR_PORT_STATE, "up", "packets can leave and arrive" },
	{ WEFT_ATTR_PORT_STATE, "down", "the network device is down, or has no carrier" },
	{ WEFT_ATTR_PORT_STATE, "gone", "the network device does not exist any more" },
	{ WEFT_ATTR_EP_STATE, "new", "created, and not enabled yet" },
	{ WEFT_ATTR_EP_STATE, "enabled", "sends and receives" },
	{ WEFT_ATTR_EP_STATE, "listening", "takes requests for connections" },
	{ WEFT_ATTR_EP_STATE, "connecting", "has asked for a connection, is not answered yet" },
	{ WEFT_ATTR_EP_STATE, "accepted", "has accepted a connection, is not confirmed yet" },
	{ WEFT_ATTR_EP_STATE, "connected", "has a connection to its peer" },
	{ WEFT_ATTR_EP_STATE, "closing", "is being closed, and waits for what is under way" },
	{ WEFT_ATTR_EP_STATE, "closed", "its connection has ended" },
	{ WEFT_ATTR_EP_STATE, "error", "has failed, and can only be closed" },
	{ WEFT_ATTR_PATH_STATE, "hello", "the handshake has begun, the node has not answered" },
	{ WEFT_ATTR_PATH_STATE, "up", "packets can be sent" },
	{ WEFT_ATTR_PATH_STATE, "leaving", "is being released, because nobody uses it" },
	{ WEFT_ATTR_PATH_STATE, "dead", "has been given up: the node does not answer" },
	{ WEFT_ATTR_PATH_STATE, "version", "the node speaks other versions of the protocol" },
	{ WEFT_ATTR_NEIGH_STATE, "asking", "its Ethernet address has been asked for" },
	{ WEFT_ATTR_NEIGH_STATE, "reachable", "it has answered lately" },
	{ WEFT_ATTR_NEIGH_STATE, "stale", "it has not been confirmed for 30 seconds" },
	{ WEFT_ATTR_NEIGH_STATE, "probing", "it has been asked whether it is still there" },
	{ WEFT_ATTR_NEIGH_STATE, "failed", "it does not answer" },
	{ WEFT_ATTR_FLOW_STATE, "asking", "it is being asked whether the peer's endpoint exists" },
	{ WEFT_ATTR_FLOW_STATE, "refused", "the peer's endpoint does not exist yet" },
	{ WEFT_ATTR_FLOW_STATE, "open", "messages can be sent" },
	{ WEFT_ATTR_FLOW_STATE, "closing", "its endpoint is closed, sends under way go on" },
	{ WEFT_ATTR_FLOW_STATE, "dead", "it has failed, or the incoming flow's endpoint is gone" },
	{ WEFT_ATTR_CONN_STATE, "asking", "the peer has been asked, and has not answered" },
	{ WEFT_ATTR_CONN_STATE, "asked", "the peer has asked, the program has not answered" },
	{ WEFT_ATTR_CONN_STATE, "accepted", "the program has accepted, the peer has to confirm" },
	{ WEFT_ATTR_CONN_STATE, "up", "messages can be sent" },
	{ WEFT_ATTR_CONN_STATE, "closing", "this side is closed, the peer has to confirm" },
	{ WEFT_ATTR_KIND, "queue", "completions are its entries" },
	{ WEFT_ATTR_KIND, "counter", "completions are counted" },
	{ WEFT_ATTR_KIND, "pinned", "memory of a handle, which stays resident" },
	{ WEFT_ATTR_KIND, "remote", "peers may access it by its key" },
	{ WEFT_ATTR_FOR, "handshake", "the other node has not answered the handshake" },
	{ WEFT_ATTR_FOR, "contact", "the other node has not said whether the endpoint exists" },
	{ WEFT_ATTR_FOR, "endpoint", "the other node has no such endpoint yet" },
	{ WEFT_ATTR_FOR, "fence", "a fence has it wait for earlier sends" },
	{ WEFT_ATTR_FOR, "credit", "the receiver keeps as many messages as its limits permit" },
	{ WEFT_ATTR_FOR, "window", "as many packets are under way as the path permits" },
	{ WEFT_ATTR_FOR, "turn", "other sends of the path come first" },
	{ WEFT_ATTR_FOR, "receive", "no receive that takes the announced message is posted" },
	{ WEFT_ATTR_FOR, "grant", "the receiver lets other long messages go first" },
	{ WEFT_ATTR_FOR, "memory", "memory of the program is not resident, or is being copied" },
	{ WEFT_ATTR_FOR, "ack", "its packets have not been acknowledged" },
	{ WEFT_ATTR_FOR, "answer", "its results, or the report of its end, are missing" },
	{ WEFT_ATTR_LIMIT_NAME, "unexpected-node", "bytes of short messages from one remote node" },
	{ WEFT_ATTR_LIMIT_NAME, "unexpected-endpoint",
	  "bytes of unexpected short messages of one endpoint" },
	{ WEFT_ATTR_LIMIT_NAME, "unexpected-user",
	  "bytes of unexpected short messages of all endpoints of a user" },
	{ WEFT_ATTR_LIMIT_NAME, "messages-endpoint", "unexpected messages of one endpoint" },
	{ WEFT_ATTR_LIMIT_NAME, "messages-user", "unexpected messages of all endpoints of a user" },
	{ WEFT_ATTR_LIMIT_NAME, "datagrams-endpoint",
	  "datagrams that wait for a receive of one endpoint" },
	{ WEFT_ATTR_LIMIT_NAME, "packets-path",
	  "packets that wait for the acknowledgement of one remote node" },
	{ WEFT_ATTR_LIMIT_NAME, "paths", "remote nodes" },
	{ WEFT_ATTR_LIMIT_NAME, "requests",
	  "connection requests that wait for an answer, at all listeners" },
	{ WEFT_ATTR_LIMIT_NAME, "jobs", "jobs" },
	{ WEFT_ATTR_LIMIT_NAME, "linger-user",
	  "flows of a user's ended programs that wait for linger-ms" },
	{ WEFT_ATTR_LIMIT_NAME, "contexts-user", "contexts (open device files) of a user" },
	{ WEFT_ATTR_LIMIT_NAME, "endpoints-user", "endpoints of a user" },
	{ WEFT_ATTR_LIMIT_NAME, "memory-user", "bytes of a user's rings and descriptors" },
	{ WEFT_ATTR_LIMIT_NAME, "regions-user", "regions of a user that peers may access" },
	{ WEFT_ATTR_LIMIT_NAME, "backlog", "the longest backlog that a listener may ask for" },
	{ WEFT_ATTR_LIMIT_NAME, "idle-ms",
	  "milliseconds of silence after which an unused path is freed" },
	{ WEFT_ATTR_LIMIT_NAME, "connect-ms",
	  "milliseconds that the handshake with a node may take" },
	{ WEFT_ATTR_LIMIT_NAME, "accept-ms",
	  "milliseconds that the answer to a connection request may take" },
	{ WEFT_ATTR_LIMIT_NAME, "keepalive-ms",
	  "milliseconds of silence after which a sign of life is requested" },
	{ WEFT_ATTR_LIMIT_NAME, "dead-ms",
	  "milliseconds of silence after which a node that must answer is dead" },
	{ WEFT_ATTR_LIMIT_NAME, "linger-ms",
	  "milliseconds for which the messages of an ended program wait for a receiver" },
};

/* Counters that "-s" adds, by their names in an answer */
static const struct {
	const char *name;
	const char *text;
} counters[] = {
	{ "sent", "sends and one-sided operations taken from the send ring" },
	{ "sent_bytes", "their bytes" },
	{ "received", "messages that have met their receives" },
	{ "received_bytes", "their bytes" },
	{ "spurious", "packets sent again although they had arrived" },
	{ "timeouts", "expiries of the retransmission timer" },
	{ "tx_packets", "packets sent, also again, without those of handshakes" },
	{ "tx_bytes", "their bytes of UDP payload" },
	{ "rx_packets", "valid packets received, without those of handshakes" },
	{ "rx_bytes", "their bytes of UDP payload" },
	{ "flows_out", "outgoing flows" },
	{ "flows_in", "incoming flows" },
	{ "waiting", "sends that have not begun" },
	{ "unacked", "messages in unacknowledged packets" },
	{ "oldest_ms", "milliseconds since the oldest send under way was posted" },
	{ "unmatched", "messages that wait, or have waited, for a receive" },
	{ "gaps", "incoming flows in which a message is missing" },
};

void note_counter(const char *name)
{
	char key[32], text[128];
	size_t i;

	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (!strcmp(counters[i].name, name))
			break;
	if (i == sizeof(counters) / sizeof(counters[0]))
		return;
	snprintf(key, sizeof(key), "%s_text", name);
	snprintf(text, sizeof(text), "%s: %s", name, counters[i].text);
	out_note(key, out_is_json() ? counters[i].text : text);
}

const char *meaning(uint16_t attr, const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].attr == attr && !strcmp(meanings[i].word, word))
			return meanings[i].text;
	return NULL;
}

void guess_meanings(struct guess *g, uint16_t attr)
{
	size_t i;

	for (i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].attr == attr)
			guess_word(g, meanings[i].word);
}
