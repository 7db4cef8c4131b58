// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Interface adapters: an open port, with its attributes
 *
 * The parameters of an adapter's line in dat.conf are words. PORT names the port; without it the
 * first port that can be opened is used. key=FILE has the key of the job for its endpoints.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/resource.h>

#include "weft_dat.h"

/* Open the named port, or (NULL) the first one that can be opened. */
static int wd_open(const char *port, struct weft_ctx **ctx)
{
	char names[64][WEFT_NAME_MAX];
	int i, n, ret = -ENODEV;

	if (port)
		return weft_open(port, ctx);
	n = weft_ports(names, 64);
	if (n > 64)
		n = 64;
	for (i = 0; i < n && ret; i++)
		ret = weft_open(names[i], ctx);
	return ret;
}

/* Return: 0, -errno: reason logged */
static int wd_key_read(const char *name, struct weft_key *key)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC), ret;

	ret = fd < 0 ? -errno : weft_key_read(fd, key);
	if (fd >= 0)
		close(fd);
	if (ret == -EINVAL)
		wd_say("dat_ia_open: key %s: keys have %d to %d bytes", name, WEFT_KEY_MIN,
		       WEFT_KEY_MAX);
	else if (ret)
		wd_say("dat_ia_open: key %s: %s", name, strerror(-ret));
	return ret;
}

/* Open the port that the parameters name. @key: of size 0. Return: 0, -errno: reason logged */
static int wd_open_as_said(const char *params, struct weft_ctx **ctx, struct weft_key *key)
{
	char words[WD_PARAMS_MAX], *word, *at, *port = NULL, *file = NULL;
	int ret;

	snprintf(words, sizeof(words), "%s", params);
	for (word = strtok_r(words, " \t", &at); word; word = strtok_r(NULL, " \t", &at)) {
		if (!strncmp(word, "key=", 4)) {
			file = word + 4;
			continue;
		}
		if (port || strchr(word, '=')) {
			wd_say("dat.conf: \"%s\" in \"%s\" is neither a port nor key=FILE", word,
			       params);
			return -EINVAL;
		}
		port = word;
	}
	ret = file ? wd_key_read(file, key) : 0;
	if (ret)
		return ret;
	ret = wd_open(port, ctx);
	if (ret)
		wd_say("dat_ia_open: port %s: %s", port ? port : "(any)", strerror(-ret));
	return ret;
}

/* Create an endpoint in the IA's job. Return: 0, -errno */
int wd_ia_endpoint(struct wd_ia *ia, struct weft_ep_attr *attr, struct weft_ep **ep)
{
	int ret;

	attr->key = ia->key.bytes;
	attr->key_size = ia->key.size;
	ret = weft_ep_create(ia->ctx, attr, ep);
	if (ret == -EKEYREJECTED)
		wd_say("no job of port %s has this key: an administrator makes one with \"weftctl job add\"",
		       ia->q.name);
	else if (ret == -EACCES)
		wd_say("the job of this key is not for your user: an administrator lets you in with \"weftctl job set\"");
	return ret;
}

/* Free all objects of the IA, users first. */
static void wd_ia_empty(struct wd_ia *ia)
{
	struct wd_obj *obj;

	while ((obj = wd_first(ia, DAT_HANDLE_TYPE_CR)))
		wd_cr_reject(obj, 0, NULL);
	while ((obj = wd_first(ia, DAT_HANDLE_TYPE_EP)))
		wd_ep_free(obj);
	while ((obj = wd_first(ia, DAT_HANDLE_TYPE_PSP)))
		wd_psp_free(obj);
	while ((obj = wd_first(ia, DAT_HANDLE_TYPE_SRQ)))
		wd_srq_free(obj);
	while ((obj = wd_first(ia, DAT_HANDLE_TYPE_RMR)))
		wd_rmr_free(obj);
	while ((obj = wd_first(ia, DAT_HANDLE_TYPE_LMR)))
		wd_lmr_free(obj);
	while ((obj = wd_first(ia, DAT_HANDLE_TYPE_EVD)))
		wd_evd_destroy((struct wd_evd *)obj);
	while ((obj = wd_first(ia, DAT_HANDLE_TYPE_CNO)))
		wd_cno_destroy((struct wd_cno *)obj);
	while ((obj = wd_first(ia, DAT_HANDLE_TYPE_PZ)))
		wd_pz_free(obj);
}

static void wd_ia_end(struct wd_ia *ia)
{
	wd_ia_empty(ia);
	weft_close(ia->ctx);
	explicit_bzero(&ia->key, sizeof(ia->key));
	pthread_mutex_destroy(&ia->cno_lock);
	pthread_mutex_destroy(&ia->lock);
	wd_free(ia);
}

