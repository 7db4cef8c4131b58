/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The DAT 2.0 provider on libweft: objects and common declarations
 *
 * A handle is the address of an object. Its first word is the provider's table, as required by
 * libdat2. Objects are never returned to the system. So the use of a freed handle is detected.
 * wd_ia.by_handle maps the low 16 bits of a kernel object's handle to its object.
 *
 * Locks nest in this order: wd_ia.cno_lock -> wd_cno.lock -> wd_evd.lock -> wd_ep.lock, wd_srq.lock
 * -> wd_rmr.lock -> wd_ia.lock. An EVD's lock protects its queues of libweft, the events that were
 * read from them, and its list of ripe EPs. An EP's lock protects its rings and operations. An
 * SRQ's lock protects its ring, an RMR's its window.
 *
 * WEFT_DAT_LOG=1 in the environment logs failed calls and their errors to standard error.
 */
#ifndef WEFT_DAT_H
#define WEFT_DAT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <dat2/udat.h>
#include <dat2/dat_registry.h>
#include <weft/key.h>
#include <weft/weft.h>

#define WD_OBJS		8192		/* kernel objects of a context */
#define WD_IOV_MAX	WEFT_IOV_MAX	/* maximum segments of a send or receive */
#define WD_SRQ_IOV_MAX	WEFT_KEYS_MAX	/* maximum segments of a shared receive */
#define WD_DTO_MAX	8192		/* maximum operations of an EP or SRQ */
#define WD_QLEN_MAX	65536
#define WD_BACKLOG	4096
#define WD_PARAMS_MAX	512		/* bytes of the parameters of a line in dat.conf */
#define WD_RMRS_MAX	32768		/* RMRs of an IA, of the regions that a user may have */

#define WD_ERR(type, sub)	wd_err((type) | (sub), __func__)
#define WD_BAD(sub)		WD_ERR(DAT_INVALID_HANDLE, sub)
#define WD_ARG(n)		WD_ERR(DAT_INVALID_PARAMETER, DAT_INVALID_ARG##n)
#define WD_STATE(sub)		WD_ERR(DAT_INVALID_STATE, sub)
#define WD_NOMEM		WD_ERR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY)
#define WD_NOT_SUPPORTED	WD_ERR(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE)
#define WD_NOT_IMPLEMENTED	WD_ERR(DAT_NOT_IMPLEMENTED, DAT_NO_SUBTYPE)

/* Privileges of peers */
#define WD_REMOTE	(DAT_MEM_PRIV_REMOTE_READ_FLAG | DAT_MEM_PRIV_REMOTE_WRITE_FLAG)

/* The header's masks for a CNO overlap: use their union. */
#define WD_CNO_FIELDS	(DAT_CNO_FIELD_PROXY | DAT_CNO_FIELD_ALL)

struct wd_ia;

/*
 * First member of every object. @type is -1 in a free object. @refs: number of objects that use it.
 * @handle: the kernel's handle, if any.
 */
struct wd_obj {
	const DAT_PROVIDER *provider;
	int type;
	struct wd_ia *ia;
	DAT_CONTEXT context;
	atomic_uint refs;
	uint32_t handle;
	struct wd_obj *next;		/* in the list of the IA, or of free objects */
	struct wd_obj **link;
};

struct wd_evd;

struct wd_ia {
	struct wd_obj obj;
	struct weft_ctx *ctx;
	struct weft_ioc_query q;
	DAT_BOOLEAN threads;
	struct wd_evd *async;
	pthread_mutex_t cno_lock;	/* protects the relation of EVDs to CNOs */
	pthread_mutex_t lock;		/* protects objects, next_zone */
	struct wd_obj *objs;
	uint32_t next_zone;
	struct sockaddr_storage addr;
	char mtu[16];
	DAT_NAMED_ATTR attr[3];
	struct weft_key key;		/* key of its endpoints' job; size 0: none */
	struct wd_obj *_Atomic by_handle[WD_OBJS];
};

struct wd_pz {
	struct wd_obj obj;
	uint32_t zone;
};

