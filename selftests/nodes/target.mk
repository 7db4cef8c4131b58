# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Shared by the Makefiles of the targets. A test of lib.mk is a line of shell. It calls nodes/run,
# which makes the nodes and runs the program that the top Makefile has built.

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

# A source folder has neither settings nor nodes in their places: installed tests run.
define RUN_TESTS
	$(MAKE) -C $(TOP)/selftests run_tests TARGETS=$(target)
endef
