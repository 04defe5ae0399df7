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

std::string project_file(std::string_view file, std::string_view own, std::string_view source) {
    for (const auto folder : {own, source}) {
        const bool is_below = !folder.empty() && file.size() > folder.size() &&
                              file.starts_with(folder) && file[folder.size()] == '/';
        if (!is_below) continue;
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
