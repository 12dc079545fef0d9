#pragma once
// Pruning by cost and complexity (Breiman et al. 1984, chapter 3), and what each pruning costs rows that were held out.
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

#include "route.hpp"

namespace tamis::cart {

/// The price of a leaf from which on each node is one; -inf at leaves of the full tree. Parents come before their children.
///
/// The node with the least (risk of t - risk of its subtree) / (leaves of its subtree - 1) is collapsed first.
inline std::vector<double> weakest_links(std::span<const int32_t> left, std::span<const int32_t> parent, std::span<const double> risk) {
    constexpr double NEVER = -std::numeric_limits<double>::infinity();
    const size_t n = left.size();
    std::vector<double> below(risk.begin(), risk.end()), leaves(n, 1.0), collapse(n, NEVER);
    std::vector<uint32_t> version(n, 0);
    std::vector<char> is_collapsed(n, 0);
    for (size_t t = n; t-- > 0;) {
        if (left[t] < 0) continue;
        const size_t child = size_t(left[t]);
        below[t] = below[child] + below[child + 1];
        leaves[t] = leaves[child] + leaves[child + 1];
    }
    using Link = std::tuple<double, size_t, uint32_t>;  // price, node, version of its subtree
    std::priority_queue<Link, std::vector<Link>, std::greater<>> heap;
    auto push = [&](size_t t) { heap.emplace((risk[t] - below[t]) / (leaves[t] - 1.0), t, version[t]); };
    for (size_t t = 0; t < n; ++t) {
        if (left[t] >= 0) push(t);
    }
    double price = NEVER;
    std::vector<size_t> stack;
    while (!heap.empty()) {
        const auto [g, t, at] = heap.top();
        heap.pop();
        if (is_collapsed[t] || version[t] != at) continue;
        price = std::max(price, g);
        collapse[t] = price;
        is_collapsed[t] = 1;
        for (stack.assign(1, t); !stack.empty();) {  // mark the descendants
            const size_t child = size_t(left[stack.back()]);
            stack.pop_back();
            for (size_t c = child; c < child + 2; ++c) {
                if (!is_collapsed[c] && left[c] >= 0) stack.push_back(c);
                is_collapsed[c] = 1;
            }
        }
        const double saved = risk[t] - below[t], lost = leaves[t] - 1.0;
        for (int32_t p = parent[t]; p >= 0; p = parent[size_t(p)]) {
            below[size_t(p)] += saved;
            leaves[size_t(p)] -= lost;
            ++version[size_t(p)];
            push(size_t(p));
        }
    }
    for (size_t t = 0; t < n; ++t) {  // a node is never collapsed after its parent, nor is it before it is reached
        if (left[t] < 0) continue;
        if (collapse[t] == NEVER) collapse[t] = collapse[size_t(parent[t])];
        else if (parent[t] >= 0) collapse[t] = std::min(collapse[t], collapse[size_t(parent[t])]);
    }
    return collapse;
}

/// The subtrees that are the best at some price of a leaf, smallest tree first; prices in units of the root's risk.
struct PruningSequence {
    std::vector<double> collapse;   // (nodes): price from which on a node is a leaf; -inf at leaves
    double scale;                   // the root's risk
    std::vector<double> alpha;      // (subtrees): the least price at which it is the best
    std::vector<int64_t> n_leaves;  // (subtrees)
    std::vector<double> risk;       // (subtrees)

    PruningSequence(std::span<const int32_t> left, std::span<const int32_t> parent, std::span<const double> node_risk)
        : collapse(weakest_links(left, parent, node_risk)), scale(node_risk[0] > 0.0 ? node_risk[0] : 1.0) {
        std::vector<size_t> inner;
        for (size_t t = 0; t < left.size(); ++t) {
            if (left[t] < 0) continue;
            collapse[t] = std::max(collapse[t] / scale, 0.0);
            inner.push_back(t);
        }
        std::stable_sort(inner.begin(), inner.end(), [&](size_t a, size_t b) { return collapse[a] < collapse[b]; });
        join_prices(inner);
        alpha.push_back(inner.empty() ? 0.0 : collapse[inner.back()]);
        n_leaves.push_back(1);
        risk.push_back(node_risk[0] / scale);
        double saved = 0.0;
        for (size_t q = inner.size(); q-- > 0;) {
            const size_t t = inner[q], child = size_t(left[t]);
            saved += node_risk[t] - node_risk[child] - node_risk[child + 1];
            const double next = q ? collapse[inner[q - 1]] : 0.0;
            if (next == collapse[t]) continue;
            alpha.push_back(next);
            n_leaves.push_back(1 + int64_t(inner.size() - q));
            risk.push_back((node_risk[0] - saved) / scale);
        }
    }

private:
    static constexpr double SAME_PRICE = 1e-10;  // prices closer than this share of the root's risk are one price

