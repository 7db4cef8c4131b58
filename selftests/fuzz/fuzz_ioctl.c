// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzing: the calls of a program
 *
 * The target is kernel/dev's ioctls, its table of objects and its ring memory, with the core behind
 * them. selftests/fuzz/kernel stands for the rest of the kernel. The input is two bytes that choose
 * an allocation to fail, and steps: a byte for the kind, and the bytes that the step needs. A
 * structure begins with valid values, and the input changes bytes of it.
 */
#include "port/port.h"
#include "kernel/stand_in.h"
#include "dev/ctx.h"
#include "dev/upcalls.h"
#include "fuzz.h"

#define STEPS	200
#define KINDS	6	/* kinds of objects whose handles are remembered */
#define EACH	4	/* handles of a kind */

enum kind { CQ, EQ, AV, EP, SRQ, MR };

/**
 * struct world - state of one input
 * @p: bytes that are left
 * @n: how many
 * @port: the port
 * @dev: its device
 * @ctx: an open device
 * @made: handles, by kind
 * @nmade: how many were made, of each kind
 * @stopped: the port has gone
 */
struct world {
	const u8 *p;
	size_t n;
	struct weft_port port;
	struct weft_dev dev;
	struct weft_ctx *ctx;
	u32 made[KINDS][EACH];
	u32 nmade[KINDS];
	bool stopped;
};

static struct world w;
static struct mm_struct mm, other_mm;
static struct task_struct task = { .mm = &mm, .group_leader = &task };
struct task_struct *stand_in_current = &task;
static struct weft_owner owner;

struct weft_dev *weft_dev_by_id(u32 id)
{
	WARN_ON(id != w.dev.id);
	return &w.dev;
}

struct weft_owner *weft_owner_get(kuid_t uid)
{
	owner.ctxs++;
	return &owner;
}

void weft_owner_put(struct weft_owner *of)
{
	WARN_ON(!of->ctxs--);
}

void weft_up_put(struct weft_port *port)
{
	refcount_dec(&port->ref);
}

static u32 number(u32 bytes)
{
	u32 x = 0;

	for (; bytes && w.n; bytes--, w.n--)
		x = x << 8 | *w.p++;
	return x;
}

static void take(void *to, size_t n)
{
	n = min(n, w.n);
	memcpy(to, w.p, n);
	w.p += n;
	w.n -= n;
}

static u32 handle(enum kind kind)
{
	return w.made[kind][number(1) % EACH];
}

static void remember(enum kind kind, u32 h)
{
	w.made[kind][w.nmade[kind]++ % EACH] = h;
}

static void address(struct weft_sockaddr *a)
{
	u32 what = number(1);

	memset(a, 0, sizeof(*a));
	a->family = what & 1 ? AF_INET : 0;
	if (what & 2)
		a->family = AF_INET6;
	a->port = cpu_to_be16(what >> 4);
	if (what & 4)
		memcpy(a->addr, "\12\115\0\2", 4);
	else if (what & 8)
		memcpy(a->addr, "\340\0\0\11", 4);
	else if (what & 1)
		memcpy(a->addr, "\12\115\0\1", 4);
}

/* ---- ioctls ---------------------------------------------------------------------------------- */

/* The largest structure. */
union arg {
	u8 b[768];
	struct {
		u32 size, flags;
	};
	struct weft_ioc_query query;
	struct weft_ioc_cq cq;
	struct weft_ioc_eq eq;
	struct weft_ioc_av av;
	struct weft_ioc_av_insert in;
	struct weft_ioc_ep ep;
	struct weft_ioc_ep_enable en;
	struct weft_ioc_handle h;
	struct weft_ioc_name name;
	struct weft_ioc_cm cm;
	struct weft_ioc_mr mr;
	struct weft_ioc_cancel cancel;
	struct weft_ioc_srq srq;
	struct weft_ioc_srq_query sq;
	struct weft_ioc_mark mark;
	struct weft_ioc_srq_cancel sc;
	struct weft_ioc_group group;
	struct weft_ioc_region region;
	struct weft_ioc_region_end region_end;
	struct weft_ioc_trigger_add trigger;
	struct weft_ioc_trigger_end trigger_end;
};

