#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The dissector for Wireshark shows real packets: dumpcap captures at the interface of node 0, and
# selftests/wireshark checks what tshark shows. One capture has all packets that both nodes send.
# Some of them are lost behind the capture, so that repetitions have their first packets in it. The
# other capture is one of a bad link: it lacks packets, and has others twice.
# TIMEOUT: 500
# CHECK: all

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

if [ "$LINK" != veth ] || ! command -v dumpcap >/dev/null || ! command -v tshark >/dev/null ||
		[ ! -e "$VM_REPO/selftests/wireshark" ]; then
	tap_skip "captures" "there is no veth link, no dumpcap, or no selftests/wireshark"
	tap_done
fi

out=/run/weft/capture
marker="the capture ends here"

# Packets go to $out.pcapng from now on.
capture()
{
	rm -f $out.pcapng
	node 0 dumpcap -q -i veth0 -B 64 -f "udp port 9471 or udp port 9" -w $out.pcapng \
		>$out.log 2>&1 &
	dumpcap=$!
	# the line of a file that is open for packets
	vm_wait 60 grep -q '^File: ' $out.log || { cat $out.log; return 1; }
}

# A packet that node 0 sends is the last one.
captured()
{
	node 0 bash -c "echo '$marker' >/dev/udp/10.77.0.2/9"
	vm_wait 60 grep -aq "$marker" $out.pcapng
	status=$?
	kill -INT $dumpcap
	wait $dumpcap
	cat $out.log
	[ $status = 0 ] && grep -q "^Packets received/dropped on interface.*/0 " $out.log
}

# The nodes know no path to each other, so that they send nothing again.
forget()
{
	for i in 0 1; do
		for to in 10.77.0.$((2 - i)) fd77::$((2 - i)); do
			node $i weftctl path show weft$i | grep -q "path $to " || continue
			node $i weftctl path del weft$i $to force
		done
	done
	return 0
}

row()	# PROGRAM ROW...
{
	program=$1
	shift
	WEFT_WHERE=between "$VM_BUILD/selftests/$program" "$@" >/run/weft/row || {
		cat /run/weft/row
		return 1
	}
}

messages()
{
	for size in 64 4096 65536 1048576; do
		pingpong 1 10.77.0.2 -e rdm -m tagged -S $size -I 1 || return 1
	done
	pingpong 1 10.77.0.2 -e rdm -S 64 -I 20
}

connections()
{
	pingpong 1 10.77.0.2 -e msg -S 64 -I 5 && pingpong 1 10.77.0.2 -e msg -S 65536 -I 2 &&
		row conf_cm CM-013
}

datagrams()
{
	pingpong 1 10.77.0.2 -e dgram -S 64 -I 5 && row conf_mcast MSG-058
}

one_sided()
{
	row conf_rma RMA-03 RMA-06 RMA-19 RMA-22 && row conf_atomic ATOM-02 ATOM-03
}

probes()
{
	for to in 10.77.0.2 fd77::2; do
		node 0 weftctl path probe weft0 $to count 5 interval 1 || return 1
	done
}

# Each 20th packet is lost when it has passed the capture. The devices get no rows of packets, so
# that a part of a message is lost.
lost_behind()
{
	for i in 0 1; do
		node $i ethtool -K veth$i tx-udp-segmentation off || return 1
		node $i nft -f - <<-EOF || return 1
			table netdev weft_test {
				chain c {
					type filter hook ingress device "veth$i" priority 0;
					udp dport 9471 numgen inc mod 20 == 0 drop
				}
			}
		EOF
	done
	pingpong 1 10.77.0.2 -e rdm -m tagged -S 1024 -I 100 &&
		pingpong 1 10.77.0.2 -e rdm -m tagged -S 65536 -I 5
	status=$?
	for i in 0 1; do
		node $i nft delete table netdev weft_test &&
			node $i ethtool -K veth$i tx-udp-segmentation on || status=1
	done
	return $status
}

# netem loses, doubles and reorders packets before they pass the capture
bad_link()
{
	for i in 0 1; do
		node $i tc qdisc add dev veth$i root netem limit 10000 \
			delay 500us loss 10% duplicate 5% reorder 90% || return 1
	done
	pingpong 1 10.77.0.2 -e rdm -m tagged -S 1024 -I 100 &&
		pingpong 1 10.77.0.2 -e rdm -m tagged -S 1048576 -I 2
	status=$?
	for i in 0 1; do
		node $i tc qdisc del dev veth$i root
	done
	return $status
}

