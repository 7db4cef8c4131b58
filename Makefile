# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# weft: every entry point. 'make help' explains the targets. All that is
# generated goes below build/; sources are found by wildcard, so that adding a
# file to a folder is all there is to do.

VERSION := 0.2.0

SHELL := /bin/bash
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

# --- what can be set -------------------------------------------------------

B	?= build
# one name for one folder: make compares the names in the lists of dependencies
override B := $(patsubst $(CURDIR)/%,%,$(abspath $(B)))
PREFIX	?= /usr/local
DESTDIR	?=
WERROR	?= 1
ifeq ($(origin CC),default)
CC	:= gcc
endif
CFLAGS	?= -O2 -g
# headers of the running kernel; without them the newest that are installed
running_kernel := $(shell uname -r)
KDIR	?= $(patsubst %/Makefile,%,$(or $(wildcard /lib/modules/$(running_kernel)/build/Makefile),$\
	$(shell ls -d /lib/modules/*/build/Makefile 2>/dev/null | sort -V | tail -n1)))

# the test machine (selftests/vm/run says what each means); tests run on every
# kernel, unless one is named; check-all runs them on more kernels
VM_KERNELS	:= 6.1 6.12
ALL_KERNELS	:= $(VM_KERNELS) newest
export CHECK_KERNELS := $(or $(VM_KERNEL),$(if $(TESTS)$(filter check-all,$(MAKECMDGOALS)),\
	$(ALL_KERNELS),$(VM_KERNELS)))
VM_KERNEL	?= 6.1
VM_DIR		?= $(CURDIR)/build/vm
export VM_DIR
export VM_BUILD := $(abspath $(B))
export VM_KERNEL VM_CPUS VM_MEM VM_TIMEOUT VM_SLOW VM_ICOUNT VM_ICOUNT_SHIFT VM_KFENCE
export VM_APPEND VM_QEMU VM_ACCEL VM_LOG VM_NET LINK LINK_MTU WEFT TESTS
export QUICK PEERS SIZES MACHINES PROFILE FORM MEASURE

# The command of 'make vm' goes to the shell as it was written, "$" and all.
unexport CMD
export WEFT_CMD := $(value CMD)

# make's own chatter off, one short line per step; V=1 shows the commands
ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n'
endif

.PHONY: all
all: module lib tools

# --- the kernel module -----------------------------------------------------
#
# The kernel's build system writes its objects beside the sources. So that one
# tree serves several kernels, each gets a mirror of links: build/RELEASE/.

KREL := $(if $(KDIR),$(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' \
	'$(KDIR)/include/generated/utsrelease.h' 2>/dev/null))
KBUILD_OUT = $(B)/$(KREL)
module_src := $(sort $(shell find kernel uapi -name '*.[ch]') kernel/Kbuild kernel/probe)
# Run on the mirror: shows the real names of the files in what it prints.
kbuild = $(MAKE) -C '$(KDIR)' M='$(abspath $(KBUILD_OUT))/kernel' W=1 \
	KCFLAGS='$(if $(filter 1,$(WERROR)),-Werror) $(KCFLAGS)' \
	$(if $(filter 1,$(V)),,--no-print-directory -s)
kbuild_names = 2>&1 | sed -e 's,$(abspath $(KBUILD_OUT))/,,g' \
	-e '/Skipping BTF generation/d' \
	-e '/^warning: pahole version differs/,+2d' -e '/^make.* jobserver/d' >&2

.PHONY: module
ifeq ($(KREL),)
module:
	@echo "No kernel headers found: 'make build-deps' installs them," \
		"KDIR= names others." >&2; exit 1
else
module: $(KBUILD_OUT)/weft.ko
	@:
endif

# (again when the kernel has another configuration, as one for debugging may have, and when a source
# has changed while it was being built: its time is that of the beginning)
$(KBUILD_OUT)/weft.ko: $(module_src) $(wildcard $(KDIR)/include/generated/autoconf.h)
	$(say) KBUILD '$@'
	@[ '$(origin KDIR)' = file ] && [ '$(KREL)' != '$(running_kernel)' ] && \
		echo '  NOTE    no headers of the running kernel $(running_kernel):' \
			'the module is for $(KREL)' || :
	$(Q)mkdir -p $(KBUILD_OUT)
	+$(Q)set -o pipefail; exec 9>$(KBUILD_OUT)/.lock; flock 9; \
		mkdir -p $(KBUILD_OUT)/kernel && : >$(KBUILD_OUT)/.begun && \
		ln -sfn $(CURDIR)/uapi $(KBUILD_OUT)/uapi && \
		cp -rsn $(CURDIR)/kernel/. $(KBUILD_OUT)/kernel/ && \
		find $(KBUILD_OUT)/kernel -xtype l -delete && \
		{ $(kbuild) modules $(kbuild_names); } && \
		cp $(KBUILD_OUT)/kernel/weft.ko $@.new && \
		touch -r $(KBUILD_OUT)/.begun $@.new && mv $@.new $@

# Sign the module with a key of this machine's owner (Documentation/signing.rst). "module" does not
# build it again until a source changes. Each time the unsigned module is signed.
.PHONY: sign
sign: module
	@[ -r '$(KEY)' ] && [ -r '$(CERT)' ] || { echo "sign needs KEY=FILE (the private key, PEM)" \
		"and CERT=FILE (its certificate, X.509)" >&2; exit 1; }
	@[ -x '$(KDIR)/scripts/sign-file' ] || { echo "there is no $(KDIR)/scripts/sign-file:" \
		"this kernel was built without CONFIG_MODULE_SIG" >&2; exit 1; }
	$(say) SIGN '$(KBUILD_OUT)/weft.ko'
	$(Q)cp $(KBUILD_OUT)/kernel/weft.ko $(KBUILD_OUT)/weft.ko.new
	$(Q)'$(KDIR)/scripts/sign-file' "$$(sed -n 's/^CONFIG_MODULE_SIG_HASH="\?\([^"]*\)"\?$$/\1/p' \
		'$(KDIR)/include/config/auto.conf')" '$(KEY)' '$(CERT)' $(KBUILD_OUT)/weft.ko.new
	$(Q)mv $(KBUILD_OUT)/weft.ko.new $(KBUILD_OUT)/weft.ko

# sparse looks at every file again, whatever is up to date
.PHONY: sparse
sparse: module
	+$(Q)set -o pipefail; exec 9>$(KBUILD_OUT)/.lock; flock 9; \
		{ $(kbuild) C=2 CHECK='sparse -Wsparse-error' modules $(kbuild_names); }

# module for a kernel of the test machine: module-6.1, module-newest, module-6.12-kasan
# (selftests/vm/kernel knows which there are)
for_vm_kernel = @k=$$(selftests/vm/kernel $*) && \
	$(MAKE) --no-print-directory $(1) KDIR="$$k/headers"
# (+: the make of a call of make's is one, too, and shares its jobs)
module-%: packages-vm packages-build
	+$(call for_vm_kernel,module)
sparse-%: packages-vm packages-build
	+$(call for_vm_kernel,sparse)

# --- user space ------------------------------------------------------------

warnings := -Wall -Wextra -Wno-unused-parameter -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wwrite-strings \
	$(if $(filter 1,$(WERROR)),-Werror)
weft_cflags := -std=gnu11 -D_GNU_SOURCE= -DWEFT_VERSION='"$(VERSION)"' \
	-Iuapi -Iinclude $(FABRIC:%=-isystem %/include) $(warnings) $(CFLAGS)
cc = $(CC) $(weft_cflags) -MMD -MP

# objects depend on this file, which changes when the flags do
flags := $(B)/obj/flags
$(shell mkdir -p $(B)/obj; echo '$(CC) $(subst ','\'',$(weft_cflags))' | \
	cmp -s - $(flags) || \
	echo '$(CC) $(subst ','\'',$(weft_cflags))' >$(flags))

include lib/build.mk
include Documentation/build.mk
include selftests/build.mk
include packages.mk

$(B)/obj/%.o: %.c $(flags)
	$(say) CC '$<'
	@mkdir -p $(@D)
	$(Q)$(cc) $(cflags) -c -o $@ $<

-include $(shell find $(B)/obj $(B)/host -name '*.d' 2>/dev/null)

# --- packages --------------------------------------------------------------

# Targets that need a whole environment install what is missing; 'make' alone
# only says what it misses.
.PHONY: build-deps deps packages-build packages-vm packages-check packages-docs
build-deps:
	$(Q)selftests/vm/packages build headers
deps:
	$(Q)selftests/vm/packages build headers vm check kselftest
	$(Q)for k in $(VM_KERNELS); do selftests/vm/kernel $$k >/dev/null; done

packages-build packages-vm packages-check packages-docs: packages-%:
	$(Q)selftests/vm/packages $*

# --- the test machine ------------------------------------------------------

# What it takes before a command can run there. All that is said on the way
# goes to standard error: standard output is the command's.
.PHONY: vm-ready
vm-ready: module-$(VM_KERNEL)
	@$(MAKE) --no-print-directory lib tools

.PHONY: vm
vm:
	@[ "$(BUILD)" = 0 ] || $(MAKE) --no-print-directory vm-ready >&2
	@selftests/vm/run "$$WEFT_CMD"

.PHONY: demo
demo:
	@selftests/vm/demo

# every area, within 20 minutes; and all there is
.PHONY: check check-all
check:
	@selftests/check
check-all:
	@CHECK_ALL=1 selftests/check

# the test machine's tests on a kernel that watches itself
FLAVOUR ?= kasan
.PHONY: check-debug
check-debug:
	@CHECK_KERNELS=6.12-$(FLAVOUR) CHECK_DEBUG=1 selftests/check

# SEED=random draws a seed, which is printed
ifeq ($(SEED),random)
override SEED := $(shell echo $$(($$(od -An -N4 -tu4 /dev/urandom) % 0x7fffffff + 1)))
say_seed = @echo 'SEED=$(SEED)'
endif

# tests that go on for as long as they are told
DURATION ?= 30
.PHONY: soak fuzz-calls
soak fuzz-calls: vm-ready
	@$(MAKE) --no-print-directory selftests
	$(say_seed)
	@SEED='$(SEED)' selftests/vm/long $(if $(filter soak,$@),$$((60 * $(DURATION))) soak,\
		$(or $(TIME),600) fuzz_calls)

.PHONY: bench
bench:
	@selftests/bench/run

# kernel/core on many nodes, in virtual time; a failing run prints how to repeat it
sim_opts := $(if $(SEED),-s $(SEED)) $(if $(SEEDS),-c $(SEEDS)) $(if $(NODES),-n $(NODES)) \
	$(if $(LOSS),-l $(LOSS)) $(if $(MSGS),-m $(MSGS)) $(if $(filter 1,$(V)),-v) \
	$(if $(filter 1,$(SLOW)),-f) $(if $(filter 1,$(EQUAL)),-e) \
	$(if $(filter 1,$(REPORT)),$(if $(filter 1,$(QUICK)),-q) \
		$(if $(ROWS),-t '$(filter-out all,$(ROWS))'))
sim_bin := $(B)/sim/sim$(if $(filter 1,$(ASAN)),-asan)
.PHONY: sim
sim: $(sim_bin)
	$(say_seed)
	$(Q)selftests/progress sim $(if $(filter 1,$(REPORT)),selftests/sim/report $(sim_bin) \
		$(B)/sim,$(sim_bin)) $(sim_opts)

# the module's folders against their order in kernel/layers and kernel/core/layers
.PHONY: layers
layers: $(sim_bin) module-$(lastword $(VM_KERNELS))
	$(Q)selftests/layers kernel/core $(B)/obj/native/kernel/core
	$(Q)k=$$(selftests/vm/kernel $(lastword $(VM_KERNELS))) && \
		selftests/layers kernel "$(B)/$$(cat "$$k/release")/kernel"

# libFuzzer: packets, rings, neighbours, calls, requests, a malicious peer; TIME seconds in all
export TIME RUNS
.PHONY: fuzz
fuzz: packages-check
	@$(MAKE) --no-print-directory fuzz-tools
	@selftests/progress fuzz selftests/fuzz/run $(B)/fuzz $(fuzz_names)

# lines and branches of kernel/core that the unit tests and the simulator reach
.PHONY: coverage
coverage: packages-check
	@$(MAKE) --no-print-directory cov-tools
	@selftests/cov/run $(B)/cov

# --- installation ----------------------------------------------------------

MULTIARCH = $(shell dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || \
	$(CC) -print-multiarch)
LIBDIR	?= $(PREFIX)/lib/$(MULTIARCH)
# libfabric looks for providers beside itself, wherever weft goes
FABRIC_LIBDIR ?= $(or $(shell pkg-config --variable=libdir libfabric 2>/dev/null),$(LIBDIR))
FABRIC_DIR ?= $(FABRIC_LIBDIR)/libfabric
DAT_DIR	?= $(LIBDIR)
# so does Wireshark: scripts for all its versions are in the folder of plugins itself
WIRESHARK_DIR ?= $(or $(wildcard /usr/lib64/wireshark/plugins),\
	/usr/lib/$(MULTIARCH)/wireshark/plugins)
MODDIR	?= /lib/modules/$(KREL)/extra
INSTALL	:= install

units := weft.service weft-metrics.service weft-metrics.timer
scripts := $(wildcard Documentation/launchers/* lib/bpftrace/*)
scripts_dir = $(PREFIX)/lib/weft/$(notdir $(patsubst %/,%,$(dir $(1))))
installed = $(FABRIC_DIR)/libweft-fi.so $(LIBDIR)/libweft.so.0 \
	$(DAT_DIR)/libdaplweft.so.2 $(PREFIX)/lib/weft/dat-conf \
	$(LIBDIR)/libweft.so $(LIBDIR)/pkgconfig/weft.pc $(PREFIX)/bin/weftctl \
	$(WIRESHARK_DIR)/weft.lua $(foreach s,$(scripts),$(call scripts_dir,$(s))/$(notdir $(s))) \
	$(patsubst include/%,$(PREFIX)/include/%,$(wildcard include/weft/*.h)) \
	$(patsubst uapi/%,$(PREFIX)/include/%,$(wildcard uapi/linux/*.h)) \
	$(PREFIX)/lib/udev/rules.d/60-weft.rules \
	$(PREFIX)/lib/sysusers.d/weft.conf \
	$(patsubst %,$(PREFIX)/lib/systemd/system/%,$(units)) \
	$(foreach m,$(man),$(call man_dst,$(m)) $(call man_aliases,$(m))) \
	$(PREFIX)/share/weft/grafana.json \
	$(if $(completion),$(PREFIX)/share/bash-completion/completions/weftctl)
man := $(sort $(wildcard Documentation/man/*.[1-9]))
man_section = man$(subst .,,$(suffix $(1)))
man_dst = $(PREFIX)/share/man/$(man_section)/$(notdir $(1))
# a page has one more name for each word before the dash in NAME: "man weft_tsend"
man_names = $(filter-out $(basename $(notdir $(1))),$(shell sed -n \
	'/^\.SH NAME/,/\(^\| \)\\- /{/^\.SH/d;s/\(^\| \)\\- .*//;s/,//g;s/\\-/-/g;p}' $(1)))
man_aliases = $(patsubst %,$(PREFIX)/share/man/$(man_section)/%$(suffix $(1)),$(man_names))
completion := $(wildcard lib/weftctl/*.bash-completion)
put = $(INSTALL) -D -m $(1) $(2) '$(DESTDIR)$(3)'
# a file with names of folders, and the version
put_filled = $(INSTALL) -d '$(DESTDIR)$(dir $(2))' && sed -e 's:@PREFIX@:$(PREFIX):' \
	-e 's:@LIBDIR@:$(LIBDIR):' -e 's:@VERSION@:$(VERSION):' $(1) >'$(DESTDIR)$(2)'

.PHONY: install install-module install-user uninstall
install: install-module install-user

install-module: module
	$(call put,644,$(KBUILD_OUT)/weft.ko,$(MODDIR)/weft.ko)
	$(if $(DESTDIR),,depmod $(KREL))

install-user: lib tools
	$(call put,755,$(B)/lib/libweft.so.0,$(LIBDIR)/libweft.so.0)
	ln -sf libweft.so.0 '$(DESTDIR)$(LIBDIR)/libweft.so'
	$(call put_filled,lib/libweft/weft.pc.in,$(LIBDIR)/pkgconfig/weft.pc)
	$(call put,755,$(B)/lib/libfabric/libweft-fi.so,$(FABRIC_DIR)/libweft-fi.so)
	$(if $(have_dat),$(call put,755,$(B)/lib/libdaplweft.so.2,$(DAT_DIR)/libdaplweft.so.2))
	$(if $(have_dat),$(call put,755,lib/dat/dat-conf,$(PREFIX)/lib/weft/dat-conf))
	$(if $(have_dat),lib/dat/dat-conf add '$(DESTDIR)/etc/dat.conf' \
		'$(DAT_DIR)/libdaplweft.so.2')
	$(call put,755,$(B)/bin/weftctl,$(PREFIX)/bin/weftctl)
	$(call put,644,lib/wireshark/weft.lua,$(WIRESHARK_DIR)/weft.lua)
	@$(foreach s,$(scripts),$(call put,755,$(s),$(call scripts_dir,$(s))/$(notdir $(s))) &&) :
	$(call put,644,Documentation/grafana.json,$(PREFIX)/share/weft/grafana.json)
	$(INSTALL) -d '$(DESTDIR)$(PREFIX)/include/weft' '$(DESTDIR)$(PREFIX)/include/linux'
	$(INSTALL) -m 644 include/weft/*.h '$(DESTDIR)$(PREFIX)/include/weft/'
	$(INSTALL) -m 644 uapi/linux/*.h '$(DESTDIR)$(PREFIX)/include/linux/'
	$(call put,644,60-weft.rules,$(PREFIX)/lib/udev/rules.d/60-weft.rules)
	$(call put,644,weft.sysusers,$(PREFIX)/lib/sysusers.d/weft.conf)
	$(foreach u,$(units),$(call put_filled,$(u),$(PREFIX)/lib/systemd/system/$(u)) &&) :
	@$(foreach m,$(man),$(call put,644,$(m),$(call man_dst,$(m))) &&) :
	@$(foreach m,$(man),$(foreach a,$(call man_aliases,$(m)), \
		echo '.so $(call man_section,$(m))/$(notdir $(m))' >'$(DESTDIR)$(a)' &&)) :
	$(if $(completion),$(call put,644,$(completion),$(PREFIX)/share/bash-completion/completions/weftctl))
	$(if $(DESTDIR),,ldconfig)
	$(if $(DESTDIR),,getent group weft >/dev/null || groupadd --system weft)
	$(if $(DESTDIR),,! command -v udevadm >/dev/null || udevadm control --reload || :)

# the group stays: files may belong to it
uninstall:
	rm -f $(foreach f,$(installed),'$(DESTDIR)$(f)')
	lib/dat/dat-conf remove '$(DESTDIR)/etc/dat.conf'
	-rmdir '$(DESTDIR)$(PREFIX)/include/weft' '$(DESTDIR)$(FABRIC_DIR)' \
		$(sort $(foreach s,$(scripts),'$(DESTDIR)$(call scripts_dir,$(s))')) \
		'$(DESTDIR)$(PREFIX)/lib/weft' '$(DESTDIR)$(PREFIX)/share/weft' \
		'$(DESTDIR)$(WIRESHARK_DIR)' 2>/dev/null
	[ -z '$(KREL)' ] || rm -f '$(DESTDIR)$(MODDIR)/weft.ko'
	$(if $(DESTDIR),,[ -z '$(KREL)' ] || depmod $(KREL))
	$(if $(DESTDIR),,ldconfig)

# DKMS rebuilds the module for every kernel that the machine gets
DKMS_SRC ?= /usr/src/weft-$(VERSION)
.PHONY: install-dkms uninstall-dkms
install-dkms:
	$(INSTALL) -d '$(DESTDIR)$(DKMS_SRC)'
	cp -r kernel uapi LICENSES '$(DESTDIR)$(DKMS_SRC)/'
	$(call put_filled,kernel/dkms.conf,$(DKMS_SRC)/dkms.conf)
	$(if $(DESTDIR),,dkms install weft/$(VERSION) $(DKMS_FLAGS))

uninstall-dkms:
	$(if $(DESTDIR),,-dkms remove weft/$(VERSION) --all)
	rm -rf '$(DESTDIR)$(DKMS_SRC)'

# --- the rest --------------------------------------------------------------

# what the test machine boots was fetched, not built: clean leaves it
.PHONY: clean distclean
clean:
	$(Q)[ ! -d $(B) ] || find $(B) -mindepth 1 -maxdepth 1 ! -name vm \
		-exec rm -rf {} +

distclean:
	$(Q)rm -rf $(B) '$(VM_DIR)'

.PHONY: help
help:
	@sed -n 's/^#> \?//p' Makefile

#> Build
#>   make               module, libraries, libfabric provider and tools
#>   make module        build/RELEASE/weft.ko, for the running kernel, or for the newest
#>                      kernel whose headers are installed; KDIR=FOLDER names others, and
#>                      module-6.12, module-newest one of the test machine's kernels
#>   make lib           build/lib/libweft.so.0 and the provider
#>   make provider-2    the provider for libfabric 2.x, which is fetched
#>   make tools         build/bin/weftctl
#>   make selftests     the test programs of the test machine
#>   make examples      build/examples: the programs of Documentation/examples
#>   make host-tests    the unit tests of the core, with ASan and UBSan
#>   make docs          build/docs/index.html: Documentation, manual pages and comments of
#>                      public headers as HTML (as root installs Sphinx)
#>   make build-deps    installs what building needs (as root)
#>   make deps          installs what most targets need (as root); "pictures", "docs",
#>                      "bench" and "check-debug" install the rest
#>   make clean         removes what was built
#>   make distclean     removes what was fetched for the test machine, too
#>
#>   WERROR=0 keeps warnings from being errors, V=1 shows commands, B=FOLDER
#>   builds elsewhere than in build/, CC= and CFLAGS= are the usual ones. DAT=0 leaves
#>   out the DAT provider, as on a system without libdat2.
#>
#> Install
#>   make install       module, libraries, provider, weftctl, headers, manual,
#>                      udev rule, services, scripts for job launchers,
#>                      Wireshark's dissector, Grafana's dashboard; DESTDIR=,
#>                      PREFIX=/usr/local, LIBDIR=, FABRIC_DIR= (libfabric's folder
#>                      of providers), DAT_DIR= (the folder of the DAT provider),
#>                      WIRESHARK_DIR= (Wireshark's folder of plugins), MODDIR=
#>   make uninstall     the same, backwards
#>   make install-dkms  the module's source for DKMS (also uninstall-dkms)
#>   make sign          signs the module for Secure Boot: KEY=FILE CERT=FILE
#>                      (Documentation/signing.rst)
#>   make deb           Debian packages of all this, in build/deb; checked by lintian
#>   make rpm           RPM packages of all this, in build/rpm/RPMS
#>
#> Try and test (as root these install the Debian packages that they miss)
#>   make demo          boots a test machine with two nodes and runs libfabric's
#>                      fi_pingpong over weft and over tcp; LINK= as below
#>   make check         every area within 20 minutes; ends with "N passed, N failed, N skipped"
#>                      TESTS=PATTERN runs those whose name matches,
#>                      VM_KERNEL=6.1 or another boots only this one; SIM_SEED= is
#>                      the simulator's first seed, else one of the day; what
#>                      needs tap devices is skipped where they are not to be had
#>   make check-all     all tests, on all kernels
#>   make pictures      diagrams of Documentation as build/doc/*.svg (graphviz)
#>   make layers        whether the folders keep their order (kernel/layers,
#>                      kernel/core/layers): calls, #include lines, circles
#>   make -C selftests run_tests    the test machine's tests on a node where weft is
#>                      loaded; or install INSTALL_PATH=DIR for run_kselftest.sh;
#>                      TARGETS=, KSRC= (Documentation/kselftest.rst)
#>   make sim           kernel/core in a simulated network with faults, from 2 to
#>                      4096 nodes: SEED= (or random), SEEDS=, NODES=, LOSS=,
#>                      MSGS=, ASAN=1; REPORT=1: goodput, slowdown, incast, links beside
#>                      TCP, and a page with the run before; QUICK=1: less; ROWS=NAME or
#>                      all: links alone (Documentation/simulator.rst)
#>   make fuzz          libFuzzer on packets, rings, neighbours, calls, requests, and as a
#>                      malicious peer: TIME=60 seconds in all
#>   make fuzz-calls    calls at random in the test machine: ioctls, maps, memory,
#>                      netlink; TIME=600 seconds, SEED= (as with soak)
#>   make soak          everything at once for DURATION=30 minutes: traffic,
#>                      a bad link, kills, ports that go, engine switches; SEED=
#>                      (without it, or random: another one each time, printed).
#>                      Writes a page, with the run before: build/soak.html
#>   make check-debug   the test machine's tests on a kernel that looks for errors
#>                      itself, and is built first (Documentation/debug.rst):
#>                      FLAVOUR=kasan (memory, locks, leaks, faults on demand),
#>                      kcsan (data races) or lockstat (waits for locks on 16
#>                      CPUs), TESTS=PATTERN
#>   make coverage      lines and branches of kernel/core that are tested
#>   make bench         weft beside libfabric's other providers: instructions
#>                      of each message, single and in bursts, at every size, in
#>                      machines that count them; emulated time; kernel/core
#>                      alone on the host. It fails if a bar is missed. Curves:
#>                      build/bench/index.html and curves.svg, with the run before;
#>                      bench.json. QUICK=1: five sizes, within 5 minutes.
#>                      PEERS='weft-netdev net', SIZES='8 65536' and
#>                      MACHINES='host count vnet wall hosts memory' choose (hosts: two
#>                      machines back to back), BUILD=0 builds nothing.
#>                      PROFILE=weft-netdev SIZES=8 shows instead in which
#>                      functions the instructions of a message are;
#>                      FORM=two of two processes, MEASURE=more:16 of 16 messages,
#>                      MEASURE=burst:8 of bursts, MEASURE=late:8 of unexpected ones
#>   make vm CMD='...'  runs a shell command in the test machine, where
#>                      "node 0 CMD" and "node 1 CMD" run on the nodes; prints
#>                      its output alone. make itself can only tell 0 from
#>                      not 0: selftests/vm/run 'CMD' exits with the command's
#>                      own status. BUILD=0 takes what is there as it is.
#>
#>   The test machine's settings, with their defaults:
#>     VM_KERNEL=6.1      Debian's kernel series: 6.1, 6.12 or another one; newest: of Debian's
#>                        archive; or 6.12-kasan, 6.12-kcsan, 6.12-lockstat
#>     VM_SLOW=           factor for limits of time; 6 with the last three
#>     VM_CPUS=2  VM_MEM=2G  VM_TIMEOUT=300 (seconds)
#>     LINK=veth (demo: vnet)  what joins the nodes: veth (netdev ports), vnet (two
#>                        virtio NICs, taken over), loop (one namespace and a
#>                        loop port) or none;  LINK_MTU=1500
#>     VM_NET=hub         what is behind the virtio NICs, see selftests/vm/run
#>     WEFT=1             0 does not load the module
#>     VM_ICOUNT=         1: one CPU that counts instructions, repeatable
#>     VM_ICOUNT_SHIFT=4  an instruction takes 2 to the power of this, in ns
#>     VM_KFENCE=         1: samples memory errors often
#>     VM_ACCEL=          tcg or kvm; the default takes kvm where it works
#>     VM_APPEND=, VM_QEMU=  more for the kernel's, the emulator's command line
#>     VM_LOG=FILE        keeps the kernel log
