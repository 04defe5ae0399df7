#include "service/local/report.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/text/characters.hpp"
#include "service/local/answer.hpp"
#include "service/local/compare.hpp"
#include "service/local/explain.hpp"
#include "service/local/explained.hpp"
#include "service/local/progress.hpp"
#include "tests/unit/service/local/scene.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using Catch::Contains;

namespace {

const char* const attack = "<script>alert(1)</script> @team closes #7 | `x` \x1b[31m\u202E\"'&";

std::vector<LogEntry> hostile_log() {
    auto start = started(10);
    start.order.bench = std::string("./bench '") + attack + "' ```";
    for (auto& commit : start.suspects) commit.subject = commit.author = attack;
    return played(start, 6, 0.3, 5);
}

}  // namespace

TEST_CASE("Nothing from the repository is markup in a report", "[service][local]") {
    const auto log = hostile_log();
    const auto story = replay_story(log);
    const auto decision = replay(log).decision;
    const std::string page = html_report({{story, decision}});
    CHECK_THAT(page, !Contains("<script") && Contains("&lt;script&gt;"));
    CHECK_THAT(page, Contains("<svg") && Contains("</svg>") && !Contains("http-equiv=\"refresh"));
    const std::string text = markdown_report({{story, decision}});
    const std::string prose = text.substr(0, text.find("## To see it again"));
    CHECK_THAT(prose, !Contains("<script") && !Contains("@team") && !Contains(" #7"));
    CHECK_THAT(text, Contains("````text"));  // a fence longer than the command's own
    for (const auto& all : {page, text, explain(log, 40), answer_text({{story, decision}})}) {
        CHECK(all.find('\x1b') == std::string::npos);
    }
    CHECK(explain(log, 40).find("\u202E") == std::string::npos);
}

TEST_CASE("A report says why, and nothing of it is markup", "[service][local]") {
    const auto log = played(started(10), 6, 0.3);
    const auto story = replay_story(log);
    const auto decision = replay(log).decision;
    LocalWhy why;
    why.found.emplace();
    why.found->before = 1000;
    why.found->after = 2000;
    why.found->words = "this row is 97 % of the +100.0 % instructions";
    why.found->notes = {std::string("of ") + attack};
    profile::WhyRow row;
    row.function = std::string("shop::sort ") + attack;
    row.file = "src/sort.cpp";
    row.line = "src/sort.cpp:40";
    row.touched = true;
    row.share = 0.97;
    why.found->rows = {row};
    const auto text = markdown_report({{story, decision}}, why);
    const auto page = html_report({{story, decision}}, why);
    for (const auto& all : {text, page}) {
        CHECK_THAT(all, Contains("Why: instructions of one run of each side, by callgrind"));
        CHECK_THAT(all, Contains("This row is 97 %") && Contains("changed by the commit"));
        CHECK_THAT(all, !Contains("<script") && Contains("sort"));
        CHECK(all.find('\x1b') == std::string::npos);
    }
    CHECK_THAT(page, Contains("mostly at src/sort.cpp:40"));
    CHECK_THAT(text, !Contains("@team"));
    why.found.reset();
    why.why_none = "valgrind is not installed";
    CHECK_THAT(html_report({{story, decision}}, why), Contains("Not known: valgrind is not"));
    CHECK_THAT(html_report({{story, decision}}), !Contains("Not known"));
}

TEST_CASE("A report holds what was found and how to see it again", "[service][local]") {
    const auto log = played(started(10), 6, 0.3);
    const auto story = replay_story(log);
    const auto decision = replay(log).decision;
    for (const auto& text :
         {markdown_report({{story, decision}}), html_report({{story, decision}})}) {
        CHECK_THAT(text, Contains(hash_of(6).str()) && Contains("vigil compare --repo /src/it"));
        CHECK_THAT(text, Contains(hash_of(5).str()) && Contains("culprit found"));
    }
    const auto json = answer_json({{story, decision}});
    CHECK(json.at("first").at("revision") == hash_of(6).str());
    CHECK(json.at("verdict") == "culprit");
    for (const char* name :
         {"metric",
          "direction",
          "threshold",
          "at_once",
          "verdict",
          "reason",
          "comparison",
          "stopped",
          "runs",
          "runs_failed",
          "builds",
          "seconds"}) {
        CAPTURE(name);
        CHECK(json.contains(name));
        CHECK(compare_json(CompareResult{}).contains(name));
    }
    for (const char* side : {"good", "bad"}) {
        CHECK(json.at(side).at("revision").is_string());
        CHECK(compare_json(CompareResult{}).at(side).at("revision").is_string());
    }
    CHECK(
        commands_to_see(story, decision).at(0).find("--build 'make '\\''all'\\'''") !=
        std::string::npos);
}

