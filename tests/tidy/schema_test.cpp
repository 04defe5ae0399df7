// The ledger's schema can be read: every table and every column says what it is.

#include <regex>

#include <catch2/catch.hpp>

#include "tests/tidy/tree.hpp"

using namespace vigil::tidy;

namespace {

/// Whether a column that begins in this line has a comment: above it, or behind one of its lines.
bool is_reported(const std::vector<std::string>& lines, std::size_t at) {
    if (lines[at - 1].starts_with("    -- ")) return true;
    do {
        if (lines[at].find(" -- ") != std::string::npos) return true;
        ++at;
    } while (at < lines.size() && lines[at].starts_with("        "));
    return false;
}

/// Tables, and columns as table.column, without a comment.
std::vector<std::string> list_untold(const std::string& text) {
    static const std::regex table(R"(CREATE TABLE (\w+) \()");
    static const std::regex column(R"(    (\w+) (INTEGER|REAL|TEXT|BLOB)\b.*)");
    const auto lines = split_lines(text);
    std::vector<std::string> untold;
    std::string inside;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::smatch match;
        if (std::regex_match(lines[i], match, table)) {
            inside = match[1];
            if (i == 0 || !lines[i - 1].starts_with("-- ")) untold.push_back(inside);
        } else if (lines[i].starts_with(")")) {
            inside.clear();
        } else if (!inside.empty() && std::regex_match(lines[i], match, column)) {
            if (!is_reported(lines, i)) untold.push_back(inside + "." + match[1].str());
        }
    }
    return untold;
}

/// What all files of the schema say.
std::string schema_text() {
    std::string all;
    for (const auto& source : all_sources()) {
        if (source.is_in("schema/sql/ledger")) all += source.text;
    }
    return all;
}

/// Whether the schema has this column, and it refers to the other table.
bool refers(
    const std::string& schema,
    const std::string& table,
    const std::string& column,
    const std::string& to) {
    const auto begin = schema.find("CREATE TABLE " + table + " (");
    if (begin == std::string::npos) return false;
    const auto end = schema.find("\n)", begin);
    const auto at = schema.find("\n    " + column + " ", begin);
    if (at > end) return false;
    const auto line = schema.substr(at + 1, schema.find('\n', at + 1) - at);
    return line.find(" REFERENCES " + to + "(id)") != std::string::npos;
}

}  // namespace

TEST_CASE("Every table and column of the ledger says what it is", "[tidy]") {
    std::size_t files = 0;
    for (const auto& source : all_sources()) {
        if (!source.is_in("schema/sql/ledger")) continue;
        CAPTURE(source.name);
        CHECK(list_untold(source.text) == std::vector<std::string>{});
        ++files;
    }
    CHECK(files > 0);
}

TEST_CASE("Tables and columns without a comment are found", "[tidy]") {
    CHECK(
        list_untold("CREATE TABLE a (\n"
                    "    id INTEGER PRIMARY KEY,\n"
                    "    state TEXT NOT NULL\n"
                    "        CHECK (state IN ('x', 'y')),\n"
                    "    UNIQUE (state)\n"
                    ") STRICT;\n"
                    "-- A row is a thing.\n"
                    "CREATE TABLE b (\n"
                    "    id INTEGER PRIMARY KEY,  -- its number\n"
                    "    -- x: it goes on\n"
                    "    state TEXT NOT NULL,\n"
                    "    kind TEXT NOT NULL\n"
                    "        CHECK (kind IN ('x', 'y')),  -- of which sort\n"
                    "    note TEXT\n"
                    ") STRICT;\n") == std::vector<std::string>{"a", "a.id", "a.state", "b.note"});
}

TEST_CASE("The drawing of the tables shows what refers to what", "[tidy]") {
    const fs::path root = VIGIL_SOURCE_DIR;
    const auto page = read_source(root, root / "docs/architecture.md").text;
    const auto begin = page.find("erDiagram\n");
    REQUIRE(begin != std::string::npos);
    const auto schema = schema_text();
    static const std::regex drawn(R"(    (\w+) \|[|o]--o\{ (\w+) : (\w+))");
    std::size_t relations = 0;
    for (const auto& line : split_lines(page.substr(begin, page.find("```", begin) - begin))) {
        if (line == "erDiagram") continue;
        CAPTURE(line);
        std::smatch match;
        REQUIRE(std::regex_match(line, match, drawn));
        CHECK(refers(schema, match[2], match[3], match[1]));
        ++relations;
    }
    CHECK(relations > 20);
    CHECK_FALSE(refers(schema, "run", "job_id", "build"));
    CHECK_FALSE(refers(schema, "run", "outbox_id", "job"));
}
