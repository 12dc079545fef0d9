// Nearest rows under the difference of the Relief family, tile by tile of candidates.
//
// d(a, b) = sum_j diff_j(a, b); diff is |a - b|, or its square, for numbers scaled to [0, 1], 0 or 1 for categories. A missing value counts by
// its expected difference to a draw from its group (Kononenko 1994).
#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "../matrix.hpp"

namespace tamis {

/// Candidate rows per tile: 256 x 100 columns of 8 bytes stay in the second-level cache.
inline constexpr size_t kCandidates = 256;

/// The columns of a table, sorted by how their difference is taken.
struct Points {
    Matrix<const double> by_row;     // (n, complete numbers), scaled to [0, 1]
    Matrix<const double> by_column;  // (complete numbers, n)
    Matrix<const int32_t> codes;     // (complete categories, n)
    Matrix<const double> holed;      // (columns with holes, n), NaN where missing
    std::span<const bool> is_category;  // (columns with holes), true where `holed` holds codes
    std::span<const int32_t> groups;    // (n), the group whose distribution stands in for a missing value
    Cube<const double> expected;        // (columns with holes, n, groups): a row's value against a draw from a group
    Cube<const double> between;         // (columns with holes, groups, groups): two draws
    bool is_squared = false;            // whether differences of numbers are squared

    size_t n_rows() const { return groups.size(); }
    size_t n_columns() const { return by_row.n_columns + codes.n_rows + holed.n_rows; }
};

/// Difference of two scaled numbers.
template <bool SQUARED>
double difference(double x, double y) {
    return SQUARED ? (x - y) * (x - y) : std::abs(x - y);
}

/// Difference of rows a and b in the h-th column with holes.
inline double holed_difference(const Points& p, size_t h, size_t a, size_t b) {
    const double x = p.holed[h][a], y = p.holed[h][b];
    if (std::isnan(x)) return std::isnan(y) ? p.between[h][p.groups[a]][p.groups[b]] : p.expected[h][b][p.groups[a]];
    if (std::isnan(y)) return p.expected[h][a][p.groups[b]];
    if (p.is_category[h]) return x != y ? 1.0 : 0.0;
    return p.is_squared ? difference<true>(x, y) : difference<false>(x, y);
}

/// Distances of a row to the candidates first ... last - 1; four columns per round spare loads and stores (2x).
template <bool SQUARED>
void distances(const Points& p, size_t row, size_t first, size_t last, double* out) {
    const size_t size = last - first, d = p.by_row.n_columns;
    for (size_t b = 0; b < size; ++b) out[b] = 0.0;
    const double* x = p.by_row[row];
    size_t j = 0;
    for (; j + 4 <= d; j += 4) {
        const double *c0 = p.by_column[j] + first, *c1 = p.by_column[j + 1] + first;
        const double *c2 = p.by_column[j + 2] + first, *c3 = p.by_column[j + 3] + first;
        const double x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];
        for (size_t b = 0; b < size; ++b)
            out[b] += (difference<SQUARED>(c0[b], x0) + difference<SQUARED>(c1[b], x1)) +
                      (difference<SQUARED>(c2[b], x2) + difference<SQUARED>(c3[b], x3));
    }
    for (; j < d; ++j) {
        const double* c = p.by_column[j] + first;
        for (size_t b = 0; b < size; ++b) out[b] += difference<SQUARED>(c[b], x[j]);
    }
    for (size_t k = 0; k < p.codes.n_rows; ++k) {
        const int32_t *codes = p.codes[k] + first, code = p.codes[k][row];
        for (size_t b = 0; b < size; ++b) out[b] += codes[b] != code ? 1.0 : 0.0;
    }
    for (size_t h = 0; h < p.holed.n_rows; ++h)
        for (size_t b = 0; b < size; ++b) out[b] += holed_difference(p, h, row, first + b);
}

/// out[j] += factor * diff_j(a, b) for every column, in the order numbers, categories, columns with holes.
inline void add_differences(const Points& p, size_t a, size_t b, double factor, double* out) {
    const size_t d = p.by_row.n_columns, c = p.codes.n_rows;
    const double *x = p.by_row[a], *y = p.by_row[b];
    if (p.is_squared) {
        for (size_t j = 0; j < d; ++j) out[j] += factor * difference<true>(x[j], y[j]);
    } else {
        for (size_t j = 0; j < d; ++j) out[j] += factor * difference<false>(x[j], y[j]);
    }
    for (size_t j = 0; j < c; ++j)
        if (p.codes[j][a] != p.codes[j][b]) out[d + j] += factor;
    for (size_t h = 0; h < p.holed.n_rows; ++h) out[d + c + h] += factor * holed_difference(p, h, a, b);
}

/// Lists of the k nearest rows: (queries, targets, classes, k), -1 where there are fewer.
struct NearestRows {
    int32_t* data;
    size_t n_queries, n_targets, n_classes, k;

    int32_t* list(size_t query, size_t target, size_t cls) const {
        return data + ((query * n_targets + target) * n_classes + cls) * k;
    }
};

/// Put a row into a list sorted by distance; among equals the first come stays first.
inline void insert_nearest(double* distance_list, int32_t* row_list, size_t k, double distance, int32_t row) {
    size_t at = k - 1;
    while (at > 0 && distance_list[at - 1] > distance) {
        distance_list[at] = distance_list[at - 1];
        row_list[at] = row_list[at - 1];
        --at;
    }
    distance_list[at] = distance;
    row_list[at] = row;
}

/// Fill the nearest other rows of every class for the rows `queries`; `codes` (targets, n) are class codes.
inline void nearest_rows(const Points& p, std::span<const int64_t> queries, Matrix<const int32_t> codes, NearestRows out) {
    const size_t n = p.n_rows();
    std::vector<double> best(out.n_queries * out.n_targets * out.n_classes * out.k, std::numeric_limits<double>::infinity());
    std::vector<double> tile(kCandidates);
    for (size_t first = 0; first < n; first += kCandidates) {
        const size_t last = std::min(n, first + kCandidates);
        for (size_t q = 0; q < out.n_queries; ++q) {
            const size_t row = size_t(queries[q]);
            if (p.is_squared) distances<true>(p, row, first, last, tile.data());
            else distances<false>(p, row, first, last, tile.data());
            for (size_t t = 0; t < out.n_targets; ++t) {
                const int32_t* classes = codes[t] + first;
                for (size_t b = 0; b < last - first; ++b) {
                    double* best_list = best.data() + ((q * out.n_targets + t) * out.n_classes + classes[b]) * out.k;
                    if (tile[b] < best_list[out.k - 1] && first + b != row)
                        insert_nearest(best_list, out.list(q, t, classes[b]), out.k, tile[b], int32_t(first + b));
                }
            }
        }
    }
}

}  // namespace tamis
