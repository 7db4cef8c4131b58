# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs one test on existing nodes, for "suite" and for selftests/nodes/run. Sourced after lib.sh and
# kmsg.sh, by a script with a function vm_left_over, which kills the processes that a test leaves.

# vm_one NAME SECONDS COMMAND...: sets one_status, the command's; one_changed, if the system is not
# as before; one_bad, if a result had to be added
vm_one()
{
	one=$1 one_limit=$2 one_bad= one_changed=
	shift 2
	echo "weft-test: $one starts" >/dev/kmsg
	# (in the background: otherwise a trap of the caller would run after the command)
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
