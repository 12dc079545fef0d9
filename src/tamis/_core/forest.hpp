#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bootstrap.hpp"
#include "grow.hpp"
#include "importance.hpp"
#include "out_of_bag.hpp"
#include "threads.hpp"

namespace tamis {

/// What splits of a forest's trees are compared by.
enum class CriterionKind { GINI, ENTROPY, ORDERED, SQUARED_ERROR, STANDARD_DEVIATION, POISSON };

/// What the trees of a forest are grown on and by.
struct ForestProblem {
    BinnedTable table;
    Target target;
    CriterionKind criterion;
    Limits limits;
    Draws draws;
    bool judges;                             // rows left out are sent down, and columns measured on them
    std::span<const double> loss;            // where trees vote, the cost of each (truth, answer); else empty
    std::span<const uint32_t> population;    // where copies of a row are judged by themselves: Draws::population; else empty
};

/// Makes the trees of a forest on one thread, one after another.
class TreeMaker {
public:
    virtual ~TreeMaker() = default;
    /// The tree of two seeds, of the rows it draws and its own.
    virtual GrownTrees make(uint64_t row_seed, uint64_t tree_seed, const Interrupt& interrupt) = 0;
};

template <class NodeRows>
class TreeMakerBy : public TreeMaker {
public:
    explicit TreeMakerBy(const ForestProblem& problem)
        : problem_(problem), grower_(problem.table, problem.target, problem.limits), counts_(problem.table.n_rows) {}

    GrownTrees make(uint64_t row_seed, uint64_t tree_seed, const Interrupt& interrupt) override {
        const Target& target = problem_.target;
        problem_.draws.draw(row_seed, counts_);
        grower_.grow(counts_, tree_seed, problem_.judges, interrupt, tree_);
        GrownTrees grown;
        if (interrupt.requested()) return grown;
        grown.rows = problem_.draws.left_out(row_seed, counts_);
        grown.gain = tree_.gain;
        if (problem_.judges && !grown.rows.empty()) {
            grown.leaf.resize(grown.rows.size());
            find_leaves(grown.rows, grown.leaf.data());
            std::fill(grown.gain.begin(), grown.gain.end(), 0.0);
            out_of_bag_gain(target, grown.rows, grown.leaf, tree_.nodes, tree_.value, grower_.n_sums(), grown.gain);
        } else {
            grown.leaf.resize(grown.rows.size(), 0);
        }
        if (!problem_.population.empty()) judge_copies(row_seed, grown);
        grown.trees.width = target.n_classes ? target.n_classes : target.n_targets;
        if (!problem_.loss.empty()) vote();
        grown.trees.nodes = tree_.nodes;
        grown.trees.table = tree_.leaves;
        grown.trees.sets = tree_.sets;
        grown.ends.insert(grown.ends.end(), {int64_t(tree_.nodes.size()), int64_t(tree_.sets.size()), 0,
                                             int64_t(grown.trees.n_leaves())});
        grown.row_ends.push_back(int64_t(grown.rows.size()));
        grown.copy_ends.push_back(int64_t(grown.copies.size()));
        return grown;
    }

private:
    void find_leaves(std::span<const uint32_t> rows, int32_t* leaf) const {
        find_leaves_of_codes(problem_.table.by_row, rows, tree_.nodes, tree_.cut, problem_.table.n_values, tree_.sets, leaf);
    }

    /// A row that counts twice is two rows here, each drawn or left out by itself.
    void judge_copies(uint64_t row_seed, GrownTrees& grown) {
        const std::span population = problem_.population;
        Draws draws = problem_.draws;
        if (identity_.empty()) {
            identity_.resize(population.size());
            std::iota(identity_.begin(), identity_.end(), 0);
            copy_counts_.resize(population.size());
        }
        draws.population = identity_;
        draws.step = 1;
        draws.draw(row_seed, copy_counts_);
        grown.copies = draws.left_out(row_seed, copy_counts_);
        std::vector<uint32_t> rows(grown.copies.size());
        for (size_t i = 0; i < rows.size(); ++i) rows[i] = population[grown.copies[i]];
        grown.copy_leaf.resize(rows.size());
        find_leaves(rows, grown.copy_leaf.data());
    }

