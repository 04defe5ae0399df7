#include "service/local/product.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::local {

namespace {

namespace fs = std::filesystem;

constexpr const char* record_name = "product.json";
constexpr const char* claim_name = "product";

std::string text_of_file(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& file, const std::string& text) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text << std::flush;
    if (!out) {
        throw Error(Errc::unavailable, "writing " + file.string() + ": is the disk full?");
    }
}

/// Whether an output, or something below or above it, is at this path.
bool is_part_of(const fs::path& relative, const std::vector<std::string>& outputs) {
    return std::any_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
        const fs::path wanted = fs::path(output).lexically_normal();
        const auto [a, b] =
            std::mismatch(relative.begin(), relative.end(), wanted.begin(), wanted.end());
        const bool below = b == wanted.end() || b->empty();
        return below || a == relative.end();
    });
}

}  // namespace

std::optional<ProductRecord> find_record(const fs::path& product) {
    const fs::path file = product / record_name;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return std::nullopt;
    try {
        const auto value = wire::parse_json(text_of_file(file), file.string());
        wire::ObjectReader reader(value, "product");
        ProductRecord record;
        record.digest = reader.text("digest");
        record.place = reader.small("place", {0, 255});
        return record;
    } catch (const Error&) {
        return std::nullopt;  // cut by a kill: it is built again
    }
}

void write_record(const fs::path& product, const ProductRecord& record) {
    write_file(
        product / record_name,
        wire::write_json({{"digest", record.digest}, {"place", record.place}}));
}

void write_claim(const fs::path& place, const fs::path& product) {
    write_file(place / claim_name, product.filename().string());
}

bool is_record_of(const fs::path& tree, const fs::path& product) {
    return fs::is_directory(tree) &&
           text_of_file(tree.parent_path() / claim_name) == product.filename().string();
}

std::string strip_tree(const fs::path& tree, const std::vector<std::string>& outputs) {
    std::error_code failure;
    fs::remove_all(tree / ".git", failure);
    if (outputs.empty()) return "";
    for (const auto& output : outputs) {
        if (!fs::exists(fs::symlink_status(tree / output, failure))) {
            return "the build makes no " + text::one_line(output, 200) + " (--outputs)";
        }
    }
    std::vector<fs::path> superfluous;
    auto at = fs::recursive_directory_iterator(tree, failure);
    for (; !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
        const fs::path relative = at->path().lexically_relative(tree);
        if (is_part_of(relative, outputs)) continue;
        superfluous.push_back(at->path());
        at.disable_recursion_pending();
    }
    for (const auto& path : superfluous) fs::remove_all(path, failure);
    return "";
}

std::string digest_of_tree(const fs::path& tree) {
    std::vector<fs::path> paths;
    try {
        for (const auto& entry : fs::recursive_directory_iterator(tree)) {
            paths.push_back(entry.path());
        }
        std::sort(paths.begin(), paths.end());
        wire::Sha256 sum;
        for (const auto& path : paths) {
            const auto status = fs::symlink_status(path);
            const bool runs = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
            std::string content;
            if (fs::is_symlink(status)) content = fs::read_symlink(path).string();
            if (fs::is_regular_file(status)) content = wire::sha256_file(path).str();
            const auto name = path.lexically_relative(tree).string();
            sum.update(fmt::format(
                "{}:{} {} {} {}:{}\n",
                name.size(),
                name,
                static_cast<int>(status.type()),
                runs ? 1 : 0,
                content.size(),
                content));
        }
        return sum.finish().str();
    } catch (const fs::filesystem_error& error) {
        throw Error(Errc::unavailable, std::string("reading what was built: ") + error.what());
    }
}

}  // namespace vigil::local
