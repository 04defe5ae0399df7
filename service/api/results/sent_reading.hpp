#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/harness/report.hpp"
#include "schema/http/message.hpp"
#include "schema/wire/digest.hpp"
#include "service/watch/night/external.hpp"

// What a report of another program becomes, whoever asked for it, and whose reports are taken.

namespace vigil::service {

using MachineFacts = std::map<std::string, std::string>;

inline constexpr std::size_t max_facts = 200;
inline constexpr std::size_t max_fact_bytes = 500;

/// In the metric's unit. Without samples: it failed, and says why.
SentReading sent_reading(harness::Reading&& reading);
std::vector<SentReading> sent_readings(std::vector<harness::Reading>&& readings);

/// The format that a sender names; nothing: it names none.
/// @throws Error{invalid_argument} that names `place` and the formats there are
std::optional<harness::Harness> format_named(std::string name, const std::string& place);

/// Adds a fact of a machine, cut to its bounds; not one too many.
void add_fact(MachineFacts& facts, const std::string& fact, const std::string& value);
void add_facts(MachineFacts& facts, const MachineFacts& more);

/// @throws Error{denied} where the caller's token is for other projects alone
void check_sender(const http::Request& request, const std::string& project);

/// Tells what was sent from other things, however it was spelled.
class Fingerprinter {
  public:
    void add(std::string_view text);
    void add(const MachineFacts& facts);
    void add(const SentReading& reading);
    Digest finish() { return sha_.finish(); }

  private:
    wire::Sha256 sha_;
};

}  // namespace vigil::service