    /// Every leaf answers with its class of least expected cost; no leaf table is left.
    void vote() {
        const size_t n = problem_.target.n_classes;
        for (Node& node : tree_.nodes) {
            if (!node.is_leaf() || node.column < int32_t(n)) continue;
            const double* shares = &tree_.leaves[(size_t(node.column) - n) * n];
            double least = std::numeric_limits<double>::infinity();
            for (size_t c = 0; c < n; ++c) {
                double cost = 0.0;
                for (size_t truth = 0; truth < n; ++truth) cost += shares[truth] * problem_.loss[truth * n + c];
                if (cost < least) {
                    least = cost;
                    node.column = int32_t(c);
                }
            }
        }
        tree_.leaves.clear();
    }

    const ForestProblem& problem_;
    Grower<NodeRows> grower_;
    GrowingTree tree_;
    std::vector<int32_t> counts_, copy_counts_;
    std::vector<uint32_t> identity_;
};

inline std::unique_ptr<TreeMaker> tree_maker(const ForestProblem& problem) {
    const bool is_classes = problem.target.values.empty();
    if (problem.target.n_targets > 1 && !is_classes) return std::make_unique<TreeMakerBy<SeveralRows>>(problem);
    switch (problem.criterion) {
        case CriterionKind::ENTROPY:
            if (is_classes) return std::make_unique<TreeMakerBy<EntropyRows>>(problem);
            return std::make_unique<TreeMakerBy<FallRows<Entropy>>>(problem);
        case CriterionKind::ORDERED: return std::make_unique<TreeMakerBy<OrderedRows>>(problem);
        case CriterionKind::STANDARD_DEVIATION: return std::make_unique<TreeMakerBy<DeviationRows>>(problem);
        case CriterionKind::POISSON: return std::make_unique<TreeMakerBy<FallRows<Poisson>>>(problem);
        default:
            if (is_classes) return std::make_unique<TreeMakerBy<ClassRows>>(problem);
            return std::make_unique<TreeMakerBy<NumberRows>>(problem);
    }
}

/// A forest while it grows: its trees so far, and the sums that are kept of them. Grown in several steps it is the same as in one.
class GrowingForest {
public:
    /// judges: rows left out are judged by `costs`. n_interval_rows: of which answers are drawn, for prediction intervals.
    /// copy_costs: where copies of a row are judged by themselves.
    GrowingForest(const TargetCosts& costs, size_t n_columns, bool judges, size_t n_interval_rows, std::optional<TargetCosts> copy_costs)
        : judge(costs), gain(n_columns, 0.0), n_rows_(costs.weight.size()), judges_(judges) {
        if (n_interval_rows) drawn_answers.emplace(costs.values.first(n_interval_rows));
        if (copy_costs) copies.emplace(*copy_costs);
    }

    /// Grow one tree for each pair of seeds, of the rows it draws and its own; seeds: (trees, 2).
    void grow(const ForestProblem& problem, std::span<const int64_t> seeds, size_t n_threads,
              const std::function<bool(size_t)>& is_interrupted) {
        Interrupt interrupt;
        std::vector<std::unique_ptr<TreeMaker>> makers(std::max<size_t>(1, n_threads));
        run_in_order(
            seeds.size() / 2, n_threads, interrupt, is_interrupted,
            [&](size_t thread, size_t task) {
                if (!makers[thread]) makers[thread] = tree_maker(problem);
                return makers[thread]->make(uint64_t(seeds[2 * task]), uint64_t(seeds[2 * task + 1]), interrupt);
            },
            [&](size_t, GrownTrees grown) {
                if (grown.n_trees()) add(std::move(grown));
            });
    }

