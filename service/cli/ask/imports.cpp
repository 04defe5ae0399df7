#include "service/cli/ask/imports.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/cli/ask/options.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

ExitCode list_imports(const CommandContext& context) {
    return print_list(
        context,
        list_requested(context, "/api/v1/imports", {"project", "nightly", "machine-class"}),
        "There are no imports.",
        {{"ID", "id"},
         {"SENT", utc_at("received_at_s")},
         {"BY", "by"},
         {"PROJECT", "project"},
         {"NIGHT", "night"},
         {"VERSION", "version"},
         {"CLASS", "machine_class"},
         {"READINGS", "readings"}});
}

/// "9 readings, 2 series, the worker elsewhere-lab-ci, the machine class ci"
std::string gone_words(const json& removed) {
    auto words = text::counted(number_at(removed, "readings"), "reading") + ", " +
                 text::counted(number_at(removed, "series_count"), "series", "series");
    if (is_set(removed, "worker")) words += ", the worker " + text_at(removed, "worker");
    if (is_set(removed, "machine_class")) {
        words += ", the machine class " + text_at(removed, "machine_class");
    }
    return words;
}

ExitCode undo_import(const CommandContext& context) {
    const auto id = id_argument(context);
    const auto path = "/api/v1/imports/" + id;
    if (!context.invocation.has("dry-run")) {
        auto body = json::object();
        const auto& reason = context.invocation.get("reason");
        if (!reason.empty()) body["reason"] = reason;
        const auto reply = context.api.post(path + "/undo", body);
        return print_reply(
            context,
            reply,
            fmt::format(
                "Import {} is undone. Removed: {}.\n",
                id,
                printable(gone_words(reply.at("removed")))));
    }
    const auto import = context.api.get(path);
    const bool refused = is_set(import, "refused");
    print_reply(
        context,
        import,
        refused
            ? fmt::format(
                  "Import {} cannot be undone: {}.\n", id, printable(text_at(import, "refused")))
            : fmt::format(
                  "Undoing import {} would remove: {}.\n",
                  id,
                  printable(gone_words(import.at("removes")))));
    return refused ? ExitCode::refused : ExitCode::ok;
}

}  // namespace

std::vector<CommandSpec> import_commands() {
    return {
        {"imports",
         list_imports,
         {},
         "the imports, newest first: a row for each night and machine class",
         {project_option,
          nightly_option("only imports of this night"),
          class_option,
          since_option,
          until_option,
          limit_option},
         {"vigil imports --project lab", "vigil imports --nightly 2026-11-22 --json"}},
        {"imports undo",
         undo_import,
         {"ID"},
         "undoes an import: removes its measurements, and rows used by them alone",
         {{"dry-run", "", "prints the rows to remove; ends with 4 if it cannot be undone"},
          reason_option},
         {"vigil imports undo 12 --dry-run", "vigil imports undo 12 --reason 'of another branch'"},
         "The series, the machine class and the worker of the external machines are removed too,\n"
         "unless other results use them. The night stays, and the results may be sent again.\n"
         "If a regression is based on them, or a suspicion is undecided, withdraw the night first\n"
         "(vigil night withdraw). Needs a token of scope admin.\n"}};
}

}  // namespace vigil::cli
