#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The scripts of Documentation/launchers: Slurm's prolog and epilog, run as slurmd runs them, and
# the one for PRRTE. And what Documentation/launchers.rst says of containers: programs in user,
# mount and network namespaces of an ordinary user, and in a container of crun, the runtime of
# podman, with a rule of its cgroup for the device.
# TIMEOUT: 300

# Its mounts are its own.
[ "${LAUNCHERS_APART-}" ] || LAUNCHERS_APART=1 exec unshare -m --propagation private sh "$0"

. "$VM_REPO/selftests/vm/lib.sh"

case $LINK in veth|vnet) ;; *) tap_skip "launchers" "there is one node"; tap_done ;; esac

scripts=$VM_REPO/Documentation/launchers
dir=$(mktemp -d /run/weft/launch.XXXXXX)
gid=$(getent group weft | cut -d: -f3)
key=/run/weft-job/slurm-4711.key
chmod 755 "$dir" /run/weft
mkdir "$dir/run1"

# Files of the administrator are those of the test. Scripts of Slurm have no search path: weftctl is
# where an installation puts it.
empty=
for at in /etc/weft /run/weft-job /usr/local/sbin; do
	[ -e $at ] || empty="$empty $at"
	mkdir -p $at && mount -t tmpfs -o mode=755 none $at || exit 1
done
ln -s "$VM_BUILD/bin/weftctl" /usr/local/sbin/weftctl
leave()
{
	umount /etc/weft /run/weft-job /usr/local/sbin
	rm -rf "$dir"
	[ -z "$empty" ] || rmdir $empty
}
trap leave EXIT

# slurm NODE ID SCRIPT: as slurmd of this node runs it. The nodes share /run, so the second one
# gets a folder of its own.
slurm()
{
	node "$1" unshare -m --propagation private sh -c '[ "$1" = 0 ] || {
			mkdir -p /run/weft-job && mount --bind "$2" /run/weft-job || exit
		}
		exec env -i SLURM_JOB_ID="$3" SLURM_JOB_UID=1990 SLURM_JOB_USER=alice \
			SLURM_JOB_GID=1990 SLURM_CLUSTER_NAME=test SLURMD_NODENAME="n$1" \
			"$4"' sh "$1" "$dir/run1" "$2" "$scripts/$3"
}

prolog() { slurm "$1" "$2" slurm-prolog; }
epilog() { slurm "$1" "$2" slurm-epilog; }

# who UID: the words before a command of a user in group weft
who() { echo "setpriv --reuid $1 --regid $1 --groups $gid"; }

# as UID NODE COMMAND...
as()
{
	words=$(who "$1") at=$2
	shift 2
	node "$at" $words "$@"
}

jobs_of() { node "$1" weftctl job show "weft$1" | grep -c "job slurm-"; }
limit_of() { node 0 weftctl limit show weft0 | sed -n "s/.*limit $1 value \([^ ]*\) .*/\1/p"; }

