// Prints what is installed beside the programs: `vigil-manual man`, `vigil-manual bash` and
// `vigil-manual markdown` (for the documentation site) from the table of commands; `vigil-manual
// help`, from the --help on standard input, another program's page.

#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "service/cli/manual/manual.hpp"

int main(int count, char** values) {
    const std::string what = count == 2 ? values[1] : "";
    try {
        if (what == "man") {
            std::cout << vigil::cli::man_page(vigil::cli::vigil_program());
        } else if (what == "bash") {
            std::cout << vigil::cli::bash_completion(vigil::cli::vigil_program());
        } else if (what == "markdown") {
            std::cout << vigil::cli::markdown_page(vigil::cli::vigil_program());
        } else if (what == "help") {
            const std::string help{std::istreambuf_iterator<char>(std::cin), {}};
            std::cout << vigil::cli::man_page_of_help(help);
        } else {
            std::fputs("usage: vigil-manual man | bash | markdown | help\n", stderr);
            return 2;
        }
        return std::cout.flush() ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "vigil-manual: %s\n", error.what());
        return 1;
    }
}
