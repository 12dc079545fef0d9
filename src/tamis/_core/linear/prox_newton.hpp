// The path of one linear predictor by proximal Newton steps: any loss of `losses/`, dense or sparse columns.
//
// A quadratic around the present coefficients is minimised by coordinate descent on the working set, and again, until the duality
// gap is closed. With few rows, residuals are kept instead of a Hessian: a sweep costs little. With many rows the Hessian was
// computed a few strengths before and for all rows: close enough to gain a digit of the gap per step, and a step then costs two
// readings of the working set. The intercept is at its optimum for whatever the coefficients are: columns are read as if centred by
// the curvatures of the rows, which makes them orthogonal to it.
//
// Lee, Sun, Saunders (2014), SIAM J. Optimization 24; Massias, Gramfort, Salmon (2018), Celer.
#pragma once
#include "losses/rows.hpp"
#include "path_fit.hpp"
#include "quadratic.hpp"
#include "weighted_gram.hpp"

namespace tamis {

constexpr double kLeastCurvature = 1e-9;  // of a row fitted perfectly; where no direct solve follows, 1e-5, as glmnet has it

/// Newton steps for the intercept alone, halved where they overshoot: the dual point needs residuals of sum 0.
template <class Loss>
void optimise_intercept(const Loss& loss, const double* y, const double* w, size_t n, double tolerance, RowSums& sums, double* eta,
                        double* residual, double& intercept) {
    for (int step = 0; step < 50; ++step) {
        if (std::abs(sums.residual) < std::max(1e-15, 1e-4 * tolerance)) return;
        const double before = std::abs(sums.residual);
        double move = std::clamp(sums.residual / std::max(sums.curvature, 1e-12), -Loss::kLongestStep, Loss::kLongestStep);
        double back = move;
        for (int half = 0; half < 40; ++half) {
            intercept += move;
            for (size_t i = 0; i < n; ++i) eta[i] += move;
            sums = loss.update(eta, y, w, residual, n);
            if (std::abs(sums.residual) < before) break;
            back *= 0.5;
            move = -back;
        }
        if (std::abs(sums.residual) > 0.5 * before && before < 1e-10) return;  // rounding is all that is left
    }
}

/// A fit of one linear predictor, whatever its loss.
class OnePredictorFit : public PathFit {
   public:
    /// Linear predictors of the model without columns, its intercept brought to the optimum from a first one.
    virtual void start(double intercept, std::span<const double> eta) = 0;
    /// Take a Hessian without scales of some slots: 0 is the intercept's, 1 + j that of column j.
    virtual void take_hessian(const std::vector<double>& row_curvature, const std::vector<size_t>& slots,
                              const std::vector<double>& block) = 0;

    std::vector<double> beta, eta, residual, null_gradient;
    double intercept = 0.0, mean_loss = 0.0;
    double floor = 0.0;  // the least loss possible

    // The Hessian of the mean loss, computed a few strengths before; empty where residuals are kept instead.
    std::vector<double> hessian;        // (1 + p)^2, the intercept first
    std::vector<uint8_t> in_hessian;    // (p) columns it holds
    std::vector<double> row_curvature;  // (n) times the weights; empty where none was computed yet
    bool is_shared = false;             // whether it was given by another fit
};

template <class Loss>
class ProxNewton final : public OnePredictorFit {
   public:
    /// offset: added to every linear predictor, or empty. keeps_hessian: whether quadratics are solved by their Hessian.
    ProxNewton(const Columns& columns, std::span<const double> y, std::span<const double> w, std::span<const double> offset,
               ElasticNet penalty, bool has_intercept, bool keeps_hessian, Loss loss)
        : columns_(columns), y_(y), offset_(offset), weights_(w), penalty_(penalty), has_intercept_(has_intercept),
          keeps_hessian_(keeps_hessian), loss_(loss), p_(columns.size()), n_(y.size()), inside_(p_, 0), known_(p_), limits_(p_) {
        beta.assign(p_, 0.0);
        residual.assign(n_, 0.0);
        null_gradient.assign(p_, 0.0);
        in_hessian.assign(p_, 0);
        if (keeps_hessian) hessian.assign((p_ + 1) * (p_ + 1), 0.0);
        working_.reserve(p_);
        gradient_.reserve(p_);
    }