/* Valid contents of that call's structure, except for its length. */
static void fill_object(union arg *a, unsigned int cmd)
{
	u32 how = number(1);

	switch (cmd) {
	case WEFT_IOC_CQ_CREATE:
		a->flags = how & 1 ? WEFT_CQF_COUNT : 0;
		a->cq.slots = how & 1 ? 0 : how + 1;
		break;
	case WEFT_IOC_EP_CREATE:
		a->ep.type = how % 4 + 1;
		a->flags = how & 4 ? WEFT_EPF_SRQ : 0;
		if (a->ep.type == WEFT_EP_RDM || a->ep.type == WEFT_EP_MSG)
			a->flags |= WEFT_EPF_RMA | WEFT_EPF_REMOTE_READ | WEFT_EPF_REMOTE_WRITE;
		if (a->ep.type != WEFT_EP_PASSIVE) {
			a->ep.sq_slots = (how >> 3) + 1;
			a->ep.rq_slots = how & 4 ? 0 : (how >> 3) + 1;
		}
		address(&a->ep.addr);
		/* the key of a job, and others */
		if (how & 0x80) {
			a->ep.key = STAND_IN_USER + (how & 0x40 ? 0x40 : 0x80 + number(1));
			a->ep.key_size = how & 0x20 ? WEFT_KEY_MIN : number(2);
		}
		break;
	case WEFT_IOC_EP_ENABLE:
		a->en.handle = handle(EP);
		a->en.tx_cq = handle(CQ);
		a->en.rx_cq = handle(CQ);
		a->en.eq = handle(EQ);
		a->en.av = how & 1 ? handle(AV) : WEFT_HANDLE_NONE;
		a->en.srq = how & 2 ? handle(SRQ) : WEFT_HANDLE_NONE;
		a->en.tx_cntr = how & 4 ? handle(CQ) : WEFT_HANDLE_NONE;
		a->en.write_cntr = how & 8 ? handle(CQ) : WEFT_HANDLE_NONE;
		a->en.remote_read_cntr = how & 0x10 ? handle(CQ) : WEFT_HANDLE_NONE;
		break;
	case WEFT_IOC_SRQ_CREATE:
	case WEFT_IOC_SRQ_RESIZE:
		a->srq.slots = how + 1;
		a->srq.recvs = how + 1;
		a->srq.handle = handle(SRQ);
		if (cmd == WEFT_IOC_SRQ_CREATE)
			a->srq.eq = how & 1 ? handle(EQ) : WEFT_HANDLE_NONE;
		break;
	case WEFT_IOC_MR_REG:
		a->mr.access = how % 4;
		a->mr.addr = STAND_IN_USER + number(2);
		a->mr.len = how;
		break;
	case WEFT_IOC_REGION_ADD:
		a->region.access = how % 4;
		a->region.nsegs = (how >> 2) % 4 + 1;
		a->flags = how & 0x10 ? WEFT_REGIONF_KEY : 0;
		a->region.key = how & 0x10 ? 0 : how >> 5;
		a->region.zone = how >> 6 & 1;
		a->region.segs = STAND_IN_USER + 0x1000 + number(1);
		a->region.cntr = how & 0x20 ? handle(CQ) : WEFT_HANDLE_NONE;
		break;
	case WEFT_IOC_AV_INSERT:
	case WEFT_IOC_AV_REMOVE:
		a->in.handle = handle(AV);
		a->in.count = how % 16;
		a->in.addrs = cmd == WEFT_IOC_AV_INSERT ? STAND_IN_USER + 0x1000 : 0;
		a->in.index = STAND_IN_USER + 0x2000;
		break;
	default:
		break;
	}
}