struct wd_lmr {
	struct wd_obj obj;
	struct wd_pz *pz;
	uint64_t addr;
	uint64_t len;
	DAT_MEM_PRIV_FLAGS priv;
	DAT_MEM_TYPE type;
	uint32_t key;			/* its LMR context */
	DAT_RMR_CONTEXT context;	/* for peers, 0: they have no access */
};

/* A window into an LMR. @iov, @priv and @context are 0 while it is not bound. */
struct wd_rmr {
	struct wd_obj obj;
	struct wd_pz *pz;
	pthread_mutex_t lock;		/* protects the fields below */
	struct wd_lmr *lmr;		/* NULL: not bound */
	DAT_LMR_TRIPLET iov;
	DAT_MEM_PRIV_FLAGS priv;
	DAT_RMR_CONTEXT context;
};

struct wd_cno {
	struct wd_obj obj;
	pthread_mutex_t lock;		/* protects the fields below */
	pthread_cond_t idle;		/* a waiter has left */
	struct wd_evd *evds;
	int epfd;			/* readable: efd, or a queue of an EVD */
	int efd;			/* readable: an event not from the kernel has occurred */
	bool is_fd;			/* the program uses epfd */
	bool dead;			/* its IA is being closed */
	uint32_t waiters;		/* threads in dat_cno_wait() */
	uint32_t agents;		/* threads that wait for an agent */
	uint32_t emptied;		/* how often the last EVD was freed */
	uint32_t leaving;		/* threads that have not noticed that yet */
	uint32_t stopping;		/* calls that wait for agents to end */
	uint32_t agent_since;		/* value of emptied when the agent was set */
	DAT_OS_WAIT_PROXY_AGENT agent;
};

/*
 * Number of operations of an EP's queue or an SRQ that were posted and not reaped. An operation is
 * reaped when its event is dequeued. Events keep the counter after the object's end.
 */
struct wd_count {
	atomic_int n;
	atomic_uint refs;
};

/* An event that was read from the kernel. @reap: decremented when it is dequeued. */
struct wd_event {
	DAT_EVENT ev;
	struct wd_count *reap;
	bool notify;
};

struct wd_evd {
	struct wd_obj obj;
	DAT_EVD_FLAGS flags;
	DAT_COUNT qlen;
	struct weft_cq *cq;
	struct weft_eq *eq;
	pthread_mutex_t lock;
	pthread_cond_t idle;		/* the waiter has left */
	struct wd_event *ring;
	uint32_t room;			/* entries of the ring: qlen, or more to lose no event */
	uint32_t head, count;
	uint32_t news;			/* events that wake a waiter, not yet dequeued */
	bool enabled, waitable;
	bool gone;			/* the port has gone: the queues bring no more events */
	bool dead;			/* its IA is being closed */
	int waiters;
	int efd;			/* readable: an event not from the kernel has occurred */
	atomic_uint solicited, unsignalled, threshold;	/* streams configured so */
	struct wd_cno *cno;		/* cno_lock, lock */
	struct wd_evd *cno_next;	/* cno->lock */
	bool polled;			/* cno->lock: its queues trigger the CNO */
	struct wd_ep *ripe;		/* EPs whose oldest request has ended */
	struct wd_ep *ripe_last;	/* the last of them, if any */
};

struct wd_srq {
	struct wd_obj obj;
	struct wd_pz *pz;
	struct weft_srq *srq;
	pthread_mutex_t lock;
	DAT_COUNT max_recv, max_iov;
	struct wd_count *count;
};

#define WD_NO_OP	UINT32_MAX

/*
 * An operation in progress. @next: the free one behind it, or the request posted after it. @round:
 * of a read, see weft_dat_request.c. @done: a request that has ended with @status and @len.
 */
struct wd_op {
	DAT_DTO_COOKIE cookie;
	DAT_COMPLETION_FLAGS flags;
	DAT_DTOS kind;
	uint32_t next;
	uint32_t round;
	DAT_DTO_COMPLETION_STATUS status;
	DAT_SEG_LENGTH len;
	bool done;
	struct wd_rmr *rmr;		/* of a bind */
};

