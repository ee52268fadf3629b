// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/run.hpp>
#include <ideal/trace.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ideal {

/// A run that can be gone on with: on any hosts, with the bits it would have had.
struct SavedRun {
  std::string key;  ///< stands for all that the run depends on
  Checkpoint checkpoint;
  Trace trace;  ///< the rows up to the checkpoint
};

/// As bytes, with a checksum; and back. Bytes that were cut or changed are an InputError, which names
/// `place`.
std::string to_bytes(const SavedRun& run);
SavedRun parse_checkpoint(std::string_view bytes, std::string_view place);

/// Writes `checkpoint-<passes>` in `folder`, whole or not at all, and deletes all but the newest two. Returns
/// its path; throws RunError.
std::filesystem::path write_checkpoint(const SavedRun& run, const std::filesystem::path& folder);

/// The newest whole checkpoint in `folder`; a damaged one is passed over for the one before it.
std::optional<SavedRun> newest_checkpoint(const std::filesystem::path& folder);

/// Whether a file of this name is a checkpoint, and after how many passes.
bool is_checkpoint(const std::filesystem::path& file);
Index passes_of(const std::filesystem::path& checkpoint);

}  // namespace ideal
