// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - packets: decoding with a check of every length, and encoding
 *
 * Locks: none. Decoding never reads beyond the length given by the caller, and the length bounds
 * its steps.
 */
#include "core/wire/wire.h"

/**
 * struct weft_shape - valid form of a chunk's body
 * @fixed: bytes of its structure; 0: unknown type
 * @tail: most bytes that may follow
 */
struct weft_shape {
	u16 fixed;
	u16 tail;
};

/* weft_wire_step() knows the shapes of EAGER, HEAD and SACK. */
static const struct weft_shape weft_shapes[] = {
	[WEFT_CHUNK_RTS] = { sizeof(struct weft_w_rts), 0 },
	[WEFT_CHUNK_GRANT] = { sizeof(struct weft_w_grant), 0 },
	[WEFT_CHUNK_DATA] = { sizeof(struct weft_w_data), U16_MAX },
	[WEFT_CHUNK_DONE] = { sizeof(struct weft_w_done), 0 },
	[WEFT_CHUNK_ABORT] = { sizeof(struct weft_w_abort), 0 },
	[WEFT_CHUNK_CM] = { sizeof(struct weft_w_cm), WEFT_CM_DATA_MAX },
	[WEFT_CHUNK_PING] = { sizeof(struct weft_w_ping), 0 },
	[WEFT_CHUNK_EPGONE] = { sizeof(struct weft_w_epgone), 0 },
	[WEFT_CHUNK_CREDIT] = { sizeof(struct weft_w_credit), 0 },
	[WEFT_CHUNK_OPEN] = { sizeof(struct weft_w_open), 0 },
	[WEFT_CHUNK_MTU] = { sizeof(struct weft_w_mtu), 0 },
	[WEFT_CHUNK_RETIRE] = { sizeof(struct weft_w_retire), 0 },
	[WEFT_CHUNK_RETIRED] = { sizeof(struct weft_w_retired), WEFT_RETIRED_BITS / 8 },
	[WEFT_CHUNK_PROBE] = { sizeof(struct weft_w_probe), U16_MAX },
	[WEFT_CHUNK_PROBED] = { sizeof(struct weft_w_probed), 0 },
	[WEFT_CHUNK_WRITES] = { sizeof(struct weft_w_writes), U16_MAX },
	[WEFT_CHUNK_ECHO] = { sizeof(struct weft_w_echo), U16_MAX },
	[WEFT_CHUNK_ECHOED] = { sizeof(struct weft_w_echoed), 0 },
	[WEFT_CHUNK_QUESTION] = { sizeof(struct weft_w_question), U16_MAX },
	[WEFT_CHUNK_ANSWER] = { sizeof(struct weft_w_answer), 0 },
};

/**
 * weft_wire_hdr_get - decode a packet's header
 * @pkt: the packet
 * @len: bytes of the packet
 * @h: out: the header
 * @rest: out: the bytes behind it
 *
 * Return: 0; -EINVAL: not a weft packet; -EPROTO: unknown version.
 */
int weft_wire_hdr_get(const void *pkt, u32 len, struct weft_hdr *h, struct weft_chunks *rest)
{
	const struct weft_w_hdr *w = pkt;
	u32 hlen;

	BUILD_BUG_ON(sizeof(struct weft_w_hdr) != WEFT_WIRE_HDR);
	BUILD_BUG_ON(sizeof(struct weft_w_head) != 48);
	BUILD_BUG_ON(sizeof(struct weft_w_hello) != 56);
	BUILD_BUG_ON(sizeof(struct weft_w_dgram) != 16);
	if (len < sizeof(*w))
		return -EINVAL;
	if (w->vt >> 4 != WEFT_WIRE_VERSION)
		return -EPROTO;
	hlen = w->words * 4u;
	if (hlen < sizeof(*w) || hlen > len || w->job)
		return -EINVAL;
	h->type = w->vt & 15;
	if (h->type < WEFT_PKT_HELLO || h->type > WEFT_PKT_BYE)
		return -EINVAL;
	h->flags = w->flags;
	h->lane = w->lane;
	h->path = be32_to_cpu(w->path);
	h->token = be64_to_cpu(w->token);
	h->psn = be32_to_cpu(w->psn);
	h->ack = be32_to_cpu(w->ack);
	h->window = be16_to_cpu(w->window);
	h->ack_delay = be32_to_cpu(w->ack_delay);
	rest->at = (const u8 *)pkt + hlen;
	rest->left = len - hlen;
	return 0;
}

/**
 * weft_wire_hello_get - decode a handshake
 * @rest: the bytes behind the header
 * @h: out: the handshake
 *
 * Return: 0, -EINVAL.
 */
int weft_wire_hello_get(const struct weft_chunks *rest, struct weft_hello *h)
{
	const struct weft_w_hello *w = (const void *)rest->at;

	if (rest->left < sizeof(*w))
		return -EINVAL;
	h->op = w->op;
	if (h->op < WEFT_HELLO_INIT || h->op > WEFT_HELLO_ACK)
		return -EINVAL;
	h->caps = be32_to_cpu(w->caps);
	h->incarnation = be64_to_cpu(w->incarnation);
	h->path = be32_to_cpu(w->path);
	h->max_payload = be32_to_cpu(w->max_payload);
	h->offer = be64_to_cpu(w->offer);
	h->ack_delay = be32_to_cpu(w->ack_delay);
	h->nonce = be64_to_cpu(w->nonce);
	h->cookie = be64_to_cpu(w->cookie);
	return 0;
}

/**
 * weft_wire_hello_put - write a handshake
 * @dst: buffer for struct weft_w_hello
 * @h: the handshake
 */
void weft_wire_hello_put(void *dst, const struct weft_hello *h)
{
	struct weft_w_hello *w = dst;

	w->op = h->op;
	w->rsvd = 0;
	w->rsvd2 = 0;
	w->caps = cpu_to_be32(h->caps);
	w->incarnation = cpu_to_be64(h->incarnation);
	w->path = cpu_to_be32(h->path);
	w->max_payload = cpu_to_be32(h->max_payload);
	w->offer = cpu_to_be64(h->offer);
	w->ack_delay = cpu_to_be32(h->ack_delay);
	w->rsvd3 = 0;
	w->nonce = cpu_to_be64(h->nonce);
	w->cookie = cpu_to_be64(h->cookie);
}

