// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_nosys.c - operations that are not supported
 *
 * Every operation of an object must exist. These fail, and log the reason.
 */
#include "weft_fi.h"

static __attribute__((cold)) int weft_fi_no(const char *name)
{
	return weft_fi_fail(FI_LOG_CORE, -FI_ENOSYS,
			    "%s: an object of this kind, or with these capabilities, has no such call: see fi_weft(7)",
			    name);
}

#define NO(linkage, type, name, ...) \
	linkage type weft_fi_no_##name(__VA_ARGS__) { return weft_fi_no(#name); }
#define NO_INT(name, ...)	NO(, int, name, __VA_ARGS__)
#define NO_OP(name, ...)	NO(static, ssize_t, name, __VA_ARGS__)
#define NO_QUERY(name, ...)	NO(static, int, name, __VA_ARGS__)

/* ---- All objects ------------------------------------------------------------------------ */

NO_INT(bind, struct fid *fid, struct fid *bfid, uint64_t flags)
NO_INT(control, struct fid *fid, int command, void *arg)
NO_INT(ops_open, struct fid *fid, const char *name, uint64_t flags, void **ops, void *context)
NO_INT(tostr, const struct fid *fid, char *buf, size_t len)
NO_INT(ops_set, struct fid *fid, const char *name, uint64_t flags, void *ops, void *context)

/* ---- Endpoints -------------------------------------------------------------------------- */

NO_INT(connect, struct fid_ep *ep, const void *addr, const void *param, size_t paramlen)
NO_INT(listen, struct fid_pep *pep)
NO_INT(accept, struct fid_ep *ep, const void *param, size_t paramlen)
NO_INT(reject, struct fid_pep *pep, fid_t handle, const void *param, size_t paramlen)
NO_INT(shutdown, struct fid_ep *ep, uint64_t flags)
NO_INT(join, struct fid_ep *ep, const void *addr, uint64_t flags, struct fid_mc **mc,
       void *context)
NO_INT(getpeer, struct fid_ep *ep, void *addr, size_t *addrlen)
NO_INT(tx_ctx, struct fid_ep *sep, int index, struct fi_tx_attr *attr, struct fid_ep **tx_ep,
       void *context)
NO_INT(rx_ctx, struct fid_ep *sep, int index, struct fi_rx_attr *attr, struct fid_ep **rx_ep,
       void *context)
NO_INT(getopt, fid_t fid, int level, int optname, void *optval, size_t *optlen)
NO_INT(setopt, fid_t fid, int level, int optname, const void *optval, size_t optlen)
NO(, ssize_t, size_left, struct fid_ep *ep)
NO(, ssize_t, cancel, fid_t fid, void *context)

/* ---- Messages, of an endpoint without the capability -------------------------------------- */

NO_OP(recv, struct fid_ep *ep, void *buf, size_t len, void *desc, fi_addr_t src_addr,
      void *context)
NO_OP(recvv, struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
      fi_addr_t src_addr, void *context)
