// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The workers of one user wait for memory that never comes, in more contexts than a workqueue has
 * workers. Long messages of another user go on, and its contexts end.
 * TIMEOUT: 240
 */
#include "stuck_users.h"

int main(void)
{
	return stuck_users(30, 10);
}
