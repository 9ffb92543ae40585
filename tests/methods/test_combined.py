"""The default method: laws that hold for all texts, edits that it must see through, and what is no copy."""

from __future__ import annotations

import hashlib
import random
import re
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.methods import combined
from streams.methods.comparison import Comparison
from streams.signature import Signatures
from streams.stages.fingerprint import sign
from streams.stages.split import split_text
from streams.text.repair import repair
from tests.buses import EmbeddedBus, Outcome
from tests.methods.sentences import SENTENCES, UNSPACED, glue, text_of
from tests.texts import item, sentences, story, word

EVERY = [(lang, sentence) for lang, told in SENTENCES.items() for sentence in told]
HOST = story("host", 8)


def signed(*texts: str, lang: str | None = None) -> Signatures:
    return sign(list(texts), [split_text(text, lang) for text in texts])


def judge(one: str, other: str, lang: str | None = None) -> Comparison:
    """What comes of two items in the stream: nothing, if no feature leads from one to the other."""
    pack = signed(one, other, lang=lang)
    features = combined.features(pack)
    if not set(features[0].tolist()) & set(features[1].tolist()):
        return Comparison(None, 0.0)
    return combined.compare(pack[0], pack[1])


def kind(one: str, other: str, lang: str | None = None) -> str | None:
    return judge(one, other, lang).kind


# laws


@pytest.mark.parametrize("lang", SENTENCES)
def test_a_text_is_a_duplicate_of_itself(lang: str) -> None:
    comparison = judge(text_of(lang), text_of(lang), lang)
    assert (comparison.kind, comparison.score, comparison.differs) == ("duplicate", 1, ())


@pytest.mark.parametrize("lang", SENTENCES)
def test_sentences_in_another_order_are_a_duplicate(lang: str) -> None:
    turned = glue(lang).join(SENTENCES[lang][::-1])
    assert kind(text_of(lang), turned, lang) == "duplicate"


@pytest.mark.parametrize("tag", ["xx", "en", "zh"])
@pytest.mark.parametrize("lang", SENTENCES)
def test_a_wrong_language_tag_hides_no_copy(lang: str, tag: str) -> None:
    text = text_of(lang)
    pack = sign([text, text], [split_text(text, lang), split_text(text, tag)])
    assert combined.compare(pack[0], pack[1]).kind == "duplicate"


@pytest.mark.parametrize("lang", SENTENCES)
def test_unrelated_text_around_makes_a_containment(lang: str) -> None:
    around = " ".join([story(("before", lang), 12), text_of(lang), story(("after", lang), 12)])
    comparison = judge(around, text_of(lang), lang)
    assert comparison.kind == "containment"
    assert not comparison.item_is_contained
    assert comparison.coverage_other == 1


@pytest.mark.parametrize("lang", SENTENCES)
def test_texts_of_other_languages_have_nothing_in_common(lang: str) -> None:
    for other in SENTENCES:
        if other != lang:
            assert kind(text_of(lang), text_of(other)) is None


def test_other_stories_have_nothing_in_common() -> None:
    assert all(kind(story(n, 8), story(n + 1, 8)) is None for n in range(20))


pool = st.sampled_from([*sentences("pool", 12), *(sentence for _, sentence in EVERY)])
texts = st.lists(pool, min_size=1, max_size=12, unique=True).map(" ".join)


@given(texts, texts)
def test_the_kind_and_the_container_do_not_depend_on_who_came_first(one: str, other: str) -> None:
    there, back = judge(one, other), judge(other, one)
    assert there.kind == back.kind
    assert there.differs == back.differs
    assert there.score == pytest.approx(back.score)
    assert (there.coverage_item, there.coverage_other) == (back.coverage_other, back.coverage_item)
    if there.kind == "containment":
        assert there.item_is_contained != back.item_is_contained


@given(texts)
def test_every_text_is_found_again_as_a_duplicate(text: str) -> None:
    assert kind(text, text) == "duplicate"


@given(st.lists(pool, min_size=2, max_size=12, unique=True), st.randoms(use_true_random=False))
def test_every_order_of_the_sentences_is_a_duplicate(told: list[str], chance: random.Random) -> None:
    turned = chance.sample(told, len(told))
    assert kind(" ".join(told), " ".join(turned)) == "duplicate"


