// Every state in which a regression is filed, as the reader meets it.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "service/report/render/render_regression.hpp"
#include "service/report/render/render_trouble.hpp"
#include "tests/unit/service/report/golden.hpp"
#include "tests/unit/service/report/rendered.hpp"
#include "tests/unit/service/report/state_facts.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

/// A nightly that does not build, with the commit that broke it.
TroubleFacts broken_build_facts() {
    TroubleFacts facts;
    facts.marker = "<!-- vigil:trouble:0f3a9c1b22de:4:5f0c2b71d3a94e86b1c07d5e2f493a68 -->";
    facts.kind = "nightly.unbuildable";
    facts.subject = "nightly/2026-11-20";
    facts.project = "tensorlab";
    facts.message = "the build of 2026-11-20 failed 2 times";
    facts.since_s = 1'795'229'100;
    facts.links = example_links();
    BreakageFact breakage;
    breakage.culprit = example_revision(15);
    breakage.subject = "Check shapes before every matrix product";
    breakage.author = "Author Two";
    breakage.good = example_revision(0);
    breakage.good_night = "2026-11-19";
    breakage.bad = example_revision(24);
    breakage.commits = 24;
    breakage.builds = 5;
    breakage.log_tail =
        "add.cpp:41: error: 'Shape' was not declared in this scope\nninja: stopped\n";
    breakage.log = Digest(std::string(64, 'd'));
    facts.breakage = breakage;
    return facts;
}

struct State {
    std::string name;
    Document document;
};

std::vector<State> all_states() {
    return {
        {"culprit", render_regression(example_facts())},
        {"inside", render_regression(inside_facts())},
        {"range", render_regression(range_facts())},
        {"several_causes", render_regression(several_facts())},
        {"not_reproduced", render_regression(not_reproduced_facts())},
        {"partly_recovered", render_regression(partly_recovered_facts())},
        {"recovered", render_regression(recovered_facts())},
        {"reverted_in_vain", render_regression(reverted_in_vain_facts())},
        {"reopened", render_regression(reopened_facts())},
        {"accepted", render_regression(accepted_facts())},
        {"leak", render_regression(leak_facts())},
        {"out_of_memory", render_regression(broken_facts(Outcome::oom))},
        {"fails", render_regression(broken_facts(Outcome::failed))},
        {"not_confirmed", render_regression(unconfirmed_facts())},
        {"broken_build", render_trouble(broken_build_facts())}};
}

/// The largest number of columns of a table in Markdown.
std::size_t most_columns(const std::string& markdown) {
    std::size_t most = 0;
    for (std::size_t from = 0; from < markdown.size();) {
        const std::size_t end = std::min(markdown.find('\n', from), markdown.size());
        const std::string line = markdown.substr(from, end - from);
        const auto bars = std::size_t(std::count(line.begin(), line.end(), '|'));
        if (line.starts_with("|")) most = std::max(most, bars - 1);
        from = end + 1;
    }
    return most;
}

}  // namespace

TEST_CASE("Every state of a report reads as its golden file", "[service][report]") {
    std::string titles;
    for (const auto& [name, document] : all_states()) {
        CAPTURE(name);
        CHECK(document.body == golden(name + ".md", document.body));
        titles += name + ": " + document.title + "\n";
    }
    CHECK(titles == golden("titles.txt", titles));
}

TEST_CASE("A report says it in the order that a reader asks", "[service][report]") {
    const std::vector<std::string> order{
        "**",
        "\n### The culprit\n",
        "\n### What is worse\n",
        "\n### Other changes in the range\n",
        "\n### The search\n",
        "\n### Reproduce\n",
        "\n### Environment\n",
        "\n### Levels along the commits\n",
        "\n### Answer\n",
        "\n<!-- vigil:"};
    const auto body = render_regression(several_facts()).body;
    std::size_t at = 0;
    for (const auto& part : order) {
        CAPTURE(part);
        const auto found = body.find(part, at);
        REQUIRE(found != body.npos);
        at = found;
    }
}

TEST_CASE("No state says what only its makers understand", "[service][report]") {
    for (const auto& [name, document] : all_states()) {
        CAPTURE(name);
        for (const auto* words :
             {"P(", "posterior", "position", "nats", "tau", "suspicion's", "(12)", "(15)"}) {
            CAPTURE(words);
            CHECK(document.body.find(words) == std::string::npos);
        }
        CHECK(most_columns(document.body) <= 8);
        CHECK(document.title.size() <= max_title_length);
        CHECK(document.body.size() <= max_body_bytes);
    }
}

TEST_CASE("A tracker renders every state as it was meant", "[service][report]") {
    for (const auto& [name, document] : all_states()) {
        CAPTURE(name);
        const auto html = html_of(document.body);
        CHECK(signs_of_strangers(html) == "");
        const auto count = [&](const std::string& tag) { return count_in(html, "<" + tag + ">"); };
        CHECK(count("details") == count("/details"));
        CHECK(count("details") == count("summary"));
        CHECK(
            count("table") ==
            count_in(document.body, "---|\n") + count_in(document.body, "---:|\n"));
        CHECK(html.find("| ") == html.find("| ", html.find("<pre")));  // no table is torn
    }
}

TEST_CASE("A title keeps its commit and its size, however long the names are", "[service]") {
    RegressionFacts facts = example_facts();
    facts.series[0].benchmark = std::string(4096, 'b');
    facts.series[0].variant = std::string(4096, 'v');
    const auto title = render_regression(facts).title;
    CHECK(title.size() <= max_title_length);
    CHECK(title.ends_with("+18.3 % CPU time (2 series) since 2026-11-20: 9cf258be14"));
}
