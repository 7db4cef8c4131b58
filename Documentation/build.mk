# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Documentation: the programs of examples/, the diagrams, and all pages as HTML.

# --- examples: Documentation/examples/*.c, each a program ------------------

example_src := $(sort $(wildcard Documentation/examples/*.c))
example_obj := $(example_src:%.c=$(B)/obj/%.o)
examples := $(example_src:Documentation/examples/%.c=$(B)/examples/%)

.PHONY: examples
examples: $(examples)
	@:
$(example_obj): cflags = -Wno-missing-field-initializers
$(example_obj): | user-packages
$(examples): $(B)/examples/%: $(B)/obj/Documentation/examples/%.o $(B)/lib/libweft.so
	$(say) LINK '$@'
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $< $(LDFLAGS) -L$(B)/lib -Wl,--as-needed -lweft -lfabric -ldat2 \
		-Wl,-rpath,'$$ORIGIN/../lib'

# --- pictures: the diagrams as SVG -----------------------------------------

pictures := $(patsubst Documentation/%.dot,$(B)/doc/%.svg,$(wildcard Documentation/*.dot))
.PHONY: pictures
pictures: packages-docs
	@$(MAKE) --no-print-directory $(pictures)
$(B)/doc/%.svg: Documentation/%.dot
	$(say) DOT '$@'
	@mkdir -p $(@D)
	$(Q)dot -Tsvg -o $@ $<

# --- docs: everything as HTML ----------------------------------------------
#
# Sphinx reads one folder, in which the pages of Documentation meet generated ones: the comments of
# the public headers, by kernel-doc of the newest test kernel, and the manual pages, by mandoc. A name
# may be that of a structure and of a function, for which Sphinx has one entry: this structure gets
# a namespace.

docs := $(B)/docs
docs_src := $(B)/docs.src/Documentation
# (some have no comments of this form)
docs_headers := $(shell grep -l "/\*\*$$" include/weft/*.h uapi/linux/*.h)
# a title for reStructuredText
title = printf '%s\n%s\n\n' '$(1)' "$$(printf '%s' '$(1)' | tr '[:print:]' =)"

.PHONY: docs
docs: packages-docs
	$(say) SPHINX '$(docs)'
	$(Q)rm -rf $(docs) $(B)/docs.src
	$(Q)mkdir -p $(docs_src)/api $(docs_src)/man
	$(Q)cp -r Documentation/*.rst Documentation/*.md Documentation/*.svg Documentation/*.dot \
		Documentation/examples Documentation/netlink $(docs_src)/
	$(Q)cp CONTRIBUTING.md $(docs_src)/contributing.md
	$(Q)cp --parents $$(find kernel -name layers) $(B)/docs.src/
	$(Q)k=$$(selftests/vm/kernel $(lastword $(VM_KERNELS)))/headers/scripts/kernel-doc; \
	set -e; $(foreach h,$(docs_headers),{ $(call title,$(h)); \
		perl "$$k" -Werror -rst $(h); } >$(docs_src)/api/$(subst /,-,$(h)).rst;)
	$(Q)set -e; for f in $(docs_src)/api/*.rst; do \
		for n in $$(sed -n 's/^\.\. c:function:: .*[ *]\(\w*\) (.*/\1/p' $$f); do \
			sed -i "/^\.\. c:struct:: $$n\$$/,/^\.\. c:[^s]/{ \
				s/^\.\. c:struct/.. c:namespace:: structures\n\n&/; \
				s/^\.\. c:[^sn]/.. c:namespace:: NULL\n\n&/ }" $$f; \
		done; done
	$(Q)set -e; $(foreach m,$(man),n=$(docs_src)/man/$(notdir $(m)); \
		mandoc -T html -O fragment $(m) >$$n.html; \
		{ $(call title,$(basename $(notdir $(m)))($(subst .,,$(suffix $(m))))); \
		printf '.. raw:: html\n   :file: %s\n' "$${n##*/}.html"; } >$$n.rst;)
	$(Q)sphinx-build -q -W --keep-going -b html -c Documentation -d $(B)/docs.src/state \
		$(docs_src) $(docs)
