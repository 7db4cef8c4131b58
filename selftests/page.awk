# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Parts of a self-contained page with curves and tables, for the pages of bench, simulator and soak.
# A panel of curves maps values to places: x_low, x_high, y_low and y_high are its bounds, and x_log
# and y_log say which scale is logarithmic.

BEGIN { width = 430; height = 290; left = 62; right = 12; top = 28; bottom = 30; x_log = y_log = 1 }

function log10(x) { return log(x) / log(10) }

# The bounds are in the scale, so that they may lie between values.
function in_x(x) { return x_log ? log(x) : x }
function in_y(y) { return y_log ? log10(y) : y }
function px(x) { return left + (in_x(x) - x_low) * (width - left - right) / (x_high - x_low) }
function py(y)
{
	return height - bottom - (in_y(y) - y_low) * (height - top - bottom) / (y_high - y_low)
}

# 12345 with a space before the last three digits
function grouped(x,    s, out)
{
	s = sprintf("%.0f", x)
	while (length(s) > 3) {
		out = "&#8239;" substr(s, length(s) - 2) out
		s = substr(s, 1, length(s) - 3)
	}
	return s out
}

function html(s)
{
	gsub(/&/, "\\&amp;", s)
	gsub(/</, "\\&lt;", s)
	return s
}

# A text in JSON
function quoted(s)
{
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	gsub(/[\001-\037]/, " ", s)
	return "\"" s "\""
}

function cell(s) { return "<td>" s "</td>" }

function tick_y(y)
{
	if (in_y(y) < y_low || in_y(y) > y_high)
		return
	printf "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>" \
		"<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
		left, width - right, py(y), py(y), left - 6, py(y) + 3.5,
		(y >= 10 || y == int(y)) ? grouped(y) : y
}

function tick_x(x, name)
{
	printf "<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", px(x),
		height - bottom + 16, name
}

# A distance of 1, 2 or 5 times a power of ten, for five to ten lines
function even(range,    step)
{
	step = 10 ^ (int(log10(range / 5) + 100) - 100)
	return step * (range / step > 25 ? 5 : range / step > 10 ? 2 : 1)
}

# In a logarithmic scale at 1, 2 and 5 of each power of ten
function grid_y(    e, k)
{
	if (!y_log) {
		k = even(y_high - y_low)
		for (e = 0; e <= y_high; e += k)
			tick_y(e)
		return
	}
	for (e = int(y_low) - 1; e <= y_high; e++)
		for (k = 0; k < 3; k++)
			tick_y((k == 0 ? 1 : k == 1 ? 2 : 5) * 10 ^ e)
}

function polyline(class, points)
{
	printf "<polyline class=\"%s\" points=\"%s\"/>\n", class, points
}

function legend_part(x, class, s)
{
	polyline(class, x ",13 " (x + 28) ",13")
	printf "<text x=\"%d\" y=\"17\">%s</text>\n", x + 34, s
}

# Of curves; the pages add their own classes.
function style(classes)
{
	print "<style>"
	print "svg { font: 12px sans-serif; background: #fff }"
	print "text { fill: #222 }"
	print ".tick { fill: #666; font-size: 11px } .name { font-weight: bold }"
	print ".grid { stroke: #e4e4e4 }"
	print "polyline { fill: none; stroke-width: 2 }"
	print classes
	print "</style>"
}

function page_begin(title, classes)
{
	print "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	printf "<meta name=\"viewport\" content=\"width=device-width\"><title>%s</title>\n",
		html(title)
	style(classes)
	print "<style>"
	print "body { font: 14px sans-serif; color: #222; max-width: 1000px; margin: 2em auto;" \
		" padding: 0 1em }"
	print "table { border-collapse: collapse; margin: 0.5em 0 1.5em; font-size: 13px }"
	print "td, th { padding: 1px 8px; text-align: right; border-bottom: 1px solid #eee }"
	print "td:first-child, th:first-child { text-align: left } .missed { color: #b3261e }"
	print "</style></head><body>"
}

function page_end() { print "</body></html>" }
