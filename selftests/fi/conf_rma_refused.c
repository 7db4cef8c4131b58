// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_rma(3), rule by rule: operations that are refused, and memory that changes under them.
 * TIMEOUT: 200 LINKS: vnet loop
 */
#include <sys/mman.h>
#include "onesided.h"

#define LONG	(3u << 20)
#define PART	8192u	/* bytes of a region, with as many on both sides of it */

static bool refused(bool write, uint64_t addr, size_t len, uint64_t key, int err)
{
	CHECK_EQ(rma_msg(write, sbuf, len, addr, key, 1, 0), 0);
	return rma_failed(1, write, err);
}

/* ---- Bounds and rights --------------------------------------------------------------------- */

static bool bounds(void)
{
	const struct { uint64_t addr; size_t len; } wrong[] = {
		{ PART, 1 }, { PART - 7, 8 }, { 0, PART + 1 }, { ~0ULL, 1 }, { ~0ULL, 2 },
		{ ~0ULL - 3, 8 }, { 1ULL << 63, 8 }, { (1ULL << 63) - 4, 8 }, { 1, PART },
		{ 0, LONG }, { PART / 2, LONG },
	};
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose(&p.b, rbuf + PART, PART, BOTH_RIGHTS, KEY, &mr));
	memset(sbuf, 0x11, LONG);
	memset(rbuf, 0xee, 3 * PART);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK(refused(true, wrong[i].addr, wrong[i].len, KEY, FI_EACCES));
		CHECK(refused(false, wrong[i].addr, wrong[i].len, KEY, FI_EACCES));
	}
	CHECK(all_bytes(rbuf, 3 * PART, 0xee) && all_bytes(sbuf, LONG, 0x11));
	CHECK(rma_write(sbuf, PART, 0, KEY));
	CHECK(all_bytes(rbuf, PART, 0xee) && all_bytes(rbuf + PART, PART, 0x11));
	return all_bytes(rbuf + 2 * PART, PART, 0xee) && !fi_close(&mr->fid);
}

static bool rights(void)
{
	const uint64_t access[] = { FI_REMOTE_READ, FI_REMOTE_WRITE, 0 };
	const size_t sizes[] = { 8, 5000, LONG };
	struct fid_mr *mr;
	unsigned int i, j;

	memset(rbuf, 0xee, LONG);
	for (i = 0; i < 3; i++) {
		CHECK(expose(&p.b, rbuf, LONG, access[i], KEY, &mr));
		memset(sbuf, 0x11, LONG);
		for (j = 0; j < 3; j++) {
			if (!(access[i] & FI_REMOTE_WRITE))
				CHECK(refused(true, 0, sizes[j], KEY, FI_EACCES));
			if (!(access[i] & FI_REMOTE_READ))
				CHECK(refused(false, 0, sizes[j], KEY, FI_EACCES));
		}
		CHECK(all_bytes(rbuf, LONG, 0xee) && all_bytes(sbuf, LONG, 0x11));
		if (access[i] & FI_REMOTE_READ)
			CHECK(rma_read(sbuf, LONG, 0, KEY) && all_bytes(sbuf, LONG, 0xee));
		if (access[i] & FI_REMOTE_WRITE) {
			memset(sbuf, 0xee, LONG);
			CHECK(rma_write(sbuf, LONG, 0, KEY));
		}
		CHECK_EQ(fi_close(&mr->fid), 0);
	}
	return true;
}

/* ---- Silence and early levels -------------------------------------------------------------- */

