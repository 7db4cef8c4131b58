# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Functions for scripts that take packages from another release of Debian, or for another
# architecture. The packages come from this machine's own mirror and are unpacked, not installed:
# apt has a configuration of its own, with its lists, in a folder of the caller.
#
#   archive_open FOLDER ARCHITECTURES SUITE...   fetches the lists, from here on apt uses them
#   archive_get ARGUMENT...                      apt-get
#   archive_unpack FOLDER DEB... -- ARGUMENT...  unpacks, with more arguments for tar
#   archive_headers FOLDER RELEASE               makes unpacked headers of a kernel usable
#   archive_wrap FOLDER PROGRAM...               makes programs run with the libraries in FOLDER
#
# The caller defines die(), and vm_here, the folder of this file. Exit status 3 of archive_open: the
# mirror does not have a suite.

archive_get()
{
	apt-get -qq "$@" >"$archive/log" 2>&1 </dev/null ||
		{ cat "$archive/log" >&2; die "apt-get $1 failed"; }
}

archive_open()
{
	archive=$1
	archs=$2
	shift 2
	mirror=$("$vm_here/mirror") || exit 1
	mkdir -p "$archive/lists/partial" "$archive/archives/partial"
	: >"$archive/status"
	for suite; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
			"$mirror $suite main"
	done >"$archive/sources"
	# backports rank as high as the rest: the newest version wins
	printf 'Package: *\nPin: release a=*\nPin-Priority: 500\n' >"$archive/preferences"
	cat >"$archive/conf" <<-EOT
		APT::Architecture "${archs%% *}";
		APT::Architectures { $(printf '"%s"; ' $archs)};
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Dir::Etc::SourceList "$archive/sources";
		Dir::Etc::SourceParts "/dev/null";
		Dir::Etc::Preferences "$archive/preferences";
		Dir::Etc::PreferencesParts "/dev/null";
		Dir::State "$archive";
		Dir::State::lists "$archive/lists";
		Dir::State::status "$archive/status";
		Dir::Cache "$archive";
		Dir::Cache::archives "$archive/archives";
	EOT
	export APT_CONFIG="$archive/conf"
	# (a list that is missing in the mirror is this command's usual failure)
	apt-get -qq update >"$archive/log" 2>&1 </dev/null || {
		cat "$archive/log" >&2
		status=3 die "the mirror of this machine's packages does not have Debian $*"
	}
}

archive_unpack()
{
	archive_root=$1
	shift
	archive_debs=
	while [ $# != 0 ] && [ "$1" != -- ]; do
		archive_debs="$archive_debs $1"
		shift
	done
	[ $# = 0 ] || shift
	for deb in $archive_debs; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$archive_root" \
			--exclude='./etc' --exclude='./var' "$@"
	done
}

archive_headers()
{
	# Debian's headers name each other by absolute path
	sed -i "s,/usr/src/,\$(dir \$(lastword \$(MAKEFILE_LIST)))../," \
		"$1/usr/src/linux-headers-$2/Makefile"
	# (newer headers have an option for type information that then needs pahole)
	rm -f "$1/usr/src/linux-headers-$2/vmlinux"
}

# A program of a later release needs that release's C library. A script in the program's place calls
# the loader, and finds it from its own folder: the whole may be moved.
archive_wrap()
{
	archive_root=$1
	shift
	for program; do
		[ -L "$program" ] && continue
		[ "$(head -c 4 "$program" | tail -c 3)" = ELF ] || continue
		mv "$program" "$program.elf"
		up=$(realpath --relative-to="$(dirname "$program")" "$archive_root")
		cat >"$program" <<-EOT
			#!/bin/sh
			root=\${0%/*}/$up
			exec "\$root/usr/lib64/ld-linux-x86-64.so.2" \\
				--library-path "\$root/usr/lib/x86_64-linux-gnu" \\
				--argv0 "\$0" "\$0.elf" "\$@"
		EOT
		chmod +x "$program"
	done
}
