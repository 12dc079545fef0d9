// The path of the squared loss where columns outnumber rows: one fit, from one strength to the next.
//
// A working set of columns grows by those that violate optimality; its Gram matrix is kept, so that a step of coordinate descent
// costs the size of the working set, whatever the number of rows.
#pragma once
#include "path_fit.hpp"
#include "quadratic.hpp"

namespace tamis {

class SquaredPath final : public PathFit {
   public:
    /// y: centred where there is an intercept.
    SquaredPath(const Columns& columns, std::span<const double> y, std::span<const double> w, Penalty penalty, bool has_intercept)
        : columns_(columns), y_(y), weights_(w), penalty_(penalty), has_intercept_(has_intercept), p_(columns.size()), n_(y.size()),
          beta_(p_, 0.0), eta_(n_, 0.0), residual_(n_), null_gradient_(p_), inside_(p_, 0), limits_(p_) {
        multiply(w.data(), y.data(), residual_.data(), n_);
        all_gradients(columns_, residual_.data(), null_gradient_.data());
        screening_.start(residual_, null_gradient_);
        null_loss_ = 0.5 * weighted_dot(w.data(), y.data(), y.data(), n_);
    }

    const std::vector<double>& null_gradient() const { return null_gradient_; }
    double null_loss() const { return null_loss_; }

    /// Minimise 1/2 sum w (y - eta)^2 + alpha * penalty for falling alphas, each from the solution before.
    void solve(std::span<const double> alphas, Goal goal, PathOut out) override {
        Violators found;
        for (size_t a = 0; a < alphas.size(); ++a) {
            const double gap = solve_at(alphas[a], goal, found);
            std::copy(beta_.begin(), beta_.end(), out.coef[a]);
            out.coef[a][p_] = intercept_;
            std::copy(eta_.begin(), eta_.end(), out.eta[a]);
            out.gap[a] = gap;
        }
    }

    double loss_of(const double* eta, std::span<const int64_t> rows, std::span<const double> share) const override {
        double total = 0.0;
        for (size_t k = 0; k < rows.size(); ++k) {
            const double error = y_[rows[k]] - eta[rows[k]];
            total += 0.5 * share[k] * error * error;
        }
        return total;
    }

   private:
    static constexpr int kRounds = 200;
    static constexpr size_t kSweeps = 2000;
    static constexpr size_t kDirect = 300;  // columns in use up to which a direct solve costs less than a few sweeps

    Columns columns_;
    std::span<const double> y_;
    RowWeights weights_;
    Penalty penalty_;
    bool has_intercept_;
    size_t p_, n_;
    std::vector<double> beta_, eta_, residual_, null_gradient_;
    double intercept_ = 0.0, null_loss_ = 0.0;
    Screening screening_;
    std::vector<uint8_t> inside_;
    std::vector<double> limits_;
    std::vector<int64_t> working_;   // the columns of the working set
    std::vector<double> gradient_;   // of the working set
    std::vector<double> gram_;       // (room, room), of the working set in the units of the fit
    size_t room_ = 0;

    double solve_at(double alpha, Goal goal, Violators& found) {
        for (size_t j = 0; j < p_; ++j) limits_[j] = alpha * penalty_.l1[j];
        double gap = kInfinity, tolerance = 0.1;
        for (int round = 0; round < kRounds && !is_stopped(); ++round) {
            for (size_t k = 0; k < working_.size(); ++k) gradient_[k] = columns_.gradient(size_t(working_[k]), residual_.data());
            screening_.find(columns_, weights_.inverse.data(), residual_.data(), limits_.data(), inside_.data(), found);
            const double before = gap;
            gap = duality_gap(alpha, found);
            if (gap <= goal.gap) break;
            tolerance = gap > 0.1 * before ? std::max(1e-10, tolerance * 0.01) : 0.1;
            found.keep_worst(limits_.data(), std::max<size_t>(64, working_.size()));
            admit(found);
            minimise(alpha, tolerance, goal.gap);
        }
        return gap;
    }

    /// Let the violators enter, with their products with the columns inside.
    void admit(const Violators& found) {
        const size_t size = working_.size() + found.size();
        if (size > room_) {
            std::vector<double> grown(4 * size * size);
            for (size_t i = 0; i < working_.size(); ++i)
                std::copy_n(gram_.data() + i * room_, working_.size(), grown.data() + i * 2 * size);
            gram_ = std::move(grown);
            room_ = 2 * size;
        }
        std::vector<double> weighted(n_);
        for (size_t k = 0; k < found.size(); ++k) {
            const size_t j = size_t(found.column[k]), last = working_.size();
            inside_[j] = 1;
            working_.push_back(int64_t(j));
            gradient_.push_back(found.gradient[k]);
            multiply(weights_.w.data(), columns_.Z[j], weighted.data(), n_);
            for (size_t i = 0; i <= last; ++i) {
                const size_t other = size_t(working_[i]);
                const double product = columns_.dot(other, weighted.data()) - columns_.centre[j] * columns_.centre[other];
                gram_[last * room_ + i] = gram_[i * room_ + last] = product * columns_.inverse[j] * columns_.inverse[other];
            }
        }
    }

    /// New coefficients of the working set: coordinate descent on its Gram matrix, then a direct solve; predictor and residuals
    /// follow.
    void minimise(double alpha, double tolerance, double goal) {
        const size_t m = working_.size();
        std::vector<double> now(m), q(gradient_.begin(), gradient_.end()), l1(m), l2(m), sides(m);
        for (size_t k = 0; k < m; ++k) {
            now[k] = beta_[working_[k]];
            l1[k] = alpha * penalty_.l1[working_[k]];
            l2[k] = alpha * penalty_.l2[working_[k]];
            sides[k] = penalty_.side(size_t(working_[k]));
        }
        const Quadratic model{{gram_.data(), room_, room_}, m, q.data(), now.data(), l1.data(), l2.data(), sides.data()};
        coordinate_descent(model, tolerance * goal, kSweeps);
        const size_t n_used = m - size_t(std::count(now.begin(), now.end(), 0.0));
        if (tolerance < 0.1 || n_used <= kDirect) solve_active(model);
        for (size_t k = 0; k < m; ++k) {
            const size_t j = size_t(working_[k]);
            const double move = (now[k] - beta_[j]) * columns_.inverse[j];
            beta_[j] = now[k];
            if (move != 0.0) columns_.add(j, move, eta_.data());
        }
        if (has_intercept_) {
            const double shift = dot(weights_.w.data(), y_.data(), n_) - dot(weights_.w.data(), eta_.data(), n_);
            intercept_ += shift;
            for (double& value : eta_) value += shift;
        }
        for (size_t i = 0; i < n_; ++i) residual_[i] = weights_.w[i] * (y_[i] - eta_[i]);
    }

    /// The residuals shrunk until no gradient is beyond its penalty.
    double duality_gap(double alpha, const Violators& found) const {
        DualTerms dual;
        penalty_.add_dual(beta_.data(), working_, gradient_.data(), alpha, dual);
        penalty_.add_dual(beta_.data(), found.column, found.gradient.data(), alpha, dual);
        const double dual_scale = dual.scale;
        double loss = 0.0, target_dot_residual = 0.0;
        for (size_t i = 0; i < n_; ++i) {
            const double error = y_[i] - eta_[i];
            loss += 0.5 * weights_.w[i] * error * error;
            target_dot_residual += residual_[i] * y_[i];
        }
        return loss * (1.0 + dual_scale * dual_scale) + penalty_.value(beta_.data(), working_, alpha) -
               dual_scale * target_dot_residual + dual.conjugate;
    }
};

}  // namespace tamis
