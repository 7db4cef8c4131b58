#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# By which system call programs notify and wait: as the port says when they open it.
# TIMEOUT: 200

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

[ "$LINK" = veth ] || { tap_skip "doorbell" "there is no veth link"; tap_done; }

shows()	# NODE SETTING
{
	[ "$(node "$1" cat /sys/class/weft/weft"$1"/doorbell)" = "$2" ] &&
		node "$1" weftctl port show weft"$1" | grep -q " doorbell $2 "
}

set_to()	# SETTING
{
	for i in 0 1; do
		node $i weftctl port set weft$i doorbell "$1" && shows $i "$1" || return 1
	done
}

# calls CALL PATTERN: lines of a program's system calls on the port and on its queues
calls()
{
	grep -cE "^[0-9]+ +$1\([0-9]+<(/dev/weft/|anon_inode:\[weft).*$2" /run/weft/trace
}

traced()	# PROVIDER'S TYPE: fi_pingpong, whose system calls are recorded
{
	node 1 fi_pingpong -p weft -e "$1" -S 64 -I 50 &
	server=$!
	vm_wait 20 vm_listening $server 47592 || return 1
	node 0 strace -f -y -e trace=lseek,ioctl -o /run/weft/trace \
		fi_pingpong -p weft -e "$1" -S 64 -I 50 10.77.0.2 && wait $server || return 1
	echo "lseek $(calls lseek "") notify $(calls ioctl '0x77, 0x3[1234]')"
}

by_lseek()
{
	traced rdm && [ "$(calls lseek "")" -ge 50 ] &&
		[ "$(calls ioctl '0x77, 0x3[1234]')" = 0 ]
}

by_ioctl()
{
	traced "$1" && [ "$(calls lseek "")" = 0 ] &&
		[ "$(calls ioctl '0x77, 0x3[1234]')" -ge 50 ]
}

refused()
{
	node 0 weftctl port set weft0 doorbell bell 2>&1 | grep "it must be lseek or ioctl"
}

tap_run "a port begins with lseek" shows 0 lseek
tap_run "programs notify by lseek" by_lseek
tap_run "ioctl" set_to ioctl
tap_run "programs notify by ioctl, rdm" by_ioctl rdm
tap_run "programs notify by ioctl, msg" by_ioctl msg
tap_run "all sizes" pingpong 1 10.77.0.2 -e rdm -S all -I 2
tap_run "a word that is no setting" refused
tap_run "lseek again" set_to lseek
tap_run "programs notify by lseek again" by_lseek
tap_done
