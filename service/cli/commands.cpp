#include "service/cli/commands.hpp"

#include "service/cli/ask/commands.hpp"
#include "service/cli/ask/summarize.hpp"
#include "service/cli/detect/detect_file.hpp"
#include "service/cli/init/init.hpp"
#include "service/cli/local/search.hpp"
#include "service/cli/talk/commands.hpp"

namespace vigil::cli {

const Program& vigil_program() {
    static const Program program{
        "vigil",
        "finds performance regressions and the commits that caused them",
        {"vigil compare --good v1.2 --bad HEAD --build make --bench ./bench",
         "vigil detect history.csv",
         "vigil status"},
        [] {
            std::vector<CommandSpec> list;
            const auto add = [&](std::vector<CommandSpec> some) {
                for (auto& command : some) {
                    if (command.section.empty()) command.section = "Without a server";
                    list.push_back(std::move(command));
                }
            };
            add({init_command()});
            add(local_commands());
            add(talk_commands());
            add({detect_command(), summarize_command()});
            add(daemon_commands());
            return list;
        }()};
    return program;
}

const std::vector<Option>& common_options(bool asks_daemon) {
    static const std::vector<Option> plain{
        {"json", "", "print the data as JSON"}, {"help", "", "this help"}};
    static const std::vector<Option> all{
        {"server", "URL", "the daemon (default $VIGIL_SERVER, or http://127.0.0.1:8321)"},
        {"token-file",
         "FILE",
         "file with the token (default $VIGIL_TOKEN_FILE, then ~/.config/vigil/token)"},
        {"json", "", "print the data as JSON"},
        {"help", "", "this help"}};
    return asks_daemon ? all : plain;
}

}  // namespace vigil::cli
