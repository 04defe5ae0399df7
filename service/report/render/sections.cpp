#include "service/report/render/sections.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_top_rows = 10;  // those after them are folded
constexpr std::size_t max_series_rows = 40;
constexpr std::size_t max_listed_commits = 30;

std::string interval(const Comparison& comparison) {
    return fmt::format("{} to {}", text::percent(comparison.low), text::percent(comparison.high));
}

/// "12.30 ms" and "14.55 ms", or what stands for them when there is no value.
std::string level(double value, const SeriesFact& series) {
    return value == 0 ? std::string("none") : text::quantity(value, series.unit);
}

/// "99.8 %": how likely the change exceeds the threshold.
std::string surely_above(const Comparison& comparison) {
    const double likely = std::min(comparison.above, 0.999);
    return fmt::format("{}{}", comparison.above > likely ? "over " : "", text::share(likely));
}

std::string series_row(const SeriesFact& series, std::size_t number) {
    const Comparison& c = series.confirmed;
    const bool broken = series.verdict == Verdict::broken;
    return fmt::format(
        "| S{}: {}, {} | {} | {} | {} | {} | {} | {} | {} + {} |\n",
        number,
        series_words(series),
        metric_words(series.metric),
        broken ? "runs" : level(c.before, series),
        broken ? "does not run" : level(c.after, series),
        broken ? "broken" : "**" + text::percent(c.change_ratio) + "**",
        broken || c.runs_after == 0 ? "" : interval(c),
        broken ? "" : text::share(series.threshold, 0),
        broken ? "" : surely_above(c),
        c.runs_before,
        c.runs_after);
}

std::string end_words(const RegressionFacts& facts, const EndFact& end) {
    const std::string commit = commit_ref(facts.links, end.revision);
    if (end.night.empty()) return commit;
    const std::string night = text::code_span(end.night, 20);
    const std::string version =
        end.version.empty() || end.version == end.revision.str() || end.version == end.night
            ? ""
            : ", " + text::code_span(end.version, 60);
    return fmt::format("{} (nightly of {}{})", commit, night, version);
}

std::string left_section(const RegressionFacts& facts) {
    if (facts.culprit || facts.left.empty()) return "";
    const auto point = [&](const Revision& revision) {
        std::string out = "- " + commit_words(facts, revision);
        const SuspectFact* suspect = find_suspect(facts, revision);
        if (suspect == nullptr) return out + "\n";
        if (suspect->position > 0) out += " by " + text::code_span(suspect->author, 60);
        return out + (suspect->build_failure.empty() ? "\n" : " (does not build)\n");
    };
    return "### Suspects left\n\n" + listed(facts.left, max_listed_commits, point) + "\n";
}

}  // namespace

bool is_over(RegressionState state) {
    return state == RegressionState::recovered || state == RegressionState::closed;
}

std::string without_full_stop(std::string_view text, std::size_t limit) {
    std::string words = text::harmless(text, limit);
    while (!words.empty() && (words.back() == '.' || words.back() == ' ')) words.pop_back();
    return words;
}

const Comparison& best_comparison(const SeriesFact& series) {
    return series.verified ? *series.verified : series.confirmed;
}

const SuspectFact* find_suspect(const RegressionFacts& facts, const Revision& revision) {
    for (const auto& suspect : facts.suspects) {
        if (suspect.revision == revision) return &suspect;
    }
    return nullptr;
}

std::string linked(const std::string& words, const std::string& url) {
    return is_plain_url(url) ? fmt::format("[{}]({})", words, url) : words;
}

std::string commit_ref(const Links& links, const Revision& revision) {
    return linked(fmt::format("`{}`", revision.brief()), commit_url(links, revision));
}

std::string commit_words(const RegressionFacts& facts, const Revision& revision) {
    const SuspectFact* suspect = find_suspect(facts, revision);
    const std::string commit = commit_ref(facts.links, revision);
    if (suspect == nullptr || suspect->position == 0) return commit;
    return fmt::format("{} {}", commit, text::code_span(suspect->subject, 100));
}

