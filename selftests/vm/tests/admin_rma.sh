#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The setting that opens regions to programs of any user. uapi_rma.c tests its effect.

. "$VM_REPO/selftests/vm/lib.sh"

shows()	# SETTING
{
	[ "$(node 0 cat /sys/class/weft/weft0/rma_users)" = "$1" ] &&
		node 0 weftctl port show weft0 | grep -q " rma_users $1 " &&
		node 0 weftctl -j port show weft0 | grep -q "\"rma_users\":\"$1\""
}

set_to()	# SETTING
{
	node 0 weftctl port set weft0 rma-users "$1" && shows "$1"
}

refused()
{
	node 0 weftctl port set weft0 rma-users all 2>&1 | grep "it must be same or any"
}

tap_run "a port begins with same" shows same
tap_run "any" set_to any
tap_run "another word" refused
tap_run "a refused word changes nothing" shows any
tap_run "same" set_to same
tap_done
