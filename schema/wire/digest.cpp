#include "schema/wire/digest.hpp"

#include <array>
#include <cstdio>
#include <vector>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "schema/model/error.hpp"

namespace vigil::wire {

namespace {

std::string hex(const unsigned char* bytes, std::size_t size) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * size);
    for (std::size_t i = 0; i < size; ++i) {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

}  // namespace

struct Sha256::State {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    State() {
        // Looked up once: each look takes locks, which a process that forks may never get.
        static const EVP_MD* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
        VIGIL_ASSERT(context && EVP_DigestInit_ex(context, method, nullptr) == 1);
    }
    ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
    VIGIL_ASSERT(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

Digest Sha256::finish() {
    std::array<unsigned char, 32> value{};
    unsigned int size = 0;
    VIGIL_ASSERT(EVP_DigestFinal_ex(state_->context, value.data(), &size) == 1 && size == 32);
    return Digest(hex(value.data(), size));
}

Digest sha256(std::string_view bytes) {
    Sha256 sum;
    sum.update(bytes);
    return sum.finish();
}

Digest sha256_file(const std::filesystem::path& file) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(
        std::fopen(file.c_str(), "rb"), &std::fclose);
    if (!in) throw Error(Errc::not_found, "reading " + file.string() + ": it cannot be opened");
    Sha256 sum;
    std::vector<char> buffer(1 << 18);
    while (const auto got = std::fread(buffer.data(), 1, buffer.size(), in.get())) {
        sum.update({buffer.data(), got});
    }
    if (std::ferror(in.get()) != 0) {
        throw Error(Errc::unavailable, "reading " + file.string() + ": an input error");
    }
    return sum.finish();
}

std::string hmac_sha256(std::string_view key, std::string_view body) {
    std::string value(32, '\0');
    unsigned int size = 0;
    VIGIL_ASSERT(HMAC(
        EVP_sha256(),
        key.data(),
        static_cast<int>(key.size()),
        reinterpret_cast<const unsigned char*>(body.data()),
        body.size(),
        reinterpret_cast<unsigned char*>(value.data()),
        &size));
    return value;
}

std::string hmac_sha256_hex(std::string_view key, std::string_view body) {
    const auto value = hmac_sha256(key, body);
    return hex(reinterpret_cast<const unsigned char*>(value.data()), value.size());
}

bool equal_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string random_hex(int count) {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
    VIGIL_ASSERT(RAND_bytes(bytes.data(), count) == 1);
    return hex(bytes.data(), bytes.size());
}

}  // namespace vigil::wire
