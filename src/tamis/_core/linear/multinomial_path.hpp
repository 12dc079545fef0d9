// The path of several classes: one fit, from one strength to the next.
//
// A quadratic with the full Hessian of the softmax is minimised on a working set of (class, column) pairs, and again, until the
// duality gap is closed. The Hessian is that of a reference near by: the fit itself at an earlier strength, or, with many rows, the
// fit of all rows, which serves every fold. It grows with the working set and is renewed when a step gains little. Where the working
// set is too large for it, residuals are kept instead: with P the probabilities, a step u (classes, rows) of the linear predictors
// changes the residuals of class k by -w P_k (u_k - sum_l P_l u_l), so the classes are coupled through one number per row and a
// coordinate costs no more than with two classes.
#pragma once
#include <memory>

#include "losses/multinomial.hpp"
#include "path_fit.hpp"
#include "quadratic.hpp"
#include "weighted_gram.hpp"

namespace tamis {

/// A fit near by, whose Hessian serves; `hessian` is empty where only its probabilities are known.
struct MultinomialReference {
    std::vector<double> w;        // (n)
    std::vector<double> prob;     // (K, n)
    std::vector<double> hessian;  // (K (1 + p))^2, the intercept of a class first; without scales
    std::vector<uint8_t> held;    // (K, p) pairs the Hessian holds
};

class MultinomialPath final : public PathFit {
   public:
    /// y: the class of every row. max_hessian: pairs up to which a Hessian is kept. intercept: to begin with (classes).
    MultinomialPath(const Columns& columns, std::span<const int64_t> y, std::span<const double> w, Penalty penalty,
                    bool has_intercept, size_t max_hessian, std::span<const double> first)
        : columns_(columns), y_(y), weights_(w), penalty_(penalty), has_intercept_(has_intercept), max_hessian_(max_hessian),
          K_(first.size()), p_(columns.size()), n_(y.size()), screening_(K_), inside_(K_ * p_, 0), limits_(p_), found_(K_) {
        n_outputs = n_intercepts = K_;
        beta.assign(K_ * p_, 0.0);
        eta.resize(K_ * n_);
        residual.resize(K_ * n_);
        prob.resize(K_ * n_);
        intercept.assign(first.begin(), first.end());
        present.assign(K_, has_intercept ? 0 : 1);
        for (size_t k = 0; k < K_; ++k) std::fill_n(eta.data() + k * n_, n_, first[k]);
        for (size_t i = 0; i < n_; ++i)
            if (w[i] > 0.0) present[y[i]] = 1;
        std::vector<double> totals(K_), gradients(p_);
        mean_loss = refresh(totals.data());
        null_gradient.resize(K_ * p_);
        for (size_t k = 0; k < K_; ++k) {
            double* own = null_gradient.data() + k * p_;
            all_gradients(columns_, residual_of(k), own);
            screening_[k].start({residual_of(k), n_}, {own, p_});
        }
    }

    std::vector<double> beta;                  // (K, p)
    std::vector<double> eta, residual, prob;   // (K, n) linear predictors, w (y - P), probabilities P
    std::vector<double> intercept;             // (K)
    std::vector<double> null_gradient;         // (K, p)
    std::vector<uint8_t> present;              // (K) classes that take part; one without a row that counts keeps its first intercept
    double mean_loss = 0.0;
    std::shared_ptr<const MultinomialReference> shared;  // of another fit; or none
    bool was_renewed = false;  // whether a reference of the fit's own ever took the place of the one given

    /// Minimise sum w log-loss + alpha * penalty for falling alphas, each from the solution before.
    void solve(std::span<const double> alphas, Goal goal, PathOut out) override {
        start_working_set();
        is_own_ = !shared || shared->hessian.empty();
        reference_ = is_own_ ? own_reference() : shared;
        factor_.size = 0;
        for (size_t a = 0; a < alphas.size(); ++a) {
            for (size_t j = 0; j < p_; ++j) limits_[j] = alphas[a] * penalty_.l1[j];
            drop_unused();
            out.gap[a] = solve_at(alphas[a], goal);
            double *coef = out.coef[a], *predictors = out.eta[a];
            for (size_t k = 0; k < K_; ++k) {
                for (size_t j = 0; j < p_; ++j) coef[j * K_ + k] = beta[k * p_ + j];
                coef[p_ * K_ + k] = intercept[k];
                for (size_t i = 0; i < n_; ++i) predictors[i * K_ + k] = eta[k * n_ + i];
            }
        }
        was_renewed = was_renewed || is_own_;
    }

