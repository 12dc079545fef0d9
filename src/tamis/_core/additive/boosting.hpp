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
    std::vector<double> F;           // (rows, sums)
    std::vector<double> gradient;    // (rows, 2 sums): gradients of the sums, and behind them curvatures
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

/// cells (cells, width): each row added to its cell; rows: (rows, width). WIDTH: where it is known to the compiler, else 0.
template <size_t WIDTH, class Code>
inline void add_rows_of(const Code* code, const double* rows, size_t n, size_t width, double* cells) {
    const size_t w = WIDTH ? WIDTH : width;
    for (size_t i = 0; i < n; ++i) {
        double* to = cells + code[i] * w;
        const double* from = rows + i * w;
        for (size_t part = 0; part < w; ++part) to[part] += from[part];
    }
}

template <class Code>
inline void add_rows_by_width(const Code* code, const double* rows, size_t n, size_t width, double* cells) {
    if (width == 2) add_rows_of<2>(code, rows, n, width, cells);
    else if (width == 6) add_rows_of<6>(code, rows, n, width, cells);
    else if (width == 8) add_rows_of<8>(code, rows, n, width, cells);
    else add_rows_of<0>(code, rows, n, width, cells);
}

TAMIS_WIDE static void add_rows(const uint8_t* code, const double* rows, size_t n, size_t width, double* cells) {
    add_rows_by_width(code, rows, n, width, cells);
}
TAMIS_WIDE static void add_rows(const uint16_t* code, const double* rows, size_t n, size_t width, double* cells) {
    add_rows_by_width(code, rows, n, width, cells);
}

/// F (rows, sums) and the gradient (rows, 2 sums) after the step delta (cells, sums) of a term: F += delta, g += h delta.
template <size_t SUMS, class Code>
inline void follow_sums(const Code* code, const double* delta, size_t n, size_t n_sums, double* F, double* gradient) {
    const size_t K = SUMS ? SUMS : n_sums;
    for (size_t i = 0; i < n; ++i) {
        const double *step = delta + code[i] * K, *h = gradient + i * 2 * K + K;
        double *g = gradient + i * 2 * K, *sums = F + i * K;
        for (size_t k = 0; k < K; ++k) {
            sums[k] += step[k];
            g[k] += h[k] * step[k];
        }
    }
}

template <class Code>
inline void follow_by_sums(const Code* code, const double* delta, size_t n, size_t n_sums, double* F, double* gradient) {
    if (n_sums == 1) follow_sums<1>(code, delta, n, n_sums, F, gradient);
    else if (n_sums == 3) follow_sums<3>(code, delta, n, n_sums, F, gradient);
    else if (n_sums == 4) follow_sums<4>(code, delta, n, n_sums, F, gradient);
    else follow_sums<0>(code, delta, n, n_sums, F, gradient);
}

