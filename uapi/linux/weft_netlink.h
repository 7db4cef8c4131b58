/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * weft - generic netlink family "weft": administration of ports, inspection of endpoints and
 * counters
 *
 * The specification is Documentation/netlink/weft.yaml; this header states the same in C. Requests
 * that change something need CAP_NET_ADMIN in the initial user namespace. Only the ports of the
 * caller's network namespace are visible.
 */
#ifndef _UAPI_LINUX_WEFT_NETLINK_H
#define _UAPI_LINUX_WEFT_NETLINK_H

#define WEFT_GENL_NAME		"weft"
#define WEFT_GENL_VERSION	1
#define WEFT_GENL_EVENTS	"events"	/* multicast group of EVENT_GET; CAP_NET_ADMIN */

/*
 * Commands. GET: a request with a name, or a dump. The answers have the same command number. Each
 * object is one message, with its attributes at the top level.
 */
#define WEFT_CMD_UNSPEC		0
/*
 * PORT_NAME, PORT_DRIVER, [PORT_NETDEV], [PORT_ADDR ...], [PORT_UDP]; vnet: PORT_DEVICE,
 * [PORT_PREFIX, after its address], [PORT_GW ...], [PORT_VLAN], [PORT_MTU], [PORT_QUEUES]
 */
#define WEFT_CMD_PORT_ADD	1
#define WEFT_CMD_PORT_DEL	2	/* PORT_NAME, [PORT_FORCE]; EBUSY: contexts are open */
#define WEFT_CMD_PORT_SET	3	/* PORT_NAME, [PORT_ENGINE ...]: the changes */
#define WEFT_CMD_PORT_GET	4	/* [PORT_NAME] */
#define WEFT_CMD_EP_GET		5	/* dump: [PORT_NAME] */
#define WEFT_CMD_CTX_GET	6	/* dump: [PORT_NAME] */
#define WEFT_CMD_STATS_GET	7	/* dump: [PORT_NAME] */
#define WEFT_CMD_PATH_GET	8	/* dump: [PORT_NAME] */
#define WEFT_CMD_NEIGH_GET	9	/* dump: [PORT_NAME] */
#define WEFT_CMD_LIMIT_GET	10	/* dump: [PORT_NAME] */
#define WEFT_CMD_LIMIT_SET	11	/* PORT_NAME, LIMIT_NAME, LIMIT_VALUE */
/* PORT_NAME, JOB_NAME, JOB_KEY, [JOB_UID ...], [JOB_GID ...] */
#define WEFT_CMD_JOB_ADD	12
/* PORT_NAME, JOB_NAME, [JOB_KEY]; [JOB_UID ...], [JOB_GID ...] or JOB_ALL: replace the old ones */
#define WEFT_CMD_JOB_SET	13
#define WEFT_CMD_JOB_DEL	14	/* PORT_NAME, JOB_NAME */
#define WEFT_CMD_JOB_GET	15	/* dump: [PORT_NAME] */
#define WEFT_CMD_USER_GET	16	/* dump: [PORT_NAME]; without rights the caller alone */
#define WEFT_CMD_RECV_GET	17	/* dump: [PORT_NAME]: posted receives */
#define WEFT_CMD_MSG_GET	18	/* dump: [PORT_NAME]: messages that wait for a receive */
#define WEFT_CMD_SEND_GET	19	/* dump: [PORT_NAME]: sends under way */
#define WEFT_CMD_FLOW_GET	20	/* dump: [PORT_NAME]: flows, outgoing ones first */
/* dump: [PORT_NAME]: events of ports, also of deleted ones; a message to the group "events" */
#define WEFT_CMD_EVENT_GET	21
#define WEFT_CMD_CONN_GET	22	/* dump: [PORT_NAME]: connections, and requests for them */
#define WEFT_CMD_CQ_GET		23	/* dump: [PORT_NAME]: completion queues and counters */
#define WEFT_CMD_SRQ_GET	24	/* dump: [PORT_NAME]: shared receive queues */
#define WEFT_CMD_MR_GET		25	/* dump: [PORT_NAME]: registered memory */
/* PORT_NAME, PATH_ADDR, [PORT_FORCE]; EBUSY: flows use the path; ENOENT: there is none */
#define WEFT_CMD_PATH_DEL	26
/*
 * PORT_NAME, EP_ADDR with its service, PORT_FORCE; EBUSY: without FORCE, a program uses it; ENOENT:
 * there is none; EALREADY: it is in error
 */