TEST_CASE("A report suits a phone and a dark room, and fetches nothing", "[service][local]") {
    const auto log = played(started(10), 6, 0.3);
    const auto page = html_report({{replay_story(log), replay(log).decision}});
    CHECK_THAT(page, Contains("width=device-width, initial-scale=1"));
    CHECK_THAT(page, Contains("prefers-color-scheme:dark") && Contains("default-src 'none'"));
    CHECK_THAT(page, Contains("<svg class=\"wide\"") && Contains("<svg class=\"narrow\""));
    // Cells tell their column's name where the row of heads does not fit.
    CHECK_THAT(page, Contains("<td class=\"word\" data-name=\"Commit\">"));
    CHECK_THAT(page, Contains("content:attr(data-name)"));
    for (const char* fetched : {"src=", "href=", "url(", "@import"}) {
        CAPTURE(fetched);
        CHECK(page.find(fetched) == page.npos);
    }
    // Whatever is drawn lies on its sheet.
    const auto narrow = page.substr(page.find("<svg class=\"narrow\""));
    const auto drawing = narrow.substr(0, narrow.find("</svg>"));
    for (const std::string name : {" x=\"", " cx=\"", " x1=\"", " x2=\""}) {
        for (auto at = drawing.find(name); at != drawing.npos; at = drawing.find(name, at + 1)) {
            const double x = std::stod(drawing.substr(at + name.size()));
            CAPTURE(name, x);
            CHECK((x >= 0 && x <= 328));
        }
    }
}

TEST_CASE("An unfinished search has a report too", "[service][local]") {
    auto log = played(started(10), 6, 0.3);
    log.resize(3);
    const auto story = replay_story(log);
    const auto decision = story.decide();
    CHECK_THAT(html_report({{story, decision}}), Contains("stopped") && Contains("<svg"));
    CHECK_THAT(markdown_report({{story, decision}}), Contains("Suspects left"));
}

TEST_CASE("Bars show the likely, and what is barely possible", "[service][local]") {
    CHECK(bars({0, 0.5, 1, 0.01, 0}, 5) == " ▄█▁ ");
    CHECK(bars({1, 1, 0, 0}, 2) == "█ ");
    CHECK(bars({}, 9).empty());
}

TEST_CASE("Progress fits its terminal", "[service][local]") {
    const auto log = played(started(300), 120, 0.3);
    const auto story = replay_story(log);
    const auto decision = story.decide();
    for (const std::size_t width : {30U, 80U, 300U}) {
        for (const auto& line : progress_lines(story, decision, "measuring", 61, width)) {
            CHECK(text::columns(line) <= width);
        }
    }
    const auto lines = progress_lines(story, decision, "measuring", 61, 120);
    CHECK_THAT(lines[2], Contains("of 300 suspects left") && Contains("1 min 01 s elapsed"));
}

TEST_CASE(
    "A report says what the culprit explains, and names commits by hash", "[service][local]") {
    const auto log = played(started(10), 6, 0.3, 7);
    const auto story = replay_story(log);
    const auto decision = replay(log).decision;
    for (const auto& text :
         {markdown_report({{story, decision}}), html_report({{story, decision}})}) {
        CHECK_THAT(text, Contains("100 % of the ") && Contains("between the ends"));
        CHECK_THAT(text, Contains("against " + hash_of(5).brief()));
        CHECK_THAT(text, Contains("Chance of a change") && !Contains("Probability"));
        CHECK_THAT(text, Contains("does not build") && Contains("no rule"));
        CHECK_THAT(text, !Contains("commit 6") && !Contains("commit 5"));
    }
    const auto json = answer_json({{story, decision}});
    CHECK(json.at("explained").at("share").get<double>() == Approx(1).margin(0.02));
    const auto& levels = json.at("levels");
    const auto at = [&](int commit) {
        const auto row = std::find_if(levels.begin(), levels.end(), [&](const auto& one) {
            return one.at("number") == commit;
        });
        REQUIRE(row != levels.end());
        return row->at("change_ratio").template get<double>();
    };
    CHECK(at(0) == 0);
    CHECK(at(5) == Approx(0).margin(0.01));
    CHECK(at(6) == Approx(0.3).margin(0.01));
    CHECK(at(10) == Approx(0.3).margin(0.01));
    CHECK_THAT(answer_text({{story, decision}}), Contains("explains  100 % of the +30."));
}

