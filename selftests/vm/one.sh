# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs one test where the nodes are there, for "suite" and for selftests/nodes/run. Sourced after
# lib.sh and kmsg.sh, by a script that has a function vm_left_over: it kills what a test leaves.

# vm_one NAME SECONDS COMMAND...: sets one_status, the command's; one_changed, where the system is
# not as before; one_bad, where a result had to be added
vm_one()
{
	one=$1 one_limit=$2 one_bad= one_changed=
	shift 2
	echo "weft-test: $one starts" >/dev/kmsg
	# (in the background: a trap of the caller would otherwise come after the command)
	timeout -k 5 "$one_limit" "$@" &
	wait $!
	one_status=$?

	vm_left_over
	dmesg | sed "1,/weft-test: $one starts/d" >/run/weft/kmsg
	if kmsg_bad </run/weft/kmsg >/dev/null; then
		sed 's/^/# /' /run/weft/kmsg
		echo "not ok - $one left trouble in the kernel log"
		one_bad=1
	fi
	if ! vm_base_state >/run/weft/base 2>&1; then
		sed 's/^/# /' /run/weft/base
		echo "not ok - $one left the system changed"
		one_bad=1 one_changed=1
	fi
}