#define WEFT_CMD_EP_KILL	27
/*
 * PORT_NAME, PATH_ADDR, [PROBE_COUNT], [PROBE_INTERVAL], [PROBE_SIZE]; the answer has PROBE_NO.
 * EBUSY: the path is being probed. It makes the path if there is none
 */
#define WEFT_CMD_PROBE_ADD	28
/* PORT_NAME, PROBE_NO: what it has found so far; a probe of which nobody asks for 10 s ends */
#define WEFT_CMD_PROBE_GET	29
#define WEFT_CMD_PROBE_DEL	30	/* PORT_NAME, PROBE_NO: it ends, its result is forgotten */
#define WEFT_CMD_HIST_GET	31	/* dump: [PORT_NAME]: histograms */
/*
 * PORT_NAME, EP_ADDR, EP_PEER: what does the program of the endpoint EP_PEER of another node do?
 * EP_ADDR is an endpoint of the caller in the same job. The answer has PROBE_NO. ENOENT: the caller
 * has no such endpoint; other errors as PROBE_ADD
 */
#define WEFT_CMD_QUESTION_ADD	32
/* PORT_NAME, PROBE_NO: the answer, which is read once; ENOENT: no such question of the caller */
#define WEFT_CMD_QUESTION_GET	33

#define WEFT_ATTR_UNSPEC	0
#define WEFT_ATTR_PAD		1
#define WEFT_ATTR_PORT_NAME	2	/* string */
#define WEFT_ATTR_PORT_DRIVER	3	/* string: "loop", "netdev", "vnet" */
#define WEFT_ATTR_PORT_NETDEV	4	/* string: network device */
#define WEFT_ATTR_PORT_ADDR	5	/* binary struct weft_sockaddr; may repeat */
#define WEFT_ATTR_PORT_UDP	6	/* u16, host order: UDP port on the wire */
#define WEFT_ATTR_PORT_MTU	7	/* u32 */
#define WEFT_ATTR_PORT_STATE	8	/* string: "up", "down", "gone" */
#define WEFT_ATTR_PORT_NCTX	9	/* u32: open contexts */
#define WEFT_ATTR_PORT_NEP	10	/* u32: endpoints */
#define WEFT_ATTR_PORT_NPATH	11	/* u32: paths */
/* u64: bytes pinned now: of the port (port get), of the context (ctx get) */
#define WEFT_ATTR_PINNED	12
#define WEFT_ATTR_PORT_ENGINE	13	/* string: "inline", "poll", "auto" */
#define WEFT_ATTR_ENGINE_CPU	14	/* u32: CPU of its first thread; U32_MAX: any (not shown) */
#define WEFT_ATTR_ENGINE_IDLE	15	/* u32: microseconds without work until it sleeps */
#define WEFT_ATTR_EP_HANDLE	16	/* u32 */
#define WEFT_ATTR_EP_TYPE	17	/* string: "msg", "rdm", "dgram", "passive" */
#define WEFT_ATTR_EP_STATE	18	/* string */
#define WEFT_ATTR_EP_ADDR	19	/* binary struct weft_sockaddr */
#define WEFT_ATTR_EP_PEER	20	/* binary struct weft_sockaddr, connected only */
#define WEFT_ATTR_EP_POSTED	21	/* u32: receives that wait for a message */
#define WEFT_ATTR_EP_UNEXP	22	/* u32: messages that wait for a receive */
#define WEFT_ATTR_EP_SENDING	23	/* u32: sends under way */
#define WEFT_ATTR_PID		24	/* u32: process that opened the context */
#define WEFT_ATTR_UID		25	/* u32 */
#define WEFT_ATTR_COMM		26	/* string: name of the process */
#define WEFT_ATTR_CTX_ID	27	/* u32 */
#define WEFT_ATTR_CTX_NOBJ	28	/* u32: objects of the context */
#define WEFT_ATTR_CTX_NEP	29	/* u32: endpoints of the context, or of the shared queue */
#define WEFT_ATTR_STAT_NAME	32	/* string: STATS_GET: one message per counter */
#define WEFT_ATTR_STAT_VALUE	33	/* u64 */
#define WEFT_ATTR_PATH_ADDR	40	/* binary struct weft_sockaddr: the remote node */
#define WEFT_ATTR_PATH_STATE	41	/* string: "hello", "up", "leaving", "dead", "version" */
#define WEFT_ATTR_PATH_SRTT	42	/* u64: ns */
#define WEFT_ATTR_PATH_CWND	43	/* u32: packets */
#define WEFT_ATTR_PATH_FLIGHT	44	/* u32: packets not acknowledged */
#define WEFT_ATTR_PATH_NFLOW	45	/* u32 */
#define WEFT_ATTR_PATH_RETRANS	46	/* u64: retransmitted packets */
#define WEFT_ATTR_ENGINE_HOT	47	/* u32: endpoints and queues that it polls now */
#define WEFT_ATTR_PORT_DEVICE	48	/* string: device of the driver: PCI or virtio name */
#define WEFT_ATTR_PORT_PREFIX	49	/* u8: prefix length of the PORT_ADDR before it */
#define WEFT_ATTR_PORT_GW	50	/* binary struct weft_sockaddr; one per family */
#define WEFT_ATTR_PORT_VLAN	51	/* u16: VLAN tag, 1 to 4094 */
#define WEFT_ATTR_PORT_QUEUES	52	/* u32: queue pairs */
#define WEFT_ATTR_PORT_MAC	53	/* binary, 6 bytes: Ethernet address */
#define WEFT_ATTR_PORT_PRIORITIES 54	/* string: "on", "off": packets have priorities */
#define WEFT_ATTR_NEIGH_ADDR	56	/* binary struct weft_sockaddr */
#define WEFT_ATTR_NEIGH_MAC	57	/* binary, 6 bytes: Ethernet address, if known */
/* string: "asking", "reachable", "stale", "probing", "failed" */
#define WEFT_ATTR_NEIGH_STATE	58
#define WEFT_ATTR_NEIGH_IDLE	59	/* u64: ns since its last use */
#define WEFT_ATTR_LIMIT_NAME	60	/* string: LIMIT_GET: one message per limit */
#define WEFT_ATTR_LIMIT_VALUE	61	/* u64: current setting */
#define WEFT_ATTR_LIMIT_UNIT	62	/* string: "bytes", "ms", or the unit counted */
#define WEFT_ATTR_LIMIT_MIN	63	/* u64: smallest setting */
#define WEFT_ATTR_LIMIT_MAX	64	/* u64: largest setting */
#define WEFT_ATTR_LIMIT_USED	65	/* u64: use; of a limit of each user the largest one */
#define WEFT_ATTR_LIMIT_HITS	66	/* u64: how often it was reached, if counted */
/* string: name of the job; EP_GET: the endpoint's job, unless the default job */
#define WEFT_ATTR_JOB_NAME	67
#define WEFT_ATTR_JOB_KEY	68	/* binary, 16 to 256 bytes; never in an answer */
#define WEFT_ATTR_JOB_UID	69	/* u32: user that may use the job; may repeat */
/* u32: group that may use the job; may repeat; no user, no group: all */
#define WEFT_ATTR_JOB_GID	70
#define WEFT_ATTR_JOB_ALL	71	/* flag: any user with the key */
#define WEFT_ATTR_JOB_NEP	72	/* u32: endpoints in it */
#define WEFT_ATTR_PORT_FORCE	73	/* flag: delete a port or path that programs use */
#define WEFT_ATTR_PORT_BYPASS	74	/* string: "auto", "on", "off": netdev: the stack bypass */
/* string: "on", "off", "untested": off, as the kernel is not a tested one */
#define WEFT_ATTR_PORT_BYPASS_STATE 75
#define WEFT_ATTR_PORT_DOORBELL	76	/* string: "lseek", "ioctl": how programs notify and wait */
#define WEFT_ATTR_PATH_PAYLOAD	77	/* u32: UDP payload of the largest packet, bytes */
/* u32: versions of the wire format; a "path" to a node that speaks another one has no more */
#define WEFT_ATTR_PATH_OLDEST	78	/* oldest that the node speaks */
#define WEFT_ATTR_PATH_NEWEST	79	/* newest */
#define WEFT_ATTR_PATH_OWN	80	/* of this node */
#define WEFT_ATTR_USER_CTXS	81	/* u64: contexts of UID */
#define WEFT_ATTR_USER_EPS	82	/* u64: its endpoints */
#define WEFT_ATTR_USER_MEMORY	83	/* u64: bytes of its rings and descriptors */
#define WEFT_ATTR_USER_MSGS	84	/* u64: messages that wait for its receives */
#define WEFT_ATTR_USER_BYTES	85	/* u64: bytes of the short ones among them */
#define WEFT_ATTR_USER_LINGERS	86	/* u64: flows of its ended programs that deliver */
/* string: "same", "any": users whose programs may access regions, in the default job */
#define WEFT_ATTR_PORT_RMA_USERS 87
#define WEFT_ATTR_USER_REGIONS	88	/* u64: regions of UID that peers may access */
/*
 * string: "tagged", "untagged"; a send also "write", "read", "atomic", "fetch", "answer"; a
 * completion queue "queue" or "counter"; memory "pinned" or "remote"
 */
