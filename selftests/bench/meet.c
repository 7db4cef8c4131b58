// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How the processes of two machines meet. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "meet.h"
#include "side.h"

#define PORT  7471
#define TRIES 300 /* of 0.1 s */

static int new_socket(const char *addr, struct sockaddr_in *at)
{
	int sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(PORT) };
	if (sock < 0)
		bench_stop("socket: %s", strerror(errno));
	if (inet_pton(AF_INET, addr, &at->sin_addr) != 1)
		bench_stop("%s is no address", addr);
	return sock;
}

static void send_at_once(int sock)
{
	int on = 1;

	if (setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		bench_stop("TCP_NODELAY: %s", strerror(errno));
}

int meet_listen(const char *addr)
{
	struct sockaddr_in at;
	int on = 1, sock = new_socket(addr, &at);

	if (setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(sock, (const void *)&at, sizeof(at)) || listen(sock, 1))
		bench_stop("waiting at %s: %s", addr, strerror(errno));
	return sock;
}

int meet_accept(int listener, char *what)
{
	int sock = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (sock < 0 || recv(sock, what, MEET_WHAT, MSG_WAITALL) != MEET_WHAT)
		bench_stop("the client: %s", strerror(errno));
	what[MEET_WHAT - 1] = 0;
	send_at_once(sock);
	return sock;
}

int meet_call(const char *addr, const char *what)
{
	char name[MEET_WHAT] = {};
	struct sockaddr_in at;
	int sock, tries = 0;

	for (;;) {
		sock = new_socket(addr, &at);
		if (!connect(sock, (const void *)&at, sizeof(at)))
			break;
		if (++tries == TRIES)
			bench_stop("the server at %s: %s", addr, strerror(errno));
		close(sock);
		usleep(100000);
	}
	send_at_once(sock);
	strncpy(name, what, sizeof(name) - 1);
	if (write(sock, name, sizeof(name)) != sizeof(name))
		bench_stop("the server at %s: %s", addr, strerror(errno));
	return sock;
}
