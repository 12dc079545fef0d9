#pragma once
// Codes of two bytes joined into bins of one byte.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "binned_table.hpp"
#include "threads.hpp"

namespace tamis {

/// The columns of numbers of a binned table in fewer codes; columns of categories are left as zeros.
struct JoinedBins {
    std::vector<uint8_t> codes;      // (columns, rows)
    std::vector<int32_t> n_values;   // (columns)
    std::vector<int64_t> first;      // (columns + 1)
    std::vector<double> low, high;   // smallest and largest value of each code
};

/// bin_of[v]: the bin of each of a column's values, at most max_bins of nearly equal counts of rows; returns how many bins.
inline size_t quantile_bins(std::span<const double> counts, size_t max_bins, std::span<uint8_t> bin_of) {
    double total = 0.0, before = 0.0;
    for (const double count : counts) total += count;
    size_t n_bins = 0;
    int64_t last = -1;
    for (size_t v = 0; v < counts.size(); ++v) {
        const int64_t quantile = int64_t(before * double(max_bins) / total);
        n_bins += quantile != last;
        last = quantile;
        bin_of[v] = uint8_t(n_bins - 1);
        before += counts[v];
    }
    return n_bins;
}

/// Values share a bin only where there are more of them than max_bins; each bin then has nearly as many rows as the others.
/// counted: (rows) rows that each row counts for.
inline JoinedBins joined_bins(const BinnedTable& table, std::span<const double> counted, size_t max_bins, size_t n_threads,
                              const std::function<bool(size_t)>& is_interrupted) {
    constexpr size_t BRIEF = 100'000'000;  // codes that take less than a second
    const size_t n = table.n_rows, d = table.n_columns();
    JoinedBins joined{std::vector<uint8_t>(d * n), std::vector<int32_t>(d, 0), {0}, {}, {}};
    std::vector<std::vector<uint8_t>> bin_of(d);
    run_apart(d, n_threads, d * n < BRIEF, is_interrupted, [&](size_t j) {
        if (table.category[j]) return;
        const size_t k = size_t(table.n_values[j]);
        const uint16_t* codes = static_cast<const uint16_t*>(table.codes.data) + j * table.codes.stride;
        bin_of[j].resize(k + 1);
        size_t n_bins = k;
        if (k > max_bins) {
            std::vector<double> counts(k + 1, 0.0);
            for (size_t i = 0; i < n; ++i) counts[codes[i]] += counted[i];
            n_bins = quantile_bins(std::span(counts).first(k), max_bins, bin_of[j]);
        } else {
            for (size_t v = 0; v < k; ++v) bin_of[j][v] = uint8_t(v);
        }
        bin_of[j][k] = uint8_t(n_bins);
        for (size_t i = 0; i < n; ++i) joined.codes[j * n + i] = bin_of[j][codes[i]];
        joined.n_values[j] = int32_t(n_bins);
    });
    for (size_t j = 0; j < d; ++j) {
        for (size_t v = 0; v + 1 < bin_of[j].size(); ++v) {
            const size_t value = size_t(table.first[j]) + v;
            if (v == 0 || bin_of[j][v] != bin_of[j][v - 1]) {
                joined.low.push_back(table.low[value]);
                joined.high.push_back(table.high[value]);
            }
            joined.high.back() = table.high[value];
        }
        joined.first.push_back(int64_t(joined.low.size()));
    }
    return joined;
}

}  // namespace tamis
