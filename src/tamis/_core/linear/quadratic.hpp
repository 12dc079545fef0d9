// A quadratic with an elastic-net or group penalty, by its Hessian: coordinate descent finds the columns in use, a direct solve
// makes them exact. Under every path; `gram_path` is a whole path of the squared loss from its moments.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../lanes.hpp"
#include "../matrix.hpp"
#include "penalty.hpp"

namespace tamis {

/// 1/2 d'Hd - q'd + sum l1 |beta| + 1/2 sum l2 beta^2 over beta = beta_0 + d; q follows: it is the gradient at beta.
struct Quadratic {
    Matrix<const double> H;  // at least size x size
    size_t size;
    double* q;
    double* beta;
    const double* l1;
    const double* l2;
    const double* sides = nullptr;  // as of a penalty; none where all are free

    double side(size_t j) const { return sides == nullptr ? 0.0 : sides[j]; }
    /// Whether a coefficient may stay at 0 where its gradient is not.
    bool may_rest(size_t j) const { return l1[j] > 0.0 || side(j) != 0.0; }
};

/// The Cholesky factor of H + diag l2 on the columns in use; size 0: none.
struct ActiveFactor {
    size_t size = 0;
    std::vector<int64_t> used;
    std::vector<double> L;  // (size, size), lower triangle

