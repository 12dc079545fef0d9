// A path with its folds: the fit of all rows and one per fold, a few strengths at a time, until the folds are past their best.
//
// Between two looks at the errors the fits run side by side, each on a thread; a Hessian of all rows may serve them all. What comes
// out does not depend on the number of threads.
#pragma once
#include <vector>

#include "path_fit.hpp"

namespace tamis {

/// What the first fit of a path (all rows) and the folds are judged by.
struct FoldRows {
    std::span<const int64_t> test;   // rows held out
    std::span<const double> share;   // their weights, of sum 1
};

/// When a path ends before its last strength; `always` 0: never.
struct PathEnd {
    size_t always = 0;         // strengths that are followed in any case
    size_t patience = 0;       // strengths without a better mean error after which it ends
    double saturated = -1.0;   // loss of all rows below which it ends
    bool is_after_stretch = false;  // whether it ends only after a whole stretch
};

/// Models of one fold at some strengths: coefficients other than 0 by their position, or linear predictors of the held-out rows.
struct HeldOut {
    bool is_model = false;
    size_t n_models = 0;
    std::vector<int64_t> position;   // in (models, columns, outputs)
    std::vector<double> value;       // coefficients
    std::vector<double> intercept;   // (models, intercepts)
    std::vector<double> predictor;   // (models, test rows, outputs)
};

class PathOverFolds {
   public:
    std::vector<double> coef;     // (strengths, p * outputs + intercepts) of all rows
    std::vector<double> errors;   // (strengths, folds)
    std::vector<double> gaps;     // (fits) the largest
    std::vector<std::vector<HeldOut>> held_out;  // per fold, stretch after stretch
    size_t n_strengths = 0, n_folds = 0;

    /// fits: of all rows first. weights: of all rows. goals, factors: per fit, the gap to reach, and what its loss is multiplied by.
    /// keeps_models: 0 nothing, 1 coefficients or linear predictors of the folds, 2 coefficients.
    void run(std::span<PathFit* const> fits, std::span<const double> alphas, size_t n_columns, std::span<const double> weights,
             std::span<const FoldRows> folds, std::span<const double> goals, std::span<const double> factors, PathEnd end,
             size_t keeps_models, size_t n_threads, const std::function<bool(size_t)>& is_interrupted) {
        const size_t n = weights.size(), K = fits[0]->n_outputs, F = folds.size();
        const size_t width = n_columns * K + fits[0]->n_intercepts, length = n * K + fits[0]->n_tail;
        const size_t at_once = fits[0]->shares() ? 3 : 5;
        const bool is_brief = double(n) * double(n_columns) * double(K) < 1e5;
        std::vector<int64_t> rows(n);
        for (size_t i = 0; i < n; ++i) rows[i] = int64_t(i);
        gaps.assign(fits.size(), 0.0);
        held_out.assign(F, {});
        n_folds = F;
        Interrupt interrupt;
        for (PathFit* fit : fits) fit->interrupt = &interrupt;
        const Detach detach{fits};
        const RunTasks run_tasks = [&](size_t n_tasks, const std::function<void(size_t)>& body) {
            if (is_brief || n_tasks == 0) {
                for (size_t task = 0; task < n_tasks; ++task) body(task);
                return;
            }
            struct Nothing {};
            auto work = [&](size_t, size_t task) {
                body(task);
                return Nothing{};
            };
            run_in_order(n_tasks, n_threads, interrupt, is_interrupted, work, [](size_t, Nothing) {});
        };
        std::vector<Stretch> stretch(fits.size());
        std::vector<double> losses;
        for (size_t start = 0; start < alphas.size(); start += at_once) {
            const std::span<const double> now = alphas.subspan(start, std::min(at_once, alphas.size() - start));
            fits[0]->share_hessian(fits, now.back(), run_tasks);
            errors.resize((start + now.size()) * F);
            run_tasks(fits.size(), [&](size_t f) {
                Stretch& one = stretch[f];
                one.resize(now.size(), width, length);
                fits[f]->solve(now, {goals[f], 0.0}, one.out(width, length));
                if (f == 0) return;
                for (size_t a = 0; a < now.size(); ++a)
                    errors[(start + a) * F + f - 1] =
                        factors[f] * fits[f]->loss_of(one.eta.data() + a * length, folds[f - 1].test, folds[f - 1].share);
                if (keeps_models > 0)
                    held_out[f - 1].push_back(keep(one, now.size(), n_columns, *fits[f], folds[f - 1].test, keeps_models > 1));
            });
            if (is_brief && is_interrupted(start)) throw Interrupted{};
            coef.insert(coef.end(), stretch[0].coef.begin(), stretch[0].coef.end());
            for (size_t a = 0; a < now.size(); ++a)
                losses.push_back(factors[0] * fits[0]->loss_of(stretch[0].eta.data() + a * length, rows, weights));
            for (size_t f = 0; f < fits.size(); ++f) gaps[f] = std::max(gaps[f], *std::max_element(stretch[f].gap.begin(), stretch[f].gap.end()));
            n_strengths = ends_at(end, start, losses, F);
            if (n_strengths < losses.size() || is_ended_) break;
        }
        coef.resize(n_strengths * width);
        errors.resize(n_strengths * F);
    }

