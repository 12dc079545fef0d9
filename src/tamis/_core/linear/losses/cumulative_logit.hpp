// Log loss of ordered classes, with one linear predictor and a threshold between neighbours: P(y <= c) = F(theta_c - eta), F logistic.
//
// With a = theta_y - eta, b = theta_(y-1) - eta and d = a - b, P(y) = F(a) F(-b) (1 - exp(-d)), so the loss is
// log(1 + exp(-a)) + log(1 + exp(b)) - log(1 - exp(-d)), and d does not depend on eta. A class without rows has one of a tiny weight
// at eta = 0, which keeps its thresholds finite and apart.
//
// McCullagh (1980), Regression models for ordinal data, JRSS B 42.
#pragma once
#include <limits>
#include <vector>

#include "../../matrix.hpp"
#include "../quadratic.hpp"
#include "rows.hpp"

namespace tamis {

class CumulativeLogit {
   public:
    static constexpr bool kCostlyConjugate = true;
    static constexpr bool kConstantCurvature = false;
    static constexpr bool kHasThresholds = true;

    explicit CumulativeLogit(size_t n_classes)
        : thresholds(n_classes - 1), class_weight_(n_classes, 0.0), added_(n_classes, 0.0) {}

    std::vector<double> thresholds;  // (classes - 1), ascending

    /// Thresholds of the model without columns.
    void start(const double* y, const double* w, size_t n) {
        for (size_t i = 0; i < n; ++i)
            if (w[i] > 0.0) class_weight_[size_t(y[i])] += w[i];
        double total = 0.0, below = 0.0;
        for (size_t c = 0; c < class_weight_.size(); ++c) {
            if (!(class_weight_[c] > 0.0)) class_weight_[c] = added_[c] = kAbsent;
            total += class_weight_[c];
        }
        for (size_t c = 0; c < thresholds.size(); ++c) {
            below += class_weight_[c];
            thresholds[c] = std::log(below / (total - below));
        }
    }

    /// Loss, residuals and curvature of the rows; the loss is infinite where the thresholds do not ascend.
    RowSums update(const double* eta, const double* y, const double* w, double* residual, size_t n) const {
        if (!is_ascending()) return {std::numeric_limits<double>::infinity(), 0.0, 0.0};
        const Bounds bounds(thresholds);
        RowSums sums = sum(bounds, eta, y, w, residual, n);
        for (size_t c = 0; c < added_.size(); ++c) sums.loss += added_[c] * terms(bounds, c, 0.0).loss;
        return sums;
    }
    void curvature(const double* eta, const double* y, const double* w, double least, double* v, size_t n) const {
        const Bounds bounds(thresholds);
        weigh_rows(w, v, n, [&](size_t i) { return std::max(terms(bounds, size_t(y[i]), eta[i]).curvature, least); });
    }
    /// Mean loss of some rows at a linear predictor and thresholds.
    static double mean_loss(const double* eta, std::span<const double> thresholds, std::span<const double> y,
                            std::span<const int64_t> rows, std::span<const double> share) {
        const Bounds bounds(thresholds);
        double total = 0.0;
        for (size_t k = 0; k < rows.size(); ++k) total += share[k] * terms(bounds, size_t(y[rows[k]]), eta[rows[k]]).loss;
        return total;
    }
    /// Second derivatives of the loss by eta and each row's upper and lower threshold, times w (2, n).
    void mixed_curvature(const double* eta, const double* y, const double* w, Matrix<double> out) const {
        const Bounds bounds(thresholds);
        for (size_t i = 0; i < out.n_columns; ++i) {
            const size_t c = size_t(y[i]);
            out[0][i] = w[i] > 0.0 ? -w[i] * slope(bounds.upper[c] - eta[i]) : 0.0;
            out[1][i] = w[i] > 0.0 ? -w[i] * slope(bounds.lower[c] - eta[i]) : 0.0;
        }
    }
    /// Minus the gradient of the mean loss by the thresholds (T), and its Hessian (T, T).
    void threshold_derivatives(const double* eta, const double* y, const double* w, size_t n, double* gradient,
                               Matrix<double> hessian) const {
        const size_t T = thresholds.size();
        std::fill_n(gradient, T, 0.0);
        std::fill_n(hessian.data, T * T, 0.0);
        const auto add = [&](size_t c, double predictor, double weight) {
            if (c < T) {
                gradient[c] += weight * (1.0 - share(thresholds[c] - predictor));
                hessian[c][c] += weight * slope(thresholds[c] - predictor);
            }
            if (c > 0) {
                gradient[c - 1] -= weight * share(thresholds[c - 1] - predictor);
                hessian[c - 1][c - 1] += weight * slope(thresholds[c - 1] - predictor);
            }
        };
        for (size_t i = 0; i < n; ++i)
            if (w[i] > 0.0) add(size_t(y[i]), eta[i], w[i]);
        for (size_t c = 0; c <= T; ++c)
            if (added_[c] > 0.0) add(c, 0.0, added_[c]);
        for (size_t c = 1; c < T; ++c) {
            const double steep = 1.0 / std::expm1(thresholds[c] - thresholds[c - 1]), bend = (1.0 + steep) * steep;
            gradient[c] += class_weight_[c] * steep;
            gradient[c - 1] -= class_weight_[c] * steep;
            hessian[c][c] += class_weight_[c] * bend;
            hessian[c - 1][c - 1] += class_weight_[c] * bend;
            hessian[c][c - 1] -= class_weight_[c] * bend;
            hessian[c - 1][c] -= class_weight_[c] * bend;
        }
    }
    /// Newton steps for the thresholds alone, halved until the loss falls; sums and residuals follow.
    void optimise_thresholds(const double* eta, const double* y, const double* w, size_t n, double tolerance, RowSums& sums,
                             double* residual) {
        const size_t T = thresholds.size();
        const std::vector<double> none(T, 0.0);
        std::vector<double> gradient(T), hessian(T * T);
        const Matrix<const double> H{hessian.data(), T, T};
        ActiveFactor factor;
        factor.size = T;
        for (size_t t = 0; t < T; ++t) factor.used.push_back(int64_t(t));
        double was = std::numeric_limits<double>::infinity();
        for (int step = 0; step < 100; ++step) {
            threshold_derivatives(eta, y, w, n, gradient.data(), {hessian.data(), T, T});
            double largest = 0.0;
            for (const double g : gradient) largest = std::max(largest, std::abs(g));
            if (largest < std::max(1e-15, 1e-4 * tolerance) || (largest > 0.5 * was && was < 1e-10)) return;
            was = largest;
            if (!factorise(H, none.data(), factor)) return;
            const std::vector<double> move = refined_solution(H, factor, none.data(), gradient), start = thresholds;
            const double before = sums.loss;
            double length = 1.0;
            for (int half = 0; half < 40; ++half, length *= 0.5) {
                for (size_t t = 0; t < T; ++t) thresholds[t] = start[t] + length * move[t];
                sums = update(eta, y, w, residual, n);
                if (sums.loss <= before + 1e-15 * std::abs(before)) break;
            }
        }
    }

