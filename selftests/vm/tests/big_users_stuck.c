// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * As users_stuck, with 600 processes whose workers wait.
 * TIMEOUT: 600 CHECK: all
 */
#include "stuck_users.h"

int main(void)
{
	return stuck_users(600, 1);
}
