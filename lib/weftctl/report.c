// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * "weftctl report": a file for those who are to find a fault: versions, settings, all objects,
 * counters, the devices of ports, the kernel's log. It has no bytes of messages and no keys.
 *
 * One process prints all sections, each of which is a process of its own: one that fails or does
 * not end leaves the others alone. gzip(1) compresses, and the first process writes the file. So
 * that process knows each error of the file, and removes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/virtio_config.h>
#include <linux/virtio_net.h>
#include <linux/virtio_ring.h>
#include <netlink/attr.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "since.h"
#include "weftctl.h"

#define SECTION_SECONDS	60
#define SECTION_BYTES	(8u << 20)
#define FILE_BYTES	(64u << 10)
#define LOG_LINES	500

/* ---- Processes ---------------------------------------------------------------------------- */

/* A child that ends with its parent. Return: as fork() */
static pid_t child(void)
{
	pid_t parent = getpid(), pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	return 0;
}

/* Return: its wait status, -1: there is none */
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* Print why a process has failed. Return: false: it has not */
static bool print_failure(int status)
{
	if (status && WIFEXITED(status))
		printf("(this failed with status %d)\n", WEXITSTATUS(status));
	else if (status && WIFSIGNALED(status))
		printf("(this was ended by signal %d)\n", WTERMSIG(status));
	return status;
}

/* Whether a program is in the path */
static bool has_program(const char *name)
{
	const char *at = getenv("PATH"), *end;
	char file[PATH_MAX];

	for (; at && *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, ':');
		snprintf(file, sizeof(file), "%.*s/%s", (int)(end - at), at, name);
		if (!access(file, X_OK))
			return true;
	}
	return false;
}

/* Run a program, below a line that has its words. Return: exit status */
static int run_program(const char *const *words)
{
	const char *const *w;
	pid_t pid;

	putchar('$');
	for (w = words; *w; w++)
		printf(" %s", *w);
	putchar('\n');
	if (!has_program(words[0])) {
		printf("(%s is not installed)\n", words[0]);
		return 0;
	}
	pid = child();
	if (!pid) {
		execvp(words[0], (char *const *)words);
		_exit(127);
	}
	return print_failure(pid < 0 ? -1 : wait_for(pid));
}

/* ---- Sections ----------------------------------------------------------------------------- */

/* What the first line of a file has behind @key ("": the whole line) */
static void print_line(const char *what, const char *file, const char *key)
{
	FILE *f = fopen(file, "r");
	char line[256], *value;

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)))
			continue;
		line[strcspn(line, "\n")] = 0;
		value = line + strlen(key);
		printf("%s: %s\n", what, value + strspn(value, " \t:"));
		break;
	}
	if (f)
		fclose(f);
	else
		printf("%s: %s: %s\n", what, file, strerror(errno));
}

static int versions(int argc, char **argv)
{
	struct utsname u;

	(void)argc;
	(void)argv;
	print_versions();
	if (!uname(&u))
		printf("kernel: %s %s %s %s\n", u.sysname, u.release, u.version, u.machine);
	print_line("system", "/etc/os-release", "PRETTY_NAME=");
	print_line("tainted", "/proc/sys/kernel/tainted", "");
	return 0;
}

static int machine(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("processors: %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
	printf("page size: %ld\n", sysconf(_SC_PAGESIZE));
	print_line("model", "/proc/cpuinfo", "model name");
	print_line("memory", "/proc/meminfo", "MemTotal:");
	print_line("available", "/proc/meminfo", "MemAvailable:");
	print_line("uptime", "/proc/uptime", "");
	print_line("load", "/proc/loadavg", "");
	return 0;
}

/* Print a file. It may have any bytes, and is printed on terminals. */
static void print_file(const char *name)
{
	unsigned int n = 0;
	struct stat st;
	FILE *f = fopen(name, "r");
	int c, last = '\n';

	if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) {
		printf("%s: %s\n", name, f ? "no regular file" : strerror(errno));
		if (f)
			fclose(f);
		return;
	}
	printf("%s: mode %04o\n", name, st.st_mode & 07777);
	while (n++ < FILE_BYTES && (c = getc(f)) != EOF) {
		if (last == '\n')
			printf("    ");
		last = c;
		putchar(c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f) ? c : '?');
	}
	if (last != '\n')
		putchar('\n');
	if (n > FILE_BYTES)
		printf("    (it is longer)\n");
	fclose(f);
}

