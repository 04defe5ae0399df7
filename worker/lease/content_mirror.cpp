#include "worker/lease/content_mirror.hpp"

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"

namespace vigil::worker {

namespace {
constexpr std::chrono::seconds pause{60};  // after a failure
}

std::string download_content(
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

ContentMirror::ContentMirror(const std::string& url, const std::string& token)
    : client_(url, token), url_(url) {}

bool ContentMirror::fetch(
    const std::string& path,
    const Digest& digest,
    const std::filesystem::path& file,
    const http::CallOptions& options) {
    {
        const std::lock_guard lock(mutex_);
        if (Steady::now() < ask_at_) return false;
    }
    const auto why = download_content(client_, path, digest, file, options);
    const std::lock_guard lock(mutex_);
    if (why.empty() && failing_) log_info("content.from_cache", {{"cache", url_}});
    if (!why.empty() && !failing_) {
        log_warn(
            "content.cache_failed",
            {{"cache", url_},
             {"digest", digest.str()},
             {"why", why},
             {"todo", "the daemon is asked instead; see to the cache"}});
    }
    failing_ = !why.empty();
    if (failing_) ask_at_ = Steady::now() + pause;
    return !failing_;
}

}  // namespace vigil::worker
