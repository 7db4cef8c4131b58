# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Documentation: the programs of examples/, and the diagrams.

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
