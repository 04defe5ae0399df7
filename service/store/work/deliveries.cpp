#include "service/store/work/deliveries.hpp"

namespace vigil::service {

std::optional<DeliveryRow> find_delivery(Database& db, std::string_view external_id) {
    return db.first<DeliveryRow>(
        "SELECT id, event, body_digest, state FROM delivery WHERE external_id = ?1", external_id);
}

std::int64_t add_delivery(Database& db, const NewDelivery& delivery, std::int64_t now_s) {
    db.execute(
        "INSERT INTO delivery (external_id, event, body_digest, body, state, message,"
        " received_at_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        delivery.external_id,
        delivery.event,
        delivery.body_digest,
        Blob(std::as_bytes(std::span(delivery.body))),
        delivery.state,
        delivery.message,
        now_s);
    return db.last_insert_id();
}

void note_replay(Database& db, std::int64_t delivery) {
    db.execute("UPDATE delivery SET replays = replays + 1 WHERE id = ?1", delivery);
}

void forget_delivery_bodies(Database& db, std::int64_t before_s) {
    db.execute(
        "UPDATE delivery SET body = x'' WHERE length(body) > 0 AND received_at_s < ?1", before_s);
}

void extend_delivery_message(
    Database& db, std::string_view external_id, const std::string& sentence) {
    db.execute(
        "UPDATE delivery SET message = message || '; ' || ?2 WHERE external_id = ?1",
        external_id,
        sentence);
}

}  // namespace vigil::service
