// The losses of one linear predictor by name: a new one is its header and one line here.
#pragma once
#include <stdexcept>
#include <string>

#include "cumulative_logit.hpp"
#include "huber.hpp"
#include "logistic.hpp"
#include "poisson.hpp"
#include "squared.hpp"
#include "squared_hinge.hpp"

namespace tamis {

/// Their names.
inline constexpr const char* kLosses[] = {"squared", "logistic", "squared_hinge", "poisson", "huber", "cumulative_logit"};

/// use(loss) for the loss of a name; parameter: where the Huber loss turns linear, the number of ordered classes.
template <class Use>
decltype(auto) with_loss(const std::string& name, double parameter, Use use) {
    if (name == "squared") return use(Squared{});
    if (name == "logistic") return use(Logistic{});
    if (name == "squared_hinge") return use(SquaredHinge{});
    if (name == "poisson") return use(Poisson{});
    if (name == "huber") return use(Huber{parameter});
    if (name == "cumulative_logit") return use(CumulativeLogit(size_t(parameter)));
    throw std::invalid_argument("no loss of this name: " + name);
}

}  // namespace tamis
