#pragma once

#include <memory>
#include <string>

#include "service/app/state_folder.hpp"
#include "service/config/config.hpp"

namespace vigil::service {

/// The daemon: opens the state folder, starts the lanes and the HTTP service, and runs the nights
/// until it is asked to end.
class App {
  public:
    /// Takes the state folder's lock, brings the ledger up to date, writes the first admin token.
    /// @param config_file  where SIGHUP reads the config again
    /// @throws what StateFolder and HttpServer throw
    App(Config config, std::string config_file, NewLedger rule = NewLedger::in_empty_folder);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    /// Returns after SIGTERM or SIGINT, when requests in progress are answered and long polls have
    /// ended; a second signal ends it within 5 s.
    void run();

  private:
    class Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace vigil::service
