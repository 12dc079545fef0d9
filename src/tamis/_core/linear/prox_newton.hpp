// The path of one linear predictor by proximal Newton steps: any loss of `losses/`, dense or sparse columns.
//
// A quadratic around the present coefficients is minimised by coordinate descent on the working set, and again, until the duality
// gap is closed. With few rows, residuals are kept instead of a Hessian: a sweep costs little. With many rows the Hessian was
// computed a few strengths before and for all rows: close enough to gain a digit of the gap per step, and a step then costs two
// readings of the working set. The intercept (thresholds, for ordered classes) is at its optimum for whatever the coefficients are:
// columns are read as if centred by the curvatures of the rows, which makes them orthogonal to it. Groups and columns without a
// penalty are solved for by their Hessian.
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
    /// Thresholds of ordered classes; empty for other losses.
    virtual std::vector<double> thresholds() const = 0;

    std::vector<double> beta, eta, residual, null_gradient;
    double intercept = 0.0, mean_loss = 0.0;
    double floor = 0.0;  // the least loss possible
};

/// The Hessian of the mean loss on the columns that entered, in the units of the fit, and what couples them with the intercept or
/// the thresholds.
struct WorkingHessian {
    std::vector<int64_t> slot;     // (p) of every column, -1 outside
    std::vector<int64_t> columns;  // in the order of their slots
    std::vector<double> block;     // (room, room)
    size_t room = 0;
    std::vector<std::vector<double>> mixed;  // per intercept or threshold: (columns)
    std::vector<double> corner;              // (intercepts, intercepts)

    explicit WorkingHessian(size_t p, size_t n_intercepts) : slot(p, -1), mixed(n_intercepts), corner(n_intercepts * n_intercepts) {}

    double* operator[](size_t i) { return block.data() + i * room; }
    bool holds(size_t j) const { return slot[j] >= 0; }
    void clear() {
        for (const int64_t j : columns) slot[j] = -1;
        columns.clear();
        for (auto& one : mixed) one.clear();
    }
    /// Room for one more column; its slot.
    size_t add(size_t j) {
        const size_t last = columns.size();
        if (last == room) {
            const size_t wide = std::max<size_t>(16, 2 * room);
            std::vector<double> grown(wide * wide);
            for (size_t i = 0; i < last; ++i) std::copy_n(block.data() + i * room, last, grown.data() + i * wide);
            block = std::move(grown);
            room = wide;
        }
        slot[j] = int64_t(last);
        columns.push_back(int64_t(j));
        for (auto& one : mixed) one.push_back(0.0);
        return last;
    }
};

template <class Loss>
class ProxNewton final : public OnePredictorFit {
   public:
    /// offset: added to every linear predictor, or empty. keeps_hessian: whether quadratics are solved by their Hessian.
    ProxNewton(const Columns& columns, std::span<const double> y, std::span<const double> w, std::span<const double> offset,
               Penalty penalty, bool has_intercept, bool keeps_hessian, Loss loss)
        : columns_(columns), y_(y), offset_(offset), weights_(w), penalty_(penalty), has_intercept_(has_intercept),
          keeps_hessian_(keeps_hessian), loss_(loss), p_(columns.size()), n_(y.size()),
          hessian_(p_, Loss::kHasThresholds ? size_of_thresholds() : size_t(has_intercept)), inside_(p_, 0), known_(p_), limits_(p_) {
        beta.assign(p_, 0.0);
        residual.assign(n_, 0.0);
        null_gradient.assign(p_, 0.0);
        if constexpr (Loss::kHasThresholds) {
            n_intercepts = n_tail = loss_.thresholds.size();
            loss_.start(y.data(), w.data(), n_);
        }
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
        if (!is_shared_ && !Loss::kConstantCurvature) row_curvature_.clear();  // a Hessian of a few strengths before is too far
        refresh();
        bool is_fresh = false;  // whether `known_` holds the gradients of the columns inside at the present residuals
        for (size_t a = 0; a < alphas.size(); ++a) {
            out.gap[a] = solve_at(alphas[a], goal, is_fresh, found);
            std::copy(beta.begin(), beta.end(), out.coef[a]);
            std::copy(eta.begin(), eta.end(), out.eta[a]);
            if constexpr (Loss::kHasThresholds) {
                std::ranges::copy(loss_.thresholds, out.coef[a] + p_);
                std::ranges::copy(loss_.thresholds, out.eta[a] + n_);
            } else {
                out.coef[a][p_] = intercept;
            }
        }
    }

