#include "service/app/state_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/store/audit.hpp"
#include "service/store/content_index.hpp"
#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"
#include "service/store/steady.hpp"
#include "service/store/tokens.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

namespace fs = std::filesystem;

namespace {

constexpr auto ledger_name = "ledger.sqlite";
constexpr auto unknown_name = "unknown";

[[noreturn]] void refuse_folder(Errc code, const fs::path& folder, const std::string& why) {
    throw Error(code, "the state folder " + folder.string() + " " + why);
}

// Its secrets and its ledger are for one user: who else may write there decides what we run.
fs::path made(const std::string& path) {
    const auto folder = fs::absolute(path);
    std::error_code failure;
    fs::create_directories(folder.parent_path(), failure);
    if (!failure && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        failure = std::error_code(errno, std::generic_category());
    }
    struct stat status {};
    if (!failure && ::stat(folder.c_str(), &status) != 0) {
        failure = std::error_code(errno, std::generic_category());
    }
    if (failure) refuse_folder(Errc::unavailable, folder, "cannot be made: " + failure.message());
    if (!S_ISDIR(status.st_mode)) refuse_folder(Errc::conflict, folder, "is no folder");
    if (status.st_uid != ::geteuid()) {
        refuse_folder(
            Errc::denied,
            folder,
            "belongs to user " + std::to_string(status.st_uid) + ", not to user " +
                std::to_string(::geteuid()) + " who runs vigild; start it as that user, or name " +
                "another state_dir");
    }
    if ((status.st_mode & 07777) == 0700) return folder;
    if (::chmod(folder.c_str(), 0700) != 0) {
        refuse_folder(
            Errc::denied, folder, "is open to others, and cannot be closed to them (chmod 700)");
    }
    log_warn(
        "state_folder.closed",
        {{"folder", folder.string()},
         {"mode_before", fmt::format("{:o}", status.st_mode & 07777)}});
    return folder;
}

// What lies in a folder besides what the first start makes before there is a ledger, and what a
// file system of its own has.
std::vector<std::string> list_rest(const fs::path& folder, bool has_file) {
    std::vector<std::string> rest;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure)) {
        auto name = at->path().filename().string();
        if (name == "lock" || name == "lost+found" || name == unknown_name) continue;
        if (has_file && name.starts_with(ledger_name)) continue;  // and -wal, -shm
        rest.push_back(std::move(name));
    }
    if (failure) refuse_folder(Errc::unavailable, folder, "cannot be read: " + failure.message());
    std::sort(rest.begin(), rest.end());
    return rest;
}

[[noreturn]] void refuse_rest(const fs::path& folder, const std::vector<std::string>& rest) {
    constexpr std::size_t max_reported = 5;
    std::string names;
    for (std::size_t i = 0; i < std::min(rest.size(), max_reported); ++i) {
        names += (i == 0 ? "" : ", ") + text::one_line(rest[i], 60);
    }
    if (rest.size() > max_reported) names += ", ...";
    refuse_folder(
        Errc::conflict,
        folder,
        "has no ledger (ledger.sqlite is missing or empty) but holds " + names +
            "; a new ledger would know nothing of it. Put the ledger back (from a backup, with its "
            "-wal if there is one), or name an empty folder, or use --new-ledger: then all of it "
            "is moved to " +
            (folder / unknown_name).string() + " and a new ledger begins");
}

void make_folder(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) {
        throw Error(
            Errc::unavailable, "making the folder " + folder.string() + ": " + failure.message());
    }
}

void set_rest_aside(const fs::path& folder, const std::vector<std::string>& rest) {
    fs::path target;
    for (int number = 1; target.empty() || fs::exists(target); ++number) {
        target = folder / unknown_name / ("before-" + std::to_string(number));
    }
    make_folder(target);
    for (const auto& name : rest) {
        std::error_code failure;
        fs::rename(folder / name, target / name, failure);
        if (failure) {
            throw Error(
                Errc::unavailable,
                "moving " + (folder / name).string() + " to " + target.string() + ": " +
                    failure.message());
        }
    }
    log_warn("state_folder.set_aside", {{"folder", target.string()}, {"entries", rest.size()}});
}

