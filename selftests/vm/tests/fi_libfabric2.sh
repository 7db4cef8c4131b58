#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The provider under libfabric 2.x ("make provider-2" fetches it): one built for 1.17, and one built
# from the same source for 2.x. Each reports both versions. Programs find the newer interface on
# request, and messages pass.
# TIMEOUT: 300

. "$VM_REPO/selftests/vm/lib.sh"

made=$VM_BUILD/libfabric-2
run=$made/fabric/run
export FI_PROVIDER_PATH

if [ ! -e "$made/fabric/run" ]; then
	tap_skip "libfabric 2.x" "it was not to be had: see build/libfabric-2"
	tap_done
fi

# fi_info asks for the interface of its own version
shown()	# VERSION: of libfabric that the provider was made for
{
	FI_LOG_LEVEL=info \
		node 0 "$run" "$made/fabric/bin/fi_info" -p weft -v \
		>/run/weft/info 2>/run/weft/info.log || {
		cat /run/weft/info /run/weft/info.log
		return 1
	}
	under=$("$run" "$made/fabric/bin/fi_info" --version | sed -n 's/^libfabric api: //p')
	echo "it should run under $under"
	grep "made for libfabric" /run/weft/info.log
	case $under in 2.*) ;; *) return 1 ;; esac
	grep -q "made for libfabric $1[.0-9]*, runs under $under\$" /run/weft/info.log &&
		grep -q 'prov_name: weft$' /run/weft/info &&
		grep -q "api_version: $under\$" /run/weft/info
}

# rows of the conformance tests, on all kinds of endpoints, within a node and between nodes
messages()	# PROGRAM ROW...
{
	prog=$VM_BUILD/selftests/$1
	shift
	"$run" "$prog" "$@"
}

# the administrator's file chooses for all programs of the node
by_file()
{
	rm -rf /run/weft/etc
	cp -a /etc /run/weft/etc && echo "FI_PROVIDER=weft" >/run/weft/etc/libfabric.conf || return 1
	node 0 unshare -m sh -c 'mount --bind /run/weft/etc /etc && exec "$@"' sh \
		"$run" "$made/fabric/bin/fi_info" >/run/weft/info
	status=$?
	rm -r /run/weft/etc
	sed -n 's/^provider: //p' /run/weft/info | uniq
	[ $status = 0 ] && [ "$(sed -n 's/^provider: //p' /run/weft/info | uniq)" = weft ]
}

for of in "1.17 $VM_BUILD" "2 $made"; do
	set -- $of
	FI_PROVIDER_PATH=$2/lib/libfabric
	tap_run "made for $1: fi_info of libfabric 2.x shows it" shown "$1"
	tap_run "made for $1: messages under libfabric 2.x" \
		messages conf_msg MSG-001 MSG-002 MSG-004 MSG-011 MSG-013 MSG-028 MSG-038
	tap_run "made for $1: libfabric.conf chooses it" by_file
	tap_run "made for $1: tagged ones" messages conf_tagged TAG-001 TAG-002 TAG-003
done
tap_done