    /// Residuals, probabilities and mean loss at the linear predictors, with the sums of the residuals.
    double refresh(double* totals) {
        return update_probabilities({eta.data(), K_, n_}, y_.data(), w(), {residual.data(), K_, n_}, {prob.data(), K_, n_}, totals);
    }

    double loss_of(const double* predictors, std::span<const int64_t> rows, std::span<const double> share) const override {
        double total = 0.0;
        for (size_t c = 0; c < rows.size(); ++c) {
            const double* one = predictors + size_t(rows[c]) * K_;
            const double top = *std::max_element(one, one + K_);
            double raised = 0.0;
            for (size_t k = 0; k < K_; ++k) raised += exp_below_0(one[k] - top);
            total += share[c] * (log_above_1(raised) + (top - one[y_[rows[c]]]));
        }
        return total;
    }

    bool shares() const override {
        const size_t size = K_ * (p_ + 1);
        return n_ >= kRowsPerCoefficient * size && size <= kMaxShared && double(n_) * double(size) * double(size) > kOwnHessian;
    }

    /// The Hessian of this fit at the pairs that any uses or may soon use. A fit that this did not serve well gets its own.
    void share_hessian(std::span<PathFit* const> fits, double alpha, const RunTasks& run) override {
        if (!shares()) return;
        std::vector<MultinomialPath*> together, alone;
        for (PathFit* one : fits) {
            auto* fit = static_cast<MultinomialPath*>(one);
            (fit == this || !fit->was_renewed ? together : alone).push_back(fit);
        }
        std::vector<std::vector<uint8_t>> soon(together.size());
        run(together.size(), [&](size_t f) { soon[f] = together[f]->pairs_soon(alpha); });
        for (size_t f = 1; f < soon.size(); ++f)
            for (size_t e = 0; e < K_ * p_; ++e) soon[0][e] = soon[0][e] || soon[f][e];
        const auto reference = reference_of(soon[0], run);
        for (MultinomialPath* fit : together) fit->shared = reference;
        const RunTasks here = [](size_t n_tasks, const std::function<void(size_t)>& body) {
            for (size_t task = 0; task < n_tasks; ++task) body(task);
        };
        run(alone.size(), [&](size_t f) { alone[f]->shared = alone[f]->reference_of(alone[f]->pairs_soon(alpha), here); });
    }

   private:
    static constexpr size_t kMaxShared = 1500;  // coefficients up to which a Hessian is kept where rows outnumber columns
    static constexpr size_t kRowsPerCoefficient = 4;  // of fewer rows a fit's own Hessian, of its working set alone, costs half as much
    static constexpr double kOwnHessian = 3e7;  // products of one Hessian below which every fit computes its own
    static constexpr int kQuadratics = 200;  // per strength
    static constexpr int kMoreSteps = 2;  // of a model that is kept: near the optimum each doubles the digits, which a gap cannot see
    static constexpr size_t kSweeps = 20'000;
    static constexpr double kLeast = 1e-9;         // curvature added to every row
    static constexpr double kLeastIterated = 1e-5;  // the same where no direct solve follows

    /// A step of the pairs and what follows from it.
    struct Move {
        std::vector<double> before, now;  // (pairs)
        std::vector<double> u;            // (K, n) change of the linear predictors
        std::vector<double> shift;        // (K) change of the intercepts
    };

    Columns columns_;
    std::span<const int64_t> y_;
    RowWeights weights_;
    Penalty penalty_;
    bool has_intercept_;
    size_t max_hessian_, K_, p_, n_;
    std::vector<Screening> screening_;           // per class
    std::vector<int64_t> owner_, column_;        // the working set of pairs: class and column
    std::vector<double> gradient_;               // of the pairs
    std::vector<uint8_t> inside_;                // (K, p)
    std::vector<double> limits_;                 // (p) gradients up to which a pair stays out
    std::vector<Violators> found_;               // per class
    std::vector<double> H_;                      // (room, room) Hessian of the working set, intercepts first
    size_t room_ = 0, n_built_ = 0;              // pairs the Hessian holds
    std::shared_ptr<const MultinomialReference> reference_;
    bool is_own_ = false;
    ActiveFactor factor_;
    double alpha_ = 0.0, tolerance_ = 0.0;