struct wd_ep {
	struct wd_obj obj;
	struct wd_pz *pz;
	struct wd_evd *recv, *request, *connect;
	struct wd_srq *srq;
	DAT_EP_ATTR attr;
	pthread_mutex_t lock;		/* protects the fields below and the rings */
	DAT_EP_STATE state;
	struct weft_ep *ep;
	bool enabled;
	struct wd_op *ops;
	uint32_t free_op;
	uint32_t nsend, nrecv;		/* operations in progress */
	uint32_t first, last;		/* requests in posting order, WD_NO_OP: none */
	uint32_t round;			/* number of fences so far */
	int reads;			/* RDMA reads since the last fence that may be under way */
	bool broken;			/* a failed RDMA request has broken the connection */
	bool failed;			/* an event reports the end: later ones are flushed */
	bool ripe;			/* on request->ripe; its lock protects both fields */
	struct wd_ep *ripe_next;
	struct wd_count *sends, *recvs;
	struct sockaddr_storage local, remote;
	DAT_CONN_QUAL remote_qual;
	int soft, hard;
	uint32_t data_len;
	uint8_t data[WEFT_CM_DATA_MAX];
};

struct wd_psp {
	struct wd_obj obj;
	struct weft_ep *ep;
	struct wd_evd *evd;
	DAT_CONN_QUAL qual;
};

struct wd_cr {
	struct wd_obj obj;
	uint32_t psp;			/* its handle: the PSP may be freed first */
	uint64_t conn;
	struct sockaddr_storage remote;
	uint16_t port;
	uint32_t data_len;
	uint8_t data[WEFT_CM_DATA_MAX];
};

/* ---- weft_dat_obj.c ---------------------------------------------------------------------- */

DAT_RETURN wd_err(DAT_UINT32 err, const char *call);
void wd_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void *wd_new(struct wd_ia *ia, int type);
void wd_free(void *obj);
struct wd_count *wd_count_new(void);
void wd_count_put(struct wd_count *count);
bool wd_count_take(struct wd_count *count, int max);
struct wd_obj *wd_first(struct wd_ia *ia, int type);
DAT_RETURN wd_errno(int err, DAT_RETURN_SUBTYPE resource);
DAT_RETURN wd_query(DAT_HANDLE handle, int type, DAT_UINT64 unknown, const void *param);
DAT_RETURN wd_set_context(DAT_HANDLE handle, DAT_CONTEXT context);
DAT_RETURN wd_get_context(DAT_HANDLE handle, DAT_CONTEXT *context);
DAT_RETURN wd_get_type(DAT_HANDLE handle, DAT_HANDLE_TYPE *type);

/* Return: true if the handle is that of an object of @type. */
static inline bool wd_is(DAT_HANDLE handle, int type)
{
	return handle && !((uintptr_t)handle & (sizeof(void *) - 1)) &&
	       ((struct wd_obj *)handle)->type == type;
}

/* Return: true if the handle is that of an object of @type of the IA. */
static inline bool wd_is_of(DAT_HANDLE handle, int type, const void *ia)
{
	return wd_is(handle, type) && ((struct wd_obj *)handle)->ia == ia;
}

/* Convert an address for programs. */
static inline DAT_IA_ADDRESS_PTR wd_sockaddr(struct sockaddr_storage *ss)
{
	return (struct sockaddr *)ss;
}

/* Register the kernel's handle of @obj: events with this handle find it. */
static inline void wd_index(struct wd_ia *ia, uint32_t handle, struct wd_obj *obj)
{
	obj->handle = handle;
	atomic_store(&ia->by_handle[handle & (WD_OBJS - 1)], obj);
}

static inline void wd_unindex(struct wd_obj *obj)
{
	atomic_store(&obj->ia->by_handle[obj->handle & (WD_OBJS - 1)], NULL);
	obj->handle = WEFT_HANDLE_NONE;
}

/* Completions have only these bits of an EP's handle. All are read before the EP is freed. */
static inline void *wd_find_low(struct wd_ia *ia, uint16_t low, int type)
{
	struct wd_obj *obj = atomic_load(&ia->by_handle[low & (WD_OBJS - 1)]);

	return obj && obj->type == type ? obj : NULL;
}

static inline void *wd_find(struct wd_ia *ia, uint32_t handle, int type)
{
	struct wd_obj *obj = wd_find_low(ia, handle, type);

	return obj && obj->handle == handle ? obj : NULL;
}

