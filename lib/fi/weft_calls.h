/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weft_calls.h - calls between the files of the provider
 *
 * A part of weft_fi.h, which includes it.
 */
#ifndef WEFT_CALLS_H
#define WEFT_CALLS_H

struct lw_queue;

/* weft_init.c */
extern struct fi_provider weft_fi_prov;
extern bool weft_fi_fast_paths;
extern bool weft_fi_mr_keys;
int weft_fi_fail(enum fi_log_subsys subsys, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4), cold));

/* weft_reason.c */
void weft_fi_reasons_begin(const struct fi_info *hints);
void weft_fi_reasons_end(bool found);
bool weft_fi_explains(void);
void weft_fi_reason(const char *format, ...) __attribute__((format(printf, 1, 2), cold));
void weft_fi_reason_port(const char *port, int err);
void weft_fi_reason_none(int err);
void weft_fi_reason_elsewhere(int ports);

/* weft_attr.c */
uint64_t weft_fi_caps_whole(uint64_t caps);
int weft_fi_info_new(const struct weft_ioc_query *q, enum fi_ep_type type, struct fi_info **info);
int weft_fi_info_check(const struct fi_info *info, const struct fi_info *hints, uint32_t version);
void weft_fi_info_narrow(struct fi_info *info, const struct fi_info *hints, uint32_t version);

/* weft_key.c */
int weft_fi_key_check(const struct fi_info *info, const struct fi_info *hints, uint32_t version);
int weft_fi_key_hand(struct fi_info *info, const struct fi_info *hints, uint32_t version);
int weft_fi_key_keep(const struct fi_domain_attr *attr, uint32_t version, uint8_t **key,
		     size_t *size);
void weft_fi_key_free(uint8_t *key, size_t size);
extern char *weft_fi_key_file;
int weft_fi_key_attr(struct weft_ep_attr *attr, const struct weft_fi_fabric *fabric,
		     const struct fi_ep_attr *ep, const uint8_t *key, size_t size);
const char *weft_fi_key_advice(int ret);

/* weft_getinfo.c */
int weft_fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
		    const struct fi_info *hints, struct fi_info **info);

/* weft_addr.c */
int weft_fi_resolve(const char *node, const char *service, int family, bool numeric,
		    struct weft_sockaddr *v4, struct weft_sockaddr *v6);
bool weft_fi_addr_text(const char *node);
#define WEFT_FI_STRADDR	80	/* bytes for the text of an address */
bool weft_fi_addr_same(const struct weft_sockaddr *a, const struct weft_sockaddr *b);
bool weft_fi_addr_any(const struct weft_sockaddr *a);
bool weft_fi_addr_group(const struct weft_sockaddr *a);
bool weft_fi_addr_loopback(const struct weft_sockaddr *a);
const char *weft_fi_addr_str(const struct weft_sockaddr *a, char *buf, size_t len);
const char *weft_fi_addr_name(const struct weft_sockaddr *a, char *buf, size_t len);
int weft_fi_addr_read(struct weft_sockaddr *a, const void *buf, int family);
int weft_fi_addr_write(const struct weft_sockaddr *a, void *buf, size_t *len);
int weft_fi_addr_dup(const struct weft_sockaddr *a, void **buf, size_t *len);
size_t weft_fi_addr_size(int family);
const struct weft_sockaddr *weft_fi_port_addr(const struct weft_ioc_query *q, int family);
bool weft_fi_port_has(const struct weft_ioc_query *q, const struct weft_sockaddr *a);

/* weft_fabric.c */
int weft_fi_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
const char *weft_fi_limit_advice(int ret);
bool weft_fi_is_open(const struct fid_fabric *fabric);
bool weft_fi_is_domain(const struct fid_domain *domain, const char *port);
void weft_fi_opened(struct fi_info *info, const struct fi_info *hints);
int weft_fi_port_get(struct weft_fi_fabric *fabric, const struct fi_info *info,
		     struct weft_fi_port **port);
void weft_fi_port_hold(struct weft_fi_port *port);
void weft_fi_port_put(struct weft_fi_port *port);

/* weft_domain.c */
int weft_fi_domain(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **domain,
		   void *context);

