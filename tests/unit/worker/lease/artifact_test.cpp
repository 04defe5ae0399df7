#include "worker/lease/artifact.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace vigil::worker;

namespace {

using Bytes = std::vector<std::byte>;

ReadAt reader_of(const Bytes& bytes) {
    return [&bytes](std::uint64_t offset, std::span<std::byte> into) {
        if (offset > bytes.size() || into.size() > bytes.size() - offset) return false;
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
        return true;
    };
}

template <class Value>
void put(Bytes& bytes, std::size_t offset, const Value& value) {
    bytes.resize(std::max(bytes.size(), offset + sizeof value));
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

constexpr std::size_t names_at = 64;
constexpr std::size_t table_at = 128;

/// Four sections: none, names, .text of 500 bytes, .bss of 10^9 that are not in the file.
Bytes example_file() {
    Bytes bytes;
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_shoff = table_at;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 4;
    header.e_shstrndx = 1;
    put(bytes, 0, header);
    const char names[] = "\0.shstrtab\0.text\0.bss";  // at 1, 11, 17
    put(bytes, names_at, names);
    Elf64_Shdr section{};
    put(bytes, table_at, section);
    section.sh_name = 1;
    section.sh_offset = names_at;
    section.sh_size = sizeof names;
    put(bytes, table_at + sizeof section, section);
    section.sh_name = 11;
    section.sh_size = 500;
    put(bytes, table_at + 2 * sizeof section, section);
    section.sh_name = 17;
    section.sh_type = SHT_NOBITS;
    section.sh_size = 1'000'000'000;
    put(bytes, table_at + 3 * sizeof section, section);
    return bytes;
}

}  // namespace

TEST_CASE("Sections of an ELF file are found by their whole name", "[worker][lease]") {
    const auto file = example_file();
    CHECK(section_bytes(reader_of(file), ".text") == 500);
    CHECK(section_bytes(reader_of(file), ".bss") == 1e9);
    CHECK_FALSE(section_bytes(reader_of(file), ".tex"));
    CHECK_FALSE(section_bytes(reader_of(file), ".texts"));
    CHECK_FALSE(section_bytes(reader_of(file), ".data"));
}

TEST_CASE("An ELF file that is cut anywhere, or lies, is refused", "[worker][lease]") {
    const auto whole = example_file();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK_FALSE(section_bytes(reader_of(cut), ".bss"));
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {  // any byte, as large as can be
        auto broken = whole;
        broken[at] = std::byte{0xff};
        const auto bytes = section_bytes(reader_of(broken), ".text");
        if (bytes) CHECK(*bytes >= 0);
    }
    auto many = whole;
    Elf64_Ehdr header;
    std::memcpy(&header, many.data(), sizeof header);
    header.e_shnum = 0;  // then the first section says how many
    put(many, 0, header);
    Elf64_Shdr first{};
    first.sh_size = std::uint64_t{1} << 63;
    put(many, table_at, first);
    CHECK_FALSE(section_bytes(reader_of(many), ".text"));
    first.sh_size = 4;
    put(many, table_at, first);
    CHECK(section_bytes(reader_of(many), ".text") == 500);
    CHECK_FALSE(section_bytes(reader_of(Bytes(4096)), ".text"));
}