static void fill_call(union arg *a, unsigned int cmd)
{
	u32 how = number(1);

	switch (cmd) {
	case WEFT_IOC_DESTROY:
		a->h.handle = handle(how % KINDS);
		break;
	case WEFT_IOC_SHUTDOWN:
		a->flags = how & 1;
		a->h.handle = handle(EP);
		break;
	case WEFT_IOC_SETNAME:
	case WEFT_IOC_GETNAME:
	case WEFT_IOC_GETPEER:
		a->name.handle = handle(EP);
		address(&a->name.addr);
		break;
	case WEFT_IOC_LISTEN:
		a->cm.eq = handle(EQ);
		a->cm.backlog = how;
		fallthrough;
	case WEFT_IOC_CONNECT:
	case WEFT_IOC_ACCEPT:
	case WEFT_IOC_REJECT:
	case WEFT_IOC_HANDOFF:
		a->cm.handle = handle(EP);
		if (cmd == WEFT_IOC_LISTEN)
			break;
		address(&a->cm.addr);
		a->cm.conn = cmd == WEFT_IOC_CONNECT ? 0 : how;
		a->cm.data_len = cmd == WEFT_IOC_HANDOFF ? 0 : how;
		break;
	case WEFT_IOC_CANCEL:
		a->cancel.handle = handle(EP);
		a->cancel.context = how;
		break;
	case WEFT_IOC_SRQ_QUERY:
	case WEFT_IOC_SRQ_NOTIFY:
		a->h.handle = handle(SRQ);
		break;
	case WEFT_IOC_SRQ_CANCEL:
		a->sc.handle = handle(SRQ);
		a->sc.cq = handle(CQ);
		a->sc.context = how;
		break;
	case WEFT_IOC_SRQ_ARM:
		a->mark.handle = handle(SRQ);
		a->mark.low = how;
		break;
	case WEFT_IOC_EP_MARK:
	case WEFT_IOC_EP_HELD:
		a->mark.handle = handle(EP);
		if (cmd == WEFT_IOC_EP_MARK) {
			a->mark.soft = how & 15;
			a->mark.hard = how >> 4;
		}
		break;
	case WEFT_IOC_GROUP_JOIN:
	case WEFT_IOC_GROUP_LEAVE:
		a->group.handle = handle(EP);
		if (cmd == WEFT_IOC_GROUP_JOIN) {
			a->flags = how & 3;
			address(&a->group.addr);
		} else {
			a->group.group = how;
		}
		break;
	case WEFT_IOC_REGION_END:
		a->region_end.key = how & 7;
		a->region_end.zone = how >> 3 & 1;
		break;
	case WEFT_IOC_TRIGGER_ADD:
		a->flags = how & 3;
		a->trigger.cntr = handle(CQ);
		a->trigger.op = (how >> 2) % 4 + 1;
		a->trigger.object = handle(how & 8 ? CQ : EP);
		a->trigger.done = how & 0x20 ? handle(CQ) : WEFT_HANDLE_NONE;
		a->trigger.zone = how >> 7;
		a->trigger.threshold = how >> 4 & 3;
		a->trigger.id = how >> 6;
		if (how & 8) {
			a->trigger.value = number(1) & 3;
		} else {
			a->trigger.nslots = how & 0x40 ? 1 : how >> 5;
			a->trigger.entry = STAND_IN_USER + 0x1000 + number(1);
		}
		break;
	case WEFT_IOC_TRIGGER_END:
		a->flags = how & 3;
		a->trigger_end.zone = how >> 7;
		a->trigger_end.cntr = how & 4 ? handle(CQ) : WEFT_HANDLE_NONE;
		a->trigger_end.object = how & 8 ? handle(how & 0x10 ? CQ : EP) : WEFT_HANDLE_NONE;
		a->trigger_end.id = how & 1 ? how >> 6 : 0;
		break;
	default:
		break;
	}
}

/* A created object can be found, under the handle that the program got. */
static void made(unsigned int cmd, const union arg *a)
{
	static const struct {
		unsigned int cmd;
		enum kind kind;
		u32 at;
	} makes[] = {
		{ WEFT_IOC_CQ_CREATE, CQ, offsetof(struct weft_ioc_cq, handle) },
		{ WEFT_IOC_EQ_CREATE, EQ, offsetof(struct weft_ioc_eq, handle) },
		{ WEFT_IOC_AV_CREATE, AV, offsetof(struct weft_ioc_av, handle) },
		{ WEFT_IOC_EP_CREATE, EP, offsetof(struct weft_ioc_ep, handle) },
		{ WEFT_IOC_SRQ_CREATE, SRQ, offsetof(struct weft_ioc_srq, handle) },
		{ WEFT_IOC_MR_REG, MR, offsetof(struct weft_ioc_mr, handle) },
	};
	u32 i, h;

	for (i = 0; i < ARRAY_SIZE(makes); i++) {
		if (_IOC_NR(makes[i].cmd) != _IOC_NR(cmd))
			continue;
		memcpy(&h, a->b + makes[i].at, sizeof(h));
		mutex_lock(&w.ctx->lock);
		WARN_ON(!weft_obj_find(w.ctx, h, NULL));
		mutex_unlock(&w.ctx->lock);
		remember(makes[i].kind, h);
	}
}