// Readable by the owner from the first byte on.
void write_secret(const fs::path& file, const std::string& secret) {
    std::error_code ignored;
    fs::remove(file, ignored);
    const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const std::string line = secret + "\n";
    const bool written =
        out >= 0 && ::write(out, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
        ::fsync(out) == 0;
    const std::string why = std::strerror(errno);
    if (out >= 0) ::close(out);
    if (!written) throw Error(Errc::unavailable, "writing " + file.string() + ": " + why);
}

std::int64_t system_now_s() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

// The token's row is committed after its file is written: a crash in between leaves a file that
// opens nothing, and the next start writes another.
void ensure_admin_token(Database& db, const fs::path& folder) {
    Transaction transaction(db);
    const auto now_s = system_now_s();
    if (has_admin_token(db, now_s)) return;
    const auto secret = create_token(db, "admin", Scope::admin, now_s);
    const std::string why = "the ledger had no token of scope admin";
    add_audit(db, {now_s, "vigild", "", "token.add", "token/admin", why, "{}", ""});
    write_secret(folder / "admin.token", secret);
    transaction.commit();
    log_info("token.created", {{"scope", "admin"}, {"file", (folder / "admin.token").string()}});
}

}  // namespace

StateFolder::StateFolder(const Config& config, NewLedger rule)
    : folder_(made(config.state_dir)), lock_(folder_) {
    auto db = open_ledger(rule);
    migrate(db);
    ensure_admin_token(db, folder_);
    Transaction transaction(db);
    ensure_names(db, config, system_now_s());
    quarantine_unknown(db);
    transaction.commit();
}

Database StateFolder::open_ledger(NewLedger rule) {
    const auto file = folder_ / ledger_name;
    std::error_code missing;
    bool has_file = fs::file_size(file, missing) > 0 && !missing;
    if (has_file) {
        lock_.hold(file);
        auto db = open_writer();
        if (schema_version(db) > 0) return db;
    }
    // An empty file without its -wal is what a first start leaves that is cut off at once.
    has_file =
        has_file || (fs::exists(file, missing) && !fs::exists(file.string() + "-wal", missing));
    const auto rest = list_rest(folder_, has_file);
    if (!rest.empty() && rule == NewLedger::in_empty_folder) refuse_rest(folder_, rest);
    if (!rest.empty()) set_rest_aside(folder_, rest);
    auto db = open_writer();
    lock_.hold(file);
    return db;
}

// Content whose upload was cut before it was acknowledged, or that is newer than a ledger from a
// backup: we cannot tell which, so it is kept.
void StateFolder::quarantine_unknown(Database& db) const {
    auto content = open_content();
    content.sweep();
    const auto unknown = list_unknown(db, content.list());
    const auto folder = folder_ / unknown_name;
    if (!unknown.empty()) make_folder(folder);
    for (const auto& digest : unknown) content.quarantine(digest, folder);
    if (!unknown.empty()) {
        log_warn("content.unknown", {{"files", unknown.size()}, {"folder", folder.string()}});
    }
    std::error_code none;
    if (fs::is_empty(folder, none) || none) {
        end_trouble(db, "content.unknown", "content", system_now_s());
        return;
    }
    const Trouble trouble{
        .kind = "content.unknown",
        .subject = "content",
        .project = std::nullopt,
        .message =
            "the folder unknown/ of the state folder holds files unknown to this ledger; "
            "look at it and remove it, or restore the ledger that has them"};
    note_trouble(db, trouble, system_now_s());
}

void ensure_names(Database& db, const Config& config, std::int64_t now_s) {
    for (const auto& [name, project] : config.projects) ensure_project(db, name, now_s);
    for (const auto& [name, machine_class] : config.machine_classes) {
        ensure_machine_class(db, name);
    }
}

Database StateFolder::open_writer() const {
    return Database::open_writer(folder_ / ledger_name);
}

Database StateFolder::open_reader() const {
    return Database::open_reader(folder_ / ledger_name);
}

ContentStore StateFolder::open_content() const {
    return ContentStore(folder_ / "content");
}

std::int64_t StateFolder::steady_s() const {
    auto db = open_reader();
    return load_steady_s(db);
}

std::vector<ProjectName> StateFolder::projects() const {
    auto db = open_reader();
    return list_project_names(db);
}

}  // namespace vigil::service
