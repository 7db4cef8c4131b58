/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weft_nosys.h - calls that an object does not have; included by weft_fi.h
 */
#ifndef WEFT_NOSYS_H
#define WEFT_NOSYS_H

/* weft_nosys.c */
extern struct fi_ops_msg weft_fi_no_msg_ops;
extern struct fi_ops_tagged weft_fi_no_tagged_ops;
extern struct fi_ops_rma weft_fi_no_rma_ops;
extern struct fi_ops_atomic weft_fi_no_atomic_ops;
extern struct fi_ops_collective weft_fi_no_collective_ops;
int weft_fi_no_bind(struct fid *fid, struct fid *bfid, uint64_t flags);
int weft_fi_no_control(struct fid *fid, int command, void *arg);
int weft_fi_no_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops,
			void *context);
int weft_fi_no_tostr(const struct fid *fid, char *buf, size_t len);
int weft_fi_no_ops_set(struct fid *fid, const char *name, uint64_t flags, void *ops,
		       void *context);
int weft_fi_no_connect(struct fid_ep *ep, const void *addr, const void *param, size_t paramlen);
int weft_fi_no_listen(struct fid_pep *pep);
int weft_fi_no_accept(struct fid_ep *ep, const void *param, size_t paramlen);
int weft_fi_no_reject(struct fid_pep *pep, fid_t handle, const void *param, size_t paramlen);
int weft_fi_no_shutdown(struct fid_ep *ep, uint64_t flags);
int weft_fi_no_join(struct fid_ep *ep, const void *addr, uint64_t flags, struct fid_mc **mc,
		    void *context);
int weft_fi_no_getpeer(struct fid_ep *ep, void *addr, size_t *addrlen);
int weft_fi_no_tx_ctx(struct fid_ep *sep, int index, struct fi_tx_attr *attr,
		      struct fid_ep **tx_ep, void *context);
int weft_fi_no_rx_ctx(struct fid_ep *sep, int index, struct fi_rx_attr *attr,
		      struct fid_ep **rx_ep, void *context);
int weft_fi_no_getopt(fid_t fid, int level, int optname, void *optval, size_t *optlen);
int weft_fi_no_setopt(fid_t fid, int level, int optname, const void *optval, size_t optlen);
ssize_t weft_fi_no_size_left(struct fid_ep *ep);
ssize_t weft_fi_no_cancel(fid_t fid, void *context);

#endif /* WEFT_NOSYS_H */
