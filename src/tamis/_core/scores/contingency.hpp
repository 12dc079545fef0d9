// Contingency tables of many columns against classes, and columns as few groups of neighbouring values.
#pragma once
#include <algorithm>
#include <cmath>

#include "../matrix.hpp"

namespace tamis {

/// counts[first[j] + codes[j, i], classes[i]] += 1. Four columns per sweep: one increment need not wait for the last (2.1x).
inline void count_classes(Matrix<const uint16_t> codes, std::span<const int64_t> first, std::span<const int32_t> classes,
                          Matrix<double> counts) {
    const size_t d = codes.n_rows, n = codes.n_columns, k = counts.n_columns;
    size_t j = 0;
    for (; j + 4 <= d; j += 4) {
        const uint16_t *c0 = codes[j], *c1 = codes[j + 1], *c2 = codes[j + 2], *c3 = codes[j + 3];
        double *t0 = counts[first[j]], *t1 = counts[first[j + 1]], *t2 = counts[first[j + 2]], *t3 = counts[first[j + 3]];
        for (size_t i = 0; i < n; ++i) {
            const size_t c = classes[i];
            t0[c0[i] * k + c] += 1.0;
            t1[c1[i] * k + c] += 1.0;
            t2[c2[i] * k + c] += 1.0;
            t3[c3[i] * k + c] += 1.0;
        }
    }
    for (; j < d; ++j) {
        const uint16_t* c = codes[j];
        double* table = counts[first[j]];
        for (size_t i = 0; i < n; ++i) table[c[i] * k + classes[i]] += 1.0;
    }
}

/// counts[table[keys[i]], classes[i]] += 1, of rows whose class is there.
inline void count_keys(std::span<const uint32_t> keys, std::span<const uint16_t> table, std::span<const int32_t> classes,
                       Matrix<int64_t> counts) {
    for (size_t i = 0; i < keys.size(); ++i) {
        if (size_t(classes[i]) < counts.n_columns) counts[table[keys[i]]][classes[i]] += 1;
    }
}

/// counts[first[j] + codes[j, i], classes[i]] += weights[i].
inline void weigh_classes(Matrix<const uint16_t> codes, std::span<const int64_t> first, std::span<const int32_t> classes,
                          std::span<const double> weights, Matrix<double> counts) {
    const size_t k = counts.n_columns;
    for (size_t j = 0; j < codes.n_rows; ++j) {
        double* table = counts[first[j]];
        for (size_t i = 0; i < codes.n_columns; ++i) table[codes[j][i] * k + classes[i]] += weights[i];
    }
}

/// Group codes of sorted columns: each value its own group or, with more than limits[j] distinct values, values whose
/// middle rank falls into the same of limits[j] equal shares of the rows; missing values are the last group.
///
/// sorted, order : (d, n), values in rising order and the rows they come from; the first n_present[j] are not missing.
inline void group_lines(Matrix<const double> sorted, Matrix<const int64_t> order, std::span<const int64_t> n_present,
                        std::span<const int64_t> n_distinct, std::span<const int64_t> limits, Matrix<uint16_t> codes,
                        std::span<int64_t> sizes) {
    for (size_t j = 0; j < sorted.n_rows; ++j) {
        const int64_t n = n_present[j], limit = limits[j], n_rows = int64_t(sorted.n_columns);
        const double groups_per_row = double(limit) / double(std::max<int64_t>(n, 1));
        int64_t group = -1, before = -1;
        for (int64_t start = 0; start < n;) {
            int64_t end = start + 1;
            while (end < n && sorted[j][end] == sorted[j][start]) ++end;
            const int64_t quantile =
                n_distinct[j] > limit
                    ? std::min<int64_t>(int64_t((double(start + end) / 2) * groups_per_row), limit - 1)
                    : end;
            if (quantile != before) {
                ++group;
                before = quantile;
            }
            for (int64_t i = start; i < end; ++i) codes[j][order[j][i]] = uint16_t(group);
            start = end;
        }
        for (int64_t i = n; i < n_rows; ++i) codes[j][order[j][i]] = uint16_t(group + 1);
        sizes[j] = std::max<int64_t>(1, group + 1 + (n < n_rows ? 1 : 0));
    }
}

}  // namespace tamis
