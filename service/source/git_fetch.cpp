#include "service/source/git_fetch.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <unistd.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/config/text_rules.hpp"
#include "service/source/child.hpp"
#include "service/source/git_library.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;

constexpr auto shallow_words = "shallow roots are not allowed";

/// Where the objects of an origin on this machine lie; nullopt: elsewhere, or not to be seen.
std::optional<fs::path> local_git_folder(const std::string& origin) {
    const auto path = path_here(origin);
    if (!path) return std::nullopt;
    std::error_code code;
    for (const auto& folder : {fs::path(*path) / ".git", fs::path(*path)}) {
        if (fs::is_directory(folder / "objects", code)) return folder;
    }
    return std::nullopt;
}

bool has_promisor_packs(const fs::path& git_folder) {
    std::error_code code;
    for (fs::directory_iterator at(git_folder / "objects" / "pack", code), end; !code && at != end;
         at.increment(code)) {
        if (at->path().extension() == ".promisor") return true;
    }
    return false;
}

/// Why an origin cannot give all that it names; empty: nothing known.
std::string lack_of(const std::string& origin) {
    const auto folder = local_git_folder(origin);
    std::error_code code;
    if (folder && fs::exists(*folder / "shallow", code)) {
        return "it is a shallow clone, which lacks the older commits; run git fetch --unshallow "
               "there, or name the repository it came from";
    }
    if (folder && has_promisor_packs(*folder)) {
        return "it is a partial clone (made with --filter), which lacks objects; run git fetch "
               "--refetch --no-filter there, or name the repository it came from";
    }
    return "";
}

