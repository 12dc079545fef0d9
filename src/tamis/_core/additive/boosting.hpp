#pragma once
// Cyclic boosting of terms on cells: a term is a curve (cells: bins of a column) or a pair map (cells: pairs of bins).
// Every bag holds some rows out; all bags stop at the cycle with the smallest loss of all held-out rows.
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "../matrix.hpp"
#include "../threads.hpp"
#include "loss.hpp"
#include "pair_step.hpp"
#include "step.hpp"

namespace tamis::additive {

struct Term {
    std::span<const uint8_t> bins;    // (rows) of a curve: the cell of each row
    std::span<const uint16_t> cells;  // (rows) of a pair map, likewise
    size_t n_cells;
    ColumnFacts column;               // of a curve
    size_t n_second;                  // bins of the second column of a pair map; 0: a curve
    size_t first;                     // where its cells begin among those of all terms
};

struct BoostingSettings {
    StepSettings step;
    int64_t max_cycles;
    size_t max_terms;  // that a bag visits: those of the largest gain at the start
};

struct Bag {
    std::vector<double> weight;      // (rows) in the bag
    std::vector<uint32_t> held_out;  // rows that are held out, at least in part
    std::vector<double> F, g, h;     // (sums, rows)
    std::vector<double> counts;      // (cells) rows in the bag
    std::vector<size_t> terms;       // that are visited
    std::vector<size_t> first;       // (terms) where the heights of each begin; NOT_VISITED
    std::vector<double> heights;     // (cells of visited terms, sums)
    std::vector<double> best;        // heights at the best cycle
    double loss = 0.0;               // of held-out rows

    static constexpr size_t NOT_VISITED = size_t(-1);

    /// Heights of a term at the best cycle, (cells, sums); null where it was not visited: they are 0.
    const double* best_of(size_t term) const { return first[term] == NOT_VISITED ? nullptr : best.data() + first[term]; }
};

/// Rows, and which of them each bag holds out.
struct Rows {
    Target target;
    std::span<const double> counted;  // (rows) rows that each counts for
    Matrix<const double> held_out;    // (bags, rows) share of each row that a bag holds out
    size_t n() const { return counted.size(); }
};

class Boosting {
public:
    /// All rows begin at the sums `start`.
    Boosting(const Rows& rows, std::vector<Term> terms, const BoostingSettings& settings, std::vector<double> start)
        : rows_(rows), terms_(std::move(terms)), settings_(settings), start_(std::move(start)), bags_(rows.held_out.n_rows) {
        for (const Term& term : terms_) {
            max_cells_ = std::max(max_cells_, term.n_cells);
            n_cells_ = std::max(n_cells_, term.first + term.n_cells);
        }
    }

    const std::vector<Bag>& bags() const { return bags_; }
    const std::vector<Term>& terms() const { return terms_; }
    size_t n_cells() const { return n_cells_; }
    int64_t best_cycle() const { return best_cycle_; }
    double best_loss() const { return best_loss_; }

    void run(size_t n_threads, const std::function<bool(size_t)>& is_interrupted) {
        for_bags(n_threads, is_interrupted, [&](size_t b, const Interrupt&) { begin(b); });
        best_loss_ = total_loss();
        for (int64_t cycle = 0; cycle < settings_.max_cycles;) {
            const int64_t next = std::min(settings_.max_cycles, cycle + std::max<int64_t>(1, cycle / 8));
            for_bags(n_threads, is_interrupted, [&](size_t b, const Interrupt& interrupt) { advance(b, cycle, next, interrupt); });
            cycle = next;
            const double loss = total_loss();
            if (loss < best_loss_ * (1.0 - TIE)) {
                best_loss_ = loss;
                best_cycle_ = cycle;
                for (Bag& bag : bags_) bag.best = bag.heights;
            } else if (cycle >= best_cycle_ + MIN_PATIENCE + best_cycle_ / 2) {
                break;
            }
        }
    }

    /// F of a row of bag b with the heights of the best cycle: out (sums).
    void sums_at_best(size_t b, size_t i, double* out) const {
        const size_t n_sums = rows_.target.n_sums;
        for (size_t k = 0; k < n_sums; ++k) out[k] = start_[k];
        for (const size_t t : bags_[b].terms) {
            const double* heights = bags_[b].best_of(t) + cell(terms_[t], i) * n_sums;
            for (size_t k = 0; k < n_sums; ++k) out[k] += heights[k];
        }
    }

