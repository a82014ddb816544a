"""Sizes are read, written and compared with a limit before an array is made."""

import numpy as np
import pytest
from scipy import sparse

from manyviews.exceptions import MemoryLimitError, ViewsError
from manyviews.maths import check_memory, dense_within_memory, memory, memory_limit, rows_at_a_time


def test_the_sentence_has_the_size_the_limit_the_remedy_and_how_to_raise_it(monkeypatch):
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "4GiB")
    with pytest.raises(MemoryLimitError) as told:
        check_memory((200_000, 200_000), "similarities of many objects", remedy="use KNNGraph()")
    assert str(told.value) == (
        "similarities of many objects would take 298 GiB of memory, and one array may take 4.0 GiB "
        "here; use KNNGraph(), or raise the limit by the environment variable "
        "MANYVIEWS_MAX_MEMORY=320GB."
    )


def test_what_the_sentence_says_is_enough(monkeypatch):
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "320GB")
    check_memory((200_000, 200_000), "similarities of many objects", remedy="use KNNGraph()")
    with pytest.raises(MemoryLimitError):
        check_memory((200_001, 200_000), "similarities of many objects", remedy="use KNNGraph()")
    check_memory((200_001, 200_000), "similarities", remedy="none", dtype=np.float32)


def test_it_is_caught_as_what_users_catch():
    assert issubclass(MemoryLimitError, MemoryError)
    assert issubclass(MemoryLimitError, ViewsError)
    assert issubclass(MemoryLimitError, ValueError)


def test_sizes_do_not_overflow(monkeypatch):
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "1TB")
    many = np.int32(2_000_000_000)
    with pytest.raises(MemoryLimitError, match="TiB"):
        check_memory((many, many), "similarities", remedy="none")


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [
        ("4096", 4096),
        ("10B", 10),
        ("1kB", 1000),
        ("2 MB", 2e6),
        ("1.5GiB", 1.5 * 2**30),
        ("3g", 3e9),
        (" 1TiB ", 2**40),
    ],
)
def test_sizes_are_read_as_people_write_them(text, n_bytes, monkeypatch):
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", text)
    assert memory_limit() == n_bytes


@pytest.mark.parametrize("text", ["", "much", "-3GB", "nan", "4 GBit", "1e3"])
def test_what_is_no_size_is_refused(text, monkeypatch):
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", text)
    with pytest.raises(ValueError, match=r"^MANYVIEWS_MAX_MEMORY=.* is no size; [^\n]*\.$"):
        memory_limit()


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (5 * 2**30, "5.0 GiB")],
)
def test_sizes_are_written_for_people(n_bytes, text):
    assert memory.as_size(n_bytes) == text
    assert memory.as_size(3000 * 2**40) == "3,000 TiB"


def test_without_a_word_of_the_user_it_is_a_share_of_the_machine(monkeypatch):
    monkeypatch.delenv("MANYVIEWS_MAX_MEMORY", raising=False)
    assert 0 < memory_limit() <= memory.machine_memory() / 4


def test_the_narrowest_group_of_the_new_kind_is_found(tmp_path):
    membership = tmp_path / "membership"
    membership.write_text("0::/outer/inner\n")
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (inner / "memory.max").write_text("max\n")
    (tmp_path / "outer" / "memory.max").write_text("3000000\n")
    assert memory.container_limits(tmp_path, membership) == [3_000_000]


def test_the_group_of_the_old_kind_is_found(tmp_path):
    membership = tmp_path / "membership"
    membership.write_text("5:cpu,cpuacct:/\n4:memory:/docker/abc\n")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "memory.limit_in_bytes").write_text("2000000\n")
    assert memory.container_limits(tmp_path, membership) == [2_000_000]


def test_without_groups_there_is_no_limit_of_theirs(tmp_path):
    assert memory.container_limits(tmp_path, tmp_path / "nothing") == []


def test_a_sparse_matrix_is_made_dense_if_it_fits(monkeypatch):
    small = sparse.csr_array(np.eye(3))
    np.testing.assert_array_equal(dense_within_memory(small, "rows", remedy="none"), np.eye(3))
    large = sparse.csr_array((200_000, 100_000))
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "1GB")
    with pytest.raises(MemoryLimitError, match="rows would take 149 GiB"):
        dense_within_memory(large, "rows", remedy="none")
    given = np.ones((2, 2))
    assert dense_within_memory(given, "rows", remedy="none") is given


def test_blocks_are_never_empty_and_never_beyond_the_limit(monkeypatch):
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "8000")
    assert rows_at_a_time(10) == 100
    assert rows_at_a_time(10**9) == 1
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "1TB")
    assert 8 * 1000 * rows_at_a_time(1000) <= 2**27
