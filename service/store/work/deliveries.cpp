#include "service/store/work/deliveries.hpp"

namespace vigil::service {

void extend_delivery_message(
    Database& db, std::string_view external_id, const std::string& sentence) {
    db.execute(
        "UPDATE delivery SET message = message || '; ' || ?2 WHERE external_id = ?1",
        external_id,
        sentence);
}

}  // namespace vigil::service
