#pragma once

#include <span>
#include <string_view>

namespace vigil::service {

/// A file of service/pages/templates or service/pages/assets, or a script of service/web, as it
/// travels inside the program.
struct PageFile {
    std::string_view name;    ///< "regression.html"
    std::string_view served;  ///< of an asset: "vigil-0123456789abcdef.css"; empty: a template
    std::string_view type;    ///< of an asset: its content type
    std::string_view text;
};

/// All of them; service/pages/embed.py writes them.
std::span<const PageFile> page_files();

}  // namespace vigil::service