/**
 * weft_wire_dgram_get - decode a datagram
 * @rest: the bytes behind the header
 * @d: out: the datagram; its payload is in the packet
 *
 * Return: 0, -EINVAL.
 */
int weft_wire_dgram_get(const struct weft_chunks *rest, struct weft_dgram *d)
{
	const struct weft_w_dgram *w = (const void *)rest->at;

	if (rest->left < sizeof(*w))
		return -EINVAL;
	d->ssvc = be16_to_cpu(w->ssvc);
	d->dsvc = be16_to_cpu(w->dsvc);
	d->flags = be16_to_cpu(w->flags) & (WEFT_MSG_DATA | WEFT_MSG_SOLICITED);
	d->len = be16_to_cpu(w->len);
	d->data = be64_to_cpu(w->data);
	d->pay = (const u8 *)(w + 1);
	return d->len > rest->left - sizeof(*w) ? -EINVAL : 0;
}

/**
 * weft_wire_dgram_put - write a datagram up to its payload
 * @dst: buffer for struct weft_w_dgram
 * @d: the datagram
 */
void weft_wire_dgram_put(void *dst, const struct weft_dgram *d)
{
	struct weft_w_dgram *w = dst;

	w->ssvc = cpu_to_be16(d->ssvc);
	w->dsvc = cpu_to_be16(d->dsvc);
	w->flags = cpu_to_be16(d->flags);
	w->len = cpu_to_be16(d->len);
	w->data = cpu_to_be64(d->data);
}

/**
 * weft_wire_writes_get - decode a chunk WRITES
 * @c: the chunk; the bytes may change meanwhile, so its payload is read once
 * @w: out: what all its writes have in common
 *
 * Return: 0; -EINVAL: it is invalid.
 */
int weft_wire_writes_get(const struct weft_chunk *c, struct weft_writes *w)
{
	struct weft_w_writes s;
	u64 mark;

	BUILD_BUG_ON(sizeof(s) != 40);
	BUILD_BUG_ON(WEFT_WRITES_MOST > WEFT_REPORT_MOST);
	memcpy(&s, c->body, sizeof(s));
	mark = be64_to_cpu(s.mark);
	weft_wire_flow_get(&s.flow, &w->flow);
	w->flags = (mark >> WEFT_AUTH_BITS) & WEFT_MSG_FLAGS;
	w->auth = mark & WEFT_AUTH_MASK;
	w->uid = be32_to_cpu(s.uid);
	w->n = be16_to_cpu(s.n);
	w->len = be16_to_cpu(s.len);
	w->key = be64_to_cpu(s.key);
	if (!w->n || w->n > WEFT_WRITES_MOST || !w->len || w->len > WEFT_WRITES_BYTES ||
	    c->paylen != w->n * weft_writes_size(w->len))
		return -EINVAL;
	return (w->flags | WEFT_MSG_PLACED | WEFT_MSG_CONNECTED) ==
		       (WEFT_MSG_RMA | WEFT_MSG_PLACED | WEFT_MSG_CONNECTED) ? 0 : -EINVAL;
}

/**
 * weft_wire_writes_put - write a chunk WRITES up to its writes
 * @dst: buffer of 44 bytes
 * @w: what the writes have in common; the caller appends them
 *
 * Return: bytes written.
 */
u32 weft_wire_writes_put(void *dst, const struct weft_writes *w)
{
	struct weft_w_writes *s = weft_wire_chunk_put(dst, WEFT_CHUNK_WRITES, sizeof(*s) +
						      w->n * weft_writes_size(w->len));

	weft_wire_flow_put(&s->flow, &w->flow);
	s->mark = cpu_to_be64((u64)w->flags << WEFT_AUTH_BITS | w->auth);
	s->uid = cpu_to_be32(w->uid);
	s->n = cpu_to_be16(w->n);
	s->len = cpu_to_be16(w->len);
	s->key = cpu_to_be64(w->key);
	return WEFT_WIRE_CHUNK + sizeof(*s);
}

/* As weft_wire_sound(), for WRITES. Apart, because the structure takes space on the stack. */
static noinline bool weft_wire_writes_sound(const struct weft_chunk *c)
{
	struct weft_writes w weft_unset;

	return !weft_wire_writes_get(c, &w);
}

/* Return: true if the fields of an EAGER chunk agree with its length. */
static __always_inline bool weft_wire_eager_sound(const struct weft_chunk *c)
{
	const struct weft_w_eager *w = c->body;
	u64 len = be64_to_cpu(w->head.len);
	u32 off = be32_to_cpu(w->off);

	/* only an empty message may have an empty fragment */
	return (u64)off + c->paylen <= len && (c->paylen || !len);
}

/* Return: true if the fields of a chunk agree with its length. */
static __always_inline bool weft_wire_sound(const struct weft_chunk *c)
{
	/* the most frequent one */
	if (likely(c->type == WEFT_CHUNK_EAGER))
		return weft_wire_eager_sound(c);
	switch (c->type) {
	case WEFT_CHUNK_DATA: {
		const struct weft_w_data *w = c->body;

		return c->paylen && be64_to_cpu(w->off) <= U64_MAX - c->paylen;
	}
	case WEFT_CHUNK_DONE: {
		const struct weft_w_done *w = c->body;
		u16 kind = be16_to_cpu(w->kind);

		if (kind == WEFT_DONE_EXECUTED)
			return !w->status && be32_to_cpu(w->sid) < WEFT_REPORT_MOST;
		return kind == WEFT_DONE_PLACED || kind == WEFT_DONE_MATCHED;
	}
	case WEFT_CHUNK_CM: {
		const struct weft_w_cm *w = c->body;

		return w->op >= WEFT_CM_REQ && w->op <= WEFT_CM_FINACK;
	}
	case WEFT_CHUNK_SACK:
		return c->len && c->len % 4 == 0 && c->len <= WEFT_SACK_BITS / 8;
	case WEFT_CHUNK_RETIRED:
		return c->paylen % 4 == 0;
	case WEFT_CHUNK_WRITES:
		return weft_wire_writes_sound(c);
	default:
		return true;
	}
}