static inline bool wd_is_rdma(DAT_DTOS kind)
{
	return kind == DAT_DTO_RDMA_READ || kind == DAT_DTO_RDMA_WRITE;
}

/* Return: bytes of the longest message and RDMA request. */
static inline DAT_SEG_LENGTH wd_max_size(const struct wd_ia *ia)
{
	return ia->q.max_msg < UINT32_MAX ? ia->q.max_msg : UINT32_MAX;
}

/* Return: key of the region with an RMR context. */
static inline uint64_t wd_region_key(DAT_RMR_CONTEXT context)
{
	return 0x6461740000000000ull | context;
}

/* Return: bytes of all segments; each has at most UINT32_MAX. */
static inline uint64_t wd_bytes(const struct iovec *vec, DAT_COUNT n)
{
	uint64_t sum = 0;

	while (n-- > 0)
		sum += vec[n].iov_len;
	return sum;
}

/* Return: true if the LMR has all these bytes. */
static inline bool wd_lmr_covers(const struct wd_lmr *lmr, uint64_t at, uint64_t len)
{
	return at >= lmr->addr && len <= lmr->len && at - lmr->addr <= lmr->len - len;
}

/* Return: true if the connection has ended. Its event may still be unread. */
static inline bool wd_ep_shut(const struct wd_ep *ep)
{
	return ep->state == DAT_EP_STATE_DISCONNECTED || weft_ep_flags(ep->ep) & WEFT_ST_SHUT;
}

static inline void wd_use(void *obj)
{
	if (obj)
		atomic_fetch_add(&((struct wd_obj *)obj)->refs, 1);
}

static inline void wd_unuse(void *obj)
{
	if (obj)
		atomic_fetch_sub(&((struct wd_obj *)obj)->refs, 1);
}

/* ---- a file for each class --------------------------------------------------------------- */

struct dat_provider;
DAT_RETURN wd_ia_open(DAT_COUNT qlen, DAT_EVD_HANDLE *evd, DAT_IA_HANDLE *ia,
		      const struct dat_provider *provider, DAT_BOOLEAN threads, const char *params);
DAT_RETURN wd_ia_query(DAT_IA_HANDLE ia, DAT_EVD_HANDLE *evd, DAT_IA_ATTR_MASK mask,
		       DAT_IA_ATTR *attr, DAT_PROVIDER_ATTR_MASK pmask, DAT_PROVIDER_ATTR *pattr);
DAT_RETURN wd_ia_close(DAT_IA_HANDLE ia, DAT_CLOSE_FLAGS flags);
int wd_ia_endpoint(struct wd_ia *ia, struct weft_ep_attr *attr, struct weft_ep **ep);

DAT_RETURN wd_pz_create(DAT_IA_HANDLE ia, DAT_PZ_HANDLE *pz);
DAT_RETURN wd_pz_query(DAT_PZ_HANDLE pz, DAT_PZ_PARAM_MASK mask, DAT_PZ_PARAM *param);
DAT_RETURN wd_pz_free(DAT_PZ_HANDLE pz);
DAT_RETURN wd_lmr_create(DAT_IA_HANDLE ia, DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION region,
			 DAT_VLEN len, DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS priv,
			 DAT_VA_TYPE va_type, DAT_LMR_HANDLE *lmr, DAT_LMR_CONTEXT *lmr_context,
			 DAT_RMR_CONTEXT *rmr_context, DAT_VLEN *reg_len, DAT_VADDR *reg_addr);
DAT_RETURN wd_lmr_query(DAT_LMR_HANDLE lmr, DAT_LMR_PARAM_MASK mask, DAT_LMR_PARAM *param);
DAT_RETURN wd_lmr_free(DAT_LMR_HANDLE lmr);
DAT_RETURN wd_iov(struct wd_ia *ia, const struct wd_pz *pz, const DAT_LMR_TRIPLET *iov,
		  DAT_COUNT n, DAT_COUNT max, DAT_MEM_PRIV_FLAGS need, struct iovec *vec,
		  uint32_t *keys);
DAT_RETURN wd_lmr_sync(DAT_IA_HANDLE ia, const DAT_LMR_TRIPLET *iov, DAT_VLEN n);

