#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include <sys/resource.h>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/model/version.hpp"
#include "service/app/app.hpp"
#include "service/config/check_config.hpp"
#include "service/config/reference.hpp"
#include "service/config/series_rules.hpp"

namespace {

constexpr const char* usage =
    "vigild: watches nightly builds, finds performance regressions and names their culprits\n"
    "\n"
    "usage: vigild --config FILE [--check-config [--quiet] | --new-ledger]\n"
    "       vigild --config-reference [PREFIX]\n"
    "\n"
    "  --config FILE    the config, JSON with comments (docs/operations.md)\n"
    "  --check-config   print all errors in it, or its effective values and the rules of\n"
    "                   judgement, and end\n"
    "  --quiet          with --check-config: print the errors only\n"
    "  --new-ledger     if the state folder has files but no ledger: move them to its folder\n"
    "                   unknown/ and begin a new ledger; no effect with a ledger\n"
    "  --config-reference [PREFIX]\n"
    "                   print each key of the config (that begins with PREFIX): its default, its\n"
    "                   range and its meaning\n"
    "  --version        print the version and end\n"
    "\n"
    "examples:\n"
    "  vigild --config deploy/vigild.example.json --check-config\n"
    "  vigild --config-reference http.\n"
    "  vigild --config /etc/vigil/vigild.json\n"
    "\n"
    "signals: SIGHUP reads the config again, and keeps the old one if the new one is wrong;\n"
    "SIGTERM drains and ends\n"
    "\n"
    "exit codes: 0 ended by a signal or option, 1 failed, 2 wrong usage or config\n";

/// Every connection is a file, and the usual soft limit is below what the config may allow.
void allow_many_files() {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
    files.rlim_cur = files.rlim_max;
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &files));  // else the soft limit stays
}

struct Arguments {
    std::string config;
    bool check = false;
    bool quiet = false;
    vigil::service::NewLedger new_ledger = vigil::service::NewLedger::in_empty_folder;
};

int refuse(const std::string& words) {
    std::fprintf(stderr, "vigild: %s; see vigild --help\n", words.c_str());
    return 2;
}

int check(const Arguments& arguments) {
    const auto checked = vigil::service::check_config_file(arguments.config);
    for (const auto& error : checked.errors) std::fprintf(stderr, "vigild: %s\n", error.c_str());
    for (const auto& warning : checked.warnings) {
        std::fprintf(stderr, "vigild: warning: %s\n", warning.c_str());
    }
    if (!checked.errors.empty()) return 2;
    if (!arguments.quiet) {
        std::printf("%s\n", vigil::service::effective_config(checked.config).c_str());
        for (const auto& line : vigil::service::list_decided(checked.config)) {
            std::fprintf(stderr, "vigild: %s\n", line.c_str());
        }
    }
    return 0;
}

int run(const Arguments& arguments) {
    vigil::service::Config config;
    try {
        if (arguments.check) return check(arguments);
        config = vigil::service::load_config(arguments.config);
    } catch (const vigil::Error& error) {
        std::fprintf(stderr, "vigild: %s\n", error.what());
        return 2;
    }
    vigil::start_logging(config.log_level);
    std::signal(SIGHUP, SIG_IGN);  // until it is up and takes it for a wish to reload
    allow_many_files();
    vigil::service::App app(std::move(config), arguments.config, arguments.new_ledger);
    app.run();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--help" || argument == "-h") {
            std::fputs(usage, stdout);
            return 0;
        }
        if (argument == "--version") {
            std::printf("%s\n", vigil::version_line("vigild").c_str());
            return 0;
        }
        if (argument == "--config-reference") {
            const auto text = vigil::service::config_reference(i + 1 < argc ? argv[i + 1] : "");
            if (text.empty())
                return refuse("no key begins with '" + std::string(argv[i + 1]) + "'");
            std::fputs(text.c_str(), stdout);
            return 0;
        }
        if (argument == "--check-config") {
            arguments.check = true;
        } else if (argument == "--quiet") {
            arguments.quiet = true;
        } else if (argument == "--new-ledger") {
            arguments.new_ledger = vigil::service::NewLedger::set_aside_rest;
        } else if (argument == "--config" && i + 1 < argc) {
            arguments.config = argv[++i];
        } else {
            return refuse("unknown or incomplete option '" + std::string(argument) + "'");
        }
    }
    if (arguments.config.empty()) return refuse("--config FILE is missing");
    if (arguments.quiet && !arguments.check) return refuse("--quiet is for --check-config");
    try {
        return run(arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "vigild: %s\n", error.what());
        return 1;
    }
}