/* Success would have no entry, or an early one. A failure has one, and is counted. */
static bool told_anyway(void)
{
	unsigned int n = 0;

	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 1, 0), 0);
	CHECK(rma_failed(1, true, FI_EACCES));
	CHECK(cntr_fails(p.a.txcntr, ++n));
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 2, FI_INJECT | FI_INJECT_COMPLETE), 0);
	CHECK(rma_failed(2, true, FI_EACCES));
	CHECK(cntr_fails(p.a.txcntr, ++n));
	CHECK_EQ(rma_msg(true, sbuf, LONG, 0, KEY, 3, FI_INJECT_COMPLETE), 0);
	CHECK(rma_failed(3, true, FI_EACCES));
	CHECK(cntr_fails(p.a.txcntr, ++n));
	CHECK_EQ(fi_inject_write(p.a.ep, sbuf, 8, p.a.peer, 0, KEY), 0);
	CHECK(rma_failed(0, true, FI_EACCES));
	CHECK(cntr_fails(p.a.txcntr, ++n));
	CHECK_EQ(rma_msg(false, sbuf, 8, 0, KEY, 5, 0), 0);
	CHECK(rma_failed(5, false, FI_EACCES));
	CHECK(cntr_fails(p.a.txcntr, ++n));
	return cntr_is(p.a.txcntr, 0);
}

/* Refused operations do not step B's counter. */
static bool not_counted(void)
{
	struct fid_mr *mr;

	CHECK(expose(&p.b, rbuf, PART, BOTH_RIGHTS, KEY, &mr));
	CHECK(refused(true, 0, 8, KEY + 1, FI_EACCES));
	CHECK(refused(true, PART, 8, KEY, FI_EACCES));
	CHECK(refused(false, 0, PART + 1, KEY, FI_EACCES));
	CHECK(rma_write(sbuf, 8, 0, KEY));
	CHECK(cntr_is(p.b.rxcntr, 1));
	return cntr_fails(p.b.rxcntr, 0) && !fi_close(&mr->fid);
}

static bool reads_complete(void)
{
	const uint64_t levels[] = { FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE,
				    FI_DELIVERY_COMPLETE };
	const size_t sizes[] = { 8, 5000, LONG };
	struct fid_mr *mr;
	unsigned int i, j;

	CHECK(expose_all(&mr));
	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++) {
			pattern_fill(rbuf, sizes[j], 3 * i + j);
			memset(sbuf, 0, sizes[j]);
			CHECK_EQ(rma_msg(false, sbuf, sizes[j], 0, KEY, 1, levels[i]), 0);
			CHECK(rma_done(1, false));
			CHECK(pattern_is(sbuf, sizes[j], 3 * i + j));
		}
	return !fi_close(&mr->fid);
}

static bool no_commit(void)
{
	struct fi_info *hints = fi_allocinfo(), *info = NULL;
	struct fid_mr *mr;
	int ret;

	hints->fabric_attr->prov_name = strdup("weft");
	hints->caps = FI_RMA | FI_RMA_PMEM;
	ret = fi_getinfo(FI_VERSION(1, 14), NULL, NULL, 0, hints, &info);
	fi_freeinfo(hints);
	CHECK_EQ(ret, -FI_ENODATA);
	CHECK(!(p.a.info->caps & FI_RMA_PMEM));
	CHECK(expose_all(&mr));
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 1, FI_COMMIT_COMPLETE), -FI_EOPNOTSUPP);
	CHECK_EQ(rma_msg(false, sbuf, 8, 0, KEY, 1, FI_COMMIT_COMPLETE), -FI_EOPNOTSUPP);
	return !fi_close(&mr->fid);
}

/* ---- Memory that changes ------------------------------------------------------------------- */

/* After fi_close() of a region no byte of it changes, however many operations were under way. */
static bool closed_under_way(void)
{
	uint8_t *copy = malloc(LONG);
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	struct fid_mr *mr;
	unsigned int i, j;
	bool same = true;
	int ret;

	CHECK(copy);
	for (i = 0; i < 20 && same; i++) {
		CHECK(expose_all(&mr));
		memset(sbuf, (int)i + 1, LONG);
		for (j = 0; j < 4; j++)
			CHECK_EQ(rma_msg(true, sbuf, LONG, 0, KEY, 1, 0), 0);
		CHECK_EQ(fi_close(&mr->fid), 0);
		memcpy(copy, rbuf, LONG);
		for (j = 0; j < 4; j++) {
			ret = completion(p.a.txcq, &c, NULL, &e);
			CHECK(ret == 1 || (ret == -FI_EAVAIL && e.err == FI_EACCES));
		}
		same = !memcmp(copy, rbuf, LONG);
	}
	free(copy);
	return same;
}

