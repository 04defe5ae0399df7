#include "bisect/history/hidden.hpp"

#include "bisect/history/git_objects.hpp"
#include "schema/model/error.hpp"

namespace vigil::history {

namespace {

struct FreeIndex {
    void operator()(git_index* index) const { git_index_free(index); }
};

bool is_hidden(const git_index_entry& entry) {
    constexpr int assumed_unchanged = 0x8000;  // "assume valid" in gitformat-index(5)
    return (entry.flags & assumed_unchanged) != 0 ||
           (entry.flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0;
}

}  // namespace

bool hides_changes(const std::string& worktree) {
    try {
        const auto repository = open_repository(worktree);
        git_index* raw = nullptr;
        if (git_repository_index(&raw, repository.get()) != 0) return true;
        const std::unique_ptr<git_index, FreeIndex> index(raw);
        const auto count = git_index_entrycount(index.get());
        for (std::size_t i = 0; i < count; ++i) {
            if (is_hidden(*git_index_get_byindex(index.get(), i))) return true;
        }
        return false;
    } catch (const Error&) {
        return true;
    }
}

}  // namespace vigil::history
