# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What the Makefiles of the targets share. What lib.mk runs and installs as a test is a line of
# shell that has nodes/run make the nodes and run the program, which the top Makefile has built.

include $(dir $(lastword $(MAKEFILE_LIST)))place.mk

target := $(patsubst $(TOP)/selftests/%,%,$(CURDIR))
OUTPUT ?= $(BUILD)/$(target)
OVERRIDE_TARGETS := 1
TEST_GEN_PROGS := $(sort $(basename $(wildcard *.c *.sh)))
include $(KSFT)/lib.mk

.DELETE_ON_ERROR:

# "TIMEOUT: SECONDS" and "NEEDS: NEED..." stand at the beginning of the source
define wrapper
	@mkdir -p $(@D)
	@seconds=$$(sed -n 's/.*TIMEOUT: \([0-9][0-9]*\).*/\1/p;30q' $<); \
	needs=$$(sed -n 's/.*NEEDS: \([a-z ]*[a-z]\).*/\1/p;30q' $<); \
	printf '#!/bin/sh\nexec "$${0%%/*}/../nodes/run" %s\n' \
		"$* $${seconds:-60}$${needs:+ $$needs}" >$@
	@chmod +x $@
endef

$(patsubst %.c,$(OUTPUT)/%,$(wildcard *.c)): $(OUTPUT)/%: %.c $(TOP)/selftests/nodes/target.mk
	$(wrapper)
$(patsubst %.sh,$(OUTPUT)/%,$(wildcard *.sh)): $(OUTPUT)/%: %.sh $(TOP)/selftests/nodes/target.mk
	$(wrapper)

# In a source folder there are neither settings nor nodes in their places: what runs is installed.
define RUN_TESTS
	$(MAKE) -C $(TOP)/selftests run_tests TARGETS=$(target)
endef
