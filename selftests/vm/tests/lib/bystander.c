// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What bystander.h says. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fipair.h"
#include "bystander.h"

pid_t bystander_pid;

static void *compute(void *arg)
{
	volatile bool *on = arg;

	while (*on)
		;
	return NULL;
}

bool bystander_begin(bool node, bool busy, char addr[64])
{
	int fd[2];

	CHECK(!pipe(fd));
	fflush(stdout);
	bystander_pid = fork();
	if (!bystander_pid) {
		struct opts o = { .type = FI_EP_RDM, .caps = FI_MSG | FI_TAGGED };
		volatile bool on = true;
		struct side s = { 0 };
		size_t len = 64;
		pthread_t t;

		if (!side_open(&s, node, &o) || !side_endpoint(&s, s.info, &o) ||
		    fi_getname(&s.ep->fid, addr, &len) ||
		    (busy && pthread_create(&t, NULL, compute, (void *)&on)) ||
		    write(fd[1], addr, 64) != 64)
			_exit(1);
		for (;;)
			pause();
	}
	CHECK_EQ(read(fd[0], addr, 64), 64);
	close(fd[0]);
	close(fd[1]);
	return true;
}

bool bystander_end(void)
{
	int status;

	kill(bystander_pid, SIGKILL);
	return waitpid(bystander_pid, &status, 0) == bystander_pid;
}

bool bystander_stop(void)
{
	int status;

	CHECK_EQ(kill(bystander_pid, SIGSTOP), 0);
	CHECK_EQ(waitpid(bystander_pid, &status, WUNTRACED), bystander_pid);
	return true;
}
