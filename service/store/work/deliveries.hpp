#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// Table `delivery`: what a webhook brought.

namespace vigil::service {

struct DeliveryRow {
    std::int64_t id = 0;
    std::string event;
    Digest body_digest;
    std::string state;  ///< "acted" or "ignored"
};
/// By the sender's id.
std::optional<DeliveryRow> find_delivery(Database& db, std::string_view external_id);

struct NewDelivery {
    std::string external_id;
    std::string event;
    Digest body_digest;
    std::string body;  ///< empty: it lies in the content store, by its digest
    std::string state;
    std::string message;
};
/// @return  its id
std::int64_t add_delivery(Database& db, const NewDelivery& delivery, std::int64_t now_s);

void note_replay(Database& db, std::int64_t delivery);

/// Bodies in the ledger are kept so long; the rows stay, so that a delivery is acted on once for
/// ever.
constexpr std::int64_t delivery_bodies_kept_s = std::int64_t{30} * 86'400;

/// Empties the bodies of deliveries that came before.
void forget_delivery_bodies(Database& db, std::int64_t before_s);

/// Adds a sentence to what is said of a delivery, if there is one of this id of the sender's.
void extend_delivery_message(
    Database& db, std::string_view external_id, const std::string& sentence);

}  // namespace vigil::service
