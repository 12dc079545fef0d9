#pragma once
#include <cstddef>
#include <cstdint>
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

/// Every column as small integer codes: numbers by the order of their values, categories by level, missing by the code n_values.
struct BinnedTable {
    CodeMatrix codes;   // (columns, rows)
    CodeMatrix by_row;  // (rows, columns): the same; only where rows are sent down or subtrees copied
    size_t n_rows;
    std::span<const int32_t> n_values;  // (columns): value codes of each column, and its code for missing
    std::span<const bool> missing;      // (columns): whether some row has no value
    std::span<const bool> category;     // (columns)
    std::span<const int64_t> first;     // (columns + 1): where a column's values begin in low and high; categories have none
    std::span<const double> low;        // smallest and largest training value of each code
    std::span<const double> high;

    size_t n_columns() const { return n_values.size(); }
};

}  // namespace tamis
