// Score cards: a few yes-or-no statements with whole points, whose total predicts through a line or a logistic curve.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "../cholesky.hpp"
#include "../exponential.hpp"
#include "../matrix.hpp"
#include "../threads.hpp"

namespace tamis {

/// Statements about rows, and their targets: 0 or 1 for a logistic curve, else any numbers.
struct StatementTable {
    Matrix<const uint8_t> statements;  // (statements, rows) 1 where it holds
    std::span<const double> target;    // (rows)
    std::span<const double> weight;    // (rows)
    bool is_logistic;
    std::span<const int8_t> sides;  // (statements) 1: may only raise the answer, -1: lower it, 0: either; empty where all are free

    bool may_add(int32_t statement, double points) const {
        return sides.empty() || double(sides[size_t(statement)]) * points >= 0.0;
    }
};

/// A card: points of statements, and the curve a + b · total.
struct Card {
    std::vector<int32_t> statement;
    std::vector<int32_t> points;
    double intercept = 0.0, slope = 0.0;
    double loss = std::numeric_limits<double>::infinity();
};

/// ln(1 + e^η) - y η and the probability of η; or (y - η)² / 2 and η.
struct RowLoss {
    double loss, mean, curvature;
};

inline RowLoss row_loss(bool is_logistic, double y, double eta) {
    if (!is_logistic) return {0.5 * (y - eta) * (y - eta), eta, 1.0};
    const double e = exp_below_0(-std::abs(eta)), p = (eta >= 0.0 ? 1.0 : e) / (1.0 + e);
    return {log1p_below_1(e) + std::max(eta, 0.0) - y * eta, p, p * (1.0 - p)};
}

/// The best cards of 1 … max_terms statements (after Ustun & Rudin 2019; Liu, Zhong, Seltzer & Rudin 2022).
///
/// First supports: the statement that a score test names is added to the best supports of one term less (a beam), terms are
/// exchanged while that helps, and coefficients are fitted by Newton's method with a weak ridge. Then points: coefficients are
/// scaled so that the largest gets 1, 2 … max_points and rounded, and single points are changed by one, or moved to the statements
/// beside them, while the loss falls. The loss of a card is that of the curve which fits its totals best.
class CardSearch {
public:
    CardSearch(const StatementTable& table, size_t max_terms, int32_t max_points)
        : table_(table), n_(table.target.size()), q_(table.statements.n_rows), max_terms_(std::min(max_terms, q_)),
          max_points_(max_points), eta_(n_), residual_(n_), curvature_(n_), total_(n_), trial_(n_) {
        for (const double w : table.weight) weight_ += w;
    }

    /// Cards of every size; ends early, with those it has, when an interrupt is requested.
    std::vector<Card> search(const Interrupt& interrupt) {
        std::vector<Card> cards;
        std::vector<Support> beam{fit({}, {0.0})};
        for (size_t size = 1; size <= max_terms_ && !interrupt.requested(); ++size) {
            std::vector<Support> longer = extend(beam);
            if (longer.empty()) break;
            exchange(longer[0], interrupt);
            Card best;
            for (const Support& support : longer) improve(round(support), best);
            if (!cards.empty() && !cards.back().statement.empty()) improve(grown(cards.back(), longer[0]), best);
            if (best.statement.empty() && !table_.sides.empty()) break;  // no card of this size has all sides
            cards.push_back(best);
            beam = std::move(longer);
        }
        return cards;
    }

private:
    static constexpr size_t BEAM = 4, TRIED = 6, EXCHANGED = 3;
    static constexpr double RIDGE = 0.1;  // rows

    struct Support {
        std::vector<int32_t> statement;
        std::vector<double> beta;  // intercept first
        double loss = std::numeric_limits<double>::infinity();
    };

    double tolerance() const { return 1e-9 * weight_; }

    /// A gain or a loss without the digits that rounding changes with the order of rows; equal ones are ties.
    double without_rounding(double value) const { return std::round(value / (10.0 * tolerance())); }

    /// η of a support, and residuals and curvatures there; the penalised loss.
    double evaluate(const Support& support) {
        std::fill(eta_.begin(), eta_.end(), support.beta[0]);
        for (size_t k = 0; k < support.statement.size(); ++k) add(support.statement[k], support.beta[k + 1]);
        double loss = 0.0;
        for (size_t i = 0; i < n_; ++i) {
            const RowLoss row = row_loss(table_.is_logistic, table_.target[i], eta_[i]);
            loss += table_.weight[i] * row.loss;
            residual_[i] = table_.weight[i] * (table_.target[i] - row.mean);
            curvature_[i] = table_.weight[i] * row.curvature;
        }
        for (size_t k = 1; k < support.beta.size(); ++k) loss += 0.5 * RIDGE * support.beta[k] * support.beta[k];
        return loss;
    }

