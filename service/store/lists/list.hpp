#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/store/database.hpp"

// Rows as REST shows them. A statement's columns are called as the keys of the object: numbers,
// text and NULL are what they are in JSON, and a blob is its doubles. `AS 'suspects:json'` marks
// text that is JSON of ours, `AS 'plan:job_plan'` JSON of a type that `published` knows (both null
// where it cannot be read), `AS 'creep:bool'` a flag.

namespace vigil::service {

/// Things that one thing shows besides, as an array of objects; of a statement with one column, of
/// its values. ?1 is the thing's id. Without a key the columns of its one row are the thing's own.
struct ListPart {
    std::string_view key;
    std::string_view sql;
    std::vector<ListPart> parts = {};  ///< of each of them
};

/// The value of a filter that holds of nearly all rows.
struct UsualValue {
    std::string_view filter;
    std::string_view value;
    std::string_view others;  ///< as the index has it: "run.outcome <> 'passed'"
};

/// A list, newest (largest id) first. Its statement's values are `:newest`, the largest id that is
/// asked for, `:limit`, and its filters by their names, NULL where they are not given.
struct List {
    std::string_view noun;  ///< one of them
    std::string_view sql;
    std::vector<ListPart> parts = {};  ///< what one alone shows besides
    std::vector<ListPart> each = {};   ///< what each shows in the list too
    /// Of a table (CSV, Markdown), as paths into one; none: all that is no list.
    std::vector<std::string_view> columns = {};
    /// What nearly all of them are, and an index leaves out: asked for another, that index serves.
    std::vector<UsualValue> usual = {};
};

/// Which part of a list is asked for.
struct Page {
    std::int64_t newest = std::numeric_limits<std::int64_t>::max();
    int limit = 50;
};

/// All rows, each an object, or its value where there is one column.
nlohmann::json all_rows(Query rows);

std::vector<std::string> filters_of(Database& db, const List& list);

/// @param filter  value of a filter, by its name
/// @return  an array of at most page.limit + 1 objects: the one too many says that there are more
nlohmann::json list_page(
    Database& db,
    const List& list,
    const Page& page,
    const std::function<Value(const std::string& name)>& filter);

/// One of a list, with its parts. @throws Error{not_found} "there is no job 12"
nlohmann::json load_one(Database& db, const List& list, std::int64_t id);

/// @throws Error{not_found} "there is no job 12"
[[noreturn]] void throw_missing(std::string_view noun, std::int64_t id);

}  // namespace vigil::service