/// A value of git's config, quoted.
std::string config_value(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

/// All the settings there are: no user's and no machine's.
std::string settings_for(const std::string& origin) {
    std::string text =
        "[safe]\n\tdirectory = *\n"
        "[core]\n\thooksPath = /dev/null\n\tfsync = all\n"
        "[init]\n\ttemplateDir =\n"
        "[gc]\n\tauto = 0\n"
        "[maintenance]\n\tauto = false\n"
        "[credential]\n\thelper =\n"
        "[protocol]\n\tallow = never\n";
    for (const std::string_view name : {"file", "git", "http", "https", "ssh"}) {
        if (name == "file" && !path_here(origin)) continue;  // no address leads back here
        text += "[protocol \"" + std::string(name) + "\"]\n\tallow = always\n";
    }
    text += "[remote \"source\"]\n\turl = " + config_value(origin) +
            "\n\tfetch = +refs/heads/*:refs/heads/*\n\tfetch = +refs/tags/*:refs/tags/*\n";
    return text;
}

/// The settings as a file of its own, gone with the fetch.
class SettingsFile {
  public:
    SettingsFile(const fs::path& folder, const std::string& origin)
        : path_(folder.string() + ".settings") {
        const std::string text = settings_for(origin);
        std::error_code ignored;
        fs::remove(path_, ignored);  // a killed process leaves one
        const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        const bool written =
            file >= 0 && ::write(file, text.data(), text.size()) == std::ssize(text);
        const std::string why = std::strerror(errno);
        if (file >= 0) ::close(file);
        if (!written) throw Error(Errc::unavailable, "writing " + path_.string() + ": " + why);
    }
    ~SettingsFile() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    SettingsFile(const SettingsFile&) = delete;
    SettingsFile& operator=(const SettingsFile&) = delete;

    EnvironmentVariables environment() const {
        return {
            {"GIT_CONFIG_NOSYSTEM", "1"},
            {"GIT_CONFIG_GLOBAL", path_.string()},
            {"GIT_CONFIG_COUNT", "0"},
            {"GIT_TERMINAL_PROMPT", "0"},
            {"GIT_ASKPASS", ""},
            {"SSH_ASKPASS", ""},
            {"GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=30"},
            {"GIT_NO_LAZY_FETCH", "1"},
            {"LC_ALL", "C"},
            {"LANGUAGE", ""}};
    }

  private:
    fs::path path_;
};

/// The lines in which git says why; its talk about the progress is none of them.
std::string complaint(const std::string& errors) {
    constexpr std::size_t most = 400;
    std::string words;
    std::string_view text = errors;
    while (!text.empty() && words.size() < most) {
        const auto end = std::min(text.find_first_of("\r\n"), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with("remote: ")) line.remove_prefix(8);
        bool told = line.find("[rejected]") != line.npos;
        for (const std::string_view mark : {"fatal: ", "error: ", "ERROR: "}) {
            if (!line.starts_with(mark)) continue;
            line.remove_prefix(mark.size());
            told = true;
        }
        if (told && words.find(line) == words.npos) {
            words += (words.empty() ? "" : "; ") + std::string(line);
        }
    }
    return words.empty() ? "git gives no reason" : text::one_line(without_addresses(words), most);
}

[[noreturn]] void throw_complaint(
    const std::string& attempt,
    const std::string& origin,
    const ChildResult& result,
    const GitLimits& limits) {
    const auto lack = lack_of(origin);
    if (!lack.empty()) refuse(attempt + ": " + lack);
    const std::string& all = result.errors;
    const auto says = [&](auto... words) { return ((all.find(words) != all.npos) || ...); };
    const std::string reason = attempt + ": " + complaint(all);
    if (says("signal 25", "File too large")) {  // SIGXFSZ, or the error where that is ignored
        refuse(
            attempt + ": it is larger than the limit of " + std::to_string(limits.max_bytes) +
            " bytes");
    }
    if (says("could not read Username", "could not read Password", "Authentication failed")) {
        refuse(attempt + ": it asks for credentials; give an address that can be read without");
    }
    if (says("shallow update not allowed", shallow_words)) {
        refuse(attempt + ": it is a shallow clone; name the repository it came from");
    }
    if (says("promisor", "lazy fetching")) {
        refuse(
            attempt +
            ": it is a partial clone, which lacks objects; name the repository it came "
            "from (" +
            complaint(all) + ")");
    }
    if (says("does not appear to be a git repository")) {
        throw Error(
            Errc::not_found,
            attempt + (path_here(origin)
                           ? ": this folder of this machine is there, and is no git repository"
                           : ": the other machine has no git repository at the path behind its "
                             "name, or does not show it"));
    }
    const bool wrong = says("Unable to find remote helper", "unable to find remote helper") ||
                       (says("transport '") && says("' not allowed"));
    const bool gone = says("not found", "does not exist", "couldn't find remote ref");
    throw Error(
        wrong  ? Errc::invalid_argument
        : gone ? Errc::not_found
               : Errc::unavailable,
        reason);
}

ChildResult run_git(
    const std::string& attempt,
    const std::vector<std::string>& arguments,
    const fs::path& folder,
    const std::string& origin,
    const GitLimits& limits) {
    const auto program = find_program("git");
    if (!program) {
        throw Error(
            Errc::unavailable, attempt + ": git is not on PATH; install Debian's package git");
    }
    Command command{*program};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ChildLimits child;
    child.timeout_s = limits.timeout_s;
    child.silence_s = limits.silence_s;
    child.file_bytes = limits.max_bytes;
    child.stop = limits.stop;
    const SettingsFile settings(folder, origin);
    return attempting(attempt, [&] {
        return run_child(command, folder.parent_path(), settings.environment(), child);
    });
}

/// Nothing that is written is lost by a power cut after the folder has its name.
void sync_disk_of(const fs::path& folder) {
    const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = handle >= 0 && ::syncfs(handle) == 0;
    const std::string why = std::strerror(errno);
    if (handle >= 0) ::close(handle);
    if (!synced) throw Error(Errc::unavailable, "syncing " + folder.string() + ": " + why);
}

/// Links or copies the objects of a repository that is whole and lies on this machine.
/// @return  false: it is not of that kind, or cannot be taken that way
bool link_local(
    const std::string& attempt,
    const fs::path& folder,
    const std::string& origin,
    const GitLimits& limits) {
    if (!is_path(origin)) return false;
    const auto git_folder = local_git_folder(origin);
    std::error_code code;
    const bool whole = git_folder && lack_of(origin).empty() &&
                       !fs::exists(*git_folder / "objects/info/alternates", code);
    if (!whole) return false;
    const auto from = fs::absolute(origin).string();
    const auto result = run_git(
        attempt,
        {"clone", "--bare", "--progress", "--", from, folder.string()},
        folder,
        origin,
        limits);
    if (result.exit_code == 0) return true;
    fs::remove_all(folder, code);  // what is wrong with it, a transfer says
    return false;
}

std::string attempt_on(const std::string& origin) {
    return "fetching " + without_credentials(origin);
}

void check_is_there(const std::string& attempt, const std::string& origin) {
    std::error_code code;
    if (is_path(origin) && !fs::exists(origin, code) && !code) {
        throw Error(
            Errc::not_found,
            attempt +
                ": there is no such folder on this machine. It is spelled as a path, and the names "
                "of a clone's remotes are not known here: give a path or an address");
    }
}

}  // namespace

