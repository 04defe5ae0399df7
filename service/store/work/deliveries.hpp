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
    std::string body;
    std::string state;
    std::string message;
};
/// @return  its id
std::int64_t add_delivery(Database& db, const NewDelivery& delivery, std::int64_t now_s);

void note_replay(Database& db, std::int64_t delivery);

/// Adds a sentence to what is said of a delivery, if there is one of this id of the sender's.
void extend_delivery_message(
    Database& db, std::string_view external_id, const std::string& sentence);

}  // namespace vigil::service
