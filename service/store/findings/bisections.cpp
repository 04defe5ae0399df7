#include "service/store/findings/bisections.hpp"

namespace vigil::service {

std::optional<InsideOf> find_inside(Database& db, BisectionId bisection) {
    auto row = db.query(
        "SELECT outer_id, merge, parent, regression_id FROM bisection "
        "WHERE id = ?1 AND outer_id IS NOT NULL",
        bisection);
    if (!row.next()) return std::nullopt;
    return InsideOf{
        row.get<BisectionId>(0), row.get<Revision>(1), row.get<int>(2), row.get<RegressionId>(3)};
}

}  // namespace vigil::service
