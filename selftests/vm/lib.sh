# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shell functions for what runs inside the test machine. A test script starts
# with:  . "$VM_REPO/selftests/vm/lib.sh"

# --- the two nodes ---------------------------------------------------------

vm_load()
{
	[ "$WEFT" = 0 ] && return 0
	if [ -e "$VM_MODULE" ]; then
		insmod "$VM_MODULE"
	else
		echo "weft-vm: no $VM_MODULE yet, going on without it"
	fi
}

vm_addr()	# NAMESPACE DEVICE NUMBER: one of the two ends
{
	ip -n "$1" -batch - <<-EOT
		link set lo up
		addr add 10.77.0.$3/24 dev $2
		addr add fd77::$3/64 dev $2 nodad
		link set $2 mtu $LINK_MTU up
	EOT
}

vm_port()	# NODE ARGUMENTS...: adds a port, where module and tool are there
{
	[ -d /sys/module/weft ] || return 0
	command -v weftctl >/dev/null || {
		echo "weft-vm: no weftctl yet, going on without ports"
		return 0
	}
	node=$1
	shift
	"$VM_REPO/selftests/vm/bin/node" "$node" weftctl port add "$@" >/dev/null ||
		return 1
	chgrp -R weft /dev/weft 2>/dev/null && chmod 0660 /dev/weft/* 2>/dev/null
	return 0
}

vm_nodes()
{
	mkdir -p /run/weft
	case $LINK in
	veth)
		ip -batch - <<-EOT || return 1
			netns add n0
			netns add n1
			link add veth0 netns n0 type veth peer name veth1 netns n1
		EOT
		vm_addr n0 veth0 1 && vm_addr n1 veth1 2 || return 1
		echo n0 >/run/weft/node0
		echo n1 >/run/weft/node1
		vm_port 0 weft0 netdev veth0 && vm_port 1 weft1 netdev veth1
		;;
	loop)
		ip netns add n0 && ip -n n0 link set lo up || return 1
		echo n0 >/run/weft/node0
		echo n0 >/run/weft/node1
		vm_port 0 weft0 loop addr 10.77.0.1
		;;
	none)	;;
	*)
		echo "weft-vm: LINK=$LINK is not known" >&2
		return 1
		;;
	esac
}

vm_setup()
{
	vm_load && vm_nodes
}
