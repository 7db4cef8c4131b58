# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Test programs: unit tests of the core that run on the host, and programs that run in the test
# machine. Both use the kernel's kselftest_harness.h.

KSELFTEST := $(VM_DIR)/linux-tools

.PHONY: kselftest
kselftest: $(KSELFTEST)/ready
$(KSELFTEST)/ready: selftests/vm/linux-tools
	$(Q)selftests/vm/packages kselftest
	$(Q)selftests/vm/linux-tools

# --- host: selftests/host/test_*.c, each a program with the whole core -----

# The core is compiled as user-space code against small stand-ins for the
# kernel's headers.
host_inc := -Iselftests/host/shim -Iselftests/host -Ikernel -Iuapi -Iinclude \
	-isystem $(KSELFTEST)
host_san := -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer
host_nowarn := -Wno-sign-compare -Wno-missing-prototypes -Wno-missing-field-initializers
host_flags = $(host_inc) $(host_san) -O1 $(host_nowarn)

host_obj = $(patsubst %.c,$(B)/obj/host/%.o,$(1))
host_test_src := $(sort $(wildcard selftests/host/test_*.c))
# files of the ports that need no kernel
port_src := $(sort $(wildcard kernel/port/neigh*.c))
host_common := $(call host_obj,$(sort $(wildcard kernel/core/*/*.c) $(port_src) \
	$(filter-out $(host_test_src),$(wildcard selftests/host/*.c \
		selftests/host/shim/*.c))))
host_tests := $(host_test_src:selftests/host/%.c=$(B)/host/%)

.PHONY: host-tests
host-tests: $(host_tests)
	@:

# their -I come first: the stand-ins win over the system's <linux/...>
$(B)/obj/host/%.o: %.c $(flags) | $(KSELFTEST)/ready
	$(say) CC '$< (host)'
	@mkdir -p $(@D)
	$(Q)$(CC) $(host_inc) $(weft_cflags) $(host_flags) -MMD -MP -c -o $@ $<

$(host_tests): $(B)/host/%: $(B)/obj/host/selftests/host/%.o $(host_common)
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) $(host_san) $(host_wrap) -o $@ $^ -lpthread

# calls through which selftests/host/changing.h changes packets
changing_wrap := $(foreach f,core_rx host_lock_inner wire_next wire_run,-Xlinker --wrap=weft_$(f))
$(B)/host/test_changing: host_wrap := $(changing_wrap)

.SECONDARY: $(host_common) $(call host_obj,$(host_test_src))

# --- sim: kernel/core on many nodes in virtual time, with the rig of the unit tests ---

sim_src := $(sort $(wildcard selftests/sim/*.c))
sim_rig := $(sort $(wildcard kernel/core/*/*.c selftests/host/shim/*.c) \
	$(filter-out $(host_test_src),$(wildcard selftests/host/*.c)) $(port_src))
native_obj = $(patsubst %.c,$(B)/obj/native/%.o,$(1))

.PHONY: sim-tools
sim-tools: $(B)/sim/sim $(B)/sim/sim-asan
	@:

# a quick build, and one with sanitizers
$(B)/sim/sim: $(call native_obj,$(sim_src) $(sim_rig))
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $^ $(LDFLAGS) -lpthread -lm

$(B)/sim/sim-asan: $(call host_obj,$(sim_src) $(sim_rig))
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) $(host_san) -o $@ $^ -lpthread -lm

.SECONDARY: $(call native_obj,$(sim_src) $(sim_rig)) $(call host_obj,$(sim_src))

# --- fuzz: selftests/fuzz/fuzz_*.c, each a program of libFuzzer -----------

fuzz_src := $(sort $(wildcard selftests/fuzz/fuzz_*.c))
fuzz_names := $(fuzz_src:selftests/fuzz/%.c=%)
fuzz_tests := $(fuzz_names:%=$(B)/fuzz/%)
fuzz_obj = $(patsubst %.c,$(B)/obj/fuzz/%.o,$(1))
fuzz_cc := clang
fuzz_san := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

.PHONY: fuzz-tools
fuzz-tools: $(fuzz_tests)
	@:

$(B)/obj/fuzz/%.o: %.c $(flags) | $(KSELFTEST)/ready
	$(say) CC '$< (fuzz)'
	@mkdir -p $(@D)
	$(Q)$(fuzz_cc) $(host_inc) $(weft_cflags) $(host_nowarn) $(fuzz_flags) $(fuzz_san) \
		-fsanitize=fuzzer-no-link -O1 -MMD -MP -c -o $@ $<

# The targets on calls and on requests have the module's own code in front of the core. The
# stand-ins declare all names of the kernel before that code, so the kernel's headers are empty.
fuzz_ioctl_src := $(sort $(wildcard kernel/dev/obj_*.c)) \
	$(addprefix kernel/dev/,ioctl.c call.c ctx.c deferred.c rings.c key.c)
fuzz_netlink_src := $(addprefix kernel/admin/,netlink.c request.c job.c action.c probe.c) \
	kernel/admin/question.c kernel/dev/key.c \
	$(addprefix selftests/fuzz/kernel/,netlink_in.c nothing.c)
fuzz_around := $(addprefix selftests/fuzz/kernel/,stand_in.c around.c)
fuzz_own := selftests/fuzz/fuzz_ioctl.c selftests/fuzz/fuzz_netlink.c $(fuzz_ioctl_src) \
	$(fuzz_netlink_src) $(fuzz_around)
fuzz_core := $(fuzz_around) $(sort $(wildcard kernel/core/*/*.c selftests/host/shim/*.c))
fuzz_empty := $(B)/obj/fuzz/empty

$(fuzz_empty)/ready: $(module_src) selftests/build.mk
	$(Q)rm -rf $(@D)
	$(Q)sed -n 's/^#include <\([a-z].*\.h\)>.*/\1/p' $(filter %.c %.h,$^) | sort -u | \
		while read -r h; do \
			[ -e /usr/include/$$h ] || [ -e uapi/$$h ] || \
				{ mkdir -p $(@D)/$${h%/*} && : >$(@D)/$$h; }; \
		done
	$(Q)touch $@

$(call fuzz_obj,$(fuzz_own)): $(fuzz_empty)/ready
$(call fuzz_obj,$(fuzz_own)): fuzz_flags := -I$(fuzz_empty) -Iselftests/fuzz -Wno-pointer-arith \
	$(patsubst %,-include selftests/fuzz/kernel/%_in.h,stand netlink)

$(B)/fuzz/fuzz_ioctl: $(call fuzz_obj,$(fuzz_ioctl_src) $(fuzz_core))
$(B)/fuzz/fuzz_netlink: $(call fuzz_obj,$(fuzz_netlink_src) $(fuzz_core))
$(filter-out %/fuzz_ioctl %/fuzz_netlink,$(fuzz_tests)): $(call fuzz_obj,$(sim_rig))
$(B)/fuzz/fuzz_peer: fuzz_wrap := $(changing_wrap)
$(fuzz_tests): $(B)/fuzz/%: $(B)/obj/fuzz/selftests/fuzz/%.o
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(fuzz_cc) $(fuzz_san) $(fuzz_wrap) -fsanitize=fuzzer -o $@ $^ -lpthread

.SECONDARY: $(call fuzz_obj,$(fuzz_src) $(fuzz_own) $(sim_rig))

# --- coverage: the unit tests and the simulator, with counters ------------

cov_obj = $(patsubst %.c,$(B)/obj/cov/%.o,$(1))
cov_tests := $(host_test_src:selftests/host/%.c=$(B)/cov/%)

.PHONY: cov-tools
cov-tools: $(cov_tests) $(B)/cov/sim
	@:

$(B)/obj/cov/%.o: %.c $(flags) | $(KSELFTEST)/ready
	$(say) CC '$< (coverage)'
	@mkdir -p $(@D)
	$(Q)clang $(host_inc) $(weft_cflags) $(host_nowarn) -O1 \
		$(if $(filter kernel/%,$<),-fprofile-instr-generate -fcoverage-mapping) \
		-MMD -MP -c -o $@ $<

$(B)/cov/test_changing: cov_wrap := $(changing_wrap)
$(cov_tests): $(B)/cov/%: $(B)/obj/cov/selftests/host/%.o \
		$(call cov_obj,selftests/cov/exit.c $(sim_rig))
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)clang -fprofile-instr-generate -Wl,--wrap=_exit $(cov_wrap) -o $@ $^ -lpthread

$(B)/cov/sim: $(call cov_obj,$(sim_src) $(sim_rig))
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)clang -fprofile-instr-generate -o $@ $^ -lpthread -lm

.SECONDARY: $(call cov_obj,selftests/cov/exit.c $(sim_src) $(sim_rig) $(host_test_src))

# --- host: selftests/lib/test_*.c, the library and weftctl without a kernel ---

lib_test_src := $(sort $(wildcard selftests/lib/test_*.c))
lib_test_obj := $(lib_test_src:%.c=$(B)/obj/%.o)
lib_tests := $(lib_test_src:selftests/lib/%.c=$(B)/host/%)
# objects that each of them is linked with
libweft_tests := $(filter $(B)/host/test_libweft%,$(lib_tests))
$(libweft_tests): $(libweft_obj) $(B)/obj/selftests/lib/fake.o
$(B)/host/test_run: $(libweft_obj) $(B)/obj/selftests/lib/fake.o $(B)/obj/lib/fi/weft_run.o
$(B)/host/test_reason: $(B)/obj/lib/fi/weft_reason.o
# symbol versions are those of the shared library, which takes the stand-in's calls
$(B)/host/test_versions: $(B)/obj/selftests/lib/fake.o $(B)/lib/libweft.so
$(B)/host/test_versions: lib_test_ldflags = -L$(B)/lib -lweft -Wl,-rpath,'$$ORIGIN/../lib'
$(B)/host/test_key: $(key_obj)
weftctl_words := $(foreach f,args words output brief color,$(B)/obj/lib/weftctl/$(f).o)
$(B)/host/test_diagnose: $(foreach f,diagnose told,$(B)/obj/lib/weftctl/$(f).o) $(weftctl_words)
$(B)/host/test_weftctl: $(foreach f,batch apply,$(B)/obj/lib/weftctl/$(f).o) $(weftctl_words)
$(B)/host/test_weftctl_words: $(foreach f,verb netns details,$(B)/obj/lib/weftctl/$(f).o) \
	$(weftctl_words)
$(B)/host/test_weftctl_answers: $(key_obj) \
	$(filter-out %/main.o %/netlink.o,$(call objs,lib/weftctl))
$(B)/host/test_weftctl_answers: lib_test_ldflags = $(shell pkg-config --libs libnl-genl-3.0)
$(B)/host/test_rates: $(foreach f,rates behind,$(B)/obj/lib/weftctl/$(f).o) $(weftctl_words)
$(B)/host/test_usage: $(foreach f,usage rates,$(B)/obj/lib/weftctl/$(f).o)

host-tests: $(lib_tests)
$(lib_tests): $(B)/obj/selftests/lib/tap.o
$(lib_test_obj) $(B)/obj/selftests/lib/fake.o: cflags = -Wno-missing-field-initializers
$(B)/obj/selftests/lib/test_weftctl_answers.o: cflags += $(shell pkg-config --cflags libnl-genl-3.0)
$(lib_tests): $(B)/host/%: $(B)/obj/selftests/lib/%.o
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(LDFLAGS) $(lib_test_ldflags) -lpthread

# --- test machine: selftests/vm/tests/*.c, each a program ------------------

vm_test_src := $(sort $(wildcard selftests/vm/tests/*.c))
vm_test_obj := $(vm_test_src:%.c=$(B)/obj/%.o)
# objects that several of them share
vm_common_obj := $(call objs,selftests/vm/tests/lib)
vm_tests := $(vm_test_src:selftests/vm/tests/%.c=$(B)/selftests/%)

# conformance: selftests/fi/*.c, a program for each manual page
fi_test_src := $(sort $(wildcard selftests/fi/*.c))
fi_test_obj := $(fi_test_src:%.c=$(B)/obj/%.o)
fi_common_obj := $(call objs,selftests/fi/lib)
fi_tests := $(fi_test_src:selftests/fi/%.c=$(B)/selftests/%)

# shared receives: selftests/srq/*.c, through libfabric and libdat2 ("NEEDS: dat")
srq_test_src := $(sort $(wildcard selftests/srq/*.c))
ifeq ($(have_dat),)
srq_test_src := $(filter-out $(shell grep -l 'NEEDS:.*\<dat\>' $(srq_test_src)),$(srq_test_src))
endif
srq_test_obj := $(srq_test_src:%.c=$(B)/obj/%.o)
srq_common_obj := $(if $(have_dat),$(call objs,selftests/srq/lib))
srq_tests := $(srq_test_src:selftests/srq/%.c=$(B)/selftests/%)

.PHONY: selftests
selftests: $(vm_tests) $(fi_tests) $(srq_tests) examples
	@:

$(srq_test_obj) $(call objs,selftests/srq/lib): cflags = -Iselftests/vm/tests/lib \
	-Iselftests/srq/lib -Wno-missing-field-initializers
$(srq_tests): $(B)/selftests/%: $(B)/obj/selftests/srq/%.o \
		$(srq_common_obj) $(vm_common_obj) $(B)/lib/libweft.so
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(LDFLAGS) -L$(B)/lib -lweft \
		-lfabric $(if $(have_dat),-ldat2) -lpthread -Wl,-rpath,'$$ORIGIN/../lib'

$(fi_test_obj) $(fi_common_obj): cflags = -Iselftests/vm/tests/lib \
	-Iselftests/fi/lib -Wno-missing-field-initializers -Wno-override-init
$(fi_tests): $(B)/selftests/%: $(B)/obj/selftests/fi/%.o \
		$(fi_common_obj) $(vm_common_obj) $(B)/lib/libweft.so
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(LDFLAGS) -L$(B)/lib -lweft \
		-lfabric -lpthread -Wl,-rpath,'$$ORIGIN/../lib'

$(vm_test_obj) $(vm_common_obj): cflags = -isystem $(KSELFTEST) \
	-Iselftests/vm/tests/lib -Wno-missing-field-initializers
$(vm_test_obj) $(vm_common_obj): | $(KSELFTEST)/ready
# those of the user interface take only libweft
uapi_tests := $(filter $(B)/selftests/uapi_%,$(vm_tests))
$(filter-out $(uapi_tests),$(vm_tests)): $(vm_common_obj)
$(uapi_tests): $(patsubst %,$(B)/obj/selftests/vm/tests/lib/%.o,\
	check looks nowhere raw silent wpair)
$(vm_tests): $(B)/selftests/%: $(B)/obj/selftests/vm/tests/%.o $(B)/lib/libweft.so
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(LDFLAGS) -L$(B)/lib -lweft \
		$(if $(filter $@,$(uapi_tests)),,-lfabric) -lpthread -Wl,-rpath,'$$ORIGIN/../lib'

# the same as programs of 32 bits, with a libweft of their own
.PHONY: uapi-tests tests-32bit
uapi-tests: $(uapi_tests)
	@:
tests-32bit:
	$(Q)selftests/vm/packages 32bit
	@$(MAKE) --no-print-directory B=$(B)/32bit uapi-tests \
		CC='gcc -m32 -idirafter /usr/include/x86_64-linux-gnu'

# --- bench: selftests/bench/*.c, the libfabric client ----------------------

bench_obj := $(call objs,selftests/bench)
fibench := $(B)/bench/fibench

.PHONY: bench-tools
bench-tools: $(fibench) $(B)/bench/profiler.so $(B)/bench/memory.so
	@:

$(fibench): $(bench_obj)
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $^ $(LDFLAGS) -lfabric

# plugins of the emulator
$(B)/bench/profiler.so: $(call objs,selftests/bench/profiler)
$(B)/bench/memory.so: $(call objs,selftests/bench/memory)
$(B)/bench/profiler.so $(B)/bench/memory.so:
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -o $@ $^ $(LDFLAGS)
$(B)/obj/selftests/bench/profiler/%.o $(B)/obj/selftests/bench/memory/%.o: \
	cflags = -fPIC -fvisibility=hidden

# kernel/core alone, native: the unit tests' surroundings without sanitizers
core_bench := $(B)/bench/core_bench
core_bench_obj := $(patsubst %.c,$(B)/obj/bare/%.o,$(sort $(wildcard kernel/core/*/*.c))) \
	$(call native_obj,$(port_src) $(sort $(wildcard selftests/bench/core/*.c \
	selftests/host/shim/*.c) $(filter-out $(host_test_src),$(wildcard selftests/host/*.c))))

.PHONY: bench-core
bench-core: $(core_bench)
	@:

# (with this warning off, as in the kernel's own build)
native_cc = $(CC) $(host_inc) $(weft_cflags) $(host_nowarn) -Wno-maybe-uninitialized -MMD -MP
$(B)/obj/native/%.o: %.c $(flags)
	$(say) CC '$< (native)'
	@mkdir -p $(@D)
	$(Q)$(native_cc) -c -o $@ $<
# locks are not asserted, as on stock kernels
$(B)/obj/bare/%.o: %.c $(flags)
	$(say) CC '$< (bare)'
	@mkdir -p $(@D)
	$(Q)$(native_cc) -DWEFT_HOST_BARE= -c -o $@ $<

$(core_bench): $(core_bench_obj)
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $^ $(LDFLAGS) -lpthread