TAMIS_WIDE static void follow(const uint8_t* code, const double* delta, size_t n, size_t n_sums, double* F, double* gradient) {
    follow_by_sums(code, delta, n, n_sums, F, gradient);
}
TAMIS_WIDE static void follow(const uint16_t* code, const double* delta, size_t n, size_t n_sums, double* F, double* gradient) {
    follow_by_sums(code, delta, n, n_sums, F, gradient);
}

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
        for_bags(1, n_threads, is_interrupted, [&](size_t b, const Interrupt&) { begin(b); });
        best_loss_ = total_loss();
        for (int64_t cycle = 0; cycle < settings_.max_cycles;) {
            const int64_t next = std::min(settings_.max_cycles, cycle + std::max<int64_t>(1, cycle / 8));
            for_bags(next - cycle, n_threads, is_interrupted, [&](size_t b, const Interrupt& interrupt) { advance(b, cycle, next, interrupt); });
            cycle = next;
            const double loss = total_loss();
            if (loss < best_loss_ * (1.0 - TIE)) {
                best_loss_ = loss;
                best_cycle_ = cycle;
                for (Bag& bag : bags_) bag.best = bag.heights;
            } else if (cycle >= best_cycle_ + MIN_PATIENCE + best_cycle_ / 4) {
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
    // Cycles without a smaller loss, and a quarter of the best cycle's number. With 12 and a half, 142 of 144 paths on twelve tables were the
    // same, and took 1.15 of the time.
    static constexpr int64_t MIN_PATIENCE = 8;
    static constexpr double TIE = 1e-9;
    static constexpr double GROWTH_CYCLES = 16.0;
    static constexpr double BRIEF = 1e7;  // rows and cells, about 0.1 s

    /// body(b, interrupt) for every bag. A stretch of so many cycles that is brief on one thread is done here: a model has hundreds, and a
    /// thread for each would cost an eighth of the time on small tables.
    template <class Body>
    void for_bags(int64_t n_cycles, size_t n_threads, const std::function<bool(size_t)>& is_interrupted, Body body) {
        Interrupt interrupt;
        if (n_threads <= 1 && double(n_cycles) * work_of_a_cycle() < BRIEF) {
            if (is_interrupted(0)) throw Interrupted{};
            for (size_t b = 0; b < bags_.size(); ++b) body(b, interrupt);
            return;
        }
        struct Nothing {};
        auto work = [&](size_t, size_t b) {
            body(b, interrupt);
            return Nothing{};
        };
        run_in_order(bags_.size(), n_threads, interrupt, is_interrupted, work, [](size_t, Nothing) {});
    }

    /// Rows and cells that a cycle visits in all bags.
    double work_of_a_cycle() const {
        return double(bags_.size()) * double(rows_.target.n_sums) * (double(rows_.n()) * double(terms_.size()) + double(n_cells_));
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
        for (size_t i = 0; i < n; ++i) std::copy(start_.begin(), start_.end(), bag.F.begin() + ptrdiff_t(i * n_sums));
        bag.gradient.resize(2 * n_sums * n);
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
            : target_(boosting.rows_.target), n_(boosting.rows_.n()), bag_(bag),
              sums_(boosting.max_cells_ * target_.n_sums * 2), delta_(boosting.max_cells_ * target_.n_sums),
              steps_(target_.n_sums, boosting.settings_.step, boosting.max_cells_),
              pair_steps_(target_.n_sums, boosting.settings_.step, boosting.max_cells_) {}

        void differentiate() {
            const size_t n_sums = target_.n_sums;
            for (size_t i = 0; i < n_; ++i) {
                double* gradient = bag_.gradient.data() + i * 2 * n_sums;
                differentiate_row(target_, bag_.F.data() + i * n_sums, i, bag_.weight[i], gradient, gradient + n_sums);
            }
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
                add_rows(term.cells.data(), bag_.gradient.data(), n_, 2 * target_.n_sums, sums_.data());
                return pair_steps_.find(term.n_cells / term.n_second, term.n_second, sums_.data(), counts, delta_.data());
            }
            add_rows(term.bins.data(), bag_.gradient.data(), n_, 2 * target_.n_sums, sums_.data());
            return steps_.find(term.column, sums_.data(), counts, delta_.data());
        }

        /// Add the step that was found to the heights from `first` on, to F and to the gradient.
        void add(const Term& term, size_t first) {
            double* heights = bag_.heights.data() + first;
            for (size_t q = 0; q < term.n_cells * target_.n_sums; ++q) heights[q] += delta_[q];
            if (term.n_second) follow(term.cells.data(), delta_.data(), n_, target_.n_sums, bag_.F.data(), bag_.gradient.data());
            else follow(term.bins.data(), delta_.data(), n_, target_.n_sums, bag_.F.data(), bag_.gradient.data());
        }

    private:
        const Target& target_;
        size_t n_;
        Bag& bag_;
        std::vector<double> sums_, delta_;
        StepFinder steps_;
        PairStepFinder pair_steps_;
    };

    double held_out_loss(size_t b) const {
        std::vector<double> p(rows_.target.n_sums);
        double sum = 0.0;
        for (const uint32_t i : bags_[b].held_out) {
            sum += rows_.target.weight[i] * rows_.held_out[b][i] * row_loss(rows_.target, bags_[b].F.data() + i * p.size(), i, p.data());
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
