"""The raw store keeps an answer whole or not at all."""

import gzip
import json

import pytest

from aucstudy.sources.openml.transport import INDEX, Answer, RawStore

URL = "http://host/api/v1/xml/run/1"


@pytest.fixture
def raw(tmp_path) -> RawStore:
    """A store with one answer."""
    store = RawStore(tmp_path)
    store.keep(Answer(URL, 200, b"<oml:run/>"))
    return store


def test_an_answer_is_kept_with_its_request_time_and_sha256(raw, tmp_path):
    answer = RawStore(tmp_path).get(URL)
    assert (answer.status, answer.body) == (200, b"<oml:run/>")
    line = json.loads((tmp_path / INDEX).read_text().split("\n")[-1])
    assert (line["url"], line["sha256"], line["time"][:2]) == (URL, answer.sha256, "20")
    assert gzip.decompress(raw.path(URL).read_bytes()) == answer.body


EARLIER = json.dumps({"url": URL + "3", "time": "2024", "status": 0, "note": "no answer"})


@pytest.mark.parametrize("line", ['{"url": "http://ho', EARLIER])
def test_a_torn_line_or_one_of_a_request_given_up_costs_its_answer_only(raw, tmp_path, line):
    with (tmp_path / INDEX).open("a") as stream:
        stream.write(f"\n{line}")
    RawStore(tmp_path).keep(Answer(URL + "2", 404, b""))
    again = RawStore(tmp_path)
    assert [again.get(URL).status, again.get(URL + "2").status, again.get(URL + "3")] == [200, 404, None]
    assert URL + "3" not in again


@pytest.mark.parametrize("damage", [None, b"", b"\x1f\x8b", gzip.compress(b"something else", mtime=0)])
def test_a_damaged_or_missing_body_is_not_an_answer(raw, tmp_path, damage):
    raw.path(URL).unlink() if damage is None else raw.path(URL).write_bytes(damage)
    assert RawStore(tmp_path).get(URL) is None


def test_addresses_have_files_of_their_own_inside_the_folder(raw, tmp_path):
    ids = ",".join(map(str, range(500)))
    urls = [
        "http://host/run/list", "http://host/run/list/task/1", f"http://host/run/list/task/{ids}",
        f"http://host/run/list/task/{ids},500", "http://other/run/list", "http://host/../../etc/passwd",
        "http://host/a?b=1", "http://host/a?b=2", "http://host/", "http://host:81/run/list", "http://host/a b",
    ]  # fmt: skip
    for i, url in enumerate(urls):
        raw.keep(Answer(url, 200, str(i).encode()))
    again = RawStore(tmp_path)
    assert [again.get(url).body for url in urls] == [str(i).encode() for i in range(len(urls))]
    assert all(tmp_path in raw.path(url).resolve().parents for url in urls)
