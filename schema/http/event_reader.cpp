#include "schema/http/event_reader.hpp"

#include <algorithm>
#include <utility>

#include "schema/model/error.hpp"

namespace vigil::http {

namespace {
constexpr std::size_t max_event_bytes = std::size_t{1} << 20;
}

std::vector<SentEvent> EventReader::feed(std::string_view bytes) {
    std::vector<SentEvent> events;
    for (const char c : bytes) {
        const bool ends_line = c == '\r' || (c == '\n' && !after_cr_);
        after_cr_ = c == '\r';
        if (ends_line) {
            take_line(line_, events);
            line_.clear();
        } else if (c != '\n') {
            line_ += c;
        }
        if (line_.size() + (data_ ? data_->size() : 0) > max_event_bytes) {
            throw Error(Errc::unavailable, "an event of the stream is longer than 1 MiB");
        }
    }
    return events;
}

void EventReader::take_line(std::string_view line, std::vector<SentEvent>& events) {
    if (line.empty()) {
        if (data_) events.push_back({id_, *std::exchange(data_, std::nullopt)});
        return;
    }
    const auto colon = std::min(line.find(':'), line.size());
    const auto name = line.substr(0, colon);
    auto value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "id" && value.find('\0') == value.npos) id_ = value;
    if (name != "data") return;
    if (data_) *data_ += '\n';
    data_ = data_.value_or("") + std::string(value);
}

}  // namespace vigil::http
