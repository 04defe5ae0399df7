#include <limits>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/local/answer.hpp"
#include "service/local/printed_value.hpp"

using namespace vigil;
using namespace vigil::local;
using Catch::Contains;

TEST_CASE("Values are shown in units that people read", "[service][local]") {
    CHECK(value_text(1.5e9, Metric::wall_time_ns) == "1.500 s");
    CHECK(value_text(12.3e6, Metric::cpu_time_ns) == "12.30 ms");
    CHECK(value_text(800, Metric::cpu_time_ns) == "800.0 ns");
    CHECK(value_text(3.0 * 1024 * 1024, Metric::peak_process_bytes) == "3.000 MiB");
    CHECK(value_text(1234.5678, Metric::reported_value) == "1234.6");
    CHECK(percent_text(std::numeric_limits<double>::infinity()) == "unknown");
}

TEST_CASE("The numbers that an output ends with are its samples", "[service][local]") {
    CHECK(printed_value("5\n") == 5);
    CHECK(printed_value("warming up\n\n3\n1\n2\n") == 2);
    CHECK(printed_value("7 rounds\n1e3\n") == 1000);
    CHECK(printed_value("[1, 2, 9]") == 2);
    CHECK(
        printed_value("start\n{\"vigil_bench\":1,\"outcome\":\"passed\","
                      "\"samples\":{\"wall_time_ns\":[4,5,6]}}\n") == 5);
    CHECK(printed_value(R"({"results":[{"command":"x","times":[0.5,0.25,1]}]})") == 0.5e9);
    CHECK(
        printed_value(
            R"({"benchmarks":[{"name":"a","real_time":2,"cpu_time":1,"time_unit":"us"}]})") ==
        2000);
}

TEST_CASE("An output without a usable number says what it ends with", "[service][local]") {
    const auto why = [](const std::string& output) -> std::string {
        try {
            printed_value(output);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    CHECK_THAT(why(""), Contains("printed nothing"));
    CHECK_THAT(why("12 ms"), Contains("\"12 ms\", which is no number"));
    CHECK_THAT(why("nan"), Contains("a value is nan"));
    CHECK_THAT(why("1\n-3\n"), Contains("a value is -3"));
    CHECK_THAT(why("inf"), Contains("a value is inf"));
    CHECK_THAT(why("0"), Contains("a value is 0"));
    CHECK_THAT(why("{\"x\":1}"), Contains("none of the known kinds"));
    CHECK_THAT(why("[1,\"2\"]"), Contains("more than numbers"));
    CHECK_THAT(why("[]"), Contains("no number"));
    CHECK_THAT(why("\x1b[31mred"), !Contains("\x1b"));
}
