#include "worker/lease/content_mirror.hpp"

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"

namespace vigil::worker {

namespace {

constexpr std::chrono::seconds pause{60};                   // after a failure
constexpr std::int64_t least_bytes_a_minute = 1024 * 1024;  // slower is a failure

/// @return  empty: the file is there, and right; else why not
std::string download(
    const http::Client& from,
    const std::string& path,
    const Digest& digest,
    const std::filesystem::path& file,
    const http::CallOptions& options) {
    try {
        const auto response = from.download(path, file, options);
        if (!response.ok()) return http::failure_text(response);
        const auto got = wire::sha256_file(file);
        if (got == digest) return "";
        std::filesystem::remove(file);
        log_warn(
            "content.wrong_bytes",
            {{"from", from.base().authority()}, {"digest", digest.str()}, {"got", got.str()}});
        return "what came has the digest " + got.str();
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

bool ContentMirror::is_open() const {
    const std::lock_guard lock(mutex_);
    return Steady::now() >= open_at_;
}

bool ContentMirror::fetch(
    const http::Client& from,
    const std::string& path,
    const Digest& digest,
    const std::filesystem::path& file,
    http::CallOptions options) {
    options.least_bytes_a_minute = least_bytes_a_minute;
    const auto why = download(from, path, digest, file, options);
    if (!why.empty()) {
        note_failure(why);
        return false;
    }
    const std::lock_guard lock(mutex_);
    if (failing_) log_info("content.mirror_works", {{"mirror", name_}});
    failing_ = false;
    return true;
}

void ContentMirror::note_failure(const std::string& why) {
    const std::lock_guard lock(mutex_);
    open_at_ = Steady::now() + pause;
    if (failing_) return;
    failing_ = true;
    log_warn(
        "content.mirror_failed",
        {{"mirror", name_}, {"why", why}, {"todo", "content comes from the daemon; see to it"}});
}

}  // namespace vigil::worker
