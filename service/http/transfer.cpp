#include "service/http/transfer.hpp"

#include <algorithm>
#include <system_error>

#include "service/runtime/lane.hpp"
#include "service/store/content_store.hpp"

namespace vigil::service {

namespace {
constexpr std::uint64_t file_piece_bytes = 256 * 1024;
}

boost::asio::awaitable<std::filesystem::path> Upload::begin() {
    auto path = co_await content_.run([&](ContentStore& store) {
        auto temporary = store.temporary_path();
        file_.open(temporary, std::ios::binary | std::ios::trunc);
        if (!file_) {
            throw Error(
                Errc::unavailable, "opening " + temporary.string() + " for an upload failed");
        }
        return temporary;
    });
    co_return path;
}

boost::asio::awaitable<void> Upload::append(const std::string& piece) {
    co_await content_.run([&](ContentStore&) {
        if (!file_.write(piece.data(), static_cast<std::streamsize>(piece.size()))) {
            throw Error(Errc::unavailable, "writing an upload failed; is the disk full?");
        }
    });
    size_ += static_cast<std::int64_t>(piece.size());
}

boost::asio::awaitable<void> Upload::finish() {
    co_await content_.run([&](ContentStore&) {
        file_.close();
        if (!file_) throw Error(Errc::unavailable, "writing an upload failed; is the disk full?");
    });
}

boost::asio::awaitable<std::uint64_t> Download::begin(std::optional<http::FilePart> part) {
    co_await content_.run([&](ContentStore&) {
        std::error_code missing;
        left_ = std::filesystem::file_size(path_, missing);
        file_.open(path_, std::ios::binary);
        if (part) {
            left_ = part->bytes;
            file_.seekg(static_cast<std::streamoff>(part->begin));
        }
        if (missing || !file_) throw Error(Errc::not_found, "this content is no longer kept");
    });
    co_return left_;
}

boost::asio::awaitable<bool> Download::next(std::string& piece) {
    if (left_ == 0) co_return false;
    co_await content_.run([&](ContentStore&) {
        piece.resize(static_cast<std::size_t>(std::min(left_, file_piece_bytes)));
        if (!file_.read(piece.data(), static_cast<std::streamsize>(piece.size()))) {
            throw Error(Errc::unavailable, "reading " + path_.string() + " failed");
        }
    });
    left_ -= piece.size();
    co_return true;
}

}  // namespace vigil::service
