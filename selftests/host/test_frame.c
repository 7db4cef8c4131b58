// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets: records, headers, payload that is read at transmission, and pending control chunks
 */
#include "lone.h"
#include "harness.h"

#define US	((weft_ns)NSEC_PER_USEC)

FIXTURE(frame)
{
	struct lone t;
};

FIXTURE_SETUP(frame)
{
	lone_init(&self->t, 1000);
}

FIXTURE_TEARDOWN(frame)
{
	lone_fini(&self->t);
}

/* ---- Headers --------------------------------------------------------- */

TEST_F(frame, header)
{
	struct lone *t = &self->t;
	struct weft_path *path = t->path;
	struct weft_hdr h;

	t->lane = &path->lane[2];
	t->lane->snd_nxt = 77;
	t->lane->snd_una = 77;
	t->lane->rcv_nxt = 0xfedcba98;
	t->lane->rcv_at = t->out->now - 250 * US;
	path->rx_gone = 3ull << 26;
	lone_send(t);
	ASSERT_EQ(1, t->out->ntx);
	ASSERT_EQ(0, lone_parse(&t->out->tx[0], &h, NULL));
	EXPECT_EQ(WEFT_PKT_DATA, h.type);
	EXPECT_EQ(WEFT_PKT_PSN, h.flags);
	EXPECT_EQ(2, h.lane);
	EXPECT_EQ(LONE_ID, h.path);
	EXPECT_EQ(LONE_TOKEN, h.token);
	EXPECT_EQ(77, h.psn);
	EXPECT_EQ(0xfedcba98, h.ack);
	EXPECT_EQ((u16)(((3ull << 26) + t->core->conf.unexp_window) >> 10), h.window);
	EXPECT_GE(h.ack_delay, 248);
	EXPECT_LE(h.ack_delay, 252);
	EXPECT_EQ(path, t->out->tx[0].path);
	EXPECT_EQ(2, t->out->tx[0].lane);
}

/* The core divides by multiplication: results must equal those of a division. */
TEST_F(frame, ack_delay)
{
	static const weft_ns ages[] = { 0, 1000, 50 * US, 12345 * US, NSEC_PER_SEC,
					600ull * NSEC_PER_SEC, 1ull << 40 };
	struct lone *t = &self->t;
	struct weft_hdr h;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ages); i++) {
		u64 us = ages[i] / 1000;

		t->out->now += ages[i];
		t->lane->rcv_at = t->out->now - ages[i];
		lone_send(t);
		ASSERT_LE(0, lone_parse(&t->out->tx[0], &h, NULL));
		EXPECT_LE(h.ack_delay, us + us / 50 + 1);
		EXPECT_GE(h.ack_delay + us / 50 + 1, us);
		lone_drop(t);
	}
	/* no packet has ever arrived */
	t->out->now = 1ull << 62;
	t->lane->rcv_at = 0;
	lone_send(t);
	ASSERT_LE(0, lone_parse(&t->out->tx[0], &h, NULL));
	EXPECT_EQ(U32_MAX, h.ack_delay);
}

TEST_F(frame, ack)
{
	struct lone *t = &self->t;
	struct weft_chunks rest;
	struct weft_chunk c;
	struct weft_hdr h;
	u32 i;
	u8 *p;

	for (i = 1; i < 200; i += 3)
		lone_take(t, t->lane, 1000 + i);
	lone_output(t);
	ASSERT_EQ(1, t->out->ntx);
	p = lone_bytes(&t->out->tx[0]);
	ASSERT_NE(NULL, p);
	ASSERT_EQ(0, weft_wire_hdr_get(p, t->out->tx[0].len, &h, &rest));
	ASSERT_EQ(0, weft_wire_check(&rest));
	EXPECT_EQ(0, h.flags);
	EXPECT_EQ(1000, h.ack);
	ASSERT_TRUE(weft_wire_next(&rest, &c));
	ASSERT_EQ(WEFT_CHUNK_SACK, c.type);
	for (i = 0; i < WEFT_SACK_BITS; i++)
		EXPECT_EQ(i < 199 && i % 3 == 0, weft_wire_sack_word(&c, i / 32) >> (i % 32) & 1);
	EXPECT_FALSE(weft_wire_next(&rest, &c));
	EXPECT_EQ(1, rig_counter(&t->rig->node[0], WEFT_CNT_acks_sent));
	free(p);
}