    const double* w() const { return weights_.w.data(); }
    double* residual_of(size_t k) { return residual.data() + k * n_; }
    const double* residual_of(size_t k) const { return residual.data() + k * n_; }
    double& beta_of(size_t e) { return beta[size_t(owner_[e]) * p_ + size_t(column_[e])]; }

    /// The pairs (K, p) in use, or likely to be at a strength near by.
    std::vector<uint8_t> pairs_soon(double alpha) const {
        std::vector<uint8_t> out(K_ * p_);
        for (size_t k = 0; k < K_; ++k)
            for (size_t j = 0; j < p_; ++j)
                out[k * p_ + j] = beta[k * p_ + j] != 0.0 ||
                                  std::abs(columns_.gradient(j, residual_of(k))) > 0.95 * alpha * penalty_.l1[j];
        return out;
    }

    /// Weights, probabilities and the Hessian of some pairs, without scales: blocks of a class diag(P), less the product of all.
    std::shared_ptr<const MultinomialReference> reference_of(const std::vector<uint8_t>& held, const RunTasks& run) const {
        auto reference = std::make_shared<MultinomialReference>();
        reference->w.assign(weights_.w.begin(), weights_.w.end());
        reference->prob = prob;
        reference->held = held;
        const size_t stride = K_ * (p_ + 1);
        reference->hessian.assign(stride * stride, 0.0);
        std::vector<size_t> place;                   // in the Hessian, class after class
        std::vector<size_t> class_begin(K_ + 1, 0);  // where each class begins in `place`
        for (size_t k = 0; k < K_; ++k) {
            if (has_intercept_) place.push_back(k * (p_ + 1));
            for (size_t j = 0; j < p_; ++j)
                if (held[k * p_ + j]) place.push_back(k * (p_ + 1) + 1 + j);
            class_begin[k + 1] = place.size();
        }
        const auto column_of = [&](size_t slot, size_t first, size_t m, double* out) {
            if (slot % (p_ + 1) == 0)
                std::fill_n(out, m, 1.0);
            else
                columns_.copy(slot % (p_ + 1) - 1, first, m, out);
        };
        const auto all = weighted_gram(place.size(), n_, w(), run, [&](size_t a, size_t first, size_t m, double* out) {
            column_of(place[a], first, m, out);
            const double* p = prob.data() + place[a] / (p_ + 1) * n_ + first;
            for (size_t i = 0; i < m; ++i) out[i] *= p[i];
        });
        for (size_t a = 0; a < place.size(); ++a)
            for (size_t b = 0; b < place.size(); ++b) reference->hessian[place[a] * stride + place[b]] = -all[a * place.size() + b];
        std::vector<double> v(n_);
        for (size_t k = 0; k < K_; ++k) {
            const size_t begin = class_begin[k], size = class_begin[k + 1] - begin;
            for (size_t i = 0; i < n_; ++i) v[i] = w()[i] * (prob[k * n_ + i] + kLeast);
            const auto own = weighted_gram(size, n_, v.data(), run, [&](size_t a, size_t first, size_t m, double* out) {
                column_of(place[begin + a], first, m, out);
            });
            for (size_t a = 0; a < size; ++a)
                for (size_t b = 0; b < size; ++b)
                    reference->hessian[place[begin + a] * stride + place[begin + b]] += own[a * size + b];
        }
        return reference;
    }

    std::shared_ptr<const MultinomialReference> own_reference() const {
        auto reference = std::make_shared<MultinomialReference>();
        reference->w.assign(weights_.w.begin(), weights_.w.end());
        reference->prob = prob;
        return reference;
    }

