// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_batch.c - time limit for entries deferred by FI_MORE
 *
 * Entries deferred by FI_MORE are in the ring, and the doorbell has been stored. Only the notify
 * call is missing. Usually the program continues and notifies, by a call without FI_MORE or by
 * reading a queue. A program may do neither, and wait for an effect of its sends. So a thread of
 * the port notifies deferred entries after a millisecond.
 *
 * The first FI_MORE starts the thread. It sleeps while no entries are deferred, and ends with the
 * port. It touches no endpoint data of the program's threads, which may run without locks. A notify
 * call is a system call with a handle.
 *
 * weft_fi_late.lock protects starting, waking and stopping. weft_fi_port.lock keeps endpoints while
 * they are notified.
 */
#include <signal.h>
#include <time.h>

#include "weft_fi.h"

#define WEFT_FI_LATE_NS	1000000

static bool weft_fi_half_late(struct weft_fi_half *half)
{
	return atomic_load(&half->due) && atomic_exchange(&half->due, false);
}

static void weft_fi_late_notify(struct weft_fi_port *port)
{
	struct weft_fi_cm *cm;
	struct weft_fi_ep *ep;
	bool tx, rx;
	size_t i;

	pthread_mutex_lock(&port->lock);
	for (i = 0; i < WEFT_FI_HASH; i++) {
		for (cm = port->eps[i]; cm; cm = cm->next) {
			if (cm->fid->fclass != FI_CLASS_EP)
				continue;
			ep = weft_fi_ep_from(cm->fid);
			tx = weft_fi_half_late(&ep->tx);
			rx = weft_fi_half_late(&ep->rx);
			if (tx || rx)
				weft_notify(cm->ep);
		}
	}
	pthread_mutex_unlock(&port->lock);
}

static void *weft_fi_late_run(void *arg)
{
	struct weft_fi_port *port = arg;
	struct weft_fi_late *late = &port->late;
	const struct timespec delay = { .tv_nsec = WEFT_FI_LATE_NS };

	pthread_mutex_lock(&late->lock);
	while (!late->stop) {
		if (!atomic_load(&late->pending)) {
			pthread_cond_wait(&late->wake, &late->lock);
			continue;
		}
		pthread_mutex_unlock(&late->lock);
		nanosleep(&delay, NULL);
		/* entries deferred from now on set it again */
		atomic_store(&late->pending, false);
		weft_fi_late_notify(port);
		pthread_mutex_lock(&late->lock);
	}
	pthread_mutex_unlock(&late->lock);
	return NULL;
}

/**
 * weft_fi_late_start() - test whether entries may be deferred; starts the thread
 * @port: port
 *
 * Return: true if the thread that notifies them runs.
 */
bool weft_fi_late_start(struct weft_fi_port *port)
{
	struct weft_fi_late *late = &port->late;
	sigset_t all, old;

	if (atomic_load_explicit(&late->up, memory_order_relaxed))
		return true;
	pthread_mutex_lock(&late->lock);
	if (!atomic_load(&late->up)) {
		/* signals belong to the program's threads */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		if (!pthread_create(&late->thread, NULL, weft_fi_late_run, port))
			atomic_store(&late->up, true);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	pthread_mutex_unlock(&late->lock);
	return atomic_load(&late->up);
}

/* Wake the thread: entries were deferred. */
void weft_fi_late_wake(struct weft_fi_late *late)
{
	pthread_mutex_lock(&late->lock);
	pthread_cond_signal(&late->wake);
	pthread_mutex_unlock(&late->lock);
}

void weft_fi_late_init(struct weft_fi_late *late)
{
	pthread_mutex_init(&late->lock, NULL);
	pthread_cond_init(&late->wake, NULL);
}

/* The port is about to be closed; it has no endpoints left. */
void weft_fi_late_fini(struct weft_fi_late *late)
{
	if (atomic_load(&late->up)) {
		pthread_mutex_lock(&late->lock);
		late->stop = true;
		pthread_cond_signal(&late->wake);
		pthread_mutex_unlock(&late->lock);
		pthread_join(late->thread, NULL);
	}
	pthread_cond_destroy(&late->wake);
	pthread_mutex_destroy(&late->lock);
}
