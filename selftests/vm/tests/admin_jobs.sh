#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# weftctl job: jobs are made, shown, changed and deleted, also by a file of commands. Keys come from
# files and standard input, and are never shown. Every wrong request is refused with a message and
# changes nothing.

. "$VM_REPO/selftests/vm/lib.sh"

dir=$(mktemp -d /run/weft/jobs.XXXXXX)
trap 'rm -rf "$dir"' EXIT
umask 077
echo "the key of the first job" >"$dir/one"
printf %s "the key of the second job" >"$dir/two"
head -c 32 /dev/urandom >"$dir/random"
head -c 32 /dev/urandom >"$dir/other"
head -c 15 /dev/zero >"$dir/short"
head -c 257 /dev/zero >"$dir/long"

job()
{
	node 0 weftctl job "$@"
}

shown()
{
	job show weft0
}

user()
{
	node 0 setpriv --reuid 1990 --regid 1990 --clear-groups "$@"
}

is()	# LINE...: the expected output
{
	shown >"$dir/shown"
	cat "$dir/shown"
	printf '%s\n' "$@" | diff - "$dir/shown"
}

add()
{
	job add one key "$dir/one" && is "weft0: job one ep 0 who all" &&
		job add two key - user root user 1991 group weft port weft0 <"$dir/two" &&
		is "weft0: job one ep 0 who all" \
			"weft0: job two ep 0 uid 0 uid 1991 gid $(sed -n 's/^weft:[^:]*:\([0-9]*\):.*/\1/p' /etc/group)"
}

json()
{
	job -j show 2>/dev/null && return 1	# options come first
	node 0 weftctl -j job show weft0 | tee "$dir/json"
	grep -qF '{"port":"weft0","job":"one","ep":0,"who":"all","uid":[],"gid":[]}' "$dir/json" &&
		grep -qF '"job":"two","ep":0,"uid":[0,1991],"gid":[' "$dir/json" &&
		node 0 weftctl -p job show | grep -q '"job": "one"'
}

set_who()
{
	job set two group 7 && is "weft0: job one ep 0 who all" "weft0: job two ep 0 gid 7" &&
		job set two all && is "weft0: job one ep 0 who all" "weft0: job two ep 0 who all"
}

set_key()
{
	job set one key "$dir/random" && job add three key "$dir/one" &&
		tap_refused "another job of the port has this key" job set three key "$dir/random" &&
		job set one key "$dir/random" && job del three
}

no_key_shown()
{
	{ shown; node 0 weftctl -j job show; dmesg; } | grep -a "the key of" && return 1
	[ "$(job help | wc -l)" -gt 5 ]
}

ports()
{
	node 0 weftctl port add weftx loop addr 127.0.0.77 || return 1
	job add both key "$dir/long" 2>/dev/null && return 1
	head -c 256 "$dir/long" >"$dir/most"
	job add both key "$dir/most" &&
		[ "$(job show | grep -c 'job both')" = 2 ] && job del both port weftx &&
		[ "$(job show | grep -c 'job both')" = 1 ]
	ret=$?
	job add both key "$dir/most" >/dev/null 2>&1 && ret=1	# one job has the key
	job del both
	node 0 weftctl port del weftx
	return $ret
}

batch()
{
	cat >"$dir/conf" <<-EOT
		# as in /etc/weft.conf
		job add three key $dir/other user 1991 \\
			group 1992
		job set three all
		job del three
	EOT
	node 0 weftctl -b "$dir/conf"
}

limit()
{
	node 0 weftctl limit set weft0 jobs 2 &&
		node 0 weftctl limit show weft0 | grep "limit jobs value 2 unit jobs used 2 " &&
		tap_refused "as many jobs as it may" job add three key "$dir/other"
	ret=$?
	node 0 weftctl limit set weft0 jobs 256 && return $ret
}

many()
{
	set -- three key "$dir/random" port weft0
	i=0
	while [ $i -lt 65 ]; do
		set -- "$@" user $i
		i=$((i + 1))
	done
	tap_refused "at most 64" job add "$@"
}

is_none()
{
	[ -z "$(shown)" ]
}

complete()
{
	command -v bash >/dev/null || return 0
	bash -c '. "$VM_REPO/lib/weftctl/weftctl.bash-completion"
		COMP_WORDS=(weftctl job ""); COMP_CWORD=2; _weftctl
		echo "${COMPREPLY[@]}"' | grep -qx "add del show set help"
}

tap_run "there are none" is_none
tap_run "add" add
tap_run "JSON" json
tap_run "set who may use it" set_who
tap_run "the same name again" tap_refused "there is a job of this name" job add one key "$dir/random"
tap_run "the same key again" tap_refused "has this key" job add three key "$dir/two"
tap_run "a key file that is not there" tap_refused "No such file" job add three key "$dir/none"
tap_run "a short key" tap_refused "16 to 256 bytes, this one has 15" job add three key "$dir/short"
tap_run "a long key" tap_refused "this one has more than 256" job add three key "$dir/long"
tap_run "no key" tap_refused "which key?" job add three
tap_run "no name" tap_refused "needs a name" job add
tap_run "not a name" tap_refused "no name of a job" job add -x key "$dir/random"
tap_run "a long name" tap_refused "1 to 31 characters" \
	job add 01234567890123456789012345678901 key "$dir/random"
tap_run "a user who is not there" tap_refused 'no user "nobody-here"' \
	job add three key "$dir/random" user nobody-here
tap_run "users, and all" tap_refused "either users" job set two user 1 all
tap_run "nothing to set" tap_refused "what is to be changed" job set two
tap_run "too many users" many
tap_run "a job that is not there" tap_refused "no such job" job del three
tap_run "a job that is not there to be set" tap_refused "no such job" job set three all
tap_run "a port that is not there" tap_refused "no such port" job del one port nonesuch
tap_run "nothing of that has changed anything" is "weft0: job one ep 0 who all" \
	"weft0: job two ep 0 who all"
tap_run "another key" set_key
tap_run "a limit" limit
tap_run "a file of commands" batch
tap_run "all ports, or one" ports
tap_run "a user looks" user weftctl job show weft0
tap_run "a user may not add" tap_refused "not permitted" user sh -c \
	"echo 0123456789abcdef | weftctl job add x key - port weft0"
tap_run "a user may not delete" tap_refused "not permitted" user weftctl job del one port weft0
tap_run "nor that" is "weft0: job one ep 0 who all" "weft0: job two ep 0 who all"
tap_run "keys are shown nowhere" no_key_shown
tap_run "words are completed" complete
tap_run "delete" sh -c "node 0 weftctl job del one && node 0 weftctl job del two"
tap_run "there are none any more" is_none
tap_done
