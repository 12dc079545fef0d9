#pragma once
// A tree as plain arrays: what it takes to send rows down, to print, to prune and to save it.
#include "class_costs.hpp"
#include "grow.hpp"
#include "prune.hpp"
#include "route.hpp"

namespace tamis::cart {

/// The arrays of tamis.tree.tree.Tree, and the leaf of each row it grew on.
struct TreeArrays {
    std::vector<int32_t> feature, left, parent, depth, n_levels, n_surrogates;
    std::vector<double> threshold;
    std::vector<uint8_t> side;
    std::vector<int64_t> first_level, first_surrogate, n_rows;
    std::vector<int64_t> level;      // (levels, 2)
    std::vector<double> coefficient;  // (levels): all 0
    std::vector<int64_t> surrogate;  // (surrogates, 4)
    std::vector<double> surrogate_threshold, agreement;  // agreement: (surrogates, 2)
    std::vector<double> weight, impurity, improvement, risk;
    std::vector<double> value;  // (nodes, n_values): weight of each class, or the answers
    size_t n_values = 1;
    std::vector<int64_t> leaf;  // (rows it grew on), where asked for
    std::vector<double> share;  // see GrownTree

    size_t n_nodes() const { return feature.size(); }

    TreeSplits splits() const {
        return {feature, threshold, left, side, coefficient,
                {first_level, n_levels, level, first_surrogate, n_surrogates, surrogate, surrogate_threshold}};
    }

    TreeArrays(const TreeTable& table, const GrownTree& tree, bool is_class)
        : n_values(tree.n_stats - !is_class), share(tree.share) {
        for (size_t k = 0; k < tree.nodes.size(); ++k) {
            const TreeNode& node = tree.nodes[k];
            feature.push_back(node.feature);
            left.push_back(node.left);
            parent.push_back(node.parent);
            depth.push_back(node.depth);
            const bool has_cut = node.feature >= 0 && node.cut >= 0;
            threshold.push_back(has_cut ? table.threshold(size_t(node.feature), node.cut, node.upper) : 0.0);
            side.push_back(node.side);
            first_level.push_back(add_levels(node.levels));
            n_levels.push_back(int32_t(node.levels.size()));
            first_surrogate.push_back(int64_t(surrogate_threshold.size()));
            n_surrogates.push_back(int32_t(node.surrogates.size()));
            for (const Surrogate& other : node.surrogates) add_surrogate(table, other);
            n_rows.push_back(int64_t(node.n_rows()));
            weight.push_back(node.weight);
            impurity.push_back(node.impurity);
            improvement.push_back(node.improvement);
            risk.push_back(node.risk);
            const auto own = tree.stats.begin() + ptrdiff_t(k * tree.n_stats);
            value.insert(value.end(), own + !is_class, own + ptrdiff_t(tree.n_stats));
        }
    }

    /// The leaf of each of the rows that the tree grew on.
    void find_leaves(const TreeTable& table, const GrownTree& tree, std::span<const int64_t> rows) {
        std::vector<int32_t> leaf_of(table.n_rows);
        for (size_t k = 0; k < tree.nodes.size(); ++k) {
            const TreeNode& node = tree.nodes[k];
            for (size_t i = node.begin; node.left < 0 && i < node.end; ++i) leaf_of[tree.rows[i]] = int32_t(k);
        }
        for (const int64_t row : rows) leaf.push_back(leaf_of[size_t(row)]);
    }

private:
    int64_t add_levels(std::span<const LevelSide> levels) {
        const int64_t first = int64_t(coefficient.size());
        for (const LevelSide& own : levels) {
            level.push_back(own.level);
            level.push_back(own.side);
            coefficient.push_back(0.0);
        }
        return first;
    }

    void add_surrogate(const TreeTable& table, const Surrogate& other) {
        const int64_t first = add_levels(other.levels);
        surrogate.insert(surrogate.end(), {other.column, int64_t(other.flip), first, int64_t(other.levels.size())});
        surrogate_threshold.push_back(other.cut >= 0 ? table.threshold(size_t(other.column), other.cut, other.upper) : 0.0);
        agreement.push_back(other.agreement);
        agreement.push_back(other.adjusted);
    }
};

/// What is to be predicted, and what mistakes cost: trees grow on any of its rows.
struct Problem {
    Kind kind;
    std::span<const int32_t> classes;  // (rows); empty for numbers
    std::span<const double> values;    // (rows, targets); empty for classes
    size_t n_targets;
    std::span<const double> weight;  // (rows): the user's
    ClassCosts costs;

