# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shell functions for scripts inside the test machine. A test script starts with:
#
#   . "$VM_REPO/selftests/vm/lib.sh"

# --- the two nodes ---------------------------------------------------------

vm_load()
{
	[ "$WEFT" = 0 ] && return 0
	if [ -e "$VM_MODULE" ]; then
		insmod "$VM_MODULE" $WEFT_PARAMS
	else
		echo "weft-vm: no $VM_MODULE yet, going on without it"
	fi
}

vm_addr()	# NAMESPACE DEVICE NUMBER: one of the two ends
{
	ip -n "$1" -batch - <<-EOT
		link set lo up
		addr add 10.77.0.$3/24 dev $2
		addr add fd77::$3/64 dev $2 nodad
		link set $2 mtu $LINK_MTU up
	EOT
}

vm_port()	# NODE ARGUMENTS...: adds a port, if module and tool are there
{
	[ -d /sys/module/weft ] || return 0
	command -v weftctl >/dev/null || {
		echo "weft-vm: no weftctl yet, going on without ports"
		return 0
	}
	node=$1
	shift
	"$VM_REPO/selftests/vm/bin/node" "$node" weftctl port add "$@" >/dev/null ||
		return 1
	chgrp -R weft /dev/weft 2>/dev/null && chmod 0660 /dev/weft/* 2>/dev/null
	return 0
}

# The port of a node of LINK, in a machine with both nodes
vm_node_port()	# NODE
{
	n=$(($1 + 1))
	case $LINK in
	veth)	vm_port "$1" "weft$1" netdev "veth$1" ;;
	vnet)	vm_port "$1" "weft$1" vnet "$(vm_nic "$1")" addr 10.77.0.$n/24 addr fd77::$n/64 \
			mtu "$LINK_MTU" ;;
	esac
}

# vm_nic 0|1: PCI address of a virtio NIC of the machine
vm_nic()
{
	for nic_dev in /sys/bus/pci/devices/*; do
		read -r nic_vendor <"$nic_dev/vendor"
		read -r nic_id <"$nic_dev/device"
		[ "$nic_vendor$nic_id" = 0x1af40x1041 ] && basename "$nic_dev"
	done | sed -n "$(($1 + 1))p"
}

# Return 0: the emulator's monitor has printed this sum, and the prompt behind it.
vm_monitor_answered() # NUMBER
{
	grep -q "^$1" /run/weft/monitor && [ "$(tail -c 7 /run/weft/monitor)" = '(qemu) ' ]
}

# vm_monitor COMMAND...: to the emulator. The monitor echoes every key and prints output; both are
# read. A sum follows the command: when its result appears, the command has been carried out. The
# prompt behind the result is read, too, so that nothing is left for the next command.
vm_monitor()
{
	vm_wait 10 grep -q weft.monitor /sys/class/virtio-ports/*/name || return 1
	monitor=$(grep -l weft.monitor /sys/class/virtio-ports/*/name)
	monitor=${monitor%/name}
	exec 9<>"/dev/${monitor##*/}" || return 1
	cat <&9 >/run/weft/monitor &
	monitor_reader=$!
	printf '%s\nprint /d 77000+%d\n' "$*" $((monitor_n = ${monitor_n:-0} + 1)) >&9
	vm_wait 60 vm_monitor_answered $((77000 + monitor_n))
	monitor_status=$?
	exec 9>&-
	kill $monitor_reader
	wait $monitor_reader 2>/dev/null
	[ $monitor_status = 0 ] || { echo "the monitor does not answer:"; cat /run/weft/monitor; }
	return $monitor_status
}

# Namespaces n0 and n1, joined by a pair of devices
vm_veth()
{
	ip -batch - <<-EOT || return 1
		netns add n0
		netns add n1
		link add veth0 netns n0 type veth peer name veth1 netns n1
	EOT
	vm_addr n0 veth0 1 && vm_addr n1 veth1 2 || return 1
	echo n0 >/run/weft/node0
	echo n1 >/run/weft/node1
}