TEST_CASE("What goes on after a culprit is told", "[service][local]") {
    const auto log = played(started(10), 6, 0.3);
    const auto story = replay_story(log);
    auto decision = replay(log).decision;
    decision.verified = {decision.endings.front()};
    CHECK_THAT(
        range_text(story, decision),
        Contains(hash_of(6).brief() + " is verified (+30.") && Contains("looking for further"));
    CHECK(seconds_left(story, decision) == 0);
    CHECK_THAT(
        told_text(story, decision.endings.front()),
        Contains("verified: " + hash_of(6).brief() + " change 6") && Contains("further=0"));
    for (const auto& entry : log) {
        CAPTURE(event_line(story, entry));
        CHECK(event_line(story, entry).find("commit 6 ") == std::string::npos);
    }
}

TEST_CASE("A product that was there already is said to be", "[service][local]") {
    auto log = played(started(10), 6, 0.3);
    std::string digest;  // of the good end; every later build makes the same
    Story story;
    std::vector<std::string> lines;
    for (auto& entry : log) {
        auto* build = std::get_if<BuildEnded>(&entry);
        if (build != nullptr && digest.empty()) digest = build->digest;
        if (build != nullptr) build->digest = digest;
        story.add(entry);
        if (build != nullptr) lines.push_back(event_line(story, entry));
        if (lines.size() == 2) break;
    }
    REQUIRE(lines.size() == 2);
    CHECK_THAT(lines[0], Contains("built in 20 s") && !Contains("same product"));
    CHECK_THAT(lines[1], Contains("20 s, the same product as " + story.revision(0).brief()));
}

TEST_CASE("What was not found says how large it is, and where", "[service][local]") {
    const auto story = replay_story(played(started(10), 6, 0.3));
    CHECK(
        remaining_text(story, {2, 4, 0.08, 0.85}) ==
        "about +8.0 %, not found; most likely in " + hash_of(2).brief() + " to " +
            hash_of(4).brief() + " (chance of such a change: 0.85)");
    CHECK(
        explained_text(story, {0.2, 0.25, 0.147, 0.1, 0.2}) ==
        "25 % of the +20.0 % between the ends; other changes make +14.7 %");
    // A rest whose interval holds 0 is none.
    CHECK(
        explained_text(story, {0.121, 1.36, -0.04, -0.1, 0.02}) ==
        "the +12.1 % between the ends, within its error");
    auto merge = started(10);
    merge.inside = Inside{hash_of(3), 2};
    CHECK(
        explained_text(replay_story(played(merge, 6, 0.3)), {0.1, 1, 0, -0.01, 0.01}) ==
        "100 % of the +10.0 % that the merge " + hash_of(3).brief() + " made");
}

TEST_CASE("A range has no size in JSON, and says which commit is likeliest", "[service][local]") {
    const auto log = played(started(10), 6, 0.3);
    const auto story = replay_story(log);
    auto decision = replay(log).decision;
    CHECK(answer_json({{story, decision}}).at("comparison").at("change_ratio").is_number());
    auto& ending = decision.endings.front();
    ending = {};
    ending.first = 4;
    ending.last = 7;
    decision.posterior.front() = {0, 0, 0, 0.1, 0.04, 0.81, 0.05, 0, 0, 0};
    const auto json = answer_json({{story, decision}});
    for (const char* key : {"before", "after", "change_ratio", "low", "high", "above"}) {
        CAPTURE(key);
        CHECK(json.at("comparison").at(key).is_null());
    }
    CHECK(json.at("likeliest").at("number") == 6);
    CHECK(json.at("likeliest").at("probability") == 0.81);
}

TEST_CASE("What was spent inside of merges is in the whole", "[service][local]") {
    const auto log = played(started(10), 6, 0.3);
    auto merge = started(4);
    merge.inside = Inside{hash_of(6), 2};
    const auto inner = played(merge, 2, 0.3);
    const std::vector<Found> inside{{replay_story(inner), replay_story(inner).decide()}};
    const auto story = replay_story(log);
    const auto decision = story.decide();
    const int runs = story.runs() + inside.front().story.runs();
    const auto json = answer_json({{story, decision}, inside});
    CHECK(json.at("runs") == runs);
    CHECK(json.at("builds") == story.builds() + inside.front().story.builds());
    CHECK(json.at("seconds").get<double>() > story.seconds());
    CHECK(json.at("inside").at(0).at("runs") == inside.front().story.runs());
    const std::string all = "searches took " + std::to_string(runs) + " runs";
    CHECK_THAT(answer_text({{story, decision}, inside}), Contains(all));
    CHECK_THAT(
        markdown_report({{story, decision}, inside}), Contains(std::to_string(runs) + " runs"));
}
