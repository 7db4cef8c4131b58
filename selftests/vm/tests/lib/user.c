// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
#include <grp.h>
#include <sys/resource.h>
#include <unistd.h>
#include "check.h"
#include "user.h"

#define USER 65534

bool user_become(size_t limit)
{
	struct rlimit lim = { limit, limit };
	struct group *g = getgrnam("weft");
	gid_t gid = g ? g->gr_gid : USER;

	CHECK_EQ(setrlimit(RLIMIT_MEMLOCK, &lim), 0);
	CHECK_EQ(setgroups(1, &gid), 0);
	CHECK_EQ(setresgid(USER, USER, USER), 0);
	CHECK_EQ(setresuid(USER, USER, USER), 0);
	return true;
}
