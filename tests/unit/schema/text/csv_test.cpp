#include "schema/text/csv.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/unit/schema/text/corpus.hpp"

using namespace vigil;
using namespace vigil::text;

namespace {

std::vector<std::vector<std::string>> read(std::string_view text) {
    const std::string file = "x.csv";
    CsvReader reader(text, file);
    std::vector<std::vector<std::string>> records;
    while (const auto record = reader.next()) {
        records.emplace_back();
        for (const auto& cell : *record) records.back().push_back(cell.text);
    }
    return records;
}

std::string refusal(std::string_view text) {
    try {
        read(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("Cells may stand in quotes and hold commas and lines", "[schema][text]") {
    using Records = std::vector<std::vector<std::string>>;
    CHECK(
        read("\xEF\xBB\xBF"
             "a,b\r\n\r\n 1 , \"x,\"\"y\nz\" \n") == Records{{"a", "b"}, {"1", "x,\"y\nz"}});
    CHECK(read("a,\n,b") == Records{{"a", ""}, {"", "b"}});
    CHECK(read("").empty());
}

TEST_CASE("What is no CSV is refused with its place", "[schema][text]") {
    CHECK(refusal("a,b\nc,\"d") == "reading x.csv: line 2, column 3: a quote that is not closed");
    CHECK(refusal("a,b\"c").find("line 1, column 4: a quote inside") != std::string::npos);
    CHECK(refusal("\"a\"b").find("after a closing quote") != std::string::npos);
    CHECK(refusal(std::string(300, ',')).find("too many columns") != std::string::npos);
    for (const auto& text : hostile_texts()) CHECK_NOTHROW(refusal(text));
}