    void add(int32_t statement, double beta) {
        const uint8_t* holds = table_.statements[size_t(statement)];
        for (size_t i = 0; i < n_; ++i) eta_[i] += beta * holds[i];
    }

    /// Coefficients of a support by Newton's method; steps are halved until the loss falls.
    Support fit(std::vector<int32_t> statement, std::vector<double> start) {
        Support support{std::move(statement), std::move(start), 0.0};
        const size_t k = support.statement.size() + 1;
        support.loss = evaluate(support);
        std::vector<double> hessian(k * k), step(k);
        for (int round = 0; round < 25; ++round) {
            newton_step(support, {hessian.data(), k, k}, step.data());
            Support next = support;
            bool is_better = false;
            for (double length = 1.0; length > 1e-3 && !is_better; length *= 0.5) {
                for (size_t j = 0; j < k; ++j) next.beta[j] = support.beta[j] + length * step[j];
                next.loss = evaluate(next);
                is_better = next.loss < support.loss;
            }
            if (!is_better) {
                evaluate(support);
                break;
            }
            const double fall = support.loss - next.loss;
            support = std::move(next);
            if (fall < 1e-8 * weight_) break;
        }
        for (size_t j = 0; j < support.statement.size(); ++j)
            if (!table_.may_add(support.statement[j], support.beta[j + 1])) support.loss = std::numeric_limits<double>::infinity();
        return support;
    }

    void newton_step(const Support& support, Matrix<double> hessian, double* step) const {
        const size_t k = hessian.n_rows;
        for (size_t a = 0; a < k; ++a) {
            const uint8_t* left = a ? table_.statements[size_t(support.statement[a - 1])] : nullptr;
            double gradient = a ? -RIDGE * support.beta[a] : 0.0;
            for (size_t i = 0; i < n_; ++i) gradient += left ? residual_[i] * left[i] : residual_[i];
            step[a] = gradient;
            for (size_t b = 0; b <= a; ++b) {
                const uint8_t* right = b ? table_.statements[size_t(support.statement[b - 1])] : nullptr;
                double sum = a == b ? (a ? RIDGE : 0.0) + 1e-9 * weight_ : 0.0;
                if (right) {
                    for (size_t i = 0; i < n_; ++i) sum += curvature_[i] * double(left[i] & right[i]);
                } else if (left) {
                    for (size_t i = 0; i < n_; ++i) sum += curvature_[i] * left[i];
                } else {
                    for (size_t i = 0; i < n_; ++i) sum += curvature_[i];
                }
                hessian[a][b] = sum;
            }
        }
        cholesky_factor(hessian, k);
        cholesky_solve({hessian.data, k, k}, k, step);
    }

    /// The statements that a score test finds most promising beside a support that was evaluated last: g² / (h + ridge).
    std::vector<int32_t> promising(const std::vector<int32_t>& taken, size_t n) const {
        double whole = 0.0;
        for (const double c : curvature_) whole += c;
        std::vector<std::pair<double, int32_t>> gain;
        for (size_t j = 0; j < q_; ++j) {
            if (std::find(taken.begin(), taken.end(), int32_t(j)) != taken.end()) continue;
            const uint8_t* holds = table_.statements[j];
            double g = 0.0, h = 0.0;
            for (size_t i = 0; i < n_; ++i) {
                g += residual_[i] * holds[i];
                h += curvature_[i] * holds[i];
            }
            if (!table_.may_add(int32_t(j), g)) continue;
            gain.push_back({without_rounding(-g * g / (h - h * h / whole + RIDGE)), int32_t(j)});
        }
        const size_t n_best = std::min(n, gain.size());
        std::partial_sort(gain.begin(), gain.begin() + std::ptrdiff_t(n_best), gain.end());
        std::vector<int32_t> best;
        for (size_t k = 0; k < n_best; ++k) best.push_back(gain[k].second);
        return best;
    }

    /// Supports with one term more, best first, no two of the same statements.
    std::vector<Support> extend(const std::vector<Support>& beam) {
        std::vector<Support> longer;
        for (const Support& support : beam) {
            evaluate(support);
            for (const int32_t j : promising(support.statement, TRIED)) {
                std::vector<int32_t> statement = support.statement;
                std::vector<double> start = support.beta;
                statement.push_back(j);
                start.push_back(0.0);
                if (holds_same(longer, statement)) continue;
                Support found = fit(std::move(statement), std::move(start));
                if (std::isfinite(found.loss)) longer.push_back(std::move(found));
            }
        }
        std::stable_sort(longer.begin(), longer.end(),
                         [&](const Support& a, const Support& b) { return without_rounding(a.loss) < without_rounding(b.loss); });
        if (longer.size() > BEAM) longer.resize(BEAM);
        return longer;
    }