    bool is_class() const { return cart::is_class(kind); }

    ClassCosts::Factors factors(std::span<const int64_t> rows) const {
        std::vector<double> totals(costs.n_classes, 0.0);
        for (const int64_t row : rows) totals[size_t(classes[size_t(row)])] += weight[size_t(row)];
        return costs.factors(totals);
    }
    ClassCosts::Factors factors() const {
        std::vector<int64_t> rows(weight.size());
        std::iota(rows.begin(), rows.end(), 0);
        return factors(rows);
    }

    /// What a row weighs: 1, as weights count rows, or less where weights are shares.
    double row_weight() const {
        double sum = 0.0, n = 0.0;
        for (const double w : weight) {
            if (w > 0.0) {
                sum += w;
                n += 1.0;
            }
        }
        return std::min(1.0, sum / n);
    }
};

/// A tree grown on some rows. with_leaves: whether the leaf of each is asked for.
inline TreeArrays grow_tree(const TreeTable& table, const SortedColumns& sorted, const Target& target, const Limits& limits,
                            std::span<const int64_t> rows, const Interrupt& interrupt, Surrogates surrogates, bool with_leaves) {
    const GrownTree grown = TreeGrower(table, sorted, target, limits, rows, surrogates).grow(interrupt);
    TreeArrays tree(table, grown, is_class(target.kind));
    if (with_leaves) tree.find_leaves(table, grown, rows);
    return tree;
}

/// Give node k of two classes the shares that its bounds allow, at its weight.
inline void bound_shares(TreeArrays& tree, size_t k, const ClassCosts::Factors& factors, const ClassCosts& costs) {
    if (std::isnan(tree.share[k])) return;
    double* value = tree.value.data() + 2 * k;
    const double second = tree.share[k] / factors.altered[1] * factors.prior[1];
    const double first = (1.0 - tree.share[k]) / factors.altered[0] * factors.prior[0], weight = value[0] + value[1];
    const double bounded[2] = {weight * first / (first + second), weight * second / (first + second)};
    tree.risk[k] = costs.risk_of_answer(value, bounded);
    std::copy_n(bounded, 2, value);
}

/// The same of a problem; what the rows' classes weigh is learned from them alone.
inline TreeArrays fit_tree(const TreeTable& table, const SortedColumns& sorted, const Problem& problem, const Limits& limits,
                           std::span<const int64_t> rows, const Interrupt& interrupt, Surrogates surrogates, bool with_leaves) {
    if (!problem.is_class()) {
        const Target target{problem.kind, problem.n_targets + 1, {}, problem.values, problem.weight, problem.weight};
        return grow_tree(table, sorted, target, limits, rows, interrupt, surrogates, with_leaves);
    }
    const ClassCosts::Factors factors = problem.factors(rows);
    std::vector<double> weight(problem.weight.size());
    for (size_t i = 0; i < weight.size(); ++i) weight[i] = problem.weight[i] * factors.altered[size_t(problem.classes[i])];
    const Target target{problem.kind, problem.costs.n_classes, problem.classes, {}, weight, problem.weight};
    TreeArrays tree = grow_tree(table, sorted, target, limits, rows, interrupt, surrogates, with_leaves);
    const size_t n = problem.costs.n_classes;
    for (size_t k = 0; k < tree.n_nodes(); ++k) {
        double* value = tree.value.data() + k * n;
        for (size_t c = 0; c < n; ++c) value[c] = value[c] / factors.altered[c] * factors.prior[c];
        tree.risk[k] = problem.costs.risk(value);
        if (!tree.share.empty()) bound_shares(tree, k, factors, problem.costs);
    }
    return tree;
}

/// What each node answers: shares of the classes, or numbers.
inline std::vector<double> answers_of(std::span<const double> value, size_t n_values, bool is_class) {
    std::vector<double> out(value.begin(), value.end());
    for (size_t k = 0; is_class && k < out.size(); k += n_values) {
        double sum = 0.0;
        for (size_t c = 0; c < n_values; ++c) sum += out[k + c];
        for (size_t c = 0; c < n_values; ++c) out[k + c] /= sum;
    }
    return out;
}

}  // namespace tamis::cart