/* Decode the next chunk. Return: 1: a chunk; 0: end; -EINVAL. */
static int weft_wire_step(struct weft_chunks *rest, struct weft_chunk *c)
{
	const u8 *at = rest->at;
	u32 left = rest->left;

	while (left) {
		const struct weft_w_chunk *w = (const void *)at;
		u32 type, len, size, fixed = 0, tail = 0;

		if (left < sizeof(*w))
			return -EINVAL;
		type = w->type;
		len = be16_to_cpu(w->len);
		/* the bytes may change meanwhile: the compiler must not read them again */
		OPTIMIZER_HIDE_VAR(type);
		OPTIMIZER_HIDE_VAR(len);
		if (len > left - sizeof(*w))
			return -EINVAL;
		size = min(weft_wire_size(len), left);
		at += size;
		left -= size;
		if (likely(type == WEFT_CHUNK_EAGER)) {
			fixed = sizeof(struct weft_w_eager);
			tail = U16_MAX;
		} else if (type == WEFT_CHUNK_SACK) {
			tail = U16_MAX;
		} else if (type == WEFT_CHUNK_HEAD) {
			fixed = sizeof(struct weft_w_eager);
		} else if (type < ARRAY_SIZE(weft_shapes) && weft_shapes[type].fixed) {
			fixed = weft_shapes[type].fixed;
			tail = weft_shapes[type].tail;
		} else if (type & WEFT_CHUNK_SKIP) {
			continue;
		} else {
			return -EINVAL;
		}
		if (len < fixed || len - fixed > tail)
			return -EINVAL;
		rest->at = at;
		rest->left = left;
		c->type = type;
		c->len = len;
		c->body = w + 1;
		c->pay = (const u8 *)(w + 1) + fixed;
		c->paylen = len - fixed;
		return weft_wire_sound(c) ? 1 : -EINVAL;
	}
	rest->left = 0;
	return 0;
}

/**
 * weft_wire_count - check all chunks of a packet before any is used
 * @rest: the bytes behind the header
 * @first: out: the first chunk of a known type
 *
 * Return: number of chunks of known types; -EINVAL: the packet is invalid.
 */
int weft_wire_count(const struct weft_chunks *rest, struct weft_chunk *first)
{
	struct weft_chunks it = *rest;
	struct weft_chunk c;
	int n, r;

	r = weft_wire_step(&it, first);
	for (n = 0; r > 0; n++)
		r = weft_wire_step(&it, &c);
	return r < 0 ? r : n;
}

/**
 * weft_wire_check - check all chunks of a packet
 * @rest: the bytes behind the header
 *
 * Return: 0, -EINVAL: the packet is invalid.
 */
int weft_wire_check(const struct weft_chunks *rest)
{
	struct weft_chunk first;

	return min(weft_wire_count(rest, &first), 0);
}

/**
 * weft_wire_next - get the next chunk of a known type
 * @rest: the rest of a packet that has passed weft_wire_check()
 * @c: out: the chunk
 *
 * Return: true if there is one.
 */
bool weft_wire_next(struct weft_chunks *rest, struct weft_chunk *c)
{
	return weft_wire_step(rest, c) > 0;
}

static __always_inline u64 weft_wire_u64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Return: the offset of an EAGER or DATA chunk whose structure ends at @end. */
static __always_inline u64 weft_wire_off_get(const u8 *end, u8 type)
{
	if (type == WEFT_CHUNK_DATA)
		return be64_to_cpu(((const struct weft_w_data *)end - 1)->off);
	return be32_to_cpu(((const struct weft_w_eager *)end - 1)->off);
}

/**
 * struct weft_like - what the next packet of a run has to hold
 * @path: first 8 bytes of the header, among them the flags
 * @token: path token
 * @rest: job, window and times
 * @head: chunk head, and DATA's id
 * @gens: EAGER: both generations of the flow, which with @mseq decide about the message. A peer
 *	that lets other fields differ harms its own message.
 * @mseq: EAGER: number of the message
 * @ack: acknowledgement
 * @psn: PSN
 * @off: offset of the payload
 * @step: bytes of payload of all packets but the last one
 * @acknow: a packet behind the first asks for an acknowledgement
 */
struct weft_like {
	u64 path;
	u64 token;
	u64 rest;
	u64 head;
	u64 gens;
	__be32 mseq;
	__be32 ack;
	u32 psn;
	u64 off;
	u32 step;
	bool acknow;
};

static __always_inline u64 weft_wire_gens(const struct weft_w_eager *w)
{
	return weft_wire_u64((const u8 *)w + offsetof(struct weft_w_eager, head.flow.sgen));
}

/* The flag in which the headers of a run may differ, in struct weft_like's @path */
static __always_inline u64 weft_wire_acknow(void)
{
	static const u8 flags[8] = { [1] = WEFT_PKT_ACKNOW };

	return weft_wire_u64(flags);
}

/* Return: how many of @n packets of @type continue the run. @l has the next one afterwards. */
static __always_inline u32 weft_wire_like(struct weft_like *l, const u8 *pkt, u32 n, u32 stride,
					  const u8 type)
{
	const u64 path = l->path, token = l->token, rest = l->rest, head = l->head;
	const u32 chunk = WEFT_WIRE_HDR + sizeof(struct weft_w_chunk), step = l->step;
	u32 psn = l->psn, end = psn + n;
	u64 off = l->off;

	for (; psn != end; psn++, off += step, pkt += stride) {
		const struct weft_w_hdr *h = (const void *)pkt;

		if (unlikely(weft_wire_u64(pkt) != path)) {
			if ((weft_wire_u64(pkt) ^ path) & ~weft_wire_acknow())
				break;
			l->acknow |= h->flags & WEFT_PKT_ACKNOW;
		}
		if (weft_wire_u64(pkt + offsetof(struct weft_w_hdr, token)) != token ||
		    h->psn != cpu_to_be32(psn) || h->ack != l->ack ||
		    weft_wire_u64(pkt + offsetof(struct weft_w_hdr, job)) != rest ||
		    weft_wire_u64(pkt + WEFT_WIRE_HDR) != head)
			break;
		if (type == WEFT_CHUNK_DATA) {
			const struct weft_w_data *w = (const void *)(pkt + chunk);

			if (w->off != cpu_to_be64(off))
				break;
		} else {
			const struct weft_w_eager *w = (const void *)(pkt + chunk);

			if (w->off != cpu_to_be32((u32)off) || w->head.flow.mseq != l->mseq ||
			    weft_wire_gens(w) != l->gens)
				break;
		}
	}
	n -= end - psn;
	l->psn = psn;
	l->off = off;
	return n;
}

