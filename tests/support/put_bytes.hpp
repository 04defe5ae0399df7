#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "service/store/content_store.hpp"

namespace vigil::test {

/// Puts bytes into a store, as an upload does. @throws Error{unavailable} when the disk is full
inline Digest put_bytes(service::ContentStore& store, const std::string& bytes) {
    const auto file = store.temporary_path();
    std::ofstream out(file, std::ios::binary);
    out << bytes;
    out.close();
    if (!out) {
        std::filesystem::remove(file);
        throw Error(Errc::unavailable, "writing " + file.string() + ": the disk is full");
    }
    const auto digest = wire::sha256(bytes);
    store.adopt(file, digest);
    return digest;
}

}  // namespace vigil::test
