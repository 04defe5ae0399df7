#include "service/store/reports/filed.hpp"

namespace vigil::service {

std::vector<std::string> list_filed_addresses(Database& db, RegressionId regression) {
    std::vector<std::string> addresses;
    auto rows = db.query(
        "SELECT DISTINCT o.external_ref FROM report r JOIN outbox o ON o.report_id = r.id "
        "WHERE r.regression_id = ?1 AND o.external_ref LIKE 'http%'",
        regression);
    while (rows.next()) addresses.push_back(rows.get<std::string>(0));
    return addresses;
}

}  // namespace vigil::service
