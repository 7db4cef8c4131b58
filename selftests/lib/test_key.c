// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keys of jobs in files, as libweft, the DAT provider and weftctl read them. TAP on stdout. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <weft/key.h>

#include "tap.h"

static struct weft_key key;

/* Return: the result of weft_key_read() for a file of these bytes. */
static int reads(const void *bytes, size_t len)
{
	FILE *f = tmpfile();
	int ret;

	if (!f || fwrite(bytes, 1, len, f) != len || fflush(f) || fseek(f, 0, SEEK_SET))
		abort();
	memset(&key, 0xee, sizeof(key));
	ret = weft_key_read(fileno(f), &key);
	fclose(f);
	return ret;
}

static void test_text(void)
{
	CHECK(!reads("0123456789abcdef\n", 17));
	CHECK(key.size == 16 && !memcmp(key.bytes, "0123456789abcdef", 16));
	CHECK(!reads("0123456789abcdef", 16) && key.size == 16);
	/*
	 * an empty line behind the key is not part of the line's end, and other bytes are no text
	 */
	CHECK(!reads("0123456789abcdef\n\n", 18) && key.size == 18);
	CHECK(!reads("0123456789abcde\t\n", 17) && key.size == 17);
	CHECK(!reads("0123456789abcde\0\n", 17) && key.size == 17);
}

static void test_length(void)
{
	char most[WEFT_KEY_MAX + 100];

	memset(most, 'k', sizeof(most));
	CHECK(reads(most, WEFT_KEY_MIN - 1) == -EINVAL && key.size == WEFT_KEY_MIN - 1);
	CHECK(!reads(most, WEFT_KEY_MIN) && key.size == WEFT_KEY_MIN);
	CHECK(reads("0123456789abcde\n", 16) == -EINVAL && key.size == 15);
	CHECK(reads("", 0) == -EINVAL && !key.size);
	CHECK(!reads(most, WEFT_KEY_MAX) && key.size == WEFT_KEY_MAX);
	CHECK(reads(most, WEFT_KEY_MAX + 1) == -EINVAL && key.size == WEFT_KEY_MAX + 1);
	CHECK(reads(most, sizeof(most)) == -EINVAL && key.size > WEFT_KEY_MAX);
	most[WEFT_KEY_MAX] = '\n';
	CHECK(!reads(most, WEFT_KEY_MAX + 1) && key.size == WEFT_KEY_MAX);
	CHECK(!memcmp(key.bytes, most, WEFT_KEY_MAX));
}

/* A refused key leaves no bytes in memory. */
static void test_refused(void)
{
	static const uint8_t none[sizeof(key.bytes)];

	CHECK(reads("a short secret", 14) == -EINVAL);
	CHECK(!memcmp(key.bytes, none, sizeof(none)));
}

/* From a pipe, in pieces. */
static void test_pipe(void)
{
	int fd[2];

	CHECK(!pipe(fd));
	CHECK(write(fd[1], "01234567", 8) == 8 && write(fd[1], "89abcdef", 8) == 8);
	close(fd[1]);
	CHECK(!weft_key_read(fd[0], &key) && key.size == 16);
	close(fd[0]);
	CHECK(weft_key_read(fd[0], &key) == -EBADF);
}

static const struct test tests[] = {
	{ "a line of text without its end, other keys whole", test_text },
	{ "keys that are too short or too long", test_length },
	{ "a key that is refused is wiped out", test_refused },
	{ "a key in pieces", test_pipe },
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]), NULL, NULL);
}
