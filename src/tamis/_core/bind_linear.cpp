// Linear models: paths of penalised losses, best subsets; exponentials and logarithms of arrays.
#include <nanobind/stl/string.h>

#include <memory>

#include "bind_matrix.hpp"
#include "exponential.hpp"
#include "linear/best_subset.hpp"
#include "linear/logistic_sets.hpp"
#include "linear/losses/losses.hpp"
#include "linear/multinomial_path.hpp"
#include "linear/prox_newton.hpp"
#include "linear/quadratic.hpp"
#include "linear/squared_path.hpp"
#include "linear/strengths.hpp"

namespace tamis {

using namespace nb::literals;

namespace {

using Release = nb::call_guard<nb::gil_scoped_release>;
using Numbers = Vector1<const double>;
using Integers = Vector1<const int64_t>;

TAMIS_WIDE void each_exp(std::span<double> x) {
    for (double& value : x) value = exp_below_0(value);
}
TAMIS_WIDE void each_log(std::span<double> x) {
    for (double& value : x) value = log_above_1(value);
}
TAMIS_WIDE void each_log1p(std::span<double> x) {
    for (double& value : x) value = log1p_below_1(value);
}
TAMIS_WIDE void each_times_log(std::span<double> x) {
    for (double& value : x) value = times_log(value);
}

/// The columns of one fit, their arrays kept alive.
struct ColumnsHolder {
    Array2<const double> Z;
    Integers begin, row;
    Numbers centre, inverse, norms;
    size_t n_rows;

