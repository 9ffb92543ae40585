"""Text out of HTML: blocks separate, inline tags do not, furniture goes."""

from __future__ import annotations

import html
import re

from selectolax.lexbor import LexborHTMLParser

FURNITURE = (
    "script,style,noscript,noembed,noframes,textarea,xmp,title,option,template,svg,math,iframe,object,canvas,head,nav,header,footer,aside,form,button,"
    "select,figcaption,audio,video,[hidden],[aria-hidden=true],[role=navigation],[role=banner],"
    "[role=contentinfo],[role=complementary],[role=search],[role=dialog]"
)
BLOCKS = (
    "address,article,blockquote,br,dd,div,dl,dt,fieldset,figure,h1,h2,h3,h4,h5,h6,hr,li,main,ol,p,pre,"
    "section,table,tr,ul"
)
CELLS = "td,th"
_BREAK = "\ue000"  # a private character that stands for a line break while white space is folded
_GAP = "\ue001"
_TAG = re.compile(
    r"</?(?:p|br|div|span|a|b|i|em|strong|u|ul|ol|li|h[1-6]|table|tr|td|th|blockquote|img|figure|section|"
    r"article|script|style|html|body|font|small|sub|sup)(?:\s[^<>]{0,2000})?/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_MOST_TAGS = 10_000
"""No article has so many; nested that deep, the parser takes more than linear time."""
_UNREAD = [
    (re.compile(rf"<{name}\b", re.I), re.compile(rf"</{name}\b[^<>]*>", re.I))
    for name in ("script", "style", "textarea", "noembed", "noscript", "template")
]
_UNREAD.append((re.compile("<!--"), re.compile("-->")))
_ANY_BLOCK = re.compile(rf"</?(?:{BLOCKS.replace(',', '|')}|td|th)\b[^<>]*>", re.I)
_ANY_TAG = re.compile(r"</?[a-z!?][^<>]*>", re.I)


def has_markup(text: str) -> bool:
    """Whether a plain text has HTML tags after all; `<BP>` or `a < b` are none.

    >>> has_markup("Shares of <BP> fell"), has_markup("Shares<br/>fell")
    (False, True)
    """
    return "<" in text and _TAG.search(text) is not None


def unescape(text: str) -> str:
    """The text with its character references resolved.

    >>> unescape("Marks &amp; Spencer, AT&T")
    'Marks & Spencer, AT&T'
    """
    return _ENTITY.sub(lambda match: html.unescape(match.group()), text) if "&" in text else text


def text_of_html(source: str) -> str:
    """The readable text of a page or fragment, a line a block.

    >>> text_of_html("<p>An un<b>believ</b>able day</p><p title='x>y'>Next &amp; last<script>x()</script>")
    'An unbelievable day\\nNext & last'
    """
    if source.count("<") > _MOST_TAGS:
        return _text_of_many_tags(source)
    tree = LexborHTMLParser(source.replace(_BREAK, "").replace(_GAP, ""))
    body = tree.body
    if body is None:
        return ""
    for node in body.css(FURNITURE):
        node.decompose()
    for node in body.css(BLOCKS):
        node.insert_before(_BREAK)
        node.insert_after(_BREAK)
    for node in body.css(CELLS):
        node.insert_after(_GAP)
    folded = _SPACES.sub(" ", body.text(separator="")).replace(_GAP, " ")
    lines = (_SPACES.sub(" ", line).strip() for line in folded.split(_BREAK))
    return "\n".join(line for line in lines if line)


def _text_of_many_tags(source: str) -> str:
    """The text between the tags, in linear time, whatever they are."""
    for opening, closing in _UNREAD:
        first, *rest = opening.split(source)
        source = first + " ".join(closing.split(part, 1)[-1] if closing.search(part) else "" for part in rest)
    text = _ANY_TAG.sub("", _ANY_BLOCK.sub(_BREAK, source))
    lines = (_SPACES.sub(" ", line).strip() for line in html.unescape(text).split(_BREAK))
    return "\n".join(line for line in lines if line)
