#include "service/runtime/logging.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

namespace vigil::service {
namespace {

TEST_CASE("An unknown log level is refused with the choices", "[service][runtime]") {
    CHECK_THROWS_WITH(start_logging("loud"), Catch::Contains("trace, debug, info"));
}

}  // namespace
}  // namespace vigil::service