    /// The cell of row i in a term.
    static size_t cell(const Term& term, size_t i) { return term.n_second ? term.cells[i] : term.bins[i]; }

private:
    static constexpr int64_t MIN_PATIENCE = 12;  // cycles without a smaller loss, and half of the best cycle's number
    static constexpr double TIE = 1e-9;
    static constexpr double GROWTH_CYCLES = 16.0;

    template <class Body>
    void for_bags(size_t n_threads, const std::function<bool(size_t)>& is_interrupted, Body body) {
        struct Nothing {};
        Interrupt interrupt;
        auto work = [&](size_t, size_t b) {
            body(b, interrupt);
            return Nothing{};
        };
        run_in_order(bags_.size(), n_threads, interrupt, is_interrupted, work, [](size_t, Nothing) {});
    }

    void begin(size_t b) {
        Bag& bag = bags_[b];
        const size_t n = rows_.n(), n_sums = rows_.target.n_sums;
        bag.weight.assign(rows_.target.weight.begin(), rows_.target.weight.end());
        for (size_t i = 0; i < n; ++i) {
            if (rows_.held_out[b][i] <= 0.0) continue;
            bag.weight[i] *= 1.0 - rows_.held_out[b][i];
            bag.held_out.push_back(uint32_t(i));
        }
        bag.counts.assign(n_cells_, 0.0);
        for (const Term& term : terms_) {
            for (size_t i = 0; i < n; ++i) bag.counts[term.first + cell(term, i)] += rows_.counted[i] * (1.0 - rows_.held_out[b][i]);
        }
        bag.F.resize(n_sums * n);
        for (size_t k = 0; k < n_sums; ++k) std::fill_n(bag.F.begin() + ptrdiff_t(k * n), n, start_[k]);
        bag.g.resize(n_sums * n);
        bag.h.resize(n_sums * n);
        choose_terms(bag);
        bag.first.assign(terms_.size(), Bag::NOT_VISITED);
        size_t size = 0;
        for (const size_t t : bag.terms) {
            bag.first[t] = size;
            size += terms_[t].n_cells * n_sums;
        }
        bag.heights.assign(size, 0.0);
        bag.best = bag.heights;
        bag.loss = held_out_loss(b);
    }

    /// The terms of the largest gain at the start, in their order.
    void choose_terms(Bag& bag) {
        std::vector<size_t>& chosen = bag.terms;
        chosen.resize(terms_.size());
        std::iota(chosen.begin(), chosen.end(), size_t(0));
        if (terms_.size() <= settings_.max_terms) return;
        Visitor visitor(*this, bag);
        visitor.differentiate();
        std::vector<double> gain(terms_.size());
        for (size_t t = 0; t < terms_.size(); ++t) gain[t] = visitor.find(terms_[t]);
        std::stable_sort(chosen.begin(), chosen.end(), [&](size_t s, size_t t) { return gain[s] > gain[t] * (1.0 + TIE); });
        chosen.resize(settings_.max_terms);
        std::sort(chosen.begin(), chosen.end());
    }

    /// The rate grows with the cycle: late steps are small, and what a cycle adds stays a small share of what all before it added.
    double rate_at(int64_t cycle) const {
        const double rate = settings_.step.rate, max_rate = rows_.target.loss == Loss::multinomial ? 0.5 : 1.0;
        return std::max(rate, std::min(max_rate, rate * double(cycle) / GROWTH_CYCLES));
    }

    void advance(size_t b, int64_t begin, int64_t end, const Interrupt& interrupt) {
        Bag& bag = bags_[b];
        Visitor visitor(*this, bag);
        for (int64_t cycle = begin; cycle < end; ++cycle) {
            visitor.differentiate();
            visitor.set_rate(rate_at(cycle));
            for (const size_t t : bag.terms) {
                if (interrupt.requested()) return;
                if (visitor.find(terms_[t]) > 0.0) visitor.add(terms_[t], bag.first[t]);
            }
        }
        bag.loss = held_out_loss(b);
    }

