#include "service/pages/findings/inbox_rows.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace vigil::service {

namespace {

std::int64_t due_or_never(const InboxRow& row) {
    return row.due_at_s.value_or(std::numeric_limits<std::int64_t>::max());
}

double size_of(const InboxRow& row) {
    const auto* worst = row.worst();
    return worst == nullptr ? 0 : *worst->worse();
}

}  // namespace

std::optional<std::int64_t> due_at_s(
    const ListedRegression& regression,
    std::int64_t answer_due_s,
    std::optional<std::int64_t> muted_until) {
    if (muted_until) return muted_until;
    if (answer_due_s == 0 || regression.state != "reported") return std::nullopt;
    return regression.created_at_s + answer_due_s;
}

std::vector<InboxRow> in_order(std::vector<InboxRow> rows, InboxOrder order) {
    std::ranges::stable_sort(rows, [order](const auto& a, const auto& b) {
        if (order == InboxOrder::size && size_of(a) != size_of(b)) return size_of(a) > size_of(b);
        if (order == InboxOrder::due && due_or_never(a) != due_or_never(b)) {
            return due_or_never(a) < due_or_never(b);
        }
        return std::tie(a.created_at_s, a.id) < std::tie(b.created_at_s, b.id);
    });
    return rows;
}

std::string inbox_title(const std::vector<InboxRow>& rows, std::int64_t now_s) {
    std::int64_t waiting = 0;
    std::int64_t late = 0;
    for (const auto& one : rows) {
        const bool waits = one.state == "reported" && !one.muted;
        waiting += waits ? 1 : 0;
        late += waits && one.is_late(now_s) ? 1 : 0;
    }
    if (rows.empty()) return "Nothing needs attention";
    if (waiting == 0) return "Nothing waits for an answer";
    auto words = fmt::format("{} {} for an answer", waiting, waiting == 1 ? "waits" : "wait");
    if (late > 0) words += fmt::format(", {} {} late", late, late == 1 ? "is" : "are");
    return words;
}

}  // namespace vigil::service
