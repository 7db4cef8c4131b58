#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# NICs with several pairs of queues and with checksum offload, as tap devices have
#
# The port uses as many pairs as it is told. Packets go through several of them, and engines have a
# thread for each. Run on the host, by root or where users may make network namespaces; the part
# "inside" runs in the machine.
# CHECK: all

inside()
{
	. "$VM_REPO/selftests/vm/lib.sh"
	. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"
	vm_quick_start

	tap_run "one pair for each CPU" queues 2
	tap_run "checksums are the device's" checksums
	tap_run "fi_pingpong -e rdm -S all" pingpong 1 10.77.0.2 -e rdm -S all -I 3
	tap_run "fi_pingpong -e msg, IPv6" six
	tap_run "several at a time" several
	tap_run "both pairs were used" both_used
	node 0 weftctl port set weft0 engine poll && node 1 weftctl port set weft1 engine poll
	tap_run "a thread for each pair" threads 2
	tap_run "fi_pingpong -e rdm, engine poll" pingpong 1 10.77.0.2 -e rdm -I 10
	tap_run "several at a time, engine poll" several
	node 0 weftctl port set weft0 engine inline
	node 0 weftctl port del weft0
	node 0 weftctl port add weft0 vnet "$(vm_nic 0)" addr 10.77.0.1/24 queues 1
	tap_run "one pair" queues 1
	tap_run "fi_pingpong -e rdm, one pair to two" pingpong 1 10.77.0.2 -e rdm -I 10
	node 0 weftctl port del weft0
	node 0 weftctl port add weft0 vnet "$(vm_nic 0)" addr 10.77.0.1/24 queues 64 mtu 9000
	tap_run "no more than the device has" queues 3
	tap_run "fi_pingpong -e rdm, three pairs to two" pingpong 1 10.77.0.2 -e rdm -I 10
	tap_done
}

# ports ADDRESS PREFIX: of one family, without the last digit
ports()
{
	for i in 0 1; do
		node $i weftctl port del weft$i force
		vm_port $i weft$i vnet "$(vm_nic $i)" addr "$1$((i + 1))/$2" || return 1
	done
}

six()
{
	ports fd77:: 64 && pingpong 1 fd77::2 -6 -e msg -I 10
	status=$?
	ports 10.77.0. 24 && return $status
}

queues()	# NUMBER
{
	node 0 weftctl port show weft0
	node 0 weftctl port show weft0 | grep -q " queues $1 "
}

# bits 0 and 1 of the features, the lowest first
checksums()
{
	cat /sys/bus/pci/devices/$(vm_nic 0)/virtio*/features
	grep -q '^11' /sys/bus/pci/devices/$(vm_nic 0)/virtio*/features
}

several()
{
	pids=
	for n in 1 2 3 4; do
		node 1 timeout 100 fi_pingpong -p weft -e rdm -B $((7000 + n)) -I 5 >/run/weft/s$n 2>&1 &
		pids="$pids $!"
		vm_wait 20 vm_listening $! $((7000 + n)) || return 1
	done
	for n in 1 2 3 4; do
		node 0 timeout 100 fi_pingpong -p weft -e rdm -P $((7000 + n)) -I 5 10.77.0.2 \
			>/run/weft/c$n 2>&1 &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait $pid || { cat /run/weft/s? /run/weft/c?; return 1; }
	done
}

# Each receive queue has had interrupts. Endpoints' random numbers choose the queue.
both_used()
{
	for n in 1 2 3 4 5 6 7 8; do
		used && return
		several || return 1
	done
	used
}

used()
{
	dev=$(basename /sys/bus/pci/devices/$(vm_nic 0)/virtio*)
	grep "$dev-" /proc/interrupts
	[ "$(awk -v dev="$dev-weft-rx" '$0 ~ dev && $2 + $3 > 0' /proc/interrupts | wc -l)" -ge 2 ]
}

threads()	# NUMBER
{
	[ "$(cat /proc/[0-9]*/comm | grep -c '^weft/weft0:')" = "$1" ]
}

if [ "${1-}" = inside ]; then
	inside
	exit
fi
here=$(cd "$(dirname "$0")/.." && pwd)
own=-n
[ "$(id -u)" = 0 ] || own=-rn
if ! unshare $own sh -c 'ip tuntap add dev t mode tap' 2>/dev/null; then
	echo "ok 1 many_queues # SKIP it takes /dev/net/tun, and a network namespace of one's own"
	echo 1..1
	exit
fi
VM_NET=tap:3 VM_CPUS=2 LINK=vnet "$here/run" 'bash selftests/vm/machines/many_queues.sh inside'
