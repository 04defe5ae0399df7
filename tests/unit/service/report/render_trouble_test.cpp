#include "service/report/render/render_trouble.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
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

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The kinds of event that the files which note troubles, and their headers, have as a field or as
/// a constant: a new trouble is an event of its kind.
std::set<std::string> trouble_kinds() {
    namespace fs = std::filesystem;
    const fs::path service = fs::path(VIGIL_SOURCE_DIR) / "service";
    const std::string events = text_of(service / "api/common/event_kinds.cpp");
    const std::regex named(R"re((\.kind|constexpr [^;="]*) = \W*(\w+\()?"([a-z]+\.[a-z_]+)")re");
    std::set<std::string> kinds;
    for (const auto& entry : fs::recursive_directory_iterator(service)) {
        const fs::path source = fs::path(entry.path()).replace_extension(".cpp");
        const std::string notes = text_of(source);
        if (!has(notes, "note_trouble(") && !has(notes, "set_trouble(")) continue;
        const std::string text = text_of(entry.path());
        for (std::sregex_iterator one(text.begin(), text.end(), named), end; one != end; ++one) {
            const std::string kind = (*one)[3].str();
            const auto dot = kind.find('.');
            const std::regex listed(
                "\"" + kind.substr(0, dot) + "\", \"([a-z_]+ )*" + kind.substr(dot + 1) + "[ \"]");
            if (std::regex_search(events, listed)) kinds.insert(kind);
        }
    }
    return kinds;
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

TEST_CASE("Every kind of trouble has words, and a row in docs/operations.md", "[service][report]") {
    const auto kinds = trouble_kinds();
    CHECK(kinds.size() >= 14);
    const std::string manual = text_of(VIGIL_SOURCE_DIR "/docs/operations.md");
    const auto begin = manual.find("\n| Kind | Meaning |\n");
    REQUIRE(begin != manual.npos);
    const std::string table = manual.substr(begin, manual.find("\n\n", begin) - begin);
    for (const auto& kind : kinds) {
        CAPTURE(kind);
        TroubleFacts facts = undelivered();
        facts.kind = kind;
        CHECK_FALSE(has(render_trouble(facts).title, kind));
        const std::regex row("\n\\| [^|]*`" + kind + "`[^|]*\\|");
        CHECK(std::regex_search(table, row));
    }
}

TEST_CASE("The report of a build that is broken links what it names", "[service][report]") {
    TroubleFacts facts = undelivered();
    facts.kind = "nightly.unbuildable";
    BreakageFact breakage;
    breakage.culprit = Revision(std::string(40, 'c'));
    breakage.good = Revision(std::string(40, 'a'));
    breakage.bad = Revision(std::string(40, 'b'));
    breakage.log_tail = "error\n";
    breakage.log = Digest(std::string(64, 'd'));
    facts.breakage = breakage;
    CHECK_FALSE(has(render_trouble(facts).body, "https://"));
    facts.links.templates.public_url = "https://vigil.example";
    facts.links.templates.commit_url = "https://forge.example/commit/{revision}";
    facts.links.templates.compare_url = "https://forge.example/compare/{good}...{bad}";
    const std::string body = render_trouble(facts).body;
    CHECK(has(body, "https://forge.example/commit/" + breakage.culprit->str()));
    CHECK(has(
        body, "https://forge.example/compare/" + breakage.good.str() + "..." + breakage.bad.str()));
    CHECK(has(body, "https://vigil.example/"));
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
