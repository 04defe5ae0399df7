#include "schema/profile/project_file.hpp"

namespace vigil::profile {

namespace {

constexpr std::string_view here = "./";
constexpr std::string_view mapped_folder = "/./";

std::string_view without_here(std::string_view file) {
    while (file.starts_with(here)) file.remove_prefix(here.size());
    return file;
}

}  // namespace

bool is_below(std::string_view path, std::string_view folder) {
    return !folder.empty() && path.size() > folder.size() && path.starts_with(folder) &&
           (folder.ends_with('/') || path[folder.size()] == '/');
}

std::string project_file(std::string_view file, std::string_view own, std::string_view source) {
    for (const auto folder : {own, source}) {
        if (!is_below(file, folder)) continue;
        file.remove_prefix(folder.size());
        while (file.starts_with('/')) file.remove_prefix(1);
        return std::string(without_here(file));
    }
    if (!file.starts_with(here)) return std::string(file);
    const auto at = file.rfind(mapped_folder);
    if (at != file.npos) file.remove_prefix(at + mapped_folder.size());
    return std::string(without_here(file));
}

}  // namespace vigil::profile
