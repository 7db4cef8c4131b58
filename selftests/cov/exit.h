/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Coverage: what the linker and the compiler's runtime provide
 */
#ifndef WEFT_COV_EXIT_H
#define WEFT_COV_EXIT_H

void __real__exit(int status) __attribute__((__noreturn__));
void __wrap__exit(int status) __attribute__((__noreturn__));
int __llvm_profile_write_file(void);

#endif