    /// The pairs a path goes on with: those in use (groups whole) and those without l1.
    void start_working_set() {
        owner_.clear();
        column_.clear();
        std::fill(inside_.begin(), inside_.end(), uint8_t(0));
        for (size_t k = 0; k < K_; ++k) {
            if (!present[k]) continue;
            uint8_t* inside = inside_.data() + k * p_;
            for (size_t j = 0; j < p_; ++j)
                inside[j] = columns_.inverse[j] > 0.0 && (beta[k * p_ + j] != 0.0 || penalty_.l1[j] == 0.0);
            for (size_t j = 0; penalty_.has_groups() && j < p_; j = size_t(penalty_.ends[j])) {
                const bool is_used = std::any_of(inside + j, inside + penalty_.ends[j], [](uint8_t one) { return one != 0; });
                if (is_used) std::fill(inside + j, inside + penalty_.ends[j], uint8_t(1));
            }
            for (size_t j = 0; j < p_; ++j) {
                if (!inside[j]) continue;
                owner_.push_back(int64_t(k));
                column_.push_back(int64_t(j));
            }
        }
        gradient_.assign(owner_.size(), 0.0);
        n_built_ = 0;
    }

    /// Where the column or group of pair e ends.
    size_t end_of(size_t e) const {
        return penalty_.has_groups() ? e + size_t(penalty_.ends[column_[e]] - column_[e]) : e + 1;
    }

    /// Let pairs that are not in use leave the working set and its Hessian, where they are many.
    void drop_unused() {
        const size_t m = owner_.size();
        size_t least = K_ + m;
        for (size_t e = 0; e < m; ++e) least -= beta_of(e) == 0.0;
        if (double(m) <= 32 + 1.5 * double(least)) return;
        factor_.size = 0;
        std::vector<size_t> stays(K_);
        for (size_t k = 0; k < K_; ++k) stays[k] = k;
        for (size_t e = 0; e < m;) {
            const size_t end = end_of(e);
            bool is_used = false;
            for (size_t f = e; f < end; ++f) is_used = is_used || beta_of(f) != 0.0 || penalty_.l1[column_[f]] == 0.0;
            for (size_t f = e; f < end; ++f) {
                inside_[size_t(owner_[f]) * p_ + size_t(column_[f])] = is_used;
                if (is_used) stays.push_back(K_ + f);
            }
            e = end;
        }
        size_t n_left = 0;
        for (size_t e = 0; e < stays.size(); ++e)
            if (stays[e] < K_ + n_built_) n_left = e + 1;
        if (n_built_ > 0)
            for (size_t e = 0; e < n_left; ++e)
                for (size_t f = 0; f <= e; ++f) H_[e * room_ + f] = H_[f * room_ + e] = H_[stays[e] * room_ + stays[f]];
        for (size_t e = K_; e < stays.size(); ++e) {
            owner_[e - K_] = owner_[stays[e] - K_];
            column_[e - K_] = column_[stays[e] - K_];
        }
        owner_.resize(stays.size() - K_);
        column_.resize(stays.size() - K_);
        gradient_.resize(stays.size() - K_);
        n_built_ = n_built_ > 0 && n_left > K_ ? n_left - K_ : 0;
    }

    /// Quadratics at one strength until its duality gap is closed; returns the gap.
    double solve_at(double alpha, Goal goal) {
        alpha_ = alpha;
        double gap = kInfinity, tolerance = 0.1 * goal.gap;
        int more = 0;
        for (int step = 0; step < kQuadratics && !is_stopped(); ++step) {
            find_violators();
            const double before = gap;
            gap = duality_gap(goal.gap, step > 0);
            if (goal.is_reached(gap, before)) {
                if (goal.enough == 0.0 || more == kMoreSteps) break;
                ++more;
                renew();
            }
            // nearly dependent columns: a sweep gains little far from the optimum, so the tolerance is lowered
            tolerance = tolerance_ =
                std::max(1e-26, gap > 0.5 * before ? 0.1 * tolerance : std::min(tolerance, 0.01 * std::abs(gap)));
            const size_t n_before = owner_.size();
            admit();
            const size_t m = owner_.size();
            if (m > max_hessian_ && !penalty_.has_groups()) {
                by_residuals();
                n_built_ = factor_.size = 0;
                continue;
            }
            if (m > n_before) {
                factor_.size = 0;
            } else if (step > 1 && gap > 0.3 * before) {
                // the first gap of a strength tells nothing: the residuals, all shrunk alike, are nearly dual feasible
                renew();
            }
            if (room_ < K_ + m) grow(K_ + 2 * m);
            if (n_built_ < m || n_built_ == 0) {  // without pairs there are the intercepts
                extend_hessian();
                n_built_ = m;
            }
            by_hessian();
        }
        return gap;
    }

