# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Packages for Debian and RPM packages. Both are built from a copy of the tree, and get the version
# of the Makefile. Only the files of git are copied, also new ones.

deb := $(B)/deb
deb_tree := $(deb)/weft-$(VERSION)
rpm := $(B)/rpm
deb_date = $(shell date -R -d @$(or $(SOURCE_DATE_EPOCH),$\
	$(shell git log -1 --format=%ct 2>/dev/null),$(shell stat -c %Y Makefile)))
copy_tree = { git ls-files -zco --exclude-standard 2>/dev/null | grep -z . || \
	find . -path './$(B)' -prune -o -path ./.git -prune -o -type f -print0; } | \
	xargs -0 cp -a --parents -t $(1)
# the settings of this make are not those of the package
clean_env := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u DESTDIR -u PREFIX -u LIBDIR -u B
# on failure the end of the log
logged = >$(1) 2>&1 || { tail -n 40 $(1); exit 1; }

.PHONY: deb rpm packages-deb packages-rpm tree-deb tree-rpm
packages-deb packages-rpm: packages-%:
	$(Q)selftests/vm/packages build $*

# (a make that begins when libdat2 is there, so that it sees libdat2)
deb rpm: %: packages-%
	@$(MAKE) --no-print-directory tree-$@

tree-deb:
	$(say) DEB '$(deb)'
	$(Q)rm -rf $(deb) && mkdir -p $(deb_tree) && $(call copy_tree,$(deb_tree))
	$(Q)sed 's/@VERSION@/$(VERSION)/;s/@DATE@/$(deb_date)/' debian/changelog.in \
		>$(deb_tree)/debian/changelog
	$(Q)cd $(deb_tree) && $(clean_env) dpkg-buildpackage -b -us -uc \
		$(if $(have_dat),,-Ppkg.weft.nodat) $(call logged,../log)
	$(Q)rm -rf $(deb_tree)
	$(Q)lintian --fail-on error --allow-root $(deb)/*.changes
	$(or $(dat_note),@:)
	@ls $(deb)/*.deb

# (on Debian the database of RPM does not know what is installed: --nodeps)
tree-rpm:
	$(say) RPM '$(rpm)'
	$(Q)rm -rf $(rpm) && mkdir -p $(rpm)/SOURCES/weft-$(VERSION) && \
		$(call copy_tree,$(rpm)/SOURCES/weft-$(VERSION))
	$(Q)tar -C $(rpm)/SOURCES -czf $(rpm)/SOURCES/weft-$(VERSION).tar.gz weft-$(VERSION)
	$(Q)$(clean_env) rpmbuild -bb $(if $(wildcard /etc/debian_version),--nodeps) \
		$(if $(have_dat),,--without dat) -D '_topdir $(abspath $(rpm))' \
		-D 'weft_version $(VERSION)' weft.spec $(call logged,$(rpm)/log)
	$(Q)rm -rf $(rpm)/BUILD $(rpm)/BUILDROOT $(rpm)/SOURCES
	$(or $(dat_note),@:)
	@ls $(rpm)/RPMS/*/*.rpm
