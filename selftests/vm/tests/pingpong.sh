#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Unmodified fi_pingpong, all its sizes, contents checked: RDM and MSG, tagged
# and untagged, between the nodes and within one.
# TIMEOUT: 400

. "$VM_REPO/selftests/vm/lib.sh"
. "$VM_REPO/selftests/vm/tests/lib/pingpong.sh"

for where in "1 10.77.0.2 between nodes" "0 10.77.0.1 within a node"; do
	set -- $where
	n=$1 addr=$2
	[ "$LINK" = loop ] && [ "$n" = 1 ] && continue
	shift 2
	for type in rdm msg; do
		tap_run "fi_pingpong -e $type -S all, $*" \
			pingpong "$n" "$addr" -e $type -S all -I 3
	done
	tap_run "fi_pingpong -e rdm -m tagged, $*" \
		pingpong "$n" "$addr" -e rdm -m tagged -I 50
done
tap_done