    /// The fit as it is now becomes the reference; the Hessian is to be computed again.
    void renew() {
        n_built_ = 0;
        reference_ = own_reference();
        factor_.size = 0;
        is_own_ = true;
    }

    /// Gradients of the working set, and the pairs outside whose gradient is beyond its limit.
    void find_violators() {
        for (size_t e = 0; e < owner_.size(); ++e)
            gradient_[e] = columns_.gradient(size_t(column_[e]), residual_of(size_t(owner_[e])));
        for (size_t k = 0; k < K_; ++k) {
            found_[k].clear();
            if (!present[k]) continue;
            const uint8_t* inside = inside_.data() + k * p_;
            if (!penalty_.has_groups())
                screening_[k].find(columns_, weights_.inverse.data(), residual_of(k), limits_.data(), inside, found_[k]);
            else
                find_groups(columns_, penalty_, residual_of(k), limits_.data(), inside, found_[k]);
        }
    }

    /// Let the violators enter: all groups, or the pairs furthest beyond their limits when they are many.
    void admit() {
        for (size_t k = 0; k < K_; ++k) {
            if (!penalty_.has_groups()) found_[k].keep_worst(limits_.data(), std::max(8 + 64 / K_, owner_.size() / K_));
            for (size_t c = 0; c < found_[k].size(); ++c) {
                owner_.push_back(int64_t(k));
                column_.push_back(found_[k].column[c]);
                gradient_.push_back(found_[k].gradient[c]);
                inside_[k * p_ + size_t(found_[k].column[c])] = 1;
            }
        }
    }

    /// The residuals shrunk until the gradient of no pair is beyond its penalty. Where a bound without logarithms is within the
    /// goal, that bound; infinity where is_exact is false and it is not. A free column counts with the gain that a Newton step would
    /// still bring: its gradient is 0 at the dual point.
    double duality_gap(double goal, bool is_exact) const {
        DualTerms dual;
        for (size_t e = 0; e < owner_.size();) {
            const size_t k = size_t(owner_[e]), size = end_of(e) - e;
            penalty_.add_dual(beta.data() + k * p_, {column_.data() + e, size}, gradient_.data() + e, alpha_, dual);
            e += size;
        }
        for (size_t k = 0; k < K_; ++k)
            penalty_.add_dual(beta.data() + k * p_, found_[k].column, found_[k].gradient.data(), alpha_, dual);
        const double value = mean_loss + penalty_value() + dual.conjugate + dual.scale * dual.free_dot;
        const double fitted_dot_residual = dot(residual.data(), eta.data(), K_ * n_);
        // the conjugate at the residuals themselves needs no logarithm; it is convex, and 0 at 0
        double conjugate = -dual.scale * (mean_loss + fitted_dot_residual), curvature = 0.0;
        if (dual.free_square == 0.0 && !is_exact && value + conjugate > goal) return kInfinity;
        if (dual.scale < 1.0 && (value + conjugate > goal || dual.free_square > 0.0)) {
            conjugate = 0.0;
            for (size_t k = 0; k < K_; ++k)
                conjugate += class_conjugate(w(), y_.data(), int64_t(k), prob.data() + k * n_, dual.scale, n_);
        }
        if (dual.free_square > 0.0)
            for (size_t k = 0; k < K_; ++k) curvature += class_curvature(w(), prob.data() + k * n_, n_);
        return value + conjugate + 0.5 * dual.free_square * double(K_) / std::max(curvature, 1e-300);
    }

    /// alpha * sum (l1 |beta| + 1/2 l2 beta^2) over the working set.
    double penalty_value() const {
        double total = 0.0;
        for (size_t e = 0; e < owner_.size();) {
            const size_t size = end_of(e) - e;
            total += penalty_.value(beta.data() + size_t(owner_[e]) * p_, {column_.data() + e, size}, alpha_);
            e += size;
        }
        return total;
    }