   private:
    struct Stretch {
        std::vector<double> coef, eta, gap;
        void resize(size_t m, size_t width, size_t n) {
            coef.resize(m * width);
            eta.resize(m * n);
            gap.resize(m);
        }
        PathOut out(size_t width, size_t n) { return {{coef.data(), gap.size(), width}, {eta.data(), gap.size(), n}, gap}; }
    };
    /// Fits outlive a call, the interrupt does not.
    struct Detach {
        std::span<PathFit* const> fits;
        ~Detach() {
            for (PathFit* fit : fits) fit->interrupt = nullptr;
        }
    };

    bool is_ended_ = false;

    /// How many strengths make the path so far; is_ended_ where no more follow.
    size_t ends_at(const PathEnd& end, size_t start, const std::vector<double>& losses, size_t F) {
        const size_t n = losses.size();
        if (end.always == 0) return n;
        for (size_t count = end.is_after_stretch ? n : start + 1; count <= n; ++count) {
            if (losses[count - 1] < end.saturated || (F > 0 && is_past_its_best(end, count, F))) {
                is_ended_ = true;
                return count;
            }
        }
        return n;
    }

    /// After `always` strengths, when the folds do worse than with no column, or have not done better for `patience` strengths.
    bool is_past_its_best(const PathEnd& end, size_t count, size_t F) const {
        if (count < end.always) return false;
        double first = 0.0, last = 0.0, least = kInfinity;
        size_t best = 0;
        for (size_t a = 0; a < count; ++a) {
            double mean = 0.0;
            for (size_t f = 0; f < F; ++f) mean += errors[a * F + f];
            mean /= double(F);
            if (a == 0) first = mean;
            last = mean;
            if (mean < least) {
                least = mean;
                best = a;
            }
        }
        return last > first || count - 1 - best >= end.patience;
    }

    /// Whichever is less, unless it must be a model: coefficients other than 0, or linear predictors of the rows held out.
    static HeldOut keep(const Stretch& one, size_t m, size_t p, const PathFit& fit, std::span<const int64_t> test, bool is_model) {
        HeldOut out;
        out.n_models = m;
        const size_t K = fit.n_outputs, width = p * K + fit.n_intercepts, length = one.eta.size() / m;
        size_t n_used = 0;
        for (size_t a = 0; a < m; ++a)
            for (size_t c = 0; c < p * K; ++c) n_used += one.coef[a * width + c] != 0.0;
        out.is_model = is_model || 2 * (n_used / (m * K)) < test.size();
        for (size_t a = 0; a < m; ++a) {
            out.intercept.insert(out.intercept.end(), one.coef.begin() + ptrdiff_t(a * width + p * K),
                                 one.coef.begin() + ptrdiff_t((a + 1) * width));
            for (size_t c = 0; out.is_model && c < p * K; ++c) {
                if (one.coef[a * width + c] == 0.0) continue;
                out.position.push_back(int64_t(a * p * K + c));
                out.value.push_back(one.coef[a * width + c]);
            }
            if (out.is_model) continue;
            for (const int64_t i : test)
                for (size_t k = 0; k < K; ++k) out.predictor.push_back(one.eta[a * length + size_t(i) * K + k]);
        }
        return out;
    }
};

}  // namespace tamis
