// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - what a program does: computes, sleeps, is stopped
 *
 * "weftctl hang" on another node learns it from an answer of the core (core/api/answer.c). The
 * command on this node reads /proc.
 *
 * Locks: RCU protects the threads.
 */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "dev.h"

#define WEFT_THREADS	256	/* threads that are looked at */

/**
 * weft_env_program - tell the state of a process; see core/base/env.h
 * @core: not used
 * @pid: the process, in the initial namespace
 *
 * Context: any but hard interrupts.
 * Return: a letter as in proc(5), 0: there is no such process.
 */
char weft_env_program(struct weft_core *core, u32 pid)
{
	/* a thread that computes, or waits in the kernel, says more than those that sleep */
	static const char order[] = "RDSIPTtZX";
	const char *best = NULL, *at;
	struct task_struct *task, *t;
	u32 n = 0;

	rcu_read_lock();
	task = pid_task(find_pid_ns((int)pid, &init_pid_ns), PIDTYPE_TGID);
	if (task) {
		for_each_thread(task, t) {
			at = strchr(order, task_state_to_char(t));
			if (at && (!best || at < best))
				best = at;
			if (++n == WEFT_THREADS)
				break;
		}
	}
	rcu_read_unlock();
	return best ? *best : 0;
}
