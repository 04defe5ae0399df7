#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "schema/model/text_ids.hpp"
#include "service/config/self_test.hpp"

namespace vigil::service {

/// Adds the commits to the branch main of a bare repository, which is made when it is missing.
/// @return  the planted one; the last one where none is
/// @throws Error{unavailable} when git is not there or fails
Revision add_self_test_commits(
    const std::filesystem::path& repository,
    const std::vector<SelfTestCommit>& commits,
    std::int64_t now_s,
    const std::atomic<bool>* stop);

/// The same as text for `git fast-import`. Pure.
/// @param follows  the branch has commits already
std::string self_test_stream(
    const std::vector<SelfTestCommit>& commits, std::int64_t now_s, bool follows);

}  // namespace vigil::service
