#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Debian's unmodified uDAPL test programs through its libdat2: shared receive queues, RDMA,
# connection management, jobs. The programs return 0 after some failures, so both sides must print
# that they are complete.
# TIMEOUT: 500 NEEDS: dat

. "$VM_REPO/selftests/vm/lib.sh"

listening()
{
	node 1 weftctl ep show | grep -qi listen
}

ready=listening

# both NAME SERVER-ARGS CLIENT-ARGS WORD: both sides print WORD. $ready: is the server ready?
both()
{
	prog=$1 server=$2 client=$3 word=$4
	node 1 $prog $server >/run/weft/server 2>&1 &
	pid=$!
	vm_wait 30 $ready || { kill $pid; cat /run/weft/server; return 1; }
	timeout $((200 * VM_SLOW)) node 0 $prog $client >/run/weft/client 2>&1
	status=$?
	wait $pid || status=$?
	cat /run/weft/server /run/weft/client
	[ "$status" = 0 ] && grep -q "$word" /run/weft/server &&
		grep -q "$word" /run/weft/client
}

srq()
{
	both "timeout $((230 * VM_SLOW)) dtestsrq -P weft" "-s $*" "-h 10.77.0.2 $*" \
		"DAPL RC SRQ Test Complete"
}

# dtest first waits for its client at this TCP port, 15828
offering()
{
	node 1 grep -q ":3DD4 .* 0A " /proc/net/tcp
}

# Sizes for which a debugging kernel has the time; the program's own are 4 MiB and 1000.
rdma()
{
	ready=offering
	both "timeout $((100 * VM_SLOW)) dtest -P weft -b 65536 -B 50" "-s $*" "-h 10.77.0.2 $*" \
		"DAPL Test Complete. PASSED"
	status=$?
	ready=listening
	return $status
}

# dapl TEST CLIENT-ARGS: dapltest against its server, which stays until a client tells it to quit
dapl()
{
	test=$1
	shift
	node 1 timeout $((100 * VM_SLOW)) dapltest -T S -D weft >/run/weft/server 2>&1 &
	pid=$!
	vm_wait 30 listening || { kill $pid; cat /run/weft/server; return 1; }
	node 0 timeout $((60 * VM_SLOW)) dapltest -T "$test" -s 10.77.0.2 -D weft "$@" \
		>/run/weft/client 2>&1
	status=$?
	node 0 timeout $((30 * VM_SLOW)) dapltest -T Q -s 10.77.0.2 -D weft >/run/weft/quit 2>&1 ||
		status=$?
	wait $pid
	cat /run/weft/server /run/weft/client
	[ "$status" = 0 ] && grep -q "End of Work" /run/weft/client
}

# There are no extensions, and the program says so.
extensions()
{
	node 1 timeout $((30 * VM_SLOW)) dtestx -P weft -s >/run/weft/server 2>&1
	cat /run/weft/server
	grep -q "extension not supported" /run/weft/server
}

cm()
{
	both "timeout $((230 * VM_SLOW)) dtestcm -P weft" "-s $*" "-h 10.77.0.2 $*" \
		"DAPL Connection Test Complete"
}

# --- jobs: dat.conf names the file of the key -------------------------------------------

jobs=/run/weft/jobs

job_setup()
{
	mkdir -p $jobs
	echo "the key of the lab" >$jobs/lab
	echo "the key of nobody" >$jobs/nobody
	echo "too short" >$jobs/short
	# (the rest of a line of its own after "weft")
	sed -n 's/^weft \(.*\) "" "" *$/\1/p' "$DAT_OVERRIDE" >$jobs/lines
	while read -r line; do
		echo "weft $line \"\" \"\""
		for key in lab nobody short none; do
			echo "$key $line \"key=$jobs/$key\" \"\""
		done
		echo "named $line \"weft1 key=$jobs/lab\" \"\""
		echo "wrong $line \"weft1 weft0\" \"\""
	done <$jobs/lines >$jobs/dat.conf
	node 0 weftctl job add lab key $jobs/lab && node 1 weftctl job add lab key $jobs/lab
}

