// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What nowhere.h says. */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "nowhere.h"

char *nowhere(size_t len, int *out)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fd < 0 || p == MAP_FAILED || ioctl(fd, UFFDIO_API, &api))
		return NULL;
	reg.range.start = (uintptr_t)p;
	reg.range.len = len;
	if (out)
		*out = fd;
	return ioctl(fd, UFFDIO_REGISTER, &reg) ? NULL : p;
}