    void start(double first, std::span<const double> predictors) override {
        intercept = first;
        eta.assign(predictors.begin(), predictors.end());
        tolerance_ = 1e-16;
        refresh();
        all_gradients(columns_, residual.data(), null_gradient.data());
        screening_.start(residual, null_gradient);
    }

    void solve(std::span<const double> alphas, Goal goal, PathOut out) override {
        Violators found;
        if (!is_shared && !Loss::kConstantCurvature) row_curvature.clear();  // a Hessian of a few strengths before is too far
        refresh();
        bool is_fresh = false;  // whether `known_` holds the gradients of the columns inside at the present residuals
        for (size_t a = 0; a < alphas.size(); ++a) {
            out.gap[a] = solve_at(alphas[a], goal, is_fresh, found);
            std::copy(beta.begin(), beta.end(), out.coef[a]);
            out.coef[a][p_] = intercept;
            std::copy(eta.begin(), eta.end(), out.eta[a]);
        }
    }

    double loss_of(const double* predictors, std::span<const int64_t> rows, std::span<const double> share) const override {
        double total = 0.0;
        for (size_t k = 0; k < rows.size(); ++k) total += share[k] * loss_.value(y_[rows[k]], predictors[rows[k]]);
        return total;
    }

    bool shares() const override {
        return keeps_hessian_ && !Loss::kConstantCurvature && double(p_ + 1) * double(p_ + 1) * double(n_) > kOwnHessian;
    }

    /// The Hessian of this fit at the columns any of them uses.
    void share_hessian(std::span<PathFit* const> fits, double, const RunTasks& run) override {
        if (!shares()) return;
        std::vector<double> v(n_);
        loss_.curvature(eta.data(), y_.data(), w(), kLeastCurvature, v.data(), n_);
        std::vector<size_t> slots;  // 0 for the intercept, 1 + j for column j
        if (has_intercept_) slots.push_back(0);
        for (size_t j = 0; j < p_; ++j) {
            const auto is_used = [&](PathFit* one) { return static_cast<OnePredictorFit*>(one)->beta[j] != 0.0; };
            if (penalty_.l1[j] == 0.0 || std::any_of(fits.begin(), fits.end(), is_used)) slots.push_back(j + 1);
        }
        const std::vector<double> block = weighted_gram(slots.size(), n_, v.data(), run, [&](size_t a, size_t first, size_t m, double* out) {
            if (slots[a] == 0)
                std::fill_n(out, m, 1.0);
            else
                columns_.copy(slots[a] - 1, first, m, out);
        });
        run(fits.size(), [&](size_t f) { static_cast<OnePredictorFit*>(fits[f])->take_hessian(v, slots, block); });
    }

    void take_hessian(const std::vector<double>& v, const std::vector<size_t>& slots, const std::vector<double>& block) override {
        const size_t m = slots.size();
        is_shared = true;
        row_curvature = v;
        std::fill(in_hessian.begin(), in_hessian.end(), uint8_t(0));
        const auto scale = [&](size_t slot) { return slot > 0 ? columns_.inverse[slot - 1] : 1.0; };
        for (size_t a = 0; a < m; ++a) {
            if (slots[a] > 0) in_hessian[slots[a] - 1] = 1;
            for (size_t b = 0; b < m; ++b)
                hessian[slots[a] * (p_ + 1) + slots[b]] = block[a * m + b] * scale(slots[a]) * scale(slots[b]);
        }
    }

   private:
    static constexpr double kOwnHessian = 1e7;  // products of one Hessian below which every fit computes its own
    static constexpr int kQuadratics = 200;  // per strength
    static constexpr size_t kSweeps = 20'000;

