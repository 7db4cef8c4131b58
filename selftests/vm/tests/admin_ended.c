// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A port can be deleted as soon as the last program on it has closed it, or has ended. A port that
 * a program has open is kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/weft.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"
#include "genl.h"
#include "raw.h"

#define PORT	"ended"
#define ROUNDS	50

static int ask(__u8 cmd)
{
	const struct weft_sockaddr addr = { .family = AF_INET, .addr = { 10, 79, 0, 1 } };
	struct genl_request r;

	genl_begin(&r, NLM_F_ACK, cmd);
	genl_put_text(&r, WEFT_ATTR_PORT_NAME, PORT);
	if (cmd == WEFT_CMD_PORT_ADD) {
		genl_put_text(&r, WEFT_ATTR_PORT_DRIVER, "loop");
		genl_put(&r, WEFT_ATTR_PORT_ADDR, &addr, sizeof(addr));
	}
	return genl_ask(&r, true);
}

static int port_open(void)
{
	return open("/dev/weft/" PORT, O_RDWR | O_CLOEXEC);
}

/* Open the port, and make an endpoint there. Return: the file, -1: it failed. */
static int use(void)
{
	struct raw_rdm r;
	int fd = port_open();

	return fd >= 0 && raw_rdm_new(fd, 16, &r) ? fd : -1;
}

static bool closed(void)
{
	int i, fd;

	for (i = 0; i < ROUNDS; i++) {
		CHECK_EQ(ask(WEFT_CMD_PORT_ADD), 0);
		fd = port_open();
		CHECK(fd >= 0);
		close(fd);
		CHECK_EQ(ask(WEFT_CMD_PORT_DEL), 0);
	}
	return true;
}

/* A child uses the port until it exits, or is killed. */
static bool child_ends(bool killed)
{
	int i, status, to[2];
	char c = 0;
	pid_t pid;

	for (i = 0; i < ROUNDS; i++) {
		CHECK_EQ(ask(WEFT_CMD_PORT_ADD), 0);
		CHECK_EQ(pipe(to), 0);
		pid = fork();
		if (!pid) {
			if (use() < 0 || write(to[1], &c, 1) != 1)
				_exit(1);
			while (killed)
				pause();
			_exit(0);
		}
		CHECK_EQ(read(to[0], &c, 1), 1);
		if (killed)
			kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(killed ? WIFSIGNALED(status) : WIFEXITED(status) && !WEXITSTATUS(status));
		CHECK_EQ(ask(WEFT_CMD_PORT_DEL), 0);
		close(to[0]);
		close(to[1]);
	}
	return true;
}

static bool exited(void)
{
	return child_ends(false);
}

static bool killed(void)
{
	return child_ends(true);
}

static bool kept(void)
{
	int fd;

	CHECK_EQ(ask(WEFT_CMD_PORT_ADD), 0);
	fd = port_open();
	CHECK(fd >= 0);
	CHECK_EQ(ask(WEFT_CMD_PORT_DEL), EBUSY);
	CHECK_EQ(ask(WEFT_CMD_PORT_DEL), EBUSY);
	close(fd);
	CHECK_EQ(ask(WEFT_CMD_PORT_DEL), 0);
	return true;
}

static void after(void)
{
	ask(WEFT_CMD_PORT_DEL);
}

int main(void)
{
	static const struct check cases[] = {
		{ "a closed port can be deleted at once", closed },
		{ "a port whose program has exited can be deleted at once", exited },
		{ "a port whose program was killed can be deleted at once", killed },
		{ "a port that is open is kept", kept },
	};

	node_enter(0);
	if (!genl_open())
		return 1;
	checks_run(cases, sizeof(cases) / sizeof(cases[0]), "a loop port", after);
	genl_close();
	return results_end();
}
