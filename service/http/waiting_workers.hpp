#pragma once

#include <map>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "service/config/config.hpp"
#include "service/http/work_signal.hpp"
#include "service/runtime/lane.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// The claims that wait, by machine class. Workers of a class without a queued job are left alone:
/// else each result would make every idle worker of a fleet look on the writer. Owned by the
/// server's core; used on the io thread only.
class WaitingWorkers {
  public:
    /// @param reader  outlives the io_context's work
    WaitingWorkers(boost::asio::io_context& io, Lane<Database>& reader);

    /// What wakes the workers of this one's class.
    WorkSignal& of(const Config& config, const std::string& worker);

    /// There may be work: soon the workers of each class with a queued job are woken. What was
    /// committed before the call counts.
    void notify();
    /// All are woken, e.g. as the service drains.
    void notify_all();

  private:
    struct Waiting {
        std::map<std::string, WorkSignal> signals;
        bool looks = false;  ///< at the ledger, now
        bool again = false;  ///< a notice came meanwhile
    };
    static boost::asio::awaitable<void> look(
        std::shared_ptr<Waiting> waiting, Lane<Database>& reader);

    boost::asio::io_context& io_;
    Lane<Database>& reader_;
    std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();
};

}  // namespace vigil::service
