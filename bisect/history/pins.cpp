#include "bisect/history/pins.hpp"

#include <fmt/format.h>

#include "bisect/history/git_objects.hpp"
#include "bisect/history/git_tag.hpp"
#include "bisect/history/pin_lines.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"

namespace vigil::history {

namespace {

constexpr std::size_t most_files = 200;         // a commit that changes more moves more than pins
constexpr git_off_t most_file_bytes = 1 << 20;  // of a file that is compared line by line

Error pin_failure(int code, const Revision& revision) {
    return Error(
        code == GIT_ENOTFOUND ? Errc::not_found : Errc::unavailable,
        fmt::format("reading what commit {} changes: {}", revision.brief(), last_git_message()));
}

GitTree tree_of(const git_commit& commit, const Revision& revision) {
    git_tree* raw = nullptr;
    const int code = git_commit_tree(&raw, &commit);
    if (code != 0) throw pin_failure(code, revision);
    return GitTree(raw);
}

/// Against the first parent; nothing for a root.
GitDiff diff_of(git_repository* repository, const Revision& revision) {
    const git_oid oid = oid_of(revision);
    git_commit* raw_commit = nullptr;
    int code = git_commit_lookup(&raw_commit, repository, &oid);
    if (code != 0) throw pin_failure(code, revision);
    const GitCommit commit(raw_commit);
    if (git_commit_parentcount(commit.get()) == 0) return nullptr;
    git_commit* raw_parent = nullptr;
    code = git_commit_parent(&raw_parent, commit.get(), 0);
    if (code != 0) throw pin_failure(code, revision);
    const GitCommit parent(raw_parent);
    const GitTree before = tree_of(*parent, revision);
    const GitTree after = tree_of(*commit, revision);
    git_diff_options options;
    git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.context_lines = 0;
    options.interhunk_lines = 0;
    options.max_size = most_file_bytes;
    git_diff* raw = nullptr;
    code = git_diff_tree_to_tree(&raw, repository, before.get(), after.get(), &options);
    if (code != 0) throw pin_failure(code, revision);
    return GitDiff(raw);
}

struct HunkLines {
    std::vector<std::string> before;
    std::vector<std::string> after;
    std::vector<int> numbers;  ///< of the lines after
};

HunkLines lines_of(git_patch* patch, std::size_t hunk) {
    HunkLines lines;
    const int count = git_patch_num_lines_in_hunk(patch, hunk);
    for (int i = 0; i < count; ++i) {
        const git_diff_line* line = nullptr;
        if (git_patch_get_line_in_hunk(&line, patch, hunk, static_cast<std::size_t>(i)) != 0) break;
        const std::string text(line->content, line->content_len);
        if (line->origin == GIT_DIFF_LINE_DELETION) lines.before.push_back(text);
        if (line->origin == GIT_DIFF_LINE_ADDITION) {
            lines.after.push_back(text);
            lines.numbers.push_back(line->new_lineno);
        }
    }
    return lines;
}

/// Collects the pins of one commit.
class PinFinder {
  public:
    explicit PinFinder(const Revision& revision) : revision_(revision) {}

    PinMoves find(git_diff* diff) {
        const std::size_t files = git_diff_num_deltas(diff);
        for (std::size_t i = 0; i < files; ++i) look_at(diff, i, files <= most_files);
        found_.only = !other_ && !found_.pins.empty();
        return std::move(found_);
    }

  private:
    void add(Pin pin) {
        if (found_.pins.size() < most_pins) {
            found_.pins.push_back(std::move(pin));
        } else {
            other_ = true;
        }
    }

    void look_at(git_diff* diff, std::size_t index, bool into_files) {
        const git_diff_delta* delta = git_diff_get_delta(diff, index);
        const auto link = [](const git_diff_file& file) {
            return file.mode == GIT_FILEMODE_COMMIT;
        };
        if (link(delta->old_file) && link(delta->new_file)) {
            add(
                {text::one_line(delta->new_file.path),
                 0,
                 hex_of(delta->old_file.id),
                 hex_of(delta->new_file.id)});
            return;
        }
        const bool changed = delta->status == GIT_DELTA_MODIFIED &&
                             delta->old_file.mode == delta->new_file.mode && !link(delta->old_file);
        if (changed && into_files) {
            look_into(diff, index, text::one_line(delta->new_file.path));
        } else {
            other_ = true;
        }
    }

    void look_into(git_diff* diff, std::size_t index, const std::string& path) {
        git_patch* raw = nullptr;
        const int code = git_patch_from_diff(&raw, diff, index);
        if (code != 0) throw pin_failure(code, revision_);
        const GitPatch patch(raw);
        const std::size_t hunks = patch ? git_patch_num_hunks(patch.get()) : 0;
        if (hunks == 0) other_ = true;  // binary, or too large
        for (std::size_t hunk = 0; hunk < hunks; ++hunk) {
            const HunkLines lines = lines_of(patch.get(), hunk);
            if (lines.before.size() != lines.after.size()) {
                other_ = true;
                continue;
            }
            for (std::size_t i = 0; i < lines.after.size(); ++i) {
                auto moved = moved_hashes(lines.before[i], lines.after[i]);
                if (!moved && is_cmake_file(path)) {
                    if (auto tag = moved_tag(lines.before[i], lines.after[i])) moved = {*tag};
                }
                if (!moved) {
                    other_ = true;
                    continue;
                }
                for (const auto& [before, after] : *moved) {
                    add({path, lines.numbers[i], before, after});
                }
            }
        }
    }

    const Revision& revision_;
    PinMoves found_;
    bool other_ = false;  ///< it changes something else too
};

}  // namespace

PinMoves find_pins(const std::string& repository, const Revision& revision) {
    const GitRepository opened = open_repository(repository);
    const GitDiff diff = diff_of(opened.get(), revision);
    if (!diff) return {};
    return PinFinder(revision).find(diff.get());
}

std::optional<Pin> only_dependency(const PinMoves& moves) {
    if (!moves.only || moves.pins.size() != 1) return std::nullopt;
    const auto& pin = moves.pins.front();
    return pin.line == 0 || is_cmake_file(pin.path) ? std::optional(pin) : std::nullopt;
}

std::string place_of(const Pin& pin) {
    return pin.line > 0 ? fmt::format("{} line {}", pin.path, pin.line) : pin.path;
}

std::string pin_text(const Pin& pin) {
    return fmt::format("{} from {} to {}", place_of(pin), pin.before, pin.after);
}

std::string moves_text(const PinMoves& moves) {
    constexpr std::size_t max_reported = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(max_reported, moves.pins.size()); ++i) {
        text += (i == 0 ? "" : "; ") + pin_text(moves.pins[i]);
    }
    if (moves.pins.size() > max_reported) {
        text += fmt::format("; and {} more", moves.pins.size() - max_reported);
    }
    if (moves.only) text += "; nothing else";
    return text;
}

}  // namespace vigil::history
