#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Which provider stock libfabric offers first, and the ways to choose weft: what fi_weft(7) says.
# fi_info asks, as programs do. The link has a network device, so that other providers have it, too.

. "$VM_REPO/selftests/vm/lib.sh"

said=/run/weft/choice

# offers COMMAND...: the providers, in their order, each once in a row
offers()
{
	"$@" >$said 2>&1 || { cat $said; return 1; }
	sed -n 's/^provider: //p' $said | uniq >$said.names
	tr '\n' ' ' <$said.names
	[ -s $said.names ]
}

# others first, weft last
last()
{
	offers "$@" && [ "$(head -n 1 $said.names)" != weft ] &&
		[ "$(tail -n 1 $said.names)" = weft ] && [ "$(grep -cx weft $said.names)" = 1 ]
}

only()
{
	offers "$@" && [ "$(cat $said.names)" = weft ]
}

# no provider that is in libfabric has all of these
rare="FI_MSG|FI_MULTICAST|FI_TRIGGER"

tap_run "without hints, weft is last" last node 0 fi_info
tap_run "for an address of another node, too" last node 0 fi_info -n 10.77.0.2 -t FI_EP_RDM
tap_run "hints that no other provider fits" only node 0 fi_info -t FI_EP_DGRAM -c "$rare"
tap_run "hints that name the provider" only node 0 fi_info -p weft
tap_run "the fabric alone does not choose" last node 0 fi_info -f weft
tap_run "a port alone does not choose" last node 0 fi_info -d weft0
tap_run "FI_PROVIDER names it" only env FI_PROVIDER=weft node 0 fi_info
tap_done
