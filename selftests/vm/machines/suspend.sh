#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A machine sleeps while messages flow between its two vnet ports. The kernel's own test suspends
# all devices and wakes them without a key. The programs continue and the bytes are right.
#
# Run on the host. The part "inside" runs in the machine. The part "asleep" runs there in memory,
# because the device of the machine's root does not survive suspending.
# CHECK: all

root=/run/weft/root

# Copy the needed files to memory
inside()	# BUSYBOX
{
	mkdir -p $root/{bin,dev,proc,sys,run,vm} "$root$VM_REPO/selftests"
	cp -r selftests/vm "$root$VM_REPO/selftests"
	cp "$1" $root/bin/busybox || return 1
	for file in /usr/bin/fi_pingpong "$VM_BUILD"/bin/weftctl \
		"$VM_BUILD"/lib/libfabric/*.so; do
		for file in "$file" $(ldd "$file" 2>/dev/null | grep -o '/[^ ]*'); do
			mkdir -p "$root${file%/*}" && cp -Lu "$file" "$root$file" || return 1
		done
	done
	vm=
	for dev in /sys/bus/virtio/drivers/9pnet_virtio/virtio*; do
		[ "$(tr -d '\0' <"$dev/mount_tag")" != vm ] || vm=${dev##*/}
	done
	umount /vm || return 1
	for dir in dev proc sys run; do
		mount --rbind /$dir $root/$dir || return 1
	done
	exec chroot $root /bin/busybox env PATH=/applets:"$VM_BUILD/bin":/usr/bin VM_DEV="$vm" \
		/bin/busybox sh "$VM_REPO/selftests/vm/machines/suspend.sh" asleep
}

sent()	# packets of node 0's port
{
	node 0 weftctl -j stats show weft0 | tr ',' '\n' | sed -n 's/.*"tx_packets": *//p'
}

more()	# NUMBER
{
	[ "$(sent)" -gt "$1" ]
}

traffic()
{
	node 1 fi_pingpong -p weft -c -e rdm -S 65536 -I 10000000 >/run/weft/b 2>&1 &
	b=$!
	vm_wait 30 vm_listening $b 47592 || return 1
	node 0 fi_pingpong -p weft -c -e rdm -S 65536 -I 10000000 10.77.0.2 >/run/weft/a 2>&1 &
	a=$!
	vm_wait 60 more 200 || { cat /run/weft/a /run/weft/b; return 1; }
}

sleeps()
{
	echo devices >/sys/power/pm_test && echo freeze >/sys/power/state || return 1
	dmesg | grep "PM:" | tail -n 5
	dmesg | grep -q "PM: suspend exit"
}

goes_on()
{
	vm_wait 60 more $(($(sent) + 200)) && kill -0 $a && kill -0 $b && return
	node 0 weftctl stats show weft0
	cat /run/weft/a /run/weft/b
	return 1
}

asleep()
{
	/bin/busybox mkdir /applets && /bin/busybox --install -s /applets
	cat >/applets/node <<-'EOT' && chmod +x /applets/node
		#!/applets/sh
		read -r ns </run/weft/node"$1"
		shift
		exec nsenter --net=/run/netns/"$ns" "$@"
	EOT
	. "$VM_REPO/selftests/vm/lib.sh"
	. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"
	tap_run "traffic" traffic
	for round in 1 2; do
		echo "$VM_DEV" >/sys/bus/virtio/drivers/9pnet_virtio/unbind
		tap_run "the machine sleeps and wakes, round $round" sleeps
		echo "$VM_DEV" >/sys/bus/virtio/drivers/9pnet_virtio/bind
		tap_run "traffic goes on, round $round" goes_on
	done
	kill -9 $a $b
	tap_run "fi_pingpong afterwards" pingpong 1 10.77.0.2 -e msg -I 5
	(tap_done)
	stop $?
}

# stop STATUS: of the command, after "cat" has passed its output on. No program of the old root can
# end any more.
stop()
{
	cat=$(grep -l '^cat$' /proc/[0-9]*/comm)
	vm_wait 60 grep -q pipe_read "${cat%/comm}/stack"
	mount -t 9p -o trans=virtio,version=9p2000.L vm /vm && echo "$1" >/vm/status && umount /vm
	echo b >/proc/sysrq-trigger
	sleep 60
}

case ${1-} in
inside)
	inside "$2"
	echo "not ok 1 a root in memory"
	exit 1
	;;
asleep)	asleep ;;
esac
here=$(cd "$(dirname "$0")/.." && pwd)
: "${VM_DIR:=$(cd "$here/../.." && pwd)/build/vm}"
VM_TIMEOUT=600 LINK=vnet "$here/run" \
	"exec bash selftests/vm/machines/suspend.sh inside '$VM_DIR/busybox'"
