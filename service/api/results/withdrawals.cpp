#include "service/api/results/withdrawals.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/handlers.hpp"
#include "service/watch/night/night_words.hpp"
#include "service/watch/night/withdraw.hpp"

namespace vigil::service {

namespace {

struct WantedWithdrawal {
    WithdrawnPart part;
    std::string reason;
};

WantedWithdrawal read_body(const http::Request& request) {
    check_query(request, {});
    WantedWithdrawal asked{{NightlyId{id_parameter(request)}}, ""};
    if (request.body.empty()) return asked;
    const auto body = wire::parse_json(request.body, "the body");
    wire::ObjectReader reader(body, "body");
    asked.part.worker = reader.text_or("worker", "", max_reason_bytes);
    asked.reason = reader.text_or("reason", "", max_reason_bytes);
    reader.done();
    return asked;
}

http::Response reply(Database& db, const WantedWithdrawal& asked) {
    const auto nightly = asked.part.nightly;
    return object_response({{"id", nightly.value}, {"withdrawn", withdrawals_of(db, nightly)}});
}

}  // namespace

nlohmann::json withdrawals_of(Database& db, NightlyId nightly) {
    auto standing = nlohmann::json::array();
    for (const auto& one : list_withdrawals(db, nightly)) {
        standing.push_back(
            {{"worker", text_or_null(one.worker)},
             {"reason", one.reason},
             {"by", one.by},
             {"since_s", one.since_s}});
    }
    return standing;
}

http::Response post_night_withdraw(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const auto asked = read_body(request);
    if (is_blank(asked.reason)) {
        throw Error(
            Errc::invalid_argument,
            "body.reason is missing: say why nightly " + to_string(asked.part.nightly) +
                " is withdrawn");
    }
    withdraw(db, asked.part, asked.reason, request.caller->name, context.now_s);
    return reply(db, asked);
}

http::Response post_night_restore(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const auto asked = read_body(request);
    restore(db, asked.part, asked.reason, request.caller->name, context.now_s);
    return reply(db, asked);
}

}  // namespace vigil::service
