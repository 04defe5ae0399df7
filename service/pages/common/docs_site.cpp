#include "service/pages/common/docs_site.hpp"

#include <fstream>
#include <iterator>

namespace vigil::service {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_files = 5'000;
constexpr std::uintmax_t max_bytes = 64U << 20U;
constexpr int max_depth = 1;

std::string type_of(const fs::path& file) {
    static const std::map<std::string, std::string> types{
        {".html", "text/html; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".json", "application/json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"}};
    const auto found = types.find(file.extension().string());
    return found == types.end() ? "text/plain; charset=utf-8" : found->second;
}

}  // namespace

DocsSite read_docs_site(const fs::path& folder) {
    DocsSite site;
    std::error_code none;
    std::uintmax_t bytes = 0;
    auto entry = fs::recursive_directory_iterator(folder, none);
    for (; !none && entry != fs::recursive_directory_iterator(); entry.increment(none)) {
        if (entry.depth() >= max_depth) entry.disable_recursion_pending();
        if (entry->symlink_status(none).type() != fs::file_type::regular) continue;
        const auto size = entry->file_size(none);
        if (none || site.size() >= max_files || size > max_bytes - bytes) continue;
        std::ifstream in(entry->path(), std::ios::binary);
        std::string text{std::istreambuf_iterator<char>(in), {}};
        if (!in || text.size() != size) continue;
        bytes += size;
        site.emplace(
            entry->path().lexically_relative(folder).generic_string(),
            DocsFile{type_of(entry->path()), std::move(text)});
    }
    return site.contains("index.html") ? site : DocsSite{};
}

const DocsSite& docs_site() {
    static const DocsSite site = [] {
        std::error_code none;
        const auto here = fs::read_symlink("/proc/self/exe", none).parent_path();
        for (const auto& folder : {here / "../share/vigil/docs-site", here / "docs-site"}) {
            auto found = read_docs_site(folder.lexically_normal());
            if (!found.empty()) return found;
        }
        return DocsSite{};
    }();
    return site;
}

}  // namespace vigil::service
