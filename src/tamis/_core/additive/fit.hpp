#pragma once
// The fit of an additive model: curves of all columns, interactions, backward elimination, curves of the columns that stay, pair maps.
#include "elimination.hpp"
#include "interactions.hpp"

namespace tamis::additive {

/// Columns as codes of one byte: values 0 ... n_values - 1, missing n_values.
struct Columns {
    Matrix<const uint8_t> codes;        // (columns, rows)
    std::span<const int32_t> n_values;  // (columns)
    std::span<const bool> category;     // (columns)
    std::span<const int8_t> monotone;   // (columns)

    size_t size() const { return n_values.size(); }
    size_t n_bins(size_t j) const { return size_t(n_values[j]) + 1; }
};

struct FitSettings {
    BoostingSettings boosting;
    size_t max_pairs;
    size_t map_bins;  // of a column in a pair map
    uint64_t seed;    // of shuffles
    bool is_path;     // several sizes
};

/// A pair map: bins of its columns are joined (bins[fine bin] = bin of the map), missing values last.
struct PairMap {
    size_t first, second;  // columns
    double p_value;
    std::vector<int32_t> first_bins, second_bins;
    size_t n_first, n_second;
    std::vector<double> heights;  // (first, second, sums)
    std::vector<double> weight;   // (first, second)
};

struct AdditiveFit {
    std::vector<double> start;    // (sums)
    std::vector<size_t> first;    // (columns + 1): where the bins of each column begin
    std::vector<double> heights;  // (bins, sums): means over bags; 0 for columns that were left out
    std::vector<double> spread;   // (bins, sums): standard deviations over bags
    std::vector<char> is_used;    // (columns)
    std::vector<PairMap> maps;
    std::vector<double> sums;     // (sums, rows): out of fold
    int64_t n_cycles;
    double loss;                  // held out
};

class Fitter {
public:
    Fitter(const Columns& columns, const Rows& rows, const FitSettings& settings, size_t n_threads, const std::function<bool(size_t)>& is_interrupted)
        : columns_(columns), rows_(rows), settings_(settings), n_threads_(n_threads), is_interrupted_(is_interrupted) {
        first_.assign(columns.size() + 1, 0);
        for (size_t j = 0; j < columns.size(); ++j) first_[j + 1] = first_[j] + columns.n_bins(j);
    }

    /// One model per size, the largest first: columns of a smaller one are those that elimination leaves of the next larger one.
    std::vector<AdditiveFit> fit_path(std::span<const size_t> sizes) {
        start_ = starting_sums();
        std::vector<size_t> columns(columns_.size());
        std::iota(columns.begin(), columns.end(), size_t(0));
        Boosting curves = boost_curves(columns);
        std::vector<PairScore> pairs;
        if (settings_.max_pairs > 0) pairs = interactions(curves);
        std::vector<size_t> selected = used(curves);
        for (const PairScore& pair : pairs) add({pair.first, pair.second}, selected);
        std::vector<AdditiveFit> path;
        for (const size_t size : sizes) {
            if (selected.size() > size) {
                Step step = best_step(curves, columns, pairs, size);
                curves = std::move(step.curves);
                selected = columns = terms_columns_ = step.columns;
                pairs = std::move(step.pairs);
                path.push_back(std::move(step.fit));
            } else {
                path.push_back(fit_terms(curves, columns, selected, pairs, size));
            }
        }
        return path;
    }

private:
    /// A model of a size: curves of its columns, the interactions that these leave, and what was fitted.
    struct Step {
        Boosting curves;
        std::vector<size_t> columns;
        std::vector<PairScore> pairs;
        AdditiveFit fit;
    };

    /// The model of so many columns: columns that elimination leaves where interactions count, or where they do not,
    /// whichever has the smaller held-out loss. An interaction is worth less where columns that act alone must go for it.
    Step best_step(const Boosting& curves, const std::vector<size_t>& columns, const std::vector<PairScore>& pairs, size_t size) {
        const std::vector<size_t> selected = select(curves, columns, pairs, size);
        std::vector<size_t> alone = selected;
        if (!pairs.empty()) alone = select(curves, columns, {}, size);
        Step step = fit_columns(selected, pairs, size);
        if (alone.empty() || alone == selected) return step;
        Step other = fit_columns(alone, pairs, size);
        return other.fit.loss < step.fit.loss ? std::move(other) : std::move(step);
    }