# The same ports with the addresses of IPv6 alone, for programs that take the first address
six()
{
	for i in 0 1; do
		node $i weftctl port del weft$i &&
			vm_port $i weft$i netdev veth$i addr fd77::$((i + 1)) || return 1
	done
	for size in 64 65536; do
		pingpong 1 fd77::2 -6 -e rdm -m tagged -S $size -I 3 || return 1
	done
	pingpong 1 fd77::2 -6 -e msg -S 64 -I 3
}

again()	# prints how many packets both nodes have sent again
{
	a=$(node 0 cat /sys/class/weft/weft0/counters/retransmits)
	b=$(node 1 cat /sys/class/weft/weft1/counters/retransmits)
	echo $((a + b))
}

dissected()
{
	(cd "$VM_REPO" && selftests/wireshark -r $out.pcapng) >$out.shown
	status=$?
	# (what was captured is worth a look after a success, too)
	sed 's/^/# /' $out.shown >&3
	return $status
}

# shown WHAT...: the capture has some of each
shown()
{
	status=0
	for what; do
		grep -q "^real: [1-9][0-9]* $what$" $out.shown || { echo "no $what"; status=1; }
	done
	return $status
}

# repetitions that are linked to their first packets
repeated()	# FROM TO
{
	n=$(sed -n 's/^real: \([0-9]*\) retransmissions$/\1/p' $out.shown)
	echo "${n:-0} repetitions"
	[ "${n:-0}" -ge $1 ] && [ "${n:-0}" -le $2 ]
}

# The ports have all addresses of their devices
as_before()
{
	for i in 0 1; do
		node $i weftctl port del weft$i && vm_node_port $i || return 1
	done
}

exec 3>&1
tap_run "no paths are known" forget
begun=$(again)
tap_run "dumpcap captures" capture
tap_run "messages" messages
tap_run "connections" connections
tap_run "datagrams" datagrams
tap_run "one-sided operations" one_sided
tap_run "probes of paths, IPv4 and IPv6" probes
tap_run "packets that are lost" lost_behind
tap_run "the paths end" forget
count=$(($(again) - begun))
tap_run "messages, IPv6" six
tap_run "the paths of IPv6 end" forget
count=$((count + $(again)))
tap_run "ports as before" as_before
tap_run "the capture ends, and lacks no packet" captured
tap_run "all packets are dissected and linked" dissected
# About 33 packets with numbers are lost. A node also counts a packet that it does not send, because
# its acknowledgement comes in this moment: many on a slow machine. The script has compared the mark
# of each packet with the packets before it.
tap_run "repetitions occur, not more than the $count that nodes counted" repeated 20 $count
tap_run "all links occur" shown acknowledgements handshakes grants data done echoes
tap_run "types of packets" shown "PKT HELLO" "PKT DATA" "PKT GONE" "PKT DGRAM" "PKT GROUP" \
	"HELLO INIT" "HELLO COOKIE" "HELLO ACK"
tap_run "types of chunks" shown "CHUNK EAGER" "CHUNK RTS" "CHUNK GRANT" "CHUNK DATA" "CHUNK DONE" \
	"CHUNK ABORT" "CHUNK CM" "CHUNK CREDIT" "CHUNK OPEN" "CHUNK PROBE" "CHUNK PROBED" \
	"CHUNK ECHO" "CHUNK ECHOED" "CHUNK SACK"
tap_run "connection management" shown "CM REQ" "CM REP" "CM REJ" "CM RTU" "CM FIN" "CM FINACK"
tap_run "one-sided operations of all kinds" shown "RMA WRITE" "RMA READ" "RMA ATOMIC" "RMA FETCH" \
	"RMA COMPARE"
tap_run "dumpcap captures a bad link" capture
tap_run "messages over a bad link" bad_link
tap_run "the second capture ends" captured
tap_run "its packets are dissected and linked" dissected
tap_run "some are there twice" repeated 1 1000000
tap_run "some are missing" shown "frames with gap"
exec 3>&-
tap_done