   private:
    static constexpr double kAbsent = 1e-9;  // weight of a class without rows
    static constexpr double kBeyond = 1e10;  // stands for an infinite threshold

    std::vector<double> class_weight_, added_;  // (classes)

    /// Per class, the thresholds above and below it, and the part of its loss that no row changes.
    struct Bounds {
        std::vector<double> upper, lower, gap;
        explicit Bounds(std::span<const double> theta) : upper(theta.begin(), theta.end()), lower{-kBeyond}, gap(theta.size() + 1, 0.0) {
            upper.push_back(kBeyond);
            lower.insert(lower.end(), theta.begin(), theta.end());
            for (size_t c = 1; c < theta.size(); ++c) gap[c] = -std::log(-std::expm1(theta[c - 1] - theta[c]));
        }
    };

    bool is_ascending() const {
        for (size_t t = 1; t < thresholds.size(); ++t)
            if (!(thresholds[t] > thresholds[t - 1])) return false;
        return true;
    }
    /// F(x) and its derivative.
    static double share(double x) {
        const double e = exp_below_0(-std::abs(x)), larger = 1.0 / (1.0 + e);
        return x >= 0.0 ? larger : e * larger;
    }
    static double slope(double x) {
        const double e = exp_below_0(-std::abs(x)), larger = 1.0 / (1.0 + e);
        return e * larger * larger;
    }
    static RowTerms terms(const Bounds& bounds, size_t c, double eta) {
        const double a = bounds.upper[c] - eta, b = bounds.lower[c] - eta;
        const double ea = exp_below_0(-std::abs(a)), eb = exp_below_0(-std::abs(b)), la = 1.0 / (1.0 + ea), lb = 1.0 / (1.0 + eb);
        const double above = a >= 0.0 ? ea * la : la, below = b >= 0.0 ? lb : eb * lb;  // 1 - F(a) and F(b)
        const double loss = (a < 0.0 ? -a : 0.0) + log1p_below_1(ea) + (b > 0.0 ? b : 0.0) + log1p_below_1(eb) + bounds.gap[c];
        return {loss, below - above, ea * la * la + eb * lb * lb};
    }
    TAMIS_WIDE static RowSums sum(const Bounds& bounds, const double* eta, const double* y, const double* w, double* residual, size_t n) {
        return sum_rows(w, residual, n, [&](size_t i) { return terms(bounds, size_t(y[i]), eta[i]); });
    }
};

}  // namespace tamis
