#pragma once
// Backward elimination of curves: which columns an additive model loses least by leaving out.
#include <cmath>
#include <vector>

#include "../cholesky.hpp"
#include "boosting.hpp"

namespace tamis::additive {

/// Held-out loss of sum_j c_j f_j as a quadratic in the factors c: 0.5 c'Ac - b'c.
///
/// Every curve keeps its shape and gets one factor. Leaving out one of two copies then costs nothing, because the other's factor
/// doubles. A = sum h f f' and b = sum f (h F - g) run over bags and their held-out rows, with f about its mean in the bag.
struct FactorLoss {
    std::vector<double> A;  // (terms, terms)
    std::vector<double> b;  // (terms)
};

inline constexpr size_t MAX_ELIMINATION_ROWS = 20'000;  // held-out rows of all bags; more cost time and change nothing
inline constexpr double FACTOR_RIDGE = 0.005;           // of A's diagonal: draws factors to 1; 0.05 and 0.3 choose worse columns

inline FactorLoss factor_loss(const Boosting& boosting, const Rows& rows, std::span<const size_t> terms) {
    const size_t n_terms = terms.size(), n_sums = rows.target.n_sums;
    FactorLoss loss{std::vector<double>(n_terms * n_terms, 0.0), std::vector<double>(n_terms, 0.0)};
    std::vector<double> F(n_sums), g(n_sums), h(n_sums), f(n_terms), center(n_terms * n_sums);
    const size_t max_rows = std::max<size_t>(1, MAX_ELIMINATION_ROWS / boosting.bags().size());
    for (size_t b = 0; b < boosting.bags().size(); ++b) {
        const Bag& bag = boosting.bags()[b];
        const size_t n_used = std::min(max_rows, bag.held_out.size());
        center.assign(n_terms * n_sums, 0.0);
        for (size_t t = 0; t < n_terms; ++t) {
            const Term& term = boosting.terms()[terms[t]];
            const double *heights = bag.best_of(terms[t]), *counts = bag.counts.data() + term.first;
            if (!heights) continue;
            double total = 0.0;
            for (size_t cell = 0; cell < term.n_cells; ++cell) {
                total += counts[cell];
                for (size_t k = 0; k < n_sums; ++k) center[t * n_sums + k] += counts[cell] * heights[cell * n_sums + k];
            }
            for (size_t k = 0; k < n_sums; ++k) center[t * n_sums + k] /= std::max(total, 1.0);
        }
        for (size_t r = 0; r < n_used; ++r) {
            const size_t i = bag.held_out[r];
            boosting.sums_at_best(b, i, F.data());
            differentiate_row(rows.target, F.data(), i, rows.target.weight[i], g.data(), h.data());
            for (size_t k = 0; k < n_sums; ++k) {
                double sum = 0.0;
                for (size_t t = 0; t < n_terms; ++t) {
                    const double* heights = bag.best_of(terms[t]);
                    const size_t cell = Boosting::cell(boosting.terms()[terms[t]], i);
                    sum += f[t] = heights ? heights[cell * n_sums + k] - center[t * n_sums + k] : 0.0;
                }
                const double share = rows.held_out[b][i];
                for (size_t t = 0; t < n_terms; ++t) {
                    loss.b[t] += share * f[t] * (h[k] * sum - g[k]);
                    const double weighted = share * h[k] * f[t];
                    for (size_t s = 0; s <= t; ++s) loss.A[t * n_terms + s] += weighted * f[s];
                }
            }
        }
    }
    for (size_t t = 0; t < n_terms; ++t) {
        loss.b[t] += FACTOR_RIDGE * loss.A[t * n_terms + t];
        loss.A[t * n_terms + t] *= 1.0 + FACTOR_RIDGE;
        for (size_t s = 0; s < t; ++s) loss.A[s * n_terms + t] = loss.A[t * n_terms + s];
    }
    return loss;
}

/// The terms that stay when all but max_terms are left out one by one, each time the one that costs least.
///
/// partners[m] = (s, t, worth): an interaction that is lost with either of its columns, and twice the loss it saves.
struct Interaction {
    size_t first, second;
    double worth;
};

inline std::vector<size_t> eliminate(const FactorLoss& loss, size_t max_terms, std::vector<Interaction> interactions) {
    const size_t n = loss.b.size();
    std::vector<size_t> active;
    for (size_t t = 0; t < n; ++t) {
        if (loss.A[t * n + t] > 0.0) active.push_back(t);
    }
    while (active.size() > max_terms) {
        const size_t k = active.size();
        std::vector<double> factor(k * k), inverse(k * k), c(k);
        for (size_t s = 0; s < k; ++s) {
            c[s] = loss.b[active[s]];
            for (size_t t = 0; t < k; ++t) factor[s * k + t] = loss.A[active[s] * n + active[t]];
        }
        Matrix<double> L{factor.data(), k, k}, inverted{inverse.data(), k, k};
        cholesky_factor(L, k);
        cholesky_solve({factor.data(), k, k}, k, c.data());
        cholesky_invert(L, k, inverted);
        // several at once while far too many are left: a twentieth of those to go
        const size_t n_leaving = std::max<size_t>(1, (k - max_terms) / 20);
        std::vector<std::pair<double, size_t>> costs;
        for (size_t s = 0; s < k; ++s) {
            double cost = c[s] > 0.0 ? c[s] * c[s] / inverse[s * k + s] : 0.0;  // twice the loss; a negative factor is no curve's worth
            for (const Interaction& pair : interactions) {
                if (pair.first == active[s] || pair.second == active[s]) cost += pair.worth;
            }
            costs.emplace_back(cost, s);
        }
        std::stable_sort(costs.begin(), costs.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
        std::vector<char> leaves(k, 0);
        for (size_t q = 0; q < n_leaving; ++q) {
            const size_t t = active[costs[q].second];
            leaves[costs[q].second] = 1;
            std::erase_if(interactions, [t](const Interaction& pair) { return pair.first == t || pair.second == t; });
        }
        std::vector<size_t> staying;
        for (size_t s = 0; s < k; ++s) {
            if (!leaves[s]) staying.push_back(active[s]);
        }
        active = staying;
    }
    return active;
}

}  // namespace tamis::additive
