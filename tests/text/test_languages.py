"""Each language split and tokenised as a reader would, and the exact characters pointed at.

The sentences were written for this test.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.stages.fingerprint import sign
from streams.stages.split import split_text
from streams.text.repair import repair
from streams.text.words import read_words

LANGUAGES: dict[str, list[str]] = {
    "en": [
        "Mr. Harding and Dr. Osei met at 9.30 a.m. in St. Albans.",
        "“The bridge will cost $4.5 million,” the mayor said.",
        "Was anyone surprised?",
        "The U.S. delegation arrived late, e.g. by an hour.",
        "It's the council's third plan since 1,998 homes were flooded!",
    ],
    "de": [
        "Am 3. Oktober kostete der Liter 1,85 Euro, ca. 4 Cent mehr als im Vorjahr.",
        "„Das ist z. B. in Köln nicht anders“, sagte Dr. Anke Möller.",
        "Der 2. Weltkrieg zerstörte die Brücke über die Weser.",
        "Wer zahlt nun die 12.500 Euro?",
        "Der Rat tagt erst im Herbst wieder!",
        "Die Straßenbahn fährt usw. nur noch bis zur St. Georgen Straße.",
    ],
    "fr": [
        "« Nous avons perdu 3,5 millions d’euros », a déclaré M. Lefèvre.",
        "Mme Dubois n'a pas répondu.",
        "Qu’attend donc le préfet de l’Hérault ?",
        "Le conseil s’est réuni à 14 h 30, cf. le procès-verbal.",
        "Quelle surprise !",
    ],
    "es": [
        "¿Cuándo abrirá el puerto de Cádiz?",
        "El Sr. Núñez pagó 1.250,75 euros por la obra.",
        "«¡No lo sabíamos!», gritaron los vecinos.",
        "¡Qué día tan largo!",
        "La Dra. Ibáñez volverá mañana a la pág. 12 del informe.",
    ],
    "tr": [
        "Prof. Dr. Ayşe Yıldız, İzmir'deki toplantıya saat 10.30'da katıldı.",
        "Köprü 2,5 milyar liraya mal oldu.",
        "“Işıklar söndü, kimse ağlamadı” dedi.",
        "Peki belediye ne yapacak?",
        "Şehirde 15 bin öğrenci okula gidemedi!",
    ],
    "ur": [
        "وزیر اعظم نے کراچی میں نئے پل کا افتتاح کیا۔",
        "کیا شہریوں کو پانی ملے گا؟",
        "حکام کے مطابق منصوبے پر 3.5 ارب روپے خرچ ہوئے۔",
        "”ہم نے وعدہ پورا کیا“، انہوں نے کہا۔",
    ],
    "ar": [
        "افتتح الوزير الجسر الجديد في مدينة طنطا يوم الأحد.",
        "هل سيحصل السكان على المياه؟",
        "وقال المدير: «أنفقنا 3,5 مليون جنيه على المشروع».",
        "يا لها من مفاجأة!",
    ],
    "zh": [
        "市长周二宣布，新桥将于2027年3月通车。",
        "“我们已经等了十年”，居民王芳说。",
        "谁来支付4.5亿元的费用？",
        "《晨报》记者昨天走访了三个村庄！",
    ],
    "ja": [
        "市長は火曜日、新しい橋が2027年3月に開通すると発表した。",
        "「もう十年も待った」と住民の佐藤さんは話した。",
        "費用の4.5億円は誰が払うのか？",
        "駅前では雨の中、多くの人が集まった！",
    ],
    "ko": [
        "시장은 화요일 새 다리가 2027년 3월에 개통된다고 밝혔다.",
        "“우리는 10년을 기다렸다”고 주민 김씨가 말했다.",
        "비용 4.5억 원은 누가 내나?",
        "역 앞에는 많은 사람이 모였다!",
    ],
    "ru": [
        "В 2027 г. мост через Оку откроют для движения.",
        "«Мы ждали 10 лет», — сказал А. С. Петров.",
        "Мэр Коломны ответил уклончиво.",
        "Кто заплатит 4,5 млн рублей?",
        "Власти, т. е. мэрия и область, пока молчат.",
        "Ёлку поставят у ул. Садовой!",
    ],
    "hi": [
        "प्रधानमंत्री ने मंगलवार को नए पुल का उद्घाटन किया।",
        "क्या गाँव के लोगों को पानी मिलेगा?",
        "डॉ. शर्मा ने कहा कि परियोजना पर 3.5 करोड़ रुपये खर्च हुए।",
        "“हमने दस साल इंतज़ार किया।”",
    ],
}
UNSPACED = {"zh", "ja"}


def glue(lang: str) -> str:
    return "" if lang in UNSPACED else " "


def cut(text: str, lang: str | None) -> list[str]:
    spans = split_text(text, lang)
    return [text[start:end] for start, end in zip(spans[::2], spans[1::2], strict=True)]


def hashes(text: str) -> list[int]:
    return [int(h) for h in read_words([text]).hashes]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_text_is_split_as_a_reader_would(lang: str) -> None:
    assert cut(glue(lang).join(LANGUAGES[lang]), lang) == LANGUAGES[lang]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_sentences_are_the_same_in_another_order_and_on_lines(lang: str) -> None:
    backwards = LANGUAGES[lang][::-1]
    assert cut(glue(lang).join(backwards), lang) == backwards
    assert cut("\n".join(backwards), lang) == backwards


@pytest.mark.parametrize("lang", LANGUAGES)
def test_quotation_marks_belong_to_the_sentence_that_they_open_or_close(lang: str) -> None:
    openings, closings = "“„«「『《¿¡(", "»」』》)"
    for sentence in cut(glue(lang).join(LANGUAGES[lang]), lang):
        assert sentence[-1] not in openings
        assert sentence[0] not in closings


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        (
            "en",
            "Gen. Lee left at noon. Sen. J. K. Rowe stayed.",
            ["Gen. Lee left at noon.", "Sen. J. K. Rowe stayed."],
        ),
        (
            "en",
            "It fell to No. 5 on Jan. 3. It rose later.",
            ["It fell to No. 5 on Jan. 3.", "It rose later."],
        ),
        ("de", "Im 19. Jahrhundert war das anders.", ["Im 19. Jahrhundert war das anders."]),
        ("de", "Das war 1995. Danach kam er.", ["Das war 1995.", "Danach kam er."]),
        ("fr", "Le maire a reçu M. Lefèvre. Il part.", ["Le maire a reçu M. Lefèvre.", "Il part."]),
        ("fr", "« Bonjour. » Il part.", ["« Bonjour. »", "Il part."]),
        (
            "tr",
            "Prof. Yılmaz geldi. T.C. Merkez Bankası sustu.",
            ["Prof. Yılmaz geldi.", "T.C. Merkez Bankası sustu."],
        ),
        ("ru", "Он ушёл, т. е. сбежал.", ["Он ушёл, т. е. сбежал."]),
        ("zh", "市长说：“好。”然后走了。", ["市长说：“好。”", "然后走了。"]),
        ("zh", "会议结束。“再见。”他说。", ["会议结束。", "“再见。”", "他说。"]),
        ("ja", "雨が降った。「寒い」と言った。", ["雨が降った。", "「寒い」と言った。"]),
        ("ko", "비가 왔다. “춥다”고 했다.", ["비가 왔다.", "“춥다”고 했다."]),
        ("ar", "وصل الوفد. هل غادر؟ لا!", ["وصل الوفد.", "هل غادر؟", "لا!"]),
        ("ur", "وفد پہنچا۔ کیا وہ گیا؟", ["وفد پہنچا۔", "کیا وہ گیا؟"]),
        ("hi", "वर्षा हुई। सब लोग घर गए॥ अब धूप है।", ["वर्षा हुई।", "सब लोग घर गए॥", "अब धूप है।"]),
    ],
)
def test_brief_texts_are_split_as(lang: str, text: str, expected: list[str]) -> None:
    assert cut(text, lang) == expected


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "The mayor's 4.5 million", "the mayors 45 million"),
        ("en", "co\u00adoperate café", "cooperate CAFE"),
        ("de", "Über Straßen", "uber STRASSEN"),
        ("fr", "l’Hérault cœur ﬁn", "LHERAULT cœur fin"),
        ("es", "¿Núñez pagó 1.250,75?", "nunez pago 1,250.75"),
        ("tr", "İzmir'deki ağaç", "IZMIRDEKI AGAC"),
        ("tr", "Diyarbakır ışık", "DİYARBAKIR IŞIK"),
        ("ur", "پاکستان کی", "پاکِستان کی"),
        ("ar", "كِتَابٌ جَدِيدٌ", "كتاب جديد"),
        ("ar", "الـــوزير ٣٬٥٠٠", "الوزير ٣٥٠٠"),
        ("zh", "ＡＢＣ公司２０２７年", "abc公司2027年"),
        ("ja", "ｶﾞｽ料金", "ガス料金"),
        ("ko", "서울시 발표", "서울시 발표"),
        ("ru", "ЁЛКА йод", "елка иод"),
        ("hi", "ज़मीन १२५", "ज\u093cमीन १२५"),
    ],
)
def test_variants_in_writing_are_the_same_words(lang: str, text: str, expected: str) -> None:
    assert hashes(text) == hashes(expected)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Dr. Osei paid $4.5 million", 5),
        ("l’Hérault d'euros", 2),
        ("Ayşe Yıldız İzmir'deki", 3),
        ("وزیر اعظم نے کراچی", 4),
        ("प्रधानमंत्री ने उद्घाटन किया", 4),
        ("서울시는 발표했다", 2),
        ("В 2027 г.", 3),
        ("新桥通车", 3),
        ("新桥，通车", 2),
        ("カメラ市場", 4),
        ("新桥将于2027年通车", 6),
    ],
)
def test_so_many_words_are_read(text: str, count: int) -> None:
    assert len(hashes(text)) == count


@pytest.mark.parametrize("text", ["٢٠٢٦", "۲۰۲۶", "२०२६", "２０２６"])
def test_digits_of_any_script_are_the_same_number(text: str) -> None:
    assert hashes(text) == hashes("2026")


def test_words_of_different_meaning_stay_apart() -> None:
    apart = [("कि", "की"), ("पल", "पुल"), ("한국", "학국"), ("が", "か"), ("新桥", "桥新"), ("мир", "мор")]
    for one, other in apart:
        assert hashes(one) != hashes(other), (one, other)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_sentence_has_a_signature_in_any_language(lang: str) -> None:
    text = glue(lang).join(LANGUAGES[lang])
    signature = sign([text], [split_text(text, lang)])[0]
    assert signature.sizes.min() >= 1
    long = signature.sizes >= 7
    assert long.any()
    assert signature.words.counts()[long].min() >= 1
    assert len(np.unique(signature.words.values)) > 10


NAMELESS = [None, "", "xx", "zz-ZZ", "english", "\U0001f600", "-", "123", "a" * 1000, "EN", "e"]


@pytest.mark.parametrize("lang", NAMELESS)
@pytest.mark.parametrize("told", LANGUAGES)
def test_an_unknown_language_is_split_by_the_full_stops_of_all_scripts(told: str, lang: str | None) -> None:
    plain = [
        sentence for sentence in LANGUAGES[told] if ". " not in sentence and not sentence.startswith("« ")
    ]
    assert len(plain) > 1
    assert cut(glue(told).join(plain), lang) == plain


SCRIPTS = [
    "abcXYZ ÄÖÜßéèçñ İıŞğ",
    "АБВабвЁё",
    "ابتثجح پچژگ یے",
    "कखगघ ािीु्",
    "市长宣布新桥通车",
    "あいうえおアイウエオ",
    "한국어뉴스",
    "ไทยภาษา",
    "אבגד",
    "ΑΒΓαβγς",
    "0123456789٠١٢३४५",
    "\U0001f600\U0001f468\u200d\U0001f469\U00020000",
]
MARKS = ".!?。！？．｡۔؟।॥…:;,،、\"'“”„«»‹›「」『』()[]《》¿¡-–—\u200b\u00ad\u0301"
pieces = st.one_of(
    *(st.text(letters, min_size=1, max_size=8) for letters in SCRIPTS),
    st.text(MARKS, min_size=1, max_size=3),
    st.sampled_from([" ", "  ", "\n", "\n\n", "\u00a0", "\u3000", "\t", " \n "]),
    st.sampled_from(["Dr. ", "U.S. ", "z. B. ", "3. ", "1,5 ", "M. ", "т. е. ", "e.g. ", "LA. Film "]),
    st.sampled_from([sentence for told in LANGUAGES.values() for sentence in told]),
)
tags = st.sampled_from([*LANGUAGES, None, "xx", "zh-Hans", "\U0001f600"])


@given(st.lists(pieces, max_size=30).map("".join), tags, st.booleans())
def test_spans_cover_the_text_in_order_and_lose_no_letter(
    text: str, lang: str | None, repaired: bool
) -> None:
    text = repair(text) if repaired else text
    bounds = split_text(text, lang)
    spans = list(zip(bounds[::2], bounds[1::2], strict=True))
    assert all(start < end for start, end in spans)
    assert bounds == sorted(bounds)
    assert not bounds or (bounds[0] >= 0 and bounds[-1] <= len(text))
    for start, end in spans:
        assert text[start:end] == text[start:end].strip()
    inside = {place for start, end in spans for place in range(start, end)}
    lost = [text[place] for place in range(len(text)) if place not in inside]
    assert not any(character.isalnum() for character in lost)


@given(st.lists(pieces, max_size=30).map("".join))
def test_words_of_sentences_are_the_words_of_the_text(text: str) -> None:
    text = repair(text)
    bounds = split_text(text)
    sentences = [text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
    assert read_words(sentences).points.tolist() == read_words([text]).points.tolist()
