// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - ioctls on /dev/weft/<port>: files of objects
 *
 * Calls that make an object with a file use it; ioctl.c, which knows the calls, publishes or aborts
 * what they have made. Locks: none here.
 */
#include <linux/anon_inodes.h>
#include <linux/fs.h>

#include "ctx.h"

/**
 * weft_call_file - make the file of a new object
 * @call: the call; call->obj is the object
 * @name: of the file, for those who look
 * @fops: its operations; ->release() calls weft_obj_put()
 * @flags: O_RDONLY, O_RDWR
 *
 * Return: 0, -EMFILE, -ENFILE, -ENOMEM.
 */
int weft_call_file(struct weft_call *call, const char *name, const struct file_operations *fops,
		   int flags)
{
	struct file *file;
	int fd;

	fd = get_unused_fd_flags(flags | O_CLOEXEC);
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
