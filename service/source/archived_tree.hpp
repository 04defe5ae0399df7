#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "schema/archive/library.hpp"
#include "service/source/git_clone.hpp"

namespace vigil::service {

/// What `git archive` makes of a commit, where attributes of its tree (export-ignore, export-subst)
/// leave something out or fill something in. It is read along with the tree, which has the same
/// order.
class ArchivedTree {
  public:
    /// @param file  a fresh path; the caller removes it
    /// @throws Error{unavailable} when git cannot make the archive
    ArchivedTree(
        const GitClone& clone, const Revision& revision, const std::filesystem::path& file);

    /// Whether the entry, the next of the tree, is in the archive.
    bool takes(const std::string& path);

    /// The content of the file that takes() was just asked about.
    std::string content(std::int64_t most);

    /// @throws Error{internal} when something of the archive was not asked for
    void check_ended();

  private:
    void step();

    archive::Utf8Locale locale_;
    archive::ArchiveHandle handle_;
    struct archive_entry* entry_ = nullptr;
    std::optional<std::string> next_;  ///< path of the entry; none at the end
    bool taken_ = false;               ///< the tree has come to it
};

}  // namespace vigil::service
