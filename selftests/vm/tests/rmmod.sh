#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The module stays while a file is open, and can be removed after the last close, with ports and
# paths or without; several times.
# TIMEOUT: 300 NEEDS: reload KERNELS: each

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

again()	# load the module and make the ports as before
{
	vm_load || return 1
	if [ "$LINK" = loop ]; then
		vm_port 0 weft0 loop addr 10.77.0.1
	else
		vm_port 0 weft0 netdev veth0 && vm_port 1 weft1 netdev veth1
	fi
}

refused()
{
	! rmmod weft
}

gone()
{
	rmmod weft && [ ! -e /sys/module/weft ] && [ ! -e /dev/weft/weft0 ]
}

node 0 sh -c 'exec 5<>/dev/weft/weft0; echo >/run/weft/held; exec sleep 1000' &
pid=$!
vm_wait 30 [ -e /run/weft/held ]
tap_run "rmmod is refused while a file is open" refused
kill $pid
wait $pid
tap_run "rmmod with two ports" gone
tap_run "loaded again" again
addr=10.77.0.2
[ "$LINK" = loop ] && addr=10.77.0.1
for i in 1 2 3; do
	tap_run "traffic, round $i" pingpong 1 $addr -e rdm -I 10
	tap_run "rmmod after it, round $i" gone
	tap_run "loaded again, round $i" again
done
rm -f /run/weft/held
tap_done
