#include "service/source/git_clone.hpp"

#include <system_error>
#include <vector>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/source/git_fetch.hpp"
#include "service/source/git_library.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t min_prefix = 7;

[[noreturn]] void throw_disk(const std::string& attempt, const std::error_code& code) {
    throw Error(Errc::unavailable, attempt + ": " + code.message());
}

/// Also true when we may not look: whatever comes next says why it fails.
bool is_there(const fs::path& path) {
    std::error_code code;
    return fs::exists(path, code) || code;
}

void remove_folder(const fs::path& folder) {
    std::error_code code;
    fs::remove_all(folder, code);
    if (code) throw_disk("removing " + folder.string(), code);
}

/// Lock files and half-written packs of a process that was killed. Nobody else writes here: the
/// daemon holds the lock of the state folder.
void remove_leftovers(const fs::path& folder) {
    std::error_code code;
    std::vector<fs::path> found;
    const auto collect = [&](const fs::path& below, auto matches) {
        for (fs::recursive_directory_iterator at(below, code), end; !code && at != end;
             at.increment(code)) {
            if (at->is_regular_file(code) && matches(at->path())) found.push_back(at->path());
        }
        code.clear();
    };
    collect(folder / "refs", [](const fs::path& file) { return file.extension() == ".lock"; });
    collect(folder / "objects" / "pack", [](const fs::path& file) {
        const std::string name = file.filename().string();  // complete ones are "pack-<hash>"
        return name.starts_with("pack_") || name.starts_with("tmp_");
    });
    for (const auto* name : {"packed-refs.lock", "config.lock", "HEAD.lock"}) {
        if (fs::exists(folder / name, code)) found.push_back(folder / name);
    }
    for (const auto& file : found) fs::remove(file, code);
}

GitPointer<git_commit> load_commit(
    git_repository* repository, const Revision& revision, const std::string& origin) {
    if (auto commit = find_commit(repository, revision.str())) return commit;
    throw Error(
        Errc::not_found,
        "revision " + revision.str() + " is not in " + without_credentials(origin));
}

Revision to_revision(const git_oid* oid) {
    return Revision(std::string(git_oid_tostr_s(oid)));
}

std::optional<Revision> peel(git_repository* repository, const std::string& reference_name) {
    git_reference* raw = nullptr;
    if (git_reference_lookup(&raw, repository, reference_name.c_str()) != 0) return std::nullopt;
    const GitPointer<git_reference> reference(raw);
    git_object* object = nullptr;
    if (git_reference_peel(&object, reference.get(), GIT_OBJECT_COMMIT) != 0) return std::nullopt;
    const GitPointer<git_object> commit(object);
    return to_revision(git_object_id(commit.get()));
}

std::string list_branches(git_repository* repository) {
    constexpr int most = 10;
    git_branch_iterator* iterator = nullptr;
    if (git_branch_iterator_new(&iterator, repository, GIT_BRANCH_LOCAL) != 0) return "none";
    std::string names;
    git_reference* reference = nullptr;
    git_branch_t type = GIT_BRANCH_LOCAL;
    for (int count = 0; git_branch_next(&reference, &type, iterator) == 0; ++count) {
        if (count < most)
            names +=
                (count > 0 ? ", " : "") + text::one_line(git_reference_shorthand(reference), 80);
        if (count == most) names += ", ...";
        git_reference_free(reference);
    }
    git_branch_iterator_free(iterator);
    return names.empty() ? "none" : names;
}

}  // namespace

void GitClone::Close::operator()(git_repository* repository) const {
    git_repository_free(repository);
}

GitClone::GitClone(fs::path folder, std::string origin, GitLimits limits)
    : folder_(std::move(folder)), origin_(std::move(origin)), limits_(limits) {}

GitClone GitClone::open_or_clone(
    const fs::path& folder, const std::string& origin, GitLimits limits) {
    start_git();
    if (origin.empty()) refuse("cloning: no repository is named");
    const fs::path partial = folder.string() + ".partial";
    remove_folder(partial);
    if (!is_there(folder)) {
        std::error_code disk;
        fs::create_directories(folder.parent_path(), disk);
        if (disk) throw_disk("making " + folder.parent_path().string(), disk);
        try {
            first_fetch(partial, origin, limits);
        } catch (const Error&) {
            fs::remove_all(partial, disk);  // the error that counts is the other one
            throw;
        }
        fs::rename(partial, folder, disk);
        if (disk) throw_disk("moving the mirror to " + folder.string(), disk);
    }
    remove_leftovers(folder);
    GitClone clone(folder, origin, limits);
    git_repository* opened = nullptr;
    const int code = git_repository_open_bare(&opened, folder.c_str());
    if (code != 0) {
        throw Error(
            Errc::unavailable,
            "opening the mirror " + folder.string() + ": " + git_reason() +
                "; remove the folder and it is cloned again");
    }
    clone.repository_.reset(opened);
    return clone;
}

