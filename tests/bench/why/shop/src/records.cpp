#include <vector>

#include "shop.hpp"

namespace shop {

namespace {

constexpr std::size_t room = 16;

std::uint64_t sum_of(const std::shared_ptr<std::vector<std::uint32_t>>& values) {
    return (*values)[0] + (*values)[1];
}

}  // namespace

std::vector<Record> read_records(std::uint32_t count) {
    std::vector<Record> records;
    records.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        records.push_back({i, std::make_shared<std::vector<std::uint32_t>>(room, i)});
    }
    return records;
}

std::uint64_t checksum(const std::vector<Record>& records) {
    std::uint64_t sum = 0;
    for (const auto& record : records) sum = sum * 3 + sum_of(record.values);
    return sum;
}

std::uint32_t encode(const std::string& text) {
    static const std::vector<std::uint32_t> table = [] {
        std::vector<std::uint32_t> made;
        for (std::uint32_t i = 0; i < 256; ++i) made.push_back(i * 2654435761U);
        return made;
    }();
    std::uint32_t code = 0;
    for (const unsigned char c : text) code = (code >> 3) ^ table[(code ^ c) & 255U];
    return code;
}

}  // namespace shop
