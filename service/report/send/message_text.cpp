#include "service/report/send/message_text.hpp"

#include <fmt/format.h>

#include "schema/text/lines.hpp"

namespace vigil::service {

namespace {

constexpr std::string_view summary_begin = "<summary>";
constexpr std::string_view summary_end = "</summary>";

bool is_left_out(std::string_view line) {
    return line.starts_with("<!--") || line == "<details>" || line == "</details>";
}

/// "[words](https://...)" at the start of a text.
struct LinkAhead {
    std::string_view words;
    std::string_view url;
    std::size_t bytes = 0;  ///< 0: there is none
};

LinkAhead link_ahead(std::string_view text) {
    const auto middle = text.find("](http");
    if (!text.starts_with('[') || middle == text.npos) return {};
    const auto end = text.find(')', middle);
    const auto words = text.substr(1, middle - 1);
    if (end == text.npos || words.find_first_of("[]") != words.npos) return {};
    return {words, text.substr(middle + 2, end - middle - 2), end + 1};
}

std::string plain_line(std::string_view line) {
    std::string out;
    while (!line.empty()) {
        const auto link = link_ahead(line);
        if (link.bytes > 0) {
            out.append(link.words).append(" (").append(link.url).append(")");
            line.remove_prefix(link.bytes);
        } else if (line.starts_with("**")) {
            line.remove_prefix(2);
        } else {
            out += line.front();
            line.remove_prefix(1);
        }
    }
    return out;
}

}  // namespace

std::string plain_text(std::string_view markdown) {
    std::string out;
    while (!markdown.empty()) {
        const auto end = std::min(markdown.find('\n'), markdown.size());
        auto line = markdown.substr(0, end);
        markdown.remove_prefix(std::min(end + 1, markdown.size()));
        if (is_left_out(line)) continue;
        if (line.starts_with(summary_begin) && line.ends_with(summary_end)) {
            line.remove_prefix(summary_begin.size());
            line.remove_suffix(summary_end.size());
        }
        if (line.empty() && (out.empty() || out.ends_with("\n\n"))) continue;
        out += plain_line(line) + "\n";
    }
    while (out.ends_with("\n\n")) out.pop_back();
    return out;
}

std::string first_paragraph(std::string_view markdown, std::size_t most) {
    const auto text = plain_text(markdown);
    return text::one_line(std::string_view(text).substr(0, text.find("\n\n")), most);
}

std::vector<MessagePart> parts_of(const Envelope& envelope) {
    std::vector<MessagePart> parts{{envelope.title, envelope.body, envelope.about}};
    parts.insert(parts.end(), envelope.more.begin(), envelope.more.end());
    return parts;
}

std::string headline(const Envelope& envelope) {
    if (envelope.more.empty()) return text::one_line(envelope.title, 200);
    const auto count = envelope.more.size() + 1;
    return text::one_line(
        fmt::format("{} reports: {} and {} more", count, envelope.title, count - 1), 200);
}

}  // namespace vigil::service
