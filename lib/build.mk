# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The user-space side: libweft, the libfabric provider, the DAT provider, weftctl.

objs = $(patsubst %.c,$(B)/obj/%.o,$(sort $(wildcard $(addsuffix /*.c,$(1)))))

# functions of earlier releases are for programs that are linked with the shared library
compat_obj := $(B)/obj/lib/libweft/compat.o
libweft_obj := $(filter-out $(compat_obj),$(call objs,lib/libweft))
fi_obj := $(call objs,lib/fi)
weftctl_obj := $(call objs,lib/weftctl)
# reads keys of jobs, in weftctl too
key_obj := $(B)/obj/lib/libweft/key.o
# the DAT provider needs libdat2, which is not in Debian since Debian 13; DAT=0 leaves it out
ifeq ($(origin DAT),undefined)
DAT := $(shell $(CC) -E -include dat2/udat.h -x c /dev/null >/dev/null 2>&1 && echo 1 || echo 0)
dat_note := $(if $(filter 0,$(DAT)),@echo '  NOTE    the DAT provider is left out:' \
	'libdat2 has no headers here (dat2/udat.h)')
endif
have_dat := $(filter 1,$(DAT))
dat_obj := $(call objs,lib/dat)

$(B)/obj/lib/%.o: cflags = -fPIC
$(dat_obj): cflags = -fPIC -DDAT_EXTENSIONS
$(weftctl_obj): cflags = $(shell pkg-config --cflags libnl-genl-3.0)

libweft := $(B)/lib/libweft.so.0
provider := $(B)/lib/libfabric/libweft-fi.so
weftctl := $(B)/bin/weftctl
dat_provider := $(if $(have_dat),$(B)/lib/libdaplweft.so.2)
ldflags = -Wl,-z,defs -Wl,-z,relro -Wl,-z,now -Wl,--as-needed $(LDFLAGS)

.PHONY: lib provider tools user-packages
lib: $(if $(libweft_obj),$(B)/lib/libweft.so) provider \
		$(if $(have_dat),$(dat_provider) $(B)/lib/dat.conf)
	$(or $(dat_note),@:)
provider: $(if $(fi_obj),$(provider))
	@:
tools: $(if $(weftctl_obj),$(weftctl))
	@:

# Only said, not installed; headers that are missing are an ugly message.
user-packages:
	@selftests/vm/packages -n build
$(libweft_obj) $(compat_obj) $(fi_obj) $(weftctl_obj) $(dat_obj): | user-packages

# what is exported stands in a linker map beside the sources
libweft_map := $(wildcard lib/libweft/*.map)
fi_map := $(wildcard lib/fi/*.map)
$(libweft): $(libweft_obj) $(compat_obj) $(libweft_map)
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,libweft.so.0 $(ldflags) -o $@ \
		$(libweft_obj) $(compat_obj) $(libweft_map:%=-Wl,--version-script=%) \
		-Wl,--no-undefined-version

$(B)/lib/libweft.so: $(libweft)
	$(Q)ln -sf libweft.so.0 $@

# the provider carries libweft in itself: calls are inlined down to the slot
$(provider): $(fi_obj) $(libweft_obj) $(fi_map)
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(ldflags) -o $@ $(fi_obj) $(libweft_obj) \
		$(fi_map:%=-Wl,--version-script=%) $(FABRIC:%=-L%/lib) -lfabric -lpthread

# the same source for libfabric 2.x, which a later Debian has: its folder is FABRIC then, and stands
# beside what is made with it as "fabric"
.PHONY: provider-2
provider-2:
	@fabric=$$(selftests/vm/libfabric2) && mkdir -p $(B)/libfabric-2 && \
		ln -sfn "$$fabric" $(B)/libfabric-2/fabric && \
		$(MAKE) --no-print-directory B=$(B)/libfabric-2 FABRIC="$$fabric" provider

# where the DAT provider looks for libweft first; packages need nothing there
RPATH ?= $$ORIGIN
comma := ,
$(B)/lib/libdaplweft.so.2: $(dat_obj) lib/dat/libdaplweft.map $(B)/lib/libweft.so
	$(say) LINK '$@'
	$(Q)$(CC) -shared -Wl,-soname,libdaplweft.so.2 $(ldflags) \
		$(if $(RPATH),-Wl$(comma)-rpath$(comma)'$(RPATH)') -Wl,-z,nodelete \
		-o $@ $(dat_obj) -Wl,--version-script=lib/dat/libdaplweft.map \
		-L$(B)/lib -lweft -ldat2 -lpthread

# the list by which libdat2 finds the provider of this folder
$(B)/lib/dat.conf: lib/dat/dat-conf lib/build.mk
	@mkdir -p $(@D)
	$(Q)rm -f $@ && lib/dat/dat-conf add $@ '$(abspath $(dat_provider))'

$(weftctl): $(weftctl_obj) $(key_obj)
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) -o $@ $(weftctl_obj) $(key_obj) \
		$(shell pkg-config --libs libnl-genl-3.0)