    /// Minimise one quadratic on the working set by its Hessian, then a line search.
    void by_hessian() {
        const size_t m = owner_.size(), size = K_ + m;
        std::vector<double> q(size, 0.0), before(size, 0.0), l1(size, 0.0), l2(size, 0.0);
        for (size_t k = 0; k < K_; ++k) {
            q[k] = has_intercept_ && present[k] ? sum(residual_of(k), n_) : 0.0;
            l2[k] = present[k] ? 1e-6 * H_[k * room_ + k] : 1.0;  // adding a number to all intercepts changes nothing
        }
        for (size_t e = 0; e < m; ++e) {
            q[K_ + e] = gradient_[e];
            before[K_ + e] = beta_of(e);
            l1[K_ + e] = alpha_ * penalty_.l1[column_[e]];
            l2[K_ + e] = alpha_ * penalty_.l2[column_[e]];
        }
        std::vector<double> now = before;
        const Quadratic model{{H_.data(), room_, room_}, size, q.data(), now.data(), l1.data(), l2.data()};
        if (penalty_.has_groups()) {
            std::vector<int64_t> starts = group_starts(column_, penalty_, int64_t(K_));
            for (size_t k = K_; k-- > 0;) starts.insert(starts.begin(), int64_t(k));  // the intercepts are groups of one
            minimise_groups(model, starts, tolerance_, kSweeps);
        } else {
            minimise(model);
        }
        Move move{{before.begin() + ptrdiff_t(K_), before.end()}, {now.begin() + ptrdiff_t(K_), now.end()},
                  std::vector<double>(K_ * n_, 0.0), {now.begin(), now.begin() + ptrdiff_t(K_)}};
        for (size_t k = 0; has_intercept_ && k < K_; ++k) std::fill_n(move.u.data() + k * n_, n_, now[k]);
        for (size_t e = 0; e < m; ++e) {
            const double d = now[K_ + e] - before[K_ + e];
            if (d != 0.0) columns_.add(size_t(column_[e]), d * columns_.inverse[column_[e]], move.u.data() + size_t(owner_[e]) * n_);
        }
        line_search(move);
    }

    /// The optimum of a quadratic with an l1 penalty, to rounding where its columns in use are not too many. While no coefficient
    /// changes sign and none at 0 violates its optimality condition, the factor of the previous step gives it by one substitution.
    void minimise(const Quadratic& model) {
        if (factor_.size > 0) {
            const std::vector<double> q(model.q, model.q + model.size), before(model.beta, model.beta + model.size);
            if (newton_step(model, factor_) && !is_violated(model)) return;
            std::copy(q.begin(), q.end(), model.q);
            std::copy(before.begin(), before.end(), model.beta);
        }
        const bool is_penalised = std::any_of(model.l1, model.l1 + model.size, [](double one) { return one > 0.0; });
        double tol = tolerance_;
        for (int attempt = 0; attempt < 4; ++attempt) {
            if (is_penalised) coordinate_descent(model, tol / std::sqrt(double(model.size)), kSweeps);
            factor_ = solve_active(model);
            if (factor_.size == 0 || !is_violated(model)) break;
            tol *= 1e-3;
        }
    }

    /// Whether the gradient of a coefficient at 0 is beyond its penalty.
    static bool is_violated(const Quadratic& m) {
        for (size_t j = 0; j < m.size; ++j)
            if (m.beta[j] == 0.0 && m.l1[j] > 0.0 && std::abs(m.q[j]) > m.l1[j] * (1.0 + 1e-9)) return true;
        return false;
    }

    /// Room for a larger working set.
    void grow(size_t room) {
        std::vector<double> wide(room * room);
        for (size_t i = 0; i < room_; ++i) std::copy_n(H_.data() + i * room_, room_, wide.data() + i * room);
        H_ = std::move(wide);
        room_ = room;
    }

