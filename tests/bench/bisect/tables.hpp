#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "tests/bench/bisect/families.hpp"
#include "tests/bench/bisect/rules.hpp"
#include "tests/bench/bisect/score.hpp"

namespace vigil::bench {

/// How one rule did: all days, and by even and odd seeds.
struct Result {
    Tally all;
    std::array<Tally, 2> halves;

    void add(const World& world, const std::vector<Answer>& answers, const Bill& bill, bool odd);
};

using Results = std::vector<Result>;  ///< by rule

/// Plays the days first, first + 1 ... of a family by every rule.
/// @param total  gets the same days
Results play_days(
    const Family& family,
    const std::vector<Rule>& rules,
    std::uint64_t first,
    int days,
    Results& total);

/// Every rule over the same days: shares with 95 % intervals, in all and by halves of the seeds.
void print_totals(const std::string& title, const std::vector<Rule>& rules, const Results& results);

/// A row for a family: the first rule in full, "right / wrong / cost" of the others.
void print_family_header(const std::vector<Rule>& rules);
void print_family(const Family& family, const Results& results);

/// Several series against one series with the same culprits, by the first rule.
void print_many(const std::vector<Rule>& rules, std::uint64_t first, int days);

/// Several culprits of one series, by the first rule: how often each is named, and filed.
void print_several(
    const std::vector<Rule>& rules, std::uint64_t first, int days, const std::string& prefix);

/// Days on which one machine deceives: the first rule by that machine alone, and where a second one
/// repeats what was verified.
void print_machines(
    const std::vector<Rule>& rules, std::uint64_t first, int days, const std::string& prefix);

/// Runs of the first rule for +7 % among 70 commits, against what no search can do with fewer.
void print_bound(const std::vector<Rule>& rules, std::uint64_t first, int days);

/// The processor time of a step among 70, 1,000 and 10,000 suspects.
void print_steps(std::uint64_t first, int days);

}  // namespace vigil::bench
