#include "service/cli/ask/why.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/profile/profile_json.hpp"
#include "schema/text/lines.hpp"
#include "service/cli/ask/context.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/ask/revert.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

constexpr std::size_t usual_columns = 100;

}  // namespace

std::string why_words(const nlohmann::json& why, std::size_t width) {
    if (why.is_null()) return "not asked\n";
    const auto state = text_at(why, "state");
    if (state != "done") {
        return fmt::format(
            "culprit and parent are profiled after all other work ({}); ask again later\n",
            printable(state));
    }
    if (!is_set(why, "found")) {
        return fmt::format("not known: {}\n", printable(text_at(why, "reason")));
    }
    const auto found = profile::parse_why(why.at("found"));
    return fmt::format(
               "{} of one run of each side, by {}\n",
               profile::unit_words(found.unit),
               profile::tool_of(found.unit)) +
           text::lines(profile::why_text(found, width == 0 ? usual_columns : width));
}

void print_why(const CommandContext& context, const nlohmann::json& regression) {
    auto& out = *context.world.out;
    if (is_set(regression, "why")) {
        out << "\nWhy: " << why_words(regression.at("why"), context.world.width);
    }
    print_revert(context, regression);
}

ExitCode explain_regression(const CommandContext& context) {
    const std::string path = "/api/v1/regressions/" + id_argument(context);
    const auto regression = context.api.get(path);
    auto why = regression.value("why", nlohmann::json());
    const bool is_over = !why.is_null() && text_at(why, "state") == "done";
    if (why.is_null() || (is_over && context.invocation.has("again"))) {
        why = context.api.post(path + "/why", nlohmann::json::object()).at("why");
    }
    if (context.json) return print_json(context, why);
    *context.world.out << "why: " << why_words(why, context.world.width);
    return ExitCode::ok;
}

std::vector<CommandSpec> explaining() {
    return {
        {"regression why",
         explain_regression,
         {"ID"},
         "tells which functions of the culprit execute or allocate more, and asks for profiles",
         {{"again", "", "profiles culprit and parent once more"}},
         {"vigil regression why 7", "vigil regression why 7 --again"},
         "Culprit and parent run once each under callgrind and perf (of memory: under dhat) on "
         "the\n"
         "worker that verified the culprit, behind all that is measured. The result is printed "
         "the\n"
         "next time, and stands in the report.\n"}};
}

}  // namespace vigil::cli