# in_job SERVER-IA CLIENT-IA
in_job()
{
	(
		export DAT_OVERRIDE=$jobs/dat.conf
		both "timeout $((100 * VM_SLOW)) dtestsrq -P $1" "-s" "-P $2 -h 10.77.0.2" \
			"DAPL RC SRQ Test Complete"
	)
}

# The server gets no request, and waits until it is killed.
outside()
{
	before=$(node 1 weftctl -j stats show weft1 | grep -o '"wrong_job": *[0-9]*')
	(
		export DAT_OVERRIDE=$jobs/dat.conf
		node 1 dtestsrq -P lab -s >/run/weft/server 2>&1 &
		pid=$!
		vm_wait 30 listening || { kill $pid; cat /run/weft/server; exit 1; }
		timeout $((100 * VM_SLOW)) node 0 dtestsrq -P weft -h 10.77.0.2 >/run/weft/client 2>&1
		kill $pid
		wait $pid
	)
	cat /run/weft/server /run/weft/client
	! grep -q "Test Complete" /run/weft/server /run/weft/client &&
		[ "$(node 1 weftctl -j stats show weft1 | grep -o '"wrong_job": *[0-9]*')" != "$before" ]
}

# refused IA WORDS: the adapter cannot be used, and the provider says why
refused()
{
	DAT_OVERRIDE=$jobs/dat.conf WEFT_DAT_LOG=1 timeout $((100 * VM_SLOW)) \
		node 1 dtestsrq -P "$1" -s >/run/weft/server 2>&1
	[ $? != 124 ] && grep -q "$2" /run/weft/server && return
	cat /run/weft/server
	return 1
}

job_end()
{
	node 0 weftctl job del lab && node 1 weftctl job del lab
}

if [ "$LINK" = loop ]; then
	tap_skip "dtestsrq" "two nodes are needed"
	tap_done
fi
tap_run "dtestsrq" srq
tap_run "dtestsrq, without -b" srq -v
tap_run "dtestsrq, 50 endpoints, 20 bursts of 20" srq -c 50 -B 20 -t 20
tap_run "dtestsrq, 100 endpoints" srq -c 100
# (not -p: the program takes DAT_QUEUE_EMPTY, as an error, for an event)
tap_run "dtest" rdma
tap_run "dtest, a CNO" rdma -c
tap_run "dtest, writes only, both ways" rdma -w
tap_run "dtest, writes only, one way" rdma -w -u
tap_run "dtest, an event for each write" rdma -w -S 1
# (with -D the program expects that the last byte of a write is stored last: short writes)
tap_run "dtest, writes answered by writes" rdma -W
tap_run "dtest, the same, compared" rdma -W -D -b 4096
# (1000 exchanges of each size, between two programs that spin: more sizes take minutes. Of a length
# that is no power of 2, dtest takes the next one, and writes beyond its own buffer)
tap_run "dtest, writes of all sizes" rdma -W -a -b 256
tap_run "dtest, writes of 257 bytes" rdma -W -b 257
tap_run "dapltest, messages" dapl T -V -i 100 -t 1 -w 4 client SR 4096 server SR 4096
tap_run "dapltest, writes and reads" dapl T -V -i 100 -t 2 -w 4 \
	client RW 4096 server RR 4096 2 client SR 256 server SR 256
tap_run "dapltest, throughput of writes" dapl P -i 1000 -p 8 RW 4096 1
tap_run "dapltest, throughput of reads" dapl P -i 1000 -p 8 -m p RR 4096 1
tap_run "dtestx" extensions
tap_run "dtestcm, 200 connections" cm -c 200 -b 50
tap_run "dtestcm, several service points" cm -m -c 40 -b 8
tap_run "a job" job_setup
tap_run "dtestsrq in a job" in_job lab lab
tap_run "dtestsrq in a job, of a port that is named" in_job named lab
tap_run "who is not in the job is refused" outside
tap_run "a key that no job has" refused nobody "no job of port weft1 has this key"
tap_run "a short key" refused short "keys have 16 to 256 bytes"
tap_run "a key file that is not there" refused none "No such file"
tap_run "parameters that mean nothing" refused wrong "neither a port nor key=FILE"
tap_run "the job goes" job_end
tap_done
