// Linear models: paths of penalised losses, best subsets; exponentials and logarithms of arrays.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bind_matrix.hpp"
#include "exponential.hpp"
#include "linear/best_subset.hpp"
#include "linear/bridge.hpp"
#include "linear/logistic_sets.hpp"
#include "linear/losses/callback.hpp"
#include "linear/losses/losses.hpp"
#include "linear/multinomial_path.hpp"
#include "linear/path_over_folds.hpp"
#include "linear/prox_newton.hpp"
#include "linear/quadratic.hpp"
#include "linear/squared_path.hpp"
#include "linear/strengths.hpp"
#include "linear/support_fit.hpp"

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
    Integers ends;
    Numbers sides;
    std::unique_ptr<OnePredictorFit> fit;
};

struct SquaredHolder {
    ColumnsHolder columns;
    Numbers y, w, l1, l2, sides;
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

/// A loss of Python: rows(eta) gives (3, n) losses, residuals and curvatures, conjugate(residual) one number per row.
CallbackLoss loss_of_python(nb::object loss) {
    const auto call = [loss](const char* name, const double* given, size_t n, size_t n_out, double* out) {
        nb::gil_scoped_acquire hold;
        std::vector<double> copy(given, given + n);
        const auto result = nb::cast<Vector1<const double>>(loss.attr(name)(array_of(std::move(copy))));
        require(result.shape(0) == n_out, "a number per row");
        std::copy_n(result.data(), n_out, out);
    };
    return {[call](const double* eta, size_t n, double* terms) { call("rows", eta, n, 3 * n, terms); },
            [call](const double* residual, size_t n, double* out) { call("conjugates", residual, n, n, out); }};
}

void check_sides(const Numbers& sides, const Integers& ends, size_t p) {
    require(sides.shape(0) == 0 || (sides.shape(0) == p && ends.shape(0) == 0), "a side per column, or none; none of groups");
}

void check_groups(const Integers& ends, size_t p) {
    require(ends.shape(0) == 0 || ends.shape(0) == p, "a group per column, or none");
    for (size_t j = 0; j < ends.shape(0); ++j) require(ends.data()[j] > int64_t(j) && size_t(ends.data()[j]) <= p, "groups in order");
}

void bind_bridge(nb::module_& module) {
    module.def(
        "bridge_path",
        [](Array2<const double> H, Numbers c, Numbers factors, double q, Numbers alphas, double tol, Array2<double> coef) {
            const size_t p = c.shape(0);
            require(H.shape(0) == p && H.shape(1) == p && factors.shape(0) == p && coef.shape(1) == p, "p columns");
            require(coef.shape(0) == alphas.shape(0), "a row per strength");
            bridge_path(view(H), view(c), view(factors), q, view(alphas), tol, view(coef));
        },
        "H"_a, "c"_a, "factors"_a, "q"_a, "alphas"_a, "tol"_a, "coef"_a.noconvert(), Release());
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
             [](SquaredHolder* self, const ColumnsHolder& columns, Numbers y, Numbers w, Numbers l1, Numbers l2, Numbers sides,
                bool has_intercept) {
                 check_rows(columns, y.shape(0), w, l1, l2);
                 require(sides.shape(0) == 0 || sides.shape(0) == l1.shape(0), "a side per column, or none");
                 require(columns.begin.shape(0) == 0, "dense columns");
                 new (self) SquaredHolder{columns, y, w, l1, l2, sides, nullptr};
                 self->fit = std::make_unique<SquaredPath>(columns.columns(), view(y), view(w), Penalty{view(l1), view(l2), {}, view(sides)},
                                                           has_intercept);
             },
             "columns"_a, "y"_a, "w"_a, "l1"_a, "l2"_a, "sides"_a, "has_intercept"_a)
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
             [](OnePredictor* self, nb::object loss, double parameter, const ColumnsHolder& columns, Numbers y, Numbers w,
                Numbers offset, Numbers l1, Numbers l2, Integers ends, Numbers sides, bool has_intercept, bool keeps_hessian) {
                 check_rows(columns, y.shape(0), w, l1, l2);
                 check_groups(ends, l1.shape(0));
                 check_sides(sides, ends, l1.shape(0));
                 require(offset.shape(0) == 0 || offset.shape(0) == y.shape(0), "an offset per row, or none");
                 new (self) OnePredictor{columns, y, w, offset, l1, l2, ends, sides, nullptr};
                 const auto create = [&](auto kind) {
                     using Loss = decltype(kind);
                     if constexpr (Loss::kHasThresholds)
                         for (size_t i = 0; i < y.shape(0); ++i)
                             require(y.data()[i] >= 0.0 && y.data()[i] < parameter, "classes below their number");
                     self->fit = std::make_unique<ProxNewton<decltype(kind)>>(columns.columns(), view(y), view(w), view(offset),
                                                                              Penalty{view(l1), view(l2), view(ends), view(sides)},
                                                                              has_intercept, keeps_hessian, kind);
                 };
                 if (nb::isinstance<nb::str>(loss))
                     with_loss(nb::cast<std::string>(loss), parameter, create);
                 else
                     create(loss_of_python(loss));
             },
             "loss"_a, "parameter"_a, "columns"_a, "y"_a, "w"_a, "offset"_a, "l1"_a, "l2"_a, "ends"_a, "sides"_a, "has_intercept"_a,
             "keeps_hessian"_a)
        .def("start",
             [](OnePredictor& self, double intercept, Numbers eta) {
                 require(eta.shape(0) == self.y.shape(0), "a linear predictor per row");
                 self.fit->start(intercept, view(eta));
             },
             "intercept"_a, "eta"_a, Release())
        .def("solve",
             [](OnePredictor& self, Numbers alphas, double goal, double enough, Array2<double> coef, Array2<double> eta,
                Vector1<double> gap) {
                 check_out(alphas.shape(0), self.l1.shape(0) + self.fit->n_intercepts, self.y.shape(0) + self.fit->n_tail, coef, eta, gap);
                 self.fit->solve(view(alphas), {goal, enough}, path_out(coef, eta, gap));
             },
             "alphas"_a, "goal"_a, "enough"_a, "coef"_a.noconvert(), "eta"_a.noconvert(), "gap"_a.noconvert(), Release())
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
        .def_prop_ro("thresholds", [](OnePredictor& self) { return array_of(self.fit->thresholds()); }, nb::rv_policy::move)
        .def_prop_rw("intercept", [](OnePredictor& self) { return self.fit->intercept; },
                     [](OnePredictor& self, double value) { self.fit->intercept = value; })
        .def_prop_rw("mean_loss", [](OnePredictor& self) { return self.fit->mean_loss; },
                     [](OnePredictor& self, double value) { self.fit->mean_loss = value; })
        .def_prop_rw("floor", [](OnePredictor& self) { return self.fit->floor; },
                     [](OnePredictor& self, double value) { self.fit->floor = value; });
}

