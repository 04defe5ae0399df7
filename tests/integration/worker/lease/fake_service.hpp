#pragma once

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "worker/lease/service_api.hpp"

namespace vigil::test {

/// The service in memory: hands out leases, holds content, and can be out of reach.
class FakeService : public worker::ServiceApi {
  public:
    std::deque<Lease> leases;
    std::map<Digest, std::string> contents;
    std::map<std::string, std::string> results;  ///< JSON by "job-attempt"
    std::vector<std::string> calls;
    std::vector<worker::Claim> claims;
    std::vector<std::string> progress;
    std::function<HeartbeatReply()> on_heartbeat = [] { return HeartbeatReply{false, 60}; };
    std::function<void(const JobResult&)> before_put = [](const JobResult&) {};
    std::function<void(const std::string& call)> before_call = [](const std::string&) {};

    Digest add_content(const std::string& bytes) {
        const auto digest = wire::sha256(bytes);
        contents[digest] = bytes;
        return digest;
    }
    Digest add_content_of(const std::filesystem::path& file) {
        std::ifstream in(file, std::ios::binary);
        return add_content({std::istreambuf_iterator<char>(in), {}});
    }
    JobResult result(const std::string& name) const {
        return wire::parse_job_result(wire::parse_json(results.at(name), "the result"));
    }
    int count(const std::string& call) const {
        return static_cast<int>(std::count(calls.begin(), calls.end(), call));
    }

    std::optional<Lease> claim(const worker::Claim& claim, int) override {
        note("claim");
        claims.push_back(claim);
        if (!claim.cannot_work.empty()) return std::nullopt;
        if (leases.empty()) return std::nullopt;
        auto lease = leases.front();
        leases.pop_front();
        return lease;
    }
    HeartbeatReply heartbeat(JobId, int, const std::string& text) override {
        const std::lock_guard lock(mutex_);
        progress.push_back(text);
        return on_heartbeat();
    }
    void put_result(JobId job, int attempt, const std::string& result) override {
        note("put_result");
        before_put(wire::parse_job_result(wire::parse_json(result, "the result")));
        results[to_string(job) + "-" + std::to_string(attempt)] = result;
    }
    void fetch_content(
        const Digest& digest, const std::filesystem::path& file, std::int64_t max_bytes) override {
        note("fetch " + digest.str());
        const auto found = contents.find(digest);
        if (found == contents.end()) throw Error(Errc::not_found, "no content " + digest.str());
        if (static_cast<std::int64_t>(found->second.size()) > max_bytes) {
            throw Error(Errc::unavailable, "too large");
        }
        std::ofstream(file, std::ios::binary) << found->second;
    }
    void put_content(
        const Digest& digest, ContentKind, const std::filesystem::path& file) override {
        note("put_content");
        if (add_content_of(file) != digest) throw Error(Errc::invalid_argument, "wrong digest");
    }

  private:
    void note(const std::string& call) {
        const std::lock_guard lock(mutex_);
        before_call(call);
        calls.push_back(call);
    }
    std::mutex mutex_;
};

}  // namespace vigil::test
