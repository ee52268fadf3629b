// SPDX-License-Identifier: Apache-2.0
// The readers on bytes in memory; `place` names the file in messages. read_dataset puts files before them.
#pragma once

#include "data/array.hpp"

#include <ideal/data.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ideal::data {

/// The format of unpacked bytes; throws InputError, listing what is accepted, if it is none.
Format recognise_bytes(std::string_view bytes, std::string_view place);

Dataset parse_libsvm(std::string_view text, std::string_view place);

/// `label` names the label column; empty means the last.
Dataset parse_csv(std::string_view text, std::string_view label, std::string_view place);

/// The arrays point into `bytes`; their length has been checked against it.
ArrayView parse_npy(std::string_view bytes, std::string_view place);
ArrayView parse_idx(std::string_view bytes, std::string_view place);

struct NpzContent {
  std::variant<DenseRows, SparseRows> features;
  std::optional<Vector> labels;
};
NpzContent parse_npz(std::string_view bytes, std::string_view place);

}  // namespace ideal::data
