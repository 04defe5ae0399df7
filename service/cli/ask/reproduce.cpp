#include "service/cli/ask/reproduce.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "service/cli/ask/reply.hpp"

namespace vigil::cli {

namespace {

/// The command that a report gives under "Reproduce", as it would be pasted into a shell.
/// @param body  the report's Markdown
/// @return      nothing when it gives none
std::optional<std::string> reproduction_of(std::string_view body) {
    constexpr std::string_view heading = "### Reproduce\n";
    const auto section = body.find(heading);
    if (section == body.npos) return std::nullopt;
    body.remove_prefix(section + heading.size());
    const auto open = body.find("\n```");
    const auto next_section = body.find("\n### ");
    if (open == body.npos || open > next_section) return std::nullopt;
    body.remove_prefix(open + 1);
    const auto fence = "\n" + std::string(body.substr(0, body.find_first_not_of('`'))) + "\n";
    const auto begin = body.find('\n');
    const auto end = body.find(fence, begin);
    if (begin == body.npos || end == body.npos) return std::nullopt;
    return std::string(body.substr(begin + 1, end - begin));
}

}  // namespace

ExitCode reproduce(const CommandContext& context) {
    const std::string id = id_argument(context);
    const auto reports =
        context.api.list("/api/v1/reports", {{"regression", id}, {"kind", "regression"}}, 1);
    if (reports.empty()) {
        throw Error(
            Errc::not_found,
            "regression " + id + " has no report yet; vigil regressions lists what there is");
    }
    const auto number = number_at(reports.front(), "id");
    const auto report = std::to_string(number);
    const auto script =
        reproduction_of(text_at(context.api.get("/api/v1/reports/" + report), "body"));
    if (!script) {
        throw Error(
            Errc::not_found,
            "report " + report + " gives no command; vigil report show " + report + " says why");
    }
    if (context.json) {
        const auto regression = parse_number(id, "ID", 1, max_id);
        return print_json(
            context, {{"regression", regression}, {"report", number}, {"script", *script}});
    }
    if (context.invocation.has("print")) {
        *context.world.out << *script;
        return ExitCode::ok;
    }
    *context.world.err << "vigil: runs the command of report " << report
                       << " here, outside any sandbox; --print shows it instead\n";
    const int code = context.world.run_script(*script);
    if (code == 0) return ExitCode::ok;
    if (code == static_cast<int>(ExitCode::stopped)) return ExitCode::stopped;
    *context.world.err << "vigil: the command ended with " << code << "\n";
    return ExitCode::refused;
}

}  // namespace vigil::cli
