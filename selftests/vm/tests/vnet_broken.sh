#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A broken device: a wrong address of its send queue, written behind the driver's back, makes it ask
# for a reset. The port is removed, and its program ends with an error. The log says why. After a
# reset virtio_net has the device, and it works again.
# TIMEOUT: 300 NEEDS: nics

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"
. "$VM_REPO/selftests/vm/tests/lib/vnet.sh"

# config OFFSET BYTES: unsigned number from the NIC's configuration space
config()
{
	od -An -tu$2 -j$1 -N$2 $pci/config | tr -d ' '
}

# put OFFSET BYTES NUMBER
put()
{
	put_n=$3 put_bytes=
	for put_i in $(seq "$2"); do
		put_bytes=$put_bytes$(printf '\\%03o' $((put_n & 255)))
		put_n=$((put_n >> 8))
	done
	printf "$put_bytes" | dd of=$pci/config bs="$2" seek="$1" oflag=seek_bytes \
		conv=notrunc 2>/dev/null
}

# The vendor's capabilities of the types 1 (where registers are) and 5 (a window to them)
find_caps()
{
	cap=$(config 52 1) common= window=
	while [ "$cap" != 0 ]; do
		if [ "$(config $cap 1)" = 9 ]; then
			case $(config $((cap + 3)) 1) in
			1) common=$cap ;;
			5) window=$cap ;;
			esac
		fi
		cap=$(config $((cap + 1)) 1)
	done
	[ "$common" ] && [ "$window" ]
}

# register OFFSET BYTES NUMBER: written behind the driver's back
register()
{
	put $((window + 4)) 1 "$(config $((common + 4)) 1)" &&
		put $((window + 8)) 4 $(($(config $((common + 8)) 4) + $1)) &&
		put $((window + 12)) 4 "$2" && put $((window + 16)) "$2" "$3"
}

# Queue 1 takes its descriptors from an address without valid ones
astray()
{
	find_caps || { echo "no capabilities"; return 1; }
	register 22 2 1 && register 40 4 4096 && register 44 4 0 && register 28 2 1
}

breaks()
{
	vnet_pair rdm || { echo "no traffic"; return 1; }
	astray && vnet_ends $a /run/weft/a && vm_wait 20 [ ! -e /dev/weft/ev0 ]
	ok=$?
	vnet_over
	dmesg | tail -n 20
	node 2 weftctl event show ev0
	[ $ok = 0 ] && dmesg | grep -q "ev0: the device .* is broken; the port is given up" &&
		node 2 weftctl event show ev0 event device-broken | grep -q "ev0: device-broken why"
}

again()
{
	vm_wait 20 vnet_port 0 && pingpong 3 10.79.0.2 -e rdm -I 5 && vnet_del 0 &&
		vnet_interface 0
}

vnet_nodes && vnet_used 0 && vnet_port 0 && vnet_port 1 ||
	{ tap_not_ok "nodes"; tap_done; }
pci=/sys/bus/pci/devices/$(vm_nic 0)
tap_run "a device that does not work" breaks
tap_run "it is back with virtio_net" vnet_interface 0
tap_run "and can be taken again" again
tap_run "nodes go with their ports" vnet_end
rmmod virtio_net
tap_done
