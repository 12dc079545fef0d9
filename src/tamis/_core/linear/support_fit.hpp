// Fits without a penalty on the columns that a path selects: by a Gram matrix for the squared loss, by Newton steps on the rows for
// any other loss of `losses/` and for several classes. Each support begins from the fit of the one before.
#pragma once
#include <vector>

#include "losses/multinomial.hpp"
#include "quadratic.hpp"

namespace tamis {

/// Supports of several models: entries[begin[m]] ... entries[begin[m + 1] - 1], ascending, each column * outputs + output.
struct Supports {
    std::span<const int64_t> begin, entries;

    size_t size() const { return begin.size() - 1; }
    std::span<const int64_t> operator[](size_t m) const { return entries.subspan(begin[m], size_t(begin[m + 1] - begin[m])); }
    bool repeats(size_t m) const { return m > 0 && std::ranges::equal((*this)[m], (*this)[m - 1]); }
};

/// Solve H_SS beta = c_S for every support S.
inline void fit_gram_supports(Matrix<const double> H, std::span<const double> c, const Supports& supports, double* beta) {
    const std::vector<double> no_ridge(c.size(), 0.0);
    ActiveFactor factor;
    for (size_t m = 0; m < supports.size(); ++m) {
        const std::span<const int64_t> used = supports[m];
        double* out = beta + supports.begin[m];
        if (supports.repeats(m)) {
            std::copy(out - used.size(), out, out);
            continue;
        }
        factor.used.assign(used.begin(), used.end());
        factor.size = used.size();
        std::vector<double> right(used.size());
        for (size_t k = 0; k < used.size(); ++k) right[k] = c[used[k]];
        if (factor.size > 0 && factorise(H, no_ridge.data(), factor)) right = refined_solution(H, factor, no_ridge.data(), right);
        std::copy(right.begin(), right.end(), out);
    }
}

/// Rows of a loss of one linear predictor.
template <class Loss>
struct PredictorRows {
    std::span<const double> y;
    Loss loss;
    static constexpr size_t n_outputs = 1;

    double update(Matrix<const double> eta, const double* w, Matrix<double> residual) {
        return loss.update(eta[0], y.data(), w, residual[0], y.size()).loss;
    }
    void curvature(Matrix<const double> eta, const double* w, size_t, size_t, double* v) {
        loss.curvature(eta[0], y.data(), w, 0.0, v, y.size());
    }
};

/// Rows of several classes, one linear predictor each.
struct ClassRows {
    std::span<const int64_t> y;
    size_t n_outputs;
    std::vector<double> prob = std::vector<double>(n_outputs * y.size()), totals = std::vector<double>(n_outputs);

    double update(Matrix<const double> eta, const double* w, Matrix<double> residual) {
        return update_probabilities(eta, y.data(), w, residual, {prob.data(), n_outputs, y.size()}, totals.data());
    }
    void curvature(Matrix<const double>, const double* w, size_t k, size_t other, double* v) {
        const double *p = prob.data() + k * y.size(), *q = prob.data() + other * y.size();
        for (size_t i = 0; i < y.size(); ++i) v[i] = w[i] * p[i] * ((k == other ? 1.0 : 0.0) - q[i]);
    }
};

/// Minimise sum w loss(y, offset + Z' beta) + 1/2 sum ridge beta^2 on one support after another.
template <class Rows>
class SupportFit {
   public:
    /// Z: (columns, n), a column of ones where there is an intercept. ridge: per column. offset: (n) or empty.
    SupportFit(Rows rows, Matrix<const double> Z, std::span<const double> w, std::span<const double> ridge,
               std::span<const double> offset)
        : rows_(std::move(rows)), Z_(Z), w_(w), ridge_(ridge), offset_(offset), K_(rows_.n_outputs), n_(w.size()),
          state_(Z.n_rows * K_, 0.0), eta_(K_ * n_), residual_(K_ * n_), weighted_(n_), curvature_(K_ * n_) {}

    template <class IsStopped>
    void run(const Supports& supports, double tol, double* beta, IsStopped is_stopped) {
        for (size_t m = 0; m < supports.size() && !is_stopped(); ++m) {
            const std::span<const int64_t> used = supports[m];
            if (!supports.repeats(m)) minimise(used, tol);
            for (size_t k = 0; k < used.size(); ++k) beta[supports.begin[m] + int64_t(k)] = state_[used[k]];
        }
    }

