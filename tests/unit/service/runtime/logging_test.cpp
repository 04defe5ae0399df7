#include "service/runtime/logging.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

namespace vigil::service {
namespace {

TEST_CASE("A plain word is logged as it is, other text in quotes", "[service][runtime]") {
    CHECK(log_value("job/12") == "job/12");
    CHECK(log_value("") == "\"\"");
    CHECK(log_value("two words") == "\"two words\"");
    CHECK(log_value("a=b") == "\"a=b\"");
    CHECK(log_value("say \"hi\" \\") == "\"say \\\"hi\\\" \\\\\"");
}

TEST_CASE("A stranger's text cannot forge a line", "[service][runtime]") {
    CHECK(log_value("x\nlevel=error") == "\"x\\nlevel=error\"");
    CHECK(log_value("\x1b[2J") == "\"\\x1b[2J\"");
    const auto cut = log_value(std::string(5000, 'x'));
    CHECK(cut.size() < 2010);
    CHECK(cut.ends_with("...\""));
}

TEST_CASE("An unknown log level is refused with the choices", "[service][runtime]") {
    CHECK_THROWS_WITH(start_logging("loud"), Catch::Contains("trace, debug, info"));
}

}  // namespace
}  // namespace vigil::service
