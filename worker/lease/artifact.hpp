#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "schema/model/job.hpp"

// How large is what was built. All of it is a stranger's.

namespace vigil::worker {

/// Reads exactly so many bytes from an offset of a file; false: there are not so many.
using ReadAt = std::function<bool(std::uint64_t offset, std::span<std::byte> into)>;

/// The bytes that an ELF file's sections of one name take in memory, as `size` tells them. Takes
/// time by the number of sections, up to max_sections.
/// @return  nullopt: it is no ELF file of this machine's byte order, is cut or broken, or has no
///          such section
std::optional<double> section_bytes(const ReadAt& read_at, std::string_view section);

inline constexpr std::size_t max_sections = 100'000;        ///< of one file
inline constexpr std::size_t max_artifact_files = 100'000;  ///< of one artifact

/// The step of a benchmark of the kind `artifact`.
/// @param product  the unpacked product, or the folder in it that the plan names; no link in it
///                 leads out of it
/// @param what     a path in it, in which "*" stands for any text without "/" and finds no links,
///                 then the section, if there is one; a folder counts with all files in it
/// @return  passed with artifact_bytes, or failed with the reason
RunOutcome measure_artifact(int step, const std::filesystem::path& product, const Command& what);

}  // namespace vigil::worker
