# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The table of targets: what is required (bar) and desired (goal), and what was measured. Each
# target is a value of weft, at most so many times another value.
#
# A curve compares weft with its peers at every size: c_row, c_peers, c_form, c_what, c_name. A band
# is a range of sizes with one bar and one goal: b_from, b_to, b_bar, b_goal.

function curve(name, row, peers, form, what)
{
	c = ++ncurves
	c_name[c] = name; c_row[c] = row; c_peers[c] = peers; c_form[c] = form; c_what[c] = what
}

# Of the last curve. @to 0: no end.
function band(from, to, bar, goal,    b)
{
	b = ++nbands[c]
	b_from[c, b] = from; b_to[c, b] = to; b_bar[c, b] = bar; b_goal[c, b] = goal
}

# Return: the band of a size, 0: none
function band_at(c, size,    b)
{
	for (b = 1; b <= nbands[c]; b++)
		if (size >= b_from[c, b] && (!b_to[c, b] || size <= b_to[c, b]))
			return b
	return 0
}

# Return: the least of the peers, 0: none was measured
function best(r, peers, form, what, size,    p, n, i, x, least)
{
	least = 0
	n = split(peers, p, " ")
	for (i = 1; i <= n; i++) {
		x = value_of(r, p[i], form, what, size)
		if (x && (!least || x < least))
			least = x
	}
	return least
}

function work(what) { return what == "burst" ? "bursts" : "single" }

function curves(    w, i, mtu)
{
	split("latency burst", w, " ")
	for (i = 1; i <= 2; i++) {
		curve("netdev, " work(w[i]), "weft-netdev", "net tcp-rxm udp-rxd", "one", w[i])
		band(8, 512, 0.30, i == 1 ? 0.25 : 0.20)
		band(1024, 16384, 0.60, 0.50)
		band(32768, 262144, 0.75, 0.60)
		band(1048576, 0, 0.85, 0.65)
	}
	for (i = 1; i <= 2; i++) {
		curve("netdev, MTU 9000, " work(w[i]), "weft-netdev-9000", "net-9000", "one", w[i])
		band(1048576, 0, 0.70, 0.50)
	}
	for (i = 1; i <= 2; i++) {
		curve("loop, " work(w[i]), "weft-loop", "shm", "one", w[i])
		band(8, 16384, 1.00, 0.75)
		band(32768, 0, 0.55, 0.45)
	}
	for (mtu = 1500; mtu <= 9000; mtu += 7500)
		for (i = 1; i <= 2; i++) {
			curve("vnet, two machines, MTU " mtu ", " work(w[i]),
				"weft-vnet" (mtu > 1500 ? "-9000" : ""),
				"net" (mtu > 1500 ? "-9000" : ""), "hosts", w[i])
			band(8, 0, 0.75, 0.50)
		}
	curve("netdev, two processes that wait", "weft-netdev", "tcp", "two", "latency")
	band(8, 65536, 0.40, 0.25)
}

# One target: @x against @y
function target(text, x, y, bar, goal,    t)
{
	t = ++ntargets
	ttext[t] = text; tx[t] = x; ty[t] = y; tbar[t] = bar; tgoal[t] = goal
	tratio[t] = x && y ? x / y : 0
	if (!tratio[t])
		tverdict[t] = "not measured"
	else if (tratio[t] <= goal)
		tverdict[t] = "goal met"
	else
		tverdict[t] = tratio[t] <= bar ? "bar met" : "MISSED"
	if (tverdict[t] == "MISSED")
		nmissed++
}

function curve_targets(c,    i, b, size)
{
	for (i = 1; i <= nsizes; i++) {
		size = sizes[i]
		b = band_at(c, size)
		if (b)
			target(c_name[c] ", " bytes(size),
				value(c_row[c], c_form[c], c_what[c], size),
				best(1, c_peers[c], c_form[c], c_what[c], size),
				b_bar[c, b], b_goal[c, b])
	}
}

# The largest step between neighbouring sizes
function smooth(row,    i, x, y, most, from, to, at)
{
	most = 0; from = 0; to = 0
	for (i = 1; i < nsteps; i++) {
		x = value(row, "one", "latency", steps[i])
		y = value(row, "one", "latency", steps[i + 1])
		if (x && y && y / x > most) {
			most = y / x; from = x; to = y
			at = ", " steps[i] " to " steps[i + 1] " B"
		}
	}
	target("largest step, " row at, to, from, 1.5, 1.5)
}

