#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The module stays while a file is open, and goes when the last one is closed,
# ports and paths or not; several times.

. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"
. "$VM_REPO/selftests/vm/lib.sh"

again()	# load it and make the ports as they were
{
	vm_load || return 1
	if [ "$LINK" = loop ]; then
		vm_port 0 weft0 loop addr 10.77.0.1
	else
		vm_port 0 weft0 netdev veth0 && vm_port 1 weft1 netdev veth1
	fi
}

mkfifo /tmp/hold
node 0 sh -c 'exec 5<>/dev/weft/weft0; echo ready; read line' </tmp/hold >/tmp/held &
pid=$!
exec 6>/tmp/hold
until grep -q ready /tmp/held; do kill -0 $pid || break; done
! rmmod weft 2>/tmp/rmmod.err
tap $? "rmmod is refused while a file is open"
exec 6>&-
wait $pid
rmmod weft && [ ! -e /sys/module/weft ] && [ ! -e /dev/weft/weft0 ]
tap $? "rmmod with two ports"
again
tap $? "loaded again"
addr=10.77.0.2
[ "$LINK" = loop ] && addr=10.77.0.1
for i in 1 2 3; do
	pingpong 1 $addr -e rdm -I 10 && rmmod weft && again
	tap $? "traffic, rmmod and load, round $i"
done
rm -f /tmp/hold
tap_end
