#include "service/cli/ask/context.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/nearest.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

constexpr std::int64_t default_limit = 30;

struct KnownNames {
    const char* filter;
    const char* path;  ///< of the list that has them all
    const char* key;
};

/// Without what stands above the rows: the page before has said it.
std::string_view rows_of(std::string_view page, const std::string& format) {
    const int headings = format == "csv" ? 1 : format == "markdown" ? 2 : 0;
    for (int i = 0; i < headings; ++i) {
        page.remove_prefix(std::min(page.find('\n'), page.size() - 1) + 1);
    }
    return page;
}

}  // namespace

std::map<std::string, std::string> filters_of(
    const CommandContext& context, const std::vector<std::string>& names) {
    std::map<std::string, std::string> filters;
    for (const auto& name : names) {
        std::string filter = name;
        std::ranges::replace(filter, '-', '_');
        filters[filter] = context.invocation.get(name);
    }
    for (const std::string name : {"since", "until"}) {
        if (!context.invocation.has(name)) continue;
        filters[name + "_s"] =
            std::to_string(parse_when(context.invocation.get(name), context.world.now_s()));
    }
    return filters;
}

std::int64_t limit_of(const CommandContext& context) {
    return context.invocation.number("limit", default_limit);
}

std::string id_argument(const CommandContext& context) {
    const Invocation& asked = context.invocation;
    return std::to_string(parse_number(asked.arguments[0], asked.command->arguments[0], 1, max_id));
}

void check_names(const CommandContext& context, const std::map<std::string, std::string>& filters) {
    static constexpr std::array all{
        KnownNames{"project", "/api/v1/projects", "name"},
        KnownNames{"benchmark", "/api/v1/series", "benchmark"},
        KnownNames{"case", "/api/v1/series", "case"},
        KnownNames{"variant", "/api/v1/series", "variant"},
        KnownNames{"machine_class", "/api/v1/series", "machine_class"},
        KnownNames{"worker", "/api/v1/workers", "name"}};
    for (const auto& [filter, path, key] : all) {
        const auto asked = filters.find(filter);
        if (asked == filters.end() || asked->second.empty()) continue;
        std::set<std::string> known;
        for (const auto& one : context.api.list(path, {}, max_lines)) {
            known.insert(text_at(one, key));
        }
        if (known.empty() || known.contains(asked->second)) continue;
        const std::vector<std::string> names(known.begin(), known.end());
        std::string hint = text::did_you_mean(asked->second, names, '\'');
        if (hint.empty())
            hint = text::fitted(fmt::format("; it has {}", fmt::join(names, ", ")), 400);
        throw Error(Errc::not_found, fmt::format("unknown {} '{}'{}", filter, asked->second, hint));
    }
}

json list_known(
    const CommandContext& context,
    const std::string& path,
    const std::map<std::string, std::string>& filters,
    std::int64_t limit) {
    json items = context.api.list(path, filters, limit);
    if (items.empty()) check_names(context, filters);
    return items;
}

json list_requested(
    const CommandContext& context, const std::string& path, const std::vector<std::string>& names) {
    return list_known(context, path, filters_of(context, names), limit_of(context));
}

ExitCode print_json(const CommandContext& context, const json& value) {
    *context.world.out << value.dump(2, ' ', true, json::error_handler_t::replace) << "\n";
    return ExitCode::ok;
}

ExitCode print_reply(
    const CommandContext& context, const json& reply, const std::string& sentence) {
    if (context.json) return print_json(context, reply);
    *context.world.out << sentence;
    return ExitCode::ok;
}

void print_note(const CommandContext& context, const json& reply) {
    const auto note = text_at(reply, "note");
    if (!note.empty()) *context.world.err << "vigil: " << printable(note) << "\n";
}

bool print_format(
    const CommandContext& context,
    const std::string& path,
    const std::map<std::string, std::string>& filters) {
    const auto format = context.invocation.get("format");
    if (format.empty()) return false;
    bool first = true;
    context.api.each_part(path, filters, limit_of(context), format, [&](const std::string& page) {
        const auto rows = first || page.empty() ? std::string_view(page) : rows_of(page, format);
        *context.world.out << text::lines(std::string(rows));
        first = false;
    });
    return true;
}

ItemWords utc_at(const char* key) {
    return [key](const json& item) {
        return is_set(item, key) ? text::utc(number_at(item, key)) : "";
    };
}

ItemWords ago_at(const CommandContext& context, const char* key) {
    return [key, now_s = context.world.now_s()](const json& item) {
        return text::ago(number_at(item, key), now_s);
    };
}

ItemWords hash_at(const char* key) {
    return [key](const json& item) { return brief_at(item, key); };
}

ListColumn::ListColumn(std::string header_, const char* key)
    : header(std::move(header_)), cell([key](const json& item) { return words_at(item, key); }) {}

std::string table_of(
    const CommandContext& context,
    const json& items,
    const std::vector<ListColumn>& columns,
    const std::string& toned) {
    std::vector<std::string> headers;
    int toned_column = -1;
    for (const auto& column : columns) {
        if (column.header == toned) toned_column = static_cast<int>(headers.size());
        headers.push_back(column.header);
    }
    Table table(headers);
    for (const auto& item : items) {
        std::vector<std::string> cells;
        for (const auto& column : columns) cells.push_back(column.cell(item));
        table.add(cells);
    }
    return table.text(context.world.width, context.colours, toned_column);
}

ExitCode print_list(
    const CommandContext& context,
    const json& items,
    const std::string& none,
    const std::vector<ListColumn>& columns,
    const std::string& toned) {
    if (context.json) return print_json(context, items);
    *context.world.out << (items.empty() ? none + "\n" : table_of(context, items, columns, toned));
    return ExitCode::ok;
}

}  // namespace vigil::cli
