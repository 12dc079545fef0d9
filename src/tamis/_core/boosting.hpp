#pragma once
// Gradient boosting: rounds of gradients of all rows, then a tree for every sum, whose answers are added to it.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exponential.hpp"
#include "gradient_tree.hpp"
#include "threads.hpp"

namespace tamis {

enum class Loss { SQUARED_ERROR, LOGISTIC, MULTINOMIAL, POISSON };

inline constexpr double MAX_LOG_MEAN = 50.0;  // of counts, either way: exp of it is still a number

/// What is to be predicted.
struct BoostingTarget {
    Loss loss;
    std::span<const double> values;   // (rows): numbers or counts; 0 and 1 of two classes; the code of one of several
    std::span<const double> weight;   // (rows)
    std::span<const double> counted;  // (rows): rows that each counts for
};

// Gradients and hessians of a loss by the sums of trees F, of rows begin … end - 1. scores: (sums, rows); out: likewise.

/// ½ (F - y)²: F - y and 1.
inline void differentiate_squared_error(const BoostingTarget& target, const double* scores, size_t begin, size_t end, GradientSums* out) {
    for (size_t i = begin; i < end; ++i) {
        const double w = target.weight[i];
        out[i] = {w * (scores[i] - target.values[i]), w, target.counted[i], 0.0};
    }
}

/// -log p of the row's class, p = 1 / (1 + exp(-F)) for the second: p - y and p (1 - p).
inline void differentiate_logistic(const BoostingTarget& target, const double* scores, size_t begin, size_t end, GradientSums* out) {
    for (size_t i = begin; i < end; ++i) {
        const double w = target.weight[i], e = exp_below_0(-std::abs(scores[i]));
        const double p = (scores[i] >= 0.0 ? 1.0 : e) / (1.0 + e);
        out[i] = {w * (p - target.values[i]), w * e / ((1.0 + e) * (1.0 + e)), target.counted[i], 0.0};
    }
}

/// -log p of the row's class, p_k = exp(F_k) / sum of all: p - 1 of the row's class, p of the others, and p (1 - p).
inline void differentiate_multinomial(const BoostingTarget& target, const double* scores, size_t n_sums, size_t begin, size_t end,
                                      GradientSums* out) {
    const size_t n = target.values.size();
    for (size_t i = begin; i < end; ++i) {
        double top = scores[i], total = 0.0;
        for (size_t k = 0; k < n_sums; ++k) top = std::max(top, scores[k * n + i]);
        for (size_t k = 0; k < n_sums; ++k) {
            out[k * n + i].gradient = exp_below_0(scores[k * n + i] - top);
            total += out[k * n + i].gradient;
        }
        for (size_t k = 0; k < n_sums; ++k) {
            const double w = target.weight[i], p = out[k * n + i].gradient / total;
            out[k * n + i] = {w * (p - double(target.values[i] == double(k))), w * p * (1.0 - p), target.counted[i], 0.0};
        }
    }
}

/// exp(F) - y F, half the Poisson deviance but for a constant: exp(F) - y and exp(F).
inline void differentiate_poisson(const BoostingTarget& target, const double* scores, size_t begin, size_t end, GradientSums* out) {
    for (size_t i = begin; i < end; ++i) {
        const double w = target.weight[i], e = exp_below_0(-std::min(std::abs(scores[i]), MAX_LOG_MEAN));
        const double mean = scores[i] > 0.0 ? 1.0 / e : e;
        out[i] = {w * (mean - target.values[i]), w * mean, target.counted[i], 0.0};
    }
}

static TAMIS_WIDE void differentiate(const BoostingTarget& target, const double* scores, size_t n_sums, size_t begin, size_t end,
                                     GradientSums* out) {
    if (target.loss == Loss::SQUARED_ERROR) differentiate_squared_error(target, scores, begin, end, out);
    else if (target.loss == Loss::LOGISTIC) differentiate_logistic(target, scores, begin, end, out);
    else if (target.loss == Loss::POISSON) differentiate_poisson(target, scores, begin, end, out);
    else differentiate_multinomial(target, scores, n_sums, begin, end, out);
}

/// The trees of all rounds, those of a sum together, and what the splits of each column gained in all of them.
struct BoostedTrees {
    Trees trees;
    std::vector<int64_t> roots = {0};  // (trees + 1)
    std::vector<double> gain;          // (columns)