/* weft_share.c */
int weft_fi_share_open(struct weft_fi_av *av, struct fi_av_attr *attr);
void weft_fi_share_close(struct weft_fi_av *av);
void weft_fi_share_sync(struct weft_fi_av *av);
int weft_fi_share_insert(struct weft_fi_av *av, const struct weft_sockaddr *addrs, size_t count,
			 uint32_t *index);
void weft_fi_share_remove(struct weft_fi_av *av, fi_addr_t addr);

/* weft_av.c, weft_cq.c, weft_mr.c, weft_eq.c, weft_pep.c */
int weft_fi_av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av,
		    void *context);
fi_addr_t weft_fi_av_wide(struct weft_fi_av *av, fi_addr_t addr);
int weft_fi_av_insert_at(struct weft_fi_av *av, const struct weft_sockaddr *addr, fi_addr_t at);
int weft_fi_av_drop(struct weft_fi_av *av, fi_addr_t addr);
int weft_fi_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq,
		    void *context);
int weft_fi_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq,
		    void *context);
int weft_fi_pep_open(struct fid_fabric *fabric, struct fi_info *info, struct fid_pep **pep,
		     void *context);
bool weft_fi_pep_name(struct weft_fi_port *port, const struct fid *fid,
		      struct weft_sockaddr *addr);
int weft_fi_cq_ready(struct weft_fi_cq *cq);
int weft_fi_eq_ready(struct weft_fi_eq *eq);
int weft_fi_eq_port(struct weft_fi_eq *eq, struct weft_fi_port *port, struct weft_eq **out);
int weft_fi_eq_post(struct weft_fi_eq *eq, uint32_t event, struct fid *fid, const void *data,
		    size_t len);
int weft_fi_eq_post_err(struct weft_fi_eq *eq, const struct fi_eq_err_entry *err);
void weft_fi_eq_forget(struct weft_fi_eq *eq, struct fid *fid);
extern struct fi_ops_mr weft_fi_mr_ops;
int weft_fi_mr_raw_control(int command, void *arg);

/* weft_wait.c */
uint64_t weft_fi_now_ns(void);
int weft_fi_fid_ready(struct fid *fid);
int weft_fi_trywait(struct fid_fabric *fabric, struct fid **fids, int count);
int weft_fi_wait_obj(enum fi_wait_obj asked, struct fid_wait *wait_set,
		     struct weft_fi_fabric *fabric, enum fi_wait_obj *got,
		     struct weft_fi_set **set);
int weft_fi_set_join(struct weft_fi_set *set, struct weft_fi_member *member, struct fid *fid,
		     int fd);
void weft_fi_set_leave(struct weft_fi_member *member);
int weft_fi_set_ready(struct weft_fi_set *set);
int weft_fi_set_open(struct fid_fabric *fabric, struct fi_wait_attr *attr, struct fid_wait **set);
int weft_fi_wait_control(enum fi_wait_obj wait_obj, int fd, int command, void *arg);
const char *weft_fi_strerror(int prov_errno, char *buf, size_t len);

/* weft_poll.c */
int weft_fi_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
		      struct fid_poll **poll);

/* weft_ep.c */
int weft_fi_endpoint(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
		     void *context);
int weft_fi_ep_new(struct weft_fi_domain *dom, const struct fi_info *info, void *context,
		   struct weft_fi_ep **ep);
int weft_fi_ep_renew(struct weft_fi_ep *ep, const struct fi_info *info);
int weft_fi_ep_free(struct weft_fi_ep *ep);
int weft_fi_half_ready(const struct weft_fi_ep *ep, bool tx);
int weft_fi_ep_enable(struct weft_fi_ep *ep);
int weft_fi_ep_bind_cq(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags);
int weft_fi_ep_bind_av(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags);
int weft_fi_ep_bind_eq(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags);
void weft_fi_face_init(struct weft_fi_face *face, struct weft_fi_ep *ep, size_t fclass,
		       void *context, struct fi_ops *ops);
void weft_fi_half_flush(struct weft_fi_half *half);
void weft_fi_half_unbind(struct weft_fi_half *half);
void weft_fi_half_leave(struct weft_fi_half *half);
void weft_fi_half_idle(struct weft_fi_half *half, bool idle);

