#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Programs of 32 bits on this kernel of 64 bits: all calls, maps and doorbells of the user
# interface. The programs are the other tests uapi_*, built for i386 ("make tests-32bit").
# TIMEOUT: 600
# CHECK: all

. "$VM_REPO/selftests/vm/lib.sh"

made=$VM_BUILD/32bit/selftests
if [ ! -e "$made" ]; then
	tap_skip "programs of 32 bits" "they were not built: make tests-32bit"
	tap_done
fi

for program in "$made"/uapi_*; do
	tap_run "${program##*/}" "$program"
done
tap_done
