#include "service/pages/findings/markdown.hpp"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "service/config/links.hpp"
#include "service/pages/common/render.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr int max_depth = 40;  // deeper quotes and lists are shown flat
constexpr int main_level = 3;  // of the sections of a report

using Document = std::unique_ptr<cmark_node, decltype(&cmark_node_free)>;
using Parser = std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)>;

Document parse(const std::string& text) {
    static const bool is_registered = [] {
        cmark_gfm_core_extensions_ensure_registered();
        return true;
    }();
    VIGIL_ASSERT(is_registered);
    const Parser parser(cmark_parser_new(CMARK_OPT_DEFAULT), &cmark_parser_free);
    auto* tables = cmark_find_syntax_extension("table");
    VIGIL_ASSERT(tables != nullptr);
    cmark_parser_attach_syntax_extension(parser.get(), tables);
    cmark_parser_feed(parser.get(), text.data(), text.size());
    return {cmark_parser_finish(parser.get()), &cmark_node_free};
}

std::string literal_of(cmark_node* node) {
    const char* text = cmark_node_get_literal(node);
    return text == nullptr ? "" : text;
}

std::string_view kind_of(cmark_node* node) {
    return cmark_node_get_type_string(node);
}

/// A node of the template: what it is, and what is in it.
json part(const char* what, json of = json::object()) {
    return {{"template", "markdown.html"}, {what, std::move(of)}};
}

json words(std::string text) {
    return part("text", {{"words", std::move(text)}});
}

json parts_of(cmark_node* parent, int depth);

json parts_below(cmark_node* node, int depth) {
    return {{"in", parts_of(node, depth + 1)}};
}

/// Its text alone. Strangers can nest deeper than a stack: this walks, and never calls itself.
std::string plain_words(cmark_node* node) {
    using Walk = std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)>;
    const Walk walk(cmark_iter_new(node), &cmark_iter_free);
    std::string text;
    for (auto event = cmark_iter_next(walk.get()); event != CMARK_EVENT_DONE;
         event = cmark_iter_next(walk.get())) {
        if (event == CMARK_EVENT_ENTER) text += literal_of(cmark_iter_get_node(walk.get()));
    }
    return text;
}

json link_part(cmark_node* node, int depth) {
    const char* given = cmark_node_get_url(node);
    const std::string url = given == nullptr ? "" : given;
    auto inner = parts_below(node, depth);
    if (!is_plain_url(url)) return part("span", std::move(inner));
    inner["href"] = url;
    return part("link", std::move(inner));
}

json heading_part(cmark_node* node, int depth) {
    const bool is_main = cmark_node_get_heading_level(node) <= main_level;
    return part(is_main ? "title" : "subtitle", parts_below(node, depth));
}

bool is_tight(cmark_node* item) {
    auto* list = cmark_node_parent(item);
    return list != nullptr && cmark_node_get_list_tight(list) != 0;
}

json paragraph_part(cmark_node* node, int depth) {
    auto* parent = cmark_node_parent(node);
    const bool is_item = parent != nullptr && cmark_node_get_type(parent) == CMARK_NODE_ITEM;
    const bool flat = is_item && is_tight(parent);
    return part(flat ? "span" : "paragraph", parts_below(node, depth));
}

/// Whether a table's head says nothing: then it is a list of facts. Or one of its cells.
bool is_blank(cmark_node* head) {
    return plain_words(head).find_first_not_of(' ') == std::string::npos;
}

json row_part(cmark_node* row, const std::uint8_t* alignments, int columns, int depth) {
    const bool heads = cmark_gfm_extensions_get_table_row_is_header(row) != 0;
    auto cells = json::array();
    int column = 0;
    for (auto* cell = cmark_node_first_child(row); cell && column < columns;
         cell = cmark_node_next(cell), ++column) {
        const bool right = alignments != nullptr && alignments[column] == 'r';
        const bool names = heads && !is_blank(cell);
        const char* kind = names ? (right ? "head_number" : "head") : right ? "number" : "cell";
        cells.push_back({{kind, parts_below(cell, depth)}});
    }
    return {{"cells", cells}};
}

json table_part(cmark_node* table, int depth) {
    const auto* alignments = cmark_gfm_extensions_get_table_alignments(table);
    const int columns = cmark_gfm_extensions_get_table_columns(table);
    json of = {{"rows", json::array()}};
    for (auto* row = cmark_node_first_child(table); row; row = cmark_node_next(row)) {
        auto view = row_part(row, alignments, columns, depth);
        if (cmark_gfm_extensions_get_table_row_is_header(row) == 0) {
            of["rows"].push_back(std::move(view));
        } else if (!is_blank(row)) {
            of["heads"] = std::move(view);
        }
    }
    return part("table", std::move(of));
}