std::string position_words(const RegressionFacts& facts, int position) {
    const int last = int(facts.suspects.size()) - 1;
    if (position < 0 || position > last) return fmt::format("{}", position);
    const std::string commit =
        commit_ref(facts.links, facts.suspects[std::size_t(position)].revision);
    if (position == 0) return fmt::format("{} (good)", commit);
    return fmt::format("{} ({}{})", commit, position, position == last ? ", bad" : "");
}

namespace {

/// Why the search does not begin at the good build.
std::string parting_words(const RegressionFacts& facts, const Revision& begin) {
    return fmt::format(
        "{}: the good build's commit is not on the bad one's line of first parents (the branch "
        "was rewritten, or it came in by a merge), so the search begins where the two lines part; "
        "what the good build alone has is not searched",
        commit_ref(facts.links, begin));
}

}  // namespace

std::string origin_section(const RegressionFacts& facts) {
    std::string out = "| | |\n|---|---|\n";
    const auto row = [&](std::string_view name, const std::string& value) {
        out += fmt::format("| {} | {} |\n", name, value);
    };
    if (facts.culprit) {
        const SuspectFact* suspect = find_suspect(facts, *facts.culprit);
        row("Culprit",
            linked(
                fmt::format("`{}`", facts.culprit->str()),
                commit_url(facts.links, *facts.culprit)));
        if (suspect != nullptr) {
            row("Subject",
                text::code_span(suspect->subject, 120) + (suspect->merge ? " (a merge)" : ""));
            row("Author",
                text::code_span(suspect->author, 80) + ", " + text::utc(suspect->authored_at_s) +
                    " UTC");
            if (!suspect->parent.empty()) row("Parent", commit_ref(facts.links, suspect->parent));
            if (!suspect->pins.empty()) row("Moves", text::code_span(suspect->pins, 400));
        }
        if (is_inside(facts)) row("Came in by", came_in_words(facts));
    } else if (facts.state != RegressionState::not_reproduced) {
        row("Culprit", "not named: none is verified");
    }
    row("Good build", end_words(facts, facts.good));
    row("Bad build", end_words(facts, facts.bad));
    if (facts.parted_at) row("Search begins at", parting_words(facts, *facts.parted_at));
    if (facts.suspects.size() > 1) {
        const auto commits = text::counted(std::int64_t(facts.suspects.size()) - 1, "commit");
        const auto commits_linked =
            linked(commits, range_url(facts.links, facts.good.revision, facts.bad.revision));
        row("Range",
            is_inside(facts) ? fmt::format(
                                   "{} on the line; {} that the merge brought",
                                   text::counted(facts.line_commits, "commit"),
                                   commits)
                             : commits_linked);
    }
    for (const auto& ending : facts.endings) {
        if (!ending.culprit || !facts.culprit) continue;
        const double shown = std::min(ending.probability, 0.999);
        row("Probability",
            fmt::format(
                "{}{} that this commit is the cause",
                ending.probability > shown ? "over " : "",
                text::share(shown)));
        break;
    }
    if (facts.split_from) {
        row("Split from", fmt::format("regression {}: two culprits", facts.split_from->value));
    }
    for (const auto& earlier : facts.earlier) row("Earlier", earlier_words(facts, earlier));
    row("Found",
        fmt::format(
            "nightly of {}, {} UTC",
            text::code_span(facts.found_night, 20),
            text::utc(facts.created_at_s)));
    return out + "\n" + left_section(facts);
}