    const double* row(size_t i) const { return L.data() + i * size; }
};

/// The optimum of 1/2 curvature beta^2 - gradient beta + l1 |beta|.
inline double soft_threshold(double gradient, double l1, double curvature) {
    if (gradient > l1) return (gradient - l1) / curvature;
    if (gradient < -l1) return (gradient + l1) / curvature;
    return 0.0;
}

/// The same for coefficients of one sign; side 0: any.
inline double soft_threshold(double gradient, double l1, double curvature, double side) {
    const double value = soft_threshold(gradient, l1, curvature);
    return side * value < 0.0 ? 0.0 : value;
}

namespace quadratic {

constexpr int kMaxLeaving = 10;       // columns that may leave while the active set is solved for
constexpr size_t kMaxActive = 1000;   // columns in use beyond which a direct solve costs more than sweeps

inline void shift(const Quadratic& m, size_t j, double move) {
    const double* column = m.H[j];
    for (size_t i = 0; i < m.size; ++i) m.q[i] -= move * column[i];
}

/// Set one coefficient to its optimum; returns half its curvature times its squared move.
inline double step(const Quadratic& m, size_t j) {
    const double own = m.H[j][j], curvature = own + m.l2[j], before = m.beta[j];
    if (curvature <= 0.0) return 0.0;
    const double after = soft_threshold(m.q[j] + own * before, m.l1[j], curvature, m.side(j)), move = after - before;
    if (move == 0.0) return 0.0;
    m.beta[j] = after;
    shift(m, j, move);
    return 0.5 * curvature * move * move;
}

/// A proximal step on the group [a, b); `top` bounds its curvature. For a group of one it is the exact minimum.
inline double group_step(const Quadratic& m, size_t a, size_t b, double top, double l1, double l2) {
    if (top <= 0.0) return 0.0;
    double norm = 0.0;
    for (size_t j = a; j < b; ++j) {
        const double z = m.q[j] + top * m.beta[j];
        norm += z * z;
    }
    norm = std::sqrt(norm);
    const double shrink = norm > 0.0 ? std::max(0.0, 1.0 - l1 / norm) : 0.0;
    double gain = 0.0;
    double moves[64];
    std::vector<double> many(b - a > 64 ? b - a : 0);
    double* move = b - a > 64 ? many.data() : moves;
    for (size_t j = a; j < b; ++j) move[j - a] = shrink * (m.q[j] + top * m.beta[j]) / (top + l2) - m.beta[j];
    for (size_t j = a; j < b; ++j) {
        if (move[j - a] == 0.0) continue;
        gain += 0.5 * (top + l2) * move[j - a] * move[j - a];
        m.beta[j] += move[j - a];
        shift(m, j, move[j - a]);
    }
    return gain;
}

}  // namespace quadratic

/// Sweeps over the columns in use until they settle, then once over all; ends when a full sweep lowers the objective by less than
/// tol. Returns the number of sweeps.
TAMIS_WIDE static size_t coordinate_descent(const Quadratic& m, double tol, size_t max_sweeps) {
    std::vector<size_t> used(m.size);
    size_t sweeps = 0;
    while (sweeps < max_sweeps) {
        double gain = 0.0;
        for (size_t j = 0; j < m.size; ++j) gain += quadratic::step(m, j);
        ++sweeps;
        if (gain <= tol) break;
        size_t n_used = 0;
        for (size_t j = 0; j < m.size; ++j)
            if (m.beta[j] != 0.0) used[n_used++] = j;
        while (sweeps < max_sweeps) {
            gain = 0.0;
            for (size_t k = 0; k < n_used; ++k) gain += quadratic::step(m, used[k]);
            ++sweeps;
            if (gain <= tol) break;
        }
    }
    return sweeps;
}

/// Fill the factor of the columns `used`; false where that fails.
TAMIS_WIDE static bool factorise(Matrix<const double> H, const double* l2, ActiveFactor& factor) {
    const size_t n = factor.size;
    const std::vector<int64_t>& used = factor.used;
    factor.L.resize(n * n);
    double top = 0.0;
    for (size_t k = 0; k < n; ++k) top = std::max(top, H[used[k]][used[k]] + l2[used[k]]);
    for (size_t i = 0; i < n; ++i) {
        double* own = factor.L.data() + i * n;
        for (size_t j = 0; j <= i; ++j) {
            const double* other = factor.L.data() + j * n;
            double value = H[used[i]][used[j]] - inner_product(own, other, j);
            if (i > j) {
                own[j] = value / other[j];
                continue;
            }
            value += l2[used[i]] + 1e-11 * top;  // for columns that repeat one another
            if (!(value > 0.0)) return false;
            own[i] = std::sqrt(value);
        }
    }
    return true;
}

/// b becomes L^-T L^-1 b.
TAMIS_WIDE static void substitute(const ActiveFactor& factor, double* b) {
    const size_t n = factor.size;
    for (size_t i = 0; i < n; ++i) b[i] = (b[i] - inner_product(factor.row(i), b, i)) / factor.row(i)[i];
    for (size_t i = n; i-- > 0;) {
        const double* L = factor.row(i);
        b[i] /= L[i];
        for (size_t j = 0; j < i; ++j) b[j] -= L[j] * b[i];
    }
}

/// (H + diag l2)^-1 b on the columns of a factor, one step refined.
TAMIS_WIDE static std::vector<double> refined_solution(Matrix<const double> H, const ActiveFactor& factor, const double* l2,
                                                       const std::vector<double>& b) {
    const size_t n = factor.size;
    std::vector<double> move = b, rest = b;
    substitute(factor, move.data());
    for (size_t i = 0; i < n; ++i) {
        const double* row = H[factor.used[i]];
        for (size_t j = 0; j < n; ++j) rest[i] -= row[factor.used[j]] * move[j];
        rest[i] -= l2[factor.used[i]] * move[i];
    }
    substitute(factor, rest.data());
    for (size_t i = 0; i < n; ++i) move[i] += rest[i];
    return move;
}

/// One Newton step for the columns of a factor; false where it was shortened because a coefficient would change sign.
inline bool newton_step(const Quadratic& m, const ActiveFactor& factor) {
    const size_t n = factor.size;
    std::vector<double> gradient(n);
    for (size_t k = 0; k < n; ++k) {
        const size_t j = size_t(factor.used[k]);
        const double sign = m.beta[j] > 0.0 ? 1.0 : m.beta[j] < 0.0 ? -1.0 : 0.0;
        gradient[k] = m.q[j] - m.l1[j] * sign - m.l2[j] * m.beta[j];
    }
    const std::vector<double> move = refined_solution(m.H, factor, m.l2, gradient);
    double length = 1.0;
    size_t leaving = n;
    for (size_t k = 0; k < n; ++k) {
        const size_t j = size_t(factor.used[k]);
        if (m.may_rest(j) && (m.beta[j] + move[k]) * m.beta[j] <= 0.0 && move[k] != 0.0) {
            const double until_zero = -m.beta[j] / move[k];
            if (until_zero < length || leaving == n) {
                length = until_zero;
                leaving = k;
            }
        }
    }
    for (size_t k = 0; k < n; ++k) {
        add_scaled(-length * move[k], m.H[factor.used[k]], m.q, m.size);
        m.beta[factor.used[k]] += length * move[k];
    }
    if (leaving == n) return true;
    const size_t j = size_t(factor.used[leaving]);
    add_scaled(m.beta[j], m.H[j], m.q, m.size);  // exactly 0, whatever rounding left
    m.beta[j] = 0.0;
    return false;
}

/// Set beta to the exact optimum of the columns in use for their present signs; one that would change sign becomes 0. Columns
/// without l1 and side are in use whatever their coefficient. Size 0 where the optimum was not reached.
inline ActiveFactor solve_active(const Quadratic& m) {
    ActiveFactor factor;
    bool is_penalised = false;
    for (size_t j = 0; j < m.size; ++j) is_penalised = is_penalised || m.may_rest(j);
    for (int attempt = 0; attempt < quadratic::kMaxLeaving; ++attempt) {
        factor.used.clear();
        for (size_t j = 0; j < m.size; ++j)
            if (m.beta[j] != 0.0 || (!m.may_rest(j) && m.H[j][j] > 0.0)) factor.used.push_back(int64_t(j));
        factor.size = factor.used.size();
        if (factor.size == 0 || (factor.size > quadratic::kMaxActive && is_penalised)) break;
        if (!factorise(m.H, m.l2, factor)) break;
        if (newton_step(m, factor)) return factor;
    }
    factor.size = 0;
    return factor;
}

namespace quadratic {

/// Upper bounds of the curvature of every group.
inline std::vector<double> group_curvatures(const Quadratic& m, std::span<const int64_t> starts) {
    std::vector<double> top(starts.size() - 1);
    for (size_t g = 0; g < top.size(); ++g) {
        double trace = 0.0, largest = 0.0;
        for (int64_t i = starts[g]; i < starts[g + 1]; ++i) {
            double row = 0.0;
            for (int64_t j = starts[g]; j < starts[g + 1]; ++j) row += std::abs(m.H[i][j]);
            trace += m.H[i][i];
            largest = std::max(largest, row);
        }
        top[g] = std::min(trace, largest);
    }
    return top;
}

/// One sweep over the groups; returns what it gained.
TAMIS_WIDE static double sweep_groups(const Quadratic& m, std::span<const int64_t> starts, const double* top) {
    double gain = 0.0;
    for (size_t g = 0; g + 1 < starts.size(); ++g) {
        const size_t first = size_t(starts[g]);
        gain += group_step(m, first, size_t(starts[g + 1]), top[g], m.l1[first], m.l2[first]);
    }
    return gain;
}

/// The groups in use, where the length of each is smooth: the gradient of the objective by their coefficients, and its curvature
/// without H.
struct ActiveGroups {
    ActiveFactor factor;
    std::vector<double> gradient, H;  // (size), (size, size)

