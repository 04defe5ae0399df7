#include "service/source/http_fetcher.hpp"

#include <charconv>
#include <system_error>
#include <utility>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"
#include "service/source/index_page.hpp"
#include "service/source/temporary_file.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;

constexpr int max_redirects = 5;
constexpr int max_stalls = 2;  // tries in a row that bring nothing, or next to nothing
constexpr int max_tries = 200;
constexpr std::chrono::seconds slow_try{50};
constexpr std::chrono::minutes page_timeout{2};
constexpr std::chrono::minutes file_timeout{60};        // of one try
constexpr std::int64_t least_bytes_a_minute = 1 << 20;  // 17 kB/s: slower, none arrives

/// The server and the path of an address.
struct Address {
    std::string server;
    std::string path;
};

Address address_of(const std::string& url) {
    const auto mark = url.find("://");
    const auto end = mark == url.npos ? url.npos : url.find('/', mark + 3);
    if (end == url.npos) refuse("it is no address of a file");
    return {url.substr(0, end), url.substr(end)};
}

std::string header_of(const http::Response& response, const char* name) {
    const auto found = response.headers.find(name);
    return found == response.headers.end() ? "" : found->second;
}

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// What an answer that is none of 2xx means.
[[noreturn]] void throw_status(const http::Response& response) {
    const bool gone = response.status == 404 || response.status == 410;
    throw Error(
        gone ? Errc::not_found : Errc::unavailable,
        "the server answered " + std::to_string(response.status));
}

/// Calls `send` with the address, and with the one it leads to as long as it leads on.
template <class Send>
std::pair<std::string, http::Response> follow(std::string url, Send send) {
    for (int count = 0;; ++count) {
        const Address address = address_of(url);
        http::Response response = send(http::Client(address.server), address.path);
        if (!is_redirect(response.status)) return {url, std::move(response)};
        const auto next = resolve_link(url, header_of(response, "location"));
        if (!next || !may_follow(url, *next)) {
            refuse("it leads to an address that is not followed");
        }
        if (count == max_redirects) throw Error(Errc::unavailable, "it leads on and on");
        url = *next;
    }
}

void write_file(const fs::path& file, const std::string& text) {
    if (!replace_file(file, text)) {
        throw Error(Errc::unavailable, "writing " + file.string() + " failed");
    }
}

std::int64_t bytes_of(const fs::path& file) {
    std::error_code missing;
    const auto bytes = fs::file_size(file, missing);
    return missing ? 0 : static_cast<std::int64_t>(bytes);
}

bool is_strong(const std::string& etag) {
    return etag.size() > 2 && etag.front() == '"' && etag.back() == '"' && etag.size() < 500;
}

std::string getting_words(const std::string& url) {
    return "getting " + text::one_line(without_credentials(url), 300);
}

}  // namespace

/// What a server says of a file before it is sent.
struct HttpFetcher::Found {
    std::string url;                     ///< where it is in the end
    std::string etag;                    ///< strong, else empty
    std::optional<std::int64_t> length;  ///< when it says so
};

HttpFetcher::HttpFetcher(fs::path folder, const std::atomic<bool>* stop)
    : folder_(std::move(folder)), stop_(stop) {
    std::error_code code;
    fs::create_directories(folder_, code);
    if (code) {
        throw Error(Errc::unavailable, "making " + folder_.string() + ": " + code.message());
    }
}

fs::path HttpFetcher::place(const std::string& url, const char* end) const {
    return folder_ / (wire::sha256(url).str().substr(0, 32) + end);
}

http::Response HttpFetcher::get_page(
    const std::string& url, const std::string& etag, std::int64_t max) {
    return follow(
               url,
               [&](const http::Client& client, const std::string& path) {
                   http::Headers headers{{"accept", "text/html"}};
                   if (!etag.empty()) headers["if-none-match"] = etag;
                   http::CallOptions options;
                   options.timeout = page_timeout;
                   options.stop = stop_;
                   options.max_response_bytes = max;
                   return client.send("GET", path, "", headers, options);
               })
        .second;
}