void first_fetch(const fs::path& folder, const std::string& origin, const GitLimits& limits) {
    const std::string attempt = attempt_on(origin);
    check_is_there(attempt, origin);
    if (!link_local(attempt, folder, origin, limits)) {
        git_repository* made = nullptr;
        const int code = git_repository_init(&made, folder.c_str(), 1);
        if (code != 0) throw_git(code, "making the mirror " + folder.string());
        git_repository_free(made);
        fetch_into(folder, origin, limits);
    }
    sync_disk_of(folder);
}

namespace {

void run_fetch(
    const fs::path& folder,
    const std::string& origin,
    const GitLimits& limits,
    const std::vector<std::string>& more) {
    const std::string attempt = attempt_on(origin);
    check_is_there(attempt, origin);
    std::vector<std::string> arguments{
        "--git-dir=" + folder.string(),
        "fetch",
        "--no-tags",  // the second refspec mirrors them
        "--force",
        "--no-auto-maintenance",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--no-show-forced-updates",
        "--progress"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = run_git(attempt, arguments, folder, origin, limits);
    // It leaves out the branches of a shallow origin and calls that success.
    const bool left_out = result.errors.find(shallow_words) != result.errors.npos;
    if (result.exit_code != 0 || left_out) throw_complaint(attempt, origin, result, limits);
}

}  // namespace

// It prunes before it updates: a branch "a" that became "a/b" would be in its own way otherwise.
void fetch_into(const fs::path& folder, const std::string& origin, const GitLimits& limits) {
    run_fetch(folder, origin, limits, {"--prune", "source"});
}

void fetch_pull_into(
    const fs::path& folder,
    const std::string& origin,
    const GitLimits& limits,
    std::int64_t number) {
    const auto head = "refs/pull/" + std::to_string(number) + "/head";
    run_fetch(folder, origin, limits, {"source", "+" + head + ":" + head});
}

void fetch_commit_into(
    const fs::path& folder,
    const std::string& origin,
    const GitLimits& limits,
    const Revision& revision) {
    run_fetch(
        folder, origin, limits, {"source", "+" + revision.str() + ":refs/pins/" + revision.str()});
}

std::string describe_in(const fs::path& folder, const GitLimits& limits, const Revision& revision) {
    constexpr int timeout_s = 60;
    constexpr std::size_t most = 300;
    GitLimits short_limits = limits;
    short_limits.timeout_s = timeout_s;
    const std::string attempt = "describing " + revision.brief();
    auto result = run_git(
        attempt,
        {"--git-dir=" + folder.string(),
         "describe",
         "--tags",
         "--always",
         "--abbrev=10",
         revision.str()},
        folder,
        folder.string(),
        short_limits);
    auto& name = result.output;
    while (!name.empty() && name.back() == '\n') name.pop_back();
    if (result.exit_code != 0 || name.empty() || name.size() > most) {
        throw Error(Errc::unavailable, attempt + ": " + complaint(result.errors));
    }
    return name;
}

void archive_in(
    const fs::path& folder,
    const GitLimits& limits,
    const Revision& revision,
    const fs::path& file) {
    GitLimits silent = limits;
    silent.silence_s = 0;  // it says nothing while it works
    const std::string attempt = "archiving " + revision.brief();
    const auto result = run_git(
        attempt,
        {"--git-dir=" + folder.string(),
         "archive",
         "--format=tar",
         "--output=" + file.string(),
         revision.str()},
        folder,
        folder.string(),
        silent);
    if (result.exit_code != 0) {
        throw Error(Errc::unavailable, attempt + ": " + complaint(result.errors));
    }
}

}  // namespace vigil::service
