#include "service/pages/findings/inbox_rows.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr auto never_s = std::numeric_limits<std::int64_t>::max();

std::int64_t due_or_never(const json& one) {
    const auto& due = one.at("due_at_s");
    return due.is_number() ? due.get<std::int64_t>() : never_s;
}

double size_of(const json& one) {
    const auto& ratio = member(one.at("worst"), "change_ratio");
    return ratio.is_number() ? ratio.get<double>() : 0;
}

}  // namespace

std::optional<std::int64_t> due_at_s(
    const json& regression, std::int64_t answer_due_s, std::optional<std::int64_t> muted_until) {
    if (muted_until) return muted_until;
    if (answer_due_s == 0 || regression.at("state") != "reported") return std::nullopt;
    return regression.at("created_at_s").get<std::int64_t>() + answer_due_s;
}

json in_order(const json& items, InboxOrder order) {
    std::vector<json> rows(items.begin(), items.end());
    std::ranges::stable_sort(rows, [order](const json& a, const json& b) {
        if (order == InboxOrder::size && size_of(a) != size_of(b)) return size_of(a) > size_of(b);
        if (order == InboxOrder::due && due_or_never(a) != due_or_never(b)) {
            return due_or_never(a) < due_or_never(b);
        }
        if (a.at("created_at_s") != b.at("created_at_s")) {
            return a.at("created_at_s") < b.at("created_at_s");
        }
        return a.at("id") < b.at("id");
    });
    return rows;
}

std::string inbox_title(const json& items, std::int64_t now_s) {
    std::int64_t waiting = 0;
    std::int64_t late = 0;
    for (const auto& one : items) {
        const bool waits = one.at("state") == "reported" && !one.at("muted").get<bool>();
        waiting += waits ? 1 : 0;
        late += waits && due_or_never(one) < now_s ? 1 : 0;
    }
    if (items.empty()) return "Nothing needs attention";
    if (waiting == 0) return "Nothing waits for an answer";
    auto words = fmt::format("{} {} for an answer", waiting, waiting == 1 ? "waits" : "wait");
    if (late > 0) words += fmt::format(", {} {} late", late, late == 1 ? "is" : "are");
    return words;
}

}  // namespace vigil::service
