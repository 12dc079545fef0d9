#pragma once
// Interactions of two columns: what a cut of both adds to the residuals beyond what either adds, against residuals without interactions.
#include <cmath>
#include <vector>

#include "../rng.hpp"
#include "boosting.hpp"

namespace tamis::additive {

inline constexpr size_t N_SHUFFLES = 19;  // p = 0.05 at best
inline constexpr double MIN_QUADRANT = 5.0;  // rows
inline constexpr double PRIOR_CURVATURE = 1.0;  // of a quadrant, with several classes: one row of an unlikely class is no interaction

/// Coarse bins of the columns that are looked at: (columns, rows), with the number of bins of each.
struct CoarseColumns {
    std::vector<std::vector<uint8_t>> bins;
    std::vector<size_t> n_bins;
};

struct PairScore {
    size_t first, second;  // columns
    double statistic;      // largest chi² of the interaction contrast over all cuts
    double score;          // statistic - 2 log(cuts): comparable between pairs
    double p_value;
};

/// Scores of pairs for several residuals at once.
///
/// A cut of both columns has four quadrants with means m = G / H of the residual. Curves of both columns fit all but the contrast
///
///     t = (m_ll - m_lh - m_hl + m_hh)^2 / (1/H_ll + 1/H_lh + 1/H_hl + 1/H_hh),
///
/// which is chi² with one degree of freedom where they do not interact. For several classes t is summed over them, and every H is larger by
/// PRIOR_CURVATURE.
class PairScorer {
public:
    PairScorer(const CoarseColumns& columns, std::span<const double> counted, size_t n_sums)
        : columns_(columns), counted_(counted), n_sums_(n_sums), prior_(n_sums > 1 ? PRIOR_CURVATURE : 0.0) {}

    /// out (lanes): the score of a pair for each lane of G (sums, rows, lanes); H (sums, rows). Returns the largest t of lane 0.
    double scores(size_t s, size_t t, const std::vector<double>& G, const std::vector<double>& H, size_t n_lanes, double* out) const {
        const size_t n = counted_.size(), n_first = columns_.n_bins[s], n_second = columns_.n_bins[t], n_cells = n_first * n_second;
        std::vector<double> rows(n_cells, 0.0), curvature(n_sums_ * n_cells, 0.0), gradient(n_sums_ * n_cells * n_lanes, 0.0);
        const uint8_t *first = columns_.bins[s].data(), *second = columns_.bins[t].data();
        for (size_t i = 0; i < n; ++i) rows[first[i] * n_second + second[i]] += counted_[i];
        for (size_t k = 0; k < n_sums_; ++k) {
            for (size_t i = 0; i < n; ++i) {
                const size_t cell = k * n_cells + first[i] * n_second + second[i];
                curvature[cell] += H[k * n + i];
                const double* from = G.data() + (k * n + i) * n_lanes;
                double* to = gradient.data() + cell * n_lanes;
                for (size_t lane = 0; lane < n_lanes; ++lane) to[lane] += from[lane];
            }
        }
        cumulate(rows.data(), 1, n_first, n_second, 1);
        cumulate(curvature.data(), n_sums_, n_first, n_second, 1);
        cumulate(gradient.data(), n_sums_, n_first, n_second, n_lanes);
        std::vector<double> best(n_lanes, 0.0), contrast(n_lanes);
        size_t n_cuts = 0;
        for (size_t a = 0; a + 1 < n_first; ++a) {
            for (size_t b = 0; b + 1 < n_second; ++b) {
                const size_t low = a * n_second + b, above = a * n_second + n_second - 1, left = (n_first - 1) * n_second + b, all = n_cells - 1;
                const double smallest = std::min(std::min(rows[low], rows[above] - rows[low]),
                                                 std::min(rows[left] - rows[low], rows[all] - rows[above] - rows[left] + rows[low]));
                if (smallest < MIN_QUADRANT) continue;
                ++n_cuts;
                std::fill(contrast.begin(), contrast.end(), 0.0);
                for (size_t k = 0; k < n_sums_; ++k) {
                    const double* h = curvature.data() + k * n_cells;
                    const double ll = 1.0 / (h[low] + prior_), lh = 1.0 / (h[above] - h[low] + prior_),
                                 hl = 1.0 / (h[left] - h[low] + prior_), hh = 1.0 / (h[all] - h[above] - h[left] + h[low] + prior_);
                    const double* g = gradient.data() + k * n_cells * n_lanes;
                    for (size_t lane = 0; lane < n_lanes; ++lane) {
                        const double g_low = g[low * n_lanes + lane], g_above = g[above * n_lanes + lane], g_left = g[left * n_lanes + lane];
                        const double m = g_low * ll - (g_above - g_low) * lh - (g_left - g_low) * hl +
                                         (g[all * n_lanes + lane] - g_above - g_left + g_low) * hh;
                        contrast[lane] += m * m / (ll + lh + hl + hh);
                    }
                }
                for (size_t lane = 0; lane < n_lanes; ++lane) best[lane] = std::max(best[lane], contrast[lane]);
            }
        }
        const double correction = n_cuts ? 2.0 * std::log(double(n_cuts)) : 0.0;
        for (size_t lane = 0; lane < n_lanes; ++lane) out[lane] = n_cuts ? best[lane] - correction : -std::numeric_limits<double>::infinity();
        return best[0];
    }

private:
    /// Cells (sums, first, second, lanes) become sums over all cells up to them.
    static void cumulate(double* cells, size_t n_sums, size_t n_first, size_t n_second, size_t n_lanes) {
        for (size_t k = 0; k < n_sums; ++k) {
            double* map = cells + k * n_first * n_second * n_lanes;
            for (size_t x = 0; x < n_first; ++x) {
                for (size_t y = 0; y < n_second; ++y) {
                    double* cell = map + (x * n_second + y) * n_lanes;
                    for (size_t lane = 0; lane < n_lanes; ++lane) {
                        if (y > 0) cell[lane] += cell[lane - n_lanes];
                    }
                }
                if (x == 0) continue;
                for (size_t q = 0; q < n_second * n_lanes; ++q) map[x * n_second * n_lanes + q] += map[(x - 1) * n_second * n_lanes + q];
            }
        }
    }

