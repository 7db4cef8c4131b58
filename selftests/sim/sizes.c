// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: sizes of messages in data centres
 *
 * The workloads W1 to W5 of Montazeri et al., "Homa: A Receiver-Driven Low-Latency Transport
 * Protocol Using Network Priorities" (SIGCOMM 2018): a key-value store, search, all of a data
 * centre's calls, Hadoop, web search. Their distributions are told here by 16 quantiles each, and
 * between these a size's logarithm is taken as uniform.
 */
#include <math.h>

#include "sim.h"

#define POINTS	16

static const double share[POINTS] = {
	0, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .98, .99, .995, .999, 1
};

static const u32 quantile[SIZES][POINTS] = {
	{ 8, 8, 8, 8, 11, 27, 79, 151, 264, 503, 804, 1360, 1876, 2588, 4924, 100000 },
	{ 8, 8, 34, 58, 171, 269, 320, 366, 427, 512, 931, 2048, 3151, 4096, 21845, 3529904 },
	{ 8, 36, 77, 110, 158, 268, 313, 402, 573, 1755, 5521, 13435, 31013, 84867, 356516,
	  15158197 },
	{ 53, 315, 376, 502, 561, 662, 960, 6387, 49408, 120373, 273075, 1660940, 3430822, 6322443,
	  10000000, 10000000 },
	{ 1430, 5720, 19110, 27930, 48510, 72030, 195510, 980490, 1959510, 4899510, 19600980,
	  25480980, 27440490, 28420980, 29400000, 29400000 },
};

u32 size_at(u32 w, double u)
{
	const u32 *q = quantile[w];
	u32 i = 0;

	while (i + 2 < POINTS && u >= share[i + 1])
		i++;
	u = (u - share[i]) / (share[i + 1] - share[i]);
	return (u32)(q[i] * pow((double)q[i + 1] / q[i], u));
}

double size_mean(u32 w)
{
	const u32 *q = quantile[w];
	double sum = 0;
	u32 i;

	for (i = 0; i + 1 < POINTS; i++) {
		double ratio = (double)q[i + 1] / q[i];

		sum += (share[i + 1] - share[i]) *
		       (ratio > 1 ? (q[i + 1] - q[i]) / log(ratio) : q[i]);
	}
	return sum;
}