NO_OP(recvmsg, struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
NO_OP(send, struct fid_ep *ep, const void *buf, size_t len, void *desc, fi_addr_t dest_addr,
      void *context)
NO_OP(sendv, struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
      fi_addr_t dest_addr, void *context)
NO_OP(sendmsg, struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
NO_OP(inject, struct fid_ep *ep, const void *buf, size_t len, fi_addr_t dest_addr)
NO_OP(senddata, struct fid_ep *ep, const void *buf, size_t len, void *desc, uint64_t data,
      fi_addr_t dest_addr, void *context)
NO_OP(injectdata, struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
      fi_addr_t dest_addr)

struct fi_ops_msg weft_fi_no_msg_ops = {
	.size = sizeof(struct fi_ops_msg),
	.recv = weft_fi_no_recv,
	.recvv = weft_fi_no_recvv,
	.recvmsg = weft_fi_no_recvmsg,
	.send = weft_fi_no_send,
	.sendv = weft_fi_no_sendv,
	.sendmsg = weft_fi_no_sendmsg,
	.inject = weft_fi_no_inject,
	.senddata = weft_fi_no_senddata,
	.injectdata = weft_fi_no_injectdata,
};

NO_OP(trecv, struct fid_ep *ep, void *buf, size_t len, void *desc, fi_addr_t src_addr,
      uint64_t tag, uint64_t ignore, void *context)
NO_OP(trecvv, struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
      fi_addr_t src_addr, uint64_t tag, uint64_t ignore, void *context)
NO_OP(trecvmsg, struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags)
NO_OP(tsend, struct fid_ep *ep, const void *buf, size_t len, void *desc, fi_addr_t dest_addr,
      uint64_t tag, void *context)
NO_OP(tsendv, struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
      fi_addr_t dest_addr, uint64_t tag, void *context)
NO_OP(tsendmsg, struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags)
NO_OP(tinject, struct fid_ep *ep, const void *buf, size_t len, fi_addr_t dest_addr, uint64_t tag)
NO_OP(tsenddata, struct fid_ep *ep, const void *buf, size_t len, void *desc, uint64_t data,
      fi_addr_t dest_addr, uint64_t tag, void *context)
NO_OP(tinjectdata, struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
      fi_addr_t dest_addr, uint64_t tag)

struct fi_ops_tagged weft_fi_no_tagged_ops = {
	.size = sizeof(struct fi_ops_tagged),
	.recv = weft_fi_no_trecv,
	.recvv = weft_fi_no_trecvv,
	.recvmsg = weft_fi_no_trecvmsg,
	.send = weft_fi_no_tsend,
	.sendv = weft_fi_no_tsendv,
	.sendmsg = weft_fi_no_tsendmsg,
	.inject = weft_fi_no_tinject,
	.senddata = weft_fi_no_tsenddata,
	.injectdata = weft_fi_no_tinjectdata,
};

/* ---- Remote memory access ----------------------------------------------------------------- */

NO_OP(read, struct fid_ep *ep, void *buf, size_t len, void *desc, fi_addr_t src_addr,
      uint64_t addr, uint64_t key, void *context)
NO_OP(readv, struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
      fi_addr_t src_addr, uint64_t addr, uint64_t key, void *context)
NO_OP(rmamsg, struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags)
NO_OP(write, struct fid_ep *ep, const void *buf, size_t len, void *desc, fi_addr_t dest_addr,
      uint64_t addr, uint64_t key, void *context)
NO_OP(inject_write, struct fid_ep *ep, const void *buf, size_t len, fi_addr_t dest_addr,
      uint64_t addr, uint64_t key)
NO_OP(writedata, struct fid_ep *ep, const void *buf, size_t len, void *desc, uint64_t data,
      fi_addr_t dest_addr, uint64_t addr, uint64_t key, void *context)
NO_OP(inject_writedata, struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
      fi_addr_t dest_addr, uint64_t addr, uint64_t key)

struct fi_ops_rma weft_fi_no_rma_ops = {
	.size = sizeof(struct fi_ops_rma),
	.read = weft_fi_no_read,
	.readv = weft_fi_no_readv,
	.readmsg = weft_fi_no_rmamsg,
	.write = weft_fi_no_write,
	.writev = weft_fi_no_readv,
	.writemsg = weft_fi_no_rmamsg,
	.inject = weft_fi_no_inject_write,
	.writedata = weft_fi_no_writedata,
	.injectdata = weft_fi_no_inject_writedata,
};

/* ---- Atomics ------------------------------------------------------------------------------ */

NO_OP(atomic, struct fid_ep *ep, const void *buf, size_t count, void *desc, fi_addr_t dest_addr,
      uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op, void *context)
NO_OP(atomicv, struct fid_ep *ep, const struct fi_ioc *iov, void **desc, size_t count,
      fi_addr_t dest_addr, uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op,
      void *context)
NO_OP(atomicmsg, struct fid_ep *ep, const struct fi_msg_atomic *msg, uint64_t flags)
NO_OP(inject_atomic, struct fid_ep *ep, const void *buf, size_t count, fi_addr_t dest_addr,
      uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op)
NO_OP(fetch, struct fid_ep *ep, const void *buf, size_t count, void *desc, void *result,
      void *result_desc, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
      enum fi_datatype datatype, enum fi_op op, void *context)
NO_OP(fetchv, struct fid_ep *ep, const struct fi_ioc *iov, void **desc, size_t count,
      struct fi_ioc *resultv, void **result_desc, size_t result_count, fi_addr_t dest_addr,
      uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op, void *context)
NO_OP(fetchmsg, struct fid_ep *ep, const struct fi_msg_atomic *msg, struct fi_ioc *resultv,
      void **result_desc, size_t result_count, uint64_t flags)
NO_OP(compare, struct fid_ep *ep, const void *buf, size_t count, void *desc, const void *compare,
      void *compare_desc, void *result, void *result_desc, fi_addr_t dest_addr, uint64_t addr,
      uint64_t key, enum fi_datatype datatype, enum fi_op op, void *context)
NO_OP(comparev, struct fid_ep *ep, const struct fi_ioc *iov, void **desc, size_t count,
      const struct fi_ioc *comparev, void **compare_desc, size_t compare_count,
      struct fi_ioc *resultv, void **result_desc, size_t result_count, fi_addr_t dest_addr,
      uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op, void *context)
NO_OP(comparemsg, struct fid_ep *ep, const struct fi_msg_atomic *msg,
      const struct fi_ioc *comparev, void **compare_desc, size_t compare_count,
      struct fi_ioc *resultv, void **result_desc, size_t result_count, uint64_t flags)
NO_QUERY(atomic_valid, struct fid_ep *ep, enum fi_datatype datatype, enum fi_op op,
	 size_t *count)

struct fi_ops_atomic weft_fi_no_atomic_ops = {
	.size = sizeof(struct fi_ops_atomic),
	.write = weft_fi_no_atomic,
	.writev = weft_fi_no_atomicv,
	.writemsg = weft_fi_no_atomicmsg,
	.inject = weft_fi_no_inject_atomic,
	.readwrite = weft_fi_no_fetch,
	.readwritev = weft_fi_no_fetchv,
	.readwritemsg = weft_fi_no_fetchmsg,
	.compwrite = weft_fi_no_compare,
	.compwritev = weft_fi_no_comparev,
	.compwritemsg = weft_fi_no_comparemsg,
	.writevalid = weft_fi_no_atomic_valid,
	.readwritevalid = weft_fi_no_atomic_valid,
	.compwritevalid = weft_fi_no_atomic_valid,
};

/* ---- Collectives -------------------------------------------------------------------------- */

NO_OP(barrier, struct fid_ep *ep, fi_addr_t coll_addr, void *context)
NO_OP(broadcast, struct fid_ep *ep, void *buf, size_t count, void *desc, fi_addr_t coll_addr,
      fi_addr_t root_addr, enum fi_datatype datatype, uint64_t flags, void *context)
NO_OP(gather_all, struct fid_ep *ep, const void *buf, size_t count, void *desc, void *result,
      void *result_desc, fi_addr_t coll_addr, enum fi_datatype datatype, uint64_t flags,
      void *context)
NO_OP(reduce_all, struct fid_ep *ep, const void *buf, size_t count, void *desc, void *result,
      void *result_desc, fi_addr_t coll_addr, enum fi_datatype datatype, enum fi_op op,
      uint64_t flags, void *context)
NO_OP(reduce, struct fid_ep *ep, const void *buf, size_t count, void *desc, void *result,
      void *result_desc, fi_addr_t coll_addr, fi_addr_t root_addr, enum fi_datatype datatype,
      enum fi_op op, uint64_t flags, void *context)
NO_OP(gather_one, struct fid_ep *ep, const void *buf, size_t count, void *desc, void *result,
      void *result_desc, fi_addr_t coll_addr, fi_addr_t root_addr, enum fi_datatype datatype,
      uint64_t flags, void *context)
NO_OP(collmsg, struct fid_ep *ep, const struct fi_msg_collective *msg, struct fi_ioc *resultv,
      void **result_desc, size_t result_count, uint64_t flags)
NO_OP(barrier2, struct fid_ep *ep, fi_addr_t coll_addr, uint64_t flags, void *context)

struct fi_ops_collective weft_fi_no_collective_ops = {
	.size = sizeof(struct fi_ops_collective),
	.barrier = weft_fi_no_barrier,
	.broadcast = weft_fi_no_broadcast,
	.alltoall = weft_fi_no_gather_all,
	.allreduce = weft_fi_no_reduce_all,
	.allgather = weft_fi_no_gather_all,
	.reduce_scatter = weft_fi_no_reduce_all,
	.reduce = weft_fi_no_reduce,
	.scatter = weft_fi_no_gather_one,
	.gather = weft_fi_no_gather_one,
	.msg = weft_fi_no_collmsg,
	.barrier2 = weft_fi_no_barrier2,
};
