# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Prints figures of a run as a page (as=html), with the run before beside it, or as JSON (as=json).
# The first file has the run, the second one, if there is one, the run before. The script "figures"
# has the format. (After page.awk)

BEGIN { FS = "\t"; x_log = 0 }

function add(list, key)	# its number in a list; a new key comes last
{
	if (!((list, key) in number)) {
		number[list, key] = ++count[list]
		name[list, count[list]] = key
	}
	return number[list, key]
}

FNR == 1 { run++ }
$1 == "H" {
	about[run, $2] = $3
	if (run == 1)
		add("about", $2)
}
$1 == "R" { value[run, $2, $3, $4] = $5 }
$1 == "T" { of_target[run, $2] = $3 }
$1 == "P" { points[run, $2, $3] = points[run, $2, $3] $4 " " $5 " " }
# (figures of the run before have a place only beside those of this run)
run > 1 { next }
$1 == "S" { add("tables", $2); table_text[$2] = $3 }
$1 == "U" { add("columns " $2, $3); unit[$2, $3] = $4; column_text[$2, $3] = $5 }
$1 == "R" { add("rows " $2, $3) }
$1 == "C" { add("charts", $2); scale[$2] = $3; axis_x[$2] = $4; axis_y[$2] = $5 }
$1 == "P" { add("curves " $2, $3) }
$1 == "T" {
	add("targets", $2)
	wanted[$2] = $4
	verdict[$2] = $5
	if ($5 ~ /^[A-Z]/)
		bad[++nbad] = $2
}

function shown(x)
{
	if (x == int(x))
		return grouped(x)
	return (x >= 1000 || x <= -1000) ? grouped(x) : sprintf("%.4g", x)
}

# --- curves ----------------------------------------------------------------

# The bounds of a chart's values, of both runs. Return: it has two places or more.
function bounds(chart,    c, r, n, p, i, y, x_least, x_most, y_least, y_most)
{
	x_least = y_least = 1e300
	x_most = y_most = -1e300
	y_log = scale[chart] == "log"
	for (c = 1; c <= count["curves " chart]; c++)
		for (r = 1; r <= run; r++) {
			n = split(points[r, chart, name["curves " chart, c]], p, " ")
			for (i = 1; i < n; i += 2) {
				y = p[i + 1] + 0
				if (y_log && y <= 0)
					continue
				if (p[i] + 0 < x_least) x_least = p[i] + 0
				if (p[i] + 0 > x_most) x_most = p[i] + 0
				if (y < y_least) y_least = y
				if (y > y_most) y_most = y
			}
		}
	if (x_most <= x_least)
		return 0
	x_low = x_least
	x_high = x_most
	y_low = y_log ? log10(y_least) - 0.05 : 0
	y_high = y_log ? log10(y_most) + 0.05 : (y_most > 0 ? 1.05 * y_most : 1)
	return 1
}

function draw(chart, curve, r, class,    n, p, i, line, y)
{
	n = split(points[r, chart, curve], p, " ")
	for (i = 1; i < n; i += 2) {
		y = p[i + 1] + 0
		if (!y_log || y > 0)
			line = line sprintf("%.1f,%.1f ", px(p[i]), py(y))
	}
	if (line)
		polyline(class, line)
}

function chart_svg(chart,    c, i, n, step)
{
	if (!bounds(chart))
		return
	n = count["curves " chart]
	printf "<svg viewBox=\"0 0 %d %d\" width=\"%d\">\n", width + 180, height + 16,
		1.5 * (width + 180)
	printf "<text x=\"%d\" y=\"17\" class=\"name\">%s%s</text>\n", left, html(axis_y[chart]),
		y_log ? ", logarithmic" : ""
	grid_y()
	step = even(x_high - x_low)
	for (i = step * int(x_low / step); i <= x_high; i += step)
		if (i >= x_low)
			tick_x(i, shown(i))
	printf "<text class=\"tick\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
		width - right, height + 4, html(axis_x[chart])
	for (c = 1; c <= n; c++) {
		draw(chart, name["curves " chart, c], 2, "before c" c)
		draw(chart, name["curves " chart, c], 1, "c" c)
	}
	printf "<g class=\"legend\" transform=\"translate(%d %d)\">\n", width + 6, top
	for (c = 1; c <= n; c++) {
		printf "<g transform=\"translate(0 %d)\">\n", 18 * (c - 1)
		legend_part(0, "c" c, html(name["curves " chart, c]))
		print "</g>"
	}
	print "</g></svg>"
}

# --- tables ----------------------------------------------------------------

# The value of this run, and in grey that of the run before
function both(table, row, column,    this, old)
{
	if ((1, table, row, column) in value)
		this = shown(value[1, table, row, column])
	if ((2, table, row, column) in value)
		old = "<br><span class=\"before\">" shown(value[2, table, row, column]) "</span>"
	return cell(this old)
}

