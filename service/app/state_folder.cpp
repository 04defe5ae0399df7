#include "service/app/state_folder.hpp"

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "service/store/content_index.hpp"
#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"
#include "service/store/tokens.hpp"

namespace vigil::service {

namespace fs = std::filesystem;

namespace {

fs::path made(const std::string& path) {
    const auto folder = fs::absolute(path);
    std::error_code failure;
    if (fs::create_directories(folder, failure)) {
        fs::permissions(folder, fs::perms::owner_all, failure);
    }
    if (failure) {
        throw Error(
            Errc::unavailable,
            "making the state folder " + folder.string() + ": " + failure.message());
    }
    return folder;
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

bool has_admin(Database& db) {
    return db
        .find<int>("SELECT 1 FROM token WHERE scope = 'admin' AND revoked_at_s IS NULL LIMIT 1")
        .has_value();
}

// The token's row is committed after its file is written: a crash in between leaves a file that
// opens nothing, and the next start writes another.
void ensure_admin_token(Database& db, const fs::path& folder) {
    Transaction transaction(db);
    if (has_admin(db)) return;
    const auto secret = create_token(db, "admin", Scope::admin, system_now_s());
    write_secret(folder / "admin.token", secret);
    transaction.commit();
    log_info("token.created", {{"scope", "admin"}, {"file", (folder / "admin.token").string()}});
}

}  // namespace

StateFolder::StateFolder(const Config& config) : folder_(made(config.state_dir)), lock_(folder_) {
    auto db = open_writer();
    migrate(db);
    ensure_admin_token(db, folder_);
    Transaction transaction(db);
    ensure_names(db, config, system_now_s());
    transaction.commit();
    auto content = open_content();
    content.sweep();
    // Whose upload was cut before it was acknowledged.
    for (const auto& digest : list_unknown(db, content.list())) content.remove(digest);
}

void ensure_names(Database& db, const Config& config, std::int64_t now_s) {
    for (const auto& [name, project] : config.projects) ensure_project(db, name, now_s);
    for (const auto& [name, machine_class] : config.machine_classes) {
        ensure_machine_class(db, name);
    }
}

Database StateFolder::open_writer() const {
    return Database::open_writer(folder_ / "ledger.sqlite");
}

Database StateFolder::open_reader() const {
    return Database::open_reader(folder_ / "ledger.sqlite");
}

ContentStore StateFolder::open_content() const {
    return ContentStore(folder_ / "content");
}

}  // namespace vigil::service