void bind_multinomial(nb::module_& module) {
    nb::class_<MultinomialHolder>(module, "MultinomialPath", "A fit of several classes on (class, column) pairs.")
        .def("__init__",
             [](MultinomialHolder* self, const ColumnsHolder& columns, Integers y, Numbers w, Numbers l1, Numbers l2, Integers ends,
                bool has_intercept, size_t max_hessian, Numbers intercept) {
                 check_rows(columns, y.shape(0), w, l1, l2);
                 check_groups(ends, l1.shape(0));
                 for (size_t i = 0; i < y.shape(0); ++i)
                     require(y.data()[i] >= 0 && size_t(y.data()[i]) < intercept.shape(0), "classes below their number");
                 new (self) MultinomialHolder{columns, y, w, l1, l2, ends, nullptr};
                 self->fit = std::make_unique<MultinomialPath>(columns.columns(), view(y), view(w),
                                                               Penalty{view(l1), view(l2), view(ends), {}}, has_intercept,
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
        .def_prop_ro("mean_loss", [](MultinomialHolder& self) { return self.fit->mean_loss; });
}

/// The fit inside an object of Python.
PathFit* fit_inside(nb::handle object) {
    if (nb::isinstance<SquaredHolder>(object)) return nb::cast<SquaredHolder&>(object).fit.get();
    if (nb::isinstance<OnePredictor>(object)) return nb::cast<OnePredictor&>(object).fit.get();
    return nb::cast<MultinomialHolder&>(object).fit.get();
}

void bind_path_over_folds(nb::module_& module) {
    nb::class_<HeldOut>(module, "HeldOut", "Models of one fold, or their linear predictors of the rows held out.")
        .def_ro("is_model", &HeldOut::is_model)
        .def_ro("n_models", &HeldOut::n_models)
        .def_prop_ro("position", [](HeldOut& self) { return array_of(std::vector<int64_t>(self.position)); }, nb::rv_policy::move)
        .def_prop_ro("value", [](HeldOut& self) { return array_of(std::vector<double>(self.value)); }, nb::rv_policy::move)
        .def_prop_ro("intercept", [](HeldOut& self) { return array_of(std::vector<double>(self.intercept)); }, nb::rv_policy::move)
        .def_prop_ro("predictor", [](HeldOut& self) { return array_of(std::vector<double>(self.predictor)); }, nb::rv_policy::move);
    nb::class_<PathOverFolds>(module, "PathOverFolds", "A path of all rows with the errors of its folds.")
        .def_ro("n_strengths", &PathOverFolds::n_strengths)
        .def_prop_ro("coef", [](nb::handle self) {
            auto& path = nb::cast<PathOverFolds&>(self);
            return inside(path.coef, self, {path.n_strengths, path.n_strengths > 0 ? path.coef.size() / path.n_strengths : 0});
        })
        .def_prop_ro("errors", [](nb::handle self) {
            auto& path = nb::cast<PathOverFolds&>(self);
            return inside(path.errors, self, {path.n_strengths, path.n_folds});
        })
        .def_prop_ro("gaps", [](nb::handle self) {
            auto& path = nb::cast<PathOverFolds&>(self);
            return inside(path.gaps, self, {path.gaps.size()});
        })
        .def_prop_ro("held_out", [](PathOverFolds& self) { return std::move(self.held_out); }, nb::rv_policy::move);
    module.def(
        "path_over_folds",
        [](nb::list fits, Numbers alphas, size_t n_columns, Numbers weights, std::vector<Integers> tests, std::vector<Numbers> shares,
           Numbers goals, Numbers factors, std::tuple<size_t, size_t, double, bool> end, size_t keeps_models, size_t n_threads) {
            std::vector<PathFit*> inner;
            for (nb::handle one : fits) inner.push_back(fit_inside(one));
            require(!inner.empty() && inner.size() == tests.size() + 1 && tests.size() == shares.size(), "a fit of all rows and per fold");
            require(goals.shape(0) == inner.size() && factors.shape(0) == inner.size(), "a goal and a factor per fit");
            std::vector<FoldRows> folds;
            for (size_t f = 0; f < tests.size(); ++f) {
                require(tests[f].shape(0) == shares[f].shape(0), "a weight per row held out");
                for (size_t i = 0; i < tests[f].shape(0); ++i)
                    require(tests[f].data()[i] >= 0 && size_t(tests[f].data()[i]) < weights.shape(0), "rows of the table");
                folds.push_back({view(tests[f]), view(shares[f])});
            }
            const auto [always, patience, saturated, is_after_stretch] = end;
            const auto is_interrupted = interrupt_check(nb::none());
            PathOverFolds path;
            try {
                nb::gil_scoped_release release;
                path.run(inner, view(alphas), n_columns, view(weights), folds, view(goals), view(factors),
                         {always, patience, saturated, is_after_stretch}, keeps_models, n_threads, is_interrupted);
            } catch (const Interrupted&) {
                throw nb::python_error();
            }
            return path;
        },
        "fits"_a, "alphas"_a, "n_columns"_a, "weights"_a, "tests"_a, "shares"_a, "goals"_a, "factors"_a, "end"_a, "keeps_models"_a,
        "n_threads"_a);
    module.def(
        "gram_paths",
        [](std::vector<Array2<const double>> H, std::vector<Numbers> c, Numbers yy, Numbers l1, Numbers l2, Integers ends, Numbers sides,
           Numbers alphas, double tol, Array3<double> coef, Array2<double> gap, size_t n_threads) {
            const size_t p = l1.shape(0), m = alphas.shape(0), n_fits = H.size();
            require(c.size() == n_fits && yy.shape(0) == n_fits && l2.shape(0) == p, "a Gram matrix per fit");
            check_groups(ends, p);
            check_sides(sides, ends, p);
            const Penalty penalty{view(l1), view(l2), view(ends), view(sides)};
            require(coef.shape(0) == n_fits && coef.shape(1) == m && coef.shape(2) == p, "a row per strength of every fit");
            require(gap.shape(0) == n_fits && gap.shape(1) == m, "a gap per strength of every fit");
            for (size_t f = 0; f < n_fits; ++f) require(H[f].shape(0) == p && H[f].shape(1) == p && c[f].shape(0) == p, "p columns");
            const auto is_interrupted = interrupt_check(nb::none());
            try {
                nb::gil_scoped_release release;
                Interrupt interrupt;
                const auto solve = [&](size_t f) {
                    const double goal = tol * std::max(0.5 * yy.data()[f], std::numeric_limits<double>::min());
                    gram_path(view(H[f]), view(c[f]), yy.data()[f], penalty, view(alphas), goal, view(coef)[f],
                              view(gap).row(f), [&] { return interrupt.requested(); });
                };
                if (double(p) * double(p) < 1e4) {
                    for (size_t f = 0; f < n_fits; ++f) solve(f);
                } else {
                    struct Nothing {};
                    auto work = [&](size_t, size_t f) {
                        solve(f);
                        return Nothing{};
                    };
                    run_in_order(n_fits, n_threads, interrupt, is_interrupted, work, [](size_t, Nothing) {});
                }
            } catch (const Interrupted&) {
                throw nb::python_error();
            }
        },
        "H"_a, "c"_a, "yy"_a, "l1"_a, "l2"_a, "ends"_a, "sides"_a, "alphas"_a, "tol"_a, "coef"_a.noconvert(), "gap"_a.noconvert(),
        "n_threads"_a);
}

/// The supports of every fit, each of its models an ascending list of entries below `n_entries`.
std::vector<Supports> supports_of(const std::vector<Integers>& begin, const std::vector<Integers>& entries,
                                  const std::vector<Vector1<double>>& beta, size_t n_entries) {
    std::vector<Supports> supports;
    for (size_t f = 0; f < begin.size(); ++f) {
        const Supports one{view(begin[f]), view(entries[f])};
        require(one.begin.size() > 0 && size_t(one.begin.back()) == one.entries.size() && beta[f].shape(0) == one.entries.size(),
                "a number per entry");
        for (const int64_t entry : one.entries) require(entry >= 0 && size_t(entry) < n_entries, "entries of the table");
        supports.push_back(one);
    }
    return supports;
}

void bind_supports(nb::module_& module) {
    nb::list names;
    for (const char* name : kLosses) names.append(name);
    module.attr("LOSSES") = nb::tuple(names);
    module.def(
        "fit_gram_supports",
        [](std::vector<Array2<const double>> H, std::vector<Numbers> c, std::vector<Integers> begin, std::vector<Integers> entries,
           std::vector<Vector1<double>> beta, size_t n_threads) {
            require(c.size() == H.size() && begin.size() == H.size() && entries.size() == H.size() && beta.size() == H.size(),
                    "a Gram matrix per fit");
            for (size_t f = 0; f < H.size(); ++f) require(H[f].shape(0) == c[f].shape(0) && H[f].shape(1) == c[f].shape(0), "p columns");
            const std::vector<Supports> supports = supports_of(begin, entries, beta, H.empty() ? 0 : c[0].shape(0));
            const auto is_interrupted = interrupt_check(nb::none());
            try {
                nb::gil_scoped_release release;
                run_apart(H.size(), n_threads, true, is_interrupted,
                          [&](size_t f) { fit_gram_supports(view(H[f]), view(c[f]), supports[f], beta[f].data()); });
            } catch (const Interrupted&) {
                throw nb::python_error();
            }
        },
        "H"_a, "c"_a, "begin"_a, "entries"_a, "beta"_a.noconvert(), "n_threads"_a);
    module.def(
        "fit_supports",
        [](const std::string& loss, double width, Array2<const double> Z, Numbers y, Integers labels, size_t n_outputs, Numbers offset,
           std::vector<Numbers> w, std::vector<Numbers> ridge, std::vector<Integers> begin, std::vector<Integers> entries,
           std::vector<Vector1<double>> beta, double tol, size_t n_threads) {
            const size_t n_fits = w.size(), n = Z.shape(1);
            require(ridge.size() == n_fits && begin.size() == n_fits && entries.size() == n_fits && beta.size() == n_fits,
                    "weights per fit");
            require((n_outputs > 1 ? labels.shape(0) : y.shape(0)) == n, "a target per row");
            require(offset.shape(0) == 0 || offset.shape(0) == n, "an offset per row, or none");
            for (size_t f = 0; f < n_fits; ++f) require(w[f].shape(0) == n && ridge[f].shape(0) == Z.shape(0), "a number per row and column");
            const std::vector<Supports> supports = supports_of(begin, entries, beta, Z.shape(0) * n_outputs);
            const auto is_interrupted = interrupt_check(nb::none());
            const auto fit = [&](auto rows, size_t f) {
                SupportFit one(rows, view(Z), view(w[f]), view(ridge[f]), view(offset));
                one.run(supports[f], tol, beta[f].data(), [] { return false; });
            };
            try {
                nb::gil_scoped_release release;
                run_apart(n_fits, n_threads, false, is_interrupted, [&](size_t f) {
                    if (n_outputs > 1) return fit(ClassRows{view(labels), n_outputs}, f);
                    with_loss(loss, width, [&](auto kind) {
                        if constexpr (!decltype(kind)::kHasThresholds) fit(PredictorRows<decltype(kind)>{view(y), kind}, f);
                    });
                });
            } catch (const Interrupted&) {
                throw nb::python_error();
            }
        },
        "loss"_a, "width"_a, "Z"_a, "y"_a, "labels"_a, "n_outputs"_a, "offset"_a, "w"_a, "ridge"_a, "begin"_a, "entries"_a,
        "beta"_a.noconvert(), "tol"_a, "n_threads"_a);
}

void bind_sets(nb::module_& module) {
    module.def(
        "update_strengths",
        [](const std::string& loss, double width, Array2<double> eta, Array2<double> residual, Array2<double> curvature,
           Array2<double> intercept, Numbers y, Numbers w, bool has_intercept, double tolerance, Integers which) {
            const Strengths fits{view(eta), view(residual), view(curvature), view(intercept)};
            with_loss(loss, width, [&](auto kind) {
                if constexpr (!decltype(kind)::kHasThresholds)
                    update_strengths(fits, view(y), view(w), kind, has_intercept, tolerance, view(which));
            });
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
                if constexpr (!decltype(kind)::kHasThresholds)
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
    bind_bridge(module);
    bind_fits(module);
    bind_multinomial(module);
    bind_path_over_folds(module);
    bind_sets(module);
    bind_supports(module);
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
