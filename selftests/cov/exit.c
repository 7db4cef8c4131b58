// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests run in children that end by _exit(): what they have reached is written before. For the
 * linker's --wrap.
 */
#include "exit.h"

void __wrap__exit(int status)
{
	__llvm_profile_write_file();
	__real__exit(status);
}
