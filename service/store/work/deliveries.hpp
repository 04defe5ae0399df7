#pragma once

#include <string>
#include <string_view>

#include "service/store/database.hpp"

// Table `delivery`: what a webhook brought.

namespace vigil::service {

/// Adds a sentence to what is said of a delivery, if there is one of this id of the sender's.
void extend_delivery_message(
    Database& db, std::string_view external_id, const std::string& sentence);

}  // namespace vigil::service
