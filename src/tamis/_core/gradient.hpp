#pragma once
// Second-order gain: what a split brings by the gradients and hessians of a loss (Friedman 2001; Chen and Guestrin 2016).
#include <cstdint>

#include "criterion.hpp"

namespace tamis {

/// Sums over rows: of gradients G, of hessians H and of rows; a fourth number makes them one wide register.
struct alignas(32) GradientSums {
    double gradient = 0.0, hessian = 0.0, count = 0.0, unused = 0.0;

    GradientSums& operator+=(const GradientSums& other) {
        gradient += other.gradient;
        hessian += other.hessian;
        count += other.count;
        unused += other.unused;
        return *this;
    }
    GradientSums& operator-=(const GradientSums& other) {
        gradient -= other.gradient;
        hessian -= other.hessian;
        count -= other.count;
        unused -= other.unused;
        return *this;
    }
};

/// Children with the sums (G, H) of gradients and hessians bring the loss down by half of the
///
///     gain = G_l² / (H_l + λ) + G_r² / (H_r + λ) - G² / (H + λ)
///
/// and the score of a split is the sum of the first two terms.
class SecondOrderGain {
public:
    static constexpr double MIN_HESSIAN = 1e-3;  // of either child: the step of a leaf with less is arbitrary

    SecondOrderGain(const GradientSums& node, double l2, double min_leaf)
        : node_(node), l2_(l2), min_leaf_(min_leaf), unsplit_(node.hessian + l2 > 0.0 ? score_of(node) : 0.0) {}

    const GradientSums& node() const { return node_; }
    double unsplit() const { return unsplit_; }  // G² / (H + λ)

    bool is_small(const GradientSums& left) const { return left.count < min_leaf_ || left.hessian < MIN_HESSIAN; }
    bool leaves_few(const GradientSums& left) const {
        return node_.count - left.count < min_leaf_ || node_.hessian - left.hessian < MIN_HESSIAN;
    }

    /// The score as numerator and denominator: scores are compared without a division.
    struct Score {
        double above, below;

        bool exceeds(double bar) const { return above > bar * below; }
        double value() const { return above / below; }
    };

    Score score(const GradientSums& left) const {
        const double gl = left.gradient, gr = node_.gradient - gl;
        const double a = left.hessian + l2_, b = node_.hessian - left.hessian + l2_;
        return {gl * gl * b + gr * gr * a, a * b};
    }

private:
    double score_of(const GradientSums& sums) const { return sums.gradient * sums.gradient / (sums.hessian + l2_); }

    GradientSums node_;
    double l2_, min_leaf_, unsplit_;
};

}  // namespace tamis
