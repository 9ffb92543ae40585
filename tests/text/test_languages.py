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
        "“我们已经等了十年。”居民王芳说。",
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
