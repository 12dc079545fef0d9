// One column in or out of least-squares fits, or a set from scratch, for all folds at once.
//
// A is the scatter of the training rows (penalty added), B that of the test rows about the training mean, both
// (folds, d + 1, d + 1) with the target last. With coefficients w the squared error on the test rows is
// w'Bw - 2w'b + b_yy, so no row is needed to score any set.
#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "../matrix.hpp"

namespace tamis {

/// All columns after regression on a base of k columns: u_j = e_j - sum_s gamma[s, j] e_s is column j less its regression.
struct GrowingBase {
    Cube<double> tests;             // (folds, capacity, d) columns of B of the base
    Cube<double> gamma;             // (folds, capacity, d) coefficient of base column s in the regression of column j
    Matrix<double> rest;            // (folds, d) u_j'A u_j
    Matrix<double> gradient;        // (folds, d) u_j'a
    Matrix<double> test_curvature;  // (folds, d) u_j'B u_j
    Matrix<double> test_gradient;   // (folds, d) u_j'(b - Bw)
    std::span<double> error;        // (folds) squared error of the base on the test rows
};

/// Add column p to a base of k columns. chosen: the base and p; train (folds, d): column p of A; column p of B is tests[:, k].
inline void push_column(size_t p, size_t k, std::span<const int64_t> chosen, Matrix<const double> train, const GrowingBase& base) {
    const size_t n_folds = base.rest.n_rows, d = base.rest.n_columns;
    std::vector<double> ratio(d), cross(d), z(d), tau(d);
    for (size_t f = 0; f < n_folds; ++f) {
        double* rest = base.rest[f];
        const Matrix<double> gamma = base.gamma[f], tests = base.tests[f];
        if (rest[p] <= 0.0) {  // constant on these training rows: its coefficient is 0 and nothing changes
            for (size_t j = 0; j < d; ++j) gamma[k][j] = 0.0;
            continue;
        }
        for (size_t j = 0; j < d; ++j) {
            cross[j] = train[f][j];
            z[j] = tests[k][j];
        }
        for (size_t s = 0; s < k; ++s) {
            const double g = train[f][chosen[s]], h = gamma[s][p];
            for (size_t j = 0; j < d; ++j) {
                cross[j] -= gamma[s][j] * g;
                z[j] -= h * tests[s][j];
            }
        }
        double *gradient = base.gradient[f], *test_curvature = base.test_curvature[f], *test_gradient = base.test_gradient[f];
        const double step = gradient[p] / rest[p], rest_p = rest[p];
        const double curvature_p = test_curvature[p], test_gradient_p = test_gradient[p], gradient_p = gradient[p];
        for (size_t j = 0; j < d; ++j) ratio[j] = cross[j] / rest_p;
        ratio[p] = 0.0;  // p is in the base now: its entries are not read again
        for (size_t s = 0; s < k; ++s) ratio[chosen[s]] = 0.0;
        tau = z;
        for (size_t s = 0; s < k; ++s) {
            const double h = z[chosen[s]];
            for (size_t j = 0; j < d; ++j) tau[j] -= gamma[s][j] * h;
        }
        for (size_t j = 0; j < d; ++j) {
            const double r = ratio[j];
            test_gradient[j] += -r * test_gradient_p - step * (tau[j] - r * curvature_p);
            test_curvature[j] += r * (r * curvature_p - 2.0 * tau[j]);
            rest[j] -= r * cross[j];
            gradient[j] -= r * gradient_p;
        }
        for (size_t s = 0; s < k; ++s) {
            const double h = gamma[s][p];
            for (size_t j = 0; j < d; ++j) gamma[s][j] -= ratio[j] * h;
        }
        for (size_t j = 0; j < d; ++j) gamma[k][j] = ratio[j];
        base.error[f] += step * (step * curvature_p - 2.0 * test_gradient_p);
    }
}

/// errors[f, i]: squared test error with columns[i] added; health[i]: the least share of it that the base leaves.
/// diagonal (folds, d): that of A.
inline void addition_errors(std::span<const int64_t> columns, Matrix<const double> diagonal, const GrowingBase& base,
                            Matrix<double> errors, std::span<double> health) {
    for (size_t i = 0; i < columns.size(); ++i) {
        const size_t j = size_t(columns[i]);
        health[i] = 1.0;
        for (size_t f = 0; f < base.error.size(); ++f) {
            if (diagonal[f][j] <= 0.0) {
                errors[f][i] = base.error[f];
                continue;
            }
            const double left = base.rest[f][j] / diagonal[f][j];
            if (left < health[i]) health[i] = left;
            if (left <= 0.0) {
                errors[f][i] = std::numeric_limits<double>::quiet_NaN();
                continue;
            }
            const double step = base.gradient[f][j] / base.rest[f][j];
            errors[f][i] = base.error[f] + step * (step * base.test_curvature[f][j] - 2.0 * base.test_gradient[f][j]);
        }
    }
}

/// A base of k columns that is about to lose one, through the inverse M of A on the base.
struct ShrinkingBase {
    Cube<double> M;             // (folds, capacity, capacity)
    Cube<double> Q;             // M B M
    Matrix<double> w;           // (folds, capacity) M a, the coefficients
    Matrix<double> g;           // (folds, capacity) M (b - B w)
    std::span<double> error;    // (folds)
    Matrix<double> diagonal;    // (folds, capacity) of A
};

/// errors[f, i]: squared test error with the i-th column of the base taken out.
inline void removal_errors(size_t k, const ShrinkingBase& base, Matrix<double> errors) {
    for (size_t f = 0; f < base.error.size(); ++f) {
        for (size_t i = 0; i < k; ++i) {
            const double step = base.w[f][i] / base.M[f][i][i];
            errors[f][i] = base.error[f] + step * (2.0 * base.g[f][i] + step * base.Q[f][i][i]);
        }
    }
}

/// Take the i-th column out of a base of k columns: its arrays become those of the k - 1 columns that stay.
inline void pop_column(size_t i, size_t k, const ShrinkingBase& base) {
    std::vector<double> m(k), q(k);
    for (size_t f = 0; f < base.error.size(); ++f) {
        const Matrix<double> M = base.M[f], Q = base.Q[f];
        double *w = base.w[f], *g = base.g[f], *diagonal = base.diagonal[f];
        const double pivot = M[i][i], step = w[i] / pivot, q_ii = Q[i][i], g_i = g[i];
        base.error[f] += step * (2.0 * g_i + step * q_ii);
        for (size_t a = 0; a < k; ++a) {
            m[a] = M[a][i] / pivot;
            q[a] = Q[a][i];
        }
        for (size_t a = 0; a < k; ++a) {
            w[a] -= step * m[a] * pivot;
            g[a] += step * q[a] - m[a] * (g_i + step * q_ii);
        }
        for (size_t a = 0; a < k; ++a) {
            for (size_t b = 0; b < k; ++b) {
                M[a][b] -= m[a] * m[b] * pivot;
                Q[a][b] += m[a] * m[b] * q_ii - m[a] * q[b] - q[a] * m[b];
            }
        }
        for (size_t a = i; a + 1 < k; ++a) {  // close the gap
            w[a] = w[a + 1], g[a] = g[a + 1], diagonal[a] = diagonal[a + 1];
            for (size_t b = 0; b < k; ++b) {
                M[a][b] = M[a + 1][b];
                Q[a][b] = Q[a + 1][b];
            }
        }
        for (size_t a = 0; a + 1 < k; ++a) {
            for (size_t b = i; b + 1 < k; ++b) {
                M[a][b] = M[a][b + 1];
                Q[a][b] = Q[a][b + 1];
            }
        }
    }
}

/// errors[s, f]: squared test error of each set by Cholesky. health[s]: the least share of a column that those before it leave,
/// and the least pivot over the trace in the columns' own units (raw: their squared units). sets (n, max size), padded.
inline void set_errors(Matrix<const int64_t> sets, std::span<const int64_t> sizes, Cube<const double> A, Cube<const double> B,
                       std::span<const double> raw, Matrix<double> errors, Matrix<double> health) {
    const size_t max_size = sets.n_columns, d = A.n_columns - 1;
    std::vector<double> L(max_size * max_size), w(max_size);
    const auto l = [&](size_t a, size_t b) -> double& { return L[a * max_size + b]; };
    for (size_t s = 0; s < sizes.size(); ++s) {
        const size_t k = size_t(sizes[s]);
        const int64_t* columns = sets[s];
        health[s][0] = health[s][1] = 1.0;
        for (size_t f = 0; f < A.n_blocks; ++f) {
            const Matrix<const double> scatter = A[f], test = B[f];
            double trace = 0.0, least = std::numeric_limits<double>::infinity();
            for (size_t a = 0; a < k; ++a) {
                const double own = scatter[columns[a]][columns[a]], unit = raw[columns[a]];
                trace += own * unit;
                for (size_t b = 0; b <= a; ++b) {
                    double total = scatter[columns[a]][columns[b]];
                    for (size_t c = 0; c < b; ++c) total -= l(a, c) * l(b, c);
                    if (a > b) {
                        l(a, b) = l(b, b) > 0.0 ? total / l(b, b) : 0.0;
                    } else if (own <= 0.0) {
                        l(a, a) = 0.0;
                    } else {
                        if (total / own < health[s][0]) health[s][0] = total / own;
                        if (total * unit < least) least = total * unit;
                        l(a, a) = total > 0.0 ? std::sqrt(total) : 0.0;
                    }
                }
            }
            if (trace > 0.0 && least / trace < health[s][1]) health[s][1] = least / trace;
            for (size_t a = 0; a < k; ++a) {
                double total = scatter[columns[a]][d];
                for (size_t c = 0; c < a; ++c) total -= l(a, c) * w[c];
                w[a] = l(a, a) > 0.0 ? total / l(a, a) : 0.0;
            }
            for (size_t a = k; a-- > 0;) {
                double total = w[a];
                for (size_t c = a + 1; c < k; ++c) total -= l(c, a) * w[c];
                w[a] = l(a, a) > 0.0 ? total / l(a, a) : 0.0;
            }
            double error = test[d][d];
            for (size_t a = 0; a < k; ++a) {
                double inner = -2.0 * test[columns[a]][d];
                for (size_t b = 0; b < k; ++b) inner += test[columns[a]][columns[b]] * w[b];
                error += w[a] * inner;
            }
            errors[s][f] = error;
        }
    }
}

}  // namespace tamis
