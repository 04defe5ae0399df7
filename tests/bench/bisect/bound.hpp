#pragma once

namespace vigil::bench {

/// Bits that one run tells of two levels that are equally likely.
/// @param apart  of the levels, in spreads of a run, > 0
double capacity(double apart);

/// Runs below which no search names one of so many commits and is wrong in at most `wrong` of the
/// days: Fano's inequality with the capacity of a run; and telling at all that the ends differ,
/// where their levels are not known.
/// @source  Cover and Thomas 2006, "Elements of information theory", 2.10; Wald 1945, "Sequential
///          tests of statistical hypotheses"
double fewest_runs(int commits, double apart, double wrong);

}  // namespace vigil::bench