/* @threads: value of the provider's attribute; @params: see above. */
DAT_RETURN wd_ia_open(DAT_COUNT qlen, DAT_EVD_HANDLE *evd, DAT_IA_HANDLE *out,
		      const struct dat_provider *provider, DAT_BOOLEAN threads, const char *params)
{
	struct weft_key key = { 0 };
	DAT_EVD_HANDLE async;
	struct weft_ctx *ctx;
	struct wd_ia *ia;
	DAT_RETURN dat;

	if (qlen < 0)
		return WD_ARG(2);
	if (!evd)
		return WD_ARG(3);
	if (!out)
		return WD_ARG(4);
	if (wd_open_as_said(params, &ctx, &key)) {
		explicit_bzero(&key, sizeof(key));
		return WD_ERR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
	}
	ia = wd_new(NULL, DAT_HANDLE_TYPE_IA);
	if (ia)
		ia->key = key;
	explicit_bzero(&key, sizeof(key));
	if (!ia) {
		weft_close(ctx);
		return WD_NOMEM;
	}
	ia->obj.provider = provider;
	ia->threads = threads;
	ia->ctx = ctx;
	pthread_mutex_init(&ia->cno_lock, NULL);
	pthread_mutex_init(&ia->lock, NULL);
	if (weft_query(ctx, &ia->q) || weft_addr_to_sockaddr(&ia->q.addr[0], &ia->addr) < 0) {
		wd_ia_end(ia);
		return WD_ERR(DAT_INTERNAL_ERROR, DAT_NO_SUBTYPE);
	}
	if (*evd == DAT_HANDLE_NULL) {
		dat = wd_evd_create(ia, qlen ? qlen : 8, DAT_HANDLE_NULL, DAT_EVD_ASYNC_FLAG,
				    &async);
		if (dat != DAT_SUCCESS) {
			wd_ia_end(ia);
			return dat;
		}
		ia->async = async;
		*evd = async;
	} else if (*evd != DAT_EVD_ASYNC_EXISTS) {
		if (!wd_is(*evd, DAT_HANDLE_TYPE_EVD)) {
			wd_ia_end(ia);
			return WD_BAD(DAT_INVALID_HANDLE_EVD_ASYNC);
		}
		/* only its own adapter delivers events to it */
		wd_ia_end(ia);
		return WD_NOT_SUPPORTED;
	}
	*out = ia;
	return DAT_SUCCESS;
}

