#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bisect/history/claims.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/sections.hpp"

// What brought series back. What was measured is told as measured; what a commit's text says is
// told as its word.

namespace vigil::service {

namespace {

constexpr std::size_t max_ways = 3;    // ways of fix in one sentence
constexpr std::size_t max_named = 10;  // series of one night

std::string between(const Links& links, const FixFact& fact) {
    return fmt::format(
        "after {} up to {}", commit_ref(links, fact.bad), commit_ref(links, fact.fixed));
}

/// "`1a2b3c4d5e`, brought by the merge `6f7a8b9c0d`,".
std::string named_commit(const Links& links, const Fix& told) {
    const auto commit = commit_ref(links, told.revision) + ",";
    if (told.merge.empty()) return commit;
    return fmt::format("{} brought by the merge {},", commit, commit_ref(links, told.merge));
}

bool is_back(const SeriesFact& series) {
    return !series.recovered_night.empty();
}

bool is_broken(const RegressionFacts& facts) {
    return std::all_of(facts.series.begin(), facts.series.end(), [](const SeriesFact& series) {
        return series.verdict == Verdict::broken;
    });
}

/// "S1: `mlp` (`train`) on `xeon`, CPU time; S3: ...".
std::string back_in(const RegressionFacts& facts, const std::string& night) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < facts.series.size(); ++i) {
        const SeriesFact& series = facts.series[i];
        if (series.recovered_night != night) continue;
        names.push_back(fmt::format(
            "{}{}, {}", label_of(facts, i), series_words(series), metric_words(series.metric)));
    }
    const auto name = [](const std::string& words) { return words; };
    return listed(names, max_named, name, "; and {} more", "; ");
}

std::string night_words(const Links& links, const std::string& night, const Revision& revision) {
    return fmt::format("{}, {}", text::code_span(night, 20), commit_ref(links, revision));
}

/// The commit and who wrote it, with the request's words; the compare address beside it.
std::string fix_cell(const Links& links, const FixFact& fact) {
    std::string out = fix_words(links, fact);
    if (!fact.told) return out;
    const Fix& told = *fact.told;
    if (!told.revision.empty()) {
        out += fmt::format(
            ": {} by {}", text::code_span(told.subject, 100), text::code_span(told.author, 60));
    }
    if (!told.merge_subject.empty())
        out += fmt::format("; merge {}", text::code_span(told.merge_subject, 80));
    if (told.others > 0) out += fmt::format("; {} more say so", told.others);
    const bool among = !told.revision.empty() && told.line_commits > 1;
    if (among) {
        const auto commits = text::counted(told.line_commits, "commit");
        out += "; among " + linked(commits, range_url(links, fact.bad, fact.fixed));
    }
    if (told.unread_commits > 0) {
        out += fmt::format(
            "; the texts of {} were not read", text::counted(told.unread_commits, "commit"));
    }
    if (told.rewritten) {
        out += "; the branch was rewritten in between, and what it lost may be what fixed it";
    }
    return out;
}

/// The different ways in which series came back, in words.
std::string all_ways(const RegressionFacts& facts) {
    std::vector<std::string> ways;
    for (const auto& fact : facts.fixes) {
        auto words = fix_words(facts.links, fact);
        if (std::find(ways.begin(), ways.end(), words) == ways.end()) ways.push_back(words);
    }
    const auto way = [](const std::string& words) { return words; };
    return listed(ways, max_ways, way, "; and others", "; and ");
}

}  // namespace

std::string fix_words(const Links& links, const FixFact& fact) {
    if (!fact.told) return "the commits in between are being listed";
    const Fix& told = *fact.told;
    if (!told.by) {
        return fmt::format(
            "by a commit {} ({})", between(links, fact), plain_words(told.unlisted, 200));
    }
    const std::string alone = told.only ? "; it is the only commit in between" : "";
    switch (*told.by) {
        case history::FixedBy::measured:
            return fmt::format(
                "by {} built and measured with it and without", named_commit(links, told));
        case history::FixedBy::revert:
            if (told.of_suspects) {
                return fmt::format(
                    "by {} whose text says that it reverts the suspect {}{}",
                    named_commit(links, told),
                    commit_ref(links, told.reverts),
                    alone);
            }
            return fmt::format(
                "reverted by {} as its text says{}", named_commit(links, told), alone);
        case history::FixedBy::fix:
            return fmt::format(
                "by {} which says that it fixes this issue{}", named_commit(links, told), alone);
        case history::FixedBy::only:
            return fmt::format(
                "by {}, the only commit in between", commit_ref(links, told.revision));
        case history::FixedBy::one_of: break;
    }
    if (told.line_commits == 0) return "without a commit: both builds are of one revision";
    const auto commits =
        linked(text::counted(told.line_commits, "commit"), range_url(links, fact.bad, fact.fixed));
    if (told.candidates.empty()) {
        return fmt::format("by one of {} {}", commits, between(links, fact));
    }
    std::string left;
    for (const auto& one : told.candidates) {
        left += (left.empty() ? "" : ", ") + commit_ref(links, one);
    }
    return fmt::format(
        "as measured by one or more of {}, among {} {}", left, commits, between(links, fact));
}