/* Names and sizes: these files may be keys. */
static void list_file(const char *name)
{
	struct stat st;

	if (lstat(name, &st))
		printf("%s: %s\n", name, strerror(errno));
	else
		printf("%s: mode %04o, %jd bytes, not shown\n", name, st.st_mode & 07777,
		       (intmax_t)st.st_size);
}

static void each_file(const char *pattern, void (*print)(const char *name))
{
	glob_t found;
	size_t i;

	if (glob(pattern, 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++)
		print(found.gl_pathv[i]);
	globfree(&found);
}

static int configuration(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	print_file("/etc/weft.conf");
	print_file("/run/weft.state");
	each_file("/etc/modprobe.d/*weft*", print_file);
	each_file("/etc/modules-load.d/*weft*", print_file);
	each_file("/etc/udev/rules.d/*weft*", print_file);
	each_file("/etc/weft/*", list_file);
	return 0;
}

static void print_parameter(const char *name)
{
	print_line(strrchr(name, '/') + 1, name, "");
}

static int parameters(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	each_file("/sys/module/weft/parameters/*", print_parameter);
	return 0;
}

/* What the device of a port is, and can do. Return: false: a program failed */
static bool print_device(const char *name)
{
	const char *const link[] = { "ip", "-d", "-s", "link", "show", "dev", name, NULL };
	/* settings of the link, driver, features, ring sizes, interrupts */
	static const char *const options[] = { NULL, "-i", "-k", "-g", "-c" };
	const char *ethtool[4] = { "ethtool" };
	int ret = run_program(link);
	size_t i, n;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		n = 1;
		if (options[i])
			ethtool[n++] = options[i];
		ethtool[n++] = name;
		ethtool[n] = NULL;
		/* a device need not know each of them */
		run_program(ethtool);
		if (!has_program("ethtool"))
			break;
	}
	return !ret;
}

/* Names of the bits that virtio devices have for the network, without VIRTIO_NET_F_ */
static const char *const virtio_features[64] = {
	[VIRTIO_NET_F_CSUM] = "csum", [VIRTIO_NET_F_GUEST_CSUM] = "guest_csum",
	[VIRTIO_NET_F_CTRL_GUEST_OFFLOADS] = "ctrl_guest_offloads", [VIRTIO_NET_F_MTU] = "mtu",
	[VIRTIO_NET_F_MAC] = "mac", [VIRTIO_NET_F_GUEST_TSO4] = "guest_tso4",
	[VIRTIO_NET_F_GUEST_TSO6] = "guest_tso6", [VIRTIO_NET_F_GUEST_ECN] = "guest_ecn",
	[VIRTIO_NET_F_GUEST_UFO] = "guest_ufo", [VIRTIO_NET_F_HOST_TSO4] = "host_tso4",
	[VIRTIO_NET_F_HOST_TSO6] = "host_tso6", [VIRTIO_NET_F_HOST_ECN] = "host_ecn",
	[VIRTIO_NET_F_HOST_UFO] = "host_ufo", [VIRTIO_NET_F_MRG_RXBUF] = "mrg_rxbuf",
	[VIRTIO_NET_F_STATUS] = "status", [VIRTIO_NET_F_CTRL_VQ] = "ctrl_vq",
	[VIRTIO_NET_F_CTRL_RX] = "ctrl_rx", [VIRTIO_NET_F_CTRL_VLAN] = "ctrl_vlan",
	[VIRTIO_NET_F_CTRL_RX_EXTRA] = "ctrl_rx_extra",
	[VIRTIO_NET_F_GUEST_ANNOUNCE] = "guest_announce", [VIRTIO_NET_F_MQ] = "mq",
	[VIRTIO_NET_F_CTRL_MAC_ADDR] = "ctrl_mac_addr",
	[VIRTIO_RING_F_INDIRECT_DESC] = "indirect_desc", [VIRTIO_RING_F_EVENT_IDX] = "event_idx",
	[VIRTIO_F_VERSION_1] = "version_1", [VIRTIO_F_ACCESS_PLATFORM] = "access_platform",
	[VIRTIO_F_RING_PACKED] = "ring_packed", [VIRTIO_NET_F_SPEED_DUPLEX] = "speed_duplex",
};