int wd_region_add(const struct wd_pz *pz, uint64_t addr, uint64_t len, DAT_MEM_PRIV_FLAGS priv,
		  DAT_RMR_CONTEXT *context);
void wd_region_end(const struct wd_pz *pz, DAT_RMR_CONTEXT context);

DAT_RETURN wd_rmr_create(DAT_PZ_HANDLE pz, DAT_RMR_HANDLE *rmr);
DAT_RETURN wd_rmr_query(DAT_RMR_HANDLE rmr, DAT_RMR_PARAM_MASK mask, DAT_RMR_PARAM *param);
DAT_RETURN wd_rmr_bind(DAT_RMR_HANDLE rmr, DAT_LMR_HANDLE lmr, const DAT_LMR_TRIPLET *iov,
		       DAT_MEM_PRIV_FLAGS priv, DAT_VA_TYPE va_type, DAT_EP_HANDLE ep,
		       DAT_RMR_COOKIE cookie, DAT_COMPLETION_FLAGS flags,
		       DAT_RMR_CONTEXT *context);
DAT_RETURN wd_rmr_free(DAT_RMR_HANDLE rmr);

DAT_RETURN wd_evd_create(DAT_IA_HANDLE ia, DAT_COUNT qlen, DAT_CNO_HANDLE cno,
			 DAT_EVD_FLAGS flags, DAT_EVD_HANDLE *evd);
DAT_RETURN wd_evd_query(DAT_EVD_HANDLE evd, DAT_EVD_PARAM_MASK mask, DAT_EVD_PARAM *param);
DAT_RETURN wd_evd_modify_cno(DAT_EVD_HANDLE evd, DAT_CNO_HANDLE cno);
DAT_RETURN wd_evd_enable(DAT_EVD_HANDLE evd);
DAT_RETURN wd_evd_disable(DAT_EVD_HANDLE evd);
DAT_RETURN wd_evd_wait(DAT_EVD_HANDLE evd, DAT_TIMEOUT timeout, DAT_COUNT threshold,
		       DAT_EVENT *event, DAT_COUNT *nmore);
DAT_RETURN wd_evd_resize(DAT_EVD_HANDLE evd, DAT_COUNT qlen);
DAT_RETURN wd_evd_post_se(DAT_EVD_HANDLE evd, const DAT_EVENT *event);
DAT_RETURN wd_evd_dequeue(DAT_EVD_HANDLE evd, DAT_EVENT *event);
DAT_RETURN wd_evd_free(DAT_EVD_HANDLE evd);
DAT_RETURN wd_evd_set_unwaitable(DAT_EVD_HANDLE evd);
DAT_RETURN wd_evd_clear_unwaitable(DAT_EVD_HANDLE evd);
void wd_evd_destroy(struct wd_evd *evd);
void wd_evd_gather(struct wd_evd *evd, bool all);
bool wd_evd_news(struct wd_evd *evd);
void wd_evd_gone(struct wd_evd *evd);
int64_t wd_until(DAT_TIMEOUT timeout);
struct pollfd;
int wd_poll(struct pollfd *fds, unsigned int n, int64_t until);

bool wd_event_dto(struct wd_evd *evd, const struct weft_cqe *cqe, struct wd_event *e);
bool wd_event_eq(struct wd_evd *evd, const struct weft_event *ev, const void *data,
		 struct wd_event *e);

DAT_RETURN wd_cno_create(DAT_IA_HANDLE ia, DAT_OS_WAIT_PROXY_AGENT agent, DAT_CNO_HANDLE *cno);
DAT_RETURN wd_cno_query(DAT_CNO_HANDLE cno, DAT_CNO_PARAM_MASK mask, DAT_CNO_PARAM *param);
DAT_RETURN wd_cno_free(DAT_CNO_HANDLE cno);
DAT_RETURN wd_cno_wait(DAT_CNO_HANDLE cno, DAT_TIMEOUT timeout, DAT_EVD_HANDLE *evd);
DAT_RETURN wd_cno_modify_agent(DAT_CNO_HANDLE cno, DAT_OS_WAIT_PROXY_AGENT agent);
DAT_RETURN wd_cno_fd_create(DAT_IA_HANDLE ia, DAT_FD *fd, DAT_CNO_HANDLE *cno);
DAT_RETURN wd_cno_trigger(DAT_CNO_HANDLE cno, DAT_EVD_HANDLE *evd);
void wd_cno_destroy(struct wd_cno *cno);
void wd_cno_set(struct wd_evd *evd, struct wd_cno *cno, bool freed);
void wd_cno_enabled(struct wd_evd *evd);
void wd_cno_wake(struct wd_cno *cno);

