#include "service/report/render/render_pull.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bisect/stats/change_share.hpp"
#include "bisect/stats/one_size.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/config/links.hpp"
#include "service/report/render/render_requested.hpp"
#include "service/report/render/sections.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_reason = 400;

constexpr std::string_view kept_words =
    "This comment is kept up to date. `/vigil bench` as a comment measures the newest commit "
    "again.\n";

std::string commit_of(const PullTold& told) {
    return commit_ref(told.links, told.pull.head);
}

PullTexts neutral(const PullTold& told, const std::string& title, const std::string& reason) {
    const auto why = plain_words(reason, max_reason);
    const auto body = fmt::format("**Commit {} was not measured:** {}.\n", commit_of(told), why);
    return {"neutral", title, body, body + "\n" + std::string(kept_words)};
}

PullTexts held_texts(const PullTold& told) {
    const auto body = fmt::format(
        "**Commit {} was not measured: it comes from a fork.**\n\nNothing of a fork is built "
        "before somebody has looked at it. Whoever may write to this repository, and has seen that "
        "this commit may be built and run, comments:\n\n```\n/vigil bench {}\n```\n",
        commit_of(told),
        told.pull.head.str());
    return {"neutral", "Not measured: it comes from a fork", body, body};
}

PullTexts waiting_texts(const PullTold& told, bool measures) {
    const auto body = fmt::format(
        "Commit {} {} against the commit at which it left its branch, interleaved on the same "
        "worker.\n",
        commit_of(told),
        measures ? "is measured" : "waits to be measured");
    if (!measures) return {"queued", "Queued", body, ""};
    const auto page = told.asked ? "\n" + measured_words(*told.asked) : "";
    return {"in_progress", "Measuring", body + page, body + page};
}

PullTexts done_texts(const PullTold& told) {
    if (!told.asked) return neutral(told, "Nothing is known of it", "its request is gone");
    const auto& asked = *told.asked;
    const auto words = compared_words(asked);
    const auto body = fmt::format(
        "**{}.** This compares the pull request with the commit at which it left its "
        "branch.\n\n{}{}{}",
        words,
        fixed_words(told),
        compared_table(asked),
        measured_words(asked));
    const auto how = compared_as(asked);
    const auto* status = how == ComparedAs::worse  ? "failure"
                         : how == ComparedAs::same ? "success"
                                                   : "neutral";
    return {status, words, body, body + "\n" + std::string(kept_words)};
}

constexpr std::size_t max_fixed_series = 10;

/// "brings back 11.8 of 12.4 %, all of it"
std::string part_words(const Comparison& size, const Comparison& against_base) {
    const auto back = stats::turned(against_base);
    const auto part = stats::part_of(stats::share_of(size, back));
    if (part == stats::SharePart::none) {
        return fmt::format("brings back nothing of {}", text::share(size.change_ratio));
    }
    const char* how = part == stats::SharePart::whole  ? "all of it"
                      : part == stats::SharePart::some ? "a part"
                                                       : "not clear yet";
    return fmt::format(
        "brings back {} of {}, {}",
        text::rounded(100 * back.change_ratio, 1),
        text::share(size.change_ratio),
        how);
}

}  // namespace

std::string fixed_words(const PullTold& told) {
    if (!told.pull.fixes || !told.asked) return "";
    const auto name = linked(
        fmt::format("regression {}", told.pull.fixes->value),
        is_plain_url(told.issue) ? told.issue : "");
    std::string points;
    std::size_t count = 0;
    for (const auto& judged : told.asked->series) {
        const auto one = std::ranges::find(told.fixes, judged.id, &ReportedSeries::id);
        if (one == told.fixes.end() || count++ >= max_fixed_series) continue;
        const auto size = stats::one_size(one->confirmed, one->verified, one->shared);
        if (!std::isfinite(size.change_ratio) || size.change_ratio == 0) continue;
        points +=
            fmt::format("- {}: it {}\n", series_words(judged), part_words(size, judged.comparison));
    }
    if (points.empty()) {
        return fmt::format("None of the series of {}, which it fixes, was judged.\n\n", name);
    }
    return fmt::format(
        "It says that it fixes {}. Measured against its base, which has to hold the culprit:\n\n{}"
        "\n",
        name,
        points);
}

PullTexts render_pull(const PullTold& told) {
    switch (told.pull.state) {
        case PullState::held: return held_texts(told);
        case PullState::listing: return waiting_texts(told, false);
        case PullState::measuring: return waiting_texts(told, true);
        case PullState::done: return done_texts(told);
        case PullState::failed:
            if (told.asked && !told.asked->broken.empty()) return done_texts(told);
            return neutral(told, "Could not be measured", told.pull.message);
        case PullState::stopped: break;
    }
    return neutral(told, "Not measured any more", told.pull.message);
}

}  // namespace vigil::service