/* The features that the driver and the device use: sysfs has a digit for each bit. */
static void print_features(const char *device)
{
	char name[PATH_MAX];
	unsigned int bit;
	FILE *f;
	int c;

	snprintf(name, sizeof(name), "%s/features", device);
	f = fopen(name, "r");
	if (!f) {
		printf("features: %s: %s\n", name, strerror(errno));
		return;
	}
	fputs("features:", stdout);
	for (bit = 0; bit < 64 && ((c = getc(f)) == '0' || c == '1'); bit++) {
		if (c == '1' && virtio_features[bit])
			printf(" %s", virtio_features[bit]);
		else if (c == '1')
			printf(" bit_%u", bit);
	}
	putchar('\n');
	fclose(f);
}

/* The interrupts of a device: the lines of its queues, with a number for each processor */
static void print_interrupts(const char *device)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char *line = NULL, word[64];
	size_t room = 0;

	snprintf(word, sizeof(word), "%.48s-", device);
	while (f && getline(&line, &room, f) > 0)
		if (strstr(line, word))
			printf("interrupts: %s", line + strspn(line, " "));
	free(line);
	if (f)
		fclose(f);
}

/* A file of a device that has one line */
static void print_fact(const char *what, const char *device, const char *file)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/%s", device, file);
	if (!access(name, R_OK))
		print_line(what, name, "");
}

/* A device that its port owns: no program knows it, sysfs does. @device: its folder there */
static void print_virtio(const char *device)
{
	char name[PATH_MAX], driver[PATH_MAX];
	ssize_t len;

	printf("virtio device: %s\n", strrchr(device, '/') + 1);
	snprintf(name, sizeof(name), "%s/driver", device);
	len = readlink(name, driver, sizeof(driver) - 1);
	driver[len < 0 ? 0 : len] = 0;
	printf("driver: %s\n", len < 0 ? "none" : strrchr(driver, '/') + 1);
	print_fact("status", device, "status");
	print_features(device);
	print_fact("PCI vendor", device, "../vendor");
	print_fact("PCI device", device, "../device");
	print_fact("PCI subsystem", device, "../subsystem_device");
	print_fact("NUMA node", device, "../numa_node");
	print_fact("near processors", device, "../local_cpulist");
	print_interrupts(strrchr(device, '/') + 1);
}

static void print_owned(const char *device)
{
	char pattern[PATH_MAX];

	/* a port is told the PCI address or the name of its device */
	snprintf(pattern, sizeof(pattern), "/sys/bus/virtio/devices/%s", device);
	each_file(pattern, print_virtio);
	snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/virtio[0-9]*", device);
	each_file(pattern, print_virtio);
}

static int devices(int argc, char **argv)
{
	char port[WEFT_NAME_MAX], netdev[WEFT_NAME_MAX], device[WEFT_NAME_MAX];
	struct answers ports = { 0 };
	const struct answer *a;
	int ret;

	(void)argc;
	(void)argv;
	ret = collect(WEFT_CMD_PORT_GET, "port show", NULL, NULL, NULL, &ports);
	for (a = ports.all; a < ports.all + ports.n; a++) {
		find_text(port, sizeof(port), a->attrs, a->len, WEFT_ATTR_PORT_NAME);
		find_text(netdev, sizeof(netdev), a->attrs, a->len, WEFT_ATTR_PORT_NETDEV);
		find_text(device, sizeof(device), a->attrs, a->len, WEFT_ATTR_PORT_DEVICE);
		printf("port %s: %s\n", port, netdev[0] ? netdev : device[0] ? device :
		       "no device");
		if (netdev[0] && !print_device(netdev))
			ret = EXIT_FAILURE;
		if (!netdev[0] && device[0])
			print_owned(device);
	}
	release(&ports);
	return ret;
}

