// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: figures of a report, for selftests/figures, which has the format
 */
#include "figures.h"

static FILE *figures;

void figures_begin(const char *folder)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/report.figures", folder);
	figures = fopen(path, "w");
	if (!figures)
		weft_host_die(__FILE__, __LINE__, "%s cannot be written", path);
}

void figures_end(void)
{
	fputs("E\n", figures);
	if (fclose(figures))
		weft_host_die(__FILE__, __LINE__, "the figures cannot be written");
}

void figures_about(const char *name, const char *value)
{
	fprintf(figures, "H\t%s\t%s\n", name, value);
}

void figures_table(const char *table, const char *text)
{
	fprintf(figures, "S\t%s\t%s\n", table, text);
}

void figures_column(const char *table, const char *column, const char *unit, const char *text)
{
	fprintf(figures, "U\t%s\t%s\t%s\t%s\n", table, column, unit, text);
}

void figure(const char *table, const char *row, const char *column, double value)
{
	fprintf(figures, "R\t%s\t%s\t%s\t%.6g\n", table, row, column, value);
}

void figures_chart(const char *chart, const char *x, const char *y)
{
	fprintf(figures, "C\t%s\tlog\t%s\t%s\n", chart, x, y);
}

void figures_point(const char *chart, const char *curve, double x, double y)
{
	fprintf(figures, "P\t%s\t%s\t%.6g\t%.6g\n", chart, curve, x, y);
}

void figures_target(const char *name, double value, const char *wanted, const char *verdict)
{
	fprintf(figures, "T\t%s\t%.6g\t%s\t%s\n", name, value, wanted, verdict);
}