GitClone GitClone::open_or_clone(
    const ProjectConfig& project, const Config& config, GitLimits limits) {
    if (project.source.repository.empty()) {
        refuse("project " + project.name + " names no repository; set source.repository");
    }
    return open_or_clone(clone_folder(config, project.name), project.source.repository, limits);
}

void GitClone::fetch() {
    fetch_into(folder_, origin_, limits_);
}

void GitClone::fetch_pull(std::int64_t number) {
    fetch_pull_into(folder_, origin_, limits_, number);
}

void GitClone::fetch_commit(const Revision& revision) {
    fetch_commit_into(folder_, origin_, limits_, revision);
}

Revision GitClone::merge_base(const Revision& a, const Revision& b) const {
    const auto one = to_oid(a.str());
    const auto other = to_oid(b.str());
    git_oid base;
    const int code =
        one && other ? git_merge_base(&base, repository_.get(), &*one, &*other) : GIT_ENOTFOUND;
    if (code != 0) {
        throw_git(
            code,
            "finding the commit that " + a.brief() + " and " + b.brief() + " of " +
                without_credentials(origin_) + " share");
    }
    return to_revision(&base);
}

Revision GitClone::tip(const std::string& branch) const {
    if (const auto found = peel(repository_.get(), "refs/heads/" + branch)) return *found;
    throw Error(
        Errc::not_found,
        without_credentials(origin_) + " has no branch \"" + text::one_line(branch, 80) +
            "\"; it has: " + list_branches(repository_.get()));
}

bool GitClone::contains(const Revision& revision) const {
    return find_commit(repository_.get(), revision.str()) != nullptr;
}

bool GitClone::holds(const Revision& newer, const Revision& older) const {
    if (newer == older) return true;
    const auto from = to_oid(newer.str());
    const auto to = to_oid(older.str());
    const int code =
        from && to ? git_graph_descendant_of(repository_.get(), &*from, &*to) : GIT_ENOTFOUND;
    if (code < 0) {
        throw_git(
            code,
            "ordering commits " + newer.brief() + " and " + older.brief() + " of " +
                without_credentials(origin_));
    }
    return code == 1;
}

std::int64_t GitClone::committed_at_s(const Revision& revision) const {
    return git_commit_time(load_commit(repository_.get(), revision, origin_).get());
}

std::string GitClone::describe(const Revision& revision) const {
    try {
        return describe_in(folder_, limits_, revision);
    } catch (const Error&) {
        return revision.brief();
    }
}

void GitClone::archive(const Revision& revision, const fs::path& file) const {
    archive_in(folder_, limits_, revision, file);
}

std::string GitClone::message(const Revision& revision) const {
    return git_commit_message_raw(load_commit(repository_.get(), revision, origin_).get());
}

std::optional<Revision> GitClone::find_revision(const std::string& name) const {
    if (const auto commit = find_commit(repository_.get(), name)) return Revision(name);
    for (const auto* space : {"refs/heads/", "refs/tags/"}) {
        if (const auto found = peel(repository_.get(), space + name)) return found;
    }
    git_oid oid;
    if (name.size() < min_prefix || name.size() >= GIT_OID_HEXSZ || !is_lower_hex(name) ||
        git_oid_fromstrn(&oid, name.c_str(), name.size()) != 0) {
        return std::nullopt;
    }
    git_commit* raw = nullptr;
    if (git_commit_lookup_prefix(&raw, repository_.get(), &oid, name.size()) != 0) {
        return std::nullopt;
    }
    const GitPointer<git_commit> commit(raw);
    return to_revision(git_commit_id(commit.get()));
}

std::optional<Revision> GitClone::find_fixed(const std::string& name) const {
    if (peel(repository_.get(), "refs/heads/" + name)) return std::nullopt;
    return find_revision(name);
}

fs::path clone_folder(const Config& config, const std::string& project) {
    VIGIL_ASSERT(!project.empty() && project.find('/') == project.npos && project.front() != '.');
    return fs::path(config.state_dir) / "git" / (project + ".git");
}

}  // namespace vigil::service