    Columns columns_;
    std::span<const double> y_, offset_;
    RowWeights weights_;
    ElasticNet penalty_;
    bool has_intercept_, keeps_hessian_;
    Loss loss_;
    size_t p_, n_;
    Screening screening_;
    double alpha_ = 0.0, tolerance_ = 0.0;  // of the present quadratic
    std::vector<uint8_t> inside_;           // (p)
    std::vector<double> known_;             // (p) gradients of the columns inside
    std::vector<double> limits_;            // (p) gradients up to which a column stays out
    std::vector<int64_t> working_;          // the columns of the working set
    std::vector<double> gradient_;          // of the working set

    const double* w() const { return weights_.w.data(); }

    /// Residuals and mean loss at the linear predictors, the intercept at its optimum.
    void refresh() {
        RowSums sums = loss_.update(eta.data(), y_.data(), w(), residual.data(), n_);
        if (has_intercept_)
            optimise_intercept(loss_, y_.data(), w(), n_, tolerance_, sums, eta.data(), residual.data(), intercept);
        mean_loss = sums.loss;
    }

    double solve_at(double alpha, Goal goal, bool& is_fresh, Violators& found) {
        alpha_ = alpha;
        begin_strength(is_fresh);
        double gap = kInfinity, tolerance = 0.1 * goal.gap;
        for (int step = 0; step < kQuadratics && !is_stopped(); ++step) {
            gather(is_fresh);
            is_fresh = true;
            screening_.find(columns_, weights_.inverse.data(), residual.data(), limits_.data(), inside_.data(), found);
            const double before = gap;
            gap = duality_gap(found, goal, step > 0 || !Loss::kCostlyConjugate);
            if (goal.is_reached(gap, before)) break;
            is_fresh = false;
            // nearly dependent columns: a sweep gains little far from the optimum, so the tolerance is lowered
            tolerance = tolerance_ = std::max(1e-18, gap > 0.5 * before ? 0.1 * tolerance : std::min(tolerance, 0.01 * gap));
            found.keep_worst(limits_.data(), std::max<size_t>(64, working_.size()));
            for (size_t k = 0; k < found.size(); ++k) {
                working_.push_back(found.column[k]);
                gradient_.push_back(found.gradient[k]);
                inside_[found.column[k]] = 1;
            }
            if (!keeps_hessian_) {
                by_residuals();
                continue;
            }
            if (gap > 0.3 * before || row_curvature.empty()) {  // the Hessian is too far from the present one
                row_curvature.resize(n_);
                loss_.curvature(eta.data(), y_.data(), w(), kLeastCurvature, row_curvature.data(), n_);
                std::fill(in_hessian.begin(), in_hessian.end(), uint8_t(0));
            }
            extend_hessian();
            by_hessian();
        }
        return gap;
    }

    /// Limits of a new strength; the columns in use, and those without l1, stay inside.
    void begin_strength(bool& is_fresh) {
        for (size_t j = 0; j < p_; ++j) {
            limits_[j] = alpha_ * penalty_.l1[j];
            const bool stays = beta[j] != 0.0 || (penalty_.l1[j] == 0.0 && columns_.inverse[j] > 0.0);
            is_fresh = is_fresh && (inside_[j] || !stays);
            inside_[j] = stays;
        }
    }

    /// The columns inside and their gradients.
    void gather(bool is_fresh) {
        working_.clear();
        gradient_.clear();
        for (size_t j = 0; j < p_; ++j) {
            if (!inside_[j]) continue;
            if (!is_fresh) known_[j] = columns_.gradient(j, residual.data());
            working_.push_back(int64_t(j));
            gradient_.push_back(known_[j]);
        }
    }

