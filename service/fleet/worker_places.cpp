#include "service/fleet/worker_places.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "service/fleet/decide.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_settings_bytes = std::size_t{1} << 20;

// Values come as arguments, so that no text of the config is read by a shell.
constexpr const char* script_text = R"(#!/bin/sh
# Runs one vigil-worker on a node, as soon as the daemon has given it a token.
# $1: its folder; $2: the program; $3: seconds without a job after which it ends
waited=0
until [ -e "$1/worker.json" ]; do
    waited=$((waited + 1))
    if [ "$waited" -gt 180 ]; then
        echo "no token came within 180 s" >&2
        exit 75
    fi
    sleep 1
done
exec "$2" --config "$1/worker.json" --until-idle "$3"
)";

[[noreturn]] void fail(const std::string& what, const std::string& why) {
    throw Error(Errc::unavailable, what + ": " + why);
}

void make_folder(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (!failure) fs::permissions(folder, fs::perms::owner_all, failure);
    if (failure) fail("making " + folder.string(), failure.message());
}

/// 0: it is not there.
std::int64_t changed_at_s(const fs::path& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 ? found.st_mtime : 0;
}

/// Whole or not at all, for its owner only.
void write_whole(const fs::path& file, const std::string& text, mode_t mode) {
    const auto partial = file.string() + ".partial";
    ::unlink(partial.c_str());
    const int fd = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) fail("writing " + partial, std::strerror(errno));
    const auto written = ::write(fd, text.data(), text.size());
    const bool synced = ::fsync(fd) == 0;
    const bool closed = ::close(fd) == 0;
    if (written != std::ssize(text) || !synced || !closed) {
        fail("writing " + partial, std::strerror(errno));
    }
    if (::rename(partial.c_str(), file.c_str()) != 0) {
        fail("writing " + file.string(), std::strerror(errno));
    }
}

}  // namespace

fs::path WorkerPlaces::log(const std::string& allocation) const {
    return place(allocation) / "worker.log";
}

void WorkerPlaces::prepare(const std::string& allocation) const {
    make_folder(folder_);
    make_folder(place(allocation));
    write_whole(script(), script_text, 0700);
}

void WorkerPlaces::give(
    const std::string& allocation,
    const std::string& settings,
    const std::string& worker,
    const std::string& token) const {
    const auto folder = place(allocation);
    const auto text = worker_settings(settings, worker, (folder / "token").string());
    make_folder(folder);
    write_whole(folder / "token", token + "\n", 0600);
    write_whole(folder / "worker.json", text, 0600);
}

void WorkerPlaces::take(const std::string& allocation) const {
    std::error_code ignored;
    fs::remove(place(allocation) / "worker.json", ignored);
    fs::remove(place(allocation) / "token", ignored);
}

void WorkerPlaces::clear(const std::string& allocation) const {
    std::error_code ignored;
    fs::remove_all(place(allocation), ignored);
}

int WorkerPlaces::clear_old(
    const std::string& fleet_name, const std::set<std::string>& open, std::int64_t now_s) const {
    int cleared = 0;
    std::error_code failure;
    for (fs::directory_iterator at(folder_, failure), end; at != end; at.increment(failure)) {
        const auto name = at->path().filename().string();
        if (!is_own_name(fleet_name, name) || open.contains(name)) continue;
        const auto changed_s = std::max(changed_at_s(at->path()), changed_at_s(log(name)));
        if (now_s - changed_s < kept_log_s) continue;
        clear(name);
        ++cleared;
    }
    return cleared;
}

std::string worker_settings(
    const std::string& settings, const std::string& worker, const std::string& token_file) {
    wire::JsonLimits limits;
    limits.max_bytes = max_settings_bytes;
    limits.comments = wire::Comments::allowed;
    auto json = wire::parse_json(settings, "the worker_file of the fleet", limits);
    if (!json.is_object()) {
        throw Error(Errc::invalid_argument, "the worker_file of the fleet is no JSON object");
    }
    json["name"] = worker;
    json["token_file"] = token_file;
    return wire::write_json(json) + "\n";
}

std::string read_settings(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) fail("reading " + file.string(), "it cannot be opened");
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace vigil::service
