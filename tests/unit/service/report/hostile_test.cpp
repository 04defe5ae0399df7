// Whatever strangers write, a report looks as with any other text, and nothing in it takes effect.

#include <string>

#include <catch2/catch.hpp>

#include "schema/text/escape.hpp"
#include "service/report/render/render_night.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/report/render/render_trouble.hpp"
#include "tests/unit/service/report/hostile_texts.hpp"
#include "tests/unit/service/report/rendered.hpp"
#include "tests/unit/service/report/state_facts.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

/// Wherever a stranger's text gets into the facts of a regression.
void say(RegressionFacts& facts, const std::string& text) {
    facts.project = text;
    facts.links.project = text.substr(0, 60);
    facts.assigned = facts.reason = facts.search_summary = text;
    for (auto& series : facts.series) {
        series.benchmark = series.variant = series.machine_class = series.rule = text;
        series.metric = Metric::reported_value;
        series.unit = text;
    }
    for (auto& suspect : facts.suspects) {
        suspect.subject = suspect.author = text;
        if (!suspect.pins.empty()) suspect.pins = text;
        if (!suspect.build_failure.empty()) suspect.build_failure = text;
    }
    for (auto& probe : facts.probes) {
        probe.machine_class = text;
        for (auto& run : probe.runs) run.message = text;
    }
    for (auto& ending : facts.endings) ending.reason = text;
    for (auto& inside : facts.insides) inside.subject = inside.said = text;
    for (auto& fix : facts.fixes) {
        fix.told->subject = fix.told->author = fix.told->merge_subject = text;
    }
    if (facts.reverted) {
        auto& told = facts.reverted->told;
        told.subject = told.author = told.merge_subject = text;
    }
    for (auto& earlier : facts.earlier) earlier.subject = text;
    if (facts.answer) facts.answer->by = facts.answer->reason = text;
    facts.withdrawn = facts.series_notes = facts.unmoved_names = {text};
    facts.night_environment = {{text, text, text}};
    for (auto& change : facts.better) change.benchmark = change.variant = text;
}

std::vector<RegressionFacts> all_facts() {
    auto facts = std::vector{
        example_facts(),
        inside_facts(),
        range_facts(),
        several_facts(),
        not_reproduced_facts(),
        partly_recovered_facts(),
        recovered_facts(),
        reverted_in_vain_facts(),
        reopened_facts(),
        accepted_facts(),
        leak_facts(),
        broken_facts(Outcome::oom),
        unconfirmed_facts()};
    return facts;
}

/// Whether all of it is hidden: then a paragraph of it is none.
bool is_nothing(const std::string& text) {
    return text::harmless(text).empty();
}

bool is_harmless_line(const std::string& title) {
    const char* signs = "@#<>`|\n\r\t\x1b*~&\\";
    return title.find_first_of(signs) == title.npos;
}

}  // namespace

TEST_CASE("There are eighty texts that strangers would send", "[service][report]") {
    CHECK(hostile_texts().size() >= 80);
}

TEST_CASE("No text of a stranger takes effect in a report", "[service][report]") {
    for (auto& facts : all_facts()) {
        auto plain = facts;
        say(plain, "plain");
        const auto body = render_regression(plain).body;
        const auto shape = tags_of(html_of(body));
        REQUIRE(signs_of_strangers(html_of(body)) == "");
        for (const auto& text : hostile_texts()) {
            CAPTURE(text);
            say(facts, text);
            const auto document = render_regression(facts);
            const auto html = html_of(document.body);
            CHECK(signs_of_strangers(html) == "");
            CHECK((tags_of(html) == shape || is_nothing(text)));
            CHECK(is_harmless_line(document.title));
            CHECK(document.title.size() <= 4 * max_title_length);  // of letters of four bytes
            CHECK(document.body.size() <= max_body_bytes);
            CHECK(document.body.ends_with(facts.marker + "\n"));
        }
    }
}

TEST_CASE("No text of a stranger takes effect in what is told of a trouble", "[service][report]") {
    TroubleFacts facts;
    facts.marker = "<!-- m -->";
    facts.kind = "nightly.unbuildable";
    facts.breakage = BreakageFact{};
    facts.breakage->culprit = example_revision(1);
    facts.breakage->good = example_revision(2);
    facts.breakage->bad = example_revision(3);
    const auto say_there = [&](const std::string& text) {
        facts.project = facts.subject = facts.message = text;
        facts.breakage->subject = facts.breakage->author = facts.breakage->pins = text;
        facts.breakage->good_night = facts.breakage->log_tail = text;
        return render_trouble(facts);
    };
    const auto shape = tags_of(html_of(say_there("plain").body));
    for (const auto& text : hostile_texts()) {
        CAPTURE(text);
        const auto document = say_there(text);
        const auto html = html_of(document.body);
        CHECK(signs_of_strangers(html) == "");
        CHECK((tags_of(html) == shape || is_nothing(text)));
        CHECK(is_harmless_line(document.title));
    }
}

TEST_CASE("No text of a stranger takes effect in a night's summary", "[service][report]") {
    NightFacts facts;
    facts.marker = "<!-- m -->";
    facts.revision = example_revision(1);
    facts.state = NightlyState::done;
    const auto say_there = [&](const std::string& text) {
        facts.project = facts.version = facts.name = facts.message = text;
        facts.missing = {{text, text, false}};
        facts.lost = {{text, 1, text}};
        facts.series_notes = {text};
        NightRegressionFact regression;
        regression.title = text;
        regression.found_night = text;
        facts.regressions = {regression};
        NightDriftFact drift;
        drift.benchmark = drift.variant = drift.machine_class = drift.since_night = text;
        facts.drifts = {drift};
        NightImprovement found;
        found.benchmark = found.variant = found.machine_class = found.night = found.subject = text;
        found.culprit = example_revision(2);
        NightImprovement unknown;
        unknown.message = text;
        facts.improvements = {found, unknown};
        return render_night(facts);
    };
    const auto shape = tags_of(html_of(say_there("plain").body));
    for (const auto& text : hostile_texts()) {
        CAPTURE(text);
        const auto document = say_there(text);
        const auto html = html_of(document.body);
        CHECK(signs_of_strangers(html) == "");
        CHECK((tags_of(html) == shape || is_nothing(text)));
        CHECK(is_harmless_line(document.title));
    }
}
