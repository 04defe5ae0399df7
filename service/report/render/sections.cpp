#include "service/report/render/sections.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "schema/model/regression_words.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_listed_commits = 30;

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
    return listed(facts.left, max_listed_commits, point) + "\n";
}

/// The number of the pull request that a subject ends with, "(#12)", or begins with.
std::optional<std::int64_t> pull_request_in(std::string_view subject) {
    static constexpr std::string_view merge = "Merge pull request #";
    std::string_view digits;
    if (subject.starts_with(merge)) {
        digits = subject.substr(merge.size());
        digits = digits.substr(0, digits.find(' '));
    } else if (const auto at = subject.rfind("(#"); at != subject.npos && subject.ends_with(')')) {
        digits = subject.substr(at + 2, subject.size() - at - 3);
    }
    std::int64_t number = 0;
    const auto* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, number);
    const bool whole = read.ec == std::errc{} && read.ptr == end && number > 0;
    return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

bool is_over(RegressionState state) {
    return state == RegressionState::closed;
}

std::string standing_words(RegressionState state, std::optional<RegressionEnd> ended_as) {
    std::string words(standing_word(state, ended_as));
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

std::string without_full_stop(std::string_view text, std::size_t limit) {
    std::string words = plain_words(text, limit);
    while (!words.empty() && (words.back() == '.' || words.back() == ' ')) words.pop_back();
    return words;
}

std::string plain_words(std::string_view text, std::size_t limit) {
    const std::string words = text::harmless(text, limit);
    // Where a line begins with words, these would begin a list or a rule.
    const auto digits = std::min(words.find_first_not_of("0123456789"), words.size());
    const std::string_view mark = std::string_view(words).substr(digits, 2);
    const bool begins =
        !mark.empty() &&
        std::string_view(digits == 0 ? "-+=" : ".)").find(mark[0]) != std::string_view::npos &&
        (mark.size() == 1 || mark[1] == ' ' || mark[1] == mark[0]);
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        // Marks of Markdown, and of a tracker's formulas.
        const bool marks = std::string_view("_[]$").find(words[i]) != std::string_view::npos;
        if (marks || (begins && i == digits)) out += '\\';
        out += words[i];
    }
    return out;
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

std::string end_or_commit(const RegressionFacts& facts, int position) {
    const int last = int(facts.suspects.size()) - 1;
    if (position < 0 || position > last) return "unknown";
    const std::string commit =
        commit_ref(facts.links, facts.suspects[std::size_t(position)].revision);
    return commit + (position == 0 ? " (good)" : position == last ? " (bad)" : "");
}

namespace {

/// What the archives of the nights between left to search.
std::string nights_words(const ReportedNights& nights) {
    return fmt::format(
        "{} measured first: after {}, up to and with {}",
        text::counted(nights.archives, "archive", "archives"),
        nights.after.empty() ? "the good build" : text::code_span(nights.after, 100),
        text::code_span(nights.up_to, 100));
}

/// Why the search does not begin at the good build.
std::string parting_words(const RegressionFacts& facts, const Revision& begin) {
    return fmt::format(
        "{}: the good build's commit is not on the bad one's line of first parents (the branch "
        "was rewritten, or it came in by a merge), so the search begins where the two lines part; "
        "what the good build alone has is not searched",
        commit_ref(facts.links, begin));
}

}  // namespace

namespace {

using AddRow = std::function<void(std::string_view, const std::string&)>;

void add_culprit(const RegressionFacts& facts, const AddRow& row) {
    const Revision& culprit = *facts.culprit;
    const SuspectFact* suspect = find_suspect(facts, culprit);
    // Without an address the whole hash is what a reader can look up.
    const std::string commit = commit_url(facts.links, culprit).empty()
                                   ? fmt::format("`{}`", culprit.str())
                                   : commit_ref(facts.links, culprit);
    if (suspect == nullptr) return row("Commit", commit);
    row("Commit", commit + " " + text::code_span(suspect->subject, 100));
    row("Author",
        text::code_span(suspect->author, 80) + ", " + text::utc(suspect->authored_at_s) + " UTC");
    const auto pull = pull_request_in(suspect->subject);
    const auto url = pull ? pull_url(facts.links, *pull) : "";
    if (!url.empty()) row("Pull request", linked(std::to_string(*pull), url));
    if (!suspect->parent.empty()) row("Parent", commit_ref(facts.links, suspect->parent));
    if (!suspect->pins.empty()) row("Moves", text::code_span(suspect->pins, 400));
    for (const auto& inside : facts.insides) {
        if (inside.dependency.empty()) continue;
        row("In " + text::code_span(inside.dependency, 200), dependency_words(inside));
    }
    if (is_inside(facts)) row("Came in by", came_in_words(facts));
}

/// How many commits the search was among.
std::string range_words(const RegressionFacts& facts) {
    const auto commits = text::counted(std::int64_t(facts.suspects.size()) - 1, "commit");
    if (is_inside(facts)) {
        return fmt::format(
            "{} on the line; {} that the merge brought",
            text::counted(facts.line_commits, "commit"),
            commits);
    }
    return linked(commits, range_url(facts.links, facts.good.revision, facts.bad.revision));
}

constexpr std::size_t most_beside = 5;

/// "major faults 0 before, 1240 after": what the runs that confirmed it said of themselves.
std::string difference_words(const FactDifference& one) {
    auto name = one.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    return fmt::format("{} {:.0f} before, {:.0f} after", name, one.before, one.after);
}

std::string_view origin_heading(const RegressionFacts& facts) {
    if (facts.culprit) return "### The culprit\n\n";
    return facts.left.empty() ? "### Where it lies\n\n" : "### The suspects\n\n";
}

}  // namespace

std::string origin_section(const RegressionFacts& facts) {
    std::string out(origin_heading(facts));
    const AddRow row = [&](std::string_view name, const std::string& value) {
        out += fmt::format("- {}: {}\n", name, value);
    };
    if (facts.culprit) {
        add_culprit(facts, row);
    } else if (facts.ended_as != RegressionEnd::not_reproduced) {
        row("Culprit", "none is verified, so none is named");
    }
    if (facts.suspects.size() > 1) row("Range", range_words(facts));
    row("Good build", end_words(facts, facts.good));
    row("Bad build", end_words(facts, facts.bad));
    if (facts.nights) row("Nights between", nights_words(*facts.nights));
    if (facts.parted_at) row("Search begins at", parting_words(facts, *facts.parted_at));
    if (facts.split_from) {
        row("Several causes",
            "the same night has another: " +
                linked(
                    fmt::format("regression {}", facts.split_from->value),
                    regression_url(facts.links, *facts.split_from)));
    }
    row("Found",
        fmt::format(
            "in the night of {}, at {} UTC",
            text::code_span(facts.found_night, 20),
            text::utc(facts.created_at_s)));
    for (std::size_t i = 0; i < std::min(facts.beside.size(), most_beside); ++i) {
        const auto& one = facts.beside[i];
        row("Beside it" + (facts.series.size() > 1 ? ", of " + series_words(one) : ""),
            listed(one.differences, one.differences.size(), difference_words, "", "; "));
    }
    return out + "\n" + left_section(facts);
}

std::string environment_section(const RegressionFacts& facts) {
    static constexpr std::size_t max_rows = 20;
    std::string same;
    std::string out;
    const auto tell = [&](std::string_view what, bool known, const auto& differences) {
        if (!known || differences.empty()) {
            same += fmt::format(
                "{}{}: {}.", same.empty() ? "" : " ", what, known ? "nothing" : "not recorded");
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
        "Changed between the runs that confirmed it",
        facts.session_environment_known,
        facts.session_environment);
    tell(
        "Changed between the two nights (the confirmation does not depend on it)",
        facts.night_environment_known,
        facts.night_environment);
    if (!same.empty()) same += "\n\n";
    return "### Environment\n\n" + same + out;
}

}  // namespace vigil::service