    static bool holds_same(const std::vector<Support>& supports, std::vector<int32_t> statement) {
        std::sort(statement.begin(), statement.end());
        for (const Support& support : supports) {
            std::vector<int32_t> other = support.statement;
            std::sort(other.begin(), other.end());
            if (other == statement) return true;
        }
        return false;
    }

    /// Exchange one term for another while the loss falls.
    void exchange(Support& support, const Interrupt& interrupt) {
        for (int round = 0; round < 8 && !interrupt.requested(); ++round) {
            bool is_better = false;
            for (size_t k = 0; k < support.statement.size(); ++k) {
                Support fewer = support;
                fewer.statement.erase(fewer.statement.begin() + std::ptrdiff_t(k));
                fewer.beta.erase(fewer.beta.begin() + std::ptrdiff_t(k + 1));
                fewer = fit(fewer.statement, fewer.beta);
                for (const int32_t j : promising(fewer.statement, EXCHANGED)) {
                    if (j == support.statement[k]) continue;
                    std::vector<int32_t> statement = fewer.statement;
                    std::vector<double> start = fewer.beta;
                    statement.push_back(j);
                    start.push_back(0.0);
                    Support other = fit(std::move(statement), std::move(start));
                    if (other.loss < support.loss - tolerance()) {
                        support = std::move(other);
                        is_better = true;
                        break;
                    }
                }
            }
            if (!is_better) return;
        }
    }

    void improve(const Card& card, Card& best) const {
        if (card.loss < best.loss - tolerance()) best = card;
    }

    /// The best points for a support: rounded at every scale, then changed one by one.
    Card round(const Support& support) {
        Card best;
        double largest = 0.0;
        for (size_t k = 1; k < support.beta.size(); ++k) largest = std::max(largest, std::abs(support.beta[k]));
        if (!(largest > 0.0)) return best;
        for (int32_t scale = 1; scale <= max_points_; ++scale) {
            Card card;
            for (size_t k = 0; k < support.statement.size(); ++k) {
                const int32_t points = int32_t(std::lround(support.beta[k + 1] / largest * scale));
                card.statement.push_back(support.statement[k]);
                card.points.push_back(points != 0 ? points : (support.beta[k + 1] < 0.0 ? -1 : 1));
            }
            descend(card);
            improve(card, best);
        }
        return best;
    }

    /// A card of one term less with the newest statement of a support.
    Card grown(const Card& card, const Support& support) {
        Card best;
        for (const int32_t statement : support.statement) {
            if (std::find(card.statement.begin(), card.statement.end(), statement) != card.statement.end()) continue;
            for (const int32_t points : {-1, 1}) {
                Card longer = card;
                longer.statement.push_back(statement);
                longer.points.push_back(points);
                descend(longer);
                improve(longer, best);
            }
        }
        return best;
    }

    /// Change single points by one, and terms to the statements beside them, while the loss falls.
    void descend(Card& card) {
        sum_points(card);
        calibrate(card, total_);
        for (bool is_better = true; is_better;) {
            is_better = false;
            for (size_t k = 0; k < card.statement.size(); ++k) {
                for (const int32_t change : {-1, 1}) is_better |= try_points(card, k, change);
                for (const int32_t beside : {-1, 1}) is_better |= try_statement(card, k, card.statement[k] + beside);
            }
        }
    }

    void sum_points(const Card& card) {
        std::fill(total_.begin(), total_.end(), 0);
        for (size_t k = 0; k < card.statement.size(); ++k) {
            const uint8_t* holds = table_.statements[size_t(card.statement[k])];
            for (size_t i = 0; i < n_; ++i) total_[i] += card.points[k] * holds[i];
        }
    }

    bool try_points(Card& card, size_t k, int32_t change) {
        const int32_t points = card.points[k] + change;
        if (points == 0 || std::abs(points) > max_points_) return false;
        const uint8_t* holds = table_.statements[size_t(card.statement[k])];
        for (size_t i = 0; i < n_; ++i) trial_[i] = total_[i] + change * holds[i];
        Card other = card;
        other.points[k] = points;
        return accept(other, card);
    }

