#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// What a build left behind, as files.

namespace vigil::local {

/// What is known of a product, beside its tree.
struct ProductRecord {
    std::string digest;
    int place = 0;  ///< where it was built and must be measured
};

/// @return nothing when there is no whole record
std::optional<ProductRecord> find_record(const std::filesystem::path& product);
/// @throws Error{unavailable}
void write_record(const std::filesystem::path& product, const ProductRecord& record);

/// Notes beside a place whose product is about to be moved there, and reads it again.
/// @throws Error{unavailable}
void write_claim(const std::filesystem::path& place, const std::filesystem::path& product);
bool is_record_of(const std::filesystem::path& tree, const std::filesystem::path& product);

/// Removes what is no product: git's file, and with outputs everything else.
/// @param outputs  relative paths; empty: all stays
/// @return why the outputs are not there; empty when they are
std::string strip_tree(const std::filesystem::path& tree, const std::vector<std::string>& outputs);

/// Of names, kinds, executable bits and contents of all files; not of times.
/// @throws Error{unavailable} when something cannot be read
std::string digest_of_tree(const std::filesystem::path& tree);

}  // namespace vigil::local
