#include "service/local/builds/repository.hpp"

#include <set>
#include <sstream>

#include <fmt/format.h>

#include "bisect/history/hidden.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"

namespace vigil::local {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
    return parts;
}

/// git's words for objects that are not there or cannot be read.
bool misses_object(const std::string& errors) {
    for (const char* words :
         {"unable to read", "missing", "bad object", "corrupt", "unable to parse", "bad tree"}) {
        if (errors.find(words) != errors.npos) return true;
    }
    return false;
}

void check_started(const worker::RunReport& report) {
    if (report.end == worker::RunEnd::not_started) {
        throw Error(Errc::unavailable, "running git: " + report.message + "; is it installed?");
    }
}

}  // namespace

Repository::Repository(Commands& commands, const fs::path& folder) : commands_(commands) {
    std::error_code failure;
    const fs::path where = fs::canonical(folder, failure);
    if (failure || !fs::is_directory(where)) {
        throw Error(Errc::not_found, "there is no folder " + text::one_line(folder.string(), 200));
    }
    const auto report = commands_.git(
        {"rev-parse", "--path-format=absolute", "--is-bare-repository", "--git-common-dir"}, where);
    check_started(report);
    const auto lines = split(report.output, '\n');
    if (!failure_of(report).empty() || lines.size() < 2) {
        throw Error(
            Errc::not_found,
            where.string() + " is in no git repository; name one with --repo (git: " +
                text::one_line(report.errors, 200) + ")");
    }
    const auto format = commands_.git({"rev-parse", "--show-object-format"}, where);
    if (format.output.starts_with("sha256")) {
        throw Error(
            Errc::conflict,
            where.string() +
                " names its commits by SHA-256; vigil reads only repositories of git's default, "
                "SHA-1, for libgit2 reads no others");
    }
    bare_ = lines[0] == "true";
    git_folder_ = lines[1];
    path_ = git_folder_;
    if (bare_) return;
    const auto top =
        commands_.git({"rev-parse", "--path-format=absolute", "--show-toplevel"}, where);
    path_ = failure_of(top).empty() ? fs::path(split(top.output, '\n').at(0)) : git_folder_;
}

std::string Repository::output(
    const std::vector<std::string>& arguments,
    const std::string& doing,
    const EnvironmentVariables& more) {
    const auto report = commands_.git(arguments, path_, OnStop::end, more);
    check_started(report);
    const auto failure = failure_of(report);
    if (!failure.empty()) throw Error(Errc::unavailable, doing + ": git: " + failure);
    if (report.truncated) throw Error(Errc::unavailable, doing + ": git says too much");
    return report.output;
}

bool Repository::is_shallow() {
    return output({"rev-parse", "--is-shallow-repository"}, "looking at the repository")
        .starts_with("true");
}

std::vector<std::string> Repository::notes() {
    std::vector<std::string> found;
    if (!bare_) {
        const auto report = commands_.git(
            {"status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all"}, path_);
        if (failure_of(report).empty() && !report.output.empty()) {
            found.push_back("uncommitted changes are left alone, and not measured");
        }
    }
    if (is_shallow()) found.push_back("the repository is shallow: older commits are missing");
    return found;
}