function targets_of_row(row,    i, what, n)
{
	for (i = 1; i <= nsizes; i++)
		target("unexpected / expected, " row ", " bytes(sizes[i]),
			value(row, "one", "late", sizes[i]), value(row, "one", "ready", sizes[i]),
			1.3, 1.15)
	n = split("posted unexpected", what, " ")
	for (i = 1; i <= n; i++)
		target(what[i] ": 10 000 / 1, " row, value(row, "one", what[i], 10000),
			value(row, "one", what[i], 1), 1.1, 1.0)
	target("shared receives: 1 000 endpoints / 1, " row, value(row, "one", "shared", 1000),
		value(row, "one", "shared", 1), 1.2, 1.2)
	target("16 under FI_MORE / one alone, " row, value(row, "one", "more", 16),
		value(row, "one", "more", 1), 1 / 2, 1 / 3)
	smooth(row)
}

# One-sided operations: one at each size, and bursts
function onesided(text, row, peers, what, size, bar, goal)
{
	target(text ", " row (what == "writes" ? "" : ", " bytes(size)),
		value(row, "one", what, size), best(1, peers, "one", what, size), bar, goal)
}

function onesided_targets(    w, i, net)
{
	net = "net tcp-rxm"
	split("write read", w, " ")
	for (i = 1; i <= 2; i++) {
		onesided(w[i], "weft-netdev", net, w[i], 8, 0.35, 0.25)
		onesided(w[i], "weft-netdev", net, w[i], 4096, 0.60, 0.60)
		onesided(w[i], "weft-netdev", net, w[i], 65536, 0.75, 0.75)
		onesided(w[i], "weft-netdev", net, w[i], 1048576, 0.85, 0.85)
		onesided(w[i], "weft-loop", "shm", w[i], 8, 1.00, 0.75)
	}
	onesided("fetch and add", "weft-netdev", net, "fetch", 8, 0.35, 0.25)
	onesided("fetch and add", "weft-loop", "shm", "fetch", 8, 1.00, 0.75)
	onesided("64 writes of 8 B under FI_MORE", "weft-netdev", net, "writes", 64, 0.15, 0.10)
}

# Shares that are not overlapped, as parts of a whole of 1
function overlap_targets(row,    n, i, s, x)
{
	n = split("16384 65536 262144 1048576", s, " ")
	for (i = 1; i <= n; i++) {
		x = (1, row, "two", "overlap", s[i]) in medians
		target("not overlapped, " row ", " bytes(s[i]),
			x ? 1 - value(row, "two", "overlap", s[i]) + 1e-9 : 0, x, 0.05, 0.01)
	}
}

function targets(    c, i, n, rows)
{
	curves()
	for (c = 1; c <= ncurves; c++)
		curve_targets(c)
	target("8 B, one thread, netdev, ioctl / net", value("weft-netdev-ioctl", "one", "latency", 8),
		value("net", "one", "latency", 8), 1 / 3, 1 / 4)
	target("8 B, two processes, netdev, ioctl / tcp",
		value("weft-netdev-ioctl", "two", "latency", 8), value("tcp", "two", "latency", 8),
		0.4, 0.25)
	n = split("weft-netdev weft-loop", rows, " ")
	for (i = 1; i <= n; i++) {
		targets_of_row(rows[i])
		overlap_targets(rows[i])
	}
	overlap_targets("weft-vnet")
	onesided_targets()
	target("core: match among 10 000 / 1, posted", value("core", "host", "match-posted-10k", 0),
		value("core", "host", "match-posted", 0), 1.1, 1.0)
	target("core: match among 10 000 / 1, unexpected",
		value("core", "host", "match-unexpected-10k", 0),
		value("core", "host", "match-unexpected", 0), 1.1, 1.0)
	target("core: a path of 100 000 / of 10", value("core", "host", "path-100k", 0),
		value("core", "host", "path-10", 0), 1.1, 1.0)
	target("core: a region of 1 000 000 / of 10", value("core", "host", "region-1m", 0),
		value("core", "host", "region-10", 0), 1.1, 1.0)
	target("core: one more region among 1 000 000 / 10",
		value("core", "host", "region-add-1m", 0),
		value("core", "host", "region-add-10", 0), 1.1, 1.0)
}

END { targets() }
