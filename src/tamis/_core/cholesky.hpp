// Cholesky factor, solution and inverse of small symmetric matrices, in place: for a few dozen columns.
#pragma once
#include <algorithm>
#include <cmath>

#include "matrix.hpp"

namespace tamis {

/// The leading k x k of `a`, in its lower triangle, becomes its Cholesky factor L.
///
/// Returns the smallest pivot as a share of its entry on the diagonal: what of a column the columns before it leave; at most 0,
/// or NaN, where the matrix is not positive definite.
inline double cholesky_factor(Matrix<double> a, size_t k) {
    double least = 1.0;
    for (size_t i = 0; i < k; ++i) {
        const double own = a[i][i];
        for (size_t j = 0; j <= i; ++j) {
            double value = a[i][j];
            for (size_t q = 0; q < j; ++q) value -= a[i][q] * a[j][q];
            if (i == j) {
                if (!(value > least * own)) least = own > 0.0 ? value / own : 0.0;
                a[i][i] = std::sqrt(std::max(value, 1e-300));
            } else {
                a[i][j] = value / a[j][j];
            }
        }
    }
    return least;
}

/// b becomes the solution of L L' x = b, for the factor L in a.
inline void cholesky_solve(Matrix<const double> a, size_t k, double* b) {
    for (size_t i = 0; i < k; ++i) {
        double value = b[i];
        for (size_t q = 0; q < i; ++q) value -= a[i][q] * b[q];
        b[i] = value / a[i][i];
    }
    for (size_t i = k; i-- > 0;) {
        double value = b[i];
        for (size_t q = i + 1; q < k; ++q) value -= a[q][i] * b[q];
        b[i] = value / a[i][i];
    }
}

/// out becomes (L L')^-1, for the factor L in a, which becomes L^-1.
inline void cholesky_invert(Matrix<double> a, size_t k, Matrix<double> out) {
    for (size_t j = 0; j < k; ++j) {
        a[j][j] = 1.0 / a[j][j];
        for (size_t i = j + 1; i < k; ++i) {
            double value = 0.0;
            for (size_t q = j; q < i; ++q) value -= a[i][q] * a[q][j];
            a[i][j] = value / a[i][i];
        }
    }
    for (size_t i = 0; i < k; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            double value = 0.0;
            for (size_t q = i; q < k; ++q) value += a[q][i] * a[q][j];
            out[i][j] = value;
            out[j][i] = value;
        }
    }
}

}  // namespace tamis
