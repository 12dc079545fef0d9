// The Relief family: what nearest hits and misses tell about each column (Kira & Rendell 1992, Kononenko 1994).
#pragma once
#include <vector>

#include "neighbours.hpp"

namespace tamis {

inline size_t list_size(const int32_t* rows, size_t k) {
    size_t size = 0;
    while (size < k && rows[size] >= 0) ++size;
    return size;
}

/// ReliefF: weights (targets, columns) += mean difference to misses (weighted by class priors) - mean difference to hits.
inline void hits_and_misses(const Points& p, std::span<const int64_t> queries, Matrix<const int32_t> codes,
                            NearestRows nearest, std::span<const double> priors, Matrix<double> weights) {
    for (size_t q = 0; q < nearest.n_queries; ++q) {
        for (size_t t = 0; t < nearest.n_targets; ++t) {
            const int32_t own = codes[t][queries[q]];
            for (size_t c = 0; c < nearest.n_classes; ++c) {
                const int32_t* rows = nearest.list(q, t, c);
                const size_t size = list_size(rows, nearest.k);
                const double factor = int32_t(c) == own ? -1.0 : priors[c] / (1.0 - priors[own]);
                for (size_t a = 0; a < size; ++a)
                    add_differences(p, size_t(queries[q]), size_t(rows[a]), factor / double(size), weights[t]);
            }
        }
    }
}

/// RReliefF over neighbours, each row's counting together as one: sums of target differences (targets), of column differences
/// (columns), and of their products (targets, columns).
inline void near_and_far(const Points& p, std::span<const int64_t> queries, Matrix<const double> y, NearestRows nearest,
                         std::span<double> target_differences, std::span<double> column_differences, Matrix<double> products) {
    std::vector<double> change(column_differences.size());
    for (size_t q = 0; q < nearest.n_queries; ++q) {
        const int32_t* rows = nearest.list(q, 0, 0);
        const size_t size = list_size(rows, nearest.k), own = size_t(queries[q]);
        for (size_t a = 0; a < size; ++a) {
            const size_t other = size_t(rows[a]);
            std::fill(change.begin(), change.end(), 0.0);
            add_differences(p, own, other, 1.0 / double(size), change.data());
            for (size_t j = 0; j < change.size(); ++j) column_differences[j] += change[j];
            for (size_t t = 0; t < y.n_rows; ++t) {
                const double gap = std::abs(y[t][own] - y[t][other]);
                target_differences[t] += gap / double(size);
                for (size_t j = 0; j < change.size(); ++j) products[t][j] += gap * change[j];
            }
        }
    }
}

}  // namespace tamis