function table_html(table,    c, r, column, row)
{
	if (!count["rows " table] && !(("charts", table) in number))
		return
	printf "<h2>%s</h2>\n<p>%s.</p>\n", html(table), html(table_text[table])
	if (("charts", table) in number)
		chart_svg(table)
	printf "<table><tr><th>"
	for (c = 1; c <= count["columns " table]; c++) {
		column = name["columns " table, c]
		printf "<th title=\"%s\">%s<br><span class=\"unit\">%s</span>",
			html(column_text[table, column]), html(column), html(unit[table, column])
	}
	print "</tr>"
	for (r = 1; r <= count["rows " table]; r++) {
		row = name["rows " table, r]
		printf "<tr>%s", cell(html(row))
		for (c = 1; c <= count["columns " table]; c++)
			printf "%s", both(table, row, name["columns " table, c])
		print "</tr>"
	}
	print "</table><ul>"
	for (c = 1; c <= count["columns " table]; c++) {
		column = name["columns " table, c]
		if (column_text[table, column])
			printf "<li>%s: %s</li>\n", html(column), html(column_text[table, column])
	}
	print "</ul>"
}

function targets_html(    t, target, old)
{
	print "<h2>Targets</h2>\n<table class=\"targets\"><tr><th>target<th>value<th>wanted" \
		"<th>verdict<th>before<th>change</tr>"
	for (t = 1; t <= count["targets"]; t++) {
		target = name["targets", t]
		old = (2, target) in of_target ? of_target[2, target] : ""
		printf "<tr%s>", verdict[target] ~ /^[A-Z]/ ? " class=\"missed\"" : ""
		print cell(html(target)) cell(shown(of_target[1, target])) \
			cell(html(wanted[target])) cell(html(verdict[target])) \
			cell(old == "" ? "" : shown(old)) \
			cell(old + 0 ? sprintf("%+.1f %%", 100 * (of_target[1, target] / old - 1)) \
				: "") "</tr>"
	}
	print "</table>"
}

function head_html(    i, k)
{
	printf "<h1>%s</h1>\n<p>Run of %s, commit %s", html(title), html(about[1, "date"]),
		html(about[1, "commit"])
	for (i = 1; i <= count["about"]; i++) {
		k = name["about", i]
		if (k !~ /^(date|commit)$/)
			printf ", %s %s", html(k), html(about[1, k])
	}
	if (run > 1)
		printf ". The run before: %s, commit %s", html(about[2, "date"]),
			html(about[2, "commit"])
	print ".</p>"
	printf "<p>%s</p>\n", nbad ? nbad " targets fail the run:" : "All targets are met."
	for (i = 1; i <= nbad; i++)
		printf "%s<li>%s: %s, wanted %s: %s</li>%s\n", i == 1 ? "<ul>" : "", html(bad[i]),
			shown(of_target[1, bad[i]]), html(wanted[bad[i]]), html(verdict[bad[i]]),
			i == nbad ? "</ul>" : ""
	print "<h2>Legend</h2>\n<p class=\"legend\">A figure in black is of this run, <span" \
		" class=\"before\">in grey</span> of the run before. Below the name of a column" \
		" is its unit. A solid curve is of this run, a dotted one of the same colour of" \
		" the run before. A target in <span class=\"missed\">red</span> fails the run.</p>"
}

function classes(    c, colour, n, all)
{
	n = split("#1b6ca8 #d9701a #2f7d32 #b3261e #7b4fa3 #666666", colour, " ")
	for (c = 1; c <= n; c++)
		all = all "polyline.c" c " { stroke: " colour[c] " }\n"
	return all "polyline.before { stroke-width: 1.5; stroke-dasharray: 2 3 }\n" \
		".before, .unit { color: #888; font-weight: normal }"
}

function page(    i)
{
	page_begin(title, classes())
	head_html()
	if (count["targets"])
		targets_html()
	for (i = 1; i <= count["charts"]; i++)
		if (!(("tables", name["charts", i]) in number)) {
			printf "<h2>%s</h2>\n", html(name["charts", i])
			chart_svg(name["charts", i])
		}
	for (i = 1; i <= count["tables"]; i++)
		table_html(name["tables", i])
	page_end()
}

# --- JSON ------------------------------------------------------------------

function row_json(table, row,    c, column, n)
{
	printf "      %s: {", quoted(row)
	for (c = 1; c <= count["columns " table]; c++) {
		column = name["columns " table, c]
		if ((1, table, row, column) in value)
			printf "%s%s: %s", n++ ? ", " : "", quoted(column),
				value[1, table, row, column]
	}
	printf "}"
}

function json(    i, t, r, rows)
{
	print "{"
	for (i = 1; i <= count["about"]; i++)
		printf "  %s: %s,\n", quoted(name["about", i]), quoted(about[1, name["about", i]])
	print "  \"tables\": {"
	for (i = 1; i <= count["tables"]; i++) {
		t = name["tables", i]
		rows = count["rows " t]
		printf "    %s: {\n", quoted(t)
		for (r = 1; r <= rows; r++) {
			row_json(t, name["rows " t, r])
			print r < rows ? "," : ""
		}
		printf "    }%s\n", i < count["tables"] ? "," : ""
	}
	print "  },\n  \"targets\": ["
	for (i = 1; i <= count["targets"]; i++) {
		t = name["targets", i]
		printf "    {\"target\": %s, \"value\": %s, \"wanted\": %s, \"verdict\": %s}%s\n",
			quoted(t), of_target[1, t], quoted(wanted[t]), quoted(verdict[t]),
			i < count["targets"] ? "," : ""
	}
	print "  ]\n}"
}

END {
	if (as == "json")
		json()
	else
		page()
}
