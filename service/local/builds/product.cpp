#include "service/local/builds/product.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "worker/run/text_file.hpp"

namespace vigil::local {

namespace {

namespace fs = std::filesystem;

constexpr const char* record_name = "product.json";
constexpr const char* claim_name = "product";

void write_file(const fs::path& file, const std::string& text) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text << std::flush;
    if (!out) {
        throw Error(Errc::unavailable, "writing " + file.string() + ": is the disk full?");
    }
}

}  // namespace

void move_path(const fs::path& from, const fs::path& to) {
    std::error_code failure;
    fs::create_directories(to.parent_path(), failure);
    if (!failure) fs::rename(from, to, failure);
    if (failure) {
        throw Error(
            Errc::unavailable,
            fmt::format("moving {} to {}: {}", from.string(), to.string(), failure.message()));
    }
}

std::optional<ProductRecord> find_record(const fs::path& product) {
    const fs::path file = product / record_name;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return std::nullopt;
    try {
        const auto value = wire::parse_json(worker::read_text(file), file.string());
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
           worker::read_text(tree.parent_path() / claim_name) == product.filename().string();
}

std::string take_product(
    const fs::path& tree, const std::vector<std::string>& outputs, const fs::path& product) {
    std::error_code failure;
    if (outputs.empty()) {
        fs::remove_all(tree / ".git", failure);
        move_path(tree, product);
        return "";
    }
    for (const auto& output : outputs) {
        if (!fs::exists(fs::symlink_status(tree / output, failure))) {
            return "the build makes no " + text::one_line(output, 200) + " (--outputs)";
        }
    }
    std::set<fs::path> in_order;  // a folder before what is in it
    for (const auto& output : outputs) {
        const auto path = fs::path(output).lexically_normal();
        in_order.insert(path.has_filename() ? path : path.parent_path());
    }
    for (const auto& wanted : in_order) {
        const bool is_taken = !fs::exists(fs::symlink_status(tree / wanted, failure));
        if (!is_taken) move_path(tree / wanted, product / wanted);  // else: within another output
    }
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