    /// Visits terms of one bag. Gradient and curvature are exact once per cycle; in between the loss is taken as quadratic, so the
    /// gradient follows each step: g += h step.
    class Visitor {
    public:
        Visitor(const Boosting& boosting, Bag& bag)
            : target_(boosting.rows_.target), n_(boosting.rows_.n()), bag_(bag), probability_(target_.n_sums),
              sums_(boosting.max_cells_ * target_.n_sums * 2), delta_(boosting.max_cells_ * target_.n_sums),
              steps_(target_.n_sums, boosting.settings_.step, boosting.max_cells_),
              pair_steps_(target_.n_sums, boosting.settings_.step, boosting.max_cells_) {}

        void differentiate() {
            additive::differentiate(target_, bag_.F.data(), bag_.weight, bag_.g.data(), bag_.h.data(), probability_.data());
        }

        void set_rate(double rate) {
            steps_.set_rate(rate);
            pair_steps_.set_rate(rate);
        }

        /// The step of a term; returns its gain, 0 where there is none.
        double find(const Term& term) {
            std::fill_n(sums_.begin(), term.n_cells * target_.n_sums * 2, 0.0);
            const double* counts = bag_.counts.data() + term.first;
            if (term.n_second) {
                add_sums(term.cells.data(), term.n_cells);
                return pair_steps_.find(term.n_cells / term.n_second, term.n_second, sums_.data(), counts, delta_.data());
            }
            add_sums(term.bins.data(), term.n_cells);
            return steps_.find(term.column, sums_.data(), counts, delta_.data());
        }

        /// Add the step that was found to the heights from `first` on, to F and to the gradient.
        void add(const Term& term, size_t first) {
            double* heights = bag_.heights.data() + first;
            const size_t n_sums = target_.n_sums;
            for (size_t k = 0; k < n_sums; ++k) {
                for (size_t q = 0; q < term.n_cells; ++q) heights[q * n_sums + k] += delta_[k * term.n_cells + q];
            }
            if (term.n_second) follow(term.cells.data(), term.n_cells);
            else follow(term.bins.data(), term.n_cells);
        }

    private:
        template <class Code>
        void add_sums(const Code* code, size_t n_cells) {
            for (size_t k = 0; k < target_.n_sums; ++k) {
                const double *g = bag_.g.data() + k * n_, *h = bag_.h.data() + k * n_;
                double *G = sums_.data() + 2 * k * n_cells, *H = G + n_cells;
                for (size_t i = 0; i < n_; ++i) {
                    G[code[i]] += g[i];
                    H[code[i]] += h[i];
                }
            }
        }

        template <class Code>
        void follow(const Code* code, size_t n_cells) {
            for (size_t k = 0; k < target_.n_sums; ++k) {
                double *g = bag_.g.data() + k * n_, *F = bag_.F.data() + k * n_;
                const double *h = bag_.h.data() + k * n_, *delta = delta_.data() + k * n_cells;
                for (size_t i = 0; i < n_; ++i) {
                    const double step = delta[code[i]];
                    F[i] += step;
                    g[i] += h[i] * step;
                }
            }
        }

        const Target& target_;
        size_t n_;
        Bag& bag_;
        std::vector<double> probability_, sums_, delta_;
        StepFinder steps_;
        PairStepFinder pair_steps_;
    };

    double held_out_loss(size_t b) const {
        std::vector<double> p(rows_.target.n_sums);
        double sum = 0.0;
        for (const uint32_t i : bags_[b].held_out) {
            sum += rows_.target.weight[i] * rows_.held_out[b][i] * row_loss(rows_.target, bags_[b].F.data(), rows_.n(), i, p.data());
        }
        return sum;
    }

    double total_loss() const {
        double total = 0.0;
        for (const Bag& bag : bags_) total += bag.loss;
        return total;
    }

    Rows rows_;
    std::vector<Term> terms_;
    BoostingSettings settings_;
    std::vector<double> start_;
    std::vector<Bag> bags_;
    size_t max_cells_ = 1, n_cells_ = 0;
    int64_t best_cycle_ = 0;
    double best_loss_ = 0.0;
};

}  // namespace tamis::additive
