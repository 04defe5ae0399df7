#include "service/cli/ask/revert.hpp"

#include <nlohmann/json.hpp>

#include "service/cli/ask/context.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

ExitCode check_revert(const CommandContext& context) {
    const std::string path = "/api/v1/regressions/" + id_argument(context);
    const auto regression = context.api.get(path);
    auto revert = regression.value("revert", nlohmann::json());
    const bool is_over = !revert.is_null() && text_at(revert, "state") == "done";
    if (revert.is_null() || (is_over && context.invocation.has("again"))) {
        revert = context.api.post(path + "/revert", nlohmann::json::object()).at("revert");
    }
    if (context.json) return print_json(context, revert);
    *context.world.out << printable(text_at(revert, "words")) << '\n';
    return ExitCode::ok;
}

}  // namespace

void print_revert(const CommandContext& context, const nlohmann::json& regression) {
    if (!is_set(regression, "revert")) return;
    *context.world.out << '\n' << printable(text_at(regression.at("revert"), "words")) << '\n';
}

std::vector<CommandSpec> reverting() {
    return {
        {"regression revert",
         check_revert,
         {"ID"},
         "tells what a revert of the culprit would bring back, and has it measured",
         {{"again", "", "checks it once more, on the newest revision of now"}},
         {"vigil regression revert 7", "vigil regression revert 7 --again"},
         "The newest revision of the branch is measured against the same without the culprit,\n"
         "interleaved, behind nights, searches and confirmations. The result is printed the next\n"
         "time, and stands in the report.\n"}};
}

}  // namespace vigil::cli
