#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"

// What the API answers as typed rows, for whoever renders it: a row has the members that are read,
// called as the keys of the answer, and says which handler answers it. Which query it takes, what
// it refuses and who may ask is as of the route.

namespace vigil::service {

/// What a series is called. Its key `case` is `case_name` here.
struct NamedSeries {
    std::string benchmark;
    std::optional<std::string> case_name;
    std::string variant, machine_class, metric;
    std::optional<std::string> quantity;
};
void from_json(const nlohmann::json& object, NamedSeries& series);

/// How much worse; of a number that comes from 0 `change_ratio` is nothing.
struct ListedChange {
    std::optional<double> change_ratio, low, high;
};
void from_json(const nlohmann::json& object, ListedChange& moved);

struct ListedSize : ListedChange {
    double before = 0, after = 0;
};
void from_json(const nlohmann::json& object, ListedSize& size);

struct ListedCommit {
    std::string revision, subject, author;
};
void from_json(const nlohmann::json& object, ListedCommit& commit);

/// Something known of a machine, as text whatever it is in JSON; empty for null.
struct FactText {
    std::string text;
};
void from_json(const nlohmann::json& value, FactText& fact);
using FactTexts = std::map<std::string, FactText>;

/// Each row's own stands in the source beside its type, see row_json.hpp.
template <class Row>
Row row_of(const nlohmann::json& object);

/// A page of a list.
template <class Row>
struct RowPage {
    std::vector<Row> rows;
    std::string next_cursor;  ///< empty: the list ends here
};

/// Who reads, and what is asked for them. @throws Error where the route refuses
struct Asker {
    using Texts = std::map<std::string, std::string>;
    using Take = std::function<void(const nlohmann::json& object)>;

    const http::Request& request;
    Database& db;
    const HandlerContext& context;

    template <class Row>
    RowPage<Row> page(const Texts& query) const {
        RowPage<Row> page;
        page.next_cursor = take_items(Row::list, query, [&](const nlohmann::json& object) {
            page.rows.push_back(row_of<Row>(object));
        });
        return page;
    }
    template <class Row>
    std::vector<Row> rows(const Texts& query = {}) const {
        return page<Row>(query).rows;
    }
    /// The thing with this id.
    template <class Row>
    Row one(std::int64_t id) const {
        return answer<Row>({}, {{"id", std::to_string(id)}});
    }
    /// The thing that the path names.
    template <class Row>
    Row named() const {
        return answer<Row>({}, request.parameters);
    }
    template <class Row>
    Row answer(const Texts& query, const Texts& parameters) const {
        Row row;
        take(Row::one, query, parameters, [&](const nlohmann::json& object) {
            row = row_of<Row>(object);
        });
        return row;
    }

  private:
    std::string take_items(Handler handler, const Texts& query, const Take& read) const;
    void take(Handler handler, const Texts& query, const Texts& parameters, const Take& read) const;
};

}  // namespace vigil::service
