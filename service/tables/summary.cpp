#include "service/tables/summary.hpp"

namespace vigil::tables {

bool Summary::empty() const {
    return dashboard.empty() && batches.empty() && scaling.empty() && breakdown.rows.empty();
}

Summary summarize(const ResultList& list, const SummaryWishes& wishes) {
    Summary summary;
    summary.results = with_ratios(list.results(), wishes.base);
    summary.notes = list.notes();
    summary.dashboard = make_dashboard(summary.results, wishes.base, wishes.rules);
    summary.batches = make_batch_tables(summary.results, wishes.base);
    summary.scaling = make_scaling_tables(summary.results);
    summary.breakdown = make_breakdown(summary.results);
    return summary;
}

}  // namespace vigil::tables