    std::vector<double> thresholds() const override {
        if constexpr (Loss::kHasThresholds) return loss_.thresholds;
        return {};
    }

    double loss_of(const double* predictors, std::span<const int64_t> rows, std::span<const double> share) const override {
        if constexpr (Loss::kHasThresholds) {
            return Loss::mean_loss(predictors, {predictors + n_, n_tail}, y_, rows, share);
        } else if constexpr (requires { loss_.at(predictors, n_); }) {
            const std::vector<double> terms = loss_.at(predictors, n_);
            double total = 0.0;
            for (size_t k = 0; k < rows.size(); ++k) total += share[k] * terms[size_t(rows[k])];
            return total;
        } else {
            double total = 0.0;
            for (size_t k = 0; k < rows.size(); ++k) total += share[k] * loss_.value(y_[rows[k]], predictors[rows[k]]);
            return total;
        }
    }

    bool shares() const override {
        return keeps_hessian_ && !Loss::kConstantCurvature && !Loss::kHasThresholds && double(p_ + 1) * double(p_ + 1) * double(n_) > kOwnHessian;
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
        is_shared_ = true;
        row_curvature_ = v;
        hessian_.clear();
        const size_t m = slots.size(), first = has_intercept_ ? 1 : 0;
        for (size_t a = first; a < m; ++a) {
            const size_t j = slots[a] - 1, i = hessian_.add(j);
            if (has_intercept_) hessian_.mixed[0][i] = block[a] * columns_.inverse[j];
            for (size_t b = first; b <= a; ++b) {
                const size_t other = slots[b] - 1;
                hessian_[i][b - first] = hessian_[b - first][i] = block[a * m + b] * columns_.inverse[j] * columns_.inverse[other];
            }
        }
        if (has_intercept_) hessian_.corner[0] = block[0];
    }

   private:
    static constexpr double kOwnHessian = 1e7;  // products of one Hessian below which every fit computes its own
    static constexpr int kQuadratics = 200;  // per strength
    static constexpr int kMoreSteps = 2;  // of a model that is kept: near the optimum each doubles the digits, which a gap cannot see
    static constexpr size_t kSweeps = 20'000;

    Columns columns_;
    std::span<const double> y_, offset_;
    RowWeights weights_;
    Penalty penalty_;
    bool has_intercept_, keeps_hessian_;
    Loss loss_;
    size_t p_, n_;
    Screening screening_;
    WorkingHessian hessian_;                // where residuals are not kept instead
    std::vector<double> row_curvature_;     // (n) behind it, times the weights; empty where none was computed yet
    bool is_shared_ = false;                // whether it was given by another fit
    double alpha_ = 0.0, tolerance_ = 0.0;  // of the present quadratic
    double mean_curvature_ = 0.0;
    std::vector<uint8_t> inside_;           // (p)
    std::vector<double> known_;             // (p) gradients of the columns inside
    std::vector<double> limits_;            // (p) gradients up to which a column stays out
    std::vector<int64_t> working_;          // the columns of the working set
    std::vector<double> gradient_;          // of the working set
    std::vector<double> threshold_curvature_;  // (2, n) by eta and the thresholds above and below each row, times the weights

    const double* w() const { return weights_.w.data(); }

    size_t size_of_thresholds() const {
        if constexpr (Loss::kHasThresholds) return loss_.thresholds.size();
        return 0;
    }

    /// Residuals and mean loss at the linear predictors, the intercept at its optimum.
    void refresh() {
        RowSums sums = loss_.update(eta.data(), y_.data(), w(), residual.data(), n_);
        optimise(sums);
    }