    const CoarseColumns& columns_;
    std::span<const double> counted_;
    size_t n_sums_;
    double prior_;
};

/// `scores`, on as many lanes at once as the processor has.
TAMIS_WIDE static double wide_scores(const PairScorer& scorer, std::pair<size_t, size_t> pair, const std::vector<double>& G,
                                     const std::vector<double>& H, size_t n_lanes, double* out) {
    return scorer.scores(pair.first, pair.second, G, H, n_lanes, out);
}

/// (sums, rows, lanes): lane 0 is the gradient g; the others are residuals g / sqrt(h w) shuffled among rows.
inline std::vector<double> shuffled_gradients(const std::vector<double>& g, const std::vector<double>& h, std::span<const double> weight,
                                              size_t n_sums, uint64_t seed) {
    const size_t n = weight.size(), n_lanes = 1 + N_SHUFFLES;
    std::vector<double> lanes(n_sums * n * n_lanes), root(n_sums * n);
    for (size_t q = 0; q < root.size(); ++q) root[q] = std::sqrt(h[q] * weight[q % n]);
    std::vector<uint32_t> order(n);
    for (size_t lane = 0; lane < n_lanes; ++lane) {
        std::iota(order.begin(), order.end(), 0u);
        Rng rng(splitmix64(seed + lane));
        for (size_t i = n; lane > 0 && i > 1; --i) std::swap(order[i - 1], order[size_t(rng.below(int64_t(i)))]);
        for (size_t k = 0; k < n_sums; ++k) {
            for (size_t i = 0; i < n; ++i) {
                const size_t from = k * n + order[i], to = k * n + i;
                lanes[to * n_lanes + lane] = lane == 0 ? g[to] : g[from] / root[from] * root[to];
            }
        }
    }
    return lanes;
}

/// (sums, rows, lanes): lane 0 is the gradient g; the others are those of classes drawn from the probabilities at sums F.
///
/// Residuals of several classes cannot be shuffled: that of a row whose class was unlikely is huge, and wherever it falls outweighs all else.
inline std::vector<double> drawn_gradients(const Target& target, const double* F, const std::vector<double>& g, uint64_t seed) {
    const size_t n = target.weight.size(), n_sums = target.n_sums, n_lanes = 1 + N_SHUFFLES;
    std::vector<double> lanes(n_sums * n * n_lanes), own(n_sums), p(n_sums);
    for (size_t q = 0; q < g.size(); ++q) lanes[q * n_lanes] = g[q];
    std::vector<Rng> draws;
    for (size_t lane = 0; lane < n_lanes; ++lane) draws.emplace_back(splitmix64(seed + lane));
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < n_sums; ++k) own[k] = F[k * n + i];
        class_probabilities(own.data(), n_sums, p.data());
        for (size_t lane = 1; lane < n_lanes; ++lane) {
            const double u = draws[lane].uniform();
            size_t drawn = 0;
            for (double below = p[0]; drawn + 1 < n_sums && u >= below; below += p[drawn]) ++drawn;
            for (size_t k = 0; k < n_sums; ++k) lanes[(k * n + i) * n_lanes + lane] = target.weight[i] * (p[k] - (k == drawn ? 1.0 : 0.0));
        }
    }
    return lanes;
}