@given(st.lists(pool, min_size=1, max_size=6, unique=True), st.integers(0, 1000))
@settings(max_examples=50)
def test_twice_as_much_unrelated_text_makes_a_containment(told: list[str], seed: int) -> None:
    comparison = judge(" ".join(told), " ".join([*told, story(("more", seed), 2 * len(told) + 4)]))
    assert comparison.kind == "containment"
    assert comparison.item_is_contained


@given(texts, texts)
def test_pairs_point_at_sentences_and_scores_are_shares(one: str, other: str) -> None:
    comparison = judge(one, other)
    shares = (comparison.score, comparison.coverage_item, comparison.coverage_other, *comparison.pairs.same)
    assert all(0 <= share <= 1 for share in shares)
    assert all(n < len(split_text(one)) // 2 for n in comparison.pairs.item.tolist())
    assert all(n < len(split_text(other)) // 2 for n in comparison.pairs.other.tolist())
    assert (comparison.kind is not None) <= (len(comparison.pairs.item) > 0)


# edits


def changed(sentence: str, lang: str, chance: random.Random) -> str:
    """The sentence with one of its words, or characters, changed into another."""
    if lang in UNSPACED:
        places = [n for n, character in enumerate(sentence) if character.isalpha()]
        place = chance.choice(places)
        return sentence[:place] + chance.choice("龍鯨鷹柚") + sentence[place + 1 :]
    words = sentence.split(" ")
    place = chance.randrange(len(words))
    end = words[place][-1] if words[place][-1] in ",.。।۔" else ""
    words[place] = word(chance) + end
    return " ".join(words)


@pytest.mark.parametrize("seed", range(5))
def test_one_word_changed_in_an_item_of_one_sentence_is_found_nine_times_in_ten(seed: int) -> None:
    chance = random.Random(seed)
    missed = [
        edited
        for lang, sentence in EVERY
        if kind(edited := changed(sentence, lang, chance), sentence, lang) is None
    ]
    assert len(missed) <= 0.1 * len(EVERY), missed


@pytest.mark.parametrize("seed", range(5))
def test_one_word_changed_in_a_quoted_sentence_is_found_nine_times_in_ten(seed: int) -> None:
    chance = random.Random(seed)
    missed = []
    for number, (lang, sentence) in enumerate(EVERY):
        edited = changed(sentence, lang, chance)
        source = " ".join([story(("source", number), 3), sentence, story(("rest", number), 4)])
        quoting = " ".join([story(("quoting", number), 4), edited, story(("on", number), 2)])
        if kind(quoting, source, lang) is None:
            missed.append(edited)
    assert len(missed) <= 0.1 * len(EVERY), missed


def reordered(text: str) -> str:
    """The words of every sentence in another order."""
    told = []
    for start, end in zip(split_text(text)[::2], split_text(text)[1::2], strict=True):
        words = text[start:end].rstrip(".").split()
        told.append(" ".join(random.Random(3).sample(words, len(words))) + ".")
    return " ".join(told)


ENGLISH = " ".join(SENTENCES["en"])
NUMBERS = (
    "The port handled 1,234,567 containers in the third quarter, the harbour authority of Larnholm reported. "
    "Revenue from pilot services climbed to 45.6 million kroner while dredging swallowed 2,500 tonnes of diesel."
)
EDITS = {
    "stop words dropped": (ENGLISH, ENGLISH.replace(" the ", " ").replace(" a ", " ").replace(" of ", " ")),
    "stop words added": (ENGLISH, ENGLISH.replace(" and ", " and also ").replace(" by ", " then by the ")),
    "other quotes": (
        '"We have waited for ten years," fisherman Olle Brandt said, "and the quay\'s still crumbling."',
        "“We have waited for ten years,” fisherman Olle Brandt said, ‘and the quay’s still crumbling.’",
    ),
    "French quotes": (
        "« Nous attendons depuis dix ans », a déclaré la pêcheuse bretonne devant le quai délabré.",
        '"Nous attendons depuis dix ans", a déclaré la pêcheuse bretonne devant le quai délabré.',
    ),
    "other dashes": (
        "The regatta - postponed twice because of storms - finally started off Brannoch under grey skies.",
        "The regatta—postponed twice because of storms—finally started off Brannoch under grey skies.",
    ),
    "soft hyphens": (
        ENGLISH,
        ENGLISH.replace("council", "coun\u00adcil").replace("company", "com\u00adpany"),
    ),
    "capitals": (ENGLISH, ENGLISH.upper()),
    "small letters": (ENGLISH, ENGLISH.lower()),
    "numbers without separators": (NUMBERS, NUMBERS.replace("1,234,567", "1234567").replace("2,500", "2500")),
    "numbers with dots and commas swapped": (
        NUMBERS,
        NUMBERS.replace("1,234,567", "1.234.567").replace("45.6", "45,6").replace("2,500", "2.500"),
    ),
    "numbers with spaces": (
        NUMBERS,
        NUMBERS.replace("1,234,567", "1\u202f234\u202f567").replace("2,500", "2\u00a0500"),
    ),
    "Swiss numbers": (NUMBERS, NUMBERS.replace("1,234,567", "1’234’567").replace("2,500", "2'500")),
    "words reordered": (ENGLISH, reordered(ENGLISH)),
}


@pytest.mark.parametrize("name", EDITS)
def test_it_is_a_duplicate_with(name: str) -> None:
    assert kind(*EDITS[name]) == "duplicate"


@pytest.mark.parametrize("sentence", SENTENCES["en"][:6])
def test_a_sentence_of_which_all_words_change_places_is_found(sentence: str) -> None:
    turned = " ".join(reversed(sentence.rstrip(".").split())) + "."
    assert kind(turned, sentence) == "duplicate"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("co-operation between the ice-breaker crews", "cooperation between the icebreaker crews"),
        ("co-operation between the ice-breaker crews", "co operation between the ice breaker crews"),
    ],
)
def test_hyphenation_does_not_matter(one: str, other: str) -> None:
    frame = "Winter shipping in the gulf depends on {} of both navies, admiral Tove Lindqvist told reporters."
    assert kind(frame.format(one), frame.format(other)) is not None


