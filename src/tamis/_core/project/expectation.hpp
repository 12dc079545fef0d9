// The E and M steps of principal components with missing cells.
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

/// Factors of one row: z solves (V'V + diag(ridge)) z = V'(x - centre) over the cells that are present; `system` keeps the factor.
inline void solve_factors(const double* x, const bool* present, Matrix<const double> vectors, const double* centre,
                          const double* ridge, size_t ridge_step, Matrix<double> system, double* z) {
    const size_t p = vectors.n_rows, k = vectors.n_columns;
    for (size_t s = 0; s < k; ++s) {
        z[s] = 0.0;
        for (size_t t = 0; t <= s; ++t) system[s][t] = 0.0;
        system[s][s] = ridge[s * ridge_step];
    }
    for (size_t j = 0; j < p; ++j) {
        if (!present[j]) continue;
        const double* v = vectors[j];
        const double value = centre ? x[j] - centre[j] : x[j];
        for (size_t s = 0; s < k; ++s) {
            z[s] += v[s] * value;
            for (size_t t = 0; t <= s; ++t) system[s][t] += v[s] * v[t];
        }
    }
    cholesky_factor(system, k);
    cholesky_solve({system.data, k, k}, k, z);
}

/// z[i] = (V'V + diag(ridge))^-1 V'x over the present cells of row i.
inline void expected_factors(Matrix<const double> data, Matrix<const bool> present, Matrix<const double> vectors,
                             std::span<const double> ridge, Matrix<double> z) {
    Square system(vectors.n_columns);
    for (size_t i = 0; i < data.n_rows; ++i)
        solve_factors(data[i], present[i], vectors, nullptr, ridge.data(), 1, system, z[i]);
}

/// Expectation and covariance of the factors of every row, given directions `loads` (p, k), centre (p) and noise variance.
inline void update_factors(Matrix<const double> data, Matrix<const bool> present, Matrix<const double> loads,
                           std::span<const double> centre, double noise, Matrix<double> z, Cube<double> covariances) {
    const size_t k = loads.n_columns;
    Square system(k);
    for (size_t i = 0; i < data.n_rows; ++i) {
        solve_factors(data[i], present[i], loads, centre.data(), &noise, 0, system, z[i]);
        const Matrix<double> covariance = covariances[i];
        cholesky_invert(system, k, covariance);
        for (size_t s = 0; s < k * k; ++s) covariance.data[s] *= noise;
    }
}

/// Directions and centre of every column given the factors of all rows; returns the noise variance.
/// data, present : (p, n), columns as rows.
inline double update_directions(Matrix<const double> data, Matrix<const bool> present, std::span<const double> weights,
                                Matrix<const double> z, Cube<const double> covariances, Matrix<double> loads,
                                std::span<double> centre) {
    const size_t p = data.n_rows, n = data.n_columns, k = loads.n_columns;
    Square system(k);
    const Matrix<double> sums = system;
    std::vector<double> b(k);
    double total = 0.0, weight = 0.0;
    for (size_t j = 0; j < p; ++j) {
        double column_weight = 0.0, mean = 0.0;
        double* load = loads[j];
        for (size_t i = 0; i < n; ++i) {
            if (!present[j][i]) continue;
            double value = data[j][i];
            for (size_t s = 0; s < k; ++s) value -= load[s] * z[i][s];
            mean += weights[i] * value;
            column_weight += weights[i];
        }
        centre[j] = mean / column_weight;
        std::fill(system.values.begin(), system.values.end(), 0.0);
        std::fill_n(load, k, 0.0);
        double squares = 0.0;
        for (size_t i = 0; i < n; ++i) {
            if (!present[j][i]) continue;
            const double x = data[j][i] - centre[j], w = weights[i];
            const Matrix<const double> covariance = covariances[i];
            squares += w * x * x;
            for (size_t s = 0; s < k; ++s) {
                load[s] += w * x * z[i][s];
                for (size_t t = 0; t <= s; ++t) sums[s][t] += w * (z[i][s] * z[i][t] + covariance[s][t]);
            }
        }
        std::copy_n(load, k, b.begin());
        for (size_t s = 0; s < k; ++s) sums[s][s] += 1e-12 * (sums[s][s] + 1.0);
        cholesky_factor(sums, k);
        cholesky_solve(system, k, load);
        // sum w (x - load'z)^2 + load' cov load = sum w x^2 - b'load at the solution
        for (size_t s = 0; s < k; ++s) squares -= b[s] * load[s];
        total += std::max(squares, 0.0);
        weight += column_weight;
    }
    return total / weight;
}

}  // namespace tamis
