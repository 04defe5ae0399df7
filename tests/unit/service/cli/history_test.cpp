#include <cmath>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/cli/history/read_history.hpp"

using namespace vigil;
using Catch::Contains;
using cli::HistoryFile;
using cli::read_history;

namespace {

HistoryFile read(const std::string& text) {
    return read_history(text, "h.csv");
}

std::string refusal_of(const std::string& text) {
    try {
        read(text);
    } catch (const Error& error) {
        CHECK(error.code() == Errc::invalid_argument);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("A CSV becomes one history for each series", "[service][cli]") {
    const auto file = read(
        "\xEF\xBB\xBFseries,Night,value,label,environment\r\n"
        "a,2026-01-01,1.5,0,m1\r\n"
        "\"b, \"\"two\"\"\", 2026-01-01 ,+2e3,,\r\n"
        "\r\n"
        "a,2026-01-02,nan,1,m2\r\n"
        "a,2026-01-03,,0,");
    REQUIRE(file.series.size() == 2);
    const auto& a = file.series[0];
    CHECK(a.name == "a");
    CHECK(a.nights == std::vector<std::string>{"2026-01-01", "2026-01-02", "2026-01-03"});
    CHECK(a.values[0] == 1.5);
    CHECK(std::isnan(a.values[1]));
    CHECK(std::isnan(a.values[2]));
    CHECK(a.labelled);
    CHECK(a.labels == std::vector<std::size_t>{1});
    CHECK(a.moves_at(1));
    CHECK_FALSE(a.moves_at(2));
    CHECK(file.series[1].name == "b, \"two\"");
    CHECK(file.series[1].values == std::vector<double>{2000});
    CHECK(file.notes.empty());
}

TEST_CASE("Rows out of order and several of a night are put right, and said", "[service][cli]") {
    const auto file = read(
        "timestamp,value,who\n2026-01-02T03:00Z,5,x\n2026-01-01,1,x\n"
        "2026-01-02 05:00:00+02:00,9,x\n2026-01-02T03:00:00.5,7,x\n");
    REQUIRE(file.series.size() == 1);
    CHECK(file.series[0].values == std::vector<double>{1, 7});
    REQUIRE(file.notes.size() == 3);
    CHECK_THAT(file.notes[0], Contains("who"));
    CHECK_THAT(file.notes[1], Contains("sorted"));
    CHECK_THAT(file.notes[2], Contains("median"));
    CHECK_FALSE(file.series[0].labelled);
}

TEST_CASE("JSON lines are rows or whole series", "[service][cli]") {
    const auto file = read(
        "{\"night\":2,\"value\":null,\"series\":\"a\"}\n\n"
        "{\"timestamp\":1,\"value\":4,\"series\":\"a\",\"label\":true}\n"
        "{\"id\":\"w\",\"values\":[1,null,3],\"direction\":\"higher_is_better\",\"start\":1,"
        "\"labels\":[0,2],\"env\":[\"x\",null,\"y\"],\"nights\":[\"2026-01-01\",\"2026-01-02\","
        "\"2026-01-05\"],\"samples\":[[0.5,1.5],[],[3]]}\n");
    REQUIRE(file.series.size() == 2);
    CHECK(file.series[0].nights == std::vector<std::string>{"1", "2"});
    CHECK(file.series[0].labels == std::vector<std::size_t>{0});
    const auto& w = file.series[1];
    CHECK(w.direction == Direction::higher_is_better);
    CHECK(w.start == 1);
    CHECK(w.labels == std::vector<std::size_t>{0, 2});
    CHECK(w.moves_at(2));
    CHECK(w.nights[2] == "2026-01-05");
    CHECK(w.samples_of(0) == std::vector<double>{0.5, 1.5});
    CHECK(w.samples_of(1).empty());
    CHECK(w.samples_of(2) == std::vector<double>{3});
    CHECK(read("{\"values\":[1,2]}").series[0].nights == std::vector<std::string>{"0", "1"});
}

TEST_CASE("A CSV that cannot be read is refused with line and column", "[service][cli]") {
    CHECK(refusal_of("") == "reading h.csv: it is empty");
    CHECK_THAT(refusal_of("night,value\n"), Contains("no rows"));
    CHECK(
        refusal_of("day,value\n1,2\n") ==
        "reading h.csv: line 1, column 1: the header names no column 'night' or 'timestamp'");
    CHECK_THAT(refusal_of("night,values\n1,2\n"), Contains("'value'"));
    CHECK_THAT(refusal_of("night,value,VALUE\n"), Contains("line 1, column 13: the header names"));
    CHECK(
        refusal_of("night,value\n1,2\n2,abc\n") ==
        "reading h.csv: line 3, column 3: the value must be a number, not 'abc'");
    CHECK_THAT(refusal_of("night,value\n1,inf\n"), Contains("line 2, column 3: the value is inf"));
    CHECK_THAT(refusal_of("night,value\n1,1e999\n"), Contains("out of range"));
    CHECK_THAT(refusal_of("night,value\n1,2,3\n"), Contains("line 2, column 5: 3 cells"));
    CHECK_THAT(refusal_of("night,value\n2026-02-30,1\n"), Contains("line 2, column 1: the night"));
    CHECK_THAT(refusal_of("night,value\n2026-02-03T25:00,1\n"), Contains("column 1: the night"));
    CHECK_THAT(refusal_of("night,value\n1,1\n2026-02-03,1\n"), Contains("line 3, column 1: num"));
    CHECK_THAT(refusal_of("night,value,label\n1,1,maybe\n"), Contains("line 2, column 5: a label"));
    CHECK_THAT(refusal_of("night,value\n1,\"2\n3"), Contains("line 2, column 3: a quote that is"));
    CHECK_THAT(refusal_of("night,value\n1,\"2\"3\n"), Contains("line 2, column 6: after a"));
    CHECK_THAT(refusal_of("night,value\n1,2\"3\n"), Contains("line 2, column 4: a quote inside"));
    CHECK_THAT(
        refusal_of("series,night,value\n\"a\nb\",1,1\nc,1,x\n"), Contains("line 4, column 5"));
    CHECK_THAT(refusal_of("night,value\n1,\xFF\n"), Contains("UTF-8"));
    CHECK_THAT(refusal_of(std::string("night,value\n1,\0", 15)), Contains("NUL"));
    CHECK_THAT(
        refusal_of("series,night,value\n" + std::string(600, 's') + ",1,1\n"),
        Contains("series name"));
}

TEST_CASE("JSON lines that cannot be read are refused with line and column", "[service][cli]") {
    CHECK_THAT(refusal_of("{\"night\":1,\"value\":2}\n{\"night\":"), Contains("line 2, column "));
    CHECK_THAT(refusal_of("{}\n[]"), Contains("line 1, column 1: a row needs a 'night'"));
    CHECK_THAT(refusal_of("{\"night\":1,\"value\":2}\n[]"), Contains("line 2, column 1: must be"));
    CHECK_THAT(refusal_of("{\"night\":1}"), Contains("needs a 'value'"));
    CHECK(
        refusal_of("\n{\"night\":1,\"value\":\"2\"}") ==
        "reading h.csv: line 2, column 12: the value must be a number or null");
    CHECK_THAT(
        refusal_of("{\"night\":1.5,\"value\":2}"), Contains("line 1, column 2: must be a text"));
    CHECK_THAT(refusal_of("{\"night\":\"soon\",\"value\":2}"), Contains("column 2: the night"));
    CHECK_THAT(refusal_of("{\"values\":[1,\"2\"]}"), Contains("line 1, column 14: the value"));
    CHECK_THAT(refusal_of("{\"values\":3}"), Contains("must be an array"));
    CHECK_THAT(refusal_of("{\"values\":[1],\"nights\":[]}"), Contains("one entry for each"));
    CHECK_THAT(refusal_of("{\"values\":[1,2],\"nights\":[2,2]}"), Contains("in order, each once"));
    CHECK_THAT(refusal_of("{\"values\":[1],\"labels\":[1]}"), Contains("a position in 0..0"));
    CHECK_THAT(refusal_of("{\"values\":[1],\"samples\":[]}"), Contains("one array for each"));
    CHECK_THAT(refusal_of("{\"values\":[1],\"samples\":[[1,\"2\"]]}"), Contains("of numbers"));
    CHECK_THAT(refusal_of("{\"values\":[1],\"start\":-1}"), Contains("a position in 0..1"));
    CHECK_THAT(refusal_of("{\"values\":[1],\"direction\":\"up\"}"), Contains("lower_is_better"));
    CHECK_THAT(refusal_of("{\"values\":[1]}\n{\"values\":[2]}"), Contains("line 2, column 1: ser"));
    CHECK_THAT(
        refusal_of("{\"values\":[1],\"id\":\"a\\nb\"}\n{\"night\":1,\"value\":1,\"id\":\"a\\nb\"}"),
        Contains("line 2, column 1: series"));
    CHECK_THAT(refusal_of("{\"night\":1,\"night\":2,\"value\":1}"), Contains("line 1, column "));
    CHECK_THAT(refusal_of("{\"value\":" + std::string(100, '[')), Contains("nested deeper"));
}