   private:
    static constexpr int kMaxSteps = 50;

    Rows rows_;
    Matrix<const double> Z_;
    std::span<const double> w_, ridge_, offset_;
    size_t K_, n_;
    std::vector<double> state_;                          // (columns, outputs)
    std::vector<double> eta_, residual_;                 // (outputs, n)
    std::vector<double> weighted_, curvature_, hessian_, gradient_;

    const double* column(int64_t entry) const { return Z_[size_t(entry) / K_]; }
    size_t output(int64_t entry) const { return size_t(entry) % K_; }

    /// The objective at beta; linear predictors and residuals follow.
    double update(std::span<const int64_t> used, const std::vector<double>& beta) {
        for (size_t k = 0; k < K_; ++k)
            for (size_t i = 0; i < n_; ++i) eta_[k * n_ + i] = offset_.empty() ? 0.0 : offset_[i];
        double penalty = 0.0;
        for (size_t a = 0; a < used.size(); ++a) {
            add_scaled(beta[a], column(used[a]), eta_.data() + output(used[a]) * n_, n_);
            penalty += 0.5 * ridge_[size_t(used[a]) / K_] * beta[a] * beta[a];
        }
        return penalty + rows_.update({eta_.data(), K_, n_}, w_.data(), {residual_.data(), K_, n_});
    }

    void update_gradient(std::span<const int64_t> used, const std::vector<double>& beta) {
        gradient_.resize(used.size());
        for (size_t a = 0; a < used.size(); ++a)
            gradient_[a] = dot(residual_.data() + output(used[a]) * n_, column(used[a]), n_) - ridge_[size_t(used[a]) / K_] * beta[a];
    }

    void update_hessian(std::span<const int64_t> used) {
        const size_t S = used.size();
        hessian_.resize(S * S);
        for (size_t k = 0; k < K_; ++k) {
            for (size_t other = 0; other < K_; ++other)
                rows_.curvature({eta_.data(), K_, n_}, w_.data(), k, other, curvature_.data() + other * n_);
            for (size_t a = 0; a < S; ++a) {
                if (output(used[a]) != k) continue;
                size_t held = K_;  // output whose curvatures are multiplied into `weighted_`
                for (size_t other = 0; other < K_; ++other)
                    for (size_t b = 0; b <= a; ++b) {
                        if (output(used[b]) != other) continue;
                        if (held != other) multiply(curvature_.data() + other * n_, column(used[a]), weighted_.data(), n_);
                        held = other;
                        hessian_[a * S + b] = hessian_[b * S + a] = dot(weighted_.data(), column(used[b]), n_);
                    }
            }
        }
    }

    /// Newton steps, halved until the objective falls, until one gains less than tol.
    void minimise(std::span<const int64_t> used, double tol) {
        const size_t S = used.size();
        std::vector<double> beta(S), trial(S), ridge(S);
        std::vector<double> next(state_.size(), 0.0);
        for (size_t a = 0; a < S; ++a) {
            beta[a] = state_[used[a]];
            ridge[a] = ridge_[size_t(used[a]) / K_];
        }
        ActiveFactor factor;
        factor.size = S;
        for (size_t a = 0; a < S; ++a) factor.used.push_back(int64_t(a));
        double value = update(used, beta);
        for (int step = 0; step < kMaxSteps && S > 0; ++step) {
            update_gradient(used, beta);
            update_hessian(used);
            const Matrix<const double> H{hessian_.data(), S, S};
            if (!factorise(H, ridge.data(), factor)) break;
            const std::vector<double> move = refined_solution(H, factor, ridge.data(), gradient_);
            const double gain = 0.5 * dot(move.data(), gradient_.data(), S);
            double length = 1.0, after = value;
            bool falls = false;
            for (int half = 0; half < 30 && !falls; ++half, length *= 0.5) {
                for (size_t a = 0; a < S; ++a) trial[a] = beta[a] + length * move[a];
                after = update(used, trial);
                falls = after <= value + 1e-15 * std::abs(value);
            }
            if (!falls) break;
            beta = trial;
            value = after;
            if (gain <= tol) break;
        }
        for (size_t a = 0; a < S; ++a) next[used[a]] = beta[a];
        state_ = std::move(next);
    }
};

}  // namespace tamis
