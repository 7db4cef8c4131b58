/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - waits of workers for the memory of a program
 *
 * Such a wait may last as long as the program likes. The kernel's detector of hung tasks reports
 * each uninterruptible wait that is too long, and may stop the machine (hung_task_panic). An idle
 * wait is not reported, and does not count as load.
 */
#ifndef WEFT_WAIT_IDLE_H
#define WEFT_WAIT_IDLE_H

#include <linux/sched.h>
#include <linux/wait_bit.h>

/* As wait_var_event(): wait until @condition holds; wake_up_var(@var) follows each change of it. */
#define weft_wait_idle(var, condition)						\
do {										\
	might_sleep();								\
	if (!(condition))							\
		___wait_var_event(var, condition, TASK_IDLE, 0, 0, schedule());	\
} while (0)

#endif