DAT_RETURN wd_psp_create(DAT_IA_HANDLE ia, DAT_CONN_QUAL qual, DAT_EVD_HANDLE evd,
			 DAT_PSP_FLAGS flags, DAT_PSP_HANDLE *psp);
DAT_RETURN wd_psp_create_any(DAT_IA_HANDLE ia, DAT_CONN_QUAL *qual, DAT_EVD_HANDLE evd,
			     DAT_PSP_FLAGS flags, DAT_PSP_HANDLE *psp);
DAT_RETURN wd_psp_query(DAT_PSP_HANDLE psp, DAT_PSP_PARAM_MASK mask, DAT_PSP_PARAM *param);
DAT_RETURN wd_psp_free(DAT_PSP_HANDLE psp);
DAT_RETURN wd_cr_query(DAT_CR_HANDLE cr, DAT_CR_PARAM_MASK mask, DAT_CR_PARAM *param);
DAT_RETURN wd_cr_accept(DAT_CR_HANDLE cr, DAT_EP_HANDLE ep, DAT_COUNT len, const DAT_PVOID data);
DAT_RETURN wd_cr_reject(DAT_CR_HANDLE cr, DAT_COUNT len, const DAT_PVOID data);
DAT_RETURN wd_cr_handoff(DAT_CR_HANDLE cr, DAT_CONN_QUAL qual);

DAT_RETURN wd_ep_create(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_EVD_HANDLE recv,
			DAT_EVD_HANDLE request, DAT_EVD_HANDLE connect, const DAT_EP_ATTR *attr,
			DAT_EP_HANDLE *ep);
DAT_RETURN wd_ep_create_with_srq(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_EVD_HANDLE recv,
				 DAT_EVD_HANDLE request, DAT_EVD_HANDLE connect,
				 DAT_SRQ_HANDLE srq, const DAT_EP_ATTR *attr, DAT_EP_HANDLE *ep);
DAT_RETURN wd_ep_query(DAT_EP_HANDLE ep, DAT_EP_PARAM_MASK mask, DAT_EP_PARAM *param);
DAT_RETURN wd_ep_modify(DAT_EP_HANDLE ep, DAT_EP_PARAM_MASK mask, const DAT_EP_PARAM *param);
DAT_RETURN wd_ep_get_status(DAT_EP_HANDLE ep, DAT_EP_STATE *state, DAT_BOOLEAN *recv_idle,
			    DAT_BOOLEAN *request_idle);
DAT_RETURN wd_ep_free(DAT_EP_HANDLE ep);
DAT_RETURN wd_ep_reset(DAT_EP_HANDLE ep);
DAT_RETURN wd_ep_recv_query(DAT_EP_HANDLE ep, DAT_COUNT *held, DAT_COUNT *span);
DAT_RETURN wd_ep_set_watermark(DAT_EP_HANDLE ep, DAT_COUNT soft, DAT_COUNT hard);
DAT_RETURN wd_ep_pend(struct wd_ep *ep, DAT_EP_STATE state, const struct sockaddr_storage *remote,
		      DAT_CONN_QUAL qual);
void wd_ep_unpend(struct wd_ep *ep);
void wd_ep_refresh(struct wd_ep *ep);
DAT_RETURN wd_ep_state_error(DAT_EP_STATE state);

DAT_RETURN wd_ep_connect(DAT_EP_HANDLE ep, DAT_IA_ADDRESS_PTR addr, DAT_CONN_QUAL qual,
			 DAT_TIMEOUT timeout, DAT_COUNT len, const DAT_PVOID data, DAT_QOS qos,
			 DAT_CONNECT_FLAGS flags);