std::string before_after_section(const RegressionFacts& facts) {
    if (facts.series.empty()) return "";
    static constexpr std::string_view head =
        "| Series | Before | After | Change | 90 % interval | Threshold | Surely above | Runs |\n"
        "|---|---:|---:|---:|---|---:|---:|---:|\n";
    std::string out = fmt::format(
        "### Before and after\n\nThe good build against the bad build, in turns in fresh processes "
        "on one worker. \"Surely above\" is how likely the change exceeds the threshold.\n\n"
        "{}",
        head);
    const std::size_t rows = std::min(facts.series.size(), max_series_rows);
    for (std::size_t i = 0; i < rows; ++i) {
        if (i == max_top_rows) {
            out += fmt::format(
                "\n<details>\n<summary>Those were the top {} of {}</summary>\n\n{}",
                max_top_rows,
                text::counted(std::int64_t(facts.series.size()), "series", "series"),
                head);
        }
        out += series_row(facts.series[i], i + 1);
    }
    if (facts.series.size() > max_series_rows) {
        out += fmt::format(
            "\nAnd {} more series, which `vigil regressions --json` lists.\n",
            facts.series.size() - max_series_rows);
    }
    if (rows > max_top_rows) out += "\n</details>\n";
    return out + "\n";
}

std::string verification_section(const RegressionFacts& facts) {
    if (!facts.culprit) return "";
    std::string rows;
    std::size_t number = 0;
    for (const auto& series : facts.series) {
        ++number;
        if (!series.verified || number > max_series_rows) continue;
        const Comparison& c = *series.verified;
        const bool broken = series.verdict == Verdict::broken;
        rows += fmt::format(
            "| S{} | {} | {} | **{}** | {} | {} + {} |\n",
            number,
            broken ? "runs" : text::quantity(c.before, series.unit),
            broken ? "does not run" : text::quantity(c.after, series.unit),
            broken ? "broken" : text::percent(c.change_ratio),
            broken ? "" : interval(c),
            c.runs_before,
            c.runs_after);
    }
    if (rows.empty()) return "";
    Revision parent;
    for (const auto& ending : facts.endings) {
        const bool named = ending.culprit && ending.parent >= 0 &&
                           std::size_t(ending.parent) < facts.suspects.size();
        if (named) parent = facts.suspects[std::size_t(ending.parent)].revision;
    }
    const SuspectFact* culprit = find_suspect(facts, *facts.culprit);
    std::string against = "the newest measurable commit before it";
    if (!parent.empty() && culprit != nullptr && parent == culprit->parent) {
        against = "its parent " + commit_ref(facts.links, parent);
    } else if (!parent.empty()) {
        against += ", " + commit_ref(facts.links, parent);
    }
    return fmt::format(
        "### Verified\n\n{} against {}, with runs of its own that the search did not see.\n\n"
        "| | Before | After | Change | 90 % interval | Runs |\n|---|---:|---:|---:|---|---:|\n{}\n",
        commit_ref(facts.links, *facts.culprit),
        against,
        rows);
}

std::string environment_section(const RegressionFacts& facts) {
    static constexpr std::size_t max_rows = 20;
    std::string out = "### Environment\n\n";
    const auto tell = [&](std::string_view what, bool known, const auto& differences) {
        if (!known || differences.empty()) {
            out += fmt::format("{}: {}.\n\n", what, known ? "no difference" : "not recorded");
            return;
        }
        const auto row = [](const DifferenceFact& one) {
            return fmt::format(
                "| {} | {} | {} |\n",
                text::code_span(one.name, 60),
                text::code_span(one.good, 120),
                text::code_span(one.bad, 120));
        };
        out += fmt::format(
            "{}:\n\n| Fact | Good | Bad |\n|---|---|---|\n{}\n",
            what,
            listed(differences, max_rows, row, more_rows));
    };
    tell(
        "Between the good and the bad runs of the confirmation",
        facts.session_environment_known,
        facts.session_environment);
    tell(
        "Between the two nights' own runs (the confirmation does not depend on it)",
        facts.night_environment_known,
        facts.night_environment);
    return out;
}

}  // namespace vigil::service
