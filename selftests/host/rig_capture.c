// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rig: captures, for the dissector of lib/wireshark and its test
 *
 * With WEFT_PCAP=FILE in the environment all packets that nodes send are appended to a file of the
 * format pcapng, with IP and UDP headers, before the network loses any. Each world is a section of
 * the file. WEFT_PCAP_FORM chooses what is written:
 *
 *	packets	(the default) each packet
 *	runs	the packets of a run as one datagram, as a netdev port gives them to its device
 *	bad	each packet with changed bytes
 *
 * WEFT_PCAP_MOST=N keeps the files small: at most N datagrams of each world.
 *
 * A comment of a packet says what the rig knows about it: "again" (it was sent before), "injected"
 * (a test made it). Of changed packets it says what the decoders of the core do: they take it
 * ("valid"), refuse it ("invalid"), or find another version or VERSION ("version").
 *
 * Locks: none. A packet is one write(), so threads and forked tests may share the file.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/wire/wire.h"
#include "rig.h"

#define LINKTYPE_RAW	101	/* packets begin with the IP header */
#define MOST		65536	/* bytes of a datagram */
#define IP4		20
#define IP6		40
#define UDP		8

static int file = -1;
static enum { PACKETS, RUNS, BAD } form;
static u32 left;	/* datagrams that this world may write */
static u64 dice = 0x9e3779b97f4a7c15ULL;	/* of changed packets */

/**
 * struct cap_datagram - a datagram that is being collected
 * @src: address it comes from
 * @dst: address it goes to
 * @class: WEFT_CLASS_*
 * @comment: what is known about it, NULL: nothing
 * @at: time
 * @len: bytes of it, 0: there is none
 * @data: the bytes
 */
struct cap_datagram {
	struct weft_sockaddr src;
	struct weft_sockaddr dst;
	u8 class;
	const char *comment;
	weft_ns at;
	u32 len;
	u8 data[MOST];
};

static __thread struct cap_datagram pending;

static u32 below(u32 n)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (u32)(dice >> 32) % n;
}

static void put(const void *data, size_t len)
{
	if (write(file, data, len) != (ssize_t)len)
		weft_host_die(__FILE__, __LINE__, "WEFT_PCAP: cannot write");
}

void rig_capture_begin(void)
{
	static const u32 head[] = {
		/* section: byte order, version 1.0, unknown length */
		0x0a0d0d0a, 28, 0x1a2b3c4d, 1, 0xffffffff, 0xffffffff, 28,
		/* interface: all bytes of packets, time in units of 10^-9 s */
		1, 32, LINKTYPE_RAW, 0, 1 << 16 | 9, 9, 0, 32,
	};
	const char *name = getenv("WEFT_PCAP"), *what = getenv("WEFT_PCAP_FORM");
	const char *most = getenv("WEFT_PCAP_MOST");

	if (!name)
		return;
	form = PACKETS;
	if (what && !strcmp(what, "runs"))
		form = RUNS;
	else if (what && !strcmp(what, "bad"))
		form = BAD;
	left = most ? strtoul(most, NULL, 0) : U32_MAX;
	if (file < 0)
		file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (file < 0)
		weft_host_die(__FILE__, __LINE__, "WEFT_PCAP: cannot open %s", name);
	put(head, sizeof(head));
}

/* The sum of 16-bit words, added to @sum. */
static u32 add_words(u32 sum, const u8 *p, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? p[i] : p[i] << 8;
	return sum;
}