/* A packet that is sent again has the same content and a new header. */
TEST_F(frame, again)
{
	struct lone *t = &self->t;
	struct weft_hdr h;
	u8 *a, *b;
	u32 len;

	lone_send(t);
	len = t->out->tx[0].len;
	a = lone_bytes(&t->out->tx[0]);
	lone_drop(t);
	lone_take(t, t->lane, 1000);
	t->out->now = t->lane->rto_at;
	lone_timer(t);
	ASSERT_LE(1, t->out->ntx);
	ASSERT_EQ(len, t->out->tx[0].len);
	b = lone_bytes(&t->out->tx[0]);
	EXPECT_EQ(0, memcmp(a + WEFT_WIRE_HDR, b + WEFT_WIRE_HDR, len - WEFT_WIRE_HDR));
	ASSERT_LE(0, lone_parse(&t->out->tx[0], &h, NULL));
	EXPECT_EQ(1000, h.psn);
	EXPECT_EQ(1001, h.ack);
	EXPECT_EQ(WEFT_PKT_PSN | WEFT_PKT_ACKNOW, h.flags);
	free(a);
	free(b);
}

/* ---- Records --------------------------------------------------------- */

TEST_F(frame, room)
{
	struct lone *t = &self->t;
	struct weft_rec *rec = weft_rec_new(t->path);

	ASSERT_NE(NULL, rec);
	EXPECT_EQ(WEFT_PAYLOAD_MIN - WEFT_WIRE_HDR, weft_rec_space(rec));
	rec->len = 100;
	EXPECT_EQ(WEFT_REC_CHUNKS - 100, weft_rec_space(rec));
	rec->nref = WEFT_REC_REFS;
	EXPECT_EQ(0, weft_rec_space(rec));
	rec->nref = 0;
	rec->pay = 1;
	EXPECT_EQ(0, weft_rec_space(rec));
	weft_lock(&t->path->lock);
	weft_rec_put(t->path, rec, t->out);
	weft_unlock(&t->path->lock);
}

/* Free records are kept up to a limit, and come back clean. */
TEST_F(frame, pool)
{
	struct weft_rec *rec[WEFT_REC_KEEP + 10];
	struct lone *t = &self->t;
	long live = weft_host_live();
	u32 i;

	weft_lock(&t->path->lock);
	for (i = 0; i < ARRAY_SIZE(rec); i++) {
		rec[i] = weft_rec_new(t->path);
		ASSERT_NE(NULL, rec[i]);
		rec[i]->len = 8;
		rec[i]->again = true;
		rec[i]->acknow = true;
		rec[i]->withdrawn = true;
	}
	for (i = 0; i < ARRAY_SIZE(rec); i++)
		weft_rec_put(t->path, rec[i], t->out);
	EXPECT_EQ(WEFT_REC_KEEP, t->path->nrecs);
	EXPECT_EQ(live + WEFT_REC_KEEP, weft_host_live());
	weft_host_fail_nth(1);
	rec[0] = weft_rec_new(t->path);
	ASSERT_NE(NULL, rec[0]);
	EXPECT_EQ(0, rec[0]->len);
	EXPECT_FALSE(rec[0]->again || rec[0]->acknow || rec[0]->withdrawn);
	EXPECT_EQ(WEFT_REC_KEEP - 1, t->path->nrecs);
	weft_rec_put(t->path, rec[0], t->out);
	weft_host_fail_nth(0);
	weft_unlock(&t->path->lock);
}

/* A packet whose acknowledgement comes before its transmission ends: its record is kept, too. */
TEST_F(frame, acknowledged_while_sent)
{
	struct lone *t = &self->t;
	u32 kept;

	lone_send(t);
	kept = t->path->nrecs;
	lone_ack(t, t->lane->snd_nxt, NULL, 0, 0);
	EXPECT_EQ(kept, t->path->nrecs);
	lone_drop(t);
	EXPECT_EQ(kept + 1, t->path->nrecs);
}

