# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The distribution's fi_pingpong as an independent test. Sourced after ../lib.sh.

# pingpong SERVER-NODE ADDRESS ARGUMENTS...: server there, client on node 0 (or $pp_from); every
# byte is checked. fi_pingpong takes the first address of a port: for an IPv6 ADDRESS the server's
# port must have no IPv4 address, which is checked.
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
	node "${pp_from:-0}" timeout 300 fi_pingpong -p weft -c "$@" "$pp_addr" >/run/weft/pp.client 2>&1
	pp_client=$?
	wait $pp_pid
	pp_server=$?
	pp_status=0
	# Each prints a line for every size whose bytes were right.
	pp_lines=$(grep -c '^[0-9]' /run/weft/pp.client)
	[ "$pp_lines" -gt 0 ] || pp_status=1
	[ "$pp_lines" = "$(grep -c '^[0-9]' /run/weft/pp.server)" ] || pp_status=1
	grep -qiE 'error|fail|mismatch|terminated' /run/weft/pp.server /run/weft/pp.client &&
		pp_status=1
	for pp_one in $pp_server $pp_client; do
		[ "$pp_one" = 0 ] || pp_status=1
	done
	case $pp_addr in *:*)
		node "$pp_node" weftctl path show | grep -q 'path [0-9a-f]*:' || {
			echo "the messages have not used IPv6"
			pp_status=1
		}
		;;
	esac
	[ $pp_status = 0 ] || {
		echo "status $pp_server (server), $pp_client (client)"
		cat /run/weft/pp.server /run/weft/pp.client
	}
	return $pp_status
}