/* weft_ep_opt.c */
extern struct fi_ops_ep weft_fi_ep_ops;
uint64_t weft_fi_level_default(bool dgram, uint64_t caps);
uint64_t weft_fi_tx_flags(const struct weft_fi_ep *ep, uint64_t flags);
int weft_fi_ep_control(struct fid *fid, int command, void *arg);

/* weft_sep.c */
int weft_fi_sep_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **sep,
		     void *context);

/* weft_left.c */
int weft_fi_left_keep(struct weft_fi_domain *dom, struct weft_cq *cq, struct weft_cntr *cntr);
void weft_fi_left_sweep(struct weft_fi_domain *dom);

/* weft_stx.c */
int weft_fi_stx_open(struct fid_domain *domain, struct fi_tx_attr *attr, struct fid_stx **stx,
		     void *context);
int weft_fi_stx_bind(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags);

/* weft_batch.c */
void weft_fi_late_init(struct weft_fi_late *late);
void weft_fi_late_fini(struct weft_fi_late *late);
bool weft_fi_late_start(struct weft_fi_port *port);
void weft_fi_late_wake(struct weft_fi_late *late);

/* weft_srx.c */
int weft_fi_srx_open(struct fid_domain *domain, struct fi_rx_attr *attr, struct fid_ep **ep,
		     void *context);
int weft_fi_srx_bind(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags);
void weft_fi_srx_enabled(struct weft_fi_ep *ep);
void weft_fi_srx_leave(struct weft_fi_ep *ep, struct weft_fi_cq *cq);

/* weft_post.c; the forms of weft_msg.c are weft_post.h */
ssize_t weft_fi_send(struct weft_fi_ep *ep, const struct weft_fi_op *op);
ssize_t weft_fi_recv(struct weft_fi_ep *ep, const struct weft_fi_op *op);
int weft_fi_refused(uint64_t flags, size_t count, int err) __attribute__((cold));
/* Say that a call's message structure is NULL. Return: -FI_EINVAL. */
int weft_fi_no_struct(void) __attribute__((cold));
void weft_fi_run_on(struct weft_fi_ep *ep);
bool weft_fi_run_look(struct weft_fi_run *run);
void weft_fi_run_posted(struct weft_fi_ep *ep, size_t len);
ssize_t weft_fi_run_post(struct weft_fi_ep *ep, size_t len);
void weft_fi_run_end(struct weft_fi_ep *ep);
uint32_t weft_fi_more(struct weft_fi_half *half);
void weft_fi_posted(struct weft_fi_half *half, uint32_t more);
ssize_t weft_fi_posted_held(struct weft_fi_half *half, struct lw_queue *q, bool more);

/* weft_buf.c */
int weft_fi_buf_new(struct weft_fi_ep *ep);
size_t weft_fi_buf_ring(const struct weft_fi_ep *ep);
void weft_fi_buf_calls(const struct weft_fi_ep *ep, struct fid_ep *fid);
int weft_fi_buf_start(struct weft_fi_ep *ep, struct fid_ep *face);
void weft_fi_buf_leave(struct weft_fi_ep *ep, struct weft_fi_cq *cq);
void weft_fi_buf_forget(struct weft_fi_cq *cq);
int weft_fi_buf_cancel(struct weft_fi_ep *ep, void *context);
size_t weft_fi_buf_space(const struct weft_fi_ep *ep);
size_t weft_fi_buf_getopt(const struct weft_fi_ep *ep, int optname);
int weft_fi_buf_setopt(struct weft_fi_ep *ep, int optname, size_t value);
bool weft_fi_buf_hides(const struct weft_cqe *cqe);
void weft_fi_buf_show(struct weft_cqe *cqe);
void weft_fi_buf_take(const struct weft_cqe *cqe);
/* weft_slow.c */
void weft_fi_half_on(struct weft_fi_half *half, bool on);
ssize_t weft_fi_slow_send(struct weft_fi_ep *ep, const struct weft_fi_op *op);
ssize_t weft_fi_slow_recv(struct weft_fi_ep *ep, const struct weft_fi_op *op);
ssize_t weft_fi_slow_strip(const struct weft_fi_ep *ep, struct weft_fi_op *op, struct iovec *iov);
void weft_fi_slow_cqe(struct weft_cqe *cqe, size_t prefix);