    /// The residuals shrunk until no gradient is beyond its penalty. Where a bound without logarithms is good enough, that bound;
    /// infinity where is_exact is false and it is not.
    double duality_gap(const Violators& found, Goal goal, bool is_exact) const {
        double dual_scale = 1.0;
        double value = penalty_.conjugate(working_, gradient_.data(), alpha_, dual_scale);
        value += penalty_.conjugate(found.column, found.gradient.data(), alpha_, dual_scale);
        value += penalty_.value(beta.data(), working_, alpha_);
        const double offset = offset_.empty() ? 0.0 : dual_scale * dot(residual.data(), offset_.data(), n_);
        const double primal = mean_loss + value + offset;
        // the conjugate is convex, and minus the least loss at 0
        const double bound =
            primal - dual_scale * (mean_loss + dot(residual.data(), eta.data(), n_)) - (1.0 - dual_scale) * floor;
        if (bound <= goal.gap || dual_scale == 1.0) return bound;
        if (!is_exact) return kInfinity;
        return primal + loss_.conjugate(y_.data(), w(), residual.data(), dual_scale, n_);
    }

    /// Minimise one quadratic on the working set by its residuals, then a line search.
    void by_residuals() {
        const size_t m = working_.size();
        std::vector<double> v(n_), r(residual), before(m), centre(m, 0.0), curvature(m);
        loss_.curvature(eta.data(), y_.data(), w(), 1e-5, v.data(), n_);
        const double total = sum(v.data(), n_);
        for (size_t k = 0; k < m; ++k) {
            const size_t j = size_t(working_[k]);
            double first, second;
            before[k] = beta[j];
            columns_.moments(j, v.data(), first, second);
            if (has_intercept_) centre[k] = first / total;
            curvature[k] = std::max(0.0, second - centre[k] * first) * columns_.inverse[j] * columns_.inverse[j];
        }
        double shift = has_intercept_ ? sum(r.data(), n_) / total : 0.0;
        descend(v.data(), r.data(), centre, curvature, total, shift);
        line_search(before, shift);
    }

    /// Sweeps over the working set, then over those in use until they settle; `shift` is the intercept's move. The residuals are
    /// r - shift v; that part is added when a column is read, so no step touches all rows of a sparse table.
    void descend(const double* v, double* r, const std::vector<double>& centre, const std::vector<double>& curvature, double total,
                 double& shift) {
        const size_t m = working_.size();
        std::vector<size_t> used;
        bool is_full = true;
        for (size_t sweep = 0; sweep < kSweeps; ++sweep) {
            double gain = 0.0;
            const size_t count = is_full ? m : used.size();
            for (size_t c = 0; c < count; ++c) {
                const size_t k = is_full ? c : used[c], j = size_t(working_[k]);
                const double stiffness = curvature[k] + alpha_ * penalty_.l2[j], before = beta[j];
                if (stiffness <= 0.0) continue;
                const double g = columns_.inverse[j] * (columns_.dot(j, r) - shift * centre[k] * total);
                const double now = soft_threshold(g + curvature[k] * before, alpha_ * penalty_.l1[j], stiffness);
                const double d = now - before;
                if (d == 0.0) continue;
                beta[j] = now;
                columns_.subtract(j, d * columns_.inverse[j], v, r);
                shift -= d * columns_.inverse[j] * centre[k];
                gain = std::max(gain, 0.5 * stiffness * d * d);
            }
            if (gain * double(m) <= tolerance_) {
                if (is_full) break;
                is_full = true;
            } else if (is_full) {
                is_full = false;
                used.clear();
                for (size_t k = 0; k < m; ++k)
                    if (beta[working_[k]] != 0.0) used.push_back(k);
            }
        }
    }

