#include "schema/http/gzip.hpp"

#include <algorithm>
#include <libdeflate.h>
#include <memory>
#include <zlib.h>

#include "schema/model/error.hpp"

namespace vigil::http {

namespace {

constexpr int gzip_window = MAX_WBITS + 16;  // as zlib asks for gzip
constexpr int quick = 1;                     // what is sent once is packed quickly
constexpr std::size_t most_at_once = std::size_t{1} << 30;

Bytef* bytes_of(std::string_view text) {
    // zlib reads from it, and never writes.
    return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

std::string gzip(std::string_view bytes) {
    VIGIL_ASSERT(bytes.size() <= most_at_once);
    using Compressor = std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)>;
    const Compressor compressor(libdeflate_alloc_compressor(quick), &libdeflate_free_compressor);
    VIGIL_ASSERT(compressor != nullptr);
    std::string packed(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
    const auto size = libdeflate_gzip_compress(
        compressor.get(), bytes.data(), bytes.size(), packed.data(), packed.size());
    VIGIL_ASSERT(size > 0);
    packed.resize(size);
    return packed;
}

std::optional<std::string> gunzip(std::string_view packed, std::size_t most) {
    constexpr std::size_t piece = 64 * 1024;
    if (packed.size() > most_at_once) return std::nullopt;
    z_stream stream{};
    VIGIL_ASSERT(inflateInit2(&stream, gzip_window) == Z_OK);
    stream.next_in = bytes_of(packed);
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string bytes;
    int state = Z_OK;
    while (state == Z_OK && bytes.size() <= most) {
        const auto before = bytes.size();
        bytes.resize(before + std::min(piece, most + 1 - before));
        stream.next_out = bytes_of(bytes) + before;
        stream.avail_out = static_cast<uInt>(bytes.size() - before);
        state = inflate(&stream, Z_NO_FLUSH);
        bytes.resize(bytes.size() - stream.avail_out);
    }
    const bool is_whole = state == Z_STREAM_END && stream.avail_in == 0;
    inflateEnd(&stream);
    if (bytes.size() > most) return std::nullopt;
    if (!is_whole) throw Error(Errc::invalid_argument, "the body is not one whole gzip");
    return bytes;
}

}  // namespace vigil::http
