"""Text out of HTML, hostile HTML too."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.text.markup import has_markup, text_of_html, unescape

NAMES = """p div span b i em strong a ul li table tr td th h1 h2 br img blockquote pre section article figure
script style nav header footer aside form svg math iframe template noscript select option button main address
font small sub sup html body head custom-tag o:p"""
names = st.sampled_from(NAMES.split())
attributes = st.sampled_from(
    ["", " title='x>y'", ' class="a b"', " hidden", " onclick=\"a('<p>')\"", " =", "/"]
)
plain = st.text("abc xyz\n&;", max_size=12)
pieces = st.one_of(
    plain,
    st.builds("<{}{}>".format, names, attributes),
    st.builds("</{}>".format, names),
    st.sampled_from(
        ["<!-- <p>x</p> -->", "<!--", "-->", "<![CDATA[x]]>", "<?php x ?>", "<!DOCTYPE html>", "</", "<"]
    ),
)


@given(st.lists(pieces, max_size=30).map("".join))
def test_no_tag_is_left(source: str) -> None:
    text = text_of_html(source)
    assert not re.search(r"</?(?:p|div|span|b|i|em|a|ul|li|table|tr|td|script|style|br|img)\b[^<]*>", text), (
        text
    )


@given(st.lists(pieces, max_size=30).map("".join))
def test_lines_are_trimmed_and_not_empty(source: str) -> None:
    text = text_of_html(source)
    assert text == "\n".join(line.strip() for line in text.split("\n") if line.strip())
    assert "\ue000" not in text
    assert "\ue001" not in text


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_text_can_be_read_as_html(source: str) -> None:
    assert isinstance(text_of_html(source), str)
    assert isinstance(unescape(source), str)
    has_markup(source)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("un<b>believ</b>able", "unbelievable"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("<div title='x>y'>text</div>", "text"),
        ("<p>a &lt;b&gt; &amp; c&nbsp;d</p>", "a <b> & c d"),
        ("<p>spread\n   over\tlines</p>", "spread over lines"),
        ("<script>alert('<p>no</p>')</script><p>yes</p>", "yes"),
        ("<style>p { }</style><p>yes", "yes"),
        ("<nav>menu</nav><header>top</header><p>yes</p><footer>end</footer>", "yes"),
        ("<p hidden>no</p><p aria-hidden=true>no</p><p>yes</p>", "yes"),
        ("<!-- <p>no</p> --><p>yes</p>", "yes"),
        ("<p>yes<script>no", "yes"),
        ("<p>yes</p><noscript><p>no</p></noscript>", "yes"),
        ("<textarea><p>no</p></textarea><p>yes</p>", "yes"),
        ("<noembed><p>no</p></noembed><p>yes</p>", "yes"),
        ("<noframes><p>no</p></noframes><p>yes</p>", "yes"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_it_reads_as(source: str, text: str) -> None:
    assert text_of_html(source) == text


@pytest.mark.parametrize("text", ["Shares of <BP> fell", "a < b > c", "<3", "x <- y"])
def test_what_only_looks_like_a_tag_is_text(text: str) -> None:
    assert not has_markup(text)


@pytest.mark.parametrize(
    "source",
    [
        "'<div>' * 200_000 + 'x'",
        "'<b>' * 200_000 + 'x'",
        "'<table><tr><td>' * 20_000 + 'x'",
        "'<a <a <a ' * 100_000",
        "'<p>x</p>' * 100_000",
        "'<!--' * 300_000",
        "'&amp' * 300_000",
        "'<p title=\"' + 'x' * 1_500_000",
        "'<nav>' * 50_000 + 'x' + '</nav>' * 50_000",
        "'<svg><title><![CDATA[' * 50_000",
    ],
)
def test_hostile_html_ends_in_bounded_time_and_does_not_crash(source: str) -> None:
    # in a process of its own: a stack that overflows in C would end the tests
    code = f"from streams.text.markup import *; s = {source}; text_of_html(s); has_markup(s); unescape(s)"
    done = subprocess.run(
        [sys.executable, "-c", code], timeout=10, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
