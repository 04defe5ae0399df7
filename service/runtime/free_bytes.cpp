#include "service/runtime/free_bytes.hpp"

#include <algorithm>
#include <limits>
#include <system_error>

namespace vigil::service {

std::optional<std::int64_t> free_bytes(const std::filesystem::path& folder) {
    std::error_code unknown;
    const auto space = std::filesystem::space(folder, unknown);
    if (unknown) return std::nullopt;
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(
        std::min<std::uintmax_t>(space.available, static_cast<std::uintmax_t>(most)));
}

}  // namespace vigil::service
