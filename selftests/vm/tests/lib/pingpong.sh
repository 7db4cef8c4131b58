# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The distribution's fi_pingpong as a judge, and TAP for shell tests. Sourced.

tap_n=0
tap_bad=0

tap()	# STATUS NAME...: the result of a case
{
	tap_n=$((tap_n + 1))
	tap_st=$1
	shift
	if [ "$tap_st" = 0 ]; then
		echo "ok $tap_n $*"
	else
		echo "not ok $tap_n $*"
		tap_bad=1
	fi
}

tap_end()	# the plan; returns the status of the script
{
	echo "1..$tap_n"
	return "$tap_bad"
}

listens()	# NODE PORT: does a TCP server wait there?
{
	node "$1" ss -Hltn "sport = :$2" 2>/dev/null | grep -q .
}

# pingpong SERVER-NODE ADDRESS ARGUMENTS...: server and client (node 0) check every byte; output of both as comments
pingpong()
{
	pp_node=$1
	pp_addr=$2
	shift 2
	node "$pp_node" timeout 300 fi_pingpong -p weft -c "$@" >/tmp/pp.server 2>&1 &
	pp_pid=$!
	until listens "$pp_node" 47592 || ! kill -0 $pp_pid 2>/dev/null; do :; done
	node 0 timeout 300 fi_pingpong -p weft -c "$@" "$pp_addr" >/tmp/pp.client 2>&1
	pp_status=$?
	wait $pp_pid || pp_status=1
	# fi_pingpong prints a line for each size, and says of errors only in words
	grep -q '^[0-9]' /tmp/pp.client || pp_status=1
	grep -iE 'error|fail|mismatch' /tmp/pp.server /tmp/pp.client >/dev/null && pp_status=1
	[ $pp_status = 0 ] || sed 's/^/# /' /tmp/pp.server /tmp/pp.client
	return $pp_status
}