static void put16(u8 *p, u32 v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static u16 fold(u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

/* Write the headers of a datagram at @p. Return: their bytes. */
static u32 headers(u8 *p, const struct cap_datagram *d)
{
	static const u8 tos[] = { 34 << 2, 18 << 2, 0 };
	bool four = d->src.family == AF_INET;
	u32 ip = four ? IP4 : IP6, alen = four ? 4 : 16, addrs = four ? 12 : 8;
	u32 len = UDP + d->len, sum;
	u8 *udp = p + ip;

	memset(p, 0, ip + UDP);
	if (four) {
		p[0] = 0x45;
		p[1] = tos[d->class] | 2;
		put16(p + 2, ip + len);
		p[6] = 0x40;
		p[8] = 64;
		p[9] = 17;
	} else {
		put16(p, 6 << 12 | (tos[d->class] | 2) << 4);
		put16(p + 4, len);
		p[6] = 17;
		p[7] = 64;
	}
	memcpy(p + addrs, d->src.addr, alen);
	memcpy(p + addrs + alen, d->dst.addr, alen);
	if (four)
		put16(p + 10, fold(add_words(0, p, ip)));
	memcpy(udp, &d->src.port, 2);
	memcpy(udp + 2, &d->dst.port, 2);
	put16(udp + 4, len);
	sum = add_words(17 + len, p + addrs, 2 * alen) + add_words(0, udp, UDP);
	sum = fold(add_words(sum, d->data, d->len));
	put16(udp + 6, sum ?: 0xffff);
	return ip + UDP;
}

/* What the decoders say of a packet. */
static const char *verdict(const u8 *p, u32 len)
{
	struct weft_chunks rest;
	struct weft_dgram dgram;
	struct weft_hello hello;
	struct weft_hdr h;
	int r = weft_wire_hdr_get(p, len, &h, &rest);

	if (r == -EPROTO || (len >= WEFT_WIRE_HDR && (p[0] & 15) == WEFT_PKT_VERSION))
		return "version";
	if (!r && h.type == WEFT_PKT_HELLO)
		r = weft_wire_hello_get(&rest, &hello);
	else if (!r && h.type == WEFT_PKT_DATA)
		r = weft_wire_check(&rest);
	else if (!r && (h.type == WEFT_PKT_DGRAM || h.type == WEFT_PKT_GROUP))
		r = weft_wire_dgram_get(&rest, &dgram);
	return r ? "invalid" : "valid";
}

/* Change a packet. */
static void spoil(struct cap_datagram *d)
{
	u32 n = below(5), most = below(4) ? min(d->len, 120u) : d->len;

	/* mostly numbers that mean something: lengths, types */
	for (; n; n--)
		d->data[below(most)] = below(3) ? below(140) : below(256);
	if (!below(4)) {
		u32 len = below(2) ? 1 + below(d->len) : min(d->len + below(80), (u32)MOST);

		for (; d->len < len; d->len++)
			d->data[d->len] = below(3) ? 0 : below(256);
		d->len = len;
	}
	/* version and header stay in most packets, or nothing else would be looked at */
	if (d->len >= WEFT_WIRE_HDR && below(8)) {
		d->data[0] = WEFT_WIRE_VERSION << 4 | (below(8) ? d->data[0] & 15 : below(16));
		d->data[3] = below(16) ? WEFT_WIRE_HDR / 4 : 10;
		memset(d->data + offsetof(struct weft_w_hdr, job), 0, 2);
	}
	d->comment = verdict(d->data, d->len);
}

void rig_capture_end(void)
{
	struct cap_datagram *d = &pending;
	u32 hlen, clen, len, total;
	static __thread u8 block[MOST + 256];
	u8 *p = block + 28;

	if (!d->len)
		return;
	if (!left--) {
		left = 0;
		d->len = 0;
		return;
	}
	if (form == BAD)
		spoil(d);
	hlen = headers(p, d);
	len = hlen + d->len;
	memcpy(p + hlen, d->data, d->len);
	p += len;
	for (; (p - block) % 4; p++)
		*p = 0;
	clen = d->comment ? strlen(d->comment) : 0;
	if (clen) {
		memset(p, 0, ALIGN(clen, 4) + 8);
		*(u32 *)p = 1 | clen << 16;
		memcpy(p + 4, d->comment, clen);
		p += ALIGN(clen, 4) + 8;
	}
	total = p - block + 4;
	memcpy(block, (u32 []){ 6, total, 0, d->at >> 32, (u32)d->at, len, len }, 28);
	memcpy(p, &total, 4);
	put(block, total);
	d->len = 0;
}

void rig_capture(struct rig_node *node, const struct weft_sockaddr *src,
		 const struct weft_sockaddr *dst, u8 class, const void *data, u32 len,
		 const char *comment)
{
	struct cap_datagram *d = &pending;

	if (likely(file < 0))
		return;
	if (form != RUNS || d->len + len > MOST - IP6 - UDP)
		rig_capture_end();
	if (!d->len) {
		d->src = *src;
		d->dst = *dst;
		d->dst.port = cpu_to_be16(node->rig->conf.core.udp_port);
		d->class = class;
		d->comment = comment;
		d->at = rig_now(node->rig);
	}
	memcpy(d->data + d->len, data, len);
	d->len += len;
	if (form != RUNS)
		rig_capture_end();
}
