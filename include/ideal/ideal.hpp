// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything: data and losses, graphs and mixing, methods, and the runtimes that bring them together.
#include <ideal/block.hpp>
#include <ideal/checkpoint.hpp>
#include <ideal/ckn.hpp>
#include <ideal/cluster.hpp>
#include <ideal/cpu.hpp>
#include <ideal/data.hpp>
#include <ideal/datasets.hpp>
#include <ideal/demands.hpp>
#include <ideal/diagnosis.hpp>
#include <ideal/error.hpp>
#include <ideal/graph.hpp>
#include <ideal/graph_sequence.hpp>
#include <ideal/links.hpp>
#include <ideal/loss.hpp>
#include <ideal/method.hpp>
#include <ideal/mixing.hpp>
#include <ideal/objective.hpp>
#include <ideal/observer.hpp>
#include <ideal/outline.hpp>
#include <ideal/reference.hpp>
#include <ideal/regulariser.hpp>
#include <ideal/run.hpp>
#include <ideal/solve.hpp>
#include <ideal/topology.hpp>
#include <ideal/trace.hpp>
#include <ideal/transport.hpp>
#include <ideal/weights.hpp>