static noinline u32 weft_wire_like_data(struct weft_like *l, const u8 *pkt, u32 n, u32 stride)
{
	return weft_wire_like(l, pkt, n, stride, WEFT_CHUNK_DATA);
}

static noinline u32 weft_wire_like_eager(struct weft_like *l, const u8 *pkt, u32 n, u32 stride)
{
	return weft_wire_like(l, pkt, n, stride, WEFT_CHUNK_EAGER);
}

/**
 * weft_wire_run - count the packets of a run of DATA or EAGER
 * @pkt: the first of packets in one buffer; it has passed weft_wire_hdr_get() and weft_wire_check()
 * @left: bytes of all of them
 * @seg: bytes of each packet but the last
 * @stride: distance between the first bytes of two packets
 * @acknow: set if a packet behind the first asks for an acknowledgement
 *
 * In a run each packet holds one such chunk, of one message, and nothing else. It differs from the
 * packet before only by the next PSN and the next offset. So a check of the first packet is valid
 * for all. Any other difference in the header or the chunk head ends the run.
 *
 * Return: number of packets; 1: no run.
 */
u32 weft_wire_run(const u8 *pkt, u32 left, u32 seg, u32 stride, bool *acknow)
{
	u32 (*like)(struct weft_like *l, const u8 *pkt, u32 n, u32 stride);
	const struct weft_w_hdr *h = (const void *)pkt;
	struct weft_w_chunk c, *first = (void *)(pkt + WEFT_WIRE_HDR);
	const u8 type = READ_ONCE(first->type);
	struct weft_like l weft_unset;
	u32 n, full, fixed;

	/* one comparison for chunk head and DATA's id, one for both generations */
	BUILD_BUG_ON(sizeof(c) + sizeof_field(struct weft_w_data, rid) != sizeof(l.head));
	BUILD_BUG_ON(offsetof(struct weft_w_flow, dgen) !=
		     offsetof(struct weft_w_flow, sgen) + sizeof(__be32));
	if (type == WEFT_CHUNK_DATA) {
		fixed = WEFT_WIRE_DATA;
		like = weft_wire_like_data;
	} else {
		fixed = WEFT_WIRE_EAGER;
		like = weft_wire_like_eager;
	}
	if (left <= seg || seg <= fixed || h->words != WEFT_WIRE_HDR / 4 ||
	    (type != WEFT_CHUNK_DATA && type != WEFT_CHUNK_EAGER) ||
	    be16_to_cpu(first->len) != seg - WEFT_WIRE_HDR - sizeof(c))
		return 1;
	l.path = weft_wire_u64(pkt);
	l.token = weft_wire_u64(pkt + offsetof(struct weft_w_hdr, token));
	l.rest = weft_wire_u64(pkt + offsetof(struct weft_w_hdr, job));
	l.head = weft_wire_u64((const u8 *)first);
	l.ack = h->ack;
	l.psn = be32_to_cpu(h->psn) + 1;
	l.step = seg - fixed;
	l.acknow = false;
	l.off = weft_wire_off_get(pkt + fixed, type) + l.step;
	if (type == WEFT_CHUNK_EAGER) {
		const struct weft_w_eager *w = (const void *)(first + 1);

		l.mseq = w->head.flow.mseq;
		l.gens = weft_wire_gens(w);
	}
	full = left / seg;
	left -= full * seg;
	n = 1 + like(&l, pkt + stride, full - 1, stride);
	if (n == full && left > fixed) {
		c = *first;
		c.len = cpu_to_be16(left - WEFT_WIRE_HDR - sizeof(c));
		memcpy(&l.head, &c, sizeof(c));
		n += like(&l, pkt + (size_t)full * stride, 1, stride);
	}
	*acknow |= l.acknow;
	return n;
}

/**
 * weft_wire_flow_get - decode a flow
 * @w: on the wire
 * @f: out: in host order
 */
void weft_wire_flow_get(const struct weft_w_flow *w, struct weft_flowid *f)
{
	f->ssvc = be16_to_cpu(w->ssvc);
	f->dsvc = be16_to_cpu(w->dsvc);
	f->sgen = be32_to_cpu(w->sgen);
	f->dgen = be32_to_cpu(w->dgen);
	f->mseq = be32_to_cpu(w->mseq);
}

/**
 * weft_wire_head_get - decode a message's head, without unknown flags
 * @w: on the wire
 * @h: out: in host order
 */
void weft_wire_head_get(const struct weft_w_head *w, struct weft_head *h)
{
	weft_wire_flow_get(&w->flow, &h->flow);
	h->tag = be64_to_cpu(w->tag);
	h->data = be64_to_cpu(w->data);
	h->len = be64_to_cpu(w->len);
	h->flags = (be64_to_cpu(w->mark) >> WEFT_AUTH_BITS) & WEFT_MSG_FLAGS;
	h->auth = be64_to_cpu(w->mark) & WEFT_AUTH_MASK;
}

/**
 * weft_wire_req_put - write the request of a one-sided operation
 * @dst: buffer of WEFT_REQ_MAX bytes
 * @r: the request
 *
 * Return: bytes written.
 */