#define WEFT_ATTR_KIND		89
#define WEFT_ATTR_TAG		90	/* u64, tagged only */
#define WEFT_ATTR_IGNORE	91	/* u64: bits of TAG that a receive does not compare */
/*
 * binary struct weft_sockaddr: a message's sender; the only sender that a receive names, family 0:
 * it is not in the address vector any more
 */
#define WEFT_ATTR_FROM		92
#define WEFT_ATTR_LEN		93	/* u64: bytes of a message, a buffer or registered memory */
#define WEFT_ATTR_CAME		94	/* u64: bytes of a message that have come */
/* string: "eager", "announced", a send also "local" (weftctl-send(8)) */
#define WEFT_ATTR_HOW		95
#define WEFT_ATTR_AGE		96	/* u64: ns that it has waited; of a path, in this state */
/* u64: address of a receive's first segment; address by which operations name memory */
#define WEFT_ATTR_BUF		97
#define WEFT_ATTR_SRQ		98	/* u32: handle of the shared receive queue */
#define WEFT_ATTR_TO		99	/* binary struct weft_sockaddr: destination of a send */
#define WEFT_ATTR_SENT		100	/* u64: bytes of a send in packets */
#define WEFT_ATTR_FOR		101	/* string: what a send waits for (weftctl-send(8)) */
#define WEFT_ATTR_TOLD		102	/* flag: the completion of a send has been written */
#define WEFT_ATTR_FLOW_WAY	103	/* string: "out", "in" */
/* string: "asking", "refused", "open", "closing", "dead" */
#define WEFT_ATTR_FLOW_STATE	104
/* binary struct weft_sockaddr: the remote endpoint; within the node the receiver */
#define WEFT_ATTR_FLOW_PEER	105
#define WEFT_ATTR_FLOW_LAST	106	/* u32: number of the last message begun, or received */
#define WEFT_ATTR_FLOW_CREDIT	107	/* u32: messages that may begin */
#define WEFT_ATTR_FLOW_BYTES	108	/* u32: bytes of eager payload that may be sent */
#define WEFT_ATTR_FLOW_WAITING	109	/* u32: sends not begun; in: messages without a receive */
#define WEFT_ATTR_FLOW_UNACKED	110	/* u32: messages in unacknowledged packets, out only */
#define WEFT_ATTR_FLOW_EARLY	111	/* u32: message behind a missing one, in only */
#define WEFT_ATTR_STAT_TEXT	112	/* string: what a counter counts */
/* u64: number of a message to the group: a missing one was not sent to any listener */
#define WEFT_ATTR_EVENT_NR	113
#define WEFT_ATTR_EVENT_FIRST	114	/* u64: when the event happened, ns since 1970 */
#define WEFT_ATTR_EVENT_LAST	115	/* u64: when it happened last, if it did again */
#define WEFT_ATTR_EVENT_COUNT	116	/* u64: how often it happened, if more than once */
#define WEFT_ATTR_EVENT_WHAT	117	/* string: its kind (weftctl-event(8)) */
#define WEFT_ATTR_EVENT_WHY	118	/* string: its cause, and what to do */
#define WEFT_ATTR_EVENT_PEER	119	/* binary struct weft_sockaddr: the node, service 0 */
#define WEFT_ATTR_EVENT_ERR	120	/* u32: errno that programs get */
#define WEFT_ATTR_EVENT_LIMIT	121	/* string: counter of a limit, see 'stats -d' */
/* u64: the least version of a peer; the former payload of its packets */
#define WEFT_ATTR_EVENT_FROM	122
/* u64: the largest version, the present payload; how many messages, or refused operations */
#define WEFT_ATTR_EVENT_TO	123
#define WEFT_ATTR_PATH_RTTVAR	124	/* u64: variation of the round-trip time, ns */
#define WEFT_ATTR_PATH_HEARD	125	/* u64: ns since the peer was heard, if it was */
#define WEFT_ATTR_CQ		126	/* u32: handle of the completion queue or counter */
#define WEFT_ATTR_CQ_SLOTS	127	/* u32: slots of its ring */
#define WEFT_ATTR_CQ_UNREAD	128	/* u32: slots that the program has not read */
/* u32: completions that wait until slots are free; AGE: since when */
#define WEFT_ATTR_CQ_WAITING	129
#define WEFT_ATTR_CQ_ERROR	130	/* flag: the program wrote an index outside of the ring */
#define WEFT_ATTR_CQ_WAITER	131	/* flag: a thread waits for an entry */
#define WEFT_ATTR_CNTR_DONE	132	/* u64: successful operations that a counter has counted */
#define WEFT_ATTR_CNTR_FAILED	133	/* u64: failed ones */
#define WEFT_ATTR_SRQ_RECVS	134	/* u32: receives that may be posted or held */
#define WEFT_ATTR_SRQ_HELD	135	/* u32: receives that endpoints hold */
#define WEFT_ATTR_SRQ_LOW	136	/* u32: low watermark, if set */
#define WEFT_ATTR_SRQ_WAITING	137	/* u32: endpoints with messages that no receive has taken */
#define WEFT_ATTR_CONN_ROLE	138	/* string: "active": this node asked for it, "passive" */
/* string: "asking", "asked", "accepted", "up", "closing" */
#define WEFT_ATTR_CONN_STATE	139
#define WEFT_ATTR_MR		140	/* u32: handle of memory that stays pinned */
#define WEFT_ATTR_MR_KEY	141	/* u64: key of memory that peers may access */
#define WEFT_ATTR_MR_ZONE	142	/* u32: its protection zone, if it is in one */
#define WEFT_ATTR_MR_ACCESS	143	/* string: "none", "read", "write", "read,write" */
#define WEFT_ATTR_MR_USERS	144	/* u32: operations of peers that access it now */
/* u64: messages that were longer than their receives, if there were any */
#define WEFT_ATTR_EP_TRUNCATED	145
#define WEFT_ATTR_EP_TRUNCATED_AGE 146	/* u64: ns since the last of them */
#define WEFT_ATTR_STAT_UNIT	147	/* string: what a counter counts in: "packets" */
/* string: settings that bear on a counter, with blanks between them, if there are any */
#define WEFT_ATTR_STAT_SETTINGS	148
/* u64: sends and one-sided operations that the kernel has taken */
#define WEFT_ATTR_EP_SENT	149
#define WEFT_ATTR_EP_SENT_BYTES	150	/* u64: bytes of these */
#define WEFT_ATTR_EP_RECEIVED	151	/* u64: messages that have met their receives */
#define WEFT_ATTR_EP_RECEIVED_BYTES	152	/* u64: bytes of these */
#define WEFT_ATTR_PATH_SPURIOUS	153	/* u64: packets sent again although they had arrived */
#define WEFT_ATTR_PATH_TIMEOUTS	154	/* u64: retransmission timeouts */
#define WEFT_ATTR_PATH_TX_PACKETS	155	/* u64: packets sent, without handshakes */
#define WEFT_ATTR_PATH_TX_BYTES	156	/* u64: UDP payload of these */
#define WEFT_ATTR_PATH_RX_PACKETS	157	/* u64: packets received */
#define WEFT_ATTR_PATH_RX_BYTES	158	/* u64: UDP payload of these */
#define WEFT_ATTR_PROBE_NO	159	/* u32: number of a probe, unique in its port */
#define WEFT_ATTR_PROBE_COUNT	160	/* u32: packets that it sends; 100 unless given */
#define WEFT_ATTR_PROBE_INTERVAL 161	/* u32: milliseconds between two packets; 10 unless given */
#define WEFT_ATTR_PROBE_SIZE	162	/* u32: bytes of UDP payload of each; 64 unless given */
#define WEFT_ATTR_PROBE_STATE	163	/* string: "handshake", "running", "over" */
#define WEFT_ATTR_PROBE_ERR	164	/* u32: errno that ended it, if one did */
/* u64: ns that the handshake took; without it the path was there already */
#define WEFT_ATTR_PROBE_HELLO	165
#define WEFT_ATTR_PROBE_SENT	166	/* u32: packets sent */
#define WEFT_ATTR_PROBE_CAME	167	/* u32: packets that came to the node, as it has reported */
#define WEFT_ATTR_PROBE_ANSWERED 168	/* u32: packets that it answered, as it has reported */
#define WEFT_ATTR_PROBE_BACK	169	/* u32: packets whose answers have come */
#define WEFT_ATTR_PROBE_EXACT	170	/* flag: its report was made after the last packet */
#define WEFT_ATTR_PROBE_RTT_MIN	171	/* u64: shortest round-trip time, ns, if there is one */
#define WEFT_ATTR_PROBE_RTT_AVG	172	/* u64: its mean */
#define WEFT_ATTR_PROBE_RTT_MAX	173	/* u64: the longest one */
#define WEFT_ATTR_PROBE_RTT_DEV	174	/* u64: its standard deviation */
#define WEFT_ATTR_PORT_HISTOGRAMS 175	/* string: "on", "off": messages are measured */
#define WEFT_ATTR_HIST_NAME	176	/* string: HIST_GET: one message per histogram */
#define WEFT_ATTR_HIST_UNIT	177	/* string: unit of its values: "ns", "entries" */
#define WEFT_ATTR_HIST_TEXT	178	/* string: what it measures */
#define WEFT_ATTR_HIST_SUM	179	/* u64: sum of the values */
/*
 * u64 ...: number of values that are 0; that are 1; that are 2 or 3; from 2^(n - 1) to 2^n - 1; the
 * last number counts all larger values, too
 */