    Columns columns() const {
        return {view(Z), view(begin), view(row), n_rows, centre.data(), inverse.data(), norms.data()};
    }
    void check() const {
        const bool is_sparse = begin.shape(0) > 0;
        const size_t p = is_sparse ? begin.shape(0) - 1 : Z.shape(0);
        require(centre.shape(0) == p && inverse.shape(0) == p && norms.shape(0) == p, "a number per column");
        require(is_sparse ? row.shape(0) == Z.shape(1) : Z.shape(1) == n_rows, "a number per row, or a row per entry");
        for (size_t e = 0; e < row.shape(0); ++e) require(row.data()[e] >= 0 && size_t(row.data()[e]) < n_rows, "rows of the table");
    }
};

/// Numbers of a vector inside an object of Python, which is kept alive by the array.
nb::ndarray<nb::numpy, double> inside(std::vector<double>& values, nb::handle owner, std::vector<size_t> shape) {
    return nb::ndarray<nb::numpy, double>(values.data(), shape.size(), shape.data(), owner);
}

PathOut path_out(const Array2<double>& coef, const Array2<double>& eta, const Vector1<double>& gap) {
    return {view(coef), view(eta), view(gap)};
}

void check_out(size_t m, size_t n_coef, size_t n_eta, const Array2<double>& coef, const Array2<double>& eta,
               const Vector1<double>& gap) {
    require(coef.shape(0) == m && eta.shape(0) == m && gap.shape(0) == m, "a row per strength");
    require(coef.shape(1) == n_coef && eta.shape(1) == n_eta, "a number per coefficient, a number per row");
}

/// A fit and the arrays it reads.
struct OnePredictor {
    ColumnsHolder columns;
    Numbers y, w, offset, l1, l2;
    std::unique_ptr<OnePredictorFit> fit;
};

struct SquaredHolder {
    ColumnsHolder columns;
    Numbers y, w, l1, l2;
    std::unique_ptr<SquaredPath> fit;
};

struct MultinomialHolder {
    ColumnsHolder columns;
    Integers y;
    Numbers w, l1, l2;
    Integers ends;
    std::unique_ptr<MultinomialPath> fit;
};

void check_rows(const ColumnsHolder& columns, size_t y, const Numbers& w, const Numbers& l1, const Numbers& l2) {
    const size_t p = columns.centre.shape(0);
    require(y == columns.n_rows && w.shape(0) == columns.n_rows, "a target and a weight per row");
    require(l1.shape(0) == p && l2.shape(0) == p, "a penalty per column");
}

void bind_quadratic(nb::module_& module) {
    module.def(
        "coordinate_descent",
        [](Array2<const double> H, Vector1<double> q, Vector1<double> beta, Numbers l1, Numbers l2, double tol, size_t max_sweeps) {
            const size_t p = beta.shape(0);
            require(H.shape(0) == p && H.shape(1) == p && q.shape(0) == p && l1.shape(0) == p && l2.shape(0) == p, "p columns");
            return coordinate_descent({view(H), p, q.data(), beta.data(), l1.data(), l2.data()}, tol, max_sweeps);
        },
        "H"_a, "q"_a.noconvert(), "beta"_a.noconvert(), "l1"_a, "l2"_a, "tol"_a, "max_sweeps"_a, Release());
    module.def(
        "solve_active",
        [](Array2<const double> H, Vector1<double> q, Vector1<double> beta, Numbers l1, Numbers l2) {
            const size_t p = beta.shape(0);
            require(H.shape(0) == p && H.shape(1) == p && q.shape(0) == p && l1.shape(0) == p && l2.shape(0) == p, "p columns");
            solve_active({view(H), p, q.data(), beta.data(), l1.data(), l2.data()});
        },
        "H"_a, "q"_a.noconvert(), "beta"_a.noconvert(), "l1"_a, "l2"_a, Release());
    module.def(
        "group_coordinate_descent",
        [](Array2<const double> H, Vector1<double> q, Vector1<double> beta, Integers starts, Numbers top, Numbers l1, Numbers l2,
           double tol, size_t max_sweeps) {
            const size_t p = beta.shape(0), n_groups = top.shape(0);
            require(H.shape(0) == p && H.shape(1) == p && q.shape(0) == p, "p columns");
            require(starts.shape(0) == n_groups + 1 && l1.shape(0) == n_groups && l2.shape(0) == n_groups, "a number per group");
            const Quadratic model{view(H), p, q.data(), beta.data(), nullptr, nullptr};
            return group_coordinate_descent(model, view(starts), top.data(), l1.data(), l2.data(), tol, max_sweeps);
        },
        "H"_a, "q"_a.noconvert(), "beta"_a.noconvert(), "starts"_a, "top"_a, "l1"_a, "l2"_a, "tol"_a, "max_sweeps"_a, Release());
    module.def(
        "gram_path",
        [](Array2<const double> H, Numbers c, double yy, Numbers l1, Numbers l2, Numbers alphas, double goal, Array2<double> coef,
           Vector1<double> gap) {
            const size_t p = c.shape(0), m = alphas.shape(0);
            require(H.shape(0) == p && H.shape(1) == p && l1.shape(0) == p && l2.shape(0) == p, "p columns");
            require(coef.shape(0) == m && coef.shape(1) == p && gap.shape(0) == m, "a row per strength");
            gram_path(view(H), view(c), yy, view(l1), view(l2), view(alphas), goal, view(coef), view(gap), [] { return false; });
        },
        "H"_a, "c"_a, "yy"_a, "l1"_a, "l2"_a, "alphas"_a, "goal"_a, "coef"_a.noconvert(), "gap"_a.noconvert(), Release());
}

void bind_fits(nb::module_& module) {
    nb::class_<ColumnsHolder>(module, "Columns", "Columns of one fit: (Z - centre) * inverse, dense or by entries.")
        .def("__init__",
             [](ColumnsHolder* self, Array2<const double> Z, Integers begin, Integers row, Numbers centre, Numbers inverse,
                Numbers norms, size_t n_rows) {
                 new (self) ColumnsHolder{Z, begin, row, centre, inverse, norms, n_rows};
                 self->check();
             },
             "Z"_a, "begin"_a, "row"_a, "centre"_a, "inverse"_a, "norms"_a, "n_rows"_a);

    nb::class_<SquaredHolder>(module, "SquaredPath", "A fit of the squared loss by the Gram matrix of its working set.")
        .def("__init__",
             [](SquaredHolder* self, const ColumnsHolder& columns, Numbers y, Numbers w, Numbers l1, Numbers l2, bool has_intercept) {
                 check_rows(columns, y.shape(0), w, l1, l2);
                 require(columns.begin.shape(0) == 0, "dense columns");
                 new (self) SquaredHolder{columns, y, w, l1, l2, nullptr};
                 self->fit = std::make_unique<SquaredPath>(columns.columns(), view(y), view(w), ElasticNet{view(l1), view(l2)},
                                                           has_intercept);
             },
             "columns"_a, "y"_a, "w"_a, "l1"_a, "l2"_a, "has_intercept"_a)
        .def("solve",
             [](SquaredHolder& self, Numbers alphas, double goal, double enough, Array2<double> coef, Array2<double> eta,
                Vector1<double> gap) {
                 check_out(alphas.shape(0), self.l1.shape(0) + 1, self.y.shape(0), coef, eta, gap);
                 self.fit->solve(view(alphas), {goal, enough}, path_out(coef, eta, gap));
             },
             "alphas"_a, "goal"_a, "enough"_a, "coef"_a.noconvert(), "eta"_a.noconvert(), "gap"_a.noconvert(), Release())
        .def_prop_ro("null_gradient",
                     [](SquaredHolder& self) { return array_of(std::vector<double>(self.fit->null_gradient())); },
                     nb::rv_policy::move)
        .def_prop_ro("null_loss", [](SquaredHolder& self) { return self.fit->null_loss(); });

    nb::class_<OnePredictor>(module, "ProxNewton", "A fit of one linear predictor and any loss by proximal Newton steps.")
        .def("__init__",
             [](OnePredictor* self, const std::string& loss, double width, const ColumnsHolder& columns, Numbers y, Numbers w,
                Numbers offset, Numbers l1, Numbers l2, bool has_intercept, bool keeps_hessian) {
                 check_rows(columns, y.shape(0), w, l1, l2);
                 require(offset.shape(0) == 0 || offset.shape(0) == y.shape(0), "an offset per row, or none");
                 new (self) OnePredictor{columns, y, w, offset, l1, l2, nullptr};
                 with_loss(loss, width, [&](auto kind) {
                     self->fit = std::make_unique<ProxNewton<decltype(kind)>>(columns.columns(), view(y), view(w), view(offset),
                                                                              ElasticNet{view(l1), view(l2)}, has_intercept,
                                                                              keeps_hessian, kind);
                 });
             },
             "loss"_a, "width"_a, "columns"_a, "y"_a, "w"_a, "offset"_a, "l1"_a, "l2"_a, "has_intercept"_a, "keeps_hessian"_a)
        .def("start",
             [](OnePredictor& self, double intercept, Numbers eta) {
                 require(eta.shape(0) == self.y.shape(0), "a linear predictor per row");
                 self.fit->start(intercept, view(eta));
             },
             "intercept"_a, "eta"_a, Release())
        .def("solve",
             [](OnePredictor& self, Numbers alphas, double goal, double enough, Array2<double> coef, Array2<double> eta,
                Vector1<double> gap) {
                 check_out(alphas.shape(0), self.l1.shape(0) + 1, self.y.shape(0), coef, eta, gap);
                 self.fit->solve(view(alphas), {goal, enough}, path_out(coef, eta, gap));
             },
             "alphas"_a, "goal"_a, "enough"_a, "coef"_a.noconvert(), "eta"_a.noconvert(), "gap"_a.noconvert(), Release())
        .def("share_hessian",
             [](OnePredictor& self, Numbers row_curvature, Integers slots, Array2<const double> block) {
                 OnePredictorFit& fit = *self.fit;
                 const size_t p = fit.beta.size(), m = slots.shape(0);
                 require(row_curvature.shape(0) == self.y.shape(0) && block.shape(0) == m && block.shape(1) == m, "a slot per line");
                 require(!fit.hessian.empty(), "a fit that keeps a Hessian");
                 fit.is_shared = true;
                 fit.row_curvature.assign(row_curvature.data(), row_curvature.data() + row_curvature.shape(0));
                 std::fill(fit.in_hessian.begin(), fit.in_hessian.end(), uint8_t(0));
                 const double* inverse = self.columns.inverse.data();
                 for (size_t a = 0; a < m; ++a) {
                     const size_t i = size_t(slots.data()[a]);
                     require(i <= p, "slots of the intercept and the columns");
                     if (i > 0) fit.in_hessian[i - 1] = 1;
                     for (size_t b = 0; b < m; ++b) {
                         const size_t j = size_t(slots.data()[b]);
                         require(j <= p, "slots of the intercept and the columns");
                         const double scale = (i > 0 ? inverse[i - 1] : 1.0) * (j > 0 ? inverse[j - 1] : 1.0);
                         fit.hessian[i * (p + 1) + j] = block.data()[a * m + b] * scale;
                     }
                 }
             },
             "row_curvature"_a, "slots"_a, "block"_a, Release())
        .def_prop_ro("beta", [](nb::handle self) {
            auto& fit = *nb::cast<OnePredictor&>(self).fit;
            return inside(fit.beta, self, {fit.beta.size()});
        })
        .def_prop_ro("eta", [](nb::handle self) {
            auto& fit = *nb::cast<OnePredictor&>(self).fit;
            return inside(fit.eta, self, {fit.eta.size()});
        })
        .def_prop_ro("residual", [](nb::handle self) {
            auto& fit = *nb::cast<OnePredictor&>(self).fit;
            return inside(fit.residual, self, {fit.residual.size()});
        })
        .def_prop_ro("null_gradient", [](nb::handle self) {
            auto& fit = *nb::cast<OnePredictor&>(self).fit;
            return inside(fit.null_gradient, self, {fit.null_gradient.size()});
        })
        .def_prop_rw("intercept", [](OnePredictor& self) { return self.fit->intercept; },
                     [](OnePredictor& self, double value) { self.fit->intercept = value; })
        .def_prop_rw("mean_loss", [](OnePredictor& self) { return self.fit->mean_loss; },
                     [](OnePredictor& self, double value) { self.fit->mean_loss = value; })
        .def_prop_rw("floor", [](OnePredictor& self) { return self.fit->floor; },
                     [](OnePredictor& self, double value) { self.fit->floor = value; });
}

void bind_multinomial(nb::module_& module) {
    using Reference = std::shared_ptr<MultinomialReference>;
    struct ReferenceHolder {
        Reference reference;
    };
    nb::class_<ReferenceHolder>(module, "MultinomialReference", "A fit near by, whose Hessian serves others.")
        .def("__init__",
             [](ReferenceHolder* self, Numbers w, Array2<const double> prob, Array2<const double> hessian, Array2<const bool> held) {
                 require(prob.shape(1) == w.shape(0) && held.shape(0) == prob.shape(0), "a line per class");
                 require(hessian.shape(0) == prob.shape(0) * (held.shape(1) + 1) && hessian.shape(1) == hessian.shape(0), "pairs");
                 auto reference = std::make_shared<MultinomialReference>();
                 reference->w.assign(w.data(), w.data() + w.size());
                 reference->prob.assign(prob.data(), prob.data() + prob.size());
                 reference->hessian.assign(hessian.data(), hessian.data() + hessian.size());
                 reference->held.assign(held.data(), held.data() + held.size());
                 new (self) ReferenceHolder{std::move(reference)};
             },
             "w"_a, "prob"_a, "hessian"_a, "held"_a);

    nb::class_<MultinomialHolder>(module, "MultinomialPath", "A fit of several classes on (class, column) pairs.")
        .def("__init__",
             [](MultinomialHolder* self, const ColumnsHolder& columns, Integers y, Numbers w, Numbers l1, Numbers l2, Integers ends,
                bool has_intercept, size_t max_hessian, Numbers intercept) {
                 check_rows(columns, y.shape(0), w, l1, l2);
                 require(columns.begin.shape(0) == 0, "dense columns");
                 require(ends.shape(0) == 0 || ends.shape(0) == l1.shape(0), "a group per column, or none");
                 for (size_t i = 0; i < y.shape(0); ++i)
                     require(y.data()[i] >= 0 && size_t(y.data()[i]) < intercept.shape(0), "classes below their number");
                 new (self) MultinomialHolder{columns, y, w, l1, l2, ends, nullptr};
                 self->fit = std::make_unique<MultinomialPath>(columns.columns(), view(y), view(w),
                                                               GroupLasso{view(l1), view(l2), view(ends)}, has_intercept,
                                                               max_hessian, view(intercept));
             },
             "columns"_a, "y"_a, "w"_a, "l1"_a, "l2"_a, "ends"_a, "has_intercept"_a, "max_hessian"_a, "intercept"_a)
        .def("solve",
             [](MultinomialHolder& self, Numbers alphas, double goal, double enough, Array2<double> coef, Array2<double> eta,
                Vector1<double> gap) {
                 const size_t K = self.fit->intercept.size();
                 check_out(alphas.shape(0), (self.l1.shape(0) + 1) * K, self.y.shape(0) * K, coef, eta, gap);
                 self.fit->solve(view(alphas), {goal, enough}, path_out(coef, eta, gap));
             },
             "alphas"_a, "goal"_a, "enough"_a, "coef"_a.noconvert(), "eta"_a.noconvert(), "gap"_a.noconvert(), Release())
        .def("share", [](MultinomialHolder& self, const ReferenceHolder& reference) { self.fit->shared = reference.reference; },
             "reference"_a)
        .def("refresh",
             [](MultinomialHolder& self, Vector1<double> totals) {
                 require(totals.shape(0) == self.fit->intercept.size(), "a number per class");
                 self.fit->mean_loss = self.fit->refresh(totals.data());
             },
             "totals"_a.noconvert(), Release())
        .def_prop_ro("beta", [](nb::handle self) {
            auto& fit = *nb::cast<MultinomialHolder&>(self).fit;
            return inside(fit.beta, self, {fit.intercept.size(), fit.beta.size() / fit.intercept.size()});
        })
        .def_prop_ro("eta", [](nb::handle self) {
            auto& fit = *nb::cast<MultinomialHolder&>(self).fit;
            return inside(fit.eta, self, {fit.intercept.size(), fit.eta.size() / fit.intercept.size()});
        })
        .def_prop_ro("residual", [](nb::handle self) {
            auto& fit = *nb::cast<MultinomialHolder&>(self).fit;
            return inside(fit.residual, self, {fit.intercept.size(), fit.eta.size() / fit.intercept.size()});
        })
        .def_prop_ro("prob", [](nb::handle self) {
            auto& fit = *nb::cast<MultinomialHolder&>(self).fit;
            return inside(fit.prob, self, {fit.intercept.size(), fit.eta.size() / fit.intercept.size()});
        })
        .def_prop_ro("null_gradient", [](nb::handle self) {
            auto& fit = *nb::cast<MultinomialHolder&>(self).fit;
            return inside(fit.null_gradient, self, {fit.intercept.size(), fit.beta.size() / fit.intercept.size()});
        })
        .def_prop_ro("intercept", [](nb::handle self) {
            auto& fit = *nb::cast<MultinomialHolder&>(self).fit;
            return inside(fit.intercept, self, {fit.intercept.size()});
        })
        .def_prop_ro("mean_loss", [](MultinomialHolder& self) { return self.fit->mean_loss; })
        .def_prop_ro("was_renewed", [](MultinomialHolder& self) { return self.fit->was_renewed; });
}

void bind_sets(nb::module_& module) {
    module.def(
        "update_strengths",
        [](const std::string& loss, double width, Array2<double> eta, Array2<double> residual, Array2<double> curvature,
           Array2<double> intercept, Numbers y, Numbers w, bool has_intercept, double tolerance, Integers which) {
            const Strengths fits{view(eta), view(residual), view(curvature), view(intercept)};
            with_loss(loss, width,
                      [&](auto kind) { update_strengths(fits, view(y), view(w), kind, has_intercept, tolerance, view(which)); });
        },
        "loss"_a, "width"_a, "eta"_a.noconvert(), "residual"_a.noconvert(), "curvature"_a.noconvert(), "intercept"_a.noconvert(),
        "y"_a, "w"_a, "has_intercept"_a, "tolerance"_a, "which"_a, Release());
    module.def(
        "search_strengths",
        [](const std::string& loss, double width, Array2<double> eta, Array2<double> residual, Array2<double> curvature,
           Array2<double> intercept, Numbers y, Numbers w, Integers which, Array2<const double> move, Numbers mixed, Numbers square,
           Vector1<double> length) {
            const Strengths fits{view(eta), view(residual), view(curvature), view(intercept)};
            with_loss(loss, width, [&](auto kind) {
                search_strengths(fits, view(y), view(w), kind, view(which), view(move), view(mixed), view(square), view(length));
            });
        },
        "loss"_a, "width"_a, "eta"_a.noconvert(), "residual"_a.noconvert(), "curvature"_a.noconvert(), "intercept"_a.noconvert(),
        "y"_a, "w"_a, "which"_a, "move"_a, "mixed"_a, "square"_a, "length"_a.noconvert(), Release());
    module.def(
        "fit_logistic_sets",
        [](Array2<const double> Z, Numbers y, Array2<const double> weights, Array2<const double> ridge, Array2<const int64_t> columns,
           Integers sizes, Array2<const double> starts, Array3<double> betas, Array3<double> decisions) {
            const size_t n = y.shape(0), n_folds = weights.shape(0), d = Z.shape(0);
            require(Z.shape(1) == n && weights.shape(1) == n && decisions.shape(2) == n, "a number per row");
            require(ridge.shape(0) == n_folds && ridge.shape(1) == d && starts.shape(0) == n_folds && starts.shape(1) == d,
                    "a number per fold and column");
            require(betas.shape(0) == columns.shape(0) && betas.shape(1) == n_folds && betas.shape(2) == columns.shape(1) &&
                        decisions.shape(0) == columns.shape(0) && decisions.shape(1) == n_folds && sizes.shape(0) == columns.shape(0),
                    "a fit per set and fold");
            fit_logistic_sets({view(Z), view(y), view(weights), view(ridge)}, view(columns), view(sizes), view(starts), view(betas),
                              view(decisions));
        },
        "Z"_a, "y"_a, "weights"_a, "ridge"_a, "columns"_a, "sizes"_a, "starts"_a, "betas"_a.noconvert(), "decisions"_a.noconvert(),
        Release());
}

}  // namespace

void bind_linear(nb::module_& module) {
    module.def("exp_below_0", [](Vector1<double> x) { each_exp(view(x)); }, "x"_a.noconvert(), Release());
    module.def("log_above_1", [](Vector1<double> x) { each_log(view(x)); }, "x"_a.noconvert(), Release());
    module.def("log1p_below_1", [](Vector1<double> x) { each_log1p(view(x)); }, "x"_a.noconvert(), Release());
    module.def("times_log", [](Vector1<double> x) { each_times_log(view(x)); }, "x"_a.noconvert(), Release());
    bind_quadratic(module);
    bind_fits(module);
    bind_multinomial(module);
    bind_sets(module);
    nb::class_<BestSubsets>(module, "BestSubsets", "Branch and bound for the best least-squares subset of every size.")
        .def("__init__",
             [](BestSubsets* self, Array2<const double> inverse, Vector1<const double> beta, double rss,
                Vector1<const int64_t> order, Vector1<const double> stiffness, int64_t low, int64_t high) {
                 const size_t d = beta.shape(0);
                 require(inverse.shape(0) == d && inverse.shape(1) == d && order.shape(0) == d && stiffness.shape(0) == d,
                         "a row per column");
                 require(d > 0 && low >= 0 && high <= int64_t(d), "sizes between 0 and the number of columns");
                 new (self) BestSubsets(view(inverse), view(beta), rss, view(order), view(stiffness), low, high);
             },
             "inverse"_a, "beta"_a, "rss"_a, "order"_a, "stiffness"_a, "low"_a, "high"_a)
        .def("explore", &BestSubsets::explore, "max_nodes"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("columns", [](const BestSubsets& self, int64_t size) { return array_of(self.columns(size)); }, "size"_a)
        .def_prop_ro("rss", [](const BestSubsets& self) { return array_of(std::vector<double>(self.rss())); },
                     nb::rv_policy::move)
        .def_prop_ro("bound", [](const BestSubsets& self) { return array_of(self.bound()); }, nb::rv_policy::move);
}

}  // namespace tamis
