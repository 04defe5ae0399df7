#include "service/local/cases/cases.hpp"

#include <algorithm>
#include <cmath>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::local {

namespace {

using detect::Side;

constexpr int most_spoilt = 3;  // blocks of a case: then it is not waited for

std::size_t index_of(Side side) {
    return side == Side::a ? 0 : 1;
}

/// In which order cases are told.
int rank_of(Comparing verdict) {
    switch (verdict) {
        case Comparing::worse: return 0;
        case Comparing::unsure:
        case Comparing::stopped: return 1;
        case Comparing::drift: return 2;
        case Comparing::better: return 3;
        case Comparing::same: return 4;
        case Comparing::only_good: return 5;
        case Comparing::only_bad: return 6;
        case Comparing::no_value: break;
    }
    return 7;
}

/// Of any size, from 0 too; unknown is none.
double size_of(const ComparedCase& one) {
    const double ratio = one.judgement.comparison.change_ratio;
    return std::isnan(ratio) ? 0 : std::abs(std::log1p(std::max(ratio, -1.0)));
}

int& count_of(CaseCounts& counts, Comparing verdict) {
    switch (verdict) {
        case Comparing::worse: return counts.worse;
        case Comparing::better: return counts.better;
        case Comparing::drift: return counts.drift;
        case Comparing::same: return counts.same;
        case Comparing::only_good: return counts.only_good;
        case Comparing::only_bad: return counts.only_bad;
        case Comparing::no_value: return counts.no_value;
        case Comparing::unsure:
        case Comparing::stopped: break;
    }
    return counts.unsure;
}

}  // namespace

Comparing outcome_of(const detect::SessionJudgement& judgement, bool stopped) {
    if (stopped) return Comparing::stopped;
    if (!judgement.decided) return Comparing::unsure;
    switch (judgement.verdict) {
        case Verdict::regression: return Comparing::worse;
        case Verdict::improvement: return Comparing::better;
        case Verdict::drift: return Comparing::drift;
        case Verdict::noise: return Comparing::same;
        default: return Comparing::unsure;
    }
}

CaseTable::CaseState* CaseTable::row_of(const PrintedCase& printed) {
    const auto [at, is_new] = places_.emplace(printed.name, rows_.size());
    if (is_new) {
        if (rows_.size() == most_cases) {
            places_.erase(at);
            return nullptr;
        }
        CaseState row;
        row.printed = printed;
        row.printed.value.reset();
        rows_.push_back(std::move(row));
        return &rows_.back();
    }
    CaseState& row = rows_[at->second];
    const bool has_value = row.values[0] + row.values[1] > 0;
    if (!has_value && printed.value) {  // what it is, is known now
        const std::string problem = row.printed.problem;
        row.printed = printed;
        row.printed.value.reset();
        row.printed.problem = problem;
    }
    return &row;
}

void CaseTable::add_block(int block, const std::vector<SideRun>& runs) {
    std::int64_t beyond = 0;
    for (CaseState& row : rows_) row.block.clear();
    for (const auto& [side, printed] : runs) {
        std::int64_t dropped = printed.left_out;
        for (const PrintedCase& one : printed.cases) {
            CaseState* row = row_of(one);
            if (row == nullptr) {
                ++dropped;
                continue;
            }
            const bool fits = one.quantity == row->printed.quantity &&
                              one.unit == row->printed.unit && one.kind == row->printed.kind;
            if (one.value && fits) {
                ++row->values[index_of(side)];
                row->block.push_back({side, block, *one.value});
            } else {
                row->printed.problem = one.value ? "it is in \"" + text::one_line(one.unit, 40) +
                                                       "\", and was in \"" +
                                                       text::one_line(row->printed.unit, 40) + "\""
                                                 : one.problem;
            }
        }
        beyond = std::max(beyond, dropped);
    }
    left_out_ = std::max(left_out_, beyond);
    rules_.cases =
        std::max<int>(1, static_cast<int>(std::ranges::count_if(rows_, [](const CaseState& one) {
                          return one.is_judged();
                      })));
    for (CaseState& row : rows_) {
        if (!row.is_judged() || row.judgement.decided) continue;
        if (row.block.size() < runs.size()) {
            ++row.spoilt;
            continue;
        }
        row.runs.insert(row.runs.end(), row.block.begin(), row.block.end());
        auto rules = rules_;
        rules.direction = row.printed.direction;
        rules.kind = row.printed.kind;
        row.judgement = detect::judge_session(row.runs, rules);
    }
}

