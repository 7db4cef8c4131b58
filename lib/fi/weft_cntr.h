/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weft_cntr.h - counters; included by weft_fi.h
 */
#ifndef WEFT_CNTR_H
#define WEFT_CNTR_H

/**
 * struct weft_fi_cntr - a counter
 * @fid: libfabric's part
 * @domain: its domain
 * @cntr: libweft's counter
 * @refs: number of poll sets and memory regions with the counter
 * @wait_obj: kind of wait object
 * @member: entry in a wait set
 * @lock: protects @counts
 * @counts: what it counts of endpoints
 */
struct weft_fi_cntr {
	struct fid_cntr fid;
	struct weft_fi_domain *domain;
	struct weft_cntr *cntr;
	atomic_int refs;
	enum fi_wait_obj wait_obj;
	struct weft_fi_member member;
	pthread_mutex_t lock;
	struct weft_fi_count *counts;
};

/* flags of a bind, by half */
#define WEFT_FI_CNTR_SEND	(FI_SEND | WEFT_FI_RMA_TX)
#define WEFT_FI_CNTR_RECV	(FI_RECV | WEFT_FI_RMA_RX)

/* weft_cntr.c */
int weft_fi_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr, struct fid_cntr **cntr,
		      void *context);
int weft_fi_cntr_bind(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags);
void weft_fi_cntr_unbind(struct weft_fi_half *half);
void weft_fi_cntr_idle(struct weft_fi_half *half, bool idle);
int weft_fi_cntr_ready(struct weft_fi_cntr *cntr);

/* Return: libweft's counter of what @what (WEFT_FI_COUNT_*) names, or NULL. */
static inline struct weft_cntr *weft_fi_half_cntr(const struct weft_fi_half *half,
						  unsigned int what)
{
	return half->counts[what].cntr ? half->counts[what].cntr->cntr : NULL;
}

/* Return: true if a queue or a counter reports operations of the half. */
static inline bool weft_fi_half_told(const struct weft_fi_half *half)
{
	return half->cq || half->counts[WEFT_FI_COUNT_MSG].cntr ||
	       half->counts[WEFT_FI_COUNT_WRITE].cntr || half->counts[WEFT_FI_COUNT_READ].cntr;
}

#endif /* WEFT_CNTR_H */
