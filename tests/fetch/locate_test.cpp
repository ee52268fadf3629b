// SPDX-License-Identifier: Apache-2.0
#include "fetch/locate.hpp"

#include "fetch/digest.hpp"
#include "support/data_bytes.hpp"

#include <ideal/error.hpp>

#include <gtest/gtest.h>

namespace ideal::fetch {
namespace {

constexpr DataPackage npm{DataPackage::Manager::npm, "some-data", "1.2.3"};
constexpr DataPackage debian{DataPackage::Manager::debian, "some-data", ""};

// RFC 1321 and FIPS 180: the digests of "abc".
TEST(Digest, of_bytes_and_files) {
  EXPECT_EQ(digest_of("abc", "md5").hex, "900150983cd24fb0d6963f7d28e17f72");
  const std::string sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(digest_of("abc", "sha256").hex, sha256);
  const test::Folder folder;
  EXPECT_EQ(digest_of_file(folder.write("f", "abc"), "sha256").hex, sha256);
  EXPECT_EQ(digest_of_file(folder.write("long", std::string(3'000'000, 'a')), "md5"),
            digest_of(std::string(3'000'000, 'a'), "md5"));
  EXPECT_THROW(digest_of_file(folder.path("none"), "md5"), RunError);
  EXPECT_THROW(digest_of("abc", "crc7"), RunError);
}

TEST(Digest, of_npm) {
  const Digest sha256{"sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"};
  EXPECT_EQ(parse_integrity("sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="), sha256);
  EXPECT_EQ(parse_integrity("sha1-abc sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0= sha512-?"), sha256);
  EXPECT_THROW(parse_integrity("sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0="), RunError);  // too weak to trust
  EXPECT_THROW(parse_integrity(""), RunError);
}

TEST(Locate, reads_what_npm_answers) {
  const Location found = parse_npm_view(
      R"({"dist.tarball": "https://a/b.tgz", "dist.integrity": "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="})",
      npm);
  EXPECT_EQ(found.url, "https://a/b.tgz");
  EXPECT_EQ(found.file_name, "some-data-1.2.3.tgz");
  EXPECT_EQ(found.digest.algorithm, "sha256");
  for (const char* nonsense : {"", "[]", "{", "\"x\"", R"({"dist.tarball": 3})", R"({"dist.tarball": "u"})"})
    EXPECT_THROW(parse_npm_view(nonsense, npm), RunError) << nonsense;
}

TEST(Locate, reads_what_apt_answers) {
  const Location found = parse_print_uris(
      "Reading package lists...\n"
      "'http://m/pool/some-data_1%7e2_all.deb' some-data_1~2_all.deb 30900652 SHA256:39e1\n",
      debian);
  EXPECT_EQ(found.url, "http://m/pool/some-data_1%7e2_all.deb");
  EXPECT_EQ(found.file_name, "some-data_1~2_all.deb");
  EXPECT_EQ(found.digest, (Digest{"sha256", "39e1"}));
  for (const char* nonsense :
       {"", "'http://m/x.deb'\n", "'u' other_1_all.deb 3 SHA256:ab\n",
        "'u' some-data_1_all.deb 3 MD5Sum:ab\n", "'u' ../some-data_1_all.deb 3 SHA256:ab\n"})
    EXPECT_THROW(parse_print_uris(nonsense, debian), RunError) << nonsense;
}

TEST(Locate, knows_the_files_by_name) {
  EXPECT_TRUE(is_file_of(npm, "some-data-1.2.3.tgz"));
  EXPECT_FALSE(is_file_of(npm, "some-data-1.2.3.tgz.part"));
  EXPECT_FALSE(is_file_of(npm, "some-data-1.2.4.tgz"));
  EXPECT_TRUE(is_file_of(debian, "some-data_0.1_all.deb"));
  EXPECT_FALSE(is_file_of(debian, "some-data_0.1_all.deb.part"));
  EXPECT_FALSE(is_file_of(debian, "some-data-extra_0.1_all.deb"));
  EXPECT_FALSE(is_file_of(debian, "some-data_/../../etc/x.deb"));
}

}  // namespace
}  // namespace ideal::fetch