static void call(void)
{
	static const unsigned int cmds[] = {
		WEFT_IOC_QUERY, WEFT_IOC_CQ_CREATE, WEFT_IOC_EQ_CREATE, WEFT_IOC_AV_CREATE,
		WEFT_IOC_AV_INSERT, WEFT_IOC_AV_REMOVE, WEFT_IOC_EP_CREATE, WEFT_IOC_EP_ENABLE,
		WEFT_IOC_DESTROY, WEFT_IOC_SETNAME, WEFT_IOC_GETNAME, WEFT_IOC_GETPEER,
		WEFT_IOC_LISTEN, WEFT_IOC_CONNECT, WEFT_IOC_ACCEPT, WEFT_IOC_REJECT,
		WEFT_IOC_SHUTDOWN, WEFT_IOC_MR_REG, WEFT_IOC_HANDOFF, WEFT_IOC_CANCEL,
		WEFT_IOC_SRQ_CREATE, WEFT_IOC_SRQ_RESIZE, WEFT_IOC_SRQ_QUERY, WEFT_IOC_SRQ_NOTIFY,
		WEFT_IOC_SRQ_CANCEL, WEFT_IOC_SRQ_ARM, WEFT_IOC_EP_MARK, WEFT_IOC_EP_HELD,
		WEFT_IOC_GROUP_JOIN, WEFT_IOC_GROUP_LEAVE, WEFT_IOC_REGION_ADD,
		WEFT_IOC_REGION_END, WEFT_IOC_TRIGGER_ADD, WEFT_IOC_TRIGGER_END,
	};
	unsigned int what = number(1), cmd = cmds[what % ARRAY_SIZE(cmds)];
	u64 at = STAND_IN_USER + 0x800;
	union arg a;
	u32 n, off;
	long err;

	memset(&a, 0, sizeof(a));
	a.size = _IOC_SIZE(cmd);
	fill_object(&a, cmd);
	fill_call(&a, cmd);
	for (n = number(1); n & 7; n--) {
		off = number(1) % (_IOC_SIZE(cmd) + 8);
		a.b[off] = number(1);
	}
	/* the structure cannot be written, cannot be read, or the number of the call is unknown */
	if (n & 0x80)
		at = STAND_IN_USER + number(2);
	if ((n & 0x48) == 0x48)
		cmd = _IOWR('w' + !(what & 7), number(1), u32);
	memcpy(stand_in_user + 0x800, &a, sizeof(a));
	if (stand_in_at(u64_to_user_ptr(at), sizeof(a), false))
		memcpy(stand_in_user + (at - STAND_IN_USER), &a, sizeof(a));
	if (!number(1))
		task.mm = &other_mm;
	err = weft_ioctl(w.ctx, cmd, u64_to_user_ptr(at));
	task.mm = &mm;
	WARN_ON(err > 0);
	if (err)
		return;
	memcpy(&a, stand_in_user + (at - STAND_IN_USER), sizeof(a.size) + 64);
	made(cmd, &a);
}

/* ---- Other calls ----------------------------------------------------------------------------- */

/* Bytes of a ring, or doorbells. */
static void write_ring(void)
{
	struct weft_area *area = xa_load(&w.ctx->rings.areas, number(1) % 16 + 1);
	u32 at = number(2), n = number(1) % 65;

	if (!area || !area->user_writes)
		return;
	at %= area->npages << PAGE_SHIFT;
	take((u8 *)area->kva + at, min_t(u32, n, (area->npages << PAGE_SHIFT) - at));
}

/* A wait, or any offset. */
static void seek_file(struct file *file, u32 how)
{
	u64 where = WEFT_CQ_SEEK | (how & 2 ? 1000ull << 32 : 0) | how >> 5;

	if (how & 4)
		take(&where, sizeof(where));
	file->f_op->llseek(file, where, how & 1 ? number(1) : WEFT_CQ_SEEK_WAIT);
}

static void call_file(void)
{
	struct file *file = stand_in_file[number(1) % STAND_IN_FILES];
	u32 how = number(1);

	if (!file)
		return;
	if (!(how & 0x10) && file->f_op->llseek)
		seek_file(file, how);
	else if (file->f_op->unlocked_ioctl && how & 0x20)
		file->f_op->unlocked_ioctl(file, how & 0x40 ? WEFT_IOC_CNTR_CHANGE :
					   WEFT_IOC_CQ_WAIT, STAND_IN_USER + how * 4);
	else if (file->f_op->unlocked_ioctl)
		file->f_op->unlocked_ioctl(file, how & 8 ? WEFT_IOC_CQ_NOTIFY :
					   WEFT_IOC_CQ_SIGNAL, 0);
	if (file->f_op->read)
		file->f_op->read(file, (char *)STAND_IN_USER + 0x800, how * 4, NULL);
	file->f_op->poll(file, NULL);
}

static void map(void)
{
	struct vm_area_struct vma = {
		.vm_pgoff = (unsigned long)number(1) << 12,
		.vm_flags = number(1) | VM_MAYWRITE,
		.npages = number(1),
		.vm_mm = &mm,
	};

	if (number(1) & 1)
		vma.vm_pgoff += number(2);
	mm.mmap_locked = true;
	if (!weft_rings_mmap(&w.ctx->rings, &vma))
		WARN_ON(vma.vm_flags & (VM_EXEC | VM_MAYEXEC) || !(vma.vm_flags & VM_DONTCOPY));
	mm.mmap_locked = false;
}

