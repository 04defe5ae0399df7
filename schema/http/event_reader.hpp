#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::http {

/// What came of a stream of server-sent events.
struct SentEvent {
    std::string id;    ///< the last one that the stream has named
    std::string data;  ///< its lines, joined
};

/// Reads a stream of server-sent events that comes in pieces. Comments and other fields are read
/// over. A pure function of what it was fed.
/// @source  WHATWG HTML, 9.2.6
class EventReader {
  public:
    /// @return  the events that are complete now
    /// @throws  Error{unavailable} for an event of more than 1 MiB
    std::vector<SentEvent> feed(std::string_view bytes);

  private:
    void take_line(std::string_view line, std::vector<SentEvent>& events);

    std::string line_;  // what came of the next one
    bool after_cr_ = false;
    std::string id_;
    std::optional<std::string> data_;
};

}  // namespace vigil::http