    /// Prices equal but for rounding become the lowest of them.
    void join_prices(const std::vector<size_t>& inner) {
        double last = 0.0, joined = 0.0;
        for (size_t q = 0; q < inner.size(); ++q) {
            const double price = collapse[inner[q]];
            if (q == 0 || price - last > SAME_PRICE) joined = price;
            last = price;
            collapse[inner[q]] = joined <= SAME_PRICE ? 0.0 : joined;
        }
    }
};

/// The first pruning, of prices that fall, at which each node is no longer a leaf: as many as there are prices where it always is.
inline std::vector<int32_t> first_prunings(std::span<const double> collapse, std::span<const double> prices) {
    std::vector<int32_t> until(collapse.size());
    for (size_t t = 0; t < collapse.size(); ++t) {
        const auto is_leaf = [&](double price) { return price >= collapse[t]; };
        until[t] = int32_t(std::partition_point(prices.begin(), prices.end(), is_leaf) - prices.begin());
    }
    return until;
}

/// Targets of all rows, and how wrong each node's answer is about them.
struct NodeErrors {
    std::span<const int32_t> classes;  // (rows); empty for numbers
    std::span<const double> values;    // (rows, targets); empty for classes
    std::span<const double> weight;    // (rows)
    std::span<const double> cost;      // (classes, nodes): of each node's answer, for classes
    std::span<const double> answer;    // (nodes, targets): squared distances to it count for numbers
    size_t n_nodes, n_targets;

    double of(size_t row, size_t node) const {
        if (!classes.empty()) return cost[size_t(classes[row]) * n_nodes + node];
        double sum = 0.0;
        for (size_t k = 0; k < n_targets; ++k) {
            const double off = values[row * n_targets + k] - answer[node * n_targets + k];
            sum += off * off;
        }
        return sum;
    }
};

/// Held-out rows under every pruning of a tree, from the smallest tree to the largest.
struct PruningErrors {
    std::vector<double> first, second;  // (prunings): sums of the rows' errors and of their squares
    std::vector<int32_t> node;          // (rows): the deepest node that answers for each
};

/// Sum up differences along prunings; the last one is beyond them.
inline void accumulate(std::vector<double>& differences) {
    std::partial_sum(differences.begin(), differences.end(), differences.begin());
    differences.pop_back();
}

/// A node answers up to pruning until[node]: a row is answered by the first node on its path that is a leaf. values_of(row): its values.
template <class ValuesOf>
PruningErrors errors_of_prunings(ValuesOf values_of, std::span<const int64_t> rows, const Forest& tree, std::span<const int32_t> until,
                                        size_t n_prunings, const NodeErrors& errors) {
    PruningErrors out{std::vector<double>(n_prunings + 1), std::vector<double>(n_prunings + 1), std::vector<int32_t>(rows.size())};
    for (size_t r = 0; r < rows.size(); ++r) {
        const size_t row = size_t(rows[r]);
        const double weight = errors.weight[row], *x = values_of(row);
        size_t node = 0;
        for (size_t k = 0; k < n_prunings;) {
            while (size_t(until[node]) <= k) node = size_t(tree.nodes[node].left) + goes_right(x, tree.nodes[node], tree);
            const double error = errors.of(row, node);
            out.first[k] += weight * error;
            out.second[k] += weight * error * error;
            k = size_t(until[node]);
            out.first[k] -= weight * error;
            out.second[k] -= weight * error * error;
        }
        out.node[r] = int32_t(node);
    }
    accumulate(out.first);
    accumulate(out.second);
    return out;
}

/// leaf[node]: the node that answers under one pruning for rows that come as far as `node`.
inline std::vector<int32_t> leaves_at(size_t pruning, std::span<const int32_t> parent, std::span<const int32_t> until) {
    std::vector<int32_t> leaf(parent.size());
    for (size_t node = 0; node < parent.size(); ++node) {  // parents come before their children
        const int32_t above = parent[node];
        leaf[node] = above >= 0 && size_t(until[size_t(above)]) > pruning ? leaf[size_t(above)] : int32_t(node);
    }
    return leaf;
}

/// Sums of squares of (error under each pruning - error under pruning `best`) over held-out rows; nodes: as in PruningErrors.
///
/// A node answers from the pruning at which its parent is no longer a leaf to the one at which it is none itself.
inline std::vector<double> squares_to_pruning(size_t best, size_t n_prunings, std::span<const int64_t> rows, std::span<const int32_t> nodes,
                                              std::span<const int32_t> parent, std::span<const int32_t> until, const NodeErrors& errors) {
    std::vector<double> out(n_prunings + 1);
    const std::vector<int32_t> leaf = leaves_at(best, parent, until);
    for (size_t r = 0; r < rows.size(); ++r) {
        const size_t row = size_t(rows[r]);
        const double base = errors.of(row, size_t(leaf[size_t(nodes[r])]));
        for (int32_t node = nodes[r]; node >= 0; node = parent[size_t(node)]) {
            const int32_t above = parent[size_t(node)];
            const double off = errors.of(row, size_t(node)) - base, square = errors.weight[row] * off * off;
            out[above >= 0 ? size_t(until[size_t(above)]) : 0] += square;
            out[size_t(until[size_t(node)])] -= square;
        }
    }
    accumulate(out);
    return out;
}

}  // namespace tamis::cart
