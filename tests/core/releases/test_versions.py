"""Which names of tags are versions, of what kind, and in which order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from perf_assets.core.releases.versions import (
    MOST_TAGS,
    main_package,
    named_version,
    own_packages,
    version_tags,
)


@pytest.mark.parametrize(
    ("name", "version", "package", "kind"),
    [
        ("v1.2.3", "1.2.3", None, "final"),
        ("1.2.3", "1.2.3", None, "final"),
        ("V1.2", "1.2", None, "final"),
        ("v5", "5", None, "final"),
        ("release-5", "5", None, "final"),
        ("release-1.2", "1.2", None, "final"),
        ("release/v1.2", "1.2", None, "final"),
        ("rel/1.2.3", "1.2.3", None, "final"),
        ("REL_12_3", "12.3", None, "final"),
        ("REL8_0_0", "8.0.0", None, "final"),
        ("REL_12_BETA2", "12b2", None, "rc"),
        ("torch-1.2", "1.2", "torch", "final"),
        ("chainer-v1.2", "1.2", "chainer", "final"),
        ("jaxlib-v0.4.1", "0.4.1", "jaxlib", "final"),
        ("pkg@1.2.3", "1.2.3", "pkg", "final"),
        ("@scope/pkg@1.2.3-rc.1", "1.2.3rc1", "@scope/pkg", "rc"),
        ("rel/log4j-2.17.1", "2.17.1", "log4j", "final"),
        ("boost-1_76_0", "1.76.0", "boost", "final"),
        ("pkg-2-v1.2.3", "1.2.3", "pkg-2", "final"),
        ("go1.21.3", "1.21.3", "go", "final"),
        ("v1.0.0.post1", "1.0.0.post1", None, "post"),
        ("v1.0.0rc1", "1.0.0rc1", None, "rc"),
        ("v1.13.0-rc2", "1.13.0rc2", None, "rc"),
        ("v7.0.0b1", "7.0.0b1", None, "rc"),
        ("1.2.3-beta.2+build", "1.2.3b2+build", None, "rc"),
        ("v1.2.3-preview.4", "1.2.3rc4", None, "rc"),
        ("v1.2.3-canary.4", "1.2.3-canary.4", None, "rc"),
        ("v1.2.3-nightly.20240101", "1.2.3-nightly.20240101", None, "nightly"),
        ("v1.0.dev3", "1.0.dev3", None, "dev"),
        ("v2.1.0.dev20230801", "2.1.0.dev20230801", None, "nightly"),
        ("nightly-2024-01-01", "2024-01-01", None, "nightly"),
        ("nightly/20240101", "20240101", None, "nightly"),
        ("20240101", "20240101", None, "nightly"),
        ("2024.1.0", "2024.1.0", None, "final"),
        ("v2024.01.0", "2024.1.0", None, "final"),
        ("1.2.3.Final", "1.2.3", None, "final"),
        ("1!2.0", "1!2.0", None, "final"),
    ],
)
def test_reads_names_of_tags(name, version, package, kind):
    found = named_version(name)
    assert (found[:3] if found else (None, None, None)) == (version, package, kind)


@pytest.mark.parametrize(
    "name",
    [
        *("ciflow/trunk/12345", "ciflow/nightly/12345", "ciflow/inductor/7", "viable/strict/17123"),
        *("nightly", "latest", "stable", "trunk/0123abc", "20241301", "v", "123456"),
        *("", "-v1.0", "v1.0\n", "v1..0", "v1.0 x", "v1.0.lock", "v1.0/", "v" * 20_000, "1" * 9000),
        *("v1.0\x00", "v1.0:refs/heads/main", "+v1.0", "v1.0^{}", "v1.0*"),
    ],
)
def test_other_names_are_no_versions(name):
    assert named_version(name) is None


number = st.integers(0, 30)
versions = st.builds(
    lambda epoch, release, pre, post, dev, local: (
        f"{epoch}{'.'.join(map(str, release))}{pre}{post}{dev}{local}"
    ),
    st.sampled_from(["", "", "1!"]),
    st.lists(number, min_size=2, max_size=4),
    st.sampled_from(["", "", "a1", "b2", "rc3", "-alpha.1", "_beta", ".preview4", "c0"]),
    st.sampled_from(["", "", ".post1", "-2", ".rev3"]),
    st.sampled_from(["", "", ".dev4", "-dev"]),
    st.sampled_from(["", "", "+cu118", "+local.7"]),
)


@given(versions, st.sampled_from(["", "v", "release-", "pkg-", "pkg@", "rel/v"]))
def test_agrees_with_packaging_on_every_version(text, prefix):
    found, version = named_version(prefix + text), Version(text)
    assert found is not None
    assert (found.version, found.order) == (str(version), version)
    assert found.package == ("pkg" if prefix.startswith("pkg") else None)
    kinds = {
        "dev": version.is_devrelease,
        "rc": version.is_prerelease and not version.is_devrelease,
        "post": version.is_postrelease and not version.is_prerelease,
        "final": not version.is_postrelease and not version.is_prerelease,
    }
    assert kinds[found.kind]


@given(st.lists(versions))
def test_orders_versions_as_packaging_does(texts):
    tags = version_tags(f"v{text}" for text in texts)
    ordered = sorted(tags, key=lambda name: (tags[name].order, name))
    assert ordered == sorted(tags, key=lambda name: (Version(name), name))


@given(st.text())
def test_reads_any_name(name):
    assert named_version(name) is None or len(name) <= 100


def test_keeps_the_highest_versions_of_too_many_tags():
    names = [f"v{number}.0" for number in range(MOST_TAGS // 2)]
    names += [f"v1.0.{number}" for number in range(MOST_TAGS)]
    names += ["nightly-2024-01-01"]
    tags = version_tags(names)
    assert len(tags) == MOST_TAGS and "v9999.0" in tags
    assert "nightly-2024-01-01" not in tags and "v1.0.0" not in tags


def test_the_main_package_has_the_most_releases():
    assert main_package(["jaxlib", "jax", "jax"]) == "jax"
    assert main_package(["b", None]) is None
    assert main_package([]) is None
    assert {"jax"} <= own_packages("google/jax")
    assert {"pytorch", "torch"} <= own_packages("pytorch/pytorch")
    assert "scikitlearn" in own_packages("scikit-learn/scikit-learn")
