#include "service/app/reload.hpp"

#include <csignal>
#include <optional>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "service/app/state_folder.hpp"
#include "service/config/change.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

using boost::asio::awaitable;

namespace {

constexpr const char* trouble_kind = "config.refused";
constexpr const char* trouble_subject = "config";
constexpr std::size_t most_logged = 200;  // the rest is counted

void log_changes(const std::vector<ConfigChange>& changes) {
    std::string waiting;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const auto& change = changes[i];
        if (change.needs_restart) waiting += (waiting.empty() ? "" : " ") + change.key;
        if (i >= most_logged) continue;
        log_info("config.changed", {{"key", change.key}, {"from", change.from}, {"to", change.to}});
    }
    log_info("config.reloaded", {{"changes", changes.size()}});
    if (waiting.empty()) return;
    log_warn(
        "config.needs_restart",
        {{"keys", waiting}, {"todo", "these keep their values until vigild is restarted"}});
}

}  // namespace

Reload::Reload(
    boost::asio::io_context& io,
    std::string file,
    LiveConfig& config,
    const Clock& clock,
    WriterLane& writer)
    : config_(config),
      clock_(clock),
      writer_(writer),
      file_(std::move(file), 1),
      signals_(io, SIGHUP) {}

void Reload::stop() {
    stopping_ = true;
    signals_.cancel();
}

awaitable<void> Reload::run() {
    const auto now_s = clock_.now_s();  // the daemon has started with a config that is right
    co_await writer_.run(
        [&](Database& db) { end_trouble(db, trouble_kind, trouble_subject, now_s); });
    while (!stopping_) {
        boost::system::error_code cancelled;
        co_await signals_.async_wait(
            boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
        if (cancelled || stopping_) continue;
        try {
            co_await reload();
        } catch (const Error& error) {  // the ledger takes no changes: the config stays
            log_error("config.not_reloaded", {{"error", error.what()}});
        }
    }
}

awaitable<void> Reload::reload() {
    std::optional<Config> loaded;
    std::string why;
    try {
        co_await file_.run([&](std::string& file) { loaded = load_config(file); });
    } catch (const Error& error) {
        why = error.what();
    }
    if (loaded) {
        co_await put_in_force(std::move(*loaded));
    } else {
        co_await refuse(std::move(why));
    }
}

awaitable<void> Reload::refuse(std::string why) {
    log_error("config.refused", {{"error", why}, {"todo", "the old one stays active"}});
    Trouble trouble;
    trouble.kind = trouble_kind;
    trouble.subject = trouble_subject;
    trouble.message = "the changed config is wrong, so the old one stays active: " + why +
                      "; fix it and reload again";
    const auto now_s = clock_.now_s();
    co_await writer_.run([&](Database& db) { note_trouble(db, trouble, now_s); });
}

// Whoever meets a name first has to find it: rows come before the config that names them.
awaitable<void> Reload::put_in_force(Config config) {
    const auto changes = list_changes(config_.now(), config);
    config = change_while_running(config_.now(), std::move(config));
    const auto now_s = clock_.now_s();
    co_await writer_.run([&](Database& db) {
        ensure_names(db, config, now_s);
        end_trouble(db, trouble_kind, trouble_subject, now_s);
    });
    set_log_level(config.log_level);
    log_changes(changes);
    config_.replace(std::move(config));
    on_changed();
}

}  // namespace vigil::service
