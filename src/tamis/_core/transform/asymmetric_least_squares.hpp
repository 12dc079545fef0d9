// Asymmetric least squares: the smooth baseline of each row of a matrix, 32 rows at a time.
//
// The baseline z of a signal y minimises sum_i w_i (y_i - z_i)^2 + lam sum_i (z_i - 2 z_{i+1} + z_{i+2})^2 with w_i = p where
// y_i > z_i, else 1 - p. For fixed weights z solves (W + lam D'D) z = W y, a positive definite system of five diagonals, by
// Cholesky in LAPACK's order (dpbtf2, dtbsv): with a condition number of 1e9 the eighth digit depends on it, and baselines are
// those of pybaselines, which solves by LAPACK.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "../matrix.hpp"

namespace tamis {

/// Rows solved side by side: the recurrence of one row waits for a root and two divisions at every position.
inline constexpr size_t kSignalLanes = 32;

struct AslsResult {
    int64_t n_unsettled;  // rows whose weights had not settled
    int64_t n_systems;    // systems the slowest block took
};

namespace asls {

/// At a position, per lane: the column of the Cholesky factor (diagonal, next, next but one) and the solution.
struct Position {
    double diagonal[kSignalLanes], near[kSignalLanes], far[kSignalLanes], solution[kSignalLanes];
};
using Lanes = double[kSignalLanes];

/// Solve (W + P) z = W y in every lane; position i is work[i + 2], the positions around it are zeros. bands (3, n): P.
inline void solve(const std::vector<double>& y, const std::vector<double>& weight, Matrix<const double> bands,
                  std::vector<Position>& work) {
    const size_t n = bands.n_columns;
    for (size_t i = 0; i < n; ++i) {
        const double diagonal = bands[0][i], near = bands[1][i], far = bands[2][i];
        const double* __restrict values = y.data() + i * kSignalLanes;
        const double* __restrict weights = weight.data() + i * kSignalLanes;
        const Position& __restrict two = work[i];
        const Position& __restrict one = work[i + 1];
        Position& __restrict here = work[i + 2];
        for (size_t k = 0; k < kSignalLanes; ++k) {
            const double root = std::sqrt((diagonal + weights[k]) - two.far[k] * two.far[k] - one.near[k] * one.near[k]);
            const double inverse = 1.0 / root;
            const double rest = weights[k] * values[k] - two.solution[k] * two.far[k] - one.solution[k] * one.near[k];
            here.diagonal[k] = root;
            here.near[k] = (near - one.near[k] * one.far[k]) * inverse;
            here.far[k] = far * inverse;
            here.solution[k] = rest / root;
        }
    }
    for (size_t i = n + 2; i-- > 2;) {
        Position& __restrict here = work[i];
        const Position& __restrict one = work[i + 1];
        const Position& __restrict two = work[i + 2];
        for (size_t k = 0; k < kSignalLanes; ++k) {
            const double sum = here.near[k] * one.solution[k] + here.far[k] * two.solution[k];
            here.solution[k] = (here.solution[k] - sum) / here.diagonal[k];
        }
    }
}

/// A constant to leave out of a signal: 0, or the first value where all lie far from 0 and close together. A constant is a baseline
/// of its own, so nothing else changes; but systems round by 1e-9 of the largest value, and an offset of 1e8 would cost all digits.
inline double offset(std::span<const double> signal, double far_from_zero) {
    const auto [low, high] = std::minmax_element(signal.begin(), signal.end());
    return std::max(std::abs(*low), std::abs(*high)) > far_from_zero * (*high - *low) ? signal[0] : 0.0;
}

}  // namespace asls

/// corrected (rows, n) becomes the signals less their baselines. Weights begin as ones and are renewed `max_iter` times at most,
/// until they change by less than `tol` of their norm. bands (3, n): the diagonals of lam D'D.
inline AslsResult subtract_baselines(Matrix<const double> signals, Matrix<double> corrected, Matrix<const double> bands, double p,
                                     double tol, int64_t max_iter, double far_from_zero) {
    const size_t n_rows = signals.n_rows, n = signals.n_columns, L = kSignalLanes;
    std::vector<double> y(n * L), weight(n * L);
    std::vector<asls::Position> work(n + 4, asls::Position{});
    AslsResult result{0, 0};
    for (size_t first = 0; first < n_rows; first += L) {
        const size_t size = std::min(L, n_rows - first);
        for (size_t k = 0; k < L; ++k) {
            const std::span<const double> row = signals.row(first + std::min(k, size - 1));  // spare lanes repeat the last row
            const double offset = asls::offset(row, far_from_zero);
            for (size_t i = 0; i < n; ++i) y[i * L + k] = row[i] - offset;
        }
        std::fill(weight.begin(), weight.end(), 1.0);
        bool settled[kSignalLanes] = {};
        for (int64_t turn = 0; turn <= max_iter; ++turn) {
            result.n_systems = std::max(result.n_systems, turn + 1);
            asls::solve(y, weight, bands, work);
            double change[kSignalLanes] = {}, norm[kSignalLanes] = {};
            for (size_t i = 0; i < n; ++i) {
                for (size_t k = 0; k < L; ++k) {
                    const double renewed = y[i * L + k] > work[i + 2].solution[k] ? p : 1.0 - p, w = weight[i * L + k];
                    change[k] += (renewed - w) * (renewed - w);
                    norm[k] += w * w;
                }
            }
            bool all = true;
            for (size_t k = 0; k < L; ++k) {
                if (!settled[k]) settled[k] = std::sqrt(change[k]) < tol * std::sqrt(norm[k]);
                all = all && settled[k];
            }
            if (all) break;
            for (size_t i = 0; i < n; ++i) {  // a settled lane keeps its weights and so, solved again, its baseline
                for (size_t k = 0; k < L; ++k) {
                    const double renewed = y[i * L + k] > work[i + 2].solution[k] ? p : 1.0 - p;
                    weight[i * L + k] = settled[k] ? weight[i * L + k] : renewed;
                }
            }
        }
        for (size_t k = 0; k < size; ++k) {
            result.n_unsettled += !settled[k];
            for (size_t i = 0; i < n; ++i) corrected[first + k][i] = y[i * L + k] - work[i + 2].solution[k];
        }
    }
    return result;
}

}  // namespace tamis
