#pragma once
// Classes with priors and costs of mistakes, and the risks that pruning counts (Breiman et al. 1984, section 4.4).
#include <cmath>

#include "../exponential.hpp"
#include "problem.hpp"

namespace tamis::cart {

/// Which risk the cost-complexity sequence counts: the cost of the answer, or the impurity of a probability score.
enum class PruneBy : int { ERROR, BRIER, LOG_LOSS };

struct ClassCosts {
    size_t n_classes;
    std::span<const double> loss;    // (classes, classes): cost of each (truth, answer)
    std::span<const double> priors;  // (classes); empty: as in the rows
    PruneBy prune_by;

    /// What a row of each class counts towards probabilities and towards splits.
    struct Factors {
        std::vector<double> prior, altered;
    };

    /// With class totals n_c, priors π_c and costs L: a row of class c counts π_c n / n_c towards probabilities, and π_c Σ_j L_cj (scaled to
    /// the same total) towards splits: altered priors.
    Factors factors(std::span<const double> totals) const {
        Factors out{std::vector<double>(n_classes), std::vector<double>(n_classes)};
        double weight = 0.0, all_costs = 0.0, sum = 0.0;
        for (const double total : totals) weight += total;
        for (const double cost : loss) all_costs += cost;
        for (size_t c = 0; c < n_classes; ++c) {
            double costs = 0.0;
            for (size_t a = 0; a < n_classes; ++a) costs += loss[c * n_classes + a];
            out.prior[c] = priors.empty() ? totals[c] / weight : priors[c];
            out.altered[c] = out.prior[c] * (all_costs > 0.0 ? costs : 1.0);  // a single class has no mistakes to weigh
            sum += out.altered[c];
        }
        for (size_t c = 0; c < n_classes; ++c) {
            const double share = totals[c] > 0.0 ? totals[c] / weight : 1.0;
            out.prior[c] /= share;
            out.altered[c] = std::max(out.altered[c] / sum / share, 1e-12);
        }
        return out;
    }

    /// What a node costs its training rows, from the weight of each class.
    ///
    /// Σ_c v_c (1 - p_c) is the sum of their Brier scores Σ_c (y_c - p_c)², and -Σ_c v_c log p_c that of their log losses, when the node
    /// answers with its own shares p.
    double risk(const double* value) const {
        if (prune_by == PruneBy::ERROR) return answer(value).second;
        double sum = 0.0, out = 0.0;
        for (size_t c = 0; c < n_classes; ++c) sum += value[c];
        for (size_t c = 0; c < n_classes; ++c) {
            const double share = value[c] / sum;
            if (prune_by == PruneBy::BRIER) out += value[c] * (1.0 - share);
            else if (value[c] > 0.0) out -= value[c] * natural_log(share);
        }
        return out;
    }

    /// The same of rows with these class weights, where the node answers with the shares of others.
    double risk_of_answer(const double* value, const double* other) const {
        const size_t label = answer(other).first;
        double sum = 0.0, squares = 0.0, out = 0.0;
        for (size_t c = 0; c < n_classes; ++c) sum += other[c];
        for (size_t c = 0; c < n_classes; ++c) squares += (other[c] / sum) * (other[c] / sum);
        for (size_t c = 0; c < n_classes; ++c) {
            if (value[c] == 0.0) continue;
            if (prune_by == PruneBy::ERROR) out += value[c] * loss[c * n_classes + label];
            else if (prune_by == PruneBy::BRIER) out += value[c] * (1.0 - 2.0 * other[c] / sum + squares);
            else out -= value[c] * natural_log(other[c] / sum);
        }
        return out;
    }

    /// (classes, nodes): what the answer of each node costs a row of each class that it was not grown on.
    ///
    /// value: (nodes, classes). factor: what a row of each class counts. row: what a row weighs, by which log loss smooths shares: as if a
    /// node held one more row for each class, their classes as at the root, which is smoothed by one row of each. No share is ever 0.
    std::vector<double> costs(std::span<const double> value, std::span<const double> factor, double row) const {
        const size_t n = n_classes, n_nodes = value.size() / n;
        std::vector<double> out(value.size()), root(n), share(n);
        const double more = row * double(n);
        smoothed_shares(value.data(), more, row, root);
        for (size_t k = 0; k < n_nodes; ++k) {
            const double* own = value.data() + k * n;
            double sum = 0.0, squares = 0.0;
            for (size_t c = 0; c < n; ++c) sum += own[c];
            for (size_t c = 0; c < n; ++c) {
                share[c] = prune_by == PruneBy::LOG_LOSS ? (own[c] + more * root[c]) / (sum + more) : own[c] / sum;
                squares += share[c] * share[c];
            }
            const size_t label = answer(own).first;
            for (size_t c = 0; c < n; ++c) {
                double cost = loss[c * n + label];
                if (prune_by == PruneBy::BRIER) cost = 1.0 - 2.0 * share[c] + squares;
                else if (prune_by == PruneBy::LOG_LOSS) cost = -natural_log(share[c]);
                out[c * n_nodes + k] = cost * factor[c];
            }
        }
        return out;
    }

private:
    /// The class of least cost, of equals the first one, and that cost.
    std::pair<size_t, double> answer(const double* value) const {
        size_t best = 0;
        double lowest = 0.0;
        for (size_t a = 0; a < n_classes; ++a) {
            double cost = 0.0;
            for (size_t c = 0; c < n_classes; ++c) cost += value[c] * loss[c * n_classes + a];
            if (a == 0 || cost < lowest) {
                lowest = cost;
                best = a;
            }
        }
        return {best, lowest};
    }

    static void smoothed_shares(const double* value, double more, double row, std::vector<double>& share) {
        double sum = more;
        for (size_t c = 0; c < share.size(); ++c) sum += value[c];
        for (size_t c = 0; c < share.size(); ++c) share[c] = (value[c] + row) / sum;
    }
};

}  // namespace tamis::cart