/*
 * The last lines of weft in the output of a command. Return: false: the command failed, and its
 * lines are not printed
 */
static bool log_of(const char *command)
{
	static char lines[LOG_LINES][512];
	char line[512];
	unsigned int n = 0, i;
	FILE *f = popen(command, "r");

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "weft"))
			strcpy(lines[n++ % LOG_LINES], line);
	if (!f || pclose(f))
		return false;
	for (i = n < LOG_LINES ? 0 : n - LOG_LINES; i < n; i++) {
		lines[i % LOG_LINES][strcspn(lines[i % LOG_LINES], "\n")] = 0;
		puts(lines[i % LOG_LINES]);
	}
	if (!n)
		printf("no line has the word weft\n");
	return true;
}

static int kernel_log(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (log_of("dmesg 2>/dev/null") || log_of("journalctl -k -b -q --no-pager 2>/dev/null"))
		return 0;
	printf("neither dmesg nor journalctl shows it to this user\n");
	return EXIT_FAILURE;
}

static int service(int argc, char **argv)
{
	static const char *const words[] = {
		"journalctl", "-b", "-q", "--no-pager", "-n", "200", "-u", "weft", "-u",
		"weft-metrics", NULL
	};

	(void)argc;
	(void)argv;
	return run_program(words);
}

struct section {
	const char *title;
	int (*run)(int argc, char **argv);
	const char *words[6];	/* its arguments */
	bool module;		/* it asks the module */
};

static const struct section sections[] = {
	{ "versions", versions, { NULL }, false },
	{ "machine", machine, { NULL }, false },
	{ "configuration", configuration, { NULL }, false },
	{ "module parameters", parameters, { NULL }, true },
	{ "port show", do_port, { "show" }, true },
	{ "limit show", do_limit, { "show" }, true },
	{ "job show", do_job, { "show" }, true },
	{ "user show", do_user, { "show" }, true },
	{ "ctx show", do_ctx, { "show" }, true },
	{ "-s ep show", do_ep, { "show" }, true },
	{ "-s path show", do_path, { "show" }, true },
	{ "neigh show", do_neigh, { "show" }, true },
	{ "conn show", do_conn, { "show" }, true },
	{ "cq show", do_cq, { "show" }, true },
	{ "srq show", do_srq, { "show" }, true },
	{ "mr show", do_mr, { "show" }, true },
	{ "flow show", do_flow, { "show" }, true },
	{ "send show", do_send, { "show" }, true },
	{ "recv show", do_recv, { "show" }, true },
	{ "msg show", do_msg, { "show" }, true },
	{ "hang", do_hang, { NULL }, true },
	{ "event show", do_event, { "show" }, true },
	{ "stats show -d", do_stats, { "show", "-d" }, true },
	{ "histogram show", do_histogram, { "show" }, true },
	{ "stats -i 1 -c 1", do_stats, { "-i", "1", "-c", "1" }, true },
	{ "devices of ports", devices, { NULL }, true },
	{ "kernel log", kernel_log, { NULL }, false },
	{ "service log", service, { NULL }, false },
};

#define NSECTIONS	(sizeof(sections) / sizeof(sections[0]))

/* The process of a section: it prints to @to. */
static void be_section(const struct section *s, int to)
{
	char *argv[8] = { NULL };
	int argc = 0, ret;

	dup2(to, STDOUT_FILENO);
	dup2(to, STDERR_FILENO);
	close(to);
	netlink_forget();
	for (; s->words[argc]; argc++)
		argv[argc] = (char *)s->words[argc];
	ret = s->run(argc, argv);
	_exit(fflush(stdout) ? EXIT_FAILURE : ret);
}