    /// Let the Hessian at the probabilities of the reference hold the pairs after the first n_built_.
    void extend_hessian() {
        const size_t m = owner_.size(), stride = K_ * (p_ + 1);
        const MultinomialReference& ref = *reference_;
        const Matrix<const double> ref_prob{ref.prob.data(), K_, n_};
        const std::vector<double> ones(n_, has_intercept_ ? 1.0 : 0.0);
        std::vector<double> parts(K_ * n_), dense(columns_.is_sparse() ? n_ : 0);
        const auto column_of = [&](size_t slot) {
            if (slot == 0) return ones.data();
            if (!columns_.is_sparse()) return columns_.Z[slot - 1];
            columns_.copy(slot - 1, 0, n_, dense.data());
            return static_cast<const double*>(dense.data());
        };
        for (size_t e = n_built_ > 0 ? K_ + n_built_ : 0; e < K_ + m; ++e) {
            const Pair pair = pair_at(e);
            bool is_coupled = false;
            for (size_t f = 0; f <= e; ++f) {
                const Pair other = pair_at(f);
                double value;
                if (!ref.hessian.empty() && is_held(ref, pair) && is_held(ref, other)) {
                    value = ref.hessian[(pair.k * (p_ + 1) + pair.slot) * stride + other.k * (p_ + 1) + other.slot];
                } else {
                    if (!is_coupled)
                        couple(ref.w.data(), ref_prob, pair.k, column_of(pair.slot), kLeast, {parts.data(), K_, n_});
                    is_coupled = true;
                    const double* part = parts.data() + other.k * n_;
                    value = other.slot == 0 ? dot(part, ones.data(), n_) : columns_.dot(other.slot - 1, part);
                }
                H_[e * room_ + f] = H_[f * room_ + e] = value * pair.scale * other.scale;
            }
        }
    }

    struct Pair {
        size_t k, slot;  // class; 0 for its intercept, else 1 + column
        double scale;
    };
    Pair pair_at(size_t e) const {
        if (e < K_) return {e, 0, 1.0};
        const size_t j = size_t(column_[e - K_]);
        return {size_t(owner_[e - K_]), j + 1, columns_.inverse[j]};
    }
    bool is_held(const MultinomialReference& ref, const Pair& pair) const {
        return pair.slot == 0 || ref.held[pair.k * p_ + pair.slot - 1];
    }

    /// Minimise one quadratic on a large working set by its residuals, then a line search.
    void by_residuals() {
        sort_by_class();
        const size_t m = owner_.size();
        std::vector<double> h(K_ * n_), total(K_), curvature(m);
        Move move{std::vector<double>(m), std::vector<double>(m), std::vector<double>(K_ * n_, 0.0), std::vector<double>(K_, 0.0)};
        for (size_t k = 0; k < K_; ++k) {
            double* own = h.data() + k * n_;
            const double* p = prob.data() + k * n_;
            for (size_t i = 0; i < n_; ++i) own[i] = w()[i] * (p[i] * (1.0 - p[i]) + kLeastIterated);
            total[k] = sum(own, n_);
        }
        for (size_t e = 0; e < m; ++e) {
            const size_t j = size_t(column_[e]);
            move.before[e] = beta_of(e);
            double first, second;
            columns_.moments(j, h.data() + size_t(owner_[e]) * n_, first, second);
            curvature[e] = second * columns_.inverse[j] * columns_.inverse[j];
        }
        descend(h, total, curvature, move);
        for (size_t e = 0; e < m; ++e) {
            move.now[e] = beta_of(e);
            beta_of(e) = move.before[e];
        }
        line_search(move);
    }

    void sort_by_class() {
        std::vector<int64_t> owner, column;
        for (size_t k = 0; k < K_; ++k)
            for (size_t e = 0; e < owner_.size(); ++e)
                if (owner_[e] == int64_t(k)) {
                    owner.push_back(owner_[e]);
                    column.push_back(column_[e]);
                }
        owner_ = std::move(owner);
        column_ = std::move(column);
    }

