// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - ioctls on /dev/weft/<port> and on files of objects: structures, files of new objects
 *
 * Ioctls that create an object with a file call weft_call_file(). ioctl.c publishes or aborts the
 * object and its file. The functions take no lock.
 */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include <linux/uaccess.h>

#include "ctx.h"

/**
 * weft_call_file - make the file of a new object
 * @call: the call; call->obj is the object
 * @name: name of the file in /proc/PID/fd
 * @fops: its operations; ->release() calls weft_obj_put()
 * @flags: O_RDONLY, O_RDWR
 *
 * Return: 0, -EMFILE, -ENFILE, -ENOMEM.
 */
int weft_call_file(struct weft_call *call, const char *name, const struct file_operations *fops,
		   int flags)
{
	struct file *file;
	int fd = get_unused_fd_flags(flags | O_CLOEXEC);

	if (fd < 0)
		return fd;
	file = anon_inode_getfile(name, fops, call->obj, flags | O_CLOEXEC);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	refcount_inc(&call->obj->ref);
	call->file = file;
	call->fd = fd;
	return 0;
}

/**
 * weft_copy_in - copy an ioctl's structure
 * @arg: out: the structure
 * @ksize: bytes of it in version 1 of the interface
 * @uarg: the program's structure
 *
 * Return: 0, -EFAULT, -EINVAL: shorter than in version 1, -E2BIG: longer, with non-zero bytes that
 * this version does not know.
 */
int weft_copy_in(void *arg, u32 ksize, const void __user *uarg)
{
	u32 size;
	int err;

	if (get_user(size, (const u32 __user *)uarg))
		return -EFAULT;
	if (size < ksize)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(arg, ksize, uarg, size);
	*(u32 *)arg = size;	/* the program may have changed it meanwhile */
	return err;
}