/* ---- Payload --------------------------------------------------------- */

#define LEN	1000
#define DATA	(WEFT_WIRE_CHUNK + sizeof(struct weft_w_data))

/**
 * struct bulk - a send of a long message, as records use it
 * @proc: the program
 * @ep: its endpoint
 * @txm: the send, with references of the test
 * @buf: the message
 * @mem: window of the message
 */
struct bulk {
	struct rig_proc *proc;
	struct weft_ep *ep;
	struct weft_txm *txm;
	u8 *buf;
	struct weft_mem *mem;
};

static void bulk_init(struct lone *t, struct bulk *b)
{
	struct weft_vec vec = { .n = 1, .len = LEN };
	u32 i;

	b->proc = rig_proc_new(&t->rig->node[0]);
	b->ep = calloc(1, sizeof(*b->ep));
	b->txm = calloc(1, sizeof(*b->txm));
	b->buf = rig_buf(b->proc, LEN);
	for (i = 0; i < LEN; i++)
		b->buf[i] = i * 7;
	weft_lock_init(&b->ep->lock, WEFT_RANK_EP);
	refcount_set(&b->ep->ref, 100);
	refcount_set(&b->txm->ref, 100);
	b->txm->ep = b->ep;
	vec.seg[0] = (struct weft_iov){ .addr = (uintptr_t)b->buf, .len = LEN };
	if (weft_mem_make(b->proc->mc, &vec, 0, LEN, WEFT_MEM_READ, &b->mem))
		weft_host_die(__FILE__, __LINE__, "no window");
}

static void bulk_fini(struct bulk *b)
{
	weft_mem_put(b->mem);
	if (refcount_read(&b->txm->ref) != 100)
		weft_host_die(__FILE__, __LINE__, "%u references", refcount_read(&b->txm->ref));
	free(b->txm);
	free(b->ep);
}

/* Send a packet with all of it. @mem: from the program's memory, else from the kernel's. */
static struct weft_rec *bulk_send(struct lone *t, struct bulk *b, bool mem)
{
	struct weft_rec *rec;

	weft_lock(&t->path->lock);
	rec = weft_lane_open(t->path, t->lane);
	rec->bulk = 0;
	rec->len = weft_wire_data_put(rec->raw, 5, 0, LEN);
	rec->pay = LEN;
	rec->seg = LEN;
	rec->off = 0;
	rec->txm = b->txm;
	weft_txm_get(b->txm);
	if (mem) {
		weft_mem_hold(b->mem);
		rec->mem = b->mem;
	} else {
		b->txm->buf = b->buf;
	}
	weft_lane_output(t->path, t->lane, t->out);
	weft_unlock(&t->path->lock);
	return rec;
}

static bool whole(const struct weft_tx *tx, const struct bulk *b)
{
	u8 *p = lone_bytes(tx);
	bool ok = p && tx->len == WEFT_WIRE_HDR + DATA + LEN && tx->pay == LEN &&
		  !memcmp(p + tx->len - LEN, b->buf, LEN);

	free(p);
	return ok;
}

TEST_F(frame, payload)
{
	struct lone *t = &self->t;
	struct bulk b;
	u32 mem;

	for (mem = 0; mem < 2; mem++) {
		struct weft_chunk c;
		struct weft_hdr h;

		bulk_init(t, &b);
		bulk_send(t, &b, mem);
		ASSERT_EQ(1, t->out->ntx);
		EXPECT_TRUE(whole(&t->out->tx[0], &b));
		EXPECT_EQ(1, lone_parse(&t->out->tx[0], &h, &c));
		EXPECT_EQ(WEFT_CHUNK_DATA, c.type);
		EXPECT_EQ(LEN, c.paylen);
		lone_drop(t);
		t->out->now = t->lane->rto_at;
		lone_timer(t);
		ASSERT_EQ(1, t->out->ntx);
		EXPECT_TRUE(whole(&t->out->tx[0], &b));
		lone_drop(t);
		lone_ack(t, t->lane->snd_nxt, NULL, 0, 0);
		bulk_fini(&b);
	}
	EXPECT_EQ(0, t->rig->nmem);
}

