#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "service/cli/ask/api.hpp"
#include "service/cli/common/command.hpp"

// What the commands that ask a daemon share: what was asked, and printing the answer.

namespace vigil::cli {

struct CommandContext {
    const Invocation& invocation;
    const Surroundings& world;
    const Api& api;
    bool json = false;
    bool colours = false;
};

/// Filters for the server from options of these names (machine-class: machine_class), and since_s
/// and until_s from the days that --since and --until name, or from how long ago they say (7d,
/// 12h).
std::map<std::string, std::string> filters_of(
    const CommandContext& context, const std::vector<std::string>& names);
std::int64_t limit_of(const CommandContext& context);
/// The number in the first argument. @throws Error{invalid_argument}
std::string id_argument(const CommandContext& context);

/// Nothing was found: @throws Error{not_found} when it was asked for by a project, benchmark or
/// worker that the daemon does not have
void check_names(const CommandContext& context, const std::map<std::string, std::string>& filters);
/// The items of a list. Nothing found may be a slip in a name: then the names are looked up.
/// @throws as check_names, and as Api::list
nlohmann::json list_known(
    const CommandContext& context,
    const std::string& path,
    const std::map<std::string, std::string>& filters,
    std::int64_t limit);
/// The same with filters_of these options, and with --limit.
nlohmann::json list_requested(
    const CommandContext& context, const std::string& path, const std::vector<std::string>& names);

/// Prints as JSON that is safe on a terminal.
ExitCode print_json(const CommandContext& context, const nlohmann::json& value);
/// Prints the reply as JSON, or else this sentence.
ExitCode print_reply(
    const CommandContext& context, const nlohmann::json& reply, const std::string& sentence);
/// Prints the `note` of a reply, if it has one, to standard error: what was asked for waits.
void print_note(const CommandContext& context, const nlohmann::json& reply);

/// Prints the list as the server writes it, where --format asks for that: a page is one request.
/// @return  false when it was not asked for
bool print_format(
    const CommandContext& context,
    const std::string& path,
    const std::map<std::string, std::string>& filters);

/// What a column says of an item.
using ItemWords = std::function<std::string(const nlohmann::json&)>;

/// The time at `key`; empty where there is none.
ItemWords utc_at(const char* key);
/// How long ago the time at `key` was.
ItemWords ago_at(const CommandContext& context, const char* key);
/// The first characters of the revision at `key`.
ItemWords hash_at(const char* key);

struct ListColumn {
    ListColumn(std::string header_, const char* key);  ///< the text or number at `key`
    ListColumn(std::string header_, ItemWords cell_)
        : header(std::move(header_)), cell(std::move(cell_)) {}

    std::string header;
    ItemWords cell;
};

/// The items as a table.
/// @param toned  header of the column whose words have colours
std::string table_of(
    const CommandContext& context,
    const nlohmann::json& items,
    const std::vector<ListColumn>& columns,
    const std::string& toned = "");
/// The items as JSON or as a table; `none` where there is no item.
ExitCode print_list(
    const CommandContext& context,
    const nlohmann::json& items,
    const std::string& none,
    const std::vector<ListColumn>& columns,
    const std::string& toned = "");

}  // namespace vigil::cli