def test_words_hyphenated_at_the_ends_of_lines_are_found() -> None:
    lines = textwrap.wrap(ENGLISH, 64)
    wrapped = "\n".join(lines)
    for number in range(0, len(lines) - 1, 3):
        last = re.search(r"[a-z]{6,}$", lines[number])
        if last:
            wrapped = wrapped.replace(lines[number], f"{lines[number][:-3]}-\n{lines[number][-3:]}")
    assert wrapped.count("-\n") > 2
    assert kind(repair(wrapped), ENGLISH) == "duplicate"


@pytest.mark.parametrize("lang", ["de", "fr", "es", "tr"])
def test_diacritics_dropped_are_a_duplicate(lang: str) -> None:
    bare = text_of(lang).translate(str.maketrans("äöüéèêàçñíóáúığşİÄÖÜ", "aoueeeacnioauigsIAOU"))
    bare = bare.replace("ß", "ss")
    assert bare != text_of(lang)
    assert kind(bare, text_of(lang), lang) == "duplicate"


@pytest.mark.parametrize("lang", SENTENCES)
def test_capitals_are_a_duplicate_in_every_language(lang: str) -> None:
    capitals = text_of(lang).replace("i", "İ") if lang == "tr" else text_of(lang)
    assert kind(capitals.upper(), text_of(lang), lang) == "duplicate"


@pytest.fixture(scope="module")
async def dressed() -> Outcome:
    """A story as plain text, as HTML with furniture, with another headline, and with another byline."""
    told = SENTENCES["en"]
    body = "\n".join(told)
    html = (
        "<html><head><title>Gull Gazette</title><script>track()</script></head><body>"
        "<nav><a href='/'>Home</a><a href='/sport'>Sport and leisure today</a></nav>"
        "<header>The Gull Gazette, independent since the flood</header><article>"
        + "".join(f"<p>{sentence.replace('the', '<em>the</em>')}</p>" for sentence in told)
        + "</article><aside>Most read: seven ways to cook an eel</aside>"
        "<footer>Contact the editors. All rights reserved.</footer></body></html>"
    )
    return await EmbeddedBus().judge(
        [
            item("plain", body),
            item("html", "", 0.1) | {"text": None, "html": html},
            item("headline", f"Terminal wins vote after marathon session\n{body}", 0.2),
            item("other-headline", f"Council backs ferry plan despite bill\n{body}", 0.3),
            item("byline", f"By Marit Solberg, Larnholm\n{body}\n(Reporting by Marit Solberg)", 0.4),
            item("other-byline", f"LARNHOLM, March 2 (Wire) - {body}\nEditing by Jo Ekman, Bo Lund", 0.5),
            item("title", body, 0.6, title="A title is not part of the text", source="Wire"),
        ]
    )