/* Withdrawn while no thread sends it: the memory is free at once, and the packet has no chunk. */
TEST_F(frame, withdraw)
{
	struct lone *t = &self->t;
	struct weft_rec *rec;
	struct weft_hdr h;
	struct bulk b;

	bulk_init(t, &b);
	rec = bulk_send(t, &b, true);
	lone_drop(t);
	weft_lock(&t->path->lock);
	weft_rec_withdraw(rec, t->out);
	weft_unlock(&t->path->lock);
	bulk_fini(&b);
	EXPECT_EQ(0, t->rig->nmem);
	t->out->now = t->lane->rto_at;
	lone_timer(t);
	ASSERT_EQ(1, t->out->ntx);
	EXPECT_EQ(0, lone_parse(&t->out->tx[0], &h, NULL));
	EXPECT_EQ(WEFT_WIRE_HDR, t->out->tx[0].len);
	EXPECT_EQ(1000, h.psn);
}

/* Withdrawn while a thread sends it: the memory stays until that thread has finished. */
TEST_F(frame, withdraw_busy)
{
	struct lone *t = &self->t;
	struct weft_rec *rec;
	struct bulk b;
	u32 acked;

	for (acked = 0; acked < 2; acked++) {
		bulk_init(t, &b);
		rec = bulk_send(t, &b, true);
		weft_lock(&t->path->lock);
		weft_rec_withdraw(rec, t->out);
		weft_unlock(&t->path->lock);
		EXPECT_EQ(1, t->rig->nmem);
		EXPECT_TRUE(whole(&t->out->tx[0], &b));
		if (acked)
			lone_ack(t, t->lane->snd_nxt, NULL, 0, 0);
		EXPECT_EQ(!acked, whole(&t->out->tx[0], &b));
		lone_drop(t);
		bulk_fini(&b);
		EXPECT_EQ(0, t->rig->nmem);
		lone_ack(t, t->lane->snd_nxt, NULL, 0, 0);
	}
}

/* The program dies: the packet is not sent, and the send has the errno. */
TEST_F(frame, fault)
{
	struct lone *t = &self->t;
	struct bulk b;

	bulk_init(t, &b);
	bulk_send(t, &b, true);
	rig_proc_end(b.proc, true);
	EXPECT_EQ(NULL, lone_bytes(&t->out->tx[0]));
	EXPECT_TRUE(b.txm->fault);
	lone_drop(t);
	lone_ack(t, t->lane->snd_nxt, NULL, 0, 0);
	bulk_fini(&b);
}

/* Acknowledged while it waits to be sent: the program's memory is not read any more. */
TEST_F(frame, acknowledged_meanwhile)
{
	struct lone *t = &self->t;
	struct weft_span span;
	struct weft_tx *tx;
	struct weft_mem *mem;
	struct bulk b;

	bulk_init(t, &b);
	bulk_send(t, &b, true);
	tx = &t->out->tx[0];
	EXPECT_TRUE(whole(tx, &b));
	lone_ack(t, t->lane->snd_nxt, NULL, 0, 0);
	EXPECT_EQ(NULL, lone_bytes(tx));
	EXPECT_FALSE(b.txm->fault);
	EXPECT_EQ(0, weft_tx_pieces(tx, 0, &span, 1, &mem));
	lone_drop(t);
	bulk_fini(&b);
}

/* ---- Runs ------------------------------------------------------------ */

#define SEG	90
#define NSEG	DIV_ROUND_UP(LEN, SEG)

