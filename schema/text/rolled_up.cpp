#include "schema/text/rolled_up.hpp"

#include "schema/text/numbers.hpp"

namespace vigil::text {

std::string rolled_up(std::int64_t runs, std::int64_t at_s) {
    const auto day = utc(at_s).substr(0, std::string_view("2026-11-29").size());
    return counted(runs, "run") + ", rolled up on " + day;
}

}  // namespace vigil::text
