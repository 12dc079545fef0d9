#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <vector>

#include "../binned_table.hpp"
#include "../row_order.hpp"

namespace tamis::cart {

/// The codes of one column, of 1, 2 or 4 bytes each: `visit` hands on a pointer of the right type.
struct CodedColumn {
    const void* data;
    size_t width;

    template <class Function>
    decltype(auto) visit(Function&& function) const {
        if (width == 1) return function(static_cast<const uint8_t*>(data));
        if (width == 2) return function(static_cast<const uint16_t*>(data));
        return function(static_cast<const uint32_t*>(data));
    }
    int64_t at(size_t row) const {
        return visit([&](const auto* codes) { return int64_t(codes[row]); });
    }
};

/// Codes of any width, a column each, so that every distinct value has its own and splits are exact however many values a column has.
struct TreeTable : CodedTable {
    std::vector<CodedColumn> columns;
    std::span<const int64_t> order;  // (columns): the order in which columns are tried; of equal splits the first one is made
    size_t max_sorted = 0;           // bytes that sorted columns may take; beyond, rows are sorted at each node
    std::vector<char> has_missing;   // (columns): whether some row has no value

    /// Codes of the column that has most, missing included.
    size_t max_codes() const { return n_values.empty() ? 1 : size_t(std::ranges::max(n_values)) + 1; }

    /// Add a column's codes; after n_values.
    void add_column(const CodedColumn& column) {
        const int64_t missing = n_values[columns.size()];
        has_missing.push_back(column.visit([&](const auto* codes) {
            return std::any_of(codes, codes + n_rows, [&](auto code) { return int64_t(code) == missing; });
        }));
        columns.push_back(column);
    }

    /// Where values share codes, a threshold lies between two of the codes, so that a row's codes send it where its values do.
    double threshold(size_t j, int64_t cut, int64_t upper) const {
        if (low.data() == high.data() || upper < 0) return CodedTable::threshold(j, cut, upper);
        const int64_t middle = (cut + upper) / 2;
        return CodedTable::threshold(j, middle, middle + 1);
    }

    /// The values of a row, as splits read them: missing is NaN, a category its code.
    void read_row(size_t row, double* x) const {
        for (size_t j = 0; j < n_columns(); ++j) {
            const int64_t code = columns[j].at(row);
            if (code == n_values[j]) x[j] = std::numeric_limits<double>::quiet_NaN();
            else x[j] = category[j] ? double(code) : high[size_t(first[j] + code)];
        }
    }
};

/// The rows of every numeric column in the order of its codes, rows without a value last: sorted once, however many trees grow.
class SortedColumns {
public:
    explicit SortedColumns(const TreeTable& table) : table_(table) {}

    /// (numeric columns, rows)
    const uint32_t* line(size_t j) const {
        std::call_once(once_, [this] { sort(); });
        return rows_.get() + place_[j] * table_.n_rows;
    }

private:
    void sort() const {
        const size_t n = table_.n_rows, d = table_.n_columns();
        place_.resize(d);
        size_t n_numeric = 0;
        for (size_t j = 0; j < d; ++j) place_[j] = table_.category[j] ? 0 : n_numeric++;
        rows_ = std::make_unique_for_overwrite<uint32_t[]>(n_numeric * n);
        std::vector<uint32_t> other(n), counts;
        for (size_t j = 0; j < d; ++j) {
            if (table_.category[j]) continue;
            uint32_t* rows = rows_.get() + place_[j] * n;
            std::iota(rows, rows + n, 0u);
            table_.columns[j].visit([&](const auto* codes) { sort_by_code(codes, size_t(table_.n_values[j]), {rows, n}, other, counts); });
        }
    }

    const TreeTable& table_;
    mutable std::once_flag once_;
    mutable std::unique_ptr<uint32_t[]> rows_;
    mutable std::vector<size_t> place_;
};

}  // namespace tamis::cart
