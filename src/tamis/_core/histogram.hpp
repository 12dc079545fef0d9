#pragma once
// Histograms of a node: sums of gradients over the bins of columns.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "gradient.hpp"
#include "wide.hpp"

namespace tamis {

/// bin += line as one wide sum, 1.0 ns where three sums took 1.9: after a copy the compiler knows that no sum changes the line.
inline void add_line(GradientSums& bin, const GradientSums& line) {
    const GradientSums copy = line;
    bin += copy;
}

/// A column to be counted.
struct CountedColumn {
    const uint8_t* codes;  // (rows)
    GradientSums* bins;
    size_t n_bins;
};

/// bins[codes[rows[i]]] += lines[i] of N columns, which read rows and lines once.
template <size_t N>
void count_rows(const CountedColumn* columns, const uint32_t* rows, const GradientSums* lines, size_t n) {
    std::array<CountedColumn, N> column;
    std::copy_n(columns, N, column.begin());
    for (size_t i = 0; i < n; ++i) {
        const GradientSums line = lines[i];
        const size_t row = rows[i];
        for (size_t q = 0; q < N; ++q) add_line(column[q].bins[column[q].codes[row]], line);
    }
}

inline constexpr size_t COLUMNS_AT_A_TIME = 4;  // 13% less time for 50,000 rows than one at a time

/// At most COLUMNS_AT_A_TIME columns.
static TAMIS_WIDE void count_columns(std::span<const CountedColumn> columns, std::span<const uint32_t> rows, const GradientSums* lines) {
    if (columns.size() == COLUMNS_AT_A_TIME) return count_rows<COLUMNS_AT_A_TIME>(columns.data(), rows.data(), lines, rows.size());
    for (const CountedColumn& column : columns) count_rows<1>(&column, rows.data(), lines, rows.size());
}

/// bins -= other: the histogram of a node less that of one child is that of the other child.
static TAMIS_WIDE void subtract_bins(GradientSums* bins, const GradientSums* other, size_t n) {
    for (size_t k = 0; k < n; ++k) bins[k] -= other[k];
}

/// Room for the histograms of several nodes: (slots, bins of all columns).
class HistogramPool {
public:
    HistogramPool(size_t n_slots, size_t n_bins) : n_bins_(n_bins), bins_(n_slots * n_bins), free_(n_slots) { clear(); }

    /// All slots are free.
    void clear() {
        free_.resize(n_bins_ ? bins_.size() / n_bins_ : 0);
        for (size_t k = 0; k < free_.size(); ++k) free_[k] = int64_t(k);
    }
    bool has_room() const { return !free_.empty(); }
    int64_t take() {
        const int64_t slot = free_.back();
        free_.pop_back();
        return slot;
    }
    void give_back(int64_t slot) { free_.push_back(slot); }

    GradientSums* operator[](int64_t slot) { return bins_.data() + size_t(slot) * n_bins_; }

private:
    size_t n_bins_;
    std::vector<GradientSums> bins_;
    std::vector<int64_t> free_;
};

/// The histogram of one column of a node with few rows, and the codes that these have.
class SparseHistogram {
public:
    const GradientSums* bins() const { return bins_.data(); }
    std::span<const uint8_t> codes() const { return {present_.data(), n_}; }  // in their order

    void count(const uint8_t* codes, std::span<const uint32_t> rows, const GradientSums* lines) {
        for (size_t i = 0; i < rows.size(); ++i) {
            const uint8_t code = codes[rows[i]];
            is_present_[code] = 1;
            add_line(bins_[code], lines[i]);
        }
        n_ = 0;
        static_assert(std::endian::native == std::endian::little);
        for (size_t first = 0; first < is_present_.size(); first += 8) {
            uint64_t bytes;
            std::memcpy(&bytes, &is_present_[first], 8);
            for (uint64_t left = bytes; left != 0; left &= left - 1) present_[n_++] = uint8_t(first + size_t(std::countr_zero(left) >> 3));
            if (bytes) std::memset(&is_present_[first], 0, 8);
        }
    }

    void clear() {
        for (size_t k = 0; k < n_; ++k) bins_[present_[k]] = {};
        n_ = 0;
    }

private:
    std::array<GradientSums, 256> bins_{};        // zero between columns
    std::array<uint8_t, 256> is_present_{};       // likewise
    std::array<uint8_t, 256> present_;
    size_t n_ = 0;
};

}  // namespace tamis
