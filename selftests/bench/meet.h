/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the processes of two machines meet before each measurement
 *
 * The first end is the client, and has the list of measurements. For each it calls the server, says
 * which one it is, and keeps the connection for two.h. An empty name ends the server. The
 * connection goes through a device that is not measured.
 */
#ifndef BENCH_MEET_H
#define BENCH_MEET_H

#define MEET_WHAT 64 /* bytes of a measurement's name */

/* Return: a socket that waits for clients at this address. */
int meet_listen(const char *addr);
/* Wait for a client. Return: the connection; @what: the measurement, of MEET_WHAT bytes. */
int meet_accept(int listener, char *what);
/* Call the server, until it is there. Return: the connection. */
int meet_call(const char *addr, const char *what);

#endif