u32 weft_wire_req_put(void *dst, const struct weft_req *r)
{
	struct weft_w_rma *w = dst;
	struct weft_w_rseg *seg = (void *)(w + 1);
	u32 i;

	BUILD_BUG_ON(WEFT_REQ_MAX > WEFT_REQ_FREE);
	w->op = r->op;
	w->nseg = r->nseg;
	w->aop = r->aop;
	w->atype = r->atype;
	w->uid = cpu_to_be32(r->uid);
	w->id = cpu_to_be32(r->id);
	w->sid = cpu_to_be32(r->sid);
	w->len = cpu_to_be64(r->len);
	w->granted = cpu_to_be64(r->granted);
	for (i = 0; i < r->nseg; i++) {
		seg[i].key = cpu_to_be64(r->seg[i].key);
		seg[i].addr = cpu_to_be64(r->seg[i].addr);
		seg[i].len = cpu_to_be64(r->seg[i].len);
	}
	return sizeof(*w) + r->nseg * sizeof(*seg);
}

/**
 * weft_wire_req_id - set the rendezvous id of a request
 * @req: the request, as weft_wire_req_put() wrote it
 * @id: the id
 */
void weft_wire_req_id(void *req, u32 id)
{
	struct weft_w_rma *w = req;

	w->id = cpu_to_be32(id);
}

/**
 * weft_wire_req_sid - set the rendezvous id of the bytes that a request announces
 * @req: the request of a write or an atomic operation, as weft_wire_req_put() wrote it
 * @sid: the id
 */
void weft_wire_req_sid(void *req, u32 sid)
{
	struct weft_w_rma *w = req;

	if (weft_req_atomic(w->op))
		w->sid = cpu_to_be32(sid);
	else
		w->id = cpu_to_be32(sid);
}

/**
 * weft_wire_req_grant - set how many bytes a request grants
 * @req: the request, as weft_wire_req_put() wrote it
 * @granted: number of bytes
 */
void weft_wire_req_grant(void *req, u64 granted)
{
	struct weft_w_rma *w = req;

	w->granted = cpu_to_be64(granted);
}

/* Return: true if the fields of a request agree. @pay: bytes that follow it. */
static bool weft_wire_req_sound(const struct weft_req *r, u32 pay)
{
	u64 sum = 0;
	u32 i, own;

	for (i = 0; i < r->nseg; i++)
		if (check_add_overflow(sum, r->seg[i].len, &sum))
			return false;
	if (sum != r->len || r->len > S64_MAX)
		return false;
	if (weft_req_fetches(r->op) ? !(r->id & WEFT_RMA_ID) || r->granted > r->len : r->granted)
		return false;
	switch (r->op) {
	case WEFT_RMA_WRITE:
		own = r->id;
		break;
	case WEFT_RMA_READ:
		own = 0;
		break;
	case WEFT_RMA_ATOMIC:
	case WEFT_RMA_FETCH:
	case WEFT_RMA_COMPARE:
		own = r->sid;
		if (!r->len || r->len > WEFT_ATOMIC_MAX_BYTES)
			return false;
		if (r->op == WEFT_RMA_ATOMIC && r->id)
			return false;
		break;
	default:
		return false;
	}
	if (!weft_req_atomic(r->op) && (r->aop || r->atype || r->sid))
		return false;
	return own ? !(own & WEFT_RMA_ID) && weft_req_bytes(r) && !pay : pay == weft_req_bytes(r);
}

/**
 * weft_wire_req_get - decode the request of a one-sided operation
 * @src: payload of its message; the bytes may change meanwhile
 * @len: bytes of the whole payload; the request itself is contiguous
 * @r: out: the request
 *
 * Return: bytes of the request; -EINVAL: it is invalid.
 */
int weft_wire_req_get(const void *src, u32 len, struct weft_req *r)
{
	const struct weft_w_rseg *seg;
	struct weft_w_rma w;
	u32 i, head;

	if (len < sizeof(w))
		return -EINVAL;
	memcpy(&w, src, sizeof(w));
	head = sizeof(w) + w.nseg * sizeof(*seg);
	if (w.nseg > WEFT_IOV_MAX || head > len)
		return -EINVAL;
	r->op = w.op;
	r->nseg = w.nseg;
	r->aop = w.aop;
	r->atype = w.atype;
	r->uid = be32_to_cpu(w.uid);
	r->id = be32_to_cpu(w.id);
	r->sid = be32_to_cpu(w.sid);
	r->len = be64_to_cpu(w.len);
	r->granted = be64_to_cpu(w.granted);
	seg = (const void *)((const u8 *)src + sizeof(w));
	for (i = 0; i < r->nseg; i++) {
		struct weft_w_rseg s;

		memcpy(&s, &seg[i], sizeof(s));
		r->seg[i].key = be64_to_cpu(s.key);
		r->seg[i].addr = be64_to_cpu(s.addr);
		r->seg[i].len = be64_to_cpu(s.len);
	}
	return weft_wire_req_sound(r, len - head) ? (int)head : -EINVAL;
}

/**
 * weft_wire_data_put - write a DATA chunk up to its payload
 * @dst: buffer of 20 bytes
 * @rid: receiver's rendezvous id
 * @off: offset of the payload
 * @paylen: bytes of payload that the caller appends
 *
 * Return: bytes written.
 */
