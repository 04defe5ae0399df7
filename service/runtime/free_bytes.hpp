#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace vigil::service {

/// Bytes that this user may still write where the folder lies; nullopt: the system does not say.
std::optional<std::int64_t> free_bytes(const std::filesystem::path& folder);

}  // namespace vigil::service