    /// Columns of the binned table become those of `columns`, and sets get their places among all.
    void append(const GradientTree& tree, std::span<const int64_t> columns) {
        const double before = double(trees.sets.size());
        for (Node node : tree.nodes) {
            if (!node.is_leaf()) {
                node.column = (node.column & ~COLUMN) | int32_t(columns[size_t(node.column & COLUMN)]);
                if (node.column & CATEGORY) node.threshold += node.threshold >= 0.0 ? before : -before;
            }
            trees.nodes.push_back(node);
        }
        trees.sets.insert(trees.sets.end(), tree.sets.begin(), tree.sets.end());
        roots.push_back(int64_t(trees.nodes.size()));
    }
};

/// A whole run: so many rounds, from sums that begin with `baseline`, one for each sum of trees.
///
/// The trees of a round are grown side by side, each for a sum of its own; where there is one sum, threads share the columns of its
/// large leaves. Gains are added up in the order of trees, so the result does not depend on the number of threads.
class Boosting {
public:
    Boosting(const BinnedTable& table, const BoostingTarget& target, const BoostingLimits& limits, bool sorts_rows,
             std::span<const double> baseline)
        : table_(table), target_(target), limits_(limits), sorted_(sorts_rows ? SortedRows::of(table) : SortedRows{}),
          n_sums_(baseline.size()), scores_(n_sums_ * table.n_rows), gradients_(n_sums_ * table.n_rows) {
        for (size_t k = 0; k < n_sums_; ++k) std::fill_n(scores_.begin() + ptrdiff_t(k * table.n_rows), table.n_rows, baseline[k]);
    }

    BoostedTrees run(size_t n_rounds, std::span<const int64_t> columns, size_t n_threads, Interrupt& interrupt) {
        const size_t n = table_.n_rows;
        std::vector<GradientTree> grown(n_rounds * n_sums_);
        const bool is_one = n_sums_ == 1;  // else a thread grows a tree by itself
        Team team(is_one ? n_threads : std::min(n_threads, n_sums_));
        std::vector<std::unique_ptr<GradientGrower>> growers(team.size());
        for (size_t t = 0; t < grown.size() && !interrupt.requested(); t += n_sums_) {
            differentiate(target_, scores_.data(), n_sums_, 0, n, gradients_.data());
            team.run(n_sums_, [&](size_t thread, size_t k) {
                if (!growers[thread]) growers[thread] = std::make_unique<GradientGrower>(table_, limits_, sorted_, is_one ? &team : nullptr);
                grown[t + k] = growers[thread]->grow(std::span(gradients_).subspan(k * n, n), t + k, interrupt,
                                                     std::span(scores_).subspan(k * n, n));
            });
        }
        BoostedTrees all;
        all.gain.assign(table_.n_columns(), 0.0);
        if (interrupt.requested()) return all;
        for (const GradientTree& tree : grown) {
            for (size_t j = 0; j < all.gain.size(); ++j) all.gain[j] += tree.gain[j];
        }
        for (size_t k = 0; k < n_sums_; ++k) {
            for (size_t t = k; t < grown.size(); t += n_sums_) all.append(grown[t], columns);
        }
        return all;
    }

private:
    const BinnedTable& table_;
    const BoostingTarget& target_;
    const BoostingLimits& limits_;
    const SortedRows sorted_;
    size_t n_sums_;
    std::vector<double> scores_;           // (sums, rows): sums of trees so far
    std::vector<GradientSums> gradients_;  // (sums, rows)
};

}  // namespace tamis
