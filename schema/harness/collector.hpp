#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schema/harness/report.hpp"
#include "schema/model/error.hpp"
#include "schema/text/read_budget.hpp"

namespace vigil::harness {

/// How the value of a reading is called.
struct ReadingName {
    std::string benchmark;
    std::string quantity = {};
    std::string definition = {};
    std::string former = {};  ///< as in `Reading`; empty: `benchmark`
};

/// What the harness says of a value; the rest follows from unit and quantity.
struct ReadingKind {
    std::optional<Metric> metric = {};
    std::optional<Direction> direction = {};
    bool is_reported = false;  ///< the direction is known, or known not to be told
};

/// One line of at most longest_name bytes: what is too long is cut and ends with a digest of the
/// whole, so that two long names stay two.
std::string fitting(const std::string& said);

/// Runs that ended with an error count like any other where the program measured them all the same
/// (hyperfine): the command ends so by nature, and its owner knows it.
void take_failed(Report& report);

/// Puts the readings of one report together, row by row. A row that cannot be read is left out and
/// told; so are rows that nothing in the file tells apart. What it holds is drawn from the budget.
class Collector {
  public:
    /// @param budget     must outlive it
    /// @param file_name  without its folder; some programs say there what their rows do not
    Collector(Harness harness, text::ReadBudget& budget, std::string file_name = {});
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    const std::string& file_name() const { return file_name_; }
    text::ReadBudget& budget() { return budget_; }

    /// One row of the file: what `read` adds counts when it returns, and not when it throws Error.
    /// Values of one name are samples of one reading where their rows have the same `origin`; of
    /// two origins, they fall together.
    /// @param place  how errors call the row
    /// @throws BudgetError
    template <class Read>
    void row(const std::string& place, const std::string& origin, Read&& read) {
        take_row(place, &origin, std::forward<Read>(read));
    }
    /// A row that is the only one of its names.
    template <class Read>
    void row(const std::string& place, Read&& read) {
        take_row(place, nullptr, std::forward<Read>(read));
    }

    /// The names as readings have them: for a name of many values, made once.
    ReadingName fit(const ReadingName& name);

    /// @param value  in `unit`; one that is not finite was not measured, and is passed over
    void add(const ReadingName& name, const std::string& unit, double value, ReadingKind kind = {});

    /// A value that the harness summed up itself, which counts where it gives no samples. Of
    /// several the last one counts.
    void add_summary(
        const ReadingName& name, const std::string& unit, double value, ReadingKind kind = {});

    /// A run that ended with an error: it is known that the benchmark exists.
    /// @param why     as the harness says it
    /// @param family  as in `Reading`
    void add_failure(
        const ReadingName& name,
        const std::string& unit,
        const std::string& why = "no reason given",
        ReadingKind kind = {},
        const std::string& family = {});

    /// What such a run measured all the same.
    void add_of_failed(
        const ReadingName& name, const std::string& unit, double value, ReadingKind kind = {});

    void leave_out(const std::string& line);

    /// The report, without what fell together. Once.
    Report finish();

    Report report;  ///< facts of the file are written here

  private:
    /// What a row adds to one reading, of which only names, values and failures are known yet.
    struct Draft {
        Reading reading;
        ReadingKind kind;
        std::size_t bytes = 0;  ///< of the budget, beside its own
    };
    struct Place {
        std::uint64_t origin = 0;
        std::uint32_t rows_apart = 1;  ///< of different origins
        bool has_fallen = false;
    };
    /// Readings by their names.
    struct ByNames {
        using is_transparent = void;
        const std::vector<Reading>& readings;
        bool operator()(std::size_t a, std::size_t b) const;
        bool operator()(std::size_t a, const Reading& b) const;
        bool operator()(const Reading& a, std::size_t b) const;
    };

    /// @param origin  null: of this row alone
    template <class Read>
    void take_row(const std::string& place, const std::string* origin, Read&& read) {
        budget_.row();
        try {
            read();
            complete_drafts();
            commit(origin);
        } catch (const text::BudgetError&) {
            throw;
        } catch (const Error& error) {
            leave_out_row(place, error.what());
        }
    }

    Reading& draft(const ReadingName& name, const std::string& unit, ReadingKind kind);
    std::uint64_t number_of(const std::string* origin);
    void complete_drafts();
    void commit(const std::string* origin_name);
    void keep(Draft&& draft, std::uint64_t origin);
    void drop_drafts();
    void leave_out_row(const std::string& place, const std::string& why);

    text::ReadBudget& budget_;
    std::string file_name_;
    std::uint64_t rows_ = 0;
    std::vector<Draft> drafts_;
    std::map<std::string, std::uint64_t> origins_;
    std::map<std::size_t, Place, ByNames> places_;
};

/// "NAME [device=cuda, threads=4]": a benchmark with what else tells its rows apart. Values that
/// are empty say nothing.
std::string with_parts(
    const std::string& benchmark, const std::vector<std::pair<std::string, std::string>>& parts);

}  // namespace vigil::harness
