#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "service/report/send/envelope.hpp"

// A report's Markdown as other receivers want it. Pure functions.

namespace vigil::service {

/// Without markers, folds and emphasis; a link is its words and its address behind them.
std::string plain_text(std::string_view markdown);

/// The first paragraph of it, on one line.
std::string first_paragraph(std::string_view markdown, std::size_t most);

/// The message's own report, then those that go with it.
std::vector<MessagePart> parts_of(const Envelope& envelope);

/// Its title, or how many reports of what it holds.
std::string headline(const Envelope& envelope);

}  // namespace vigil::service
