#pragma once

namespace tamis {

/// Two splits are equal when their scores differ by less than this share, of the score or of the node's weight or impurity: of equal splits
/// the one tried first is made. Rounding moves scores of a million rows by less.
inline constexpr double TIE = 1e-11;

}  // namespace tamis
