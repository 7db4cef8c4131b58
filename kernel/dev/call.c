// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - ioctls on /dev/weft/<port>: files of objects
 *
 * Ioctls that create an object with a file call weft_call_file(). ioctl.c publishes or aborts the
 * object and its file. The functions take no lock.
 */
#include <linux/anon_inodes.h>
#include <linux/fs.h>

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
