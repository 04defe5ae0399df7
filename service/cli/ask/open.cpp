#include "service/cli/ask/open.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/nearest.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/option.hpp"

namespace vigil::cli {

namespace {

/// A kind of thing with a page, and where the API has it.
struct PageKind {
    std::string_view name;
    std::string_view collection;
};

constexpr std::array page_kinds{
    PageKind{"regression", "regressions"},
    PageKind{"series", "series"},
    PageKind{"night", "nightlies"},
    PageKind{"search", "bisections"}};

const PageKind& kind_of_page(const std::string& name) {
    const auto found = std::ranges::find(page_kinds, name, &PageKind::name);
    if (found != page_kinds.end()) return *found;
    std::vector<std::string> names;
    for (const auto& kind : page_kinds) names.emplace_back(kind.name);
    throw Error(
        Errc::invalid_argument,
        "there is no page of a \"" + name + "\"" + text::did_you_mean(name, names) +
            "; there are regression, series, night and search");
}

/// The id of what is named, which exists.
std::string id_on_page(const CommandContext& context, const PageKind& kind) {
    const auto& arguments = context.invocation.arguments;
    const auto collection = "/api/v1/" + std::string(kind.collection);
    if (arguments.size() < 2) {
        const auto newest = context.api.list(collection, {}, 1);
        if (!newest.empty()) return std::to_string(number_at(newest.at(0), "id"));
        throw Error(Errc::not_found, "there is no " + std::string(kind.name) + " yet");
    }
    const auto& id = arguments[1];
    context.api.get(collection + "/" + id);  // a slip is told here, not by an empty page
    return id;
}

/// A word for bash: an address has no quotes of its own, but a server's name is the user's.
std::string in_quotes(const std::string& word) {
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

}  // namespace

void check_page_words(const Invocation& invocation, const Surroundings&) {
    const auto& arguments = invocation.arguments;
    if (!arguments.empty()) kind_of_page(arguments[0]);
    if (arguments.size() > 1) parse_number(arguments[1], "ID", 1, max_id);
}

ExitCode open_page(const CommandContext& context) {
    std::string address = context.api.server();
    while (address.ends_with('/')) address.pop_back();
    if (context.invocation.arguments.empty()) {
        address += "/";
    } else {
        const auto& kind = kind_of_page(context.invocation.arguments[0]);
        address += fmt::format("/{}/{}", kind.collection, id_on_page(context, kind));
    }
    if (context.json) return print_json(context, {{"url", address}});
    *context.world.out << address << "\n";
    if (context.invocation.has("print")) return ExitCode::ok;
    // Over ssh and in containers there is no browser: the address is what is left.
    context.world.run_script(fmt::format(
        "for program in \"${{BROWSER:-}}\" xdg-open open; do\n"
        "  command -v \"$program\" >/dev/null 2>&1 || continue\n"
        "  \"$program\" {} >/dev/null 2>&1 &\n"
        "  exit 0\n"
        "done\n",
        in_quotes(address)));
    return ExitCode::ok;
}

}  // namespace vigil::cli
