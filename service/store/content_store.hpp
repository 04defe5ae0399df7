#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "schema/model/text_ids.hpp"

namespace vigil::service {

/// Files by the digest of their bytes: source trees, archives, products, logs. A file is there
/// whole or not at all: it is written elsewhere, checked, synced and renamed, so several handles
/// on one folder do no harm. A handle belongs to one lane. Which content exists, how large it is
/// and when it was used stands in the ledger (content_index.hpp).
class ContentStore {
  public:
    /// Makes the folder when it is missing. @throws Error{unavailable} when it cannot
    explicit ContentStore(std::filesystem::path folder);

    /// Where the content lies, or would lie. Files of the store are never changed in place.
    std::filesystem::path path(const Digest& digest) const;
    bool has(const Digest& digest) const;

    /// A fresh name on the store's disk, for a file or a folder, to be adopted or removed.
    std::filesystem::path temporary_path() const;

    /// Moves a file written at temporary_path() to its place, after checking that its bytes have
    /// the expected digest. Content that is there already stays; the file is gone either way.
    /// @throws Error{invalid_argument} when the digest differs; Error{unavailable} when the disk
    ///         is full or fails
    void adopt(const std::filesystem::path& file, const Digest& expected);

    /// Nothing when it is not there.
    void remove(const Digest& digest);

    /// Moves it out of the store into `folder`, which is there, on the same disk.
    void quarantine(const Digest& digest, const std::filesystem::path& folder);

    /// Removes what an earlier process left at temporary paths. Only at start, before any use.
    void sweep();

    /// Everything there is, in no order; to compare with the ledger's index.
    std::vector<Digest> list() const;

  private:
    std::filesystem::path folder_;
};

/// A file that only takes up room, for the day the disk is full: without it, nothing could be
/// deleted then, because the ledger needs room even to forget.
class Ballast {
  public:
    Ballast(std::filesystem::path file, std::int64_t bytes);

    /// Takes the room when it is not taken yet. @return  false: there is not enough
    bool take();
    void release();
    /// False while the disk is, or just was, full: new results are refused.
    bool held() const;

  private:
    std::filesystem::path file_;
    std::int64_t bytes_;
};

}  // namespace vigil::service
