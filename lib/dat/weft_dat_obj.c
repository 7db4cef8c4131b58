// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Objects: allocation, validation, release
 *
 * Memory of a freed object is reused for objects of the same type, and never returned to the
 * system: see weft_dat.h. So it is bounded by the maximum number of live objects.
 */
#include <stdarg.h>
#include <stdio.h>

#include "weft_dat.h"

#define WD_TYPES	16

/* ---- Errors -------------------------------------------------------------------------------- */

static bool wd_logs(void)
{
	static atomic_int on;		/* 1: no, 2: yes */
	int v = atomic_load(&on);

	if (!v) {
		const char *env = getenv("WEFT_DAT_LOG");

		v = env && *env && strcmp(env, "0") ? 2 : 1;
		atomic_store(&on, v);
	}
	return v == 2;
}

/* Log details of the error that a call returns. */
void wd_say(const char *fmt, ...)
{
	char text[160];
	va_list ap;

	if (!wd_logs())
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "libdaplweft: %s\n", text);
}

/* Return: @err as an error. @call: name of the call, for the log. A missing event is not logged. */
DAT_RETURN wd_err(DAT_UINT32 err, const char *call)
{
	DAT_RETURN ret = DAT_CLASS_ERROR | err;
	const char *major = "", *minor = "";

	if (!wd_logs() || DAT_GET_TYPE(err) == DAT_QUEUE_EMPTY ||
	    DAT_GET_TYPE(err) == DAT_TIMEOUT_EXPIRED)
		return ret;
	dat_strerror(ret, &major, &minor);
	wd_say("%s: %s %s", call, major, minor);
	return ret;
}

/* ---- Life ---------------------------------------------------------------------------------- */

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct wd_obj *pool[WD_TYPES];

static size_t wd_size(int type)
{
	switch (type) {
	case DAT_HANDLE_TYPE_IA:
		return sizeof(struct wd_ia);
	case DAT_HANDLE_TYPE_PZ:
		return sizeof(struct wd_pz);
	case DAT_HANDLE_TYPE_LMR:
		return sizeof(struct wd_lmr);
	case DAT_HANDLE_TYPE_RMR:
		return sizeof(struct wd_rmr);
	case DAT_HANDLE_TYPE_EVD:
		return sizeof(struct wd_evd);
	case DAT_HANDLE_TYPE_CNO:
		return sizeof(struct wd_cno);
	case DAT_HANDLE_TYPE_SRQ:
		return sizeof(struct wd_srq);
	case DAT_HANDLE_TYPE_EP:
		return sizeof(struct wd_ep);
	case DAT_HANDLE_TYPE_PSP:
		return sizeof(struct wd_psp);
	default:
		return sizeof(struct wd_cr);
	}
}

/*
 * Allocate a zeroed object of @type; the caller initialises and publishes it. @ia: its owner, NULL:
 * an IA. Return: the object, NULL: no memory.
 */
void *wd_new(struct wd_ia *ia, int type)
{
	size_t size = wd_size(type);
	struct wd_obj *obj;

	pthread_mutex_lock(&pool_lock);
	obj = pool[type];
	if (obj)
		pool[type] = obj->next;
	pthread_mutex_unlock(&pool_lock);
	if (!obj)
		obj = malloc(size);
	if (!obj)
		return NULL;
	memset(obj, 0, size);
	obj->type = type;
	obj->ia = ia;
	if (!ia)
		return obj;
	obj->provider = ia->obj.provider;
	pthread_mutex_lock(&ia->lock);
	obj->next = ia->objs;
	obj->link = &ia->objs;
	if (obj->next)
		obj->next->link = &obj->next;
	ia->objs = obj;
	pthread_mutex_unlock(&ia->lock);
	return obj;
}

void wd_free(void *p)
{
	struct wd_obj *obj = p;
	int type = obj->type;

	if (obj->ia) {
		pthread_mutex_lock(&obj->ia->lock);
		*obj->link = obj->next;
		if (obj->next)
			obj->next->link = obj->link;
		pthread_mutex_unlock(&obj->ia->lock);
	}
	obj->type = -1;
	obj->handle = WEFT_HANDLE_NONE;
	pthread_mutex_lock(&pool_lock);
	obj->next = pool[type];
	pool[type] = obj;
	pthread_mutex_unlock(&pool_lock);
}

struct wd_count *wd_count_new(void)
{
	struct wd_count *count = calloc(1, sizeof(*count));

	if (count)
		count->refs = 1;
	return count;
}

void wd_count_put(struct wd_count *count)
{
	if (count && atomic_fetch_sub(&count->refs, 1) == 1)
		free(count);
}