@pytest.mark.parametrize("name", ["html", "headline", "other-headline", "byline", "other-byline", "title"])
async def test_what_stands_around_a_story_does_not_matter(dressed: Outcome, name: str) -> None:
    assert dressed.dead_letters == []
    assert dressed.verdict(name).decision == "duplicate"
    assert dressed.verdict(name).original == "plain"


# templates

DIVIDEND = (
    "{name} said its board declared a quarterly dividend of {a} cents per share. "
    "The dividend is payable on {month} {b} to shareholders of record on {month} {c}. "
    "The company paid {d} cents in the same quarter of the previous year."
)
RATES = (
    "The central bank fixed the krone at {a} against the dollar and {b} against the euro on {month} {c}. "
    "The overnight rate stood at {d} percent, the weekly rate at {a} percent and the monthly rate at {b} percent."
)
RESULTS = (
    "{name} reported net profit of {a} million kroner for the quarter, or {b} per share. "
    "Revenue was {c} million kroner against {d} million a year before. "
    "Average shares outstanding were {e} million."
)
WEATHER = (
    "Forecast for {name}: partly cloudy with scattered showers, high {a}, low {b}, wind {c} knots. "
    "Chance of rain {d} percent, sunrise at {e}, sunset at {b}."
)
HOROSCOPE_ONE = (
    "{name}: The moon favours bold decisions this week, so sign that contract. "
    "A colleague brings unexpected news on Thursday. Lucky numbers are {a}, {b} and {c}."
)
HOROSCOPE_TWO = (
    "{name}: Venus asks for patience at home, so postpone the quarrel. "
    "An old friend returns a forgotten favour on Sunday. Lucky numbers are {d}, {e} and {a}."
)
FIRST = {"name": "Aldermoor Timber", "month": "April", "a": 12, "b": 28, "c": 14, "d": 11, "e": 733}
SECOND = {"name": "Quillfeather Foods", "month": "May", "a": 37, "b": 16, "c": 2, "d": 35, "e": 218}
TEMPLATES = {"dividend": DIVIDEND, "rates": RATES, "results": RESULTS, "weather": WEATHER}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_with_other_figures_and_another_name_is_no_copy(name: str) -> None:
    one, other = TEMPLATES[name].format(**FIRST), TEMPLATES[name].format(**SECOND)
    assert kind(one, other) not in ("duplicate", "containment")


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_with_other_figures_is_no_copy(name: str) -> None:
    one, other = (TEMPLATES[name].format(**{**chosen, "name": "Aldermoor"}) for chosen in (FIRST, SECOND))
    assert kind(one, other) not in ("duplicate", "containment")


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_same_notice_twice_is_a_duplicate(name: str) -> None:
    assert kind(TEMPLATES[name].format(**FIRST), TEMPLATES[name].format(**FIRST)) == "duplicate"


@pytest.mark.parametrize("names", [("Aldermoor Timber", "Quillfeather Foods"), ("Aldermoor", "Quillfeather")])
@pytest.mark.parametrize("template", [DIVIDEND, RESULTS, WEATHER, HOROSCOPE_ONE])
def test_a_notice_with_another_name_only_is_no_duplicate_unless_it_says_so(
    template: str, names: tuple[str, str]
) -> None:
    one, other = (template.format(**{**FIRST, "name": name}) for name in names)
    comparison = judge(one, other)
    assert comparison.kind not in ("duplicate", "containment") or "names" in comparison.differs


def test_horoscopes_of_two_signs_are_no_duplicates() -> None:
    one, other = HOROSCOPE_ONE.format(**FIRST), HOROSCOPE_TWO.format(**SECOND)
    assert kind(one, other) is None


