#pragma once
// Every subtree of a pruning sequence, judged on rows left out: each fold grows its own tree on its own rows and prunes it at the
// geometric mean of neighbouring prices of a leaf.
#include "fitted_tree.hpp"

namespace tamis::cart {

/// Rows that a fold's tree grows on, and those it is judged on.
struct Fold {
    std::span<const int64_t> train, test;
};

/// What a fold's tree holds besides its splits.
struct FoldNodes {
    std::span<const int32_t> parent;
    std::span<const double> value, risk;
    size_t n_values;
};

/// The held-out rows of a fold in its tree.
struct FoldErrors {
    PruningErrors errors;
    std::vector<int32_t> parent, until;  // (nodes): until: the first pruning at which a node is no longer a leaf
    std::vector<double> answer;          // (nodes, n_values)
    std::vector<double> cost;            // (classes, nodes)
    size_t n_values;
};

/// The sequence that is judged: prices between neighbouring subtrees, and what the prices are measured by.
class FoldJudge {
public:
    /// X: the values of all rows; none where they are read from the table.
    FoldJudge(const TreeTable& table, const Problem& problem, const Values& X, std::span<const double> alpha, double scale, double full_weight)
        : table_(table), problem_(problem), X_(X), betas_{std::numeric_limits<double>::infinity()}, unit_(scale / full_weight) {
        for (size_t i = 1; i < alpha.size(); ++i) betas_.push_back(std::sqrt(alpha[i] * alpha[i - 1]));
        if (problem.is_class()) {
            factor_ = problem.factors().prior;
            row_weight_ = problem.row_weight();
        }
    }

    size_t n_prunings() const { return betas_.size(); }

    FoldErrors judge(const TreeSplits& splits, const FoldNodes& nodes, const Fold& fold) const {
        const RoutedTree tree(splits);
        const PruningSequence sequence(splits.left, nodes.parent, nodes.risk);
        double train_weight = 0.0;
        for (const int64_t row : fold.train) train_weight += problem_.weight[size_t(row)];
        // a price of the whole table, for rows that are fewer: compare risks per unit of weight
        const double share = unit_ * train_weight / sequence.scale;
        std::vector<double> prices(betas_);
        for (double& price : prices) price *= share;
        FoldErrors out{};
        out.parent.assign(nodes.parent.begin(), nodes.parent.end());
        out.until = first_prunings(sequence.collapse, prices);
        out.answer = answers_of(nodes.value, nodes.n_values, problem_.is_class());
        out.n_values = nodes.n_values;
        if (problem_.is_class()) out.cost = problem_.costs.costs(nodes.value, factor_, row_weight_);
        std::vector<double> x(X_.data ? 0 : table_.n_columns());
        auto values_of = [&](size_t row) {
            if (X_.data) return X_.row(row);
            table_.read_row(row, x.data());
            return static_cast<const double*>(x.data());
        };
        out.errors = errors_of_prunings(values_of, fold.test, tree.forest(), out.until, n_prunings(), errors_of(out));
        return out;
    }

    std::vector<double> squares_to(size_t best, const FoldErrors& fold, std::span<const int64_t> test) const {
        return squares_to_pruning(best, n_prunings(), test, fold.errors.node, fold.parent, fold.until, errors_of(fold));
    }

private:
    NodeErrors errors_of(const FoldErrors& fold) const {
        return {problem_.classes, problem_.values, problem_.weight, fold.cost, fold.answer, fold.parent.size(), problem_.n_targets};
    }

    const TreeTable& table_;
    const Problem& problem_;
    Values X_;
    std::vector<double> betas_;
    double unit_, row_weight_ = 1.0;
    std::vector<double> factor_;
};

}  // namespace tamis::cart
