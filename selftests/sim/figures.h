/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulator: figures of a report, for selftests/figures
 */
#ifndef WEFT_SIM_FIGURES_H
#define WEFT_SIM_FIGURES_H

#include "sim.h"

/* Begin the file report.figures in @folder; dies when it cannot be written. */
void figures_begin(const char *folder);
void figures_end(void);

/* What is said of the run, as its seed */
void figures_about(const char *name, const char *value);
/* A table. @text: what its figures are. Columns and rows follow. */
void figures_table(const char *table, const char *text);
void figures_column(const char *table, const char *column, const char *unit, const char *text);
void figure(const char *table, const char *row, const char *column, double value);
/* Curves in logarithmic scale, and a point of one of them */
void figures_chart(const char *chart, const char *x, const char *y);
void figures_point(const char *chart, const char *curve, double x, double y);
/* A target: @wanted in words, @verdict as in targets.h */
void figures_target(const char *name, double value, const char *wanted, const char *verdict);

#endif