    Step fit_columns(const std::vector<size_t>& columns, std::vector<PairScore> pairs, size_t size) {
        Boosting curves = boost_curves(columns);
        AdditiveFit fit = fit_terms(curves, columns, columns, pairs, size);
        return {std::move(curves), columns, std::move(pairs), std::move(fit)};
    }

    /// Curves, and maps of the interactions between selected columns if they lower the held-out loss; other interactions are erased.
    AdditiveFit fit_terms(const Boosting& curves, const std::vector<size_t>& columns, const std::vector<size_t>& selected,
                          std::vector<PairScore>& pairs, size_t size) {
        std::erase_if(pairs, [&](const PairScore& pair) { return !has(selected, pair.first) || !has(selected, pair.second); });
        std::vector<PairScore> mapped(pairs.begin(), pairs.begin() + std::min(pairs.size(), max_maps(size)));
        AdditiveFit fit{start_, first_, {}, {}, std::vector<char>(columns_.size(), 0), {}, {}, 0, 0.0};
        if (mapped.empty() || !boost_with_maps(curves, selected, mapped, fit)) take(curves, fit);
        terms_columns_ = columns;
        return fit;
    }

    static bool has(const std::vector<size_t>& columns, size_t j) { return std::find(columns.begin(), columns.end(), j) != columns.end(); }

    /// Pair maps of a model of so many columns: all that are allowed, but of a path of sizes no more than pairs of different columns.
    size_t max_maps(size_t size) const { return settings_.is_path ? std::min(settings_.max_pairs, size / 2) : settings_.max_pairs; }

    static void add(std::initializer_list<size_t> more, std::vector<size_t>& columns) {
        for (const size_t j : more) {
            if (!has(columns, j)) columns.push_back(j);
        }
    }

    /// The constant that fits best: mean, log odds, logarithms of class shares about their mean, or log mean.
    std::vector<double> starting_sums() const {
        const Target& target = rows_.target;
        std::vector<double> sums(target.n_sums, 0.0);
        double total = 0.0, mean_log = 0.0;
        for (size_t i = 0; i < rows_.n(); ++i) {
            total += target.weight[i];
            if (target.loss == Loss::multinomial) sums[size_t(target.values[i])] += target.weight[i];
            else sums[0] += target.weight[i] * target.values[i];
        }
        constexpr double LEAST = 1e-9;
        for (double& sum : sums) {
            const double mean = sum / total;
            if (target.loss == Loss::squared) sum = mean;
            else if (target.loss == Loss::logistic) sum = std::log(std::max(mean, LEAST) / std::max(1.0 - mean, LEAST));
            else sum = std::log(std::max(mean, LEAST));
            mean_log += sum / double(sums.size());
        }
        if (target.loss == Loss::multinomial) {
            for (double& sum : sums) sum -= mean_log;
        }
        return sums;
    }

    std::vector<Term> curve_terms(const std::vector<size_t>& columns) {
        std::vector<Term> terms;
        for (const size_t j : columns) {
            const ColumnFacts facts{size_t(columns_.n_values[j]), columns_.category[j], columns_.monotone[j]};
            terms.push_back({columns_.codes.row(j), {}, columns_.n_bins(j), facts, 0, first_[j]});
        }
        terms_columns_ = columns;
        return terms;
    }

    Boosting boost_curves(const std::vector<size_t>& columns) {
        Boosting boosting(rows_, curve_terms(columns), settings_.boosting, start_);
        boosting.run(n_threads_, is_interrupted_);
        return boosting;
    }

