#include "worker/lease/artifact.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "schema/model/error.hpp"
#include "schema/model/series_rule.hpp"
#include "schema/text/lines.hpp"
#include "worker/lease/outcome_now.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_artifact(const std::string& why) {
    throw Error(Errc::invalid_argument, why);
}

template <class Value>
bool read_value(const ReadAt& read_at, std::uint64_t offset, Value& value) {
    return read_at(offset, std::as_writable_bytes(std::span(&value, 1)));
}

/// Whether the text that ends with a NUL at an offset is this one.
bool is_text_at(const ReadAt& read_at, std::uint64_t offset, std::string_view text) {
    std::string there(text.size() + 1, 'x');
    return read_at(offset, std::as_writable_bytes(std::span(there))) &&
           there == std::string(text) + '\0';
}

template <class Header, class Section>
std::optional<double> sections_of(const ReadAt& read_at, std::string_view name) {
    Header header;
    if (!read_value(read_at, 0, header) || header.e_shentsize != sizeof(Section)) {
        return std::nullopt;
    }
    // The tables lie within 2^62 bytes, so that no sum below is too large.
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    const std::uint64_t table = header.e_shoff;
    Section first;
    if (table == 0 || table > most || !read_value(read_at, table, first)) return std::nullopt;
    const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
    const std::uint64_t names = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first.sh_link;
    Section texts;
    if (count > max_sections || names >= count ||
        !read_value(read_at, table + names * sizeof(Section), texts) || texts.sh_offset > most) {
        return std::nullopt;
    }
    std::optional<double> bytes;
    for (std::uint64_t i = 1; i < count; ++i) {
        Section section;
        if (!read_value(read_at, table + i * sizeof(Section), section)) return std::nullopt;
        if (!is_text_at(read_at, texts.sh_offset + section.sh_name, name)) continue;
        bytes = bytes.value_or(0) + static_cast<double>(section.sh_size);
    }
    return bytes;
}

/// A file of the product, open to be read.
class ProductFile {
  public:
    /// Nothing on the way leads out of the folder, and nothing else than a file is waited for.
    ProductFile(int folder, const fs::path& path) {
        open_how how{};
        how.flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
        how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
        fd_ = static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
        if (fd_ < 0 || ::fstat(fd_, &status_) != 0) {
            const std::string why = std::strerror(errno);
            close();
            refuse_artifact(text::one_line(path.string(), 200) + ": " + why);
        }
    }
    ~ProductFile() { close(); }
    ProductFile(const ProductFile&) = delete;
    ProductFile& operator=(const ProductFile&) = delete;

    bool is_file() const { return S_ISREG(status_.st_mode); }
    bool is_folder() const { return S_ISDIR(status_.st_mode); }
    double bytes() const { return static_cast<double>(status_.st_size); }

    bool read_at(std::uint64_t offset, std::span<std::byte> into) const {
        const auto end = static_cast<std::uint64_t>(status_.st_size);
        if (offset > end || into.size() > end - offset) return false;
        const auto got = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset));
        return got == std::ssize(into);
    }

  private:
    void close() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

    int fd_ = -1;
    struct stat status_ {};
};

/// Whether a way through links ends in the folder that it begins in.
bool stays_in(const fs::path& product, const fs::path& path) {
    std::error_code missing;
    const auto whole = fs::canonical(product, missing);
    const auto there = fs::canonical(product / path, missing);
    return !missing &&
           std::mismatch(whole.begin(), whole.end(), there.begin(), there.end()).first ==
               whole.end();
}

/// What a path with "*" stands for, in order; no links.
std::vector<fs::path> found_by(const fs::path& product, const fs::path& pattern) {
    std::vector<fs::path> found{""};
    for (const auto& part : pattern) {
        std::vector<fs::path> next;
        for (const auto& folder : found) {
            std::error_code missing;
            if (part.string().find('*') == std::string::npos) {
                next.push_back(folder / part);
                continue;
            }
            if (!fs::is_directory(fs::symlink_status(product / folder, missing))) continue;
            if (!stays_in(product, folder)) continue;  // no name from outside is told
            for (const auto& entry : fs::directory_iterator(product / folder, missing)) {
                const auto name = entry.path().filename();
                const bool is_link = fs::is_symlink(entry.symlink_status(missing));
                if (is_link || !fits_pattern(part.string(), name.string())) continue;
                next.push_back(folder / name);
                if (next.size() > max_artifact_files) refuse_artifact("it is too many files");
            }
        }
        found = std::move(next);
    }
    // Where no "*" is in the last part, not all that was found is there.
    std::erase_if(found, [&](const fs::path& path) {
        std::error_code missing;
        return !fs::exists(fs::symlink_status(product / path, missing));
    });
    std::sort(found.begin(), found.end());
    return found;
}

