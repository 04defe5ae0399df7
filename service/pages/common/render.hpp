#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace vigil::service {

/// A text as a page shows it: valid UTF-8 in which nothing is hidden or turns the reading
/// direction; what is becomes U+FFFD. Longer than `most` characters, it ends with an ellipsis.
std::string shown_text(std::string_view text, std::size_t most);

/// Longest name of a thing in a table or a title; addresses and JSON have all of it.
constexpr std::size_t most_of_a_name = 120;
/// Longest text of its own. A report has 60,000, the data of ten series over 1,100 nights, which
/// scripts draw, up to 300,000.
constexpr std::size_t most_of_a_text = 400'000;

/// Fills a template. Of a view, which is an object, a text or number is a value `{{name}}`, an
/// object a section `{{#name}}`, a list a section for each, true a section, and false, null or what
/// is not there nothing. An object with the member "template" is another template, `{{>name}}`.
/// Values are escaped by the template library as the place asks where they stand: text, attribute,
/// address. Texts go through shown_text first.
/// @param name  of a file of service/pages/templates
std::string render(std::string_view name, const nlohmann::json& view);

}  // namespace vigil::service
