// SPDX-License-Identifier: Apache-2.0
#include <ideal/mixing.hpp>

namespace ideal {

Network::Network(const Topology& topology, Transport& transport, Meter& meter, Threads& threads)
    : topology_(topology), transport_(transport), meter_(meter), threads_(threads) {
  for (const Index i : transport.hosted()) links_ += topology.graph().degree(i);
}

void Network::exchange(const Block& X) {
  transport_.exchange(X);
  ++meter_.communications;
  meter_.bytes += links_ * X.rows() * static_cast<Index>(sizeof(double));
}

const Block& Network::mix(const Block& X) {
  exchange(X);
  result_.resizeLike(X);
  const auto hosted = transport_.hosted();
  threads_.each(X.cols(), [&](Index c) {
    auto sum = result_.col(c);
    sum.setZero();
    for (SparseRows::InnerIterator w(topology_.weights(), hosted[static_cast<std::size_t>(c)]); w; ++w)
      sum += w.value() * Eigen::Map<const Vector>(transport_.column(w.col()), X.rows());
  });
  return result_;
}

double Network::maximum(const Vector& one_per_hosted_agent) {
  if (!diameter_) diameter_ = topology_.graph().diameter(topology_.agents()).hops;
  const auto hosted = transport_.hosted();
  Block known = one_per_hosted_agent.transpose();
  for (Index round = 0; round < *diameter_; ++round) {
    exchange(known);
    Block next = known;
    for (Index c = 0; c < known.cols(); ++c)
      for (const Index j : topology_.graph().neighbours(hosted[static_cast<std::size_t>(c)]))
        next(0, c) = std::max(next(0, c), *transport_.column(j));
    known = std::move(next);
  }
  return known(0, 0);
}

Vector Network::average(const Block& X) {
  const Block& all = transport_.gather(X);
  Vector sum = all.col(0);
  for (Index j = 1; j < all.cols(); ++j) sum += all.col(j);
  return sum / static_cast<double>(all.cols());
}

}  // namespace ideal
