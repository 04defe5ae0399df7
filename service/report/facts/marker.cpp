#include "service/report/facts/marker.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/wire/digest.hpp"
#include "service/store/reports/tracker.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t signature_digits = 32;
}  // namespace

Marker make_marker(
    std::string_view key, std::string_view kind, std::string_view ledger, std::int64_t id) {
    const std::string name = fmt::format("vigil:{}:{}:{}", kind, ledger, id);
    const auto signature = wire::hmac_sha256_hex(key, name).substr(0, signature_digits);
    return {fmt::format("<!-- {}:{} -->", name, signature), fmt::format("<!-- {} -->", name)};
}

namespace {

Marker marker_of(Database& db, std::string_view kind, std::int64_t id) {
    const auto secret = load_ledger_secret(db);
    const auto ledger = wire::sha256("vigil ledger " + secret.first_project).brief();
    return make_marker(secret.key, kind, ledger, id);
}

}  // namespace

Marker load_marker(Database& db, const ReportSubject& subject) {
    const auto part = [&](std::string_view kind, std::int64_t id) {
        return marker_of(db, fmt::format("{}:{}", kind, id), subject.part);
    };
    if (subject.comment_on) return part("comment", subject.comment_on->value);
    if (subject.part != 0) return part("week", subject.project.value);
    const auto id = subject.regression ? subject.regression->value
                    : subject.nightly  ? subject.nightly->value
                                       : subject.trouble.value().value;
    return marker_of(db, kind_of(subject), id);
}

Marker load_notice_marker(Database& db, std::int64_t notice) {
    return marker_of(db, "notice", notice);
}

bool has_marker_line(std::string_view body, std::string_view line) {
    std::size_t from = 0;
    while (from <= body.size()) {
        const std::size_t end = std::min(body.find('\n', from), body.size());
        const auto one = body.substr(from, end - from);
        const auto first = one.find_first_not_of(" \t\r");
        const auto last = one.find_last_not_of(" \t\r");
        if (first != one.npos && one.substr(first, last - first + 1) == line) return true;
        from = end + 1;
    }
    return false;
}

}  // namespace vigil::service