json list_part(cmark_node* list, int depth) {
    auto items = json::array();
    for (auto* item = cmark_node_first_child(list); item; item = cmark_node_next(item)) {
        items.push_back(parts_below(item, depth));
    }
    const bool counts = cmark_node_get_list_type(list) == CMARK_ORDERED_LIST;
    return part(counts ? "numbered" : "list", {{"items", items}});
}

json inline_part(cmark_node* node, int depth) {
    switch (cmark_node_get_type(node)) {
        case CMARK_NODE_SOFTBREAK: return words(" ");
        case CMARK_NODE_LINEBREAK: return part("break");
        case CMARK_NODE_CODE: return part("code", {{"words", literal_of(node)}});
        case CMARK_NODE_EMPH: return part("weak", parts_below(node, depth));
        case CMARK_NODE_STRONG: return part("strong", parts_below(node, depth));
        case CMARK_NODE_LINK: return link_part(node, depth);
        case CMARK_NODE_IMAGE: return part("span", parts_below(node, depth));
        default: return words(plain_words(node));  // text, and HTML as it stands
    }
}

json block_part(cmark_node* node, int depth) {
    switch (cmark_node_get_type(node)) {
        case CMARK_NODE_PARAGRAPH: return paragraph_part(node, depth);
        case CMARK_NODE_HEADING: return heading_part(node, depth);
        case CMARK_NODE_CODE_BLOCK: return part("block", {{"words", literal_of(node)}});
        case CMARK_NODE_HTML_BLOCK: return part("block", {{"words", literal_of(node)}});
        case CMARK_NODE_LIST: return list_part(node, depth);
        case CMARK_NODE_BLOCK_QUOTE: return part("quote", parts_below(node, depth));
        case CMARK_NODE_THEMATIC_BREAK: return part("rule");
        default: return inline_part(node, depth);
    }
}

bool is_html(cmark_node* node) {
    return cmark_node_get_type(node) == CMARK_NODE_HTML_BLOCK;
}

bool is_comment(const std::string& html) {
    return html.starts_with("<!--") && html.find("-->") == html.find_last_not_of('\n') - 2;
}

/// What a report writes above what it folds away.
std::optional<std::string> summary_in(const std::string& html) {
    static constexpr std::string_view before = "<details>\n<summary>";
    static constexpr std::string_view after = "</summary>\n";
    if (!html.starts_with(before) || !html.ends_with(after)) return std::nullopt;
    return html.substr(before.size(), html.size() - before.size() - after.size());
}

/// Reads siblings up to the end of what is folded, or of all.
json parts_from(cmark_node*& node, int depth, bool is_folded) {
    auto parts = json::array();
    while (node != nullptr) {
        auto* now = node;
        node = cmark_node_next(now);
        const auto html = is_html(now) ? literal_of(now) : "";
        if (is_folded && html.starts_with("</details>")) return parts;
        if (is_html(now) && is_comment(html)) continue;
        if (const auto summary = depth < max_depth ? summary_in(html) : std::nullopt) {
            auto inner = parts_from(node, depth + 1, true);
            parts.push_back(part("folded", {{"summary", *summary}, {"in", std::move(inner)}}));
        } else if (kind_of(now) == "table") {
            parts.push_back(table_part(now, depth));
        } else {
            parts.push_back(block_part(now, depth));
        }
    }
    return parts;
}

json parts_of(cmark_node* parent, int depth) {
    if (depth > max_depth) return json::array({words(plain_words(parent))});
    auto* first = cmark_node_first_child(parent);
    return parts_from(first, depth, false);
}

}  // namespace

json markdown_view(std::string_view text) {
    const auto document = parse(shown_text(text, most_of_a_text));
    return parts_of(document.get(), 0);
}

std::string without_sections(std::string_view report, std::span<const std::string_view> headings) {
    std::string kept;
    bool is_left_out = false;
    std::size_t fence = 0;  // backticks that opened it
    while (!report.empty()) {
        const auto end = std::min(report.find('\n'), report.size() - 1) + 1;
        const auto line = report.substr(0, end);
        report.remove_prefix(end);
        const auto ticks = std::min(line.find_first_not_of('`'), line.size());
        const bool is_bare = line.find_first_not_of("`\r\n") == line.npos;
        if (fence == 0 && ticks >= 3) {
            fence = ticks;
        } else if (fence > 0 && ticks >= fence && is_bare) {
            fence = 0;
        }
        if (fence == 0 && line.starts_with("### ")) {
            const auto heading = line.substr(4, line.find_last_not_of("\r\n") - 3);
            is_left_out = std::ranges::find(headings, heading) != headings.end();
        }
        if (!is_left_out) kept += line;
    }
    return kept;
}

VerdictAndRest split_verdict(std::string_view report) {
    const auto end = report.find("\n\n");
    if (end == report.npos) return {report, {}};
    return {report.substr(0, end), report.substr(end + 2)};
}

}  // namespace vigil::service
