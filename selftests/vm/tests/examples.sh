#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The programs of Documentation/examples, run as their first lines say: the server on node 1, the
# clients on node 0. What both print is compared with what they have to print.
# TIMEOUT: 300
# LINKS: vnet loop

. "$VM_REPO/selftests/vm/lib.sh"

dir=/run/weft/examples
address=10.77.0.2
[ "$LINK" != loop ] || address=10.77.0.1
mkdir -p $dir

# server COMMAND...: until it waits for clients
server()
{
	node 1 timeout $((60 * VM_SLOW)) "$VM_BUILD/examples/$@" >$dir/server 2>&1 &
	pid=$!
	vm_wait 30 grep -q '^waiting at service' $dir/server
}

# client OUTPUT COMMAND...
client()
{
	out=$dir/$1
	shift
	node 0 timeout $((60 * VM_SLOW)) "$VM_BUILD/examples/$@" >"$out" 2>&1
}

# printed OUTPUT LINE...: these lines, in any order, and no others
printed()
{
	out=$dir/$1
	shift
	printf '%s\n' "$@" | sort >$dir/want
	sort "$out" | diff $dir/want -
}

pingpong()
{
	server pingpong && client client pingpong $address && wait $pid &&
		printed server "waiting at service 5000" "1000 messages answered" &&
		printed client "1000 round trips"
}

tagged()
{
	server tagged && client client tagged $address && wait $pid &&
		printed client "answer: thanks" &&
		printf '%s\n' "waiting at service 5001" "tag 2: the first message" \
			"tag 3: the second message" | diff - $dir/server
}

connect()
{
	server connect && client client connect $address Ada "good morning" && wait $pid &&
		printed server "waiting at service 5002" "Ada asks for a connection" "12 bytes" &&
		printed client "Ada: good morning"
}

# Three clients at the same time
several()
{
	server server 3 || return 1
	clients=
	for name in Ada Bert Cleo; do
		client $name connect $address $name "I am $name" &
		clients="$clients $!"
	done
	for one in $clients; do
		wait $one || return 1
	done
	wait $pid || return 1
	for name in Ada Bert Cleo; do
		printed $name "$name: I am $name" || return 1
	done
	printed server "waiting at service 5002" "Ada: 8 bytes" "Bert: 9 bytes" "Cleo: 9 bytes" \
		"Ada has left" "Bert has left" "Cleo has left" "3 clients have been served"
}

# More messages than the queue has buffers
srq()
{
	server srq 6 || return 1
	for n in 1 2 3 4 5 6; do
		client client$n srq $address "message $n" && printed client$n "sent: message $n" ||
			return 1
	done
	wait $pid && printed server "waiting at service 5003" "message: message 1" \
		"message: message 2" "message: message 3" "message: message 4" \
		"message: message 5" "message: message 6" "6 clients have been served"
}

# Wrong arguments, and no server
refused()
{
	for name in pingpong tagged connect server srq; do
		client usage $name 1 2 3 4 5
		[ $? = 2 ] && grep -q '^'$name': usage: '$name $dir/usage || return 1
	done
	client alone connect $address Ada hello
	[ $? = 1 ] && printed alone "connect: there is no connection: Connection refused"
}

# run NAME FUNCTION: what the programs have printed is shown, too, if it fails
run()
{
	bad=$tap_bad
	rm -f $dir/*
	tap_run "$1" "$2"
	kill "$pid" 2>/dev/null
	[ "$bad" = "$tap_bad" ] || (cd $dir && grep . -- * | sed 's/^/# /')
}

run "pingpong: libweft" pingpong
run "tagged: FI_EP_RDM" tagged
run "connect: FI_EP_MSG" connect
run "server: three clients, epoll" several
run "srq: uDAPL" srq
run "what is wrong is said" refused
rm -rf $dir
tap_done
