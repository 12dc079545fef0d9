// Shifted sums of every column, by class or with a numeric target: means, variances, correlations and F ratios follow.
#pragma once
#include <algorithm>

#include "../matrix.hpp"

namespace tamis {

/// Rows of all columns at a time, where columns lie one after the other: weights and target stay in the cache.
inline constexpr size_t kBlockRows = 8192;
/// Partial sums of a column, added at the end: fixed, so that bits do not depend on the vector width.
inline constexpr size_t kLanes = 8;

/// X (rows, columns): sums[c, j] += w (x - shift) over rows of class c; squares[j] += w (x - shift)^2.
inline void sums_by_class_of_rows(Matrix<const double> X, std::span<const double> weights, std::span<const int32_t> classes,
                                  std::span<const double> shift, Matrix<double> sums, std::span<double> squares) {
    for (size_t i = 0; i < X.n_rows; ++i) {
        const double w = weights[i];
        const double* row = X[i];
        double* class_sums = sums[classes[i]];
        for (size_t j = 0; j < X.n_columns; ++j) {
            const double v = row[j] - shift[j];
            class_sums[j] += w * v;
            squares[j] += w * v * v;
        }
    }
}

/// X (rows, columns): sums[j] += w (x - shift), squares[j] += w (x - shift)^2, products[j] += w (x - shift) y.
inline void sums_with_numbers_of_rows(Matrix<const double> X, std::span<const double> weights, std::span<const double> y,
                                      std::span<const double> shift, std::span<double> sums, std::span<double> squares,
                                      std::span<double> products) {
    for (size_t i = 0; i < X.n_rows; ++i) {
        const double w = weights[i], t = y[i];
        const double* row = X[i];
        for (size_t j = 0; j < X.n_columns; ++j) {
            const double v = row[j] - shift[j], u = w * v;
            sums[j] += u;
            squares[j] += u * v;
            products[j] += u * t;
        }
    }
}

inline double lane_total(const double (&lane)[kLanes]) {
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/// X (columns, rows): as `sums_by_class_of_rows`. A weight per class and row would let all sums vectorise, and is slower from three
/// classes on (1.9x at three, 2.6x at four).
inline void sums_by_class_of_columns(Matrix<const double> X, std::span<const double> weights, std::span<const int32_t> classes,
                                     std::span<const double> shift, Matrix<double> sums, std::span<double> squares) {
    const size_t n = X.n_columns;
    for (size_t first = 0; first < n; first += kBlockRows) {
        const size_t last = std::min(n, first + kBlockRows);
        for (size_t j = 0; j < X.n_rows; ++j) {
            const double s = shift[j];
            double square = 0.0;
            for (size_t i = first; i < last; ++i) {
                const double v = X[j][i] - s, u = weights[i] * v;
                sums[classes[i]][j] += u;
                square += u * v;
            }
            squares[j] += square;
        }
    }
}

/// X (columns, rows): as `sums_with_numbers_of_rows`.
inline void sums_with_numbers_of_columns(Matrix<const double> X, std::span<const double> weights, std::span<const double> y,
                                         std::span<const double> shift, std::span<double> sums, std::span<double> squares,
                                         std::span<double> products) {
    const size_t n = X.n_columns;
    for (size_t first = 0; first < n; first += kBlockRows) {
        const size_t last = std::min(n, first + kBlockRows);
        for (size_t j = 0; j < X.n_rows; ++j) {
            const double *x = X[j], s = shift[j];
            double a[kLanes] = {}, b[kLanes] = {}, c[kLanes] = {};
            size_t i = first;
            for (; i + kLanes <= last; i += kLanes) {
                for (size_t lane = 0; lane < kLanes; ++lane) {
                    const double v = x[i + lane] - s, u = weights[i + lane] * v;
                    a[lane] += u;
                    b[lane] += u * v;
                    c[lane] += u * y[i + lane];
                }
            }
            for (; i < last; ++i) {
                const double v = x[i] - s, u = weights[i] * v;
                a[0] += u;
                b[0] += u * v;
                c[0] += u * y[i];
            }
            sums[j] += lane_total(a);
            squares[j] += lane_total(b);
            products[j] += lane_total(c);
        }
    }
}

}  // namespace tamis
