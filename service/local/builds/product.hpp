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

/// Moves a folder or a file, and makes the folders above it. @throws Error{unavailable}
void move_path(const std::filesystem::path& from, const std::filesystem::path& to);

/// Moves the product out of the tree it was built in: its outputs, or without any the tree itself
/// but for git's file.
/// @param outputs  relative paths
/// @param product  where to, not there yet
/// @return why the outputs are not there, and nothing was moved; empty when they are
/// @throws Error{unavailable}
std::string take_product(
    const std::filesystem::path& tree,
    const std::vector<std::string>& outputs,
    const std::filesystem::path& product);

/// Of names, kinds, executable bits and contents of all files; not of times.
/// @throws Error{unavailable} when something cannot be read
std::string digest_of_tree(const std::filesystem::path& tree);

}  // namespace vigil::local