u32 weft_wire_data_put(void *dst, u32 rid, u64 off, u32 paylen)
{
	struct weft_w_data *w = weft_wire_chunk_put(dst, WEFT_CHUNK_DATA, sizeof(*w) + paylen);

	w->rid = cpu_to_be32(rid);
	w->rsvd = 0;
	w->off = cpu_to_be64(off);
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/* Write the offset of an EAGER or DATA chunk whose structure ends at @end. */
static __always_inline void weft_wire_off_put(u8 *end, u8 type, u64 off)
{
	if (type == WEFT_CHUNK_DATA)
		((struct weft_w_data *)end - 1)->off = cpu_to_be64(off);
	else
		((struct weft_w_eager *)end - 1)->off = cpu_to_be32((u32)off);
}

/* Write @n heads of @head bytes. @p: the first of these packets. */
static __always_inline void weft_wire_heads(const u8 *first, u8 *p, u32 n, u32 size, u32 step,
					    const u32 head, const u8 type)
{
	const struct weft_w_hdr *h = (const void *)first;
	u64 off = weft_wire_off_get(first + head, type);
	u32 psn = be32_to_cpu(h->psn);

	for (; n; n--, p += size) {
		memcpy(p, first, head);
		((struct weft_w_hdr *)p)->psn = cpu_to_be32(++psn);
		off += step;
		weft_wire_off_put(p + head, type, off);
	}
}

/**
 * weft_wire_heads_put - write the heads of a run of packets behind its first one
 * @first: the first packet, whose head is written: header and chunk
 * @n: number of packets, all with as much payload as the first
 * @size: bytes of a packet
 * @step: bytes of payload of a packet
 * @type: WEFT_CHUNK_EAGER or WEFT_CHUNK_DATA
 */
void weft_wire_heads_put(u8 *first, u32 n, u32 size, u32 step, u8 type)
{
	if (type == WEFT_CHUNK_DATA)
		weft_wire_heads(first, first + size, n - 1, size, step, WEFT_WIRE_DATA,
				WEFT_CHUNK_DATA);
	else
		weft_wire_heads(first, first + size, n - 1, size, step, WEFT_WIRE_EAGER,
				WEFT_CHUNK_EAGER);
}

/**
 * weft_wire_part_put - change an EAGER or DATA chunk to another part of the message
 * @end: end of the chunk's head, as written by weft_wire_eager_put() or weft_wire_data_put()
 * @type: WEFT_CHUNK_EAGER or WEFT_CHUNK_DATA
 * @off: offset of the payload
 * @paylen: bytes of payload
 */
void weft_wire_part_put(u8 *end, u8 type, u64 off, u32 paylen)
{
	u32 size = type == WEFT_CHUNK_DATA ? sizeof(struct weft_w_data) :
					     sizeof(struct weft_w_eager);
	struct weft_w_chunk *c = (void *)(end - size - WEFT_WIRE_CHUNK);

	c->len = cpu_to_be16(size + paylen);
	weft_wire_off_put(end, type, off);
}

/**
 * weft_wire_rts_put - write an RTS chunk
 * @dst: buffer of 60 bytes
 * @h: head of the message
 * @sid: sender's rendezvous id
 *
 * Return: bytes written.
 */
u32 weft_wire_rts_put(void *dst, const struct weft_head *h, u32 sid)
{
	struct weft_w_rts *w = weft_wire_chunk_put(dst, WEFT_CHUNK_RTS, sizeof(*w));

	weft_wire_head_put(&w->head, h);
	w->sid = cpu_to_be32(sid);
	w->rsvd = 0;
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_grant_put - write a GRANT chunk
 * @dst: buffer of 20 bytes
 * @sid: sender's rendezvous id
 * @rid: receiver's rendezvous id
 * @upto: offset up to which the sender may send; 0: the message is not wanted
 *
 * Return: bytes written.
 */
u32 weft_wire_grant_put(void *dst, u32 sid, u32 rid, u64 upto)
{
	struct weft_w_grant *w = weft_wire_chunk_put(dst, WEFT_CHUNK_GRANT, sizeof(*w));

	w->sid = cpu_to_be32(sid);
	w->rid = cpu_to_be32(rid);
	w->upto = cpu_to_be64(upto);
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_done_put - write a DONE chunk
 * @dst: buffer of 28 bytes
 * @f: flow and number of the message
 * @sid: sender's rendezvous id, 0: eager
 * @status: errno
 * @kind: WEFT_DONE_*
 *
 * Return: bytes written.
 */
u32 weft_wire_done_put(void *dst, const struct weft_flowid *f, u32 sid, u16 status, u16 kind)
{
	struct weft_w_done *w = weft_wire_chunk_put(dst, WEFT_CHUNK_DONE, sizeof(*w));

	weft_wire_flow_put(&w->flow, f);
	w->sid = cpu_to_be32(sid);
	w->status = cpu_to_be16(status);
	w->kind = cpu_to_be16(kind);
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_abort_put - write an ABORT chunk
 * @dst: buffer of 28 bytes
 * @f: flow and number of the message
 * @sid: sender's rendezvous id
 * @status: errno
 *
 * Return: bytes written.
 */
u32 weft_wire_abort_put(void *dst, const struct weft_flowid *f, u32 sid, u16 status)
{
	struct weft_w_abort *w = weft_wire_chunk_put(dst, WEFT_CHUNK_ABORT, sizeof(*w));

	weft_wire_flow_put(&w->flow, f);
	w->sid = cpu_to_be32(sid);
	w->status = cpu_to_be16(status);
	w->rsvd = 0;
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_ping_put - write a PING chunk
 * @dst: buffer of 8 bytes
 *
 * Return: bytes written.
 */
u32 weft_wire_ping_put(void *dst)
{
	struct weft_w_ping *w = weft_wire_chunk_put(dst, WEFT_CHUNK_PING, sizeof(*w));

	w->rsvd = 0;
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_epgone_put - write an EPGONE chunk
 * @dst: buffer of 24 bytes
 * @f: flow and number of the first lost message
 *
 * Return: bytes written.
 */
u32 weft_wire_epgone_put(void *dst, const struct weft_flowid *f)
{
	struct weft_w_epgone *w = weft_wire_chunk_put(dst, WEFT_CHUNK_EPGONE, sizeof(*w));

	weft_wire_flow_put(&w->flow, f);
	w->rsvd = 0;
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_credit_put - write a CREDIT chunk
 * @dst: buffer of 24 bytes
 * @f: flow
 * @msgs: number of the last message that the sender may begin
 * @bytes: bytes of eager payload that the sender may send
 *
 * Return: bytes written.
 */
u32 weft_wire_credit_put(void *dst, const struct weft_flowid *f, u32 msgs, u32 bytes)
{
	struct weft_w_credit *w = weft_wire_chunk_put(dst, WEFT_CHUNK_CREDIT, sizeof(*w));

	weft_wire_flow_put(&w->flow, f);
	w->flow.mseq = cpu_to_be32(msgs);
	w->bytes = cpu_to_be32(bytes);
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_open_put - write an OPEN chunk
 * @dst: buffer of 28 bytes
 * @f: flow
 * @auth: authentication code of the sender's job
 *
 * Return: bytes written.
 */
u32 weft_wire_open_put(void *dst, const struct weft_flowid *f, u64 auth)
{
	struct weft_w_open *w = weft_wire_chunk_put(dst, WEFT_CHUNK_OPEN, sizeof(*w));

	weft_wire_flow_put(&w->flow, f);
	w->flow.mseq = 0;
	w->mark = cpu_to_be64(auth);
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_mtu_put - write an MTU chunk
 * @dst: buffer of 12 bytes
 * @size: bytes of UDP payload of the largest packet that this node takes
 * @no: number of the announcement
 *
 * Return: bytes written.
 */
u32 weft_wire_mtu_put(void *dst, u32 size, u32 no)
{
	struct weft_w_mtu *w = weft_wire_chunk_put(dst, WEFT_CHUNK_MTU, sizeof(*w));

	w->size = cpu_to_be32(size);
	w->no = cpu_to_be32(no);
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_retire_put - write a RETIRE chunk
 * @dst: buffer of 8 bytes
 * @psn: every PSN before this one is given up
 *
 * Return: bytes written.
 */
u32 weft_wire_retire_put(void *dst, u32 psn)
{
	struct weft_w_retire *w = weft_wire_chunk_put(dst, WEFT_CHUNK_RETIRE, sizeof(*w));

	w->psn = cpu_to_be32(psn);
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/* Write a bitmap of @n words. */
static void weft_wire_words_put(u8 *dst, const u32 *words, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		__be32 w = cpu_to_be32(words[i]);

		memcpy(dst + i * sizeof(w), &w, sizeof(w));
	}
}

/**
 * weft_wire_retired_put - write a RETIRED chunk
 * @dst: buffer of 32 + 4 * @n bytes
 * @w: its content, in network order
 * @words: bit i of word w: PSN from + 32 w + i had been received
 * @n: number of words, at most WEFT_RETIRED_BITS / 32
 *
 * Return: bytes written.
 */
u32 weft_wire_retired_put(void *dst, const struct weft_w_retired *w, const u32 *words, u32 n)
{
	u32 size = sizeof(*w) + n * sizeof(__be32);
	u8 *p = weft_wire_chunk_put(dst, WEFT_CHUNK_RETIRED, size);

	memcpy(p, w, sizeof(*w));
	weft_wire_words_put(p + sizeof(*w), words, n);
	return WEFT_WIRE_CHUNK + size;
}

/**
 * weft_wire_probe_put - write a PROBE chunk up to its zeros
 * @dst: buffer of 8 bytes
 * @paylen: number of zeros that the caller appends
 *
 * Return: bytes written.
 */
u32 weft_wire_probe_put(void *dst, u32 paylen)
{
	struct weft_w_probe *w = weft_wire_chunk_put(dst, WEFT_CHUNK_PROBE, sizeof(*w) + paylen);

	w->rsvd = 0;
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_probed_put - write a PROBED chunk
 * @dst: buffer of 8 bytes
 * @size: bytes of the packet with the PROBE
 *
 * Return: bytes written.
 */
u32 weft_wire_probed_put(void *dst, u32 size)
{
	struct weft_w_probed *w = weft_wire_chunk_put(dst, WEFT_CHUNK_PROBED, sizeof(*w));

	w->size = cpu_to_be32(size);
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_echo_put - write an ECHO chunk up to its zeros
 * @dst: buffer of 28 bytes
 * @no: number of the probe
 * @seq: number of the packet, or WEFT_ECHO_ASK
 * @stamp: what the answer repeats
 * @paylen: number of zeros that the caller appends
 *
 * Return: bytes written.
 */
u32 weft_wire_echo_put(void *dst, u32 no, u32 seq, u64 stamp, u32 paylen)
{
	struct weft_w_echo *w = weft_wire_chunk_put(dst, WEFT_CHUNK_ECHO, sizeof(*w) + paylen);

	/* the answer is not longer */
	BUILD_BUG_ON(sizeof(struct weft_w_echoed) > sizeof(*w));
	w->no = cpu_to_be32(no);
	w->seq = cpu_to_be32(seq);
	w->stamp = cpu_to_be64(stamp);
	w->rsvd = 0;
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_echoed_put - write an ECHOED chunk
 * @dst: buffer of 28 bytes
 * @echo: the chunk that it answers
 * @came: packets of the probe that have come
 * @answered: those of them that were answered
 *
 * Return: bytes written.
 */
u32 weft_wire_echoed_put(void *dst, const struct weft_w_echo *echo, u32 came, u32 answered)
{
	struct weft_w_echoed *w = weft_wire_chunk_put(dst, WEFT_CHUNK_ECHOED, sizeof(*w));

	w->no = echo->no;
	w->seq = echo->seq;
	w->stamp = echo->stamp;
	w->came = cpu_to_be32(came);
	w->answered = cpu_to_be32(answered);
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_question_put - write a QUESTION chunk up to its zeros
 * @dst: buffer of 20 bytes
 * @no: number of the question
 * @ssvc: service of the asking endpoint
 * @dsvc: service of the endpoint that is asked about
 * @auth: authentication code of the job
 * @paylen: number of zeros that the caller appends
 *
 * Return: bytes written.
 */
u32 weft_wire_question_put(void *dst, u32 no, u16 ssvc, u16 dsvc, u64 auth, u32 paylen)
{
	struct weft_w_question *w = weft_wire_chunk_put(dst, WEFT_CHUNK_QUESTION,
							sizeof(*w) + paylen);

	w->no = cpu_to_be32(no);
	w->ssvc = cpu_to_be16(ssvc);
	w->dsvc = cpu_to_be16(dsvc);
	w->auth = cpu_to_be64(auth);
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

static void weft_wire_held_put(struct weft_w_held *w, const struct weft_held *h)
{
	w->n = cpu_to_be32(h->n);
	w->ms = cpu_to_be32(h->ms);
	w->tag = cpu_to_be64(h->tag);
	w->flags = (h->tagged ? WEFT_HELD_TAGGED : 0) | (h->named ? WEFT_HELD_NAMED : 0) |
		   (h->least ? WEFT_HELD_LEAST : 0);
	w->waits = h->waits;
	w->rsvd = 0;
}

static void weft_wire_held_get(const struct weft_w_held *w, struct weft_held *h)
{
	*h = (struct weft_held){
		.n = be32_to_cpu(w->n),
		.ms = be32_to_cpu(w->ms),
		.tag = be64_to_cpu(w->tag),
		.tagged = w->flags & WEFT_HELD_TAGGED,
		.named = w->flags & WEFT_HELD_NAMED,
		.least = w->flags & WEFT_HELD_LEAST,
		.waits = w->waits,
	};
}

/**
 * weft_wire_answer_put - write an ANSWER chunk
 * @dst: buffer of WEFT_WIRE_CHUNK + sizeof(struct weft_w_answer) bytes
 * @no: number of the question
 * @a: the answer
 *
 * Return: bytes written.
 */
u32 weft_wire_answer_put(void *dst, u32 no, const struct weft_answer *a)
{
	struct weft_w_answer *w = weft_wire_chunk_put(dst, WEFT_CHUNK_ANSWER, sizeof(*w));
	u16 family = a->peer.family == AF_INET ? 4 : a->peer.family == AF_INET6 ? 6 : 0;

	BUILD_BUG_ON(sizeof(w->comm) != sizeof(a->comm));
	BUILD_BUG_ON(sizeof(w->peer) != sizeof(a->peer.addr));
	w->no = cpu_to_be32(no);
	w->status = a->status;
	w->program = a->program;
	w->rsvd = 0;
	w->pid = cpu_to_be32(a->pid);
	memcpy(w->comm, a->comm, sizeof(w->comm));
	w->full = cpu_to_be32(a->full);
	weft_wire_held_put(&w->recv, &a->recv);
	weft_wire_held_put(&w->msg, &a->msg);
	weft_wire_held_put(&w->send, &a->send);
	weft_wire_held_put(&w->wait, &a->wait);
	w->recv_ignore = cpu_to_be64(a->recv.ignore);
	w->wait_ignore = cpu_to_be64(a->wait.ignore);
	memcpy(w->peer, a->peer.addr, sizeof(w->peer));
	w->port = a->peer.port;
	w->family = cpu_to_be16(family);
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_answer_get - decode an ANSWER chunk
 * @w: the chunk
 * @a: out: the answer. Its texts are printable, whatever the peer has sent
 */
void weft_wire_answer_get(const struct weft_w_answer *w, struct weft_answer *a)
{
	u16 family = be16_to_cpu(w->family);
	u8 program = w->program;
	u32 i;

	memset(a, 0, sizeof(*a));
	a->status = w->status;
	a->program = (program >= 'A' && program <= 'Z') || (program >= 'a' && program <= 'z') ?
		     (char)program : 0;
	a->pid = be32_to_cpu(w->pid);
	for (i = 0; i < sizeof(a->comm) - 1; i++) {
		u8 c = w->comm[i];

		if (!c)
			break;
		a->comm[i] = c >= 0x20 && c < 0x7f ? (char)c : '?';
	}
	a->full = be32_to_cpu(w->full);
	weft_wire_held_get(&w->recv, &a->recv);
	weft_wire_held_get(&w->msg, &a->msg);
	weft_wire_held_get(&w->send, &a->send);
	weft_wire_held_get(&w->wait, &a->wait);
	a->recv.ignore = be64_to_cpu(w->recv_ignore);
	a->wait.ignore = be64_to_cpu(w->wait_ignore);
	if (family != 4 && family != 6)
		return;
	a->peer.family = family == 4 ? AF_INET : AF_INET6;
	a->peer.port = w->port;
	memcpy(a->peer.addr, w->peer, sizeof(a->peer.addr));
}

/**
 * weft_wire_cm_put - write a CM chunk
 * @dst: buffer of weft_wire_size(32 + @len) bytes
 * @cm: its content, in network order
 * @data: private data
 * @len: bytes of them, at most WEFT_CM_DATA_MAX
 *
 * Return: bytes written.
 */
u32 weft_wire_cm_put(void *dst, const struct weft_w_cm *cm, const void *data, u32 len)
{
	u32 size = weft_wire_size(sizeof(*cm) + len);
	u8 *p;

	p = weft_wire_chunk_put(dst, WEFT_CHUNK_CM, sizeof(*cm) + len);
	memset(p + sizeof(*cm), 0, size - WEFT_WIRE_CHUNK - sizeof(*cm));
	memcpy(p, cm, sizeof(*cm));
	if (len)
		memcpy(p + sizeof(*cm), data, len);
	return size;
}

/**
 * weft_wire_sack_put - write a SACK chunk
 * @dst: buffer of 4 + 4 * @n bytes
 * @words: bit i of word w: PSN cumulative + 1 + 32 w + i has been received
 * @n: number of words, 1..WEFT_SACK_BITS / 32
 *
 * Return: bytes written.
 */
u32 weft_wire_sack_put(void *dst, const u32 *words, u32 n)
{
	u8 *p = weft_wire_chunk_put(dst, WEFT_CHUNK_SACK, n * sizeof(__be32));

	weft_wire_words_put(p, words, n);
	return WEFT_WIRE_CHUNK + n * sizeof(__be32);
}

/**
 * weft_wire_eager_off - get the offset of an EAGER chunk's payload in its message
 * @end: end of the chunk's structure; this node has written it
 *
 * Return: the offset.
 */
u32 weft_wire_eager_off(const u8 *end)
{
	return be32_to_cpu(((const struct weft_w_eager *)end - 1)->off);
}

/**
 * weft_wire_sack_word - get a word of the bitmap of a SACK or RETIRED chunk
 * @c: the chunk
 * @i: index of the word
 *
 * Return: the word, 0 if the chunk has fewer.
 */
u32 weft_wire_sack_word(const struct weft_chunk *c, u32 i)
{
	__be32 w;

	if (i >= c->paylen / sizeof(w))
		return 0;
	memcpy(&w, c->pay + i * sizeof(w), sizeof(w));
	return be32_to_cpu(w);
}