def test_a_long_text_of_which_only_the_figures_differ_says_so() -> None:
    told = " ".join(SENTENCES["en"][:6])
    figures = " The repair will take {} weeks and cost {} million kroner, engineer Liv Aas wrote in {} pages."
    comparison = judge(told + figures.format(14, 230, 88), told + figures.format(19, 310, 52))
    assert comparison.kind is not None
    assert comparison.differs == ("numbers",)


BULLETIN = (
    "The health office of Larnholm reported {} new cases of measles on Tuesday and {} recoveries. "
    "The northern district counted {} cases, the harbour district {} and the southern district {}. "
    "Among the patients in hospital are {} children, {} nurses and {} travellers from abroad. "
    "The office asks residents who notice a rash to call a doctor before they visit a practice."
)


def test_a_bulletin_of_the_next_day_with_other_small_figures_is_no_duplicate_unless_it_says_so() -> None:
    today, tomorrow = BULLETIN.format(4, 2, 1, 3, 5, 6, 7, 8), BULLETIN.format(2, 5, 3, 4, 1, 8, 6, 7)
    comparison = judge(tomorrow, today)
    assert comparison.kind != "duplicate" or comparison.differs == ("numbers",)


def test_the_same_text_with_the_same_figures_does_not_differ() -> None:
    assert judge(NUMBERS, NUMBERS).differs == ()


# furniture

FURNITURE = {
    "en": [
        "LARNHOLM, March 2 (Wire) -",
        "(Reporting by Marit Solberg in Larnholm and Jo Ekman in Brannoch; Editing by Bo Lund)",
        "The views expressed in this article are those of the author and do not necessarily reflect ours.",
        "All rights reserved. This material may not be published, broadcast or redistributed.",
        "Sign up for our newsletter and get the latest news delivered to your inbox every morning.",
        "We use cookies to improve your experience on this website and to show you relevant advertising.",
        "This story has been updated to correct the spelling of a name in the third paragraph.",
    ],
    "de": [
        "Berlin (dpa) -",
        "Alle Rechte vorbehalten, jede Verwendung bedarf der schriftlichen Genehmigung des Verlages.",
        "Wir verwenden Cookies, um Inhalte zu personalisieren und die Zugriffe auf unsere Website zu analysieren.",
        "Abonnieren Sie unseren Newsletter und erhalten Sie jeden Morgen die wichtigsten Meldungen des Tages.",
    ],
    "fr": [
        "PARIS, 2 mars (Reuters) -",
        "Tous droits réservés, toute reproduction même partielle de ce contenu est interdite sans autorisation.",
        "Nous utilisons des cookies pour améliorer votre expérience de navigation et mesurer notre audience.",
        "(Reportage Claire Morel, rédigé par Luc Bernard, édité par Anne Petit)",
    ],
    "es": [
        "MADRID, 2 mar (EFE).-",
        "Todos los derechos reservados, queda prohibida la reproducción total o parcial de este contenido.",
        "Utilizamos cookies propias y de terceros para mejorar nuestros servicios y mostrarle publicidad.",
        "(Reporte de Juan Pérez, editado en español por Marta López)",
    ],
    "tr": [
        "ANKARA (AA) -",
        "Tüm hakları saklıdır, kaynak gösterilmeden hiçbir haber izinsiz olarak yayımlanamaz.",
    ],
    "ru": [
        "МОСКВА, 2 мар — РИА Новости.",
        "Все права защищены, при использовании материалов активная ссылка на издание обязательна.",
    ],
    "zh": ["新华社北京3月2日电", "版权所有，未经授权不得转载或建立镜像，违者将依法追究法律责任。"],
    "ja": [
        "【東京共同】",
        "記事・写真の無断転載を禁じます。すべての内容は著作権法によって保護されています。",
    ],
    "ko": ["(서울=연합뉴스)", "저작권자 연합뉴스, 무단 전재 및 재배포 금지, 인공지능 학습 및 활용 금지."],
    "ar": ["القاهرة (رويترز) -", "جميع الحقوق محفوظة ولا يجوز إعادة نشر هذه المادة دون إذن مسبق من الناشر."],
}


