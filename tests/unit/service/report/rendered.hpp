#pragma once

#include <array>
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <cstdlib>
#include <memory>
#include <regex>
#include <string>
#include <string_view>

// Markdown as GitHub shows it in an issue: its own renderer, and what it does to text afterwards.

namespace vigil::service {

inline std::string html_of(const std::string& markdown) {
    cmark_gfm_core_extensions_ensure_registered();
    constexpr int options =
        CMARK_OPT_UNSAFE | CMARK_OPT_GITHUB_PRE_LANG | CMARK_OPT_FOOTNOTES | CMARK_OPT_HARDBREAKS;
    const std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser(
        cmark_parser_new(options), &cmark_parser_free);
    for (const auto* name : {"table", "strikethrough", "autolink", "tagfilter", "tasklist"}) {
        cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(name));
    }
    cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
    const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(
        cmark_parser_finish(parser.get()), &cmark_node_free);
    char* html = cmark_render_html(
        document.get(), options, cmark_parser_get_syntax_extensions(parser.get()));
    std::string out(html);
    std::free(html);
    return out;
}

inline std::size_t count_in(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

/// The names of its tags in their order, but for those of code: what is a text of one word or none
/// has another.
inline std::string tags_of(const std::string& html) {
    static const std::regex tag("<(/?[a-zA-Z0-9]+|!--)[^>]*>");
    std::string tags;
    for (std::sregex_iterator one(html.begin(), html.end(), tag), end; one != end; ++one) {
        const std::string name = (*one)[1].str();
        if (name != "code" && name != "/code") tags += name + " ";
    }
    return tags;
}

/// What GitHub would act on in rendered text: a mention, a reference, a link that is not ours, an
/// image, a tag that reports do not have, more comments than the marker. Empty: nothing.
inline std::string signs_of_strangers(const std::string& html) {
    static const std::regex code("<code>[^<]*</code>|<pre[^>]*><code>[^<]*</code></pre>");
    const std::string outside = std::regex_replace(html, code, "");
    static const std::regex tag("<(/?)([a-zA-Z][a-zA-Z0-9]*)([^>]*)>");
    static constexpr std::string_view known =
        " p strong pre code table thead tbody tr th td h3 ul ol li details summary a br hr ";
    static constexpr std::array ours{
        "https://git.example/", "https://vigil.example/", "https://tracker.example/"};
    for (std::sregex_iterator one(outside.begin(), outside.end(), tag), end; one != end; ++one) {
        if (known.find(" " + (*one)[2].str() + " ") == known.npos) return (*one)[0].str();
        const std::string rest = (*one)[3].str();
        const auto href = rest.find("href=\"");
        if (href == rest.npos) continue;
        const auto url = rest.substr(href + 6);
        bool is_ours = false;
        for (const auto* one_of_ours : ours) is_ours = is_ours || url.starts_with(one_of_ours);
        if (!is_ours) return url;
    }
    const std::string words = std::regex_replace(outside, tag, " ");
    static const std::regex reference("@[A-Za-z0-9]|#[0-9]|GH-[0-9]|://|www\\.");
    std::smatch found;
    if (std::regex_search(words, found, reference)) return found[0].str();
    if (count_in(html, "<!--") > 1) return "a second comment";
    return "";
}

}  // namespace vigil::service