# The reverse, with LINK=vnet: the nodes' IP stacks get the NICs, the ports go
vm_link_ip()
{
	modprobe virtio_net || return 1
	for i in 0 1; do
		node $i weftctl port del weft$i || return 1
	done
	ip -n n0 link del veth0 || return 1
	for i in 0 1; do
		ip_dev=$(basename /sys/bus/pci/devices/$(vm_nic $i)/virtio*/net/*)
		ip link set "$ip_dev" netns n$i && vm_addr n$i "$ip_dev" $((i + 1)) || return 1
	done
}

vm_nodes()
{
	mkdir -p /run/weft
	case $LINK in
	veth)
		vm_veth && vm_node_port 0 && vm_node_port 1
		;;
	vnet)
		# programs also talk by TCP: the IP stacks are joined, with the same addresses
		vm_veth && vm_node_port 0 && vm_node_port 1
		;;
	loop)
		ip netns add n0 && ip -n n0 -batch - <<-EOT || return 1
			link set lo up
			addr add 10.77.0.1/32 dev lo
			addr add fd77::1/128 dev lo nodad
		EOT
		echo n0 >/run/weft/node0
		echo n0 >/run/weft/node1
		vm_port 0 weft0 loop addr 10.77.0.1 addr fd77::1
		;;
	pair:*)
		# one node of two; the other one belongs to another machine
		i=${LINK#pair:} n=$((${LINK#pair:} + 1))
		modprobe virtio_net && ip netns add n$i || return 1
		ip_dev=$(basename /sys/bus/pci/devices/$(vm_nic 1)/virtio*/net/*)
		ip link set "$ip_dev" netns n$i && vm_addr n$i "$ip_dev" $n || return 1
		echo n$i >/run/weft/node$i
		vm_port $i weft$i vnet "$(vm_nic 0)" addr 10.77.0.$n/24 addr fd77::$n/64 \
			mtu "$LINK_MTU"
		;;
	none)	;;
	*)
		echo "weft-vm: LINK=$LINK is not known" >&2
		return 1
		;;
	esac
}

vm_setup()
{
	vm_load && vm_nodes
}

# The reverse; fails if the module cannot be unloaded.
vm_teardown()
{
	for ns in $(ip netns list | cut -d' ' -f1); do
		ip netns del "$ns"
	done
	rm -f /run/weft/node?
	[ ! -d /sys/module/weft ] || rmmod weft
}

# --- leaks -----------------------------------------------------------------

# Lost memory that kmemleak finds; without kmemleak there is no report. An object counts when it is
# 5 seconds old, and two scans agree.
vm_leaks()
{
	leaks=/sys/kernel/debug/kmemleak
	sleep 6
	echo scan >$leaks && echo scan >$leaks || return 1
	cat $leaks
	[ -z "$(cat $leaks)" ]
}

# --- programs ----------------------------------------------------------------

# libfabric's verbs provider reads the names of all symbols of the kernel whenever a program starts
# that uses libfabric. That takes most of the second and a half of such a start in an emulator. So
# an empty file hides the kernel's list.
vm_quick_start()
{
	grep -q ' /proc/kallsyms ' /proc/mounts || mount --bind /dev/null /proc/kallsyms
}

# --- between tests ---------------------------------------------------------

# vm_kill_all_but PID...
vm_kill_all_but()
{
	victims=
	for pid in /proc/[0-9]*; do
		pid=${pid#/proc/}
		[ -e "/proc/$pid/exe" ] || continue	# gone, or a kernel thread
		[ "$pid" = $$ ] && continue
		case " $* " in *" $pid "*) ;; *) victims="$victims $pid" ;; esac
	done
	[ -z "$victims" ] || kill -9 $victims 2>/dev/null
	return 0
}

# Compares the system with the state before the first test; prints differences.
vm_base_state()
{
	changed=0
	state=$(vm_state)
	if [ ! -e /run/weft/state ]; then
		echo "$state" >/run/weft/state
	elif [ "$state" != "$(cat /run/weft/state)" ]; then
		echo "$state" | diff /run/weft/state -
		changed=1
	fi
	return $changed
}

# State that a test must leave unchanged, as text. Few programs: each costs some 0.1 s in an
# emulator.
vm_state()
{
	for f in /run/netns/* /dev/weft/* /sys/module/weft; do
		[ ! -e "$f" ] || echo "$f"
	done
	for i in 0 1; do
		[ -e /run/weft/node$i ] || continue
		read -r ns </run/weft/node$i
		ip -n "$ns" -o -batch - <<-EOT |
			link show
			addr show scope global
		EOT
		sed -E "s/^[0-9]+: ([^ :@]+).* (mtu|inet6?) ([^ ]+)( qdisc [^ ]+)?.*/$ns \1 \2 \3\4/"
	done
}

# --- TAP for test scripts --------------------------------------------------

tap_n=0
tap_bad=0
tap_skipped=0

tap_ok()	# NAME
{
	tap_n=$((tap_n + 1))
	echo "ok $tap_n $*"
}

tap_not_ok()	# NAME
{
	tap_n=$((tap_n + 1))
	tap_bad=$((tap_bad + 1))
	echo "not ok $tap_n $*"
}

tap_skip()	# NAME REASON
{
	tap_n=$((tap_n + 1))
	tap_skipped=$((tap_skipped + 1))
	echo "ok $tap_n $1 # SKIP $2"
}

# tap_run NAME COMMAND...: what the command prints is shown as a comment
tap_run()
{
	tap_name=$1
	shift
	if "$@" >/run/weft/tap 2>&1; then
		tap_ok "$tap_name"
	else
		tap_status=$?
		sed 's/^/# /' /run/weft/tap
		tap_not_ok "$tap_name (status $tap_status)"
	fi
}

# tap_refused WORDS COMMAND...: the command fails, and says these words; $tap_said: all it says
tap_refused()
{
	tap_words=$1
	shift
	if tap_said=$("$@" 2>&1); then
		echo "it was accepted: $tap_said"
		return 1
	fi
	echo "$tap_said"
	echo "$tap_said" | grep -qF "$tap_words"
}

# The last line of a script. Status 4, as in kselftest: all was skipped.
tap_done()
{
	echo "1..$tap_n"
	[ "$tap_bad" = 0 ] || exit 1
	[ "$tap_skipped" = 0 ] || [ "$tap_skipped" != "$tap_n" ] || exit 4
	exit 0
}

# --- waiting, without sleeping blindly -------------------------------------

# vm_wait SECONDS COMMAND...: until the command succeeds
vm_wait()
{
	tries=$(($1 * 20 * VM_SLOW))
	shift
	while ! "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}

# vm_listening PID PORT: whether a TCP socket listens in that process' namespace
vm_listening()
{
	cat "/proc/$1/net/tcp" "/proc/$1/net/tcp6" 2>/dev/null |
		grep -q "$(printf ':%04X 0*:0000 0A ' "$2")"
}
