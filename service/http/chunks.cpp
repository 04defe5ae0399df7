#include "service/http/chunks.hpp"

#include <algorithm>
#include <charconv>

namespace vigil::service {

namespace {
constexpr std::size_t max_size_digits = 15;  // of hex: below 2^60
}

bool ChunkDecoder::fail(const char* why) {
    state_ = State::broken;
    why_ = why;
    return false;
}

bool ChunkDecoder::take_line(std::string_view& input) {
    const auto end = input.find('\n');
    const auto taken = end == input.npos ? input.size() : end + 1;
    if (line_.size() + taken > max_chunk_line_bytes) return fail("a chunk's line is too long");
    line_.append(input.substr(0, taken));
    input.remove_prefix(taken);
    if (end == std::string_view::npos) return false;
    if (!line_.ends_with("\r\n") || line_.find('\r') != line_.size() - 2) {
        return fail("a chunk's line does not end with CR LF");
    }
    line_.resize(line_.size() - 2);
    return true;
}

void ChunkDecoder::begin_chunk() {
    const auto digits = std::min(line_.find_first_not_of("0123456789abcdefABCDEF"), line_.size());
    const auto rest = std::string_view(line_).substr(digits);
    const auto control = std::find_if(rest.begin(), rest.end(), [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    });
    if (digits == 0 || digits > max_size_digits || control != rest.end() ||
        (!rest.empty() && rest.front() != ';')) {
        fail("a chunk's size is not a number");
        return;
    }
    std::from_chars(line_.data(), line_.data() + digits, left_, 16);
    line_.clear();
    state_ = left_ == 0 ? State::trailer : State::data;
}

bool ChunkDecoder::feed(std::string_view& input, std::string& output) {
    while (!input.empty() && state_ != State::done && state_ != State::broken) {
        if (state_ == State::data) {
            const auto taken =
                static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size()));
            output.append(input.substr(0, taken));
            input.remove_prefix(taken);
            left_ -= taken;
            if (left_ == 0) state_ = State::data_end;
            continue;
        }
        if (!take_line(input)) continue;
        if (state_ == State::line) {
            begin_chunk();
            continue;
        }
        if (!line_.empty()) {
            return fail(
                state_ == State::trailer ? "trailer fields are not accepted"
                                         : "a chunk is longer than it said");
        }
        state_ = state_ == State::trailer ? State::done : State::line;
    }
    return state_ != State::broken;
}

}  // namespace vigil::service
