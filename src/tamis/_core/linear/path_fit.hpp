// One fit on its way down a path: what the fits of every loss have in common.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "../matrix.hpp"
#include "../threads.hpp"
#include "columns.hpp"
#include "penalty.hpp"
#include "screening.hpp"

namespace tamis {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a stretch of a path leaves, one row per strength.
struct PathOut {
    Matrix<double> coef;   // (alphas, outputs * p + intercepts) as (p, outputs), then the intercepts or thresholds
    Matrix<double> eta;    // (alphas, outputs * n + tail) as (n, outputs): linear predictors; then thresholds
    std::span<double> gap;  // (alphas) duality gaps
};

/// Duality gap to reach, and the gap that is enough where rounding keeps it from falling.
struct Goal {
    double gap = 0.0, enough = 0.0;

    bool is_reached(double now, double before) const { return now <= gap || (now <= enough && now > 0.5 * before); }
};

/// Weights of the rows, which sum to 1, and their inverses.
struct RowWeights {
    std::span<const double> w;
    std::vector<double> inverse;  // 0 where w is

    explicit RowWeights(std::span<const double> weights) : w(weights), inverse(weights.size()) {
        for (size_t i = 0; i < w.size(); ++i) inverse[i] = w[i] > 0.0 ? 1.0 / w[i] : 0.0;
    }
};

/// Tasks 0 ... n_tasks - 1, each writing to places of its own, in whatever threads.
using RunTasks = std::function<void(size_t n_tasks, const std::function<void(size_t)>& body)>;

/// A fit on its way down a path, whatever its loss.
class PathFit {
   public:
    virtual ~PathFit() = default;
    /// Minimise sum w loss(y, eta) + alpha * penalty for falling alphas, each from the solution before.
    virtual void solve(std::span<const double> alphas, Goal goal, PathOut out) = 0;
    /// sum share * loss of some rows at linear predictors (n, outputs).
    virtual double loss_of(const double* eta, std::span<const int64_t> rows, std::span<const double> share) const = 0;
    /// Give all fits, of which this is the first, a Hessian that serves them down to alpha.
    virtual void share_hessian(std::span<PathFit* const>, double, const RunTasks&) {}
    /// Whether it does.
    virtual bool shares() const { return false; }

    size_t n_outputs = 1, n_intercepts = 1;
    size_t n_tail = 0;  // numbers that follow the linear predictors of all rows: thresholds of ordered classes
    const Interrupt* interrupt = nullptr;

   protected:
    bool is_stopped() const { return interrupt != nullptr && interrupt->requested(); }
};

/// Gradients of all columns at some residuals.
inline void all_gradients(const Columns& columns, const double* residual, double* out) {
    for (size_t j = 0; j < columns.size(); ++j) out[j] = columns.inverse[j] > 0.0 ? columns.gradient(j, residual) : 0.0;
}

}  // namespace tamis
