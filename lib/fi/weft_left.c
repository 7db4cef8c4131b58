// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_left.c - queues and counters that a program closes before the endpoint of the kernel
 *
 * A context of a scalable endpoint is half of an endpoint of the kernel, which lives until the
 * scalable endpoint is closed (weft_sep.c). The kernel keeps the queue and the counter of an
 * enabled endpoint. A program may close both once their contexts are closed. libweft's part then
 * waits here for the kernel's endpoint.
 *
 * weft_fi_domain.left_lock protects the list.
 */
#include "weft_fi.h"

/**
 * struct weft_fi_left - a queue or a counter that the program has closed
 * @next: in weft_fi_domain.left
 * @cq: the queue, or NULL
 * @cntr: the counter, or NULL
 */
struct weft_fi_left {
	struct weft_fi_left *next;
	struct weft_cq *cq;
	struct weft_cntr *cntr;
};

/**
 * weft_fi_left_keep() - keep a queue or a counter that an endpoint of the kernel uses
 * @dom: its domain, which lives as long as that endpoint
 * @cq: the queue, or NULL
 * @cntr: the counter, or NULL
 *
 * Return: 0, -FI_ENOMEM.
 */
int weft_fi_left_keep(struct weft_fi_domain *dom, struct weft_cq *cq, struct weft_cntr *cntr)
{
	struct weft_fi_left *left = malloc(sizeof(*left));

	if (!left)
		return -FI_ENOMEM;
	left->cq = cq;
	left->cntr = cntr;
	pthread_mutex_lock(&dom->left_lock);
	left->next = dom->left;
	dom->left = left;
	pthread_mutex_unlock(&dom->left_lock);
	return 0;
}

/**
 * weft_fi_left_sweep() - destroy the kept queues and counters that no endpoint uses any more
 * @dom: the domain of an endpoint that has gone
 */
void weft_fi_left_sweep(struct weft_fi_domain *dom)
{
	struct weft_fi_left **link, *left;

	pthread_mutex_lock(&dom->left_lock);
	for (link = &dom->left; (left = *link);) {
		if (left->cq ? weft_cq_destroy(left->cq) : weft_cntr_destroy(left->cntr)) {
			link = &left->next;
			continue;
		}
		*link = left->next;
		free(left);
	}
	pthread_mutex_unlock(&dom->left_lock);
}
