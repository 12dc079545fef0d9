// The losses of one linear predictor by name: a new one is its header and one line here.
#pragma once
#include <stdexcept>
#include <string>

#include "huber.hpp"
#include "logistic.hpp"
#include "poisson.hpp"
#include "squared.hpp"
#include "squared_hinge.hpp"

namespace tamis {

/// Their names.
inline constexpr const char* kLosses[] = {"squared", "logistic", "squared_hinge", "poisson", "huber"};

/// use(loss) for the loss of a name; width: where the Huber loss turns linear.
template <class Use>
decltype(auto) with_loss(const std::string& name, double width, Use use) {
    if (name == "squared") return use(Squared{});
    if (name == "logistic") return use(Logistic{});
    if (name == "squared_hinge") return use(SquaredHinge{});
    if (name == "poisson") return use(Poisson{});
    if (name == "huber") return use(Huber{width});
    throw std::invalid_argument("no loss of this name: " + name);
}

}  // namespace tamis
