#include "service/cli/ask/import.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/report.hpp"
#include "schema/http/target.hpp"
#include "schema/model/error.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"
#include "service/cli/common/input.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

constexpr std::size_t part_bytes = std::size_t{24} << 20;  // of one request
constexpr std::size_t most_lines = 40;                     // about nights of one request
constexpr std::int64_t patience_s = 2;                     // until the program says how far it is

/// Options that say what a file does not, by their names in a request.
constexpr std::array<std::pair<const char*, const char*>, 6> said_of_files{
    {{"revision", "revision"},
     {"name", "version"},
     {"time", "measured_at"},
     {"machine-class", "machine_class"},
     {"machine", "machine"},
     {"format", "format"}}};

struct Part {
    std::string body;
    std::string type;
    std::map<std::string, std::string> query;
    std::string file;  ///< the first that it holds
};

std::map<std::string, std::string> said(const Invocation& asked) {
    std::map<std::string, std::string> values;
    for (const auto& [option, name] : said_of_files) {
        if (asked.has(option)) values[name] = asked.get(option);
    }
    return values;
}

std::string read_file(const CommandContext& context, const std::string& file) {
    auto text = read_input(file, file, context.world, harness::max_file_bytes);
    if (text.size() > harness::max_file_bytes) {
        refuse(fmt::format(
            "{} is longer than {} bytes; send it in parts", file, harness::max_file_bytes));
    }
    return text;
}

/// A file by itself goes as it is.
Part single_part(const CommandContext& context, const std::string& file) {
    Part part{read_file(context, file), "text/plain", said(context.invocation), file};
    if (file != "-") part.query["file_name"] = base_name(file);
    return part;
}

/// Several files go together, one a line: the daemon puts them in the order of their times.
std::vector<Part> parts_of(const CommandContext& context) {
    const auto& files = context.invocation.arguments;
    if (files.size() == 1) return {single_part(context, files.front())};
    std::vector<Part> parts;
    for (const auto& file : files) {
        json night(said(context.invocation));
        if (file != "-") night["file_name"] = base_name(file);
        night["report"] = read_file(context, file);
        const auto line = wire::write_json(night) + "\n";
        if (parts.empty() || parts.back().body.size() + line.size() > part_bytes) {
            parts.push_back({"", "application/x-ndjson", {}, file});
        }
        parts.back().body += line;
    }
    return parts;
}

std::string nights_of(const json& reply) {
    std::string words;
    const auto& nights = array_at(reply, "nights");
    for (std::size_t i = 0; i < std::min(nights.size(), most_lines); ++i) {
        const auto& night = nights[i];
        const bool is_again = night.contains("again") && night["again"] == true;
        const auto state = text_at(night, "state");
        words += fmt::format(
            "{:<14} {:<20} {:<16} {:>6} {}  {}\n",
            printable(text_at(night, "name")),
            printable(text_at(night, "version")),
            printable(text_at(night, "machine_class")),
            number_at(night, "readings"),
            number_at(night, "readings") == 1 ? "reading " : "readings",
            is_again               ? "imported before"
            : state == "measuring" ? "imported, to be judged"
                                   : "taken, history");
    }
    if (nights.size() > most_lines) {
        words += fmt::format("... and {} more\n", nights.size() - most_lines);
    }
    return words;
}

/// What was not taken, on standard error.
void print_left_out(const json& reply, const Surroundings& world) {
    const auto note = [&](const std::string& words) {
        *world.err << "note: left out: " << printable(words) << "\n";
    };
    const auto note_more = [&](std::int64_t more) {
        if (more > 0) note(fmt::format("and {} more", more));
    };
    const auto list = [](const json& of, const char* key) {
        return of.contains(key) && of[key].is_array() ? of[key] : json::array();
    };
    const auto files = list(reply, "files_left_out");
    for (const auto& one : files) {
        const auto file = text_at(one, "file");
        const auto why = text_at(one, "why");
        note(why.find(file) == why.npos ? file + ": " + why : why);
    }
    note_more(number_at(reply, "files_left_out_count") - std::int64_t(files.size()));
    for (const auto& night : list(reply, "nights")) {
        const auto lines = list(night, "left_out");
        for (const auto& line : lines) {
            if (line.is_string()) {
                note(text_at(night, "version") + ": " + line.get<std::string>());
            }
        }
        note_more(number_at(night, "left_out_count") - std::int64_t(lines.size()));
    }
}

void check_import(const Invocation& asked, const Surroundings&) {
    if (asked.arguments.empty()) refuse("name at least one FILE; - is standard input");
    if (!asked.has("project")) refuse("--project is missing");
}

ExitCode import_files(const CommandContext& context) {
    const auto& asked = context.invocation;
    const auto parts = parts_of(context);
    const auto begun_s = context.world.now_s();
    json replies = json::array();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto& part = parts[i];
        auto query = part.query;
        query["project"] = asked.get("project");
        const bool last = i + 1 == parts.size();
        if (asked.has("history") || !last) query["history"] = "true";
        if (asked.has("ignore-failure")) query["ignore_failure"] = "true";
        if (asked.has("closed") && last) query["closed"] = "true";
        if (parts.size() > 1 && context.world.now_s() - begun_s >= patience_s) {
            *context.world.err << fmt::format(
                "vigil: sending part {} of {}, from {} on\n",
                i + 1,
                parts.size(),
                printable(part.file));
        }
        replies.push_back(context.api.post_text(
            "/api/v1/results" + http::query_string(query), part.body, part.type));
    }
    if (context.json) return print_json(context, replies.size() == 1 ? replies[0] : replies);
    std::int64_t taken = 0;
    std::int64_t again = 0;
    for (const auto& reply : replies) {
        *context.world.out << nights_of(reply);
        print_left_out(reply, context.world);
        taken += number_at(reply, "taken");
        again += number_at(reply, "again");
    }
    *context.world.out << fmt::format(
        "{} imported, {} imported before.\n", text::counted(taken, "report"), again);
    return ExitCode::ok;
}

}  // namespace

CommandSpec import_command() {
    return {
        "import",
        CommandAction(nullptr, check_import, import_files),
        {"[FILE...]"},
        "imports the results of other benchmark programs into a project with an external source",
        {{"project", "NAME", "the project of the results; required"},
         {"revision", "HASH", "full hash of the measured commit, if the file lacks it"},
         {"name", "NAME", "name of the night (default: the short revision)"},
         {"time",
          "TIME",
          "time of the night (2026-11-21T04:05Z; default: the time in the file, else now)"},
         {"machine-class",
          "NAME",
          "machines with comparable numbers (default: the file's machine)"},
         {"machine", "NAME", "name of the machine"},
         choice_option(
             "format",
             "NAME",
             "format of the files (default: detected from each)",
             names_of<harness::Harness>()),
         {"ignore-failure", "", "ignore the exit codes of runs, as hyperfine -i does"},
         {"closed", "", "the newest night is complete: judge it at once"},
         {"history", "", "the results are history: open no suspicions"}},
        {"vigil import out.json --project lab --machine-class ci --revision $(git rev-parse HEAD)",
         "vigil import nights/*.json --project lab",
         "vigil import - --format go --project lab --machine-class ci --revision HASH",
         "vigil import years.csv --project lab --machine-class ci --history"},
        "Each FILE is what one program wrote, at most 64 MiB. What was sent before changes "
        "nothing.\n"
        "Of several nights all but the newest are history: their values count, and nothing is "
        "opened\n"
        "for them. Rows and files that cannot be used are left out, and named. docs/import.md has\n"
        "an example of every format.\n"};
}

}  // namespace vigil::cli
