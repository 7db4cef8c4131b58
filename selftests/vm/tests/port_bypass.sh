#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Whether a netdev port bypasses the IP stack: as its setting says, and with "auto" only on kernels
# with which that was tested. The IP stack counts the packets that come through it.
# TIMEOUT: 200
# KERNELS: each

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

[ "$LINK" = veth ] || { tap_skip "stack bypass" "there is no veth link"; tap_done; }

stack()	# packets that node 1's IP stack has received
{
	node 1 awk '/^Ip: [0-9]/ { print $4 }' /proc/net/snmp
}

# passes COMPARISON NUMBER: so many packets of 200 go through the stack
passes()
{
	before=$(stack)
	pingpong 1 10.77.0.2 -e rdm -S 64 -I 200 || return 1
	n=$(($(stack) - before))
	echo "$n packets through the stack"
	[ "$n" "$1" "$2" ]
}

bypassed()
{
	passes -lt 100
}

through()
{
	passes -ge 200
}

shows()	# SETTING STATE: of both nodes' ports
{
	for i in 0 1; do
		[ "$(node $i cat /sys/class/weft/weft$i/bypass)" = "$1" ] &&
			[ "$(node $i cat /sys/class/weft/weft$i/bypass_state)" = "$2" ] &&
			node $i weftctl port show weft$i | grep -q " bypass $1 bypass_state $2 " ||
			return 1
	done
}

set_to()	# SETTING STATE
{
	for i in 0 1; do
		node $i weftctl port set weft$i bypass "$1" || return 1
	done
	shows "$1" "$2"
}

again()	# PARAMETERS: the module with them, and the nodes' ports
{
	rmmod weft && WEFT_PARAMS="$1" vm_load && vm_port 0 weft0 netdev veth0 &&
		vm_port 1 weft1 netdev veth1
}

logged()
{
	dmesg | grep -q "weft0: no stack bypass: kernel $(uname -r) is none of the tested ones (5.4,6.0)"
}

refused()	# WORDS PORT SETTING
{
	said=$(node 0 weftctl port set "$2" bypass "$3" 2>&1) && return 1
	echo "$said"
	echo "$said" | grep -qF "$1"
}

tap_run "a port begins with auto, on a tested kernel" shows auto on
tap_run "packets bypass the stack" bypassed
tap_run "off" set_to off off
tap_run "packets go through the stack" through
tap_run "on" set_to on on
tap_run "packets bypass the stack again" bypassed
tap_run "a word that is no setting" refused "it must be auto, on or off" weft0 maybe
node 0 weftctl port add lo9 loop addr 10.9.9.9
tap_run "a port without an IP stack" refused "only a netdev port has an IP stack" lo9 off
node 0 weftctl port del lo9
tap_run "the parameter is the setting of new ports" again stack_bypass=off
tap_run "it is shown" shows off off
tap_run "another kernel than the tested ones" again "bypass_kernels=5.4,6.0"
tap_run "it is shown, too" shows auto untested
tap_run "the kernel log says so" logged
tap_run "packets do not bypass the stack" through
tap_run "unless the administrator wants it" set_to on on
tap_run "then they do" bypassed
tap_run "as before" again ""
tap_done
