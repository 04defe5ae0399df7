#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// Copies of content in a store that speaks S3. What is done there twice does no harm: an object's
// name is the digest of its bytes.

namespace vigil::service {

/// What is to be done in a bucket; each has its row, and counts as not there meanwhile.
struct CopyWork {
    std::vector<Digest> send;    ///< content that is not there, newest first
    std::vector<Digest> remove;  ///< copies of content that is gone
};

/// Products and archives to send, and what to remove, each up to `limit`. Writes their rows.
/// @param bucket     its address; copies in other buckets are left alone
/// @param max_bytes  larger content is not sent
CopyWork begin_copies(Database& db, const std::string& bucket, std::int64_t max_bytes, int limit);

/// The bucket has it. Nothing where its content went meanwhile: then it is removed next.
void note_copied(Database& db, const std::string& bucket, const Digest& digest, std::int64_t now_s);

/// The bucket has it no more.
void forget_copy(Database& db, const std::string& bucket, const Digest& digest);

/// Whether the bucket has it, and may hand it out.
bool has_copy(Database& db, const std::string& bucket, const Digest& digest);

}  // namespace vigil::service
