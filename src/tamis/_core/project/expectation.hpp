// Missing cells of rows of a normal table, by their expectation.
#pragma once
#include <vector>

#include "../cholesky.hpp"

namespace tamis {

/// A square matrix that owns its memory.
struct Square {
    std::vector<double> values;
    size_t size;
    explicit Square(size_t size) : values(size * size), size(size) {}
    operator Matrix<double>() { return {values.data(), size, size}; }
    operator Matrix<const double>() const { return {values.data(), size, size}; }
};

/// Fill the holes of centred rows of `data` by their expectation given the other cells, and add the holes' covariances, times the
/// row's weight, to `extra`. The holes of rows[r] are the columns holes[starts[r] : starts[r + 1]]; `precision` is the inverse
/// covariance (p, p).
inline void fill_expectations(Matrix<double> data, Matrix<const double> precision, std::span<const int64_t> rows,
                              std::span<const int64_t> holes, std::span<const int64_t> starts, std::span<const double> weights,
                              Matrix<double> extra) {
    const size_t p = data.n_columns;
    Square a(p), inverse(p);
    std::vector<double> b(p);
    const Matrix<double> block = a, covariance = inverse;
    for (size_t r = 0; r < rows.size(); ++r) {
        double* x = data[rows[r]];
        const int64_t* missing = holes.data() + starts[r];
        const size_t k = size_t(starts[r + 1] - starts[r]);
        for (size_t i = 0; i < k; ++i) x[missing[i]] = 0.0;
        for (size_t i = 0; i < k; ++i) {
            const double* line = precision[missing[i]];
            double value = 0.0;
            for (size_t j = 0; j < p; ++j) value += line[j] * x[j];
            b[i] = value;
            for (size_t j = 0; j <= i; ++j) block[i][j] = line[missing[j]];
        }
        cholesky_factor(block, k);
        cholesky_solve(a, k, b.data());
        cholesky_invert(block, k, covariance);
        for (size_t i = 0; i < k; ++i) {
            x[missing[i]] = -b[i];
            for (size_t j = 0; j < k; ++j) extra[missing[i]][missing[j]] += weights[rows[r]] * covariance[i][j];
        }
    }
}

}  // namespace tamis
