"""What a copy button must give has no prompt and no output in it, and can be pasted as it is."""

import pytest

from tests.docs.runnable import PAGES, documented, runnable, session

PAGE = """\
```sh
echo tea \\
    rum
cat <<END
one

END
```

```text
tea rum
one
```

```pycon
>>> for one in (1, 2):
...     print(one)
1
2
```

```text
no code
```
"""


def test_prompts_and_outputs_are_left_out(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    shell, python = runnable(page)
    assert shell == "echo tea \\\n    rum\ncat <<END\none\n\nEND"
    assert python == "for one in (1, 2):\n    print(one)"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_session_types_is_a_script(page):
    for text in runnable(page):
        if ">>> " in page.read_text() and text in session(page.read_text()):
            compile(text, page.name, "exec")


def test_sessions_of_docstrings_are_found():
    assert "overbar.select(" in documented()
    assert ">>>" not in documented()