    /// Sweeps over the working set, then over those in use until they settle; `move` is the step they make.
    void descend(const std::vector<double>& h, const std::vector<double>& total, const std::vector<double>& curvature, Move& move) {
        const size_t m = owner_.size();
        std::vector<double> s(n_, 0.0), g(n_), t(n_);
        bool is_full = true;
        for (size_t sweep = 0; sweep < kSweeps; ++sweep) {
            double gain = 0.0;
            size_t e = 0;
            for (size_t k = 0; k < K_; ++k) {
                double* u = move.u.data() + k * n_;
                const double* p = prob.data() + k * n_;
                step_residual(residual_of(k), p, u, s.data(), g.data(), t.data());
                for (; e < m && owner_[e] == int64_t(k); ++e) {
                    const size_t j = size_t(column_[e]);
                    double& own = beta[k * p_ + j];
                    const double l2 = alpha_ * penalty_.l2[j], stiffness = curvature[e] + l2;
                    if ((!is_full && own == 0.0) || stiffness <= 0.0) continue;
                    const double was = own;
                    own = soft_threshold(columns_.gradient(j, g.data()) + curvature[e] * was, alpha_ * penalty_.l1[j], stiffness);
                    if (own == was) continue;
                    const double d = columns_.inverse[j] * (own - was);  // residuals and step follow
                    columns_.subtract(j, d, h.data() + k * n_, g.data());
                    columns_.add(j, d, t.data());
                    gain = std::max(gain, 0.5 * stiffness * (own - was) * (own - was));
                }
                const double d = has_intercept_ && present[k] ? sum(g.data(), n_) / total[k] : 0.0;
                move.shift[k] += d;
                gain = std::max(gain, 0.5 * total[k] * d * d);
                for (size_t i = 0; i < n_; ++i) {
                    u[i] += t[i] + d;
                    s[i] += p[i] * (t[i] + d);
                }
            }
            if (gain * double(m) <= tolerance_) {
                if (is_full) break;
                is_full = true;
            } else {
                is_full = false;
            }
        }
    }

    /// The residuals of one class after the step so far; t, what is added to the step, begins at 0.
    void step_residual(const double* r, const double* p, const double* u, const double* s, double* g, double* t) const {
        for (size_t i = 0; i < n_; ++i) {
            t[i] = 0.0;
            g[i] = r[i] - w()[i] * (p[i] * (u[i] - s[i]) + kLeastIterated * u[i]);
        }
    }

    /// Make a move, halved until the objective falls; then the intercepts are made optimal.
    void line_search(const Move& move) {
        const std::vector<double> start = eta;
        std::vector<double> totals(K_);
        const double objective = mean_loss + penalty_value();
        double length = 1.0;
        for (int half = 0; half < 30; ++half) {
            for (size_t e = 0; e < owner_.size(); ++e) beta_of(e) = move.before[e] + length * (move.now[e] - move.before[e]);
            for (size_t i = 0; i < K_ * n_; ++i) eta[i] = start[i] + length * move.u[i];
            mean_loss = refresh(totals.data());
            if (mean_loss + penalty_value() <= objective + 1e-14 * std::abs(objective)) break;
            length *= 0.5;
        }
        for (size_t k = 0; k < K_; ++k) intercept[k] += length * move.shift[k];
        if (has_intercept_) optimise_intercepts(totals);
    }

    /// Newton steps for the intercepts alone: the dual point needs residuals of every class that sum to zero.
    void optimise_intercepts(std::vector<double>& totals) {
        ActiveFactor factor;
        for (size_t k = 0; k < K_; ++k)
            if (present[k]) factor.used.push_back(int64_t(k));
        const size_t count = factor.size = factor.used.size();
        const std::vector<double> none(K_, 0.0);
        std::vector<double> H(K_ * K_), gradient(count);
        double was = kInfinity;
        for (int step = 0; step < 50; ++step) {
            double largest = 0.0;
            for (size_t c = 0; c < count; ++c) {
                gradient[c] = totals[factor.used[c]];
                largest = std::max(largest, std::abs(gradient[c]));
            }
            if (largest < std::max(1e-15, 1e-4 * tolerance_) || (largest > 0.5 * was && was < 1e-10)) return;
            was = largest;
            for (size_t k = 0; k < K_; ++k) {
                const double* own = prob.data() + k * n_;
                for (size_t c = 0; c <= k; ++c) H[k * K_ + c] = H[c * K_ + k] = -weighted_dot(w(), own, prob.data() + c * n_, n_);
                H[k * K_ + k] += dot(w(), own, n_);
            }
            const Matrix<const double> hessian{H.data(), K_, K_};
            if (!factorise(hessian, none.data(), factor)) return;
            const std::vector<double> d = refined_solution(hessian, factor, none.data(), gradient);
            double mean = 0.0;
            for (const double one : d) mean += one;
            mean /= double(count);
            for (size_t c = 0; c < count; ++c) {
                const size_t k = size_t(factor.used[c]);
                const double move = std::clamp(d[c] - mean, -2.0, 2.0);
                intercept[k] += move;
                for (size_t i = 0; i < n_; ++i) eta[k * n_ + i] += move;
            }
            mean_loss = refresh(totals.data());
        }
    }
};

}  // namespace tamis
