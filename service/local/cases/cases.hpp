#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bisect/detect/session.hpp"
#include "service/local/reading/printed_cases.hpp"

// A program that prints many benchmarks: each is a case, and all are judged of the same runs. Pure.

namespace vigil::local {

/// What came of a comparison, or of one of its cases.
enum class Comparing {
    worse,
    better,
    drift,  ///< worse, not beyond the threshold
    same,
    unsure,
    stopped,
    only_good,  ///< a case that only the good side gives a value of: it is not judged
    only_bad,
    no_value,  ///< a case that fails on both sides: it is not judged
};

/// @param stopped  by a signal
Comparing outcome_of(const detect::SessionJudgement& judgement, bool stopped);
/// "worse", "worse, not beyond the threshold", "only in the good build".
std::string verdict_line(Comparing outcome);

struct ComparedCase {
    PrintedCase printed;  ///< its name, quantity, unit; no value
    Comparing verdict = Comparing::unsure;
    detect::SessionJudgement judgement;
    std::vector<detect::SessionRun> runs;  ///< of whole blocks, until it was decided
};

/// What is told of a case in one line.
struct CaseLine {
    std::string name;
    std::string unit;
    Comparing verdict = Comparing::same;
    Comparison comparison;
};

/// How many cases came out how.
struct CaseCounts {
    int cases = 0;
    int worse = 0;
    int better = 0;
    int drift = 0;
    int same = 0;
    int unsure = 0;  ///< or stopped before
    int only_good = 0;
    int only_bad = 0;
    int no_value = 0;
    std::int64_t left_out = 0;  ///< beyond `most_cases`
    friend bool operator==(const CaseCounts&, const CaseCounts&) = default;
};

/// All cases of two builds.
struct ComparedCases {
    std::string program;              ///< "Google Benchmark"
    std::string bench;                ///< the line that was really run
    std::vector<ComparedCase> cases;  ///< worse ones, unsure, drift, better, same, one-sided; of
                                      ///< each the most changed first
    CaseCounts counts;
};

/// Takes blocks of runs, and judges each case until it is decided. That any of the unchanged cases
/// is called worse, or better, stays as unlikely as it is of one (SessionRules::cases).
class CaseTable {
  public:
    /// @param rules  of each case; direction, kind and number of cases are seen here
    explicit CaseTable(const detect::SessionRules& rules) : rules_(rules) {}

    using SideRun = std::pair<detect::Side, PrintedCases>;

    /// @param runs  of one whole block, in the order they ran
    void add_block(int block, const std::vector<SideRun>& runs);

    /// How many wait for another block.
    std::size_t open() const;
    /// "30 cases, 2 open, worst so far: BM_sum +10.2 %".
    std::string progress_text() const;
    /// @param stopped  by a signal: what is not decided is told as stopped
    /// @throws Error{conflict} where no case gives values on both sides
    ComparedCases result(bool stopped) const;

  private:
    struct CaseState {
        PrintedCase printed;
        detect::SessionJudgement judgement;
        std::vector<detect::SessionRun> runs;
        int values[2] = {0, 0};                      ///< [side]
        std::vector<detect::SessionRun> block = {};  ///< the one that is being added
        int spoilt = 0;                              ///< blocks in which a run gave no value

        bool is_judged() const { return values[0] > 0 && values[1] > 0; }
    };

    CaseState* row_of(const PrintedCase& printed);
    bool is_open(const CaseState& row) const;

    detect::SessionRules rules_;
    std::vector<CaseState> rows_;
    std::unordered_map<std::string, std::size_t> places_;
    std::int64_t left_out_ = 0;
};

constexpr std::size_t most_case_lines = 10;

CaseLine line_of(const ComparedCase& one);

/// How the values of a case are read where it alone is measured.
ReadAs read_as_of(const ComparedCases& compared, const ComparedCase& one);

/// The case that a search of what got worse (or better) is about: the largest sure change; where
/// there is none, what looks most like one. Never one-sided.
const ComparedCase& case_to_search(const ComparedCases& compared, bool better);

/// "worse: 3 of 300 cases", "none of 300 cases is worse beyond the threshold".
/// @param better  whether it is asked what got better
std::string cases_verdict(const CaseCounts& counts, bool better = false);

/// "290 without a change beyond the threshold; 2 undecided"; what did not happen is left out.
std::string counts_text(const CaseCounts& counts);

/// A table of levels, change, interval and name; each line begins with two spaces.
std::string case_rows(std::span<const CaseLine> lines);

/// The worst ten as a table, the best and the undecided named, the rest counted; several lines.
std::string cases_text(const ComparedCases& compared);

/// An array: `case`, `verdict`, `reason`, `unit`, `quantity`, `comparison` of each.
nlohmann::json cases_json(const ComparedCases& compared);

}  // namespace vigil::local