    /// Minimise one quadratic on the working set by its Hessian, then a line search.
    void by_hessian() {
        const size_t m = working_.size(), stride = p_ + 1;
        std::vector<double> H(m * m), q(m), now(m), l1(m), l2(m), mixed(m), before(m);
        const double total = hessian[0], mean_residual = has_intercept_ ? sum(residual.data(), n_) / total : 0.0;
        bool is_penalised = false;
        for (size_t k = 0; k < m; ++k) {
            const size_t j = size_t(working_[k]);
            const double* row = hessian.data() + (j + 1) * stride;
            mixed[k] = hessian[j + 1];
            before[k] = now[k] = beta[j];
            q[k] = gradient_[k] - mean_residual * mixed[k];
            l1[k] = alpha_ * penalty_.l1[j];
            l2[k] = alpha_ * penalty_.l2[j];
            is_penalised = is_penalised || penalty_.l1[j] > 0.0;
            const double centring = has_intercept_ ? mixed[k] / total : 0.0;
            for (size_t i = 0; i < m; ++i) H[k * m + i] = row[working_[i] + 1] - centring * hessian[working_[i] + 1];
        }
        const Quadratic model{{H.data(), m, m}, m, q.data(), now.data(), l1.data(), l2.data()};
        if (is_penalised) coordinate_descent(model, tolerance_, kSweeps);
        solve_active(model);  // the gap falls with the largest gradient left, so none is left
        double shift = mean_residual;
        for (size_t k = 0; k < m; ++k) {
            beta[working_[k]] = now[k];
            if (has_intercept_) shift -= mixed[k] * (now[k] - before[k]) / total;
        }
        line_search(before, shift);
    }

    /// Let the Hessian hold the columns of the working set that it lacks.
    void extend_hessian() {
        const size_t stride = p_ + 1;
        hessian[0] = has_intercept_ ? sum(row_curvature.data(), n_) : 0.0;
        std::vector<double> weighted(n_);
        for (const int64_t j : working_) {
            if (in_hessian[j]) continue;
            in_hessian[j] = 1;
            std::fill(weighted.begin(), weighted.end(), 0.0);
            columns_.subtract(size_t(j), -1.0, row_curvature.data(), weighted.data());
            const double mixed = has_intercept_ ? sum(weighted.data(), n_) * columns_.inverse[j] : 0.0;
            hessian[j + 1] = hessian[size_t(j + 1) * stride] = mixed;
            for (size_t k = 0; k < p_; ++k) {
                if (!in_hessian[k]) continue;
                const double value = columns_.dot(k, weighted.data()) * columns_.inverse[j] * columns_.inverse[k];
                hessian[size_t(j + 1) * stride + k + 1] = hessian[(k + 1) * stride + size_t(j) + 1] = value;
            }
        }
    }

    /// Step from the coefficients before to those of now and the intercept's move, halved until the objective falls.
    void line_search(const std::vector<double>& before, double shift) {
        const size_t m = working_.size();
        std::vector<double> step(n_, 0.0), proposed(m), start(eta);
        for (size_t k = 0; k < m; ++k) {
            const size_t j = size_t(working_[k]);
            proposed[k] = beta[j];
            beta[j] = before[k];
            const double d = (proposed[k] - before[k]) * columns_.inverse[j];
            if (d != 0.0) columns_.add(j, d, step.data());
        }
        const double objective = mean_loss + penalty_.value(beta.data(), working_, alpha_);
        double length = 1.0;
        RowSums sums;
        for (int half = 0; half < 30; ++half) {
            for (size_t k = 0; k < m; ++k) beta[working_[k]] = before[k] + length * (proposed[k] - before[k]);
            for (size_t i = 0; i < n_; ++i) eta[i] = start[i] + length * (step[i] + shift);
            sums = loss_.update(eta.data(), y_.data(), w(), residual.data(), n_);
            if (sums.loss + penalty_.value(beta.data(), working_, alpha_) <= objective + 1e-14 * std::abs(objective)) break;
            length *= 0.5;
        }
        intercept += length * shift;
        if (has_intercept_)
            optimise_intercept(loss_, y_.data(), w(), n_, tolerance_, sums, eta.data(), residual.data(), intercept);
        mean_loss = sums.loss;
    }
};

}  // namespace tamis
