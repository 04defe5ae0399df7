#include "service/source/object_store.hpp"

#include <chrono>

#include "schema/http/client.hpp"
#include "schema/model/error.hpp"
#include "service/config/secret.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t own_link_s = 600;  // to begin a request of ours
constexpr std::chrono::minutes longest_transfer{30};
constexpr std::int64_t most_bytes_back = 64 * 1024;

http::CallOptions object_call(const std::atomic<bool>& stop) {
    http::CallOptions options;
    options.timeout = longest_transfer;
    options.max_response_bytes = most_bytes_back;
    options.stop = &stop;
    return options;
}

http::SigningKey read_access_key(const std::string& file) {
    const auto text = read_secret_file(file, "the access key of the object store");
    const auto line_end = text.find('\n');
    const auto secret =
        line_end == text.npos ? text.npos : text.find_first_not_of("\r\n", line_end);
    if (secret == text.npos) {
        throw Error(
            Errc::unavailable,
            "reading the access key of the object store: " + file +
                " must have two lines, the key's id and its secret");
    }
    auto id = text.substr(0, line_end);
    if (id.ends_with('\r')) id.pop_back();
    return {id, text.substr(secret)};
}

}  // namespace

std::string bucket_address(const ObjectStoreConfig& config) {
    if (config.path_style) return config.endpoint + "/" + config.bucket;
    const auto host_at = config.endpoint.find("://") + 3;
    return config.endpoint.substr(0, host_at) + config.bucket + "." +
           config.endpoint.substr(host_at);
}

ObjectStore::ObjectStore(const ObjectStoreConfig& config)
    : address_(bucket_address(config)),
      region_(config.region),
      link_s_(config.link_s),
      key_(read_access_key(config.access_key_file)) {}

std::string ObjectStore::path(
    const std::string& method,
    const Digest& digest,
    std::int64_t now_s,
    std::int64_t lasts_s) const {
    http::PresignedRequest request;
    request.method = method;
    request.base = http::parse_base_url(address_);
    request.path = "/" + digest.str();
    request.region = region_;
    request.now_s = now_s;
    request.lasts_s = lasts_s;
    return http::presign(request, key_);
}

std::string ObjectStore::link(const Digest& digest, std::int64_t now_s) const {
    return address_ + path("GET", digest, now_s, link_s_);
}

void ObjectStore::put(
    const Digest& digest,
    const std::filesystem::path& file,
    std::int64_t now_s,
    const std::atomic<bool>& stop) const {
    const auto answer = http::Client(address_).upload(
        path("PUT", digest, now_s, own_link_s), file, object_call(stop));
    if (answer.ok()) return;
    throw Error(Errc::unavailable, "sending " + digest.brief() + ": " + http::failure_text(answer));
}

void ObjectStore::remove(
    const Digest& digest, std::int64_t now_s, const std::atomic<bool>& stop) const {
    const auto answer = http::Client(address_).send(
        "DELETE", path("DELETE", digest, now_s, own_link_s), "", {}, object_call(stop));
    if (answer.ok() || answer.status == 404) return;
    throw Error(
        Errc::unavailable, "removing " + digest.brief() + ": " + http::failure_text(answer));
}

}  // namespace vigil::service