    /// The optimum of the intercept or the thresholds.
    void optimise(RowSums& sums) {
        if constexpr (Loss::kHasThresholds)
            loss_.optimise_thresholds(eta.data(), y_.data(), w(), n_, tolerance_, sums, residual.data());
        else if (has_intercept_)
            optimise_intercept(loss_, y_.data(), w(), n_, tolerance_, sums, eta.data(), residual.data(), intercept);
        mean_loss = sums.loss;
        mean_curvature_ = sums.curvature;
    }

    double solve_at(double alpha, Goal goal, bool& is_fresh, Violators& found) {
        alpha_ = alpha;
        begin_strength(is_fresh);
        double gap = kInfinity, tolerance = 0.1 * goal.gap;
        int more = 0;
        for (int step = 0; step < kQuadratics && !is_stopped(); ++step) {
            gather(is_fresh);
            is_fresh = true;
            find_violators(found);
            const double before = gap;
            gap = duality_gap(found, goal, step > 0 || !Loss::kCostlyConjugate);
            if (goal.is_reached(gap, before)) {
                if (goal.enough == 0.0 || Loss::kConstantCurvature || !keeps_hessian_ || more == kMoreSteps) break;
                ++more;
                row_curvature_.clear();
            }
            is_fresh = false;
            // nearly dependent columns: a sweep gains little far from the optimum, so the tolerance is lowered
            tolerance = tolerance_ = std::max(1e-18, gap > 0.5 * before ? 0.1 * tolerance : std::min(tolerance, 0.01 * gap));
            admit(found);
            if (!keeps_hessian_) {
                by_residuals();
                continue;
            }
            if ((gap > 0.3 * before && !Loss::kConstantCurvature) || row_curvature_.empty()) renew_hessian();
            extend_hessian();
            by_hessian();
        }
        return gap;
    }

    /// Limits of a new strength; the columns in use (groups whole), and those without l1, stay inside.
    void begin_strength(bool& is_fresh) {
        for (size_t j = 0; j < p_;) {
            const size_t end = j + penalty_.group_size(j);
            bool stays = false;
            for (size_t k = j; k < end; ++k)
                stays = stays || beta[k] != 0.0 || (penalty_.l1[k] == 0.0 && columns_.inverse[k] > 0.0);
            for (; j < end; ++j) {
                limits_[j] = alpha_ * penalty_.l1[j];
                is_fresh = is_fresh && (inside_[j] || !stays);
                inside_[j] = stays;
            }
        }
    }

    /// Columns or groups outside whose gradients are beyond their limits.
    void find_violators(Violators& found) {
        if (!penalty_.has_groups())
            screening_.find(columns_, weights_.inverse.data(), residual.data(), limits_.data(), inside_.data(), found);
        else
            find_groups(columns_, penalty_, residual.data(), limits_.data(), inside_.data(), found);
    }