/// At most max_pairs interactions with p <= 0.05, the strongest first; each is taken out of the residual before the next is looked for,
/// so that a column correlated with one of a pair does not come back with the other.
///
/// lanes (sums, rows, lanes): gradients at out-of-fold sums, and those without interactions; h (sums, rows): curvature. p is (1 + lanes
/// without interactions whose best pair has at least this score) / lanes.
inline std::vector<PairScore> find_interactions(const CoarseColumns& columns, std::span<const size_t> candidates, std::span<const double> counted,
                                                const std::vector<double>& lanes, const std::vector<double>& h, size_t n_sums, size_t max_pairs,
                                                size_t n_threads, const std::function<bool(size_t)>& is_interrupted) {
    const size_t n = counted.size(), n_lanes = 1 + N_SHUFFLES;
    std::vector<double> g(n_sums * n);
    for (size_t q = 0; q < g.size(); ++q) g[q] = lanes[q * n_lanes];
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t s = 0; s < candidates.size(); ++s) {
        for (size_t t = s + 1; t < candidates.size(); ++t) pairs.emplace_back(candidates[s], candidates[t]);
    }
    const PairScorer scorer(columns, counted, n_sums);
    std::vector<double> scores(pairs.size() * n_lanes), statistic(pairs.size());
    run_apart(pairs.size(), n_threads, pairs.size() * n < 100'000, is_interrupted, [&](size_t q) {
        statistic[q] = wide_scores(scorer, pairs[q], lanes, h, n_lanes, scores.data() + q * n_lanes);
    });
    std::vector<double> null(N_SHUFFLES, -std::numeric_limits<double>::infinity()), current(pairs.size());
    for (size_t q = 0; q < pairs.size(); ++q) {
        current[q] = scores[q * n_lanes];
        for (size_t lane = 1; lane < n_lanes; ++lane) null[lane - 1] = std::max(null[lane - 1], scores[q * n_lanes + lane]);
    }
    std::vector<PairScore> chosen;
    std::vector<char> is_chosen(pairs.size(), 0);
    while (chosen.size() < max_pairs) {
        size_t best = pairs.size();
        for (size_t q = 0; q < pairs.size(); ++q) {
            if (is_chosen[q] || !std::isfinite(current[q])) continue;  // -inf: no cut of both columns has rows in all quadrants
            if (best == pairs.size() || current[q] > current[best] + 1e-9 * std::abs(current[best])) best = q;
        }
        if (best == pairs.size()) break;
        const auto hits = std::count_if(null.begin(), null.end(), [&](double value) { return value >= current[best]; });
        const double p_value = double(1 + hits) / double(1 + N_SHUFFLES);
        if (p_value > 0.05 + 1e-9) break;
        is_chosen[best] = 1;
        chosen.push_back({pairs[best].first, pairs[best].second, statistic[best], current[best], p_value});
        if (chosen.size() == max_pairs) break;
        // cell means of the residual are taken out, shrunk as the mean of so many rows
        const auto [s, t] = pairs[best];
        const size_t n_second = columns.n_bins[t], n_cells = columns.n_bins[s] * n_second;
        for (size_t k = 0; k < n_sums; ++k) {
            std::vector<double> G(n_cells, 0.0), H(n_cells, 0.0);
            double total = 0.0;
            for (size_t i = 0; i < n; ++i) {
                const size_t cell = columns.bins[s][i] * n_second + columns.bins[t][i];
                G[cell] += g[k * n + i];
                H[cell] += h[k * n + i];
                total += h[k * n + i];
            }
            for (size_t i = 0; i < n; ++i) {
                const size_t cell = columns.bins[s][i] * n_second + columns.bins[t][i];
                g[k * n + i] -= h[k * n + i] * G[cell] / (H[cell] + MIN_QUADRANT * total / double(n));
            }
        }
        run_apart(pairs.size(), n_threads, pairs.size() * n < 1'000'000, is_interrupted, [&](size_t q) {
            statistic[q] = wide_scores(scorer, pairs[q], g, h, 1, current.data() + q);
        });
    }
    return chosen;
}

}  // namespace tamis::additive