bool CaseTable::is_open(const CaseState& row) const {
    return row.is_judged() && !row.judgement.decided && row.spoilt < most_spoilt;
}

std::size_t CaseTable::open() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows_, [&](const CaseState& row) { return is_open(row); }));
}

std::string CaseTable::progress_text() const {
    const CaseState* worst = nullptr;
    const auto change = [](const CaseState& row) { return row.judgement.comparison.change_ratio; };
    for (const CaseState& row : rows_) {
        const bool told = row.judgement.comparison.runs_before > 0 && change(row) > 0;
        if (told && (worst == nullptr || change(row) > change(*worst))) worst = &row;
    }
    const auto count = static_cast<std::int64_t>(rows_.size());
    std::string text = text::counted(count, "case") + ", " + std::to_string(open()) + " open";
    if (worst == nullptr) return text;
    return text + "; worst so far: " + text::one_line(worst->printed.name, 60) + " " +
           text::percent(change(*worst));
}

ComparedCases CaseTable::result(bool stopped) const {
    ComparedCases compared;
    CaseCounts& counts = compared.counts;
    counts.cases = static_cast<int>(rows_.size());
    counts.left_out = left_out_;
    for (const CaseState& row : rows_) {
        ComparedCase one;
        one.printed = row.printed;
        one.judgement = row.judgement;
        one.runs = row.runs;
        one.verdict = outcome_of(row.judgement, stopped && !row.judgement.decided);
        if (!row.is_judged()) {
            one.verdict = row.values[0] > 0   ? Comparing::only_good
                          : row.values[1] > 0 ? Comparing::only_bad
                                              : Comparing::no_value;
            one.judgement.reason = row.printed.problem;
        } else if (row.spoilt > 0 && !row.judgement.decided) {
            one.judgement.reason = "some runs gave no value: " + row.printed.problem;
        }
        ++count_of(counts, one.verdict);
        compared.cases.push_back(std::move(one));
    }
    std::ranges::stable_sort(compared.cases, [](const ComparedCase& a, const ComparedCase& b) {
        const int x = rank_of(a.verdict), y = rank_of(b.verdict);
        return x != y ? x < y : size_of(a) > size_of(b);
    });
    const bool none =
        std::ranges::none_of(rows_, [](const CaseState& row) { return row.is_judged(); });
    if (none && !stopped) {
        throw Error(
            Errc::conflict,
            "the two builds give values of no case in common: " + counts_text(counts) +
                (rows_.empty() || rows_.front().printed.problem.empty()
                     ? ""
                     : "; " + text::one_line(rows_.front().printed.name, 120) + ": " +
                           rows_.front().printed.problem));
    }
    return compared;
}

ReadAs read_as_of(const ComparedCases& compared, const ComparedCase& one) {
    const auto& printed = one.printed;
    return {
        compared.program,
        printed.name,
        printed.quantity,
        printed.unit,
        printed.kind,
        printed.direction,
        compared.bench};
}

const ComparedCase& case_to_search(const ComparedCases& compared, bool better) {
    const auto wanted = better ? Comparing::better : Comparing::worse;
    const ComparedCase* found = nullptr;
    const auto towards = [&](const ComparedCase& one) {
        const double ratio = one.judgement.comparison.change_ratio;
        return std::isnan(ratio) ? 0 : better ? -ratio : ratio;
    };
    for (const ComparedCase& one : compared.cases) {
        if (one.runs.empty()) continue;
        if (found == nullptr) {
            found = &one;
            continue;
        }
        const bool is_sure = one.verdict == wanted, was_sure = found->verdict == wanted;
        if (is_sure != was_sure ? is_sure : towards(one) > towards(*found)) found = &one;
    }
    if (found == nullptr) {
        throw Error(Errc::conflict, "no case gave values of both ends in one block of runs");
    }
    return *found;
}

}  // namespace vigil::local
