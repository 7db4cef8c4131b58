#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# weftctl limit: all limits are shown and can be set from min to max and back. Every wrong request
# is refused with a message and changes nothing.

. "$VM_REPO/selftests/vm/lib.sh"

# field NAME LINE: the word after NAME
field()
{
	echo "$2" | sed -n "s/.* $1 \([^ ]*\).*/\1/p"
}

show()
{
	node 0 weftctl limit show weft0
}

set_limit()
{
	node 0 weftctl limit set weft0 "$@"
}

line_of()	# LIMIT
{
	show | grep " limit $1 "
}

all_shown()
{
	show >/run/weft/limits
	cat /run/weft/limits
	for want in unexpected-node unexpected-endpoint unexpected-user messages-endpoint \
		messages-user datagrams-endpoint packets-path paths requests jobs contexts-user \
		endpoints-user memory-user regions-user backlog connect-ms \
		accept-ms keepalive-ms dead-ms linger-ms linger-user idle-ms; do
		grep -q "^weft0: limit $want value [0-9]* unit [a-z]* " /run/weft/limits ||
			return 1
	done
	node 0 weftctl limit |
		grep -q "^weft0: limit paths value .* used [0-9]* peak [0-9]* hits [0-9]* min 1"
}

# set_all FIELD: sets every limit to that field of it; shows all values
set_all()
{
	awk -v f="$1" '{ for (i = 2; i < NF; i++) if ($i == f)
		print "weftctl limit set weft0", $3, $(i + 1), "|| exit 1" }' \
		</run/weft/before >/run/weft/sets
	node 0 sh /run/weft/sets && show | awk '{ print $3, $5 }' >/run/weft/now
}

# values FIELD: the expected values afterwards
values()
{
	awk -v f="$1" '{ for (i = 2; i < NF; i++) if ($i == f) print $3, $(i + 1) }' \
		</run/weft/before
}

each_set()
{
	show >/run/weft/before
	for to in min max value; do
		set_all $to || return 1
		values $to | diff - /run/weft/now || return 1
	done
	[ "$(wc -l </run/weft/now)" -ge 10 ]
}

refused()	# WORDS COMMAND...
{
	before=$(show | sed 's/ used .* min / min /')
	tap_refused "$@" &&
		[ "$(show | sed 's/ used .* min / min /')" = "$before" ]
}

user()
{
	node 0 setpriv --reuid 1990 --regid 1990 --clear-groups "$@"
}

units()
{
	old=$(field value "$(line_of unexpected-node)")
	set_limit unexpected-node 64K &&
		[ "$(field value "$(line_of unexpected-node)")" = 65536 ] &&
		set_limit unexpected-node 1M &&
		[ "$(field value "$(line_of unexpected-node)")" = 1048576 ] &&
		set_limit unexpected-node "$old"
}

# A user's program takes of the limits for one user, and of no other.
taken()
{
	# earlier tests have left their peaks
	node 0 weftctl port del weft0 && vm_node_port 0 || return 1
	node 0 setpriv --reuid 1990 --regid 1990 --groups "$(getent group weft | cut -d: -f3)" \
		fi_pingpong -p weft -e rdm -I 10000000 >/run/weft/pp 2>&1 &
	server=$!
	vm_wait 20 vm_listening $server 47592 || return 1
	node 1 fi_pingpong -p weft -e rdm -I 10000000 10.77.0.1 >/run/weft/pp 2>&1 &
	client=$!
	vm_wait 20 shows_user && by_whom used
	status=$?
	node 0 weftctl user show
	node 0 weftctl limit show
	kill $server $client
	wait $server $client 2>/dev/null
	[ $status = 0 ] && vm_wait 20 all_gone && by_whom peak
}

# by_whom used|peak: that user, whom other users do not see
by_whom()
{
	for limit in contexts-user endpoints-user memory-user; do
		line_of $limit | grep -q " $1 [1-9][0-9]* $1_by 1990 " || return 1
	done
	user weftctl limit show weft0 | grep -q " $1_by 1990 " &&
		! node 0 setpriv --reuid 7 --regid 7 --clear-groups weftctl limit show weft0 |
			grep "_by "
}

all_gone()
{
	[ "$(field used "$(line_of contexts-user)")" = 0 ]
}

# Who was refused last?
hit()
{
	set_limit contexts-user 1 || return 1
	node 0 setpriv --reuid 1990 --regid 1990 --groups "$(getent group weft | cut -d: -f3)" \
		sh -c 'exec 3<>/dev/weft/weft0 && ! (exec 4<>/dev/weft/weft0)'
	status=$?
	set_limit contexts-user 4096
	line_of contexts-user
	[ $status = 0 ] && line_of contexts-user | grep -q " hits [1-9][0-9]* hits_by 1990 "
}

shows_user()
{
	node 0 weftctl user show weft0 |
		grep -q "^weft0: uid 1990 ctx [1-9][0-9]* ep [1-9][0-9]* memory [1-9][0-9]* messages [0-9]* unexpected [0-9]* linger [0-9]* regions 0$"
}

tap_run "all limits are shown" all_shown
tap_run "users are shown" taken
tap_run "the user that is refused" hit
tap_run "each is set to its ends and back" each_set
tap_run "units" units
tap_run "JSON" sh -c 'node 0 weftctl -j limit show weft0 |
	grep -q "^\[{\"port\":\"weft0\",\"limit\":\"[a-z-]*\",\"value\":[0-9]*,\"unit\":\"[a-z]*\""'
tap_run "a user looks" user weftctl limit show weft0
tap_run "a user may not change" refused "not permitted" user weftctl limit set weft0 paths 7
tap_run "unknown limit" refused "no such limit" set_limit nonesuch 7
tap_run "unknown port" refused "no such port" node 0 weftctl limit set nonesuch paths 7
tap_run "too small" refused "too small or too large" set_limit paths 0
tap_run "too large" refused "too small or too large" set_limit dead-ms 86400001
tap_run "no number" refused "no value" set_limit paths many
tap_run "no value" refused "takes a port" set_limit paths
tap_done