    void add(GrownTrees grown) {
        const size_t d = gain.size();
        for (size_t t = 0; t < grown.n_trees(); ++t) {
            const auto begin = size_t(grown.row_ends[t]), n = size_t(grown.row_ends[t + 1]) - begin;
            share += double(n) / double(n_rows_);
            for (size_t j = 0; j < d; ++j) gain[j] += grown.gain[t * d + j];
            if (judges_) judge.add(grown, t, std::span(grown.rows).subspan(begin, n), std::span(grown.leaf).subspan(begin, n));
            if (drawn_answers) drawn_answers->add(grown, t);
            if (copies) {
                const auto first = size_t(grown.copy_ends[t]), m = size_t(grown.copy_ends[t + 1]) - first;
                copies->add(grown, t, std::span(grown.copies).subspan(first, m), std::span(grown.copy_leaf).subspan(first, m));
            }
        }
        n_trees += grown.n_trees();
        grown.rows = grown.copies = {};
        grown.leaf = grown.copy_leaf = {};
        grown_.push_back(std::move(grown));
    }

    /// All trees in one set of arrays: columns, sets, sums and leaf tables get their places in it; ends: nodes of the trees before
    /// each. columns: the names of the binned table's columns. No tree is in memory twice, and none is left here.
    GrownTrees join(std::span<const int64_t> columns, size_t n_classes, bool has_table) {
        GrownTrees all;
        std::array<int64_t, 4> sizes{};
        for (const GrownTrees& some : grown_) {
            for (size_t q = 0; q < 4; ++q) sizes[q] += some.end(some.n_trees())[q];
        }
        if (!grown_.empty()) {
            all.trees.width = grown_[0].trees.width;
            all.sum_width = grown_[0].sum_width;
        }
        all.trees.nodes.reserve(size_t(sizes[NODES]));
        all.trees.sets.reserve(size_t(sizes[WORDS]));
        all.trees.table.reserve(size_t(sizes[LEAVES]) * all.trees.width);
        for (GrownTrees& some : grown_) {
            append(some, columns, n_classes, has_table, all);
            some = {};
        }
        grown_.clear();
        return all;
    }

    OutOfBag judge;
    std::optional<OutOfBag> copies;
    std::optional<DrawnAnswers> drawn_answers;
    std::vector<double> gain;  // (columns): sums over trees of what columns bring
    double share = 0.0;        // sum over trees of the share of rows left out
    size_t n_trees = 0;

private:
    static void append(const GrownTrees& some, std::span<const int64_t> columns, size_t n_classes, bool has_table, GrownTrees& all) {
        const std::array<int64_t, 4> before = {all.ends[all.ends.size() - 4], all.ends[all.ends.size() - 3],
                                               all.ends[all.ends.size() - 2], all.ends[all.ends.size() - 1]};
        for (size_t t = 0; t < some.n_trees(); ++t) {
            std::array<int64_t, 4> first;
            for (size_t q = 0; q < 4; ++q) first[q] = before[q] + some.end(t)[q];
            for (int64_t k = some.end(t)[NODES]; k < some.end(t + 1)[NODES]; ++k) {
                Node node = some.trees.nodes[size_t(k)];
                if (node.is_leaf()) {
                    if (has_table && node.column >= int32_t(n_classes)) node.column += int32_t(first[LEAVES]);
                } else if (node.column & OBLIQUE) {
                    node.column += int32_t(first[SUMS]);
                } else {
                    node.column = (node.column & ~COLUMN) | int32_t(columns[size_t(node.column & COLUMN)]);
                    if (node.column & CATEGORY) node.threshold += double(node.threshold >= 0.0 ? first[WORDS] : -first[WORDS]);
                }
                all.trees.nodes.push_back(node);
            }
            for (size_t q = 0; q < 4; ++q) all.ends.push_back(before[q] + some.end(t + 1)[q]);
        }
        all.trees.table.insert(all.trees.table.end(), some.trees.table.begin(), some.trees.table.end());
        all.trees.sets.insert(all.trees.sets.end(), some.trees.sets.begin(), some.trees.sets.end());
        for (const int64_t column : some.sum_column) all.sum_column.push_back(columns[size_t(column)]);
        all.sum_factor.insert(all.sum_factor.end(), some.sum_factor.begin(), some.sum_factor.end());
    }

    std::vector<GrownTrees> grown_;
    size_t n_rows_;
    bool judges_;
};

}  // namespace tamis