Revision Repository::resolve(const std::string& name) {
    const auto report = commands_.git(
        {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"}, path_);
    check_started(report);
    const auto lines = split(report.output, '\n');
    if (failure_of(report).empty() && !lines.empty()) return Revision(lines[0]);
    throw Error(
        Errc::not_found,
        fmt::format(
            "there is no commit '{}' in {}{}",
            text::one_line(name, 200),
            path_.string(),
            is_shallow() ? "; the repository is shallow: run git fetch --unshallow" : ""));
}

history::Range Repository::range(const Revision& good, const Revision& bad) {
    if (good == bad) {
        throw Error(
            Errc::invalid_argument,
            fmt::format("--good and --bad are the same commit {}: no suspects", good.brief()));
    }
    const auto base = commands_.git({"merge-base", good.str(), bad.str()}, path_);
    if (base.output.starts_with(bad.str())) {
        throw Error(
            Errc::conflict,
            fmt::format(
                "the good commit {} is newer than the bad one {}; exchange them, and add --better "
                "to search for what made it better",
                good.brief(),
                bad.brief()));
    }
    try {
        return history::list_range(git_folder_.string(), good, bad);
    } catch (const Error& error) {
        if (!is_shallow()) throw;
        throw Error(
            error.code(),
            std::string(error.what()) + "; the repository is shallow: run git fetch --unshallow");
    }
}

std::vector<Revision> Repository::parents(const Revision& revision) {
    return history::list_parents(git_folder_.string(), revision);
}

history::PinMoves Repository::pins(const Revision& revision) {
    try {
        return history::find_pins(git_folder_.string(), revision);
    } catch (const Error&) {
        return {};  // a partial clone: the answer does without
    }
}

EnvironmentVariables Repository::version_variables(const Revision& revision) {
    const auto line = [&](const std::vector<std::string>& arguments) {
        const auto doing = "reading commit " + revision.brief();
        return text::one_line(output(arguments, doing, {{"TZ", "UTC"}}), 300);
    };
    return {
        {"VIGIL_REVISION", revision.str()},
        {"VIGIL_DESCRIBE", line({"describe", "--tags", "--always", "--abbrev=10", revision.str()})},
        {"VIGIL_DATE",
         line(
             {"log",
              "-1",
              "--no-show-signature",
              "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
              "--format=%cd",
              revision.str(),
              "--"})}};
}

bool Repository::has_submodules(const Revision& revision) {
    const auto report = commands_.git({"cat-file", "-e", revision.str() + ":.gitmodules"}, path_);
    return failure_of(report).empty();
}

history::Commit Repository::describe(const Revision& revision) {
    const auto parts = split(
        output(
            {"log", "-1", "--no-show-signature", "--format=%an%x00%s%x00", revision.str(), "--"},
            "reading commit " + revision.brief()),
        '\0');
    history::Commit commit;
    commit.revision = revision;
    if (!parts.empty()) commit.author = text::one_line(parts[0], 200);
    if (parts.size() > 1) commit.subject = text::one_line(parts[1], 200);
    return commit;
}

std::vector<bool> Repository::touching(const history::Range& range, const std::string& path) {
    const auto& suspects = range.suspects;
    if (path.empty()) return std::vector<bool>(suspects.size(), false);
    const auto listed = split(
        output(
            {"log",
             "--first-parent",
             "-m",
             "--no-show-signature",
             "--format=%H",
             range.base.str() + ".." + suspects.back().revision.str(),
             "--",
             ":(top)" + path},
            "listing the commits that touch " + text::one_line(path, 200)),
        '\n');
    const std::set<std::string> touched(listed.begin(), listed.end());
    std::vector<bool> found;
    for (const auto& suspect : suspects) found.push_back(touched.contains(suspect.revision.str()));
    return found;
}

std::set<std::string> Repository::changed_files(const Revision& from, const Revision& to) {
    const auto report = commands_.git(
        {"diff-tree", "-r", "-z", "--name-only", "--no-ext-diff", from.str(), to.str()}, path_);
    std::set<std::string> changed;
    if (!failure_of(report).empty() || report.truncated) return changed;
    for (const auto& name : split(report.output, '\0')) {
        if (!name.empty()) changed.insert(name);
    }
    return changed;
}

void Repository::add_worktree(const fs::path& folder, const Revision& revision) {
    const auto report = commands_.git(
        {"worktree", "add", "--force", "--force", "--detach", folder.string(), revision.str()},
        path_);
    check_started(report);
    const auto failure = failure_of(report);
    if (failure.empty()) return;
    std::string message =
        fmt::format("checking out {} into {}: git: {}", revision.brief(), folder.string(), failure);
    if (misses_object(report.errors)) {
        message +=
            "; an object is missing or broken: run git fsck in the repository, fetch it again (git "
            "fetch --refetch, or a new clone), and the same command goes on";
    }
    throw Error(Errc::unavailable, message);
}

bool Repository::renew_worktree(const fs::path& folder, const Revision& revision) {
    if (history::hides_changes(folder.string())) return false;
    const auto taken = commands_.git({"checkout", "--force", "--detach", revision.str()}, folder);
    if (!failure_of(taken).empty()) return false;
    const auto cleaned = commands_.git({"clean", "-ffdxq"}, folder);
    return failure_of(cleaned).empty();
}

void Repository::forget_worktree(const fs::path& folder) {
    // It may never have been registered: nothing to say then.
    commands_.git(
        {"worktree", "remove", "--force", "--force", folder.string()}, path_, OnStop::go_on);
}

}  // namespace vigil::local
