#include "service/local/report.hpp"

namespace vigil::local {
std::string level_plot(const Story&, const search::Decision&) {
    return "";
}
std::string markdown_report(const Story&, const search::Decision&) {
    return "";
}
std::string html_report(const Story&, const search::Decision&) {
    return "";
}
}  // namespace vigil::local