std::string HttpFetcher::page(const std::string& url, std::int64_t max_bytes) {
    const fs::path body = place(url, ".html");
    const fs::path tag = place(url, ".etag");
    return attempting(getting_words(url), [&] {
        std::error_code ignored;
        const bool known = fs::exists(body, ignored) && bytes_of(body) <= max_bytes;
        const auto response = get_page(url, known ? text_of_file(tag) : "", max_bytes);
        if (response.status == 304 && known) return text_of_file(body);
        if (!response.ok()) throw_status(response);
        const std::string etag = header_of(response, "etag");
        fs::remove(tag, ignored);  // never a tag of another body
        if (!etag.empty() && etag.size() < 500) {
            write_file(body, response.body);
            write_file(tag, etag);
        }
        return response.body;
    });
}

HttpFetcher::Found HttpFetcher::find_file(const std::string& url, std::int64_t max_bytes) {
    const auto [at, response] =
        follow(url, [&](const http::Client& client, const std::string& path) {
            http::CallOptions options;
            options.stop = stop_;
            return client.send("HEAD", path, "", {}, options);
        });
    Found found;
    found.url = at;
    const bool knows_head =
        response.status != 403 && response.status != 405 && response.status != 501;
    if (!knows_head) return found;
    if (!response.ok()) throw_status(response);
    if (is_strong(header_of(response, "etag"))) found.etag = header_of(response, "etag");
    const std::string length = header_of(response, "content-length");
    std::int64_t bytes = 0;
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
    if (!length.empty() && error == std::errc{} && end == length.data() + length.size()) {
        found.length = bytes;
    }
    if (found.length.value_or(0) > max_bytes) {
        refuse(
            "it has " + length + " bytes, more than source.max_archive_bytes, " +
            std::to_string(max_bytes));
    }
    return found;
}

fs::path HttpFetcher::file(
    const std::string& url, const std::optional<Digest>& digest, std::int64_t max_bytes) {
    const fs::path part = place(url, ".part");
    const fs::path tag = place(url, ".part.etag");
    return attempting(getting_words(url), [&] {
        const Found found = find_file(url, max_bytes);
        const Address address = address_of(found.url);
        const http::Client client(address.server);
        // What says that the rest belongs to what has come.
        const std::string bond = !found.etag.empty() ? found.etag : digest ? digest->str() : "";
        std::error_code ignored;
        if (bond.empty() || text_of_file(tag) != bond) fs::remove(part, ignored);
        write_file(tag, bond);
        for (int tries = 0, stalls = 0;; ++tries) {
            if (tries == max_tries) throw Error(Errc::unavailable, "it breaks off again and again");
            const auto began = Steady::now();
            const std::int64_t before = bytes_of(part);
            if (before > 0 && found.length && before == *found.length) return part;
            if (before >= max_bytes || (found.length && before > *found.length)) {
                fs::remove(part, ignored);
            }
            http::CallOptions options;
            options.timeout = file_timeout;
            options.least_bytes_a_minute = least_bytes_a_minute;
            options.stop = stop_;
            options.max_response_bytes = max_bytes - bytes_of(part);
            try {
                const auto response = client.resume(address.path, part, found.etag, options);
                if (response.ok()) return part;
                if (response.status != 416) throw_status(response);
                fs::remove(part, ignored);  // there is less than we have
                if (++stalls > max_stalls) throw_status(response);
            } catch (const Error& error) {
                if (error.code() != Errc::unavailable) throw;
                const bool stopped = stop_ != nullptr && stop_->load();
                if (stopped) throw;
                const auto came = bytes_of(part) - before;
                const bool slow = Steady::now() - began > slow_try && came < least_bytes_a_minute;
                stalls = came > 0 && !slow ? 0 : stalls + 1;
                if (stalls >= max_stalls) throw;
            }
        }
    });
}

void HttpFetcher::drop(const std::string& url) {
    std::error_code ignored;
    fs::remove(place(url, ".part"), ignored);
    fs::remove(place(url, ".part.etag"), ignored);
}

}  // namespace vigil::service
