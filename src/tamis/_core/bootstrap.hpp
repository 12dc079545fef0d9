#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rng.hpp"

namespace tamis {

/// How the rows of a tree are drawn: sizes[s] from stratum s of the population, with or without replacement.
struct Draws {
    std::span<const uint32_t> population;  // rows, each as often as it counts
    std::span<const int64_t> strata;       // (strata + 1): where each stratum begins in the population, and the end
    std::span<const int64_t> sizes;        // (strata)
    bool replace;
    int64_t step;  // of the rows left out, one of so many judges the tree

    /// counts[i]: how often row i is drawn.
    void draw(uint64_t seed, std::span<int32_t> counts) const {
        Rng rng(seed);
        std::fill(counts.begin(), counts.end(), 0);
        std::vector<uint32_t> rest;  // without replacement: the population, those drawn first
        if (!replace) rest.assign(population.begin(), population.end());
        for (size_t s = 0; s < sizes.size(); ++s) {
            const int64_t first = strata[s], n = strata[s + 1] - strata[s];
            for (int64_t k = 0; k < sizes[s]; ++k) {
                if (replace) {
                    counts[population[first + rng.below(n)]] += 1;
                } else {
                    std::swap(rest[first + k], rest[first + k + rng.below(n - k)]);
                    counts[rest[first + k]] += 1;
                }
            }
        }
    }

    /// The rows that were not drawn, of every `step`-th row from a place on that depends on the seed.
    std::vector<uint32_t> left_out(uint64_t seed, std::span<const int32_t> counts) const {
        std::vector<uint32_t> rows;
        for (size_t i = seed % uint64_t(step); i < counts.size(); i += size_t(step)) {
            if (counts[i] == 0) rows.push_back(uint32_t(i));
        }
        return rows;
    }
};

}  // namespace tamis