    ActiveGroups(const Quadratic& m, std::span<const int64_t> starts) {
        std::vector<double> l1_over_length;
        std::vector<size_t> group;
        for (size_t g = 0; g + 1 < starts.size(); ++g) {
            double square = 0.0;
            const size_t first = size_t(starts[g]), end = size_t(starts[g + 1]);
            for (size_t j = first; j < end; ++j) square += m.beta[j] * m.beta[j];
            if (square == 0.0 && m.l1[first] > 0.0) continue;
            const double ratio = m.l1[first] > 0.0 ? m.l1[first] / std::sqrt(square) : 0.0;
            for (size_t j = first; j < end; ++j) {
                if (!(m.H[j][j] > 0.0)) continue;
                factor.used.push_back(int64_t(j));
                group.push_back(g);
                l1_over_length.push_back(ratio);
                gradient.push_back(m.q[j] - (ratio + m.l2[j]) * m.beta[j]);
            }
        }
        const size_t n = factor.size = factor.used.size();
        H.resize(n * n);
        for (size_t a = 0; a < n; ++a) {
            const size_t j = size_t(factor.used[a]);
            for (size_t b = 0; b < n; ++b) {
                const size_t i = size_t(factor.used[b]);
                H[a * n + b] = m.H[j][i];
                if (group[a] != group[b]) continue;
                const double cubed = l1_over_length[a] / m.l1[j] * l1_over_length[a] / m.l1[j] * l1_over_length[a];
                H[a * n + b] += (a == b ? l1_over_length[a] + m.l2[j] : 0.0) - (l1_over_length[a] > 0.0 ? cubed * m.beta[j] * m.beta[i] : 0.0);
            }
        }
    }
};

/// Change of the objective by a step of some coefficients; `along` is H times the step.
inline double change(const Quadratic& m, std::span<const int64_t> starts, const std::vector<double>& step, const std::vector<double>& along,
                     double length) {
    double total = 0.0;
    for (size_t g = 0; g + 1 < starts.size(); ++g) {
        double before = 0.0, after = 0.0;
        for (size_t j = size_t(starts[g]); j < size_t(starts[g + 1]); ++j) {
            const double d = length * step[j], now = m.beta[j] + d;
            before += m.beta[j] * m.beta[j];
            after += now * now;
            total += d * (0.5 * length * along[j] - m.q[j]);
        }
        total += m.l1[starts[g]] * (std::sqrt(after) - std::sqrt(before)) + 0.5 * m.l2[starts[g]] * (after - before);
    }
    return total;
}

/// Newton steps on the groups in use until one gains less than tol.
inline void solve_active_groups(const Quadratic& m, std::span<const int64_t> starts, double tol) {
    const std::vector<double> none(m.size, 0.0);
    for (int step = 0; step < 20; ++step) {
        ActiveGroups active(m, starts);
        const size_t n = active.factor.size;
        ActiveFactor factor;
        factor.size = n;
        for (size_t a = 0; a < n; ++a) factor.used.push_back(int64_t(a));
        const Matrix<const double> H{active.H.data(), n, n};
        if (n == 0 || n > kMaxActive || !factorise(H, none.data(), factor)) return;
        const std::vector<double> move = refined_solution(H, factor, none.data(), active.gradient);
        std::vector<double> full(m.size, 0.0), along(m.size, 0.0);
        for (size_t a = 0; a < n; ++a) {
            full[active.factor.used[a]] = move[a];
            add_scaled(move[a], m.H[active.factor.used[a]], along.data(), m.size);
        }
        double length = 1.0, gain = 0.0;
        for (int half = 0; half < 20; ++half, length *= 0.5) {
            gain = -change(m, starts, full, along, length);
            if (gain > 0.0) break;
        }
        if (!(gain > 0.0)) return;
        for (size_t j = 0; j < m.size; ++j) m.beta[j] += length * full[j];
        add_scaled(-length, along.data(), m.q, m.size);
        if (gain <= 1e-6 * tol) return;
    }
}

}  // namespace quadratic

/// The same for groups: a penalty sum l1_g |beta_g| + 1/2 sum l2_g |beta_g|^2; group g is [starts[g], starts[g + 1]), its weights those
/// of its first column. Sweeps find the groups in use, Newton steps make them exact.
inline void minimise_groups(const Quadratic& m, const std::vector<int64_t>& starts, double tol, size_t max_sweeps) {
    const std::vector<double> top = quadratic::group_curvatures(m, starts);
    for (size_t sweep = 0; sweep < max_sweeps;) {
        double gain = tol + 1.0;
        for (size_t k = 0; k < 10 && gain > tol; ++k, ++sweep) gain = quadratic::sweep_groups(m, starts, top.data());
        quadratic::solve_active_groups(m, starts, tol);
        if (quadratic::sweep_groups(m, starts, top.data()) <= tol) return;
        ++sweep;
    }
}

/// Where the groups of some columns begin, groups whole, and the last one ends.
inline std::vector<int64_t> group_starts(const std::vector<int64_t>& columns, const Penalty& penalty, int64_t first = 0) {
    std::vector<int64_t> starts;
    for (size_t k = 0; k < columns.size(); ++k)
        if (penalty.begins_group(size_t(columns[k]))) starts.push_back(first + int64_t(k));
    starts.push_back(first + int64_t(columns.size()));
    return starts;
}

namespace gram {

constexpr int kAttempts = 48;
constexpr size_t kSweeps = 20;  // of descent before a direct solve: half the time where columns are nearly dependent (indicators)

/// Primal minus dual objective of 1/2 beta'H beta - c'beta + 1/2 yy, q = c - H beta shrunk until no gradient is beyond l1. Columns
/// without l1 count with the gain a Newton step would still bring.
inline double duality_gap(const double* c, double yy, const Quadratic& m, std::span<const int64_t> starts) {
    double dual_scale = 1.0, rss = yy, penalty = 0.0, target_dot_residual = yy, free_dot = 0.0, free_gain = 0.0;
    for (size_t g = 0; g + 1 < starts.size(); ++g) {
        double gradient = 0.0, length = 0.0;
        const size_t first = size_t(starts[g]), end = size_t(starts[g + 1]);
        for (size_t j = first; j < end; ++j) {
            double one = m.q[j] - m.l2[j] * m.beta[j];
            length += m.beta[j] * m.beta[j];
            rss += m.beta[j] * (m.l2[j] * m.beta[j] - c[j] - m.q[j]);
            target_dot_residual -= c[j] * m.beta[j];
            if (m.side(j) * one < 0.0) one = 0.0;
            gradient += one * one;
            if (m.l1[first] > 0.0 || !(m.H[j][j] > 0.0)) continue;
            free_dot += m.beta[j] * one;
            free_gain += 0.5 * one * one / (m.H[j][j] + m.l2[j]);
        }
        gradient = std::sqrt(gradient);
        if (m.l1[first] > 0.0 && gradient > m.l1[first]) dual_scale = std::min(dual_scale, m.l1[first] / gradient);
        penalty += m.l1[first] * std::sqrt(length);
    }
    return 0.5 * rss * (1.0 + dual_scale * dual_scale) + penalty - dual_scale * target_dot_residual + dual_scale * free_dot + free_gain;
}

}  // namespace gram

/// A path of 1/2 beta'H beta - c'beta + 1/2 yy + alpha * penalty for falling alphas, each from the one before; coefficients
/// (alphas, p), duality gaps (alphas). is_stopped() is asked once per alpha.
template <class IsStopped>
void gram_path(Matrix<const double> H, std::span<const double> c, double yy, const Penalty& penalty, std::span<const double> alphas,
               double goal, Matrix<double> coef, std::span<double> gaps, IsStopped is_stopped) {
    const size_t p = c.size();
    std::vector<double> q(c.begin(), c.end()), beta(p, 0.0), alpha_l1(p), alpha_l2(p);
    std::vector<int64_t> all(p);
    for (size_t j = 0; j < p; ++j) all[j] = int64_t(j);
    const std::vector<int64_t> starts = group_starts(all, penalty);
    const Quadratic model{H, p, q.data(), beta.data(), alpha_l1.data(), alpha_l2.data(),
                          penalty.has_sides() ? penalty.sides.data() : nullptr};
    for (size_t a = 0; a < alphas.size() && !is_stopped(); ++a) {
        double tol = 1e-2 * goal / std::sqrt(double(std::max<size_t>(1, p))), gap = std::numeric_limits<double>::infinity();
        size_t n_used = 0;
        bool is_penalised = false;
        for (size_t j = 0; j < p; ++j) {
            alpha_l1[j] = alphas[a] * penalty.l1[j];
            alpha_l2[j] = alphas[a] * penalty.l2[j];
            n_used += beta[j] != 0.0;
            is_penalised = is_penalised || model.may_rest(j);
        }
        for (int attempt = 0; attempt < gram::kAttempts; ++attempt) {
            if (penalty.has_groups()) {
                minimise_groups(model, starts, tol, 20'000);
                tol *= 1e-2;
            } else {
                // a direct solve takes as long as used^2 / 3p sweeps: not before they were tried
                const size_t max_sweeps = attempt < gram::kAttempts - 8 ? std::max(gram::kSweeps, n_used * n_used / (3 * p)) : 20'000;
                const size_t sweeps = is_penalised ? coordinate_descent(model, tol, max_sweeps) : max_sweeps;
                if (attempt > 0 || sweeps >= max_sweeps) solve_active(model);
                if (sweeps < max_sweeps) tol *= 1e-2;
            }
            const double before = gap;
            gap = gram::duality_gap(c.data(), yy, model, starts);
            if (gap <= goal || yy <= 0.0 || (!is_penalised && gap > 0.5 * before)) break;
            for (size_t j = 0; j < p; ++j) q[j] = c[j] - dot(H[j], beta.data(), p);
        }
        std::copy(beta.begin(), beta.end(), coef[a]);
        gaps[a] = gap;
    }
}

}  // namespace tamis
