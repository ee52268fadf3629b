// SPDX-License-Identifier: Apache-2.0
// Parts of blocks hold what Eigen computes of the whole, to the last bit.
#include <ideal/part.hpp>

#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// Blocks of less than a part, of a part and one entry, and of several.
class Parts : public testing::TestWithParam<std::pair<Index, Index>> {
 protected:
  Block A = Block::Random(GetParam().first, GetParam().second), B = Block::Random(A.rows(), A.cols()), C = A;

  template <class Update>
  void for_parts(const Update& update) {
    for (Index part = 0; part < Own::parts(A.size()); ++part) update(Own(part, A.size()));
  }
};

static_assert(std::is_same_v<decltype(std::declval<Own>()(std::declval<Block&>())), WrittenPart>);

TEST_P(Parts, HoldWhatTheyAreAssigned) {
  for_parts([&](auto own) { own(C) = own(A) - 0.1 * own(B) + (own(B) / 3 - own(A).cwiseProduct(own(B))); });
  EXPECT_EQ(C, A - 0.1 * B + (B / 3 - A.cwiseProduct(B)));
}

TEST_P(Parts, MayBeUsedInWhatTheyAreAssigned) {
  const Block before = C;
  for_parts([&](auto own) { own(C) = own(C) - 0.7 * (own(C) + own(B)); });
  EXPECT_EQ(C, before - 0.7 * (before + B));
}

TEST_P(Parts, AreAddedToSubtractedFromAndMultiplied) {
  const Block before = C;
  for_parts([&](auto own) {
    own(C) += 0.3 * own(before);
    own(C) -= own(B);
    own(C) *= -0.1;
    own(C) /= 3;
  });
  Block expected = before + 0.3 * before;
  expected -= B;
  expected *= -0.1;
  expected /= 3;
  EXPECT_EQ(C, expected);
}

TEST_P(Parts, AreCopiedNotReferredTo) {
  for_parts([&](auto own) {
    own(C) = own(B);
    auto other = own(A);
    other = own(C);
  });
  EXPECT_EQ(C, B);
  EXPECT_EQ(A, B);
}

TEST_P(Parts, TakeValuesThatAreNoBlocks) {
  const Block expected = A - B;
  for_parts([&](auto own) {
    const Part difference = own(A) - own(B);
    own(A) = difference;
    own(B) = Part::Zero(own.count());
  });
  EXPECT_EQ(A, expected);
  EXPECT_TRUE((B.array() == 0).all());
}

INSTANTIATE_TEST_SUITE_P(Shapes, Parts,
                         testing::Values(std::pair<Index, Index>{1, 1}, std::pair<Index, Index>{3, 2},
                                         std::pair<Index, Index>{257, 1}, std::pair<Index, Index>{101, 13}));

}  // namespace
}  // namespace ideal::test