static void stop(void)
{
	bool more = !w.stopped;

	w.stopped = true;
	while (more) {
		more = weft_core_stop(&w.port.core, weft_now(), ENODEV, w.dev.out);
		weft_flush(w.dev.out);
	}
	WRITE_ONCE(w.port.core.ended, true);
}

static void step(void)
{
	u32 what = number(1);

	switch (what % 16) {
	case 10:
		weft_notify(w.ctx, handle(EP), what >> 4);
		break;
	case 11:
		write_ring();
		break;
	case 12:
		call_file();
		break;
	case 13:
		map();
		break;
	case 14:
		what = number(1) % STAND_IN_BYTES;
		take(stand_in_user + 0x1000 + what, number(1));
		stand_in_now += (u64)what << 20;
		stand_in_work();
		break;
	case 15:
		if (what == 0xff)
			stop();
		else
			stand_in_close(number(1) % STAND_IN_FILES);
		break;
	default:
		call();
	}
	weft_host_balanced(__FILE__, __LINE__);
}

/* ---- The world ------------------------------------------------------------------------------- */

/* A job that the user may use, by a group, and one that he may not. Their keys are zeros. */
static void add_jobs(void)
{
	static const struct weft_job_who group = { .ngid = 1, .gid = { 7 } };
	static const struct weft_job_who user = { .nuid = 1, .uid = { 9 } };
	struct weft_job_key key;

	weft_key_digest(&key, stand_in_user, WEFT_KEY_MIN);
	WARN_ON(weft_job_add(&w.port.core, "his", &key, &group));
	weft_key_digest(&key, stand_in_user, WEFT_KEY_MIN + 1);
	WARN_ON(weft_job_add(&w.port.core, "others", &key, &user));
}

static void begin(void)
{
	struct weft_sockaddr addr[2] = {
		{ .family = AF_INET, .addr = { 10, 77, 0, 1 } },
		{ .family = AF_INET6, .addr = { 0xfd, 0x77, [15] = 1 } },
	};
	struct weft_conf conf;

	weft_host_seed(1);
	weft_conf_default(&conf);
	memset(stand_in_user, 0, sizeof(stand_in_user));
	memcpy(stand_in_user + 0x1000, addr, sizeof(addr));
	WARN_ON(weft_core_init(&w.port.core, &conf, addr, ARRAY_SIZE(addr), &w.port));
	add_jobs();
	refcount_set(&w.port.ref, 2);
	w.port.dev = &w.dev;
	w.dev.port = &w.port;
	w.dev.core = &w.port.core;
	w.dev.id = 1;
	w.dev.seek = true;
	mutex_init(&w.dev.lock);
	INIT_LIST_HEAD(&w.dev.ctxs);
	w.dev.out = weft_out_new(&w.port.core);
	WARN_ON(weft_deferred_init(&w.dev.orphans, NULL, &w.port.core, NULL));
}

static void end(void)
{
	int fd;

	for (fd = 0; fd < STAND_IN_FILES; fd += 2)
		stand_in_close(fd);
	if (w.ctx) {
		weft_ctx_kill(w.ctx);
		weft_ctx_put(w.ctx);
	}
	/* files may stay open longer than their objects exist */
	for (fd = 1; fd < STAND_IN_FILES; fd += 2)
		stand_in_close(fd);
	stand_in_work();
	stop();
	weft_deferred_exit(&w.dev.orphans);
	weft_core_exit(&w.port.core);
	weft_free(w.dev.out);
	weft_host_quiesce();
	weft_host_balanced(__FILE__, __LINE__);
	if (weft_host_live() || refcount_read(&w.port.ref) != 1 || w.dev.ctxs.next != &w.dev.ctxs)
		weft_host_die(__FILE__, __LINE__, "%ld allocations are left, and %u references",
			      weft_host_live(), refcount_read(&w.port.ref));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	u32 n;

	memset(&w, 0, sizeof(w));
	w.p = data;
	w.n = len;
	begin();
	weft_host_fail_nth(number(2));
	w.ctx = weft_ctx_new(&w.dev);
	if (IS_ERR(w.ctx)) {
		w.ctx = NULL;
		weft_up_put(&w.port);
	} else {
		refcount_inc(&w.ctx->ref);
	}
	for (n = 0; w.ctx && w.n && n < STEPS; n++)
		step();
	weft_host_fail_nth(0);
	end();
	return 0;
}