/* weft_trigger.c */
ssize_t weft_fi_trigger_send(struct weft_fi_ep *ep, const struct weft_fi_op *op,
			     const uint32_t *group);
ssize_t weft_fi_trigger_recv(struct weft_fi_ep *ep, const struct weft_fi_op *op);
int weft_fi_trigger_cancel(struct weft_fi_ep *ep, void *context);

/* weft_work.c */
int weft_fi_work_control(struct weft_fi_domain *dom, int command, void *arg);

/* weft_mc.c */
int weft_fi_join(struct fid_ep *fid, const void *addr, uint64_t flags, struct fid_mc **mc,
		 void *context);
void weft_fi_mc_told(struct fid *fid);
int weft_fi_mc_dest(struct weft_fi_ep *ep, fi_addr_t addr, uint32_t *group);

/* weft_peek.c */
ssize_t weft_fi_peek(struct weft_fi_ep *ep, const struct weft_fi_op *op);

/* weft_ep_rdm.c, weft_ep_msg.c: differences between the endpoint types */
int weft_fi_rdm_ready(const struct weft_fi_ep *ep);
int weft_fi_msg_ready(const struct weft_fi_ep *ep);
int weft_fi_rdm_unknown(fi_addr_t addr);
int weft_fi_rdm_source(const struct weft_fi_ep *ep, fi_addr_t addr, uint32_t *src);
int weft_fi_msg_dest(const struct weft_fi_ep *ep, uint32_t *dst);
int weft_fi_msg_source(const struct weft_fi_ep *ep, uint32_t *src);
extern struct fi_ops_cm weft_fi_rdm_cm_ops;
extern struct fi_ops_cm weft_fi_msg_cm_ops;

/* weft_cm.c */
int weft_fi_cm_open(struct weft_fi_cm *cm, struct fid *fid, struct weft_fi_port *port,
		    const struct fi_info *info, struct weft_ep_attr *attr);
int weft_fi_cm_close(struct weft_fi_cm *cm);
int weft_fi_cm_bind_eq(struct weft_fi_cm *cm, struct weft_fi_fabric *fabric, struct fid *fid);
int weft_fi_cm_getopt(void *optval, size_t *optlen, size_t value);
int weft_fi_no_option(int level, int optname);
int weft_fi_min_multi(size_t *least, int level, int optname, const void *optval, size_t optlen);
struct weft_fi_cm *weft_fi_cm_find(struct weft_fi_port *port, uint32_t handle);
int weft_fi_setname(fid_t fid, void *addr, size_t addrlen);
int weft_fi_getname(fid_t fid, void *addr, size_t *addrlen);
int weft_fi_getpeer(struct fid_ep *ep, void *addr, size_t *addrlen);
int weft_fi_connect(struct fid_ep *ep, const void *addr, const void *param, size_t paramlen);
int weft_fi_accept(struct fid_ep *ep, const void *param, size_t paramlen);
int weft_fi_shutdown(struct fid_ep *ep, uint64_t flags);
int weft_fi_listen(struct fid_pep *pep);
int weft_fi_reject(struct fid_pep *pep, fid_t handle, const void *param, size_t paramlen);

/* weft_req.c */
int weft_fi_req_info(struct weft_fi_pep *pep, const struct weft_event *ev, struct fi_info **info);
int weft_fi_req_claim(struct weft_fi_port *port, struct fid *handle, struct weft_fi_ep *ep);
void weft_fi_req_drop(struct weft_fi_ep *ep, bool accepted);
void weft_fi_req_drop_all(struct weft_fi_port *port, const struct weft_fi_pep *pep);
int weft_fi_req_take(struct weft_fi_pep *pep, const struct fid *handle, uint64_t *conn);

/* weft_rma.c; @trigger, here and below: of deferred work, or NULL */
ssize_t weft_fi_rma_message(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags,
			    uint8_t rma, const struct weft_trigger *trigger);
extern struct fi_ops_rma weft_fi_rma_ops;

/* weft_atomic.c */
ssize_t weft_fi_atomic_message(struct fid_ep *ep, const struct fi_msg_atomic *msg,
			       const struct fi_msg_compare *cmp, const struct fi_msg_fetch *res,
			       uint64_t flags, const struct weft_trigger *trigger);