class ArtifactSize {
  public:
    ArtifactSize(const fs::path& product, std::string section)
        : product_(product),
          folder_(::open(product.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
          section_(std::move(section)) {
        if (folder_ < 0) refuse_artifact("the product has no such folder");
    }
    ~ArtifactSize() { ::close(folder_); }
    ArtifactSize(const ArtifactSize&) = delete;
    ArtifactSize& operator=(const ArtifactSize&) = delete;

    void add(const fs::path& path) {
        const ProductFile file(folder_, path);
        if (file.is_folder()) return add_all_below(path);
        if (!file.is_file()) refuse_artifact(told(path) + " is neither a file nor a folder");
        count();
        if (section_.empty()) {
            bytes_ += file.bytes();
            return;
        }
        const auto read_at = [&](std::uint64_t offset, std::span<std::byte> into) {
            return file.read_at(offset, into);
        };
        const auto bytes = section_bytes(read_at, section_);
        if (!bytes) refuse_artifact(told(path) + " has no ELF section " + section_);
        bytes_ += *bytes;
    }

    double bytes() const { return bytes_; }
    std::size_t files() const { return files_; }

  private:
    static std::string told(const fs::path& path) { return text::one_line(path.string(), 200); }

    void count() {
        if (++files_ > max_artifact_files) refuse_artifact("it is too many files");
    }

    void add_all_below(const fs::path& path) {
        if (!section_.empty()) refuse_artifact(told(path) + " is a folder, which has no section");
        std::error_code error;
        for (fs::recursive_directory_iterator at(product_ / path, error), end; at != end && !error;
             at.increment(error)) {
            std::error_code missing;
            if (!fs::is_regular_file(at->symlink_status(missing))) continue;
            bytes_ += static_cast<double>(at->file_size());
            count();
        }
        if (error) refuse_artifact(told(path) + ": " + error.message());
    }

    const fs::path product_;
    int folder_;
    const std::string section_;
    double bytes_ = 0;
    std::size_t files_ = 0;
};

}  // namespace

std::optional<double> section_bytes(const ReadAt& read_at, std::string_view section) {
    std::array<unsigned char, EI_NIDENT> ident{};
    if (!read_value(read_at, 0, ident) || std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0) {
        return std::nullopt;
    }
    constexpr auto own_order =
        std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    if (ident[EI_DATA] != own_order) return std::nullopt;
    switch (ident[EI_CLASS]) {
        case ELFCLASS32: return sections_of<Elf32_Ehdr, Elf32_Shdr>(read_at, section);
        case ELFCLASS64: return sections_of<Elf64_Ehdr, Elf64_Shdr>(read_at, section);
        default: return std::nullopt;
    }
}

RunOutcome measure_artifact(int step, const fs::path& product, const Command& what) {
    auto outcome = outcome_now(step);
    const auto begin = std::chrono::steady_clock::now();
    const std::string path = what.empty() ? "" : what.front();
    try {
        ArtifactSize size(product, what.size() > 1 ? what[1] : "");
        if (path.find('*') == path.npos) {
            size.add(path);
        } else {
            for (const auto& one : found_by(product, path)) size.add(one);
        }
        if (size.files() == 0)
            refuse_artifact(text::one_line(path, 200) + ": there is no such file");
        outcome.outcome = Outcome::passed;
        outcome.samples = {{Metric::artifact_bytes, {size.bytes()}}};
    } catch (const Error& error) {
        outcome.message = error.what();
    } catch (const fs::filesystem_error& error) {
        outcome.message = text::one_line(error.code().message());
    }
    outcome.duration_ns = (std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1);
    return outcome;
}

}  // namespace vigil::worker
