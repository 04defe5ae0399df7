#include "service/local/builds/submodules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bisect/history/submodules.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"

namespace vigil::local {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t digits_of_name = 40;
constexpr std::size_t most_shown = 200;

/// Whether a name leads no further than into the folder of modules: it is a stranger's text.
bool is_safe_name(const std::string& name) {
    const fs::path path(name);
    if (name.empty() || path.is_absolute()) return false;
    for (const auto& part : path) {
        if (part == "..") return false;
    }
    return true;
}

/// A folder of the worktree that no link on the way leads out of.
fs::path folder_below(fs::path tree, const std::string& path) {
    for (const auto& part : fs::path(path)) {
        tree /= part;
        const auto type = fs::symlink_status(tree).type();
        if (type == fs::file_type::not_found) fs::create_directory(tree);
        if (type != fs::file_type::not_found && type != fs::file_type::directory) {
            throw Error(Errc::invalid_argument, "something else lies in its place");
        }
    }
    return tree;
}

}  // namespace

/// A repository of the tree: the user's, or one of a submodule.
struct Submodules::Place {
    fs::path git_folder;              ///< where its commits are
    fs::path own;                     ///< what the user's clone has of it; may not be there
    std::vector<std::string> within;  ///< addresses, the project's first and its own last
};

Submodules::Submodules(Commands& commands, fs::path git_folder, fs::path mirrors)
    : commands_(commands), git_folder_(std::move(git_folder)), mirrors_(std::move(mirrors)) {}

std::string Submodules::fill(
    const fs::path& tree, const Revision& revision, const std::optional<MovedPin>& moved) {
    taken_ = 0;
    try {
        if (!fs::exists(fs::symlink_status(tree / ".gitmodules"))) return "";
        fill_from({git_folder_, git_folder_, {origin()}}, tree, revision, moved);
    } catch (const Error& error) {
        return text::one_line(error.what());
    } catch (const fs::filesystem_error& error) {
        return text::one_line(error.what());
    }
    return "";
}

fs::path Submodules::repository_of(
    const Revision& revision,
    const std::string& path,
    const Revision& before,
    const Revision& after) {
    for (const auto& one : history::list_submodules(git_folder_.string(), revision)) {
        if (one.path != path || !one.entry) continue;
        const std::vector<std::string> within{origin()};
        const auto address = history::submodule_address(*one.entry, within, 0);
        const auto own =
            is_safe_name(one.entry->name) ? git_folder_ / "modules" / one.entry->name : fs::path();
        const auto found = source_of(own, address, after);
        return has(found, before) ? found : source_of(fs::path(), address, before);
    }
    throw Error(Errc::not_found, "its .gitmodules has no " + text::one_line(path, most_shown));
}

void Submodules::fill_from(
    const Place& place,
    const fs::path& tree,
    const Revision& revision,
    const std::optional<MovedPin>& moved) {
    for (const auto& one : history::list_submodules(place.git_folder.string(), revision)) {
        if (!one.entry || !one.entry->wanted) continue;  // git leaves its folder empty too
        try {
            auto within = place.within;
            within.push_back(history::submodule_address(*one.entry, within, taken_));
            ++taken_;
            const auto own = is_safe_name(one.entry->name) ? place.own / "modules" / one.entry->name
                                                           : fs::path();
            const auto& pin = moved && moved->path == one.path ? moved->pin : one.pin;
            const auto source = source_of(own, within.back(), pin);
            const auto folder = folder_below(tree, one.path);
            run_git(
                {"--git-dir=" + source.string(),
                 "--work-tree=" + folder.string(),
                 "read-tree",
                 "--reset",
                 "-u",
                 pin.str()},
                folder,
                {{"GIT_INDEX_FILE", (mirrors_ / "index").string()}});
            std::error_code ignored;
            fs::remove(mirrors_ / "index", ignored);
            fill_from({source, own, within}, folder, pin, std::nullopt);
        } catch (const Error& error) {
            throw Error(
                error.code(),
                fmt::format(
                    "submodule \"{}\" cannot be had: {}",
                    text::one_line(one.path, most_shown),
                    error.what()));
        }
    }
}

fs::path Submodules::source_of(
    const fs::path& own, const std::string& address, const Revision& pin) {
    std::error_code failure;
    fs::create_directories(mirrors_, failure);
    if (failure) {
        throw Error(Errc::unavailable, "making " + mirrors_.string() + ": " + failure.message());
    }
    if (!own.empty() && has(own, pin)) return own;
    const auto name = wire::sha256(address).str().substr(0, digits_of_name) + ".git";
    const auto mirror = mirrors_ / name;
    if (has(mirror, pin)) return mirror;
    for (const auto& entry : fs::directory_iterator(mirrors_)) {  // of another address
        if (entry.path().extension() == ".git" && has(entry.path(), pin)) return entry.path();
    }
    fetch(mirror, address, pin);
    return mirror;
}

void Submodules::fetch(const fs::path& mirror, const std::string& address, const Revision& pin) {
    const auto git_dir = "--git-dir=" + mirror.string();
    // What an address leads to by itself is no path of this machine, and no command.
    const bool here = address.starts_with('/') || address.starts_with("file://");
    const EnvironmentVariables allowed{
        {"GIT_ALLOW_PROTOCOL", here ? "file" : "git:http:https:ssh"}};
    if (!fs::exists(mirror / "HEAD")) {
        run_git({"init", "-q", "--bare", "--template=", mirror.string()}, mirrors_, {});
    }
    const std::vector<std::string> fetch{
        git_dir,
        "fetch",
        "--no-tags",
        "--force",
        "--prune",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--",
        address};
    auto all = fetch;
    all.insert(all.end(), {"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"});
    run_git(all, mirrors_, allowed);
    if (has(mirror, pin)) return;
    auto one = fetch;
    one.erase(std::find(one.begin(), one.end(), "--prune"));
    one.push_back("+" + pin.str() + ":refs/pins/" + pin.str());
    try {
        run_git(one, mirrors_, allowed);
    } catch (const Error& error) {
        throw Error(
            Errc::not_found,
            fmt::format(
                "commit {} is on no branch and no tag of {}, or not any more: {}",
                pin.str(),
                text::one_line(address, most_shown),
                error.what()));
    }
}

void Submodules::run_git(
    const std::vector<std::string>& arguments,
    const fs::path& folder,
    const EnvironmentVariables& more) {
    const auto report = commands_.git(arguments, folder, OnStop::end, more);
    const auto failure = failure_of(report);
    if (!failure.empty()) throw Error(Errc::unavailable, "git: " + failure);
}

bool Submodules::has(const fs::path& git_folder, const Revision& revision) {
    std::error_code ignored;
    if (!fs::is_directory(git_folder / "objects", ignored)) return false;
    const auto report = commands_.git(
        {"--git-dir=" + git_folder.string(), "cat-file", "-e", revision.str() + "^{tree}"},
        mirrors_);
    return failure_of(report).empty();
}

/// What relative addresses are relative to: where the repository came from, else where it is.
std::string Submodules::origin() {
    const auto report = commands_.git(
        {"--git-dir=" + git_folder_.string(), "config", "--get", "remote.origin.url"}, git_folder_);
    std::string address = failure_of(report).empty() ? report.output : "";
    while (address.ends_with('\n')) address.pop_back();
    if (!address.empty()) return address;
    return git_folder_.filename() == ".git" ? git_folder_.parent_path().string()
                                            : git_folder_.string();
}

}  // namespace vigil::local
