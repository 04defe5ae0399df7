#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace vigil::service {

/// A text in Markdown (CommonMark with GitHub's tables) as views of markdown.html, which has all of
/// the HTML: the text brings none. HTML in it is shown as it stands, except for what reports write
/// themselves: `<details>` with a summary is one, and comments are left out. Links lead to http and
/// https alone, an image is its description. Headings are of the third level or the fourth, for a
/// page has those above. A pure function.
/// @param text  a stranger's, of any bytes; from most_of_a_text characters on it is left out
/// @return  an array of blocks, each for {{>name}}
nlohmann::json markdown_view(std::string_view text);

/// A report begins with one sentence that is its verdict.
struct VerdictAndRest {
    std::string_view verdict;  ///< the first paragraph
    std::string_view rest;
};
VerdictAndRest split_verdict(std::string_view report);

/// A report without its sections of these headings ("### The search"), for a page that shows them
/// better. A line within a fence is no heading.
std::string without_sections(std::string_view report, std::span<const std::string_view> headings);

}  // namespace vigil::service