static uint8_t *mapped(void)
{
	return mmap(NULL, LONG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* A write and a read of B's memory that ends with @err, short and long. */
static bool all_end(int write_err, int read_err)
{
	const size_t sizes[] = { 8, 5000, LONG };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (write_err)
			CHECK(refused(true, 0, sizes[i], KEY, write_err));
		else
			CHECK(rma_write(sbuf, sizes[i], 0, KEY));
		if (read_err)
			CHECK(refused(false, 0, sizes[i], KEY, read_err));
		else
			CHECK(rma_read(sbuf, sizes[i], 0, KEY));
	}
	return true;
}

static bool memory_changes(void)
{
	uint8_t *mem = mapped();
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	struct fid_mr *mr;
	int ret;

	CHECK(mem != MAP_FAILED);
	CHECK(expose(&p.b, mem, LONG, BOTH_RIGHTS, KEY, &mr));
	CHECK(all_end(0, 0));
	CHECK_EQ(mprotect(mem, LONG, PROT_READ), 0);
	CHECK(all_end(FI_EFAULT, 0));
	CHECK_EQ(mprotect(mem, LONG, PROT_NONE), 0);
	CHECK(all_end(FI_EFAULT, FI_EFAULT));
	CHECK_EQ(mprotect(mem, LONG, PROT_READ | PROT_WRITE), 0);
	CHECK(all_end(0, 0));
	/* new pages: zeros, then what is written */
	CHECK_EQ(madvise(mem, LONG, MADV_DONTNEED), 0);
	CHECK(rma_read(sbuf, LONG, 0, KEY) && all_bytes(sbuf, LONG, 0));
	memset(sbuf, 0x55, LONG);
	CHECK(rma_write(sbuf, LONG, 0, KEY) && all_bytes(mem, LONG, 0x55));
	/* gone while an operation is under way: it ends, and B's other memory does not change */
	memset(rbuf, 0xee, LONG);
	CHECK_EQ(rma_msg(true, sbuf, LONG, 0, KEY, 1, 0), 0);
	CHECK_EQ(munmap(mem, LONG), 0);
	ret = completion(p.a.txcq, &c, NULL, &e);
	CHECK(ret == 1 || (ret == -FI_EAVAIL && e.err == FI_EFAULT));
	CHECK(all_end(FI_EFAULT, FI_EFAULT));
	return all_bytes(rbuf, LONG, 0xee) && !fi_close(&mr->fid);
}

#define COUNT .o.counters = true, .o.tx_count = FI_READ | FI_WRITE

static const struct row rows[] = {
	ROW("RMA-38", ON_BOTH, "A read completes when its bytes are there, whatever its level",
	    reads_complete, RMA),
	ROW("RMA-39", ON_BOTH, "FI_COMMIT_COMPLETE and FI_RMA_PMEM are not offered", no_commit, RMA,
	    .once = true),
	ROW("RMA-54", ON_BOTH, "Bytes outside of the region are refused", bounds, RMA),
	ROW("RMA-55", ON_BOTH, "A missing right is refused", rights, RMA),
	ROW("RMA-57", ON_BOTH, "A failure is told, although success would be silent or early",
	    told_anyway, RMA, COUNT, .o.selective = true),
	ROW("RMA-58", ON_BOTH, "After fi_close of a region not one byte of it changes",
	    closed_under_way, RMA),
	ROW("RMA-59", ON_BOTH, "Memory that is gone or protected is not accessed", memory_changes,
	    RMA),
	ROW("CNTR-07", ON_BOTH, "Refused operations do not count at the target", not_counted,
	    RMA_EVENTS, .o.counters = true, .o.tx_count = FI_READ | FI_WRITE,
	    .o.rx_count = FI_REMOTE_WRITE),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
