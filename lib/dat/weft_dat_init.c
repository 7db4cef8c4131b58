// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The provider's table, and its registration with libdat2
 *
 * libdat2 loads the library for a line of dat.conf. It calls dat_provider_init() with the IA's name
 * and the line's parameters. Opening an IA parses the parameters (weft_dat_ia.c).
 *
 * A program gets only a line with the thread safety that it requests. So two lines exist. Both name
 * the same thread-safe provider. Only the attribute differs, by which libdat2 finds the provider
 * again when an IA is closed.
 *
 * libdat2 unloads a provider with its last IA. This provider stays, with its tables. So a later use
 * of a handle still arrives here, and fails with an error.
 */
#include <stdio.h>

#include "weft_dat.h"

struct wd_named {
	DAT_PROVIDER provider;
	char name[DAT_NAME_MAX_LENGTH];
	char params[WD_PARAMS_MAX];
	DAT_BOOLEAN threads;
	bool added;			/* libdat2 knows it */
	struct wd_named *next;
};

static pthread_mutex_t named_lock = PTHREAD_MUTEX_INITIALIZER;
static struct wd_named *named;

static const DAT_PROVIDER table = {
	.ia_query_func = wd_ia_query,
	.ia_close_func = wd_ia_close,
	.set_consumer_context_func = wd_set_context,
	.get_consumer_context_func = wd_get_context,
	.get_handle_type_func = wd_get_type,
	.cno_create_func = wd_cno_create,
	.cno_query_func = wd_cno_query,
	.cno_free_func = wd_cno_free,
	.cno_wait_func = wd_cno_wait,
	.cno_modify_agent_func = wd_cno_modify_agent,
	.cno_fd_create_func = wd_cno_fd_create,
	.cno_trigger_func = wd_cno_trigger,
	.cr_query_func = wd_cr_query,
	.cr_accept_func = wd_cr_accept,
	.cr_reject_func = wd_cr_reject,
	.cr_handoff_func = wd_cr_handoff,
	.evd_create_func = wd_evd_create,
	.evd_query_func = wd_evd_query,
	.evd_modify_cno_func = wd_evd_modify_cno,
	.evd_enable_func = wd_evd_enable,
	.evd_disable_func = wd_evd_disable,
	.evd_wait_func = wd_evd_wait,
	.evd_resize_func = wd_evd_resize,
	.evd_post_se_func = wd_evd_post_se,
	.evd_dequeue_func = wd_evd_dequeue,
	.evd_free_func = wd_evd_free,
	.evd_set_unwaitable_func = wd_evd_set_unwaitable,
	.evd_clear_unwaitable_func = wd_evd_clear_unwaitable,
	.ep_create_func = wd_ep_create,
	.ep_create_with_srq_func = wd_ep_create_with_srq,
	.ep_query_func = wd_ep_query,
	.ep_modify_func = wd_ep_modify,
	.ep_connect_func = wd_ep_connect,
	.ep_dup_connect_func = wd_ep_dup_connect,
	.ep_disconnect_func = wd_ep_disconnect,
	.ep_post_send_func = wd_ep_post_send,
	.ep_post_recv_func = wd_ep_post_recv,
	.ep_post_rdma_read_func = wd_ep_post_rdma_read,
	.ep_post_rdma_write_func = wd_ep_post_rdma_write,
	.ep_get_status_func = wd_ep_get_status,
	.ep_free_func = wd_ep_free,
	.ep_reset_func = wd_ep_reset,
	.ep_recv_query_func = wd_ep_recv_query,
	.ep_set_watermark_func = wd_ep_set_watermark,
	.lmr_create_func = wd_lmr_create,
	.lmr_query_func = wd_lmr_query,
	.lmr_free_func = wd_lmr_free,
	.lmr_sync_rdma_read_func = wd_lmr_sync,
	.lmr_sync_rdma_write_func = wd_lmr_sync,
	.rmr_create_func = wd_rmr_create,
	.rmr_query_func = wd_rmr_query,
	.rmr_bind_func = wd_rmr_bind,
	.rmr_free_func = wd_rmr_free,
	.psp_create_func = wd_psp_create,
	.psp_create_any_func = wd_psp_create_any,
	.psp_query_func = wd_psp_query,
	.psp_free_func = wd_psp_free,
	.pz_create_func = wd_pz_create,
	.pz_query_func = wd_pz_query,
	.pz_free_func = wd_pz_free,
	.srq_create_func = wd_srq_create,
	.srq_free_func = wd_srq_free,
	.srq_post_recv_func = wd_srq_post_recv,
	.srq_query_func = wd_srq_query,
	.srq_resize_func = wd_srq_resize,
	.srq_set_lw_func = wd_srq_set_lw,
};

/* Find the provider of an IA's name. @added: whether libdat2 knows it. */
static struct wd_named *wd_named(const char *name, DAT_BOOLEAN threads, bool added)
{
	struct wd_named *n;

	pthread_mutex_lock(&named_lock);
	for (n = named; n; n = n->next)
		if (n->threads == threads && n->added == added && !strcmp(n->name, name))
			break;
	pthread_mutex_unlock(&named_lock);
	return n;
}

static DAT_RETURN wd_open_as(const DAT_NAME_PTR name, DAT_COUNT qlen, DAT_EVD_HANDLE *evd,
			     DAT_IA_HANDLE *ia, DAT_BOOLEAN threads)
{
	struct wd_named *n = wd_named(name, threads, true);

	if (!n)
		return WD_ERR(DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED);
	return wd_ia_open(qlen, evd, ia, &n->provider, threads, n->params);
}

static DAT_RETURN wd_open_safe(const DAT_NAME_PTR name, DAT_COUNT qlen, DAT_EVD_HANDLE *evd,
			       DAT_IA_HANDLE *ia)
{
	return wd_open_as(name, qlen, evd, ia, DAT_TRUE);
}

static DAT_RETURN wd_open_unsafe(const DAT_NAME_PTR name, DAT_COUNT qlen, DAT_EVD_HANDLE *evd,
				 DAT_IA_HANDLE *ia)
{
	return wd_open_as(name, qlen, evd, ia, DAT_FALSE);
}

static struct wd_named *wd_named_new(const struct dat_provider_info *info)
{
	struct wd_named *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->provider = table;
	wd_nosys(&n->provider);
	n->threads = info->is_thread_safe;
	n->provider.ia_open_func = n->threads ? wd_open_safe : wd_open_unsafe;
	snprintf(n->name, sizeof(n->name), "%s", info->ia_name);
	n->provider.device_name = n->name;
	pthread_mutex_lock(&named_lock);
	n->next = named;
	named = n;
	pthread_mutex_unlock(&named_lock);
	return n;
}

void dat_provider_init(const struct dat_provider_info *info, const char *params)
{
	struct wd_named *n = wd_named(info->ia_name, info->is_thread_safe, false);

	if (!n)
		n = wd_named_new(info);
	if (!n)
		return;
	if (params && strlen(params) >= sizeof(n->params)) {
		wd_say("dat.conf: the parameters of %s are too long", n->name);
		return;
	}
	snprintf(n->params, sizeof(n->params), "%s", params ? params : "");
	n->added = dat_registry_add_provider(&n->provider, info) == DAT_SUCCESS;
}

void dat_provider_fini(const struct dat_provider_info *info)
{
	struct wd_named *n = wd_named(info->ia_name, info->is_thread_safe, true);

	if (!n)
		return;
	n->added = false;
	dat_registry_remove_provider(&n->provider, info);
}
