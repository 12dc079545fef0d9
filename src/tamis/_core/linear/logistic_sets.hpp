// Logistic regression of two classes on many sets of a few columns: Newton's method, the Hessian reused between steps.
//
// A set that differs in one column from one already fitted starts from that fit. For up to kFewColumns the Hessian is computed at
// every step; beyond, only when a step no longer lowers the largest gradient tenfold.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../cholesky.hpp"
#include "../exponential.hpp"
#include "../lanes.hpp"
#include "../matrix.hpp"

namespace tamis {

/// Columns and target: d columns, the intercept's included, n rows, F folds.
struct LogisticRows {
    Matrix<const double> Z;        // (d, n) standardised; the last is the intercept's, ones (or zeros where there is none)
    std::span<const double> y;     // (n) 1 or -1
    Matrix<const double> weights;  // (F, n) 0 for rows that are not learned from
    Matrix<const double> ridge;    // (F, d) 1/2 ridge w^2 is added for each column, 0 for the intercept
};

/// One fit on a few columns.
class LogisticSetFit {
   public:
    LogisticSetFit(const LogisticRows& rows, size_t fold, std::span<const int64_t> columns)
        : rows_(rows), fold_(fold), columns_(columns), k_(columns.size()), n_(rows.y.size()), hessian_(k_ * k_), gradient_(k_),
          step_(k_), trial_(k_), curvature_(n_), before_(n_), weighted_(n_) {}

    /// Newton's method from beta, with halved steps where a full one gains nothing; eta: the linear predictors. False without a
    /// safe optimum.
    bool minimise(double* beta, double* eta) {
        predict(beta, eta);
        update(beta, eta);
        double size = largest_gradient(), last = 0.0;  // last 0: the first Hessian is computed
        double first = 1e-3 * sum(weights(), n_);
        for (int iteration = 0; iteration < kMaxSteps; ++iteration) {
            first = std::max(size, first);
            if (size <= kClose * first) return true;
            const bool is_stale = k_ <= kFewColumns || size > 0.1 * last;
            if (is_stale && !factorise_hessian()) return false;
            last = size;
            step_ = gradient_;
            cholesky_solve({hessian_.data(), k_, k_}, k_, step_.data());
            size = line_search(beta, eta, last);
            if (size < 0.0) return last <= 1e-7 * first;  // rounding is all that is left
            if (k_ > 0 && rows_.ridge[fold_][columns_[0]] == 0.0 && largest_predictor(eta) > kTooFar) return false;
        }
        return false;
    }

   private:
    static constexpr int kMaxSteps = 60;
    static constexpr size_t kFewColumns = 16;  // up to which a Hessian costs less than another pass over the rows
    static constexpr double kClose = 1e-11;    // the largest gradient, as a share of the first, at which a fit is done
    static constexpr double kDependent = 1e-9;  // share of a column's curvature that the others must leave
    static constexpr double kTooFar = 15.0;  // without a ridge, a linear predictor beyond this may run away: separated classes

    const LogisticRows& rows_;
    size_t fold_;
    std::span<const int64_t> columns_;
    size_t k_, n_;
    std::vector<double> hessian_;  // (k, k) its Cholesky factor, in the lower triangle
    std::vector<double> gradient_, step_, trial_;
    std::vector<double> curvature_, before_, weighted_;

    const double* weights() const { return rows_.weights[fold_]; }

    void predict(const double* beta, double* eta) const {
        std::fill(eta, eta + n_, 0.0);
        for (size_t a = 0; a < k_; ++a) add_scaled(beta[a], rows_.Z[columns_[a]], eta, n_);
    }

    /// The gradient of the objective, and the curvatures of the rows.
    void update(const double* beta, const double* eta) {
        weigh_residuals(rows_.y.data(), weights(), eta, weighted_.data(), curvature_.data(), n_);
        for (size_t a = 0; a < k_; ++a)
            gradient_[a] = rows_.ridge[fold_][columns_[a]] * beta[a] - dot(weighted_.data(), rows_.Z[columns_[a]], n_);
    }
    TAMIS_WIDE static void weigh_residuals(const double* y, const double* w, const double* eta, double* residual, double* curvature,
                                           size_t n) {
        for (size_t i = 0; i < n; ++i) {
            const double margin = y[i] * eta[i], e = exp_below_0(-std::abs(margin)), larger = 1.0 / (1.0 + e), smaller = e * larger;
            residual[i] = w[i] * y[i] * (margin >= 0.0 ? smaller : larger);
            curvature[i] = w[i] * larger * smaller;
        }
    }

