# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The distribution's fi_pingpong as a judge. Sourced after ../lib.sh.

# pingpong SERVER-NODE ADDRESS ARGUMENTS...: server there, client on node 0,
# every byte checked
pingpong()
{
	pp_node=$1
	pp_addr=$2
	shift 2
	node "$pp_node" timeout 300 fi_pingpong -p weft -c "$@" >/run/weft/pp.server 2>&1 &
	pp_pid=$!
	if ! vm_wait 30 vm_listening $pp_pid 47592; then
		kill $pp_pid 2>/dev/null
		cat /run/weft/pp.server
		return 1
	fi
	pp_status=0
	node 0 timeout 300 fi_pingpong -p weft -c "$@" "$pp_addr" \
		>/run/weft/pp.client 2>&1 || pp_status=1
	wait $pp_pid || pp_status=1
	# It prints a line for each size, and tells some errors only in words.
	grep -q '^[0-9]' /run/weft/pp.client || pp_status=1
	grep -qiE 'error|fail|mismatch' /run/weft/pp.server /run/weft/pp.client && pp_status=1
	[ $pp_status = 0 ] || cat /run/weft/pp.server /run/weft/pp.client
	return $pp_status
}
