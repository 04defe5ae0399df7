#include "schema/model/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace vigil {

std::string_view to_string(Errc code) {
    switch (code) {
        case Errc::invalid_argument: return "invalid_argument";
        case Errc::denied: return "denied";
        case Errc::not_found: return "not_found";
        case Errc::conflict: return "conflict";
        case Errc::unavailable: return "unavailable";
        case Errc::internal: return "internal";
    }
    return "internal";
}

namespace detail {

void assertion_failed(const char* expression, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, expression);
    std::abort();
}

}  // namespace detail

}  // namespace vigil
