"""The code in the README runs, and says what its comments say."""

import re
from pathlib import Path

from manyviews.metrics import adjusted_rand_score

README = Path(__file__).parents[2] / "README.md"


def test_the_code_in_the_readme_runs():
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 6
    names: dict = {}
    exec(compile(blocks[0], str(README), "exec"), names)
    assert names["views"].shape == (4, 5)
    assert names["views"].observed.tolist()[1] == [True, False]
    exec(compile(blocks[1], str(README), "exec"), names)
    assert round(1 - names["gappy"].observed.mean(), 3) == 0.3
    exec(compile(blocks[2], str(README), "exec"), names)
    found = names["model"].predict(names["gappy"][1500:])
    assert adjusted_rand_score(names["y"][1500:], found) > 0.4
    exec(compile(blocks[3], str(README), "exec"), names)
    assert (names["model"].transduction_ == names["y"]).mean() > 0.7
    exec(compile(blocks[4], str(README), "exec"), names)
    shares = names["retriever"].top_n_accuracy(names["documents"][300:], "en", "fr", n=10)
    assert shares[10] > 0.9
