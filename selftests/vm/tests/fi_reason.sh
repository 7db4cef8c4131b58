#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The log says why fi_getinfo offers nothing: as a warning to a user who asks for weft, else at the
# level info. fi_info of libfabric asks.
# TIMEOUT: 300

. "$VM_REPO/selftests/vm/lib.sh"

export FI_LOG_PROV=weft

log=/run/weft/reason

# says LEVEL TEXT COMMAND...: the log has a line of this level with this text
says()
{
	level=$1 text=$2
	shift 2
	"$@" >$log 2>&1
	grep -qF "<$level> $text" $log && return
	cat $log
	return 1
}

# silent COMMAND...: the provider warns of nothing
silent()
{
	FI_LOG_LEVEL=warn "$@" >$log 2>&1
	! grep ':weft:.*<warn>' $log
}

# warns TEXT COMMAND...; informs TEXT COMMAND...
warns()
{
	text=$1
	shift
	FI_LOG_LEVEL=warn says warn "$text" "$@"
}

informs()
{
	text=$1
	shift
	silent "$@" && FI_LOG_LEVEL=info says info "$text" "$@"
}

# hidden COMMAND...: on a node, without devices of ports and their names in sysfs
hidden()
{
	node 0 unshare -m sh -c 'mount -t tmpfs none /dev/weft &&
		mount -t tmpfs none /sys/class/weft && exec "$@"' sh "$@"
}

none_of_group()
{
	chgrp root /dev/weft/weft0 || return 1
	warns "weft0: no permission to open /dev/weft/weft0 of group 'root', mode 0660: install weft's udev rule" \
		node 0 $user fi_info -p weft
	result=$?
	chgrp weft /dev/weft/weft0 && return $result
}

user="setpriv --reuid 1990 --regid 1990 --clear-groups"
group="weft0: no permission to open /dev/weft/weft0: become a member of group 'weft' ('usermod -aG weft USER')"
caps="weft0 rdm: hints->caps asks for FI_COLLECTIVE (bits 0x40), weft offers FI_MSG"
module="no port: the kernel module is not loaded, load it ('modprobe weft') and add a port"
others="no port in this network namespace, "

tap_run "a hint that does not fit, of a program that names weft" \
	warns "$caps" node 0 fi_info -p weft -c FI_COLLECTIVE
tap_run "... whose user names it" \
	warns "$caps" env FI_PROVIDER=tcp,weft node 0 fi_info -c FI_COLLECTIVE
tap_run "... that names its fabric" \
	warns "$caps" node 0 fi_info -f weft -c FI_COLLECTIVE
tap_run "... that does not name it" \
	informs "$caps" node 0 fi_info -c FI_COLLECTIVE
tap_run "... whose user excludes another one" \
	informs "$caps" env FI_PROVIDER=^verbs node 0 fi_info -c FI_COLLECTIVE
tap_run "no warning when a port suits" \
	silent node 0 fi_info -p weft -c FI_TAGGED
tap_run "no permission" warns "$group" node 0 $user fi_info -p weft
tap_run "no permission, weft is not named" informs "$group" node 0 $user fi_info
tap_run "no group has the permission" none_of_group
tap_run "ports of other network namespaces" \
	warns "$others" unshare -n fi_info -p weft
tap_run "ports of other network namespaces, weft is not named" \
	informs "$others" unshare -n fi_info
tap_run "a container without the devices" \
	warns "no port: /sys/class/weft has ports, and /dev/weft has no device of them" \
	node 0 unshare -m sh -c 'mount -t tmpfs none /dev/weft && exec fi_info -p weft'
tap_run "no port" \
	warns "no port: add one, as in 'weftctl port add weft0 netdev eth0'" \
	hidden fi_info -p weft
tap_run "no module" \
	warns "$module" hidden sh -c 'mount -t tmpfs none /sys/module && exec fi_info -p weft'
tap_run "no module, weft is not named" \
	informs "$module" hidden sh -c 'mount -t tmpfs none /sys/module && exec fi_info'
tap_done
