#include "service/app/project_supply.hpp"
#include "service/app/self_test_repository.hpp"
#include "service/config/self_test.hpp"
#include "service/store/work/self_tests.hpp"

namespace vigil::service {

// Before the self-test's source is asked for its newest commit there is a new one. Its row comes
// first: what is cut off is planted once more, and what was planted then is taken back.
boost::asio::awaitable<void> ProjectSupply::plant_self_test(std::string& why) {
    const auto& test = config_.now().self_test;
    if (!test || name_ != self_test_name) co_return;
    const auto now_s = clock_.now_s();
    const auto due_at_s = now_s + test->due_s;
    std::int64_t number = 0;
    co_await writer_.run([&](Database& db) { number = begin_self_test(db, now_s); });
    const auto night = static_cast<int>(number - 1);
    const auto commits = plan_self_test_night(night);
    const auto repository = self_test_repository(config_.now());
    Revision revision;
    const std::function<void(Repositories&)> work = [&](Repositories&) {
        revision = add_self_test_commits(repository, commits, now_s, &stopping_);
    };
    co_await ask(work, why);
    if (stopping_ || !why.empty()) co_return;
    std::optional<PlantedRegression> planted;
    if (night >= quiet_self_test_nights) {
        const auto benchmark = self_test_benchmark(night);
        planted = PlantedRegression{self_test_benchmark_name(benchmark), revision, due_at_s};
    }
    co_await writer_.run([&](Database& db) { record_planted(db, number, planted); });
}

}  // namespace vigil::service
