#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "schema/archive/archive.hpp"
#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"

namespace vigil::service {

class ContentStore;

struct TakenArchive {
    Digest digest;
    std::int64_t bytes = 0;
};

/// What may be in an archive of this source.
archive::ArchiveLimits limits_of(const SourceConfig& source);

/// Takes a stranger's archive into the content store: copies it within `max_archive_bytes` while
/// digesting, compares with the digest it should have, reads it through by the rules of
/// archive::check, and only then adopts it. The file itself is left as it is.
/// @param file  a regular file, no link
/// @throws Error{not_found} when it is not there; Error{invalid_argument} when it is no regular
///         file, too large, not what was announced, damaged or hostile; Error{unavailable} when
///         reading or writing fails
TakenArchive take_archive(
    const std::filesystem::path& file,
    const std::optional<Digest>& expected,
    const SourceConfig& limits,
    ContentStore& content);

}  // namespace vigil::service