    /// Let the violators enter: all groups, or the columns furthest beyond their limits when they are many.
    void admit(Violators& found) {
        if (!penalty_.has_groups()) found.keep_worst(limits_.data(), std::max<size_t>(64, working_.size()));
        for (size_t k = 0; k < found.size(); ++k) inside_[found.column[k]] = 1;
        if (penalty_.has_groups() && found.size() > 0) return merge(found);  // groups whole, in order of position
        working_.insert(working_.end(), found.column.begin(), found.column.end());
        gradient_.insert(gradient_.end(), found.gradient.begin(), found.gradient.end());
    }
    void merge(const Violators& found) {
        for (size_t k = 0; k < working_.size(); ++k) known_[working_[k]] = gradient_[k];
        for (size_t k = 0; k < found.size(); ++k) known_[found.column[k]] = found.gradient[k];
        gather(true);
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
    /// infinity where is_exact is false and it is not. A free column counts with the gain that a Newton step would still bring.
    double duality_gap(const Violators& found, Goal goal, bool is_exact) const {
        DualTerms dual;
        penalty_.add_dual(beta.data(), working_, gradient_.data(), alpha_, dual);
        penalty_.add_dual(beta.data(), found.column, found.gradient.data(), alpha_, dual);
        const double value = dual.conjugate + penalty_.value(beta.data(), working_, alpha_) + dual.scale * dual.free_dot +
                             0.5 * dual.free_square / std::max(mean_curvature_, 1e-300);
        const double offset = offset_.empty() ? 0.0 : dual.scale * dot(residual.data(), offset_.data(), n_);
        const double primal = mean_loss + value + offset;
        // the conjugate is convex, and minus the least loss at 0
        const double bound =
            primal - dual.scale * (mean_loss + dot(residual.data(), eta.data(), n_)) - (1.0 - dual.scale) * floor;
        if (bound <= goal.gap || dual.scale == 1.0) return bound;
        if constexpr (Loss::kHasThresholds) {
            return bound;
        } else {
            if (!is_exact) return kInfinity;
            return primal + loss_.conjugate(y_.data(), w(), residual.data(), dual.scale, n_);
        }
    }

    /// Minimise one quadratic on the working set by its residuals, then a line search.
    void by_residuals() {
        if constexpr (Loss::kHasThresholds) return;
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
        line_search(before, {shift});
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
                const double now = soft_threshold(g + curvature[k] * before, alpha_ * penalty_.l1[j], stiffness, penalty_.side(j));
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

    /// Minimise one quadratic on the working set by its Hessian, then a line search. Intercept or thresholds are solved for in it.
    void by_hessian() {
        const size_t m = working_.size(), T = hessian_.mixed.size();
        std::vector<double> H(m * m), q(gradient_), now(m), l1(m), l2(m), sides(m), before(m);
        std::vector<double> steep(T, 0.0);         // minus the gradient by intercept or thresholds
        std::vector<double> mixed(T * m), solved;  // what couples them with the columns; the same over their own Hessian
        if constexpr (Loss::kHasThresholds) {
            std::vector<double> present(T * T);
            loss_.threshold_derivatives(eta.data(), y_.data(), w(), n_, steep.data(), {present.data(), T, T});
        } else if (T > 0) {
            steep[0] = sum(residual.data(), n_);
        }
        bool is_penalised = false;
        for (size_t k = 0; k < m; ++k) {
            const size_t j = size_t(working_[k]);
            before[k] = now[k] = beta[j];
            l1[k] = alpha_ * penalty_.l1[j];
            l2[k] = alpha_ * penalty_.l2[j];
            sides[k] = penalty_.side(j);
            is_penalised = is_penalised || penalty_.l1[j] > 0.0 || sides[k] != 0.0;
            for (size_t t = 0; t < T; ++t) mixed[t * m + k] = hessian_.mixed[t][size_t(hessian_.slot[j])];
        }
        solved = solve_corner(mixed, m);
        for (size_t t = 0; t < T; ++t) add_scaled(-steep[t], solved.data() + t * m, q.data(), m);
        for (size_t k = 0; k < m; ++k) {
            const double* row = hessian_[size_t(hessian_.slot[working_[k]])];
            for (size_t i = 0; i < m; ++i) H[k * m + i] = row[hessian_.slot[working_[i]]];
            for (size_t t = 0; t < T; ++t) add_scaled(-mixed[t * m + k], solved.data() + t * m, H.data() + k * m, m);
        }
        const Quadratic model{{H.data(), m, m}, m, q.data(), now.data(), l1.data(), l2.data(), sides.data()};
        if (penalty_.has_groups()) {
            minimise_groups(model, group_starts(working_, penalty_), tolerance_, kSweeps);
        } else {
            if (is_penalised) coordinate_descent(model, tolerance_, kSweeps);
            solve_active(model);  // the gap falls with the largest gradient left, so none is left
        }
        std::vector<double> shift = T > 0 ? solve_corner(steep, 1) : std::vector<double>{};
        for (size_t k = 0; k < m; ++k) {
            beta[working_[k]] = now[k];
            for (size_t t = 0; t < T; ++t) shift[t] -= solved[t * m + k] * (now[k] - before[k]);
        }
        line_search(before, shift);
    }

    /// The Hessian of the intercept or thresholds solved for some right sides (T, m).
    std::vector<double> solve_corner(const std::vector<double>& right, size_t m) const {
        const size_t T = hessian_.mixed.size();
        std::vector<double> out(right);
        if (T == 1) {
            for (double& value : out) value /= hessian_.corner[0];
            return out;
        }
        ActiveFactor factor;
        factor.size = T;
        for (size_t t = 0; t < T; ++t) factor.used.push_back(int64_t(t));
        const std::vector<double> none(T, 0.0);
        const Matrix<const double> corner{hessian_.corner.data(), T, T};
        if (T == 0 || !factorise(corner, none.data(), factor)) return std::vector<double>(right.size(), 0.0);
        std::vector<double> one(T);
        for (size_t k = 0; k < m; ++k) {
            for (size_t t = 0; t < T; ++t) one[t] = right[t * m + k];
            one = refined_solution(corner, factor, none.data(), one);
            for (size_t t = 0; t < T; ++t) out[t * m + k] = one[t];
        }
        return out;
    }

    /// Begin a Hessian at the present curvatures.
    void renew_hessian() {
        row_curvature_.resize(n_);
        loss_.curvature(eta.data(), y_.data(), w(), kLeastCurvature, row_curvature_.data(), n_);
        hessian_.clear();
        if constexpr (Loss::kHasThresholds) {
            const size_t T = loss_.thresholds.size();
            std::vector<double> steep(T);
            loss_.threshold_derivatives(eta.data(), y_.data(), w(), n_, steep.data(), {hessian_.corner.data(), T, T});
            threshold_curvature_.resize(2 * n_);
            loss_.mixed_curvature(eta.data(), y_.data(), w(), {threshold_curvature_.data(), 2, n_});
        }
    }

    /// Let the Hessian hold the columns of the working set that it lacks.
    void extend_hessian() {
        if (!Loss::kHasThresholds && has_intercept_) hessian_.corner[0] = sum(row_curvature_.data(), n_);
        std::vector<double> weighted(n_);
        for (const int64_t j : working_) {
            if (hessian_.holds(size_t(j))) continue;
            const size_t i = hessian_.add(size_t(j));
            std::fill(weighted.begin(), weighted.end(), 0.0);
            columns_.subtract(size_t(j), -1.0, row_curvature_.data(), weighted.data());
            couple(size_t(j), i, weighted);
            for (size_t k = 0; k <= i; ++k) {
                const size_t other = size_t(hessian_.columns[k]);
                const double value = columns_.dot(other, weighted.data()) * columns_.inverse[j] * columns_.inverse[other];
                hessian_[i][k] = hessian_[k][i] = value;
            }
        }
    }

    /// What couples a column with the intercept or the thresholds; `weighted` is the column times the curvatures.
    void couple(size_t j, size_t i, const std::vector<double>& weighted) {
        if constexpr (Loss::kHasThresholds) {
            std::vector<double> plain(n_);
            columns_.copy(j, 0, n_, plain.data());
            const size_t T = loss_.thresholds.size();
            const double *upper = threshold_curvature_.data(), *lower = upper + n_;
            for (size_t r = 0; r < n_; ++r) {
                const size_t c = size_t(y_[r]);
                if (c < T) hessian_.mixed[c][i] += columns_.inverse[j] * plain[r] * upper[r];
                if (c > 0) hessian_.mixed[c - 1][i] += columns_.inverse[j] * plain[r] * lower[r];
            }
        } else if (has_intercept_) {
            hessian_.mixed[0][i] = sum(weighted.data(), n_) * columns_.inverse[j];
        }
    }

    /// Step from the coefficients before to those of now and the move of the intercept or thresholds, halved until the objective
    /// falls.
    void line_search(const std::vector<double>& before, const std::vector<double>& moves) {
        const size_t m = working_.size();
        const double shift = Loss::kHasThresholds || moves.empty() ? 0.0 : moves[0];
        const std::vector<double> first = thresholds();
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
            if constexpr (Loss::kHasThresholds)
                for (size_t t = 0; t < first.size(); ++t) loss_.thresholds[t] = first[t] + length * moves[t];
            sums = loss_.update(eta.data(), y_.data(), w(), residual.data(), n_);
            if (sums.loss + penalty_.value(beta.data(), working_, alpha_) <= objective + 1e-14 * std::abs(objective)) break;
            length *= 0.5;
        }
        intercept += length * shift;
        optimise(sums);
    }
};

}  // namespace tamis
