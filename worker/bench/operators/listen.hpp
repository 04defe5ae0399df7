#pragma once

#include <functional>
#include <initializer_list>
#include <memory>

#include <ATen/record_function.h>

namespace vigil_bench {

/// Of the run that is listened to now: LibTorch calls plain functions.
template <class Listener>
Listener*& listening_now() {
    static Listener* now = nullptr;
    return now;
}

/// Calls `iterate` once; meanwhile the listener's begin() and end() get what LibTorch records. One
/// at a time of a kind. Only for files that are compiled with NDEBUG, as LibTorch is: its record
/// has another size without.
/// @param outputs  whether end() sees them
template <class Listener>
void listen(
    Listener& listener,
    const std::function<void()>& iterate,
    std::initializer_list<at::RecordScope> scopes,
    bool outputs) {
    using Begin = std::unique_ptr<at::ObserverContext> (*)(const at::RecordFunction&);
    const Begin begin = [](const at::RecordFunction& function) {
        if (auto* now = listening_now<Listener>()) now->begin(function);
        return std::unique_ptr<at::ObserverContext>();
    };
    const auto end = [](const at::RecordFunction& function, at::ObserverContext*) {
        if (auto* now = listening_now<Listener>()) now->end(function);
    };
    const auto handle = at::addGlobalCallback(at::RecordFunctionCallback(begin, end)
                                                  .needsInputs(true)
                                                  .needsOutputs(outputs)
                                                  .scopes({scopes.begin(), scopes.end()}));
    listening_now<Listener>() = &listener;
    const auto stop = [&] {
        at::removeCallback(handle);
        listening_now<Listener>() = nullptr;
    };
    try {
        iterate();
    } catch (...) {
        stop();
        throw;
    }
    stop();
}

}  // namespace vigil_bench
