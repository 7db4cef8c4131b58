// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests run in children that end by _exit(): this wrapper (the linker's --wrap) writes their
 * coverage before that.
 */
#include "exit.h"

void __wrap__exit(int status)
{
	__llvm_profile_write_file();
	__real__exit(status);
}
