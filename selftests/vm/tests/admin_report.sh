#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# weftctl report: each section is there, keys are not, and a file is whole or absent
# TIMEOUT: 240

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/rates.sh"

dir=/run/weft/report

section()	# TITLE: its lines
{
	awk -v title="==== $1 ====" '/^==== / { on = $0 == title } on' $dir/r.txt | sed 1d
}

sections()
{
	rm -rf $dir && mkdir $dir && cd $dir || return 1
	head -c 16 /dev/urandom | od -An -tx1 | tr -d ' ' >/run/weft/key
	node 0 weftctl job add lab key /run/weft/key port weft0 &&
		echo "weft: a line for the report" >/dev/kmsg &&
		node 0 weftctl report $dir/r.txt >/run/weft/said 2>&1
	status=$?
	node 0 weftctl job del lab port weft0
	cat /run/weft/said
	[ $status = 0 ] && [ "$(cat /run/weft/said)" = $dir/r.txt ] || return 1
	for title in versions machine configuration "module parameters" "port show" "limit show" \
		"job show" "user show" "ctx show" "-s ep show" "-s path show" "neigh show" \
		"conn show" "cq show" "srq show" "mr show" "flow show" "send show" "recv show" \
		"msg show" hang "event show" "stats show -d" "histogram show" "stats -i 1 -c 1" \
		"devices of ports" "kernel log" "service log"; do
		[ "$(grep -cxF "==== $title ====" $dir/r.txt)" = 1 ] || { echo "no $title"; return 1; }
	done
	cat $dir/r.txt
	[ "$(grep -c '^==== ' $dir/r.txt)" = 29 ] && [ "$(stat -c %a $dir/r.txt)" = 600 ] &&
		tail -n 1 $dir/r.txt | grep -x '==== end: 28 sections, [0-9]* failed ===='
}

contents()
{
	section "port show" | grep -q '^weft0: [a-z]* .* state up ' &&
		section "limit show" | grep -q '^weft0: limit paths .* used ' &&
		section "job show" | grep -q '^weft0: job lab ' &&
		section "event show" | grep -q ' weft0: port-added' &&
		section versions | grep -q '^module [0-9]' &&
		section versions | grep -q "^kernel: Linux $(uname -r) " &&
		section "module parameters" | grep -q '^fast_paths: ' &&
		section "stats show -d" | grep -q '^    packets sent again$' &&
		section "devices of ports" | grep -q '^port weft0: ' &&
		section "kernel log" | grep -q 'weft: a line for the report$' &&
		section hang | grep -q 'nothing has waited for 10 s'
}

# A port that owns its device has nothing for ip and ethtool. sysfs knows the device.
owned_device()
{
	section "devices of ports" >/run/weft/device
	grep -qx "port weft0: $(vm_nic 0)" /run/weft/device &&
		grep -qx 'driver: weft_vnet' /run/weft/device &&
		grep -q '^features: .*\<mac\> .*\<status\> .*\<version_1\>' /run/weft/device &&
		grep -q '^status: 0x' /run/weft/device &&
		grep -qx 'PCI vendor: 0x1af4' /run/weft/device &&
		grep -q '^interrupts: .* virtio[0-9]*-' /run/weft/device
}

# Endpoints and paths have their sums.
summed()
{
	start || return 1
	node 0 weftctl report $dir/r.txt
	status=$?
	stop
	section "-s ep show" && section "-s path show"
	[ $status = 0 ] && section "-s ep show" | grep -q ' sent [1-9].* flows_out [1-9]' &&
		section "-s path show" | grep -q ' tx_packets [1-9].* flows_out [1-9]'
}

# A port on a network device
device()
{
	section "devices of ports" | grep -q '^port weft0: veth0$' &&
		section "devices of ports" | grep -q '^\$ ip -d -s link show dev veth0$' &&
		section "devices of ports" | grep -q '^\$ ethtool -k veth0$'
}

no_key()
{
	! grep -F "$(cat /run/weft/key)" $dir/r.txt
}

# The folder of keys is listed, its files are not read.
keys_of_etc()
{
	mkdir -p /run/weft/etc && echo "secret of the job" >/run/weft/etc/lab.key &&
		echo "# first line" >/run/weft/weft.conf && mkdir -p /etc/weft &&
		mount --bind /run/weft/etc /etc/weft && touch /etc/weft.conf &&
		mount --bind /run/weft/weft.conf /etc/weft.conf &&
		node 0 weftctl report - >$dir/r.txt
	status=$?
	umount /etc/weft /etc/weft.conf
	section configuration
	[ $status = 0 ] && section configuration | grep -q '^    # first line$' &&
		section configuration | grep -q '^/etc/weft/lab.key: mode .*, 18 bytes, not shown$' &&
		! grep secret $dir/r.txt
}

