# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sphinx: "make docs" (build.mk beside this file)

project = "weft"
author = "the weft authors"
extensions = ["myst_parser", "sphinx.ext.graphviz"]
graphviz_output_format = "svg"
highlight_language = "none"
html_theme = "alabaster"
html_theme_options = {"page_width": "70em", "body_max_width": "60em"}
html_show_copyright = False
html_copy_source = False
# links to headings of Markdown
myst_heading_anchors = 3
smartquotes = False
