#pragma once
// Second-order gain: what a split brings by the gradients and hessians of a loss (Friedman 2001; Chen and Guestrin 2016).
#include <cstdint>

#include "criterion.hpp"
#include "monotone.hpp"

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

/// The step to where the loss is least, as far as its first two derivatives tell: - G / (H + λ).
inline double newton_step(const GradientSums& sums, double l2) { return -sums.gradient / (sums.hessian + l2 + 1e-15); }

/// Children with the sums (G, H) of gradients and hessians bring the loss down by half of the
///
///     gain = G_l² / (H_l + λ) + G_r² / (H_r + λ) - G² / (H + λ)
///
/// and the score of a split is the sum of the first two terms.
class SecondOrderGain {
public:
    static constexpr double MIN_HESSIAN = 1e-3;  // of either child: the step of a leaf with less is arbitrary

    /// bounds: of the steps of the node and its children, where they are bounded.
    SecondOrderGain(const GradientSums& node, double l2, double min_leaf, const Bounds* bounds)
        : node_(node), l2_(l2), min_leaf_(min_leaf), bounds_(bounds), unsplit_(0.0) {
        if (bounds) unsplit_ = fall_of(node, step_of(node));
        else if (node.hessian + l2 > 0.0) unsplit_ = score_of(node);
    }

    const GradientSums& node() const { return node_; }
    double unsplit() const { return unsplit_; }  // G² / (H + λ)
    bool is_bounded() const { return bounds_ != nullptr; }

    bool is_small(const GradientSums& left) const { return left.count < min_leaf_ || left.hessian < MIN_HESSIAN; }
    bool leaves_few(const GradientSums& left) const {
        return node_.count - left.count < min_leaf_ || node_.hessian - left.hessian < MIN_HESSIAN;
    }

    SquaresOverWeight score(const GradientSums& left) const {
        const double gl = left.gradient, gr = node_.gradient - gl;
        return {gl * gl, left.hessian + l2_, gr * gr, node_.hessian - left.hessian + l2_};
    }

    /// The same of steps d within bounds, each of which brings - 2 G d - (H + λ) d²; none where they go against the column.
    SquaresOverWeight bounded_score(const GradientSums& left, int monotone) const {
        GradientSums right = node_;
        right -= left;
        const double a = step_of(left), b = step_of(right);
        if (monotone * (b - a) < 0.0) return {-std::numeric_limits<double>::infinity(), 1.0, 0.0, 1.0};
        return {fall_of(left, a), 1.0, fall_of(right, b), 1.0};
    }

private:
    double step_of(const GradientSums& sums) const { return bounds_->clamp(newton_step(sums, l2_)); }
    double fall_of(const GradientSums& sums, double step) const { return -(2.0 * sums.gradient + (sums.hessian + l2_) * step) * step; }
    double score_of(const GradientSums& sums) const { return sums.gradient * sums.gradient / (sums.hessian + l2_); }

    GradientSums node_;
    double l2_, min_leaf_;
    const Bounds* bounds_;
    double unsplit_;
};

}  // namespace tamis
