#include "service/source/archived_tree.hpp"

#include <archive.h>
#include <archive_entry.h>

#include "schema/archive/path_rules.hpp"
#include "schema/model/error.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

ArchivedTree::ArchivedTree(
    const GitClone& clone, const Revision& revision, const std::filesystem::path& file) {
    clone.archive(revision, file);
    handle_ = archive::open_archive(file, "reading what git archive made");
    step();
}

void ArchivedTree::step() {
    next_.reset();
    const int code = archive_read_next_header(handle_.get(), &entry_);
    if (code == ARCHIVE_EOF) return;
    const char* path =
        code == ARCHIVE_OK || code == ARCHIVE_WARN ? archive_entry_pathname(entry_) : nullptr;
    if (path == nullptr) {
        throw Error(
            Errc::unavailable,
            "reading what git archive made: " + archive::reason_of(handle_.get()));
    }
    next_ = path;
    while (next_->ends_with('/')) next_->pop_back();
}

// The entry stays until the next one is asked for, so that its content can be read.
bool ArchivedTree::takes(const std::string& path) {
    if (taken_) step();
    taken_ = next_.has_value() && *next_ == path;
    return taken_;
}

std::string ArchivedTree::content(std::int64_t most) {
    const auto size = archive_entry_size(entry_);
    if (size > most) refuse("it is larger than " + std::to_string(most) + " bytes");
    std::string text(static_cast<std::size_t>(size), '\0');
    const auto got = archive_read_data(handle_.get(), text.data(), text.size());
    if (got == size) return text;
    throw Error(
        Errc::unavailable, "reading what git archive made: " + archive::reason_of(handle_.get()));
}

void ArchivedTree::check_ended() {
    if (taken_) step();
    if (!next_) return;
    throw Error(
        Errc::internal,
        "git archive has \"" + archive::printable(*next_) + "\" where the tree has it not");
}

}  // namespace vigil::service
