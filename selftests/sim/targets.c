// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: targets, and a list of those that are missed today
 */
#include "targets.h"

void targets_read(struct targets *t, const char *file)
{
	char line[200];
	FILE *f = fopen(file, "r");

	memset(t, 0, sizeof(*t));
	t->file = file;
	if (!f)
		weft_host_die(__FILE__, __LINE__, "%s cannot be read: start at the top of the tree",
			      file);
	while (fgets(line, sizeof(line), f)) {
		size_t len;

		line[strcspn(line, "#\n")] = 0;
		len = strcspn(line, " \t");
		if (!len)
			continue;
		if (t->n == TARGETS || len >= TARGET_NAME)
			weft_host_die(__FILE__, __LINE__, "%s: more than %u names, or a long one",
				      file, TARGETS);
		memcpy(t->name[t->n++], line, len);
	}
	fclose(f);
}

const char *targets_judge(struct targets *t, const char *name, bool met)
{
	u32 i;

	t->judged++;
	for (i = 0; i < t->n && strcmp(t->name[i], name); i++)
		;
	if (i == t->n) {
		t->wrong += !met;
		return met ? "met" : "MISSED";
	}
	t->seen[i] = true;
	if (met) {
		t->wrong++;
		return "MET, BUT LISTED";
	}
	t->known++;
	return "missed, listed";
}

bool targets_end(struct targets *t, bool all)
{
	u32 i;

	if (!t->judged)
		weft_host_die(__FILE__, __LINE__, "no target has a name that begins so");
	for (i = 0; all && i < t->n; i++) {
		if (t->seen[i])
			continue;
		printf("%s: there is no target %s\n", t->file, t->name[i]);
		t->wrong++;
	}
	printf("%u targets are missed as %s lists them, %u are wrong\n", t->known, t->file,
	       t->wrong);
	if (t->wrong)
		printf("Mend rows that are MISSED; remove rows that are MET, BUT LISTED from %s\n",
		       t->file);
	return !t->wrong;
}
