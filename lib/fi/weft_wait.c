// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_wait.c - what completion and event queues have in common: wait objects, error texts
 */
#include "weft_fi.h"

/* @got: what a wait object becomes; one of no particular kind is a file */
int weft_fi_wait_obj(enum fi_wait_obj asked, enum fi_wait_obj *got)
{
	if (asked != FI_WAIT_NONE && asked != FI_WAIT_UNSPEC && asked != FI_WAIT_FD)
		return -FI_ENOSYS;
	*got = asked == FI_WAIT_UNSPEC ? FI_WAIT_FD : asked;
	return 0;
}

/* fi_control() of a queue whose wait object is a file */
int weft_fi_wait_control(enum fi_wait_obj wait_obj, int fd, int command, void *arg)
{
	switch (command) {
	case FI_GETWAIT:
		if (wait_obj == FI_WAIT_NONE)
			return -FI_ENODATA;
		*(int *)arg = fd;
		return 0;
	case FI_GETWAITOBJ:
		*(enum fi_wait_obj *)arg = wait_obj;
		return 0;
	}
	return -FI_ENOSYS;
}

/* the provider's error numbers are errno values */
const char *weft_fi_strerror(int prov_errno, char *buf, size_t len)
{
	const char *text = fi_strerror(prov_errno);

	if (!buf || !len)
		return text;
	strncpy(buf, text, len - 1);
	buf[len - 1] = '\0';
	return buf;
}