std::string recovery_words(const RegressionFacts& facts) {
    const auto back = std::count_if(facts.series.begin(), facts.series.end(), is_back);
    const bool ended = is_over(facts.state);
    if (ended && facts.ended_as != RegressionEnd::recovered) {
        return fmt::format("Closed, nothing to do: {}. ", without_full_stop(facts.reason, 400));
    }
    if (facts.fixes.empty() || back == 0) return ended ? "Recovered, nothing to do. " : "";
    const auto ways = all_ways(facts);
    if (ended) {
        return fmt::format(
            "Recovered, nothing to do: {}; {} in the nightly of {}. ",
            ways,
            is_broken(facts) ? "it ran again" : "measured back at its level",
            plain_words(facts.fixes.back().night, 20));
    }
    const auto worse = std::find_if_not(facts.series.begin(), facts.series.end(), is_back);
    if (worse == facts.series.end()) return "";
    const auto more = std::int64_t(facts.series.size()) - back - 1;
    return fmt::format(
        "{} of {} series {} back, {}; still worse: {}{}. ",
        back,
        facts.series.size(),
        back == 1 ? "is" : "are",
        ways,
        series_words(*worse),
        more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string recovered_section(const RegressionFacts& facts) {
    const auto back = std::count_if(facts.series.begin(), facts.series.end(), is_back);
    if (back == 0) return "";
    std::string out = fmt::format(
        "### What is back\n\n{} of {} series {}.\n\n",
        back,
        facts.series.size(),
        is_broken(facts) ? "ran again, each time"
                         : "measured as good as the build from before the regression");
    std::vector<std::string> nights;
    for (const auto& fact : facts.fixes) {
        nights.push_back(fact.night);
        out += fmt::format(
            "- {}: last bad in {}; back in {}; {}.\n",
            back_in(facts, fact.night),
            night_words(facts.links, fact.bad_night, fact.bad),
            night_words(facts.links, fact.night, fact.fixed),
            fix_cell(facts.links, fact));
    }
    for (const auto& series : facts.series) {
        const auto& night = series.recovered_night;
        if (night.empty() || std::find(nights.begin(), nights.end(), night) != nights.end()) {
            continue;
        }
        nights.push_back(night);
        out += fmt::format(
            "- {}: back in {}; what fixed it was not looked for.\n",
            back_in(facts, night),
            text::code_span(night, 20));
    }
    return out + "\n";
}

std::string today_words(const SeriesFact& series) {
    if (!series.today) return "";
    const auto& [nightly, night, level] = *series.today;
    const auto filed = best_comparison(series);
    const auto now = std::isinf(level.change_ratio)
                         ? text::change(level.change_ratio, level.before, level.after, series.unit)
                         : text::percent_within(level.change_ratio, level.low, level.high);
    return fmt::format(
        "{}, of {} when filed (measured again in the night of {}, {} + {} runs)",
        now,
        text::change(filed.change_ratio, filed.before, filed.after, series.unit),
        plain_words(night, 20),
        level.runs_before,
        level.runs_after);
}

std::string today_section(const RegressionFacts& facts) {
    if (facts.series.size() < 2) return "";  // the first sentence tells it
    std::string out;
    std::size_t told = 0;
    for (std::size_t i = 0; i < facts.series.size() && told < max_named; ++i) {
        const auto words = today_words(facts.series[i]);
        if (words.empty()) continue;
        ++told;
        out +=
            fmt::format("- {}{}: {}.\n", label_of(facts, i), series_words(facts.series[i]), words);
    }
    return out.empty() ? "" : "### Today, against the level before\n\n" + out + "\n";
}

std::string reverted_section(const RegressionFacts& facts) {
    if (!facts.reverted || is_over(facts.state)) return "";
    const RevertedFact& reverted = *facts.reverted;
    std::string out = fmt::format(
        "### Reverted, and still worse\n\nThe culprit was reverted by {} as its text says ({} by "
        "{}). The nightly of {} has the revert, and the level stays: something else keeps it "
        "up.\n\n",
        named_commit(facts.links, reverted.told),
        text::code_span(reverted.told.subject, 100),
        text::code_span(reverted.told.author, 60),
        plain_words(reverted.night, 20));
    for (std::size_t i = 0; i < reverted.still_worse.size() && i < max_named; ++i) {
        const auto& [index, ratio] = reverted.still_worse[i];
        const auto at = static_cast<std::size_t>(index);
        out += fmt::format(
            "- {}{}: {} against its level before, {} when this was found.\n",
            label_of(facts, at),
            series_words(facts.series[at]),
            text::percent(ratio),
            text::percent(best_comparison(facts.series[at]).change_ratio));
    }
    return out + "\n";
}

std::string earlier_words(const RegressionFacts& facts, const EarlierFact& earlier) {
    const auto name = fmt::format("regression {}", earlier.regression.value);
    std::string out = linked(name, regression_url(facts.links, earlier.regression));
    if (is_plain_url(earlier.issue)) out += ", " + linked("issue", earlier.issue);
    if (earlier.culprit) {
        out += fmt::format(
            ", since {} {}",
            commit_ref(facts.links, *earlier.culprit),
            text::code_span(earlier.subject, 100));
    }
    out += fmt::format(", recovered in the nightly of {}", text::code_span(earlier.night, 20));
    const auto* culprit = facts.culprit ? find_suspect(facts, *facts.culprit) : nullptr;
    const auto claim = culprit ? history::read_subject(culprit->subject) : std::nullopt;
    if (claim && history::takes_out(*claim, earlier.subject) == false) {
        out += "; by its subject this culprit brings that one back";
    }
    return out;
}

}  // namespace vigil::service
