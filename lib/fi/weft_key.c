// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_key.c - authorization keys: the job of an endpoint
 *
 * An endpoint has the key of its ep_attr, or else its domain's. Else it has that of the file in the
 * environment's FI_WEFT_KEY_FILE, which a launcher sets. Without a key it is in the default job.
 * The kernel checks keys when endpoints are created. Programs of an API before 1.5 have no keys of
 * their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <weft/key.h>

#include "weft_fi.h"

static bool weft_fi_key_unknown(uint32_t version)
{
	return FI_VERSION_LT(version, FI_VERSION(1, 5));
}

static bool weft_fi_key_good(const uint8_t *key, size_t size)
{
	return !size || (key && size >= WEFT_KEY_MIN && size <= WEFT_KEY_MAX);
}

static int weft_fi_key_suits(const struct fi_info *info, const char *hint, const uint8_t *key,
			     size_t size)
{
	if (weft_fi_key_good(key, size))
		return 0;
	weft_fi_reason("%s: hints->%s has %zu bytes%s, keys of weft have %d to %d",
		       info->domain_attr->name, hint, size, key ? "" : " that are not there",
		       WEFT_KEY_MIN, WEFT_KEY_MAX);
	return -FI_ENODATA;
}

/**
 * weft_fi_key_check() - validate the keys of a program's hints
 * @info: the offer
 * @hints: hints of the program
 * @version: version of its API
 *
 * Return: 0, -FI_ENODATA: invalid, and the reason is in the log.
 */
int weft_fi_key_check(const struct fi_info *info, const struct fi_info *hints, uint32_t version)
{
	const struct fi_domain_attr *dom = hints->domain_attr;
	const struct fi_ep_attr *ep = hints->ep_attr;
	int ret = 0;

	if (weft_fi_key_unknown(version))
		return 0;
	if (dom)
		ret = weft_fi_key_suits(info, "domain_attr->auth_key", dom->auth_key,
					dom->auth_key_size);
	if (!ret && ep)
		ret = weft_fi_key_suits(info, "ep_attr->auth_key", ep->auth_key,
					ep->auth_key_size);
	return ret;
}

static int weft_fi_key_copy(const uint8_t *key, size_t size, uint8_t **copy, size_t *copied)
{
	if (!size)
		return 0;
	*copy = malloc(size);
	if (!*copy)
		return -FI_ENOMEM;
	memcpy(*copy, key, size);
	*copied = size;
	return 0;
}

/**
 * weft_fi_key_hand() - copy a program's keys into an offer
 * @info: the offer; its keys are freed with it
 * @hints: hints of the program, or NULL; weft_fi_key_check() has validated them
 * @version: version of its API
 *
 * Return: 0, -FI_ENOMEM.
 */
int weft_fi_key_hand(struct fi_info *info, const struct fi_info *hints, uint32_t version)
{
	const struct fi_domain_attr *dom = hints ? hints->domain_attr : NULL;
	const struct fi_ep_attr *ep = hints ? hints->ep_attr : NULL;
	int ret = 0;

	if (weft_fi_key_unknown(version))
		return 0;
	if (dom)
		ret = weft_fi_key_copy(dom->auth_key, dom->auth_key_size,
				       &info->domain_attr->auth_key,
				       &info->domain_attr->auth_key_size);
	if (!ret && ep)
		ret = weft_fi_key_copy(ep->auth_key, ep->auth_key_size, &info->ep_attr->auth_key,
				       &info->ep_attr->auth_key_size);
	return ret;
}

/**
 * weft_fi_key_keep() - copy the key of a domain
 * @attr: of the domain
 * @version: version of the program's API
 * @key: out: the key, or unchanged; to be freed by weft_fi_key_free()
 * @size: out: bytes of it, or unchanged
 *
 * Return: 0, -FI_EINVAL: not a valid key, -FI_ENOMEM.
 */
int weft_fi_key_keep(const struct fi_domain_attr *attr, uint32_t version, uint8_t **key,
		     size_t *size)
{
	if (weft_fi_key_unknown(version))
		return 0;
	if (!weft_fi_key_good(attr->auth_key, attr->auth_key_size))
		return weft_fi_fail(FI_LOG_DOMAIN, -FI_EINVAL,
				    "domain_attr->auth_key: keys have %d to %d bytes",
				    WEFT_KEY_MIN, WEFT_KEY_MAX);
	return weft_fi_key_copy(attr->auth_key, attr->auth_key_size, key, size);
}

/**
 * weft_fi_key_free() - wipe and free a key
 * @key: the key, or NULL
 * @size: bytes of it
 */
void weft_fi_key_free(uint8_t *key, size_t size)
{
	if (key)
		explicit_bzero(key, size);
	free(key);
}

/* FI_WEFT_KEY_FILE, or NULL */
char *weft_fi_key_file;

/* Its key, which is read once, and an error of that */
static pthread_once_t weft_fi_key_once = PTHREAD_ONCE_INIT;
static struct weft_key weft_fi_key_launched;
static int weft_fi_key_error;

static void weft_fi_key_launch(void)
{
	int fd = open(weft_fi_key_file, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		weft_fi_key_error = -errno;
		return;
	}
	weft_fi_key_error = weft_key_read(fd, &weft_fi_key_launched);
	close(fd);
}

/**
 * weft_fi_key_attr() - set the key of a new endpoint
 * @attr: out: the key, which still belongs to its owner
 * @fabric: the endpoint's
 * @ep: its own attributes
 * @key: key of its domain, or NULL
 * @size: bytes of @key
 *
 * The kernel refuses a key that is too short or too long.
 *
 * Return: 0, -errno: the program has no key, and the file of the environment gives none.
 */
int weft_fi_key_attr(struct weft_ep_attr *attr, const struct weft_fi_fabric *fabric,
		     const struct fi_ep_attr *ep, const uint8_t *key, size_t size)
{
	if (weft_fi_key_unknown(fabric->fid.api_version)) {
		size = 0;
	} else if (ep->auth_key_size) {
		key = ep->auth_key;
		size = ep->auth_key_size;
	}
	if (!size && weft_fi_key_file) {
		pthread_once(&weft_fi_key_once, weft_fi_key_launch);
		if (weft_fi_key_error)
			return weft_fi_fail(FI_LOG_EP_CTRL, weft_fi_key_error,
					    "FI_WEFT_KEY_FILE=%s gives no key: %s%s",
					    weft_fi_key_file, fi_strerror(-weft_fi_key_error),
					    weft_fi_key_launched.size ?
					    "; keys have 16 to 256 bytes" : "");
		key = weft_fi_key_launched.bytes;
		size = weft_fi_key_launched.size;
	}
	attr->key = size ? key : NULL;
	attr->key_size = size > UINT32_MAX ? UINT32_MAX : size;
	return 0;
}

/**
 * weft_fi_key_advice() - advice after a failure to create an endpoint: its key, or a limit
 * @ret: errno of the kernel
 *
 * Return: text to append to the message for @ret, may be empty.
 */
const char *weft_fi_key_advice(int ret)
{
	switch (ret) {
	case -FI_EKEYREJECTED:
		return "; no job of the port has this auth_key: an administrator makes one with "
		       "\"weftctl job add\"";
	case -FI_EACCES:
		return "; the job of this auth_key is not for your user: an administrator lets "
		       "you in with \"weftctl job set\"";
	default:
		return weft_fi_limit_advice(ret);
	}
}