    /// Columns whose curve is not 0 in some bag.
    std::vector<size_t> used(const Boosting& curves) const {
        std::vector<size_t> columns;
        for (size_t t = 0; t < terms_columns_.size(); ++t) {
            const Term& term = curves.terms()[t];
            auto is_bent = [&](const Bag& bag) {
                const double* heights = bag.best_of(t);
                return heights && std::any_of(heights, heights + term.n_cells * start_.size(), [](double height) { return height != 0.0; });
            };
            if (std::any_of(curves.bags().begin(), curves.bags().end(), is_bent)) columns.push_back(terms_columns_[t]);
        }
        return columns;
    }

    /// Columns that stay of those of the curves: at most max_columns, those of interactions by what these are worth, too.
    std::vector<size_t> select(const Boosting& curves, const std::vector<size_t>& columns, const std::vector<PairScore>& pairs, size_t max_columns) const {
        std::vector<size_t> terms;
        if (columns.size() == columns_.size()) {
            terms = widest(curves, MAX_ELIMINATED);
            for (const PairScore& pair : pairs) add({pair.first, pair.second}, terms);
            std::sort(terms.begin(), terms.end());
        } else {
            terms.resize(columns.size());
            std::iota(terms.begin(), terms.end(), size_t(0));
        }
        auto term_of = [&](size_t column) { return position(terms, position(columns, column)); };
        std::vector<Interaction> interactions;
        for (const PairScore& pair : pairs) interactions.push_back({term_of(pair.first), term_of(pair.second), pair.statistic});
        FactorLoss loss = factor_loss(curves, rows_, terms);
        for (const Interaction& pair : interactions) {  // a column may act in interactions alone
            for (const size_t t : {pair.first, pair.second}) loss.A[t * terms.size() + t] += 1e-9;
        }
        std::vector<size_t> selected;
        for (const size_t t : eliminate(loss, max_columns, interactions)) selected.push_back(columns[terms[t]]);
        return selected;
    }

    static size_t position(const std::vector<size_t>& values, size_t value) {
        return size_t(std::find(values.begin(), values.end(), value) - values.begin());
    }

    /// Columns whose curves vary most over rows, in the order of columns; all columns are terms here.
    std::vector<size_t> widest(const Boosting& curves, size_t max_columns) const {
        std::vector<double> heights, spread, width(columns_.size(), 0.0);
        average(curves, heights, spread);
        for (size_t j = 0; j < columns_.size(); ++j) {
            for (size_t k = 0; k < start_.size(); ++k) {
                double total = 0.0, sum = 0.0, squares = 0.0;
                for (size_t bin = first_[j]; bin < first_[j + 1]; ++bin) {
                    double rows = 0.0;
                    for (const Bag& bag : curves.bags()) rows += bag.counts[bin];
                    const double height = heights[bin * start_.size() + k];
                    total += rows;
                    sum += rows * height;
                    squares += rows * height * height;
                }
                if (total > 0.0) width[j] += squares / total - (sum / total) * (sum / total);
            }
        }
        std::vector<size_t> order(columns_.size());
        std::iota(order.begin(), order.end(), size_t(0));
        std::stable_sort(order.begin(), order.end(), [&](size_t s, size_t t) { return width[s] > width[t] * (1.0 + 1e-9); });
        order.resize(std::min(order.size(), max_columns));
        std::sort(order.begin(), order.end());
        return order;
    }

    void average(const Boosting& boosting, std::vector<double>& mean, std::vector<double>& spread) const {
        const size_t n_bags = boosting.bags().size(), n_sums = start_.size();
        mean.assign(first_.back() * n_sums, 0.0);
        spread.assign(first_.back() * n_sums, 0.0);
        for (size_t t = 0; t < boosting.terms().size(); ++t) {
            const Term& term = boosting.terms()[t];
            if (term.n_second) continue;
            for (size_t q = 0; q < term.n_cells * n_sums; ++q) {
                double sum = 0.0, squares = 0.0;
                auto height = [&](const Bag& bag) { return bag.best_of(t) ? bag.best_of(t)[q] : 0.0; };
                for (const Bag& bag : boosting.bags()) sum += height(bag);
                sum /= double(n_bags);
                for (const Bag& bag : boosting.bags()) squares += (height(bag) - sum) * (height(bag) - sum);
                mean[term.first * n_sums + q] = sum;
                spread[term.first * n_sums + q] = std::sqrt(squares / double(std::max<size_t>(1, n_bags - 1)));
            }
        }
    }