@pytest.mark.parametrize("lang", FURNITURE)
def test_datelines_credits_and_disclaimers_make_no_link(lang: str) -> None:
    for line in FURNITURE[lang]:
        one, other = SENTENCES[lang][:1], SENTENCES[lang][1:2]
        before = ("\n".join([line, *told, story((lang, n), 3)]) for n, told in enumerate((one, other)))
        after = ("\n".join([*told, story((lang, n), 3), line]) for n, told in enumerate((one, other)))
        assert kind(*before, lang) is None, line
        assert kind(*after, lang) is None, line


# short and long


@pytest.mark.parametrize(
    "headline",
    [
        "Gold falls",
        "Ferry sinks off Brannoch",
        "FED RAISES RATES",
        "Larnholm terminal opens 2027",
        "金价下跌",
        "速報",
        "URGENT",
        "7",
        "Oil",
    ],
)
def test_a_headline_alone_is_found_again(headline: str) -> None:
    assert kind(headline, headline) == "duplicate"
    assert kind(headline, HOST) is None


def test_other_headlines_are_other_items() -> None:
    assert kind("Gold falls", "Gold rises") is None
    assert kind("Ferry sinks off Brannoch", "Ferry sinks off Larnholm") is None
    assert kind("Index closes at 4,512", "Index closes at 4,987") is None


@pytest.mark.parametrize("mark", ["", "...", "***", "— — —", "\U0001f600"])
def test_a_text_without_words_is_like_nothing(mark: str) -> None:
    assert kind(mark, mark) is None


def test_a_flash_is_contained_in_the_story_that_follows() -> None:
    flash = SENTENCES["en"][0]
    comparison = judge(f"{flash} {HOST}", flash)
    assert comparison.kind == "containment"
    assert not comparison.item_is_contained


@pytest.mark.timeout(60)
async def test_items_of_five_thousand_sentences_are_judged() -> None:
    long, more = sentences("long", 5000), sentences("more", 5000)
    outcome = await EmbeddedBus().judge(
        [
            item("long", " ".join(long)),
            item("copy", " ".join(long), 0.1),
            item("turned", " ".join(random.Random(1).sample(long, len(long))), 0.2),
            item("part", " ".join(long[2000:2040]), 0.3),
            item("quote", " ".join([*sentences("short", 6), long[4321]]), 0.4),
            item("mixed", " ".join([*long[:1500], *more[:3500]]), 0.5),
        ]
    )
    assert outcome.dead_letters == []
    told = {(r.kind, r.item) for r in outcome.relations if r.other == "long"}
    assert told == {
        ("duplicate", "copy"),
        ("duplicate", "turned"),
        ("containment", "part"),
        ("reuse", "quote"),
        ("reuse", "mixed"),
    }


@pytest.mark.timeout(60)
def test_one_sentence_five_hundred_times_is_its_own_copy_and_contains_one() -> None:
    once = SENTENCES["en"][0]
    often = " ".join([once] * 500)
    assert kind(" ".join([once] * 33), " ".join([once] * 33)) == "duplicate"
    assert kind(often, often) == "duplicate"
    assert kind(often, once) in ("duplicate", "containment")
    assert kind(often, HOST) is None
    assert kind(often, " ".join([HOST, once])) in ("containment", "reuse")  # it is longer, but has less


# what is stored

PINNED = "The harbour council approved 3 new ferries on Monday. 市议会批准新桥。"


def test_features_outlive_a_release() -> None:
    assert combined.features(signed(PINNED)).values.tolist() == [
        8415259859580536089,
        3845912997573293549,
        8942726739587834851,
        2257240161887920205,
        13389110000513363008,
        979234915537485319,
        2028029808441200591,
        7728922988621047407,
        11452649419125293219,
        8858259993038689669,
        8296368345922870011,
    ]


def test_signatures_outlive_a_release() -> None:
    assert hashlib.sha256(signed(PINNED).to_bytes()).hexdigest() == (
        "60899a42241e2b97e0f42232dad346a135a95713d8d9bc3b9dcf3e1d838a53e0"
    )
    assert signed(PINNED).words.values.tolist() == [
        4128767925,
        4140467227,
        437560619,
        1262577774,
        3855927855,
        13419038,
        740283814,
        2618645946,
        3921136000,
        4269439819,
        1736967449,
        4238179769,
    ]
