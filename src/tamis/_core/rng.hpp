#pragma once
#include <cstdint>

namespace tamis {

/// The increment of SplitMix64: 2^64 over the golden ratio, odd.
inline constexpr uint64_t GOLDEN = 0x9E3779B97F4A7C15ULL;

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
constexpr uint64_t splitmix64(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

/// Random numbers by xorshift64*; one seed a tree, so that any of it can be drawn again.
class Rng {
public:
    explicit Rng(uint64_t seed) : state_(splitmix64(seed + GOLDEN) | 1) {}

    /// A whole number from 0 to n - 1, for n below 2^32.
    int64_t below(int64_t n) { return int64_t(((next() >> 32) * uint64_t(n)) >> 32); }

    /// A number in [0, 1).
    double uniform() { return double(next() >> 11) * (1.0 / 9007199254740992.0); }

private:
    uint64_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545F4914F6CDD1DULL;
    }

    uint64_t state_;
};

}  // namespace tamis
