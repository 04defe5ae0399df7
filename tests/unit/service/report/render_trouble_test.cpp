#include "service/report/render_trouble.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

TroubleFacts undelivered() {
    TroubleFacts facts;
    facts.marker = "<!-- m -->";
    facts.kind = "report.undelivered";
    facts.subject = "target/issues";
    facts.project = "tensorlab";
    facts.message = "reports do not get to issues: cannot open /etc/vigil/token, @all";
    facts.since_s = 1'795'229'100;
    return facts;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE("A trouble's report shows no path of the server", "[service][report]") {
    TroubleFacts facts = undelivered();
    const auto document = render_trouble(facts);
    CHECK(document.title == "tensorlab: reports do not arrive");
    CHECK_FALSE(has(document.body, "/etc"));
    CHECK(has(document.body, "cannot open"));
    CHECK(document.body.ends_with("<!-- m -->\n"));
    // What a compiler said of a file in the worker's sandbox tells where to look.
    facts.kind = "nightly.unbuildable";
    facts.message = "/build/main.cpp:7: error";
    CHECK(has(render_trouble(facts).body, "main.cpp:7"));
}

TEST_CASE("A trouble that ended says so, in the same words each time", "[service][report]") {
    TroubleFacts facts = undelivered();
    CHECK(has(render_trouble(facts).body, "It lasts"));
    facts.ended_s = facts.since_s + 60;
    const auto document = render_trouble(facts);
    CHECK(has(document.body, "It ended"));
    CHECK(render_trouble(facts).body == document.body);
    CHECK_FALSE(has(document.body, "@all"));
}