    /// (sums, rows): means over the bags that hold a row out; the start where none does.
    std::vector<double> out_of_fold(const Boosting& boosting) const {
        const size_t n = rows_.n(), n_sums = start_.size();
        std::vector<double> sums(n_sums * n, 0.0), own(n_sums);
        std::vector<double> share(n, 0.0);
        for (size_t b = 0; b < boosting.bags().size(); ++b) {
            for (const uint32_t i : boosting.bags()[b].held_out) {
                boosting.sums_at_best(b, i, own.data());
                share[i] += rows_.held_out[b][i];
                for (size_t k = 0; k < n_sums; ++k) sums[k * n + i] += rows_.held_out[b][i] * own[k];
            }
        }
        for (size_t k = 0; k < n_sums; ++k) {
            for (size_t i = 0; i < n; ++i) sums[k * n + i] = share[i] > 0.0 ? sums[k * n + i] / share[i] : start_[k];
        }
        return sums;
    }

    /// Bins of a column joined into at most max_bins of about equal numbers of rows; missing values keep a bin, the last.
    /// Levels of a category are put in the order of their heights first.
    std::pair<std::vector<int32_t>, size_t> join_bins(size_t j, const std::vector<double>& heights, size_t max_bins) const {
        const size_t n_values = size_t(columns_.n_values[j]), n_sums = start_.size();
        std::vector<double> counts(n_values + 1, 0.0);
        for (size_t i = 0; i < rows_.n(); ++i) counts[columns_.codes[j][i]] += rows_.counted[i];
        std::vector<size_t> order(n_values);
        std::iota(order.begin(), order.end(), size_t(0));
        if (columns_.category[j]) {
            const double* own = heights.data() + first_[j] * n_sums;
            std::stable_sort(order.begin(), order.end(), [&](size_t s, size_t t) { return own[s * n_sums] < own[t * n_sums]; });
        }
        const double total = std::accumulate(counts.begin(), counts.end() - 1, 0.0);
        std::vector<int32_t> bins(n_values + 1, 0);
        int32_t last = -1;
        double before = 0.0, quantile = -1.0;
        for (const size_t v : order) {
            const double now = n_values <= max_bins ? double(last + 1) : std::floor(before * double(max_bins) / total);
            if (now != quantile) ++last;
            quantile = now;
            bins[v] = last;
            before += counts[v];
        }
        bins[n_values] = last + 1;
        return {bins, size_t(last + 2)};
    }

    std::vector<PairScore> interactions(const Boosting& curves) {
        const size_t n = rows_.n(), n_sums = start_.size();
        std::vector<double> heights, spread, F = out_of_fold(curves), g(n_sums * n), h(n_sums * n), row(3 * n_sums);
        average(curves, heights, spread);
        for (size_t i = 0; i < n; ++i) {
            for (size_t k = 0; k < n_sums; ++k) row[k] = F[k * n + i];
            differentiate_row(rows_.target, row.data(), i, rows_.target.weight[i], row.data() + n_sums, row.data() + 2 * n_sums);
            for (size_t k = 0; k < n_sums; ++k) {
                g[k * n + i] = row[n_sums + k];
                h[k * n + i] = std::max(row[2 * n_sums + k], 1e-9);
            }
        }
        CoarseColumns coarse;
        std::vector<size_t> candidates;
        for (const size_t j : columns_.size() > MAX_PAIRED ? widest(curves, MAX_PAIRED) : terms_columns_) {
            if (columns_.n_values[j] > 0 && columns_.monotone[j] == 0) candidates.push_back(j);
        }
        coarse.bins.resize(columns_.size());
        coarse.n_bins.assign(columns_.size(), 1);
        for (const size_t j : candidates) {
            const auto [bins, n_bins] = join_bins(j, heights, DETECTION_BINS);
            coarse.n_bins[j] = n_bins;
            coarse.bins[j].resize(n);
            for (size_t i = 0; i < n; ++i) coarse.bins[j][i] = uint8_t(bins[columns_.codes[j][i]]);
        }
        const std::vector<double> lanes = n_sums > 1 ? drawn_gradients(rows_.target, F.data(), g, settings_.seed)
                                                     : shuffled_gradients(g, h, rows_.target.weight, n_sums, settings_.seed);
        return find_interactions(coarse, candidates, rows_.counted, lanes, h, n_sums, settings_.max_pairs, n_threads_, is_interrupted_);
    }

