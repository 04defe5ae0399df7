#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "service/local/reading/order.hpp"
#include "worker/run/run.hpp"

namespace vigil::local {

/// The median of what a benchmark printed: the block of lines of one number each that its output
/// ends with; or the JSON that its output ends with, a number or an array of numbers.
/// @param may_be_zero  whether 0 is a value like others
/// @throws Error{invalid_argument} for anything else: nothing, text, NaN, negative values
double printed_value(std::string_view output, bool may_be_zero = true);

/// How values are read from now on, and an assignment of the environment that makes the program
/// print all digits of them; empty: there is none.
struct SeenReading {
    ReadAs read_as;
    std::string exact_form;
};

/// How the values of an order are read where a run shows that a benchmark harness measures: the one
/// benchmark that it printed, or that the order selects; of it the time, CPU time or quantity that
/// the order asks for. Of several, where none is selected, all are read (reads_all).
/// @param report  of a run that exited with 0
/// @return nothing where the process, or plain numbers that it prints, are the measure
/// @throws Error{invalid_argument} that names what there is, where the order must select another
///         benchmark or quantity; Error{conflict} where the numbers of a program that sizes its own
///         loop cannot be read: the time of its process would say nothing
std::optional<SeenReading> find_read_as(const worker::RunReport& report, const Order& order);

/// What a run that exited with 0 says of the measure, in unit_of(order), >= 0; a time, a rate and
/// the memory of a process > 0.
/// @throws Error{invalid_argument}
double value_of(const worker::RunReport& report, const Order& order);

/// The same two by a guarded call (worker/run/guarded.hpp).
std::optional<SeenReading> guarded_read_as(const worker::RunReport& report, const Order& order);
double guarded_value_of(const worker::RunReport& report, const Order& order);

}  // namespace vigil::local