/* Increment the count if it is below @max. */
bool wd_count_take(struct wd_count *count, int max)
{
	int n = atomic_load(&count->n);

	do {
		if (n >= max)
			return false;
	} while (!atomic_compare_exchange_weak(&count->n, &n, n + 1));
	return true;
}

/* Return: any object of @type of the IA. */
struct wd_obj *wd_first(struct wd_ia *ia, int type)
{
	struct wd_obj *obj;

	pthread_mutex_lock(&ia->lock);
	for (obj = ia->objs; obj && obj->type != type; obj = obj->next)
		;
	pthread_mutex_unlock(&ia->lock);
	return obj;
}

/* Convert a negative errno of libweft to DAT. @resource: the missing resource, if any. */
DAT_RETURN wd_errno(int err, DAT_RETURN_SUBTYPE resource)
{
	switch (-err) {
	case 0:
		return DAT_SUCCESS;
	case ENOMEM:
		return WD_NOMEM;
	case EMFILE:
	case ENFILE:
	case ENOSPC:
	case EAGAIN:
		return WD_ERR(DAT_INSUFFICIENT_RESOURCES, resource);
	case ENODEV:
		return WD_ERR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
	case EACCES:
	case EKEYREJECTED:
		return WD_ERR(DAT_PRIVILEGES_VIOLATION, DAT_NO_SUBTYPE);
	case EADDRINUSE:
		return WD_ERR(DAT_CONN_QUAL_IN_USE, DAT_NO_SUBTYPE);
	case EHOSTUNREACH:
	case ENETUNREACH:
		return WD_ERR(DAT_INVALID_ADDRESS, DAT_INVALID_ADDRESS_UNREACHABLE);
	default:
		return WD_ERR(DAT_INTERNAL_ERROR, DAT_NO_SUBTYPE);
	}
}

static DAT_RETURN_SUBTYPE wd_handle_subtype(int type)
{
	switch (type) {
	case DAT_HANDLE_TYPE_PZ:
		return DAT_INVALID_HANDLE_PZ;
	case DAT_HANDLE_TYPE_LMR:
		return DAT_INVALID_HANDLE_LMR;
	case DAT_HANDLE_TYPE_RMR:
		return DAT_INVALID_HANDLE_RMR;
	case DAT_HANDLE_TYPE_CNO:
		return DAT_INVALID_HANDLE_CNO;
	case DAT_HANDLE_TYPE_SRQ:
		return DAT_INVALID_HANDLE_SRQ;
	case DAT_HANDLE_TYPE_EP:
		return DAT_INVALID_HANDLE_EP;
	case DAT_HANDLE_TYPE_PSP:
		return DAT_INVALID_HANDLE_PSP;
	case DAT_HANDLE_TYPE_CR:
		return DAT_INVALID_HANDLE_CR;
	default:
		return DAT_NO_SUBTYPE;
	}
}

/* Common checks of queries: the handle, unknown bits in the mask, the place for the answer. */
DAT_RETURN wd_query(DAT_HANDLE handle, int type, DAT_UINT64 unknown, const void *param)
{
	if (!wd_is(handle, type))
		return WD_BAD(wd_handle_subtype(type));
	if (unknown)
		return WD_ARG(2);
	return param ? DAT_SUCCESS : WD_ARG(3);
}

static struct wd_obj *wd_any(DAT_HANDLE handle)
{
	struct wd_obj *obj = handle;

	if (!obj || (uintptr_t)obj & (sizeof(void *) - 1) || obj->type < 0)
		return NULL;
	return obj;
}

DAT_RETURN wd_set_context(DAT_HANDLE handle, DAT_CONTEXT context)
{
	struct wd_obj *obj = wd_any(handle);

	if (!obj)
		return WD_BAD(DAT_NO_SUBTYPE);
	obj->context = context;
	return DAT_SUCCESS;
}

DAT_RETURN wd_get_context(DAT_HANDLE handle, DAT_CONTEXT *context)
{
	struct wd_obj *obj = wd_any(handle);

	if (!obj)
		return WD_BAD(DAT_NO_SUBTYPE);
	if (!context)
		return WD_ARG(2);
	*context = obj->context;
	return DAT_SUCCESS;
}

DAT_RETURN wd_get_type(DAT_HANDLE handle, DAT_HANDLE_TYPE *type)
{
	struct wd_obj *obj = wd_any(handle);

	if (!obj)
		return WD_BAD(DAT_NO_SUBTYPE);
	if (!type)
		return WD_ARG(2);
	*type = obj->type;
	return DAT_SUCCESS;
}