/* Copy what a section prints. Return: NULL, or why it has to be ended */
static const char *copy_section(int from)
{
	struct pollfd fd = { .fd = from, .events = POLLIN };
	uint64_t end = clock_ns() + SECTION_SECONDS * 1000000000ull, now;
	size_t all = 0;
	char buf[4096];
	ssize_t n;

	for (;;) {
		now = clock_ns();
		if (now >= end || !poll(&fd, 1, (int)((end - now) / 1000000) + 1))
			return "it did not end in time";
		n = read(from, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return NULL;
		all += (size_t)n;
		if (all > SECTION_BYTES)
			return "it is too long, the rest is left out";
		fwrite(buf, 1, (size_t)n, stdout);
	}
}

/* Return: true if the section failed, which it says */
static bool print_section(const struct section *s)
{
	const char *why;
	int ends[2];
	pid_t pid;

	printf("\n==== %s ====\n", s->title);
	if (s->module && access("/sys/module/weft", F_OK)) {
		/* to ask would load it */
		printf("(the module is not loaded)\n");
		return true;
	}
	if (pipe2(ends, O_CLOEXEC)) {
		printf("(this failed: %s)\n", strerror(errno));
		return true;
	}
	pid = child();
	if (!pid) {
		close(ends[0]);
		be_section(s, ends[1]);
	}
	close(ends[1]);
	why = pid < 0 ? strerror(errno) : copy_section(ends[0]);
	close(ends[0]);
	if (why)
		printf("\n(%s)\n", why);
	if (why && pid > 0)
		kill(pid, SIGKILL);
	if (pid < 0)
		return true;
	return why ? wait_for(pid), true : print_failure(wait_for(pid));
}

/* "2026-11-28T20:15:00+0000", or as @form says */
static void date_text(char *to, size_t size, const char *form)
{
	time_t now = time(NULL);
	struct tm tm;

	strftime(to, size, form, localtime_r(&now, &tm));
}

/* The process that prints the report to @to */
static void be_report(int to)
{
	unsigned int failed = 0;
	char date[64], host[HOST_NAME_MAX + 1] = "";
	size_t i;

	dup2(to, STDOUT_FILENO);
	close(to);
	signal(SIGPIPE, SIG_DFL);
	setenv("LC_ALL", "C", 1);
	out_mode(false, false);
	out_more(false, false);
	out_count(true);
	/* those of memory let peers access it */
	out_hide("key");
	gethostname(host, sizeof(host) - 1);
	date_text(date, sizeof(date), "%Y-%m-%dT%H:%M:%S%z");
	printf("weft report of %s, %s, by user %u\n", host, date, getuid());
	printf("It has no bytes of messages and no keys. It has names of processes, numbers of\n"
	       "users, addresses, tags and lengths (weftctl-report(8)).\n");
	for (i = 0; i < NSECTIONS; i++)
		failed += print_section(&sections[i]);
	printf("\n==== end: %zu sections, %u failed ====\n", NSECTIONS, failed);
	_exit(fflush(stdout) ? EXIT_FAILURE : 0);
}

/* ---- The file ----------------------------------------------------------------------------- */

/* Start a process that prints the report. Return: where it can be read; -1: errno says why */
static int start_report(pid_t *pid)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	*pid = child();
	if (!*pid) {
		close(ends[0]);
		be_report(ends[1]);
	}
	close(ends[1]);
	if (*pid > 0)
		return ends[0];
	close(ends[0]);
	return -1;
}