compressed()
{
	cd $dir && node 0 weftctl report >/run/weft/said || return 1
	cat /run/weft/said
	name=$(cat /run/weft/said)
	case $name in weft-report-*-[0-9]*.txt.gz) ;; *) return 1 ;; esac
	[ -s "$name" ] && gzip -dc "$name" | tail -n 1 | grep -q '^==== end: '
}

# without gzip(1)
plain()
{
	cd $dir && rm -f ./* || return 1
	mount --bind /dev/null "$(readlink -f "$(command -v gzip)")" || return 1
	node 0 weftctl report x.txt.gz >/run/weft/said 2>&1
	status=$?
	umount "$(readlink -f "$(command -v gzip)")"
	cat /run/weft/said
	[ $status = 0 ] && grep -q 'gzip is not installed' /run/weft/said && [ "$(ls)" = x.txt ] &&
		tail -n 1 x.txt | grep -q '^==== end: '
}

refused()	# WORDS FILE
{
	if said=$(node 0 weftctl report "$2" 2>&1); then
		echo "it was accepted: $said"
		return 1
	fi
	echo "$said"
	echo "$said" | grep -qF -- "$1"
}

# A full disk: an old report stays, and nothing else.
full()
{
	mkdir -p /run/weft/small && mount -t tmpfs -o size=8k none /run/weft/small || return 1
	echo old >/run/weft/small/r.txt
	refused "No space left on device" /run/weft/small/r.txt &&
		refused "No space left on device" /run/weft/small/r &&
		[ "$(ls /run/weft/small)" = r.txt ] && [ "$(cat /run/weft/small/r.txt)" = old ] &&
		head -c 4096 /dev/urandom >/run/weft/small/fill &&
		refused "No space left on device" /run/weft/small/r.gz &&
		[ "$(ls /run/weft/small | tr '\n' ' ')" = "fill r.txt " ]
	status=$?
	umount /run/weft/small
	return $status
}

unwritable()
{
	refused "No such file" /run/weft/nonesuch/r && refused "no regular file" /dev/null &&
		refused "no regular file" $dir && refused "not known here" -x &&
		! node 0 weftctl report - >/dev/full &&
		! node 0 setpriv --reuid 1990 --regid 1990 --clear-groups weftctl report /run/weft/r
}

# It is ended by a signal: no part of a file is left.
ended()
{
	cd $dir && rm -f ./* || return 1
	node 0 weftctl report r.txt &
	report=$!
	vm_wait 30 unfinished || return 1
	kill $report
	wait $report
	status=$?
	ls
	[ $status = 143 ] && [ -z "$(ls)" ]
}

unfinished()
{
	[ -n "$(ls)" ]
}

# A section that fails says why, and leaves the others alone.
fails()
{
	for tool in dmesg journalctl; do
		tool=$(command -v $tool) || continue
		mount --bind /bin/false "$(readlink -f "$tool")" || return 1
	done
	node 0 weftctl report - >$dir/r.txt
	status=$?
	for tool in dmesg journalctl; do
		tool=$(command -v $tool) && umount "$(readlink -f "$tool")"
	done
	section "kernel log"
	[ $status = 0 ] && section "kernel log" | grep -q '^neither dmesg nor journalctl ' &&
		section "kernel log" | grep -q '^(this failed with status 1)$' &&
		section "port show" | grep -q '^weft0: ' &&
		tail -n 1 $dir/r.txt | grep -qx '==== end: 28 sections, [12] failed ===='
}

tap_run "each section is there" sections
tap_run "what they have" contents
[ "$LINK" != veth ] || tap_run "the device" device
[ "$LINK" != vnet ] || tap_run "a device that the port owns" owned_device
tap_run "sums" summed
tap_run "no key" no_key
tap_run "the folder of keys" keys_of_etc
tap_run "compressed, with the default name" compressed
tap_run "without gzip" plain
tap_run "a full disk" full
tap_run "a file that cannot be written" unwritable
tap_run "it is ended" ended
tap_run "a section fails" fails
cd / && rm -rf $dir /run/weft/etc
tap_done