    bool try_statement(Card& card, size_t k, int32_t statement) {
        if (statement < 0 || statement >= int32_t(q_)) return false;
        if (std::find(card.statement.begin(), card.statement.end(), statement) != card.statement.end()) return false;
        const uint8_t *before = table_.statements[size_t(card.statement[k])], *after = table_.statements[size_t(statement)];
        for (size_t i = 0; i < n_; ++i) trial_[i] = total_[i] + card.points[k] * (int32_t(after[i]) - int32_t(before[i]));
        Card other = card;
        other.statement[k] = statement;
        return accept(other, card);
    }

    bool accept(Card& other, Card& card) {
        calibrate(other, trial_);
        if (!(other.loss < card.loss - tolerance())) return false;
        card = other;
        std::swap(total_, trial_);
        return true;
    }

    /// The curve a + b t of least loss over the totals t, with a weak ridge on b in units of their spread; rows are first summed
    /// by total.
    void calibrate(Card& card, const std::vector<int32_t>& total) {
        const auto [low, high] = std::minmax_element(total.begin(), total.end());
        const int32_t first = *low;
        const size_t n_totals = size_t(*high - first) + 1;
        cells_.assign(3 * n_totals, 0.0);  // Σ w, Σ w y, Σ w y²
        double sum = 0.0, squares = 0.0;
        for (size_t i = 0; i < n_; ++i) {
            double* cell = &cells_[3 * size_t(total[i] - first)];
            const double w = table_.weight[i], y = table_.target[i];
            cell[0] += w;
            cell[1] += w * y;
            cell[2] += w * y * y;
        }
        for (size_t t = 0; t < n_totals; ++t) {
            const double at = double(first) + double(t);
            sum += cells_[3 * t] * at;
            squares += cells_[3 * t] * at * at;
        }
        const double mean = sum / weight_, variance = std::max(squares / weight_ - mean * mean, 1e-12), ridge = RIDGE * variance;
        double a = 0.0, b = 0.0, loss = loss_of(a, b, mean, first, n_totals, ridge);  // of η = a + b (t - mean)
        for (int round = 0; round < 30; ++round) {
            double g0 = 0.0, g1 = -ridge * b, h00 = 1e-9 * weight_, h01 = 0.0, h11 = ridge;
            for (size_t t = 0; t < n_totals; ++t) {
                const double w = cells_[3 * t], at = double(first) + double(t) - mean;
                if (w == 0.0) continue;
                const RowLoss row = row_loss(table_.is_logistic, 0.0, a + b * at);
                const double r = cells_[3 * t + 1] - w * row.mean, c = w * row.curvature;
                g0 += r;
                g1 += r * at;
                h00 += c;
                h01 += c * at;
                h11 += c * at * at;
            }
            const double determinant = h00 * h11 - h01 * h01;
            const double da = (h11 * g0 - h01 * g1) / determinant, db = (h00 * g1 - h01 * g0) / determinant;
            bool is_better = false;
            for (double length = 1.0; length > 1e-3; length *= 0.5) {
                const double other = loss_of(a + length * da, b + length * db, mean, first, n_totals, ridge);
                if (other < loss) {
                    is_better = loss - other > 1e-12 * weight_;
                    a += length * da;
                    b += length * db;
                    loss = other;
                    break;
                }
            }
            if (!is_better) break;
        }
        card.loss = loss;
        card.slope = b;
        for (size_t k = 0; k < card.statement.size(); ++k)
            if (!table_.may_add(card.statement[k], b * card.points[k])) card.loss = std::numeric_limits<double>::infinity();
        card.intercept = a - b * mean;
    }

    double loss_of(double a, double b, double mean, int32_t first, size_t n_totals, double ridge) const {
        double loss = 0.5 * ridge * b * b;
        for (size_t t = 0; t < n_totals; ++t) {
            const double w = cells_[3 * t], eta = a + b * (double(first) + double(t) - mean);
            if (w == 0.0) continue;
            if (table_.is_logistic) {
                loss += w * row_loss(true, 0.0, eta).loss - cells_[3 * t + 1] * eta;
            } else {
                loss += 0.5 * (cells_[3 * t + 2] - 2.0 * cells_[3 * t + 1] * eta + w * eta * eta);
            }
        }
        return loss;
    }

    StatementTable table_;
    size_t n_, q_, max_terms_;
    int32_t max_points_;
    double weight_ = 0.0;
    std::vector<double> eta_, residual_, curvature_;  // (rows)
    std::vector<int32_t> total_, trial_;              // (rows)
    std::vector<double> cells_;                       // (totals, 3)
};

}  // namespace tamis