DAT_RETURN wd_ia_close(DAT_IA_HANDLE handle, DAT_CLOSE_FLAGS flags)
{
	struct wd_ia *ia = handle;
	struct wd_obj *obj;
	bool used = false;

	if (!wd_is(handle, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (flags != DAT_CLOSE_ABRUPT_FLAG && flags != DAT_CLOSE_GRACEFUL_FLAG)
		return WD_ARG(2);
	pthread_mutex_lock(&ia->lock);
	for (obj = ia->objs; obj; obj = obj->next)
		if (obj != &ia->async->obj)
			used = true;
	pthread_mutex_unlock(&ia->lock);
	if (flags == DAT_CLOSE_GRACEFUL_FLAG && used)
		return WD_STATE(DAT_INVALID_STATE_IA_IN_USE);
	wd_ia_end(ia);
	return DAT_SUCCESS;
}

/*
 * Maximum number of EVDs: each has two kernel objects and three files, in a process with some other
 * files.
 */
static DAT_COUNT wd_max_evds(void)
{
	DAT_COUNT objs = (WD_OBJS - 64) / 2;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur / 3 > (rlim_t)objs + 32)
		return objs;
	return files.rlim_cur < 128 ? 16 : (files.rlim_cur - 64) / 3;
}

/* Attributes of RDMA. Reads are bounded by the requests of their EP only. */
static void wd_ia_rdma_attr(DAT_IA_ATTR *a)
{
	a->max_rdma_read_per_ep_in = WD_DTO_MAX;
	a->max_rdma_read_per_ep_out = WD_DTO_MAX;
	a->max_rdma_read_per_ep_in_guaranteed = DAT_TRUE;
	a->max_rdma_read_per_ep_out_guaranteed = DAT_TRUE;
	a->max_rdma_read_in = (WD_OBJS - 64) * WD_DTO_MAX;
	a->max_rdma_read_out = (WD_OBJS - 64) * WD_DTO_MAX;
	a->max_iov_segments_per_rdma_read = WD_IOV_MAX;
	a->max_iov_segments_per_rdma_write = WD_IOV_MAX;
	a->max_rmrs = WD_RMRS_MAX;
	a->max_rmr_target_address = UINT64_MAX;
}

static void wd_ia_attr(struct wd_ia *ia, DAT_IA_ATTR *a)
{
	memset(a, 0, sizeof(*a));
	snprintf(a->adapter_name, sizeof(a->adapter_name), "%s", ia->obj.provider->device_name);
	snprintf(a->vendor_name, sizeof(a->vendor_name), "weft");
	a->ia_address_ptr = wd_sockaddr(&ia->addr);
	a->max_eps = WD_OBJS - 64;
	a->max_dto_per_ep = WD_DTO_MAX;
	a->max_evds = wd_max_evds();
	a->max_evd_qlen = WD_QLEN_MAX;
	a->max_iov_segments_per_dto = WD_IOV_MAX;
	a->max_lmrs = WD_OBJS - 64;
	a->max_lmr_block_size = UINT32_MAX;
	a->max_lmr_virtual_address = UINT64_MAX;
	a->max_pzs = INT32_MAX;
	a->max_message_size = wd_max_size(ia);
	a->max_rdma_size = wd_max_size(ia);
	wd_ia_rdma_attr(a);
	a->max_srqs = WD_OBJS - 64;
	a->max_ep_per_srq = WD_OBJS - 64;
	a->max_recv_per_srq = WD_DTO_MAX;
}

static void wd_provider_attr(struct wd_ia *ia, DAT_PROVIDER_ATTR *a)
{
	DAT_BOOLEAN *merge;
	int i;

	memset(a, 0, sizeof(*a));
	snprintf(a->provider_name, sizeof(a->provider_name), "%s", ia->obj.provider->device_name);
	a->provider_version_major = 2;
	a->dapl_version_major = 2;
	a->lmr_mem_types_supported = DAT_MEM_TYPE_VIRTUAL | DAT_MEM_TYPE_LMR |
				     DAT_MEM_TYPE_SHARED_VIRTUAL;
	a->iov_ownership_on_return = DAT_IOV_CONSUMER;
	a->dat_qos_supported = DAT_QOS_BEST_EFFORT;
	a->completion_flags_supported = DAT_COMPLETION_SUPPRESS_FLAG |
		DAT_COMPLETION_SOLICITED_WAIT_FLAG | DAT_COMPLETION_UNSIGNALLED_FLAG |
		DAT_COMPLETION_BARRIER_FENCE_FLAG | DAT_COMPLETION_EVD_THRESHOLD_FLAG;
	a->is_thread_safe = ia->threads;
	a->max_private_data_size = WEFT_CM_DATA_MAX;
	a->ep_creator = DAT_PSP_CREATES_EP_NEVER;
	a->pz_support = DAT_PZ_UNIQUE;
	a->optimal_buffer_alignment = 64;
	merge = (DAT_BOOLEAN *)a->evd_stream_merging_supported;
	for (i = 0; i < 36; i++)
		merge[i] = DAT_TRUE;
	a->srq_supported = DAT_TRUE;
	/* low, soft high, hard high */
	a->srq_watermarks_supported = 7;
	a->srq_ep_pz_difference_supported = DAT_TRUE;
	/* available and outstanding; number and span */
	a->srq_info_supported = 3;
	a->ep_recv_info_supported = 3;
	a->dto_async_return_guaranteed = DAT_FALSE;
	a->rmr_scope_supported = DAT_RMR_SCOPE_PZ;
	snprintf(ia->mtu, sizeof(ia->mtu), "%u", ia->q.mtu);
	ia->attr[0] = (DAT_NAMED_ATTR) { "DAT_IB_TRANSPORT_MTU", ia->mtu };
	ia->attr[1] = (DAT_NAMED_ATTR) { "weft_port", ia->q.name };
	ia->attr[2] = (DAT_NAMED_ATTR) { "DAT_IB_RDMA_READ", "TRUE" };
	a->num_provider_specific_attr = 3;
	a->provider_specific_attr = ia->attr;
}

DAT_RETURN wd_ia_query(DAT_IA_HANDLE handle, DAT_EVD_HANDLE *evd, DAT_IA_ATTR_MASK mask,
		       DAT_IA_ATTR *attr, DAT_PROVIDER_ATTR_MASK pmask, DAT_PROVIDER_ATTR *pattr)
{
	struct wd_ia *ia = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (mask & ~(DAT_IA_FIELD_ALL))
		return WD_ARG(3);
	if (mask && !attr)
		return WD_ARG(4);
	if (pmask & ~DAT_PROVIDER_FIELD_ALL)
		return WD_ARG(5);
	if (pmask && !pattr)
		return WD_ARG(6);
	if (evd)
		*evd = ia->async ? ia->async : DAT_EVD_OUT_OF_SCOPE;
	if (mask)
		wd_ia_attr(ia, attr);
	if (pmask)
		wd_provider_attr(ia, pattr);
	return DAT_SUCCESS;
}