/* The same for a process that compresses what @from has. It takes @from. */
static int start_gzip(pid_t *pid, int from)
{
	int ends[2];

	if (from < 0 || pipe2(ends, O_CLOEXEC))
		return -1;
	*pid = child();
	if (!*pid) {
		dup2(from, STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		signal(SIGPIPE, SIG_DFL);
		execlp("gzip", "gzip", "-c", NULL);
		_exit(127);
	}
	close(ends[1]);
	close(from);
	if (*pid > 0)
		return ends[0];
	close(ends[0]);
	return -1;
}

/* Return: 0, -1: errno says why */
static int copy_all(int from, int to)
{
	char buf[65536];
	ssize_t n, done, part;

	for (;;) {
		n = read(from, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return (int)n;
		for (done = 0; done < n; done += part) {
			part = write(to, buf + done, (size_t)(n - done));
			if (part < 0 && errno != EINTR)
				return -1;
			part = part < 0 ? 0 : part;
		}
	}
}

/* Print the report to @to. Return: 0, -1: message printed, about @name */
static int write_report(int to, const char *name, bool gzip)
{
	pid_t report = 0, packer = 0;
	int from = start_report(&report), ret;
	bool failed;

	if (gzip)
		from = start_gzip(&packer, from);
	ret = from < 0 ? -1 : copy_all(from, to);
	if (ret)
		complain("report: %s: %s", name, strerror(errno));
	if (ret && report > 0)
		kill(report, SIGTERM);
	if (from >= 0)
		close(from);
	failed = (packer > 0 && wait_for(packer));
	failed |= (report > 0 && wait_for(report));
	if (!ret && failed)
		complain("report: %s: a process that makes it has failed", name);
	return ret || failed ? -1 : 0;
}

/* Return: 0, -1: message printed */
static int write_file(const char *name, bool gzip)
{
	struct stat st;
	int fd;

	/* it would be replaced: no device, no link */
	if (!lstat(name, &st) && !S_ISREG(st.st_mode)) {
		complain("report: %s: it is there, and is no regular file", name);
		return -1;
	}
	fd = whole_begin(name);
	if (fd < 0) {
		complain("report: %s: %s", name, strerror(errno));
		return -1;
	}
	/* what the children inherit must not be written */
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (write_report(fd, name, gzip)) {
		whole_drop(fd);
		return -1;
	}
	if (whole_end(fd, name)) {
		complain("report: %s: %s", name, strerror(errno));
		return -1;
	}
	puts(name);
	return 0;
}

/* weft-report-HOST-DATE.txt.gz in the present folder */
static void default_name(char *name, size_t size)
{
	char host[HOST_NAME_MAX + 1] = "", date[32], *c;

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = 0;
	for (c = host; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", *c))
			*c = '-';
	date_text(date, sizeof(date), "%Y%m%d-%H%M%S");
	snprintf(name, size, "weft-report-%s-%s.txt.gz", host, date);
}

static int make_report(const char *arg)
{
	char name[PATH_MAX];
	bool gzip;
	size_t len;

	if (arg && !strcmp(arg, "-"))
		return write_report(STDOUT_FILENO, "standard output", false) ? EXIT_USAGE : 0;
	if (arg && (!*arg || strlen(arg) >= sizeof(name))) {
		complain("report: this is no name of a file");
		return EXIT_USAGE;
	}
	if (arg)
		strcpy(name, arg);
	else
		default_name(name, sizeof(name));
	len = strlen(name);
	gzip = len > 3 && !strcmp(name + len - 3, ".gz");
	if (gzip && !has_program("gzip")) {
		complain("report: gzip is not installed, the file is plain text");
		name[len - 3] = 0;
		gzip = false;
	}
	return write_file(name, gzip) ? EXIT_USAGE : 0;
}

int do_report(int argc, char **argv)
{
	const char *path = getenv("PATH");
	char more[PATH_MAX];

	if (argc == 1 && asks_help(argv[0], true)) {
		puts("Usage: weftctl report [FILE]\n"
		     "       weftctl report help\n"
		     "Writes versions, settings, all objects, counters, devices and logs into a file.\n"
		     "FILE: default weft-report-HOST-DATE.txt.gz; one in .gz is compressed\n"
		     "      -: as text to standard output");
		return HELPED;
	}
	if (argc > 1 || (argc && argv[0][0] == '-' && argv[0][1])) {
		complain("report: \"%s\" is not known here, try \"weftctl report help\"",
			 argv[argc - 1]);
		return EXIT_USAGE;
	}
	/* users who are not root have no ethtool and modinfo in their path */
	snprintf(more, sizeof(more), "%s:/usr/sbin:/sbin", path ? path : "/usr/bin:/bin");
	setenv("PATH", more, 1);
	return make_report(argc ? argv[0] : NULL);
}