/* Send all of the message in packets of SEG bytes. */
static void run_send(struct lone *t, struct bulk *b)
{
	struct weft_rec *rec;

	weft_lock(&t->path->lock);
	rec = weft_lane_open(t->path, t->lane);
	rec->bulk = 0;
	rec->run = WEFT_CHUNK_DATA;
	rec->nseg = NSEG;
	rec->seg = SEG;
	rec->len = weft_wire_data_put(rec->raw, 5, 0, SEG);
	rec->pay = LEN;
	rec->off = 0;
	rec->moff = 0;
	rec->txm = b->txm;
	weft_txm_get(b->txm);
	weft_mem_hold(b->mem);
	rec->mem = b->mem;
	weft_lane_output(t->path, t->lane, t->out);
	weft_unlock(&t->path->lock);
}

/*
 * Check the packets in @tx. @first: PSN of the first byte; @over: packets may be empty. Return: the
 * number of packets, 0: they are wrong.
 */
static u32 run_sound(const struct weft_tx *tx, const struct bulk *b, u32 first, bool over)
{
	u8 *all = malloc(weft_tx_size(tx)), *p = all;
	bool ok = !weft_tx_write(tx, 0, tx->nseg, all);
	struct weft_span span;
	struct weft_mem *mem;
	u32 i, at;

	for (i = 0; ok && i < tx->nseg; i++, p += tx->len) {
		u8 *one = malloc(weft_tx_len(tx, i));
		const struct weft_w_data *w;
		struct weft_chunks rest;
		struct weft_chunk c;
		struct weft_hdr h;

		weft_tx_header(tx, i, one);
		ok = !weft_tx_payload(tx, i, one + tx->len - tx->pay) &&
		     !memcmp(one, p, weft_tx_len(tx, i)) &&
		     !weft_wire_hdr_get(p, weft_tx_len(tx, i), &h, &rest) &&
		     !weft_wire_check(&rest) && h.psn == tx->psn + i &&
		     !(h.flags & WEFT_PKT_ACKNOW) == !(tx->acknow && i + 1 == tx->nseg);
		at = (h.psn - first) * SEG;
		if (!weft_wire_next(&rest, &c)) {
			ok = ok && over;
		} else if (ok) {
			w = c.body;
			ok = c.type == WEFT_CHUNK_DATA && be64_to_cpu(w->off) == at &&
			     c.paylen == min(SEG, LEN - (int)at) &&
			     !memcmp(c.pay, b->buf + at, c.paylen) && !weft_wire_next(&rest, &c);
		}
		if (ok && tx->rec->again) {
			ok = !weft_tx_pieces(tx, i, &span, 1, &mem);
		} else if (ok && tx->pay) {
			ok = weft_tx_pieces(tx, i, &span, 1, &mem) == 1 && mem == b->mem &&
			     span.p == b->buf + at && span.len == weft_tx_paylen(tx, i);
			weft_mem_put(mem);
		}
		free(one);
	}
	free(all);
	return ok ? tx->nseg : 0;
}