int weft_fi_query_atomic(struct fid_domain *domain, enum fi_datatype type, enum fi_op op,
			 struct fi_atomic_attr *attr, uint64_t flags);
extern struct fi_ops_atomic weft_fi_atomic_ops;

/* weft_msg.c */
ssize_t weft_fi_message_send(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags,
			     const struct weft_trigger *trigger);
ssize_t weft_fi_message_tsend(struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags,
			      const struct weft_trigger *trigger);
ssize_t weft_fi_message_recv(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags,
			     const struct weft_trigger *trigger);
ssize_t weft_fi_message_trecv(struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags,
			      const struct weft_trigger *trigger);
extern struct fi_ops_msg weft_fi_msg_ops;
extern struct fi_ops_tagged weft_fi_tagged_ops;

static inline void weft_fi_lock_init(struct weft_fi_lock *lock, bool on)
{
	pthread_mutex_init(&lock->mutex, NULL);
	lock->on = on;
}

static inline void weft_fi_lock_fini(struct weft_fi_lock *lock)
{
	pthread_mutex_destroy(&lock->mutex);
}

static inline void weft_fi_lock(struct weft_fi_lock *lock)
{
	if (lock->on)
		pthread_mutex_lock(&lock->mutex);
}

static inline void weft_fi_unlock(struct weft_fi_lock *lock)
{
	if (lock->on)
		pthread_mutex_unlock(&lock->mutex);
}

static inline void weft_fi_fid_init(struct fid *fid, size_t fclass, void *context,
				    struct fi_ops *ops)
{
	fid->fclass = fclass;
	fid->context = context;
	fid->ops = ops;
}

static inline struct weft_fi_face *weft_fi_face_of(struct fid_ep *fid)
{
	return weft_container(fid, struct weft_fi_face, fid);
}

static inline struct weft_fi_ep *weft_fi_ep_of(struct fid_ep *fid)
{
	return weft_fi_face_of(fid)->ep;
}

/* Return: the endpoint of a handle; the handle's class is that of an endpoint. */
static inline struct weft_fi_ep *weft_fi_ep_from(struct fid *fid)
{
	return weft_fi_ep_of(weft_container(fid, struct fid_ep, fid));
}

/* Return: true if an address has this index. */
static inline bool weft_fi_av_used(struct weft_fi_av *av, uint32_t index)
{
	_Atomic uint8_t *chunk;

	chunk = atomic_load_explicit(&av->used[index / WEFT_FI_AV_CHUNK], memory_order_acquire);
	return chunk && atomic_load_explicit(&chunk[index % WEFT_FI_AV_CHUNK],
					     memory_order_relaxed);
}

/* Return: true if an address without a context has an index. */
static inline bool weft_fi_av_has(struct weft_fi_av *av, fi_addr_t addr)
{
	return weft_likely(addr < atomic_load_explicit(&av->dense, memory_order_relaxed)) ||
	       (addr < WEFT_AV_MAX && weft_fi_av_used(av, addr));
}

/* Find the index of an address, including its context. Return: true if the address exists. */
static inline bool weft_fi_av_index(struct weft_fi_av *av, fi_addr_t addr, uint32_t *index)
{
	if (weft_unlikely(av->shared || av->bits))
		addr = weft_fi_av_wide(av, addr);
	*index = addr;
	return weft_fi_av_has(av, addr);
}

/* Return: true if a queue has one of the properties @what: WEFT_FI_CQ_*. */
static inline bool weft_fi_cq_is(const struct weft_fi_cq *cq, unsigned int what)
{
	return atomic_load_explicit(&cq->slow, memory_order_relaxed) & what;
}

/* An entry was deferred; its doorbell has been stored. */
static inline void weft_fi_late_held(struct weft_fi_port *port, struct weft_fi_half *half)
{
	if (!atomic_exchange(&half->due, true) && !atomic_exchange(&port->late.pending, true))
		weft_fi_late_wake(&port->late);
}

/* Test the version of the program's API: fi_info and error entries depend on it. */
static inline bool weft_fi_api_ge(const struct weft_fi_fabric *fabric, uint32_t version)
{
	return FI_VERSION_GE(fabric->fid.api_version, version);
}

#endif
