#include <string>

#include "schema/harness/console/readers.hpp"
#include "schema/harness/text_readers.hpp"

namespace vigil::harness {

void read_go_lines(const ShownLines& lines, Collector& into) {
    text::BudgetLoan loan(into.budget());
    std::string text;
    bool found = false;
    for (const auto line : lines) {
        const bool result = is_go_result(line);
        const bool fact = line.starts_with("goos: ") || line.starts_with("goarch: ") ||
                          line.starts_with("pkg: ") || line.starts_with("cpu: ");
        found = found || result;
        if (!result && !fact) continue;
        into.budget().make(2 * line.size() + 2);  // it grows by doubling
        text.append(line).append("\n");
    }
    loan.end();
    if (found) read_go(text, into);
}

}  // namespace vigil::harness