/* Whatever the peer acknowledges, only missing packets are sent again. */
TEST_F(frame, run)
{
	struct lone *t = &self->t;
	u32 round, base = 1000;

	for (round = 0; round < 400; round++) {
		bool got[NSEG] = { false }, over = false;
		u32 first = base, i, n, step;
		struct bulk b;

		bulk_init(t, &b);
		run_send(t, &b);
		ASSERT_EQ(1, t->out->ntx);
		ASSERT_EQ(NSEG, run_sound(&t->out->tx[0], &b, first, false));
		lone_drop(t);
		for (step = 0; base != first + NSEG; step++) {
			u32 words[WEFT_SACK_BITS / 32] = { 0 };

			/* some packets have arrived, and memory to record that may be missing */
			for (i = 0; i < NSEG; i++)
				got[i] |= !rig_below(t->rig, step > 20 ? 2 : 8);
			while (base != first + NSEG && got[base - first])
				base++;
			for (i = base + 1 - first; i < NSEG; i++)
				if (got[i])
					words[0] |= 1u << (i - (base + 1 - first));
			lone_wait(t, rig_below(t->rig, 100) * US);
			if (!rig_below(t->rig, 4))
				weft_host_fail_nth(1);
			lone_ack(t, base, words, words[0] ? 1 : 0, 0);
			weft_host_fail_nth(0);
			ASSERT_EQ(base, t->lane->snd_una);
			/* the send may be over before all is acknowledged */
			if (!over && !rig_below(t->rig, 30)) {
				struct weft_list *l;

				over = true;
				weft_lock(&t->path->lock);
				weft_list_for_each(l, &t->lane->sent)
					weft_rec_withdraw(weft_entry(l, struct weft_rec, node),
							  t->out);
				weft_unlock(&t->path->lock);
			}
			if (rig_below(t->rig, 2)) {
				t->out->now = max(t->out->now, weft_lane_next(t->lane) == U64_MAX ?
						  0 : weft_lane_next(t->lane));
				lone_timer(t);
			}
			for (i = 0, n = 0; i < t->out->ntx; i++) {
				ASSERT_NE(0, run_sound(&t->out->tx[i], &b, first, over));
				n += t->out->tx[i].nseg;
			}
			ASSERT_LE(n, t->lane->cwnd);
			ASSERT_LE(t->lane->flight, t->path->flight);
			ASSERT_LE(t->path->flight, first + NSEG - base);
			if (base == first + NSEG)
				ASSERT_EQ(0, t->lane->flight);
			lone_drop(t);
		}
		ASSERT_EQ(0, t->path->flight);
		ASSERT_EQ(0, lone_count(&t->lane->sent));
		/* each case begins with the window that the last one has left */
		t->lane->cwnd = WEFT_CWND_INIT;
		t->path->alive_at = t->out->now;
		bulk_fini(&b);
		ASSERT_EQ(0, t->rig->nmem);
	}
}

/*
 * Some packets are acknowledged before the run is sent again. The missing packets leave unchanged,
 * or not at all.
 */
TEST_F(frame, run_acknowledged_in_part)
{
	struct lone *t = &self->t;
	u32 words[WEFT_SACK_BITS / 32] = { 1u << 2 };
	struct weft_tx *tx;
	struct bulk b;
	u8 *all, *pay;

	bulk_init(t, &b);
	run_send(t, &b);
	tx = &t->out->tx[0];
	/*
	 * the fourth packet, then those before it: the record keeps the first three only, and is
	 * over
	 */
	lone_ack(t, 1000, words, 1, 0);
	lone_ack(t, 1004, NULL, 0, 0);
	all = malloc(weft_tx_size(tx));
	pay = all + 5 * tx->len + tx->len - tx->pay;
	if (!weft_tx_write(tx, 0, NSEG, all))
		EXPECT_EQ(0, memcmp(pay, b.buf + 5 * SEG, SEG));
	if (!weft_tx_payload(tx, 5, pay))
		EXPECT_EQ(0, memcmp(pay, b.buf + 5 * SEG, SEG));
	free(all);
	lone_drop(t);
	lone_ack(t, t->lane->snd_nxt, NULL, 0, 0);
	bulk_fini(&b);
	EXPECT_EQ(0, t->rig->nmem);
}

/* The window is smaller than the run to be sent again. */
TEST_F(frame, run_window)
{
	struct lone *t = &self->t;
	struct bulk b;
	u32 i;

	bulk_init(t, &b);
	run_send(t, &b);
	lone_drop(t);
	t->out->now = t->lane->rto_at;
	lone_timer(t);
	EXPECT_EQ(WEFT_CWND_MIN, t->lane->flight);
	ASSERT_EQ(1, t->out->ntx);
	EXPECT_EQ(WEFT_CWND_MIN, t->out->tx[0].nseg);
	EXPECT_EQ(1000, t->out->tx[0].psn);
	lone_drop(t);
	for (i = 0; i < 100 && t->path->flight; i++) {
		lone_wait(t, 10 * US);
		lone_ack(t, t->lane->snd_una + t->lane->flight, NULL, 0, 0);
		lone_output(t);
		EXPECT_LE(t->lane->flight, t->lane->cwnd);
		lone_drop(t);
	}
	EXPECT_EQ(0, t->path->flight);
	bulk_fini(&b);
}

TEST_HARNESS_MAIN