DAT_RETURN wd_ep_dup_connect(DAT_EP_HANDLE ep, DAT_EP_HANDLE dup, DAT_TIMEOUT timeout,
			     DAT_COUNT len, const DAT_PVOID data, DAT_QOS qos);
DAT_RETURN wd_ep_disconnect(DAT_EP_HANDLE ep, DAT_CLOSE_FLAGS flags);
DAT_RETURN wd_ep_post_send(DAT_EP_HANDLE ep, DAT_COUNT n, DAT_LMR_TRIPLET *iov,
			   DAT_DTO_COOKIE cookie, DAT_COMPLETION_FLAGS flags);
DAT_RETURN wd_ep_post_recv(DAT_EP_HANDLE ep, DAT_COUNT n, DAT_LMR_TRIPLET *iov,
			   DAT_DTO_COOKIE cookie, DAT_COMPLETION_FLAGS flags);
bool wd_flags_ok(DAT_COMPLETION_FLAGS flags, DAT_COMPLETION_FLAGS known,
		 DAT_COMPLETION_FLAGS allowed);
DAT_RETURN wd_ep_post_rdma_read(DAT_EP_HANDLE ep, DAT_COUNT n, DAT_LMR_TRIPLET *iov,
				DAT_DTO_COOKIE cookie, const DAT_RMR_TRIPLET *remote,
				DAT_COMPLETION_FLAGS flags);
DAT_RETURN wd_ep_post_rdma_write(DAT_EP_HANDLE ep, DAT_COUNT n, DAT_LMR_TRIPLET *iov,
				 DAT_DTO_COOKIE cookie, const DAT_RMR_TRIPLET *remote,
				 DAT_COMPLETION_FLAGS flags);

/* A send or RDMA request to be posted. @len: bytes; @remote: of RDMA. */
struct wd_request {
	DAT_DTOS kind;
	const struct iovec *vec;
	DAT_COUNT n;
	uint64_t len;
	const DAT_RMR_TRIPLET *remote;
	DAT_DTO_COOKIE cookie;
	DAT_COMPLETION_FLAGS flags;
};

uint32_t wd_op_get(struct wd_ep *ep, DAT_DTOS kind, DAT_DTO_COOKIE cookie,
		   DAT_COMPLETION_FLAGS flags);
struct wd_op wd_op_put(struct wd_ep *ep, uint32_t i);
DAT_RETURN wd_posted(struct wd_ep *ep, uint32_t op, struct wd_count *count, int ret);
DAT_RETURN wd_request_begin(struct wd_ep *ep, DAT_DTOS kind, DAT_DTO_COOKIE cookie,
			    DAT_COMPLETION_FLAGS flags, uint32_t *op);
DAT_RETURN wd_request_posted(struct wd_ep *ep, uint32_t op, int ret);
DAT_RETURN wd_request_post(struct wd_ep *ep, const struct wd_request *r);
void wd_request_done(struct wd_evd *evd, struct wd_ep *ep, uint32_t i,
		     DAT_DTO_COMPLETION_STATUS status, uint64_t len);
bool wd_request_next(struct wd_evd *evd, struct wd_event *e);
void wd_request_forget(struct wd_evd *evd, struct wd_ep *ep);

DAT_RETURN wd_srq_create(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_SRQ_ATTR *attr,
			 DAT_SRQ_HANDLE *srq);
DAT_RETURN wd_srq_free(DAT_SRQ_HANDLE srq);
DAT_RETURN wd_srq_post_recv(DAT_SRQ_HANDLE srq, DAT_COUNT n, DAT_LMR_TRIPLET *iov,
			    DAT_DTO_COOKIE cookie);
DAT_RETURN wd_srq_query(DAT_SRQ_HANDLE srq, DAT_SRQ_PARAM_MASK mask, DAT_SRQ_PARAM *param);
DAT_RETURN wd_srq_resize(DAT_SRQ_HANDLE srq, DAT_COUNT max);
DAT_RETURN wd_srq_set_lw(DAT_SRQ_HANDLE srq, DAT_COUNT low);

/* Entry points for libdat2. */
void dat_provider_init(const struct dat_provider_info *info, const char *params);
void dat_provider_fini(const struct dat_provider_info *info);

/* Fill in what is not offered. */
void wd_nosys(DAT_PROVIDER *p);

#endif
