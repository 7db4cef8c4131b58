/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libweft: keys of jobs in files (Documentation/jobs.rst)
 */
#ifndef WEFT_KEY_H
#define WEFT_KEY_H

#include <stdint.h>
#include <string.h>
#include <linux/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct weft_key - a key, for struct weft_ep_attr
 * @size: bytes of the key; 0: none
 * @bytes: the key, with space for the end of a line and for one byte too many
 */
struct weft_key {
	uint32_t size;
	uint8_t bytes[WEFT_KEY_MAX + 2];
};

/**
 * weft_key_read() - read a key as "weftctl job add NAME key FILE" does
 * @fd: file, pipe or the like, which is read to its end, or until the key is too long
 * @key: out; the caller wipes it with explicit_bzero(3) after creating endpoints with it
 *
 * All bytes count, except the newline after a single line of printable ASCII text.
 *
 * Any thread.
 *
 * Return: 0, -EINVAL (too short or too long: @key->size has the number of bytes, WEFT_KEY_MAX + 1
 * or more if there may be more), -errno of read(2).
 */
int weft_key_read(int fd, struct weft_key *key);

#ifdef __cplusplus
}
#endif
#endif
