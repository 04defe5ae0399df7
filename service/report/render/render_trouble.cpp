#include "service/report/render/render_trouble.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/facts/marker.hpp"
#include "service/report/render/night_sections.hpp"
#include "service/report/render/sections.hpp"
#include "service/source/words.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

namespace {

constexpr std::string_view unbuildable = "nightly.unbuildable";
constexpr std::size_t most_gathered = 200;

std::string words_of(const std::string& kind) {
    using Words = std::pair<std::string_view, std::string_view>;
    constexpr std::array known{
        Words{"source.failed", "its source gives no nightly"},
        Words{"source.incomplete", "its nightly lacks a part"},
        Words{"source.waiting", "its source does not answer"},
        Words{"callback.failed", "external runs cannot be requested"},
        Words{"repository.unreachable", "its repository cannot be reached"},
        Words{"submodule.missing", "a submodule cannot be had"},
        Words{"class.no_workers", "jobs wait for a worker"},
        Words{"worker.quarantined", "a worker gets no jobs"},
        Words{counts_nothing, "a worker cannot count instructions"},
        Words{"report.undelivered", "reports do not arrive"},
        Words{"notice.undelivered", "comments or check runs do not arrive"},
        Words{"report.held", "reports are held, nothing is sent"},
        Words{"night.late", "no new nightly came"},
        Words{"disk.full", "the daemon's disk is full"},
        Words{many_causes, "one night found many regressions"},
        Words{unbuildable, "the nightly does not build"},
        Words{"nightly.set_aside", "a night was quarantined"},
        Words{"series.not_judged", "a series cannot be judged"},
        Words{"series.no_direction", "the better direction of some series is unknown"},
        Words{"self_test.missed", "a planted regression was not reported"},
        Words{"schedule.failed", "its schedule starts no night"},
        Words{"tick.failed", "a part of the daemon's work is blocked"},
        Words{"content.unknown", "content files are unknown to the ledger"},
        Words{"fleet.unreachable", "the cluster's scheduler gives no answer"},
        Words{"budget.spent", "its machine hours of the day are spent"},
        Words{"fleet.blocked", "jobs wait for machines of a cluster"},
        Words{"config.refused", "its config is wrong, the old one stays active"}};
    for (const auto& [name, words] : known) {
        if (name == kind) return std::string(words);
    }
    return kind;
}

/// Each regression in a line: open ones first.
std::string gathered_section(const TroubleFacts& facts) {
    if (facts.gathered.empty()) return "";
    auto all = facts.gathered;
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return is_open(a.state) > is_open(b.state);
    });
    const auto line = [&](const NightsRegression& one) {
        const auto name = fmt::format("regression {}", one.id.value);
        std::string out = "- " + linked(name, regression_url(facts.links, one.id));
        if (is_plain_url(one.issue)) out += ", " + linked("issue", one.issue);
        return out + fmt::format(
                         ", {}: {}\n",
                         standing_words(one.state, one.ended_as),
                         text::code_span(one.title, 120));
    };
    return fmt::format("### What it found: {} regressions\n\n", all.size()) +
           listed(all, most_gathered, line) +
           "\nEach is answered by itself: on its page, or by `vigil regression`.\n\n";
}

}  // namespace

std::optional<NightlyId> night_of_trouble(std::string_view subject) {
    static constexpr std::string_view prefix = "nightly/";
    if (!subject.starts_with(prefix)) return std::nullopt;
    const char* end = subject.data() + subject.size();
    std::int64_t number = 0;
    const auto read = std::from_chars(subject.data() + prefix.size(), end, number);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return NightlyId{number};
}

TroubleFacts load_trouble_facts(Database& db, TroubleId trouble, const Config& config) {
    TroubleFacts facts;
    static_cast<ReportedTrouble&>(facts) = load_reported_trouble(db, trouble);
    facts.marker = load_marker(db, {.trouble = trouble}).line;
    facts.links = links_of(config, facts.project);
    const auto night = night_of_trouble(facts.subject);
    if (facts.kind == many_causes && facts.project_id && night) {
        facts.gathered = list_nights_regressions(db, *facts.project_id, *night);
        std::erase_if(facts.gathered, [](const auto& one) { return !one.tonight; });
        std::reverse(facts.gathered.begin(), facts.gathered.end());
    }
    if (facts.kind != unbuildable) return facts;
    const auto searched = find_broken_nightly(db, facts.project_id, facts.since_s);
    if (searched) facts.breakage = find_breakage(db, *searched);
    return facts;
}

Document render_trouble(const TroubleFacts& facts) {
    Document document;
    const std::string project =
        facts.project.empty() ? "" : text::harmless(facts.project, 40) + ": ";
    document.title = project + words_of(facts.kind);
    if (facts.breakage && facts.breakage->culprit) {
        document.title += " since " + facts.breakage->culprit->brief();
    }
    const std::string state =
        facts.ended_s
            ? fmt::format("It ended {} UTC; nothing is left to do.", text::utc(*facts.ended_s))
            : "It lasts; this report is closed when it ends.";
    // No reader has a path of the daemon's machine; what a build says is of the worker's sandbox.
    const std::string message =
        facts.kind == unbuildable ? facts.message : without_paths(facts.message);
    document.body = fmt::format(
        "**{}.** {}\n\n{}\n\n- Since: {} UTC\n- Kind: `{}`, {}\n\n",
        plain_words(document.title, 200),
        state,
        plain_words(message, 2000),
        text::utc(facts.since_s),
        facts.kind,
        text::code_span(facts.subject, 120));
    if (facts.breakage) document.body += breakage_section(facts.links, *facts.breakage);
    document.body += gathered_section(facts);
    document.body += facts.marker + "\n";
    return document;
}

}  // namespace vigil::service
