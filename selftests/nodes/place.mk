# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Where things are, for selftests/Makefile and the Makefiles of its targets.

TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../..)

# as in the top Makefile, whose folder is the base of relative names
B ?= build
override B := $(if $(filter /%,$(B)),$(B),$(TOP)/$(B))
VM_DIR ?= $(TOP)/build/vm

# what lib.mk makes; and the kernel's own files: of Debian's package, or of a tree
BUILD := $(B)/kselftest
KSFT := $(if $(KSRC),$(abspath $(KSRC))/tools/testing/selftests,$(VM_DIR)/linux-tools)