    /// Curves and out-of-fold sums of a fit.
    void take(const Boosting& boosting, AdditiveFit& fit) const {
        for (const size_t j : used(boosting)) fit.is_used[j] = 1;
        average(boosting, fit.heights, fit.spread);
        fit.sums = out_of_fold(boosting);
        fit.n_cycles = boosting.best_cycle();
        fit.loss = boosting.best_loss();
    }

    /// Curves and maps boosted together; false where that does not lower the held-out loss of the curves alone.
    bool boost_with_maps(const Boosting& curves, std::vector<size_t> columns, const std::vector<PairScore>& pairs, AdditiveFit& fit) {
        const size_t n = rows_.n(), n_sums = start_.size();
        const std::vector<size_t> curve_columns = terms_columns_;
        std::vector<double> heights, spread;
        average(curves, heights, spread);
        std::vector<PairMap> maps;
        std::vector<std::vector<uint16_t>> cells(pairs.size(), std::vector<uint16_t>(n));
        std::sort(columns.begin(), columns.end());
        std::vector<Term> terms = curve_terms(columns);
        size_t first = first_.back();
        for (size_t q = 0; q < pairs.size(); ++q) {
            PairMap map{pairs[q].first, pairs[q].second, pairs[q].p_value, {}, {}, 0, 0, {}, {}};
            std::tie(map.first_bins, map.n_first) = join_bins(map.first, heights, settings_.map_bins);
            std::tie(map.second_bins, map.n_second) = join_bins(map.second, heights, settings_.map_bins);
            map.weight.assign(map.n_first * map.n_second, 0.0);
            for (size_t i = 0; i < n; ++i) {
                const int32_t x = map.first_bins[columns_.codes[map.first][i]], y = map.second_bins[columns_.codes[map.second][i]];
                cells[q][i] = uint16_t(size_t(x) * map.n_second + size_t(y));
                map.weight[cells[q][i]] += rows_.target.weight[i];
            }
            terms.push_back({{}, cells[q], map.n_first * map.n_second, {}, map.n_second, first});
            first += map.n_first * map.n_second;
            maps.push_back(std::move(map));
        }
        Boosting joint(rows_, std::move(terms), settings_.boosting, start_);
        joint.run(n_threads_, is_interrupted_);
        if (!(joint.best_loss() < curves.best_loss())) {
            terms_columns_ = curve_columns;
            return false;
        }
        take(joint, fit);
        for (size_t q = 0; q < maps.size(); ++q) {
            const size_t t = joint.terms().size() - maps.size() + q, size = joint.terms()[t].n_cells * n_sums;
            maps[q].heights.assign(size, 0.0);
            for (const Bag& bag : joint.bags()) {
                const double* heights = bag.best_of(t);
                for (size_t c = 0; heights && c < size; ++c) maps[q].heights[c] += heights[c];
            }
            for (double& height : maps[q].heights) height /= double(joint.bags().size());
        }
        fit.maps = std::move(maps);
        return true;
    }

    static constexpr size_t MAX_ELIMINATED = 300;  // columns among which elimination chooses; the widest curves of more
    static constexpr size_t MAX_PAIRED = 100;      // columns among which interactions are looked for, likewise
    static constexpr size_t DETECTION_BINS = 8;

    Columns columns_;
    Rows rows_;
    FitSettings settings_;
    size_t n_threads_;
    std::function<bool(size_t)> is_interrupted_;
    std::vector<size_t> first_, terms_columns_;
    std::vector<double> start_;
};

}  // namespace tamis::additive
