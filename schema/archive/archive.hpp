#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "schema/model/text_ids.hpp"

// Archives from strangers, and our own: reading never leaves the given folder, writing the same
// tree twice gives the same bytes.

namespace vigil::archive {

/// What an archive may make of itself.
struct ArchiveLimits {
    std::int64_t max_bytes = std::int64_t{8} << 30;  ///< of all files together, holes included
    std::int64_t max_entries = 200'000;
    std::int64_t max_ratio = 200;  ///< unpacked to packed bytes; the first 16 MiB are free
    std::int64_t max_path = 1024;  ///< bytes of one path, and of one link's target
};

/// What an archive holds, or what was packed.
struct ArchiveSummary {
    std::int64_t entries = 0;
    std::int64_t bytes = 0;  ///< of regular files
};

/// Unpacks tar (plain, gzip, bzip2, xz, zstd) or zip. Makes regular files (0644 or 0755), folders
/// (0755), symbolic links whose target stays inside, and hard links to files of the same archive;
/// everything else (devices, sockets, absolute or rising paths, paths through links, a path twice,
/// encryption) is refused. Works in "<folder>.partial" and renames at the end, so `folder` exists
/// only when it is complete; after an error nothing is left.
/// @param folder  must not exist; its parent must
/// @throws Error{invalid_argument} when the archive is damaged, hostile or above a limit,
///         Error{conflict} when the folder exists, Error{not_found} when there is no archive,
///         Error{unavailable} when the disk is full or fails
ArchiveSummary unpack(
    const std::filesystem::path& file,
    const std::filesystem::path& folder,
    const ArchiveLimits& limits = {});

/// Reads the whole archive by the rules of unpack, writes nothing.
ArchiveSummary check(const std::filesystem::path& file, const ArchiveLimits& limits = {});

/// The regular files of these names, by name; names that the archive does not have are left out.
/// For archives that were checked: nothing else of it is judged.
/// @param max_bytes  of one file; a longer one is refused
std::map<std::string, std::string> read_files(
    const std::filesystem::path& file,
    const std::vector<std::string>& names,
    std::int64_t max_bytes = std::int64_t{1} << 20);

/// What an archive unpacks to, as one digest: paths and contents, which files run, links, and empty
/// folders. Equal trees give equal digests, however they are packed. For archives that were
/// checked, as read_files.
/// @param without  a path that does not count
Digest tree_digest(const std::filesystem::path& file, const std::string& without);

/// Packs files and folders (with all they hold) below `root` into a plain tar. Equal trees give
/// equal bytes: sorted by path, owner 0, one fixed time, modes 0644, 0755. Links are kept when they
/// stay inside, and never followed, so a product cannot take along what lies outside.
/// @param outputs  relative paths; "." is everything; at least one; each must exist
/// @param target   made or replaced; lies outside what is packed; not synced
/// @throws Error{invalid_argument} for an output that is missing, rises out of the root, or holds
///         what cannot be packed, Error{unavailable} when writing fails
ArchiveSummary pack_folder(
    const std::filesystem::path& root,
    const std::vector<std::string>& outputs,
    const std::filesystem::path& target,
    const ArchiveLimits& limits = {});

}  // namespace vigil::archive
