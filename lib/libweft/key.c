// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Keys of jobs in files. weftctl contains this file, too.
 */
#include <errno.h>
#include <unistd.h>

#include <weft/key.h>

/* Remove the newline of a single line of text: editors and echo(1) write one. */
static void strip_newline(struct weft_key *key)
{
	uint32_t i;

	if (!key->size || key->bytes[key->size - 1] != '\n')
		return;
	for (i = 0; i < key->size - 1; i++)
		if (key->bytes[i] < 0x20 || key->bytes[i] > 0x7e)
			return;
	key->bytes[--key->size] = 0;
}

int weft_key_read(int fd, struct weft_key *key)
{
	ssize_t n;

	explicit_bzero(key, sizeof(*key));
	do {
		n = read(fd, key->bytes + key->size, sizeof(key->bytes) - key->size);
		if (n > 0)
			key->size += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return -errno;
	strip_newline(key);
	if (key->size >= WEFT_KEY_MIN && key->size <= WEFT_KEY_MAX)
		return 0;
	explicit_bzero(key->bytes, sizeof(key->bytes));
	return -EINVAL;
}