#define WEFT_ATTR_HIST_COUNTS	180
#define WEFT_ATTR_LIMIT_USED_BY	181	/* u32: the user that uses most, if there is one */
#define WEFT_ATTR_LIMIT_PEAK	182	/* u64: the largest use since the port was made */
#define WEFT_ATTR_LIMIT_PEAK_BY	183	/* u32: its user, if there is one */
#define WEFT_ATTR_LIMIT_HITS_BY	184	/* u32: the user who reached the limit last, if one did */
#define WEFT_ATTR_PORT_QUESTIONS 185	/* string: "on", "off": other nodes may ask */
/*
 * string: "answered", "off": the node answers no questions, "none": it has no such endpoint in the
 * job, "unknown"
 */
#define WEFT_ATTR_ANSWER_STATUS	186
#define WEFT_ATTR_ANSWER_PROGRAM 187	/* string: letter of the program's state as in proc(5) */
#define WEFT_ATTR_ANSWER_FULL	188	/* u32: completions that wait for space, if there are any */
/*
 * nested: COUNT, and of the oldest one AGE, KIND, [TAG], [IGNORE], [FOR], [FROM]: receives that
 * take messages of the asking endpoint
 */
#define WEFT_ATTR_ANSWER_RECV	189
#define WEFT_ATTR_ANSWER_MSG	190	/* nested: its messages that no receive has taken */
#define WEFT_ATTR_ANSWER_SEND	191	/* nested: sends under way to it */
#define WEFT_ATTR_ANSWER_WAIT	192	/* nested: all posted receives */
#define WEFT_ATTR_ANSWER_COUNT	193	/* u32: number of these objects */
/* flag: a receive may be older: the kernel read it from its ring because somebody looked */
#define WEFT_ATTR_AGE_LEAST	194
#define WEFT_ATTR_MAX		194

#endif /* _UAPI_LINUX_WEFT_NETLINK_H */
