#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tamis {

/// Codes of one or two bytes each, a line after the other; read through `line`, which hands on a pointer of the right type.
struct CodeMatrix {
    const void* data;
    size_t stride;  // codes from one line to the next
    size_t width;   // bytes of a code

    template <class Function>
    decltype(auto) line(size_t j, Function&& function) const {
        if (width == 1) return function(static_cast<const uint8_t*>(data) + j * stride);
        return function(static_cast<const uint16_t*>(data) + j * stride);
    }
};

/// Midway between two neighbours, and below the second.
inline double midway(double a, double b) {
    const double middle = 0.5 * a + 0.5 * b;  // a + b could overflow
    return a <= middle && middle < b ? middle : a;
}

/// What every table of codes says of its columns: numbers are coded by the order of their values, categories by level, missing by n_values.
struct CodedTable {
    size_t n_rows = 0;
    std::span<const int32_t> n_values;  // (columns): value codes of each column, and its code for missing
    std::span<const bool> category;     // (columns)
    std::span<const int64_t> first;     // (columns + 1): where a column's values begin in low and high; categories have none
    std::span<const double> low, high;  // smallest and largest training value of each code; one array where every value has its own

    size_t n_columns() const { return n_values.size(); }

    /// Midway between the values of two codes, the largest on the left and the smallest on the right; upper: -1 or the code of missing
    /// where no value is on the right.
    double threshold(size_t j, int64_t cut, int64_t upper) const {
        if (upper < 0 || upper >= n_values[j]) return std::numeric_limits<double>::infinity();
        return midway(high[size_t(first[j] + cut)], low[size_t(first[j] + upper)]);
    }
};

/// Codes of one or two bytes in one matrix: what forests and boosting grow on, and what rows go down by.
struct BinnedTable : CodedTable {
    CodeMatrix codes;              // (columns, rows)
    CodeMatrix by_row;             // (rows, columns): the same; only where rows are sent down or subtrees copied
    std::span<const bool> missing;  // (columns): whether some row has no value
};

}  // namespace tamis
