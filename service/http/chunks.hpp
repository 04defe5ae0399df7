#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vigil::service {

/// Longest line that announces a chunk, its extensions included; those are read over.
constexpr std::size_t max_chunk_line_bytes = 256;

/// Decodes a chunked body that comes in pieces. Trailer fields are refused: none is of use here,
/// and a framing field among them is an attack.
class ChunkDecoder {
  public:
    /// Takes from the front of `input` what belongs to the body and appends the decoded bytes to
    /// `output`. Stops after the last chunk; what follows stays in `input`.
    /// @return  false when the coding is broken; `why()` tells how
    bool feed(std::string_view& input, std::string& output);

    bool done() const { return state_ == State::done; }
    const std::string& why() const { return why_; }

  private:
    enum class State { line, data, data_end, trailer, done, broken };
    bool take_line(std::string_view& input);  // true when line_ is complete
    void begin_chunk();
    bool fail(const char* why);

    State state_ = State::line;
    std::string line_;  // the announcing line so far, with its CR
    std::uint64_t left_ = 0;
    std::string why_;
};

}  // namespace vigil::service