nothing_left()
{
	[ "$(jobs_of 0)" = 0 ] && [ "$(jobs_of 1)" = 0 ] && ! ls /run/weft-job/*.key 2>/dev/null &&
		! ls "$dir"/run1/*.key 2>/dev/null && [ ! -e /run/weft-job/limits ] &&
		[ "$(limit_of endpoints-user)" = 16384 ]
}

wrong()
{
	rm -f /etc/weft/cluster.key
	tap_refused "/etc/weft/cluster.key is missing" prolog 0 4711 &&
		head -c 40 /dev/urandom >/etc/weft/cluster.key && chmod 644 /etc/weft/cluster.key &&
		tap_refused "no one else may read it" prolog 0 4711 &&
		chmod 600 /etc/weft/cluster.key && : >/etc/weft/cluster.key &&
		tap_refused "is missing" prolog 0 4711 && echo short >/etc/weft/cluster.key &&
		tap_refused "less than 32 bytes" prolog 0 4711 &&
		head -c 40 /dev/urandom >/etc/weft/cluster.key &&
		tap_refused "Slurm has not set it" env -i "$scripts/slurm-prolog" &&
		tap_refused "Slurm has not set it" env -i "$scripts/slurm-epilog" &&
		tap_refused "is no name of a job" prolog 0 ../4711 &&
		tap_refused "there is no user nobody-at-all" \
			node 0 "$scripts/weft-job" begin a nobody-at-all &&
		tap_refused "no port of weft" unshare -n "$scripts/weft-job" begin a 1990 &&
		tap_refused "only root" as 1990 0 "$scripts/weft-job" begin a 1990 &&
		tap_refused "usage:" "$scripts/weft-job" begin a && nothing_left
}

wrong_limit()
{
	printf 'endpoints-user 256\nendpoints-users 7\n' >/etc/weft/job.limits
	tap_refused '"endpoints-users 7" is refused' prolog 0 4711 &&
		printf '# of users\n\nendpoints-user 256\n' >/etc/weft/job.limits &&
		epilog 0 4711 && nothing_left
}

begins()
{
	for n in 0 1; do
		prolog $n 4711 && [ "$(node $n weftctl job show weft$n)" = \
			"weft$n: job slurm-4711 ep 0 uid 1990" ] || return 1
	done
	cmp $key "$dir/run1/slurm-4711.key" && [ "$(stat -c '%u %a %s' $key)" = "1990 400 65" ] &&
		[ "$(limit_of endpoints-user)" = 256 ]
}

again()
{
	cp $key "$dir/before" && prolog 0 4711 && cmp $key "$dir/before" &&
		[ "$(jobs_of 0)" = 1 ] && [ "$(limit_of endpoints-user)" = 256 ]
}

tells_tasks()
{
	[ "$(SLURM_JOB_ID=4711 as 1990 0 "$scripts/slurm-task-prolog")" = \
			"export FI_WEFT_KEY_FILE=$key" ] &&
		[ -z "$(SLURM_JOB_ID=4711 as 1991 0 "$scripts/slurm-task-prolog")" ] &&
		[ -z "$(SLURM_JOB_ID=4712 as 1990 0 "$scripts/slurm-task-prolog")" ]
}

# server USER [KEY]: fi_pingpong waits on node 1 in the background, as $server
server()
{
	node 1 $(who "$1") env ${2:+FI_WEFT_KEY_FILE="$2"} timeout $((60 * VM_SLOW)) \
		fi_pingpong -p weft -e rdm -I 20 -S 64 >"$dir/server" 2>&1 &
	server=$!
	vm_wait 20 vm_listening $server 47592
}

runs()
{
	server 1990 $key || return 1
	as 1990 0 env FI_WEFT_KEY_FILE=$key timeout $((60 * VM_SLOW)) \
		fi_pingpong -p weft -e rdm -I 20 -S 64 10.77.0.2 && wait $server
}

# Two programs in the job, which go on until they are killed
in_job()
{
	node 0 $(who 1990) env FI_WEFT_KEY_FILE=$key fi_pingpong -p weft -e rdm >/dev/null 2>&1 &
	holder=$!
	vm_wait 20 vm_listening $holder 47592
	node 0 $(who 1990) env FI_WEFT_KEY_FILE=$key timeout $((60 * VM_SLOW)) \
		fi_pingpong -p weft -e rdm -I 100000000 10.77.0.1 >/dev/null 2>&1 &
	holders="$holder $!"
	vm_wait 20 in_job_shown
}

in_job_shown() { node 0 weftctl ep show | grep -q "job slurm-4711"; }

end_holders()
{
	kill $holders
	wait $holders
}

# refused USER KEY TEXT: a client with this key fails, and the provider's log has this text
refused()
{
	server 1990 $key || return 1
	tap_refused "$3" as "$1" 0 env FI_WEFT_KEY_FILE="$2" FI_LOG_LEVEL=warn FI_LOG_PROV=weft \
		timeout $((60 * VM_SLOW)) fi_pingpong -p weft -e rdm -I 20 -S 64 10.77.0.2
	ret=$?
	kill $server
	wait $server
	return $ret
}

others()
{
	install -o 1991 -m 400 $key "$dir/stolen" && echo short >"$dir/short" &&
		refused 1991 $key "$key gives no key: Permission denied" &&
		refused 1991 "$dir/stolen" "not for your user" &&
		refused 1990 "$dir/none" "gives no key: No such file" &&
		refused 1990 "$dir/short" "keys have 16 to 256 bytes"
}

in_use()
{
	in_job || return 1
	tap_refused "job slurm-4711 is in use: " epilog 0 4711 &&
		echo "$tap_said" | grep -q fi_pingpong && [ -e $key ]
	ret=$?
	end_holders
	return $ret
}

two_jobs()
{
	prolog 0 4712 && epilog 0 4711 && [ "$(jobs_of 0)" = 1 ] &&
		[ "$(limit_of endpoints-user)" = 256 ] && ! [ -e $key ] && epilog 0 4712 &&
		[ "$(limit_of endpoints-user)" = 16384 ]
}

ends()
{
	epilog 1 4711 && nothing_left && epilog 0 4711 && epilog 1 4711 && nothing_left
}

# The launcher's stand-in takes options as prterun(1) does: "-x NAME" has programs get NAME alone.
prrte()
{
	cat >"$dir/prterun" <<-'END'
		#!/bin/sh
		[ "$1 $2 $3 $4" = "-x FI_WEFT_KEY_FILE -n 2" ] || { echo "options: $*"; exit 1; }
		shift 4
		exec env -i PATH="$PATH" FI_WEFT_KEY_FILE="$FI_WEFT_KEY_FILE" "$@"
	END
	chmod +x "$dir/prterun"
	echo "a key of the project" >"$dir/project" && PATH=$dir:$PATH
	[ "$("$scripts/weft-prterun" "$dir/project" -n 2 printenv FI_WEFT_KEY_FILE)" = \
			"$dir/project" ] &&
		[ "$(LAUNCHER=$dir/prterun "$scripts/weft-prterun" "$dir/project" -n 2 echo ran)" = \
			ran ] &&
		tap_refused "cannot be read" "$scripts/weft-prterun" "$dir/none" -n 2 true
}

# --- containers ------------------------------------------------------------

# contained USER GROUPS OPTION... -- COMMAND...: in a user namespace of the user, who is root there
# and has only the device weft0. Options are those of unshare, as --net.
contained()
{
	user=$1 groups=$2
	shift 2
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	node 0 setpriv --reuid "$user" --regid "$user" $groups \
		unshare --user --map-root-user --mount $options sh -c '
			mount -t tmpfs none /mnt && : >/mnt/weft0 &&
			mount --bind /dev/weft/weft0 /mnt/weft0 && mount --rbind /mnt /dev/weft &&
			"$@"' sh "$@"
}

# (without O_CREAT, which "<>" of a shell has)
open_it='perl -MFcntl -e "sysopen(F, q(/dev/weft/weft0), O_RDWR) or die qq(\$!\n); print qq(opened)"'

keeps_groups()
{
	[ "$(contained 1990 "--groups $gid" -- sh -c "$open_it")" = opened ] &&
		[ "$(contained 1990 "--groups $gid" -- ls /dev/weft)" = weft0 ] &&
		[ "$(contained 1990 "--groups $gid" -- id -u)" = 0 ]
}

no_groups() { tap_refused "Permission denied" contained 1990 --clear-groups -- sh -c "$open_it"; }

other_net()
{
	tap_refused "No such device" contained 1990 "--groups $gid" --net -- sh -c "$open_it" &&
		[ -z "$(contained 1990 "--groups $gid" --net -- weftctl port show)" ] &&
		[ -z "$(contained 1990 "--groups $gid" --net -- \
			sh -c 'mount -t sysfs none /sys && ls /sys/class/weft')" ]
}

contained_runs()
{
	server 1991 || return 1
	contained 1990 "--groups $gid" -- timeout $((60 * VM_SLOW)) \
		fi_pingpong -p weft -e rdm -I 20 -S 64 10.77.0.2 && wait $server
}

contained_job()
{
	prolog 0 4713 && prolog 1 4713 || return 1
	key=/run/weft-job/slurm-4713.key
	server 1990 $key && contained 1990 "--groups $gid" -- env FI_WEFT_KEY_FILE=$key \
		timeout $((60 * VM_SLOW)) fi_pingpong -p weft -e rdm -I 20 -S 64 10.77.0.2 &&
		wait $server
	ret=$?
	epilog 0 4713 && epilog 1 4713 && return $ret
}

sees()
{
	node 0 $(who 1991) fi_pingpong -p weft -e rdm >/dev/null 2>&1 &
	holders=$!
	vm_wait 20 vm_listening $! 47592
	node 0 $(who 1991) fi_pingpong -p weft -e rdm -I 100000000 10.77.0.1 >/dev/null 2>&1 &
	holders="$holders $!"
	vm_wait 20 sh -c 'node 0 weftctl ep show | grep -q .' &&
		contained 1990 "--groups $gid" -- weftctl port show | grep -q "^weft0: " &&
		contained 1990 "--groups $gid" -- weftctl job show &&
		contained 1990 "--groups $gid" -- weftctl stats show weft0 | grep -q msgs_local &&
		[ -z "$(contained 1990 "--groups $gid" -- sh -c \
			"weftctl ep show; weftctl ctx show; weftctl recv show")" ] &&
		[ "$(contained 1991 "--groups $gid" -- weftctl ep show | grep -c "uid 0 ")" = 2 ]
	ret=$?
	end_holders
	return $ret
}

changes_nothing()
{
	for what in "port del weft0" "port set weft0 engine poll" "limit set weft0 paths 10" \
			"job add mine key $dir/project" "port add mine loop addr 127.0.0.9"; do
		tap_refused "not permitted" contained 1990 "--groups $gid" -- weftctl $what || return 1
	done
	tap_refused "not permitted" contained 1990 "--groups $gid" -- timeout 20 weftctl monitor
}

# crun_runs RULE COMMAND...: in a container of user 1990 and group weft on node 0, with the device.
# RULE: "allow" has the cgroup allow it.
crun_runs()
{
	set -- "$1" "$(shift; printf ',"%s"' "$@" | cut -c 2-)" $(stat -c '%Hr %Lr' /dev/weft/weft0)
	device="\"type\":\"c\",\"major\":$3,\"minor\":$4"
	rule=
	[ "$1" != allow ] || rule=",{\"allow\":true,$device,\"access\":\"rw\"}"
	mkdir -p "$dir/bundle/rootfs"
	ln -sfn usr/bin "$dir/bundle/rootfs/bin"
	ln -sfn usr/lib "$dir/bundle/rootfs/lib"
	ln -sfn usr/lib64 "$dir/bundle/rootfs/lib64"
	mounts=
	for at in /usr /etc "$VM_REPO" "$VM_BUILD"; do
		mounts="$mounts,{\"destination\":\"$at\",\"type\":\"bind\",\"source\":\"$at\"
			,\"options\":[\"rbind\",\"ro\"]}"
	done
	read -r netns </run/weft/node0
	cat >"$dir/bundle/config.json" <<-EOT
		{"ociVersion":"1.0.0","process":{"terminal":false,"cwd":"/","args":[$2],
		 "user":{"uid":1990,"gid":1990,"additionalGids":[$gid]},"noNewPrivileges":true,
		 "env":["PATH=$PATH","FI_PROVIDER_PATH=$FI_PROVIDER_PATH",
			"LD_LIBRARY_PATH=$LD_LIBRARY_PATH"]},
		"root":{"path":"rootfs"},
		"mounts":[{"destination":"/proc","type":"proc","source":"proc"},
			{"destination":"/dev","type":"tmpfs","source":"tmpfs"}$mounts],
		"linux":{"namespaces":[{"type":"pid"},{"type":"mount"},{"type":"ipc"},{"type":"uts"},
				{"type":"network","path":"/run/netns/$netns"}],
			"devices":[{"path":"/dev/weft/weft0",$device,"fileMode":432,"uid":0,
				"gid":$gid}],
			"resources":{"devices":[{"allow":false,"access":"rwm"}$rule]}}}
	EOT
	(cd "$dir/bundle" && timeout $((60 * VM_SLOW)) crun --cgroup-manager=cgroupfs run weft)
}

cgroup_rule()
{
	[ "$(crun_runs allow ls /dev/weft)" = weft0 ] &&
		server 1991 && crun_runs allow fi_pingpong -p weft -e rdm -I 20 -S 64 10.77.0.2 &&
		wait $server
}

no_cgroup_rule()
{
	crun_runs allow cat /proc/self/status | grep -q "^CapEff:	0000000000000000" &&
		tap_refused "Operation not permitted" crun_runs deny cat /dev/weft/weft0
}

tap_run "what is wrong is said, and changes nothing" wrong
tap_run "a limit that is refused" wrong_limit
tap_run "the prolog makes the job on both nodes" begins
tap_run "the prolog may run again" again
tap_run "tasks are told the key" tells_tasks
tap_run "programs of the user run in the job" runs
tap_run "other users and other keys are refused" others
tap_run "the epilog fails while a program is in the job" in_use
tap_run "limits stay until the last job ends" two_jobs
tap_run "the epilog removes all, and may run again" ends
tap_run "programs of PRRTE get the key" prrte
tap_run "a container with the user's groups opens the device" keeps_groups
tap_run "a container without them does not" no_groups
tap_run "a container with a network of its own sees no port" other_net
tap_run "a program runs in a container" contained_runs
tap_run "and in the user's job" contained_job
tap_run "a container sees its own user's programs alone" sees
tap_run "root of a container changes nothing" changes_nothing
if command -v crun >/dev/null; then
	tap_run "crun: a program runs where the cgroup has a rule for the device" cgroup_rule
	tap_run "crun: without the rule the device cannot be opened" no_cgroup_rule
else
	tap_skip "crun" "crun is not installed"
fi
tap_done