    /// The objective.
    double value(const double* beta, const double* eta) const {
        double total = sum_losses(rows_.y.data(), weights(), eta, n_);
        for (size_t a = 0; a < k_; ++a) total += 0.5 * rows_.ridge[fold_][columns_[a]] * beta[a] * beta[a];
        return total;
    }
    TAMIS_WIDE static double sum_losses(const double* y, const double* w, const double* eta, size_t n) {
        return lane_sum(n, [=](size_t i) {
            const double margin = y[i] * eta[i];
            return w[i] * (log1p_below_1(exp_below_0(-std::abs(margin))) + (margin < 0.0 ? -margin : 0.0));
        });
    }

    /// The Cholesky factor of the Hessian; false where columns are nearly dependent.
    bool factorise_hessian() {
        std::vector<double> weighted(n_);
        for (size_t a = 0; a < k_; ++a) {
            multiply(curvature_.data(), rows_.Z[columns_[a]], weighted.data(), n_);
            for (size_t b = 0; b <= a; ++b) hessian_[a * k_ + b] = dot(weighted.data(), rows_.Z[columns_[b]], n_);
            hessian_[a * k_ + a] += rows_.ridge[fold_][columns_[a]];
        }
        return cholesky_factor({hessian_.data(), k_, k_}, k_) > kDependent;
    }

    /// Step back from beta until the largest gradient or the objective falls; that gradient, or -1 where none does.
    double line_search(double* beta, double* eta, double last) {
        double length = 1.0, start = std::numeric_limits<double>::infinity();
        std::copy(eta, eta + n_, before_.begin());
        for (int half = 0; half < 30; ++half) {
            for (size_t a = 0; a < k_; ++a) trial_[a] = beta[a] - length * step_[a];
            predict(trial_.data(), eta);
            update(trial_.data(), eta);
            const double size = largest_gradient();
            const bool is_better = size < last;
            if (!is_better && std::isinf(start)) start = value(beta, before_.data());
            if (is_better || value(trial_.data(), eta) < start) {
                std::copy(trial_.begin(), trial_.end(), beta);
                return size;
            }
            length /= 2;
        }
        return -1.0;
    }

    double largest_gradient() const {
        double size = 0.0;
        for (const double g : gradient_) size = std::max(size, std::abs(g));
        return size;
    }
    /// Of the learned rows.
    double largest_predictor(const double* eta) const {
        double size = 0.0;
        for (size_t i = 0; i < n_; ++i)
            if (weights()[i] > 0) size = std::max(size, std::abs(eta[i]));
        return size;
    }
};

/// Minimise sum weight log(1 + exp(-y eta)) + 1/2 sum ridge w^2 for every set on every fold. columns (S, most): ascending, the
/// intercept last where there is one; starts (F, d): coefficients to begin with; fills betas (S, F, most) and decisions (S, F, n),
/// NaN where there is no safe answer.
inline void fit_logistic_sets(const LogisticRows& rows, Matrix<const int64_t> columns, std::span<const int64_t> sizes,
                              Matrix<const double> starts, Cube<double> betas, Cube<double> decisions) {
    for (size_t s = 0; s < columns.n_rows; ++s) {
        const std::span<const int64_t> chosen{columns[s], size_t(sizes[s])};
        for (size_t f = 0; f < rows.weights.n_rows; ++f) {
            double *beta = betas[s][f], *eta = decisions[s][f];
            for (size_t a = 0; a < chosen.size(); ++a) beta[a] = starts[f][chosen[a]];
            if (!LogisticSetFit(rows, f, chosen).minimise(beta, eta))
                std::fill_n(eta, rows.y.size(), std::numeric_limits<double>::quiet_NaN());
        }
    }
}

}  // namespace tamis
