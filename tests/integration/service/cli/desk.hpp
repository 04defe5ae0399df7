#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "service/cli/run.hpp"
#include "tests/support/canned_server.hpp"

namespace vigil::cli::testing {

inline constexpr std::int64_t now_s = 1'795'229'100;

/// The program against a server with canned answers, by "METHOD target".
struct Desk {
    Desk()
        : server([this](const test::CannedRequest& request) {
              const std::lock_guard lock(mutex);
              requests.push_back(request);
              auto& answers = canned[request.method + " " + request.target];
              if (answers.empty()) {
                  return test::CannedReply{
                      404, R"({"status":404,"detail":"no such thing"})", {}, {}};
              }
              const test::CannedReply reply = answers.front();
              if (answers.size() > 1) answers.erase(answers.begin());
              return reply;
          }) {}

    void answer(const std::string& request, const std::string& body, int status = 200) {
        canned[request].push_back({status, body, {}, {}});
    }

    int run(std::vector<std::string> args) {
        Surroundings world;
        world.out = &out;
        world.err = &err;
        world.environment = environment;
        if (!environment.contains("VIGIL_SERVER")) world.environment["VIGIL_SERVER"] = server.url();
        world.terminal = terminal;
        world.now_s = [this] { return clock_s; };
        world.pause_s = [this](int seconds) { clock_s += seconds; };
        world.run_script = [this](const std::string& script) {
            scripts.push_back(script);
            const std::string mark = "export VIGIL_RUNS=";
            if (!script.starts_with(mark)) return script_code;
            const auto folder = script.substr(mark.size(), script.find('\n') - mark.size());
            for (const auto& [turn, said] : runs) {
                std::ofstream(folder + "/" + turn + ".out") << said;
                std::ofstream(folder + "/" + turn + ".err") << "error: of " << turn << "\n";
            }
            return script_code;
        };
        world.random_key = [] { return std::string("key-1"); };
        return cli::run(args, world);
    }

    bool said(const std::string& part) const { return out.str().find(part) != std::string::npos; }
    bool complained(const std::string& part) const {
        return err.str().find(part) != std::string::npos;
    }

    std::mutex mutex;
    std::map<std::string, std::vector<test::CannedReply>> canned;
    std::vector<test::CannedRequest> requests;
    std::ostringstream out;
    std::ostringstream err;
    std::map<std::string, std::string> environment;
    bool terminal = false;
    std::int64_t clock_s = now_s;
    std::vector<std::string> scripts;  ///< that were run
    using Runs = std::map<std::string, std::string>;
    Runs runs;  ///< what the turns of a script print
    int script_code = 0;
    test::CannedServer server;
};

inline const std::string no_items = R"({"items":[],"next_cursor":null})";

inline const std::string regressions =
    R"({"items":[{"id":7,"project":"tensorlab","state":"reported",
"culprit":"9cf258be147ad0369cf258be147ad0369cf258be","suspects":[],"created_at_s":1795229000,
"series":[{"benchmark":"mlp","variant":"train","machine_class":"xeon","metric":"cpu_time_ns",
"verdict":"regression","change_ratio":0.2,"confirmed":{"change_ratio":0.183}}]},
{"id":3,"project":"tensorlab","state":"closed","culprit":null,"suspects":[],"created_at_s":1,
"series":[]}],"next_cursor":null})";

}  // namespace vigil::cli::testing
