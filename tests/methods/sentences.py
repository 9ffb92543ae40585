"""News sentences in many languages, written for tests: each of another story, long enough to be quoted."""

from __future__ import annotations

SENTENCES: dict[str, list[str]] = {
    "en": [
        "The harbour council approved the new ferry terminal on Monday after a long debate about its rising cost.",
        "Firefighters rescued eleven hikers from a flooded gorge near Ashcombe before dawn, a sheriff said.",
        "The orchestra cancelled its autumn tour because three violinists and the conductor caught the same virus.",
        "A court in Larnholm ordered a timber company to replant four thousand oaks felled without a permit.",
        "Researchers found traces of Roman paint beneath the plaster of a medieval chapel in the northern valley.",
        "Shares of the battery maker slid after its largest customer delayed an order for delivery vans.",
        "The airline will drop its winter flights to Corvale because the runway cannot be cleared of ice in time.",
        "Voters rejected the plan to merge both school districts, although teachers had campaigned for it.",
        "Beekeepers in the delta lost half of their colonies last spring when a fungus spread through the hives.",
        "The goalkeeper saved two penalties in extra time and carried the islanders into their first semifinal.",
        "Police recovered a stolen painting of a lighthouse from the attic of a retired customs officer.",
        "The ministry promised cheaper loans for farmers whose orchards were destroyed by hail in June.",
    ],
    "de": [
        "Der Stadtrat von Wiesenburg hat am Montag den Bau einer Schwimmhalle am alten Güterbahnhof beschlossen.",
        "Bei einem Brand in einer Tischlerei sind in der Nacht zwei Feuerwehrleute leicht verletzt worden.",
        "Die Winzer an der Mosel erwarten nach dem trockenen Sommer eine kleine, aber besonders süße Ernte.",
        "Forscher entdeckten unter dem Marktplatz die Fundamente einer Kapelle aus dem frühen Mittelalter.",
    ],
    "fr": [
        "Le conseil municipal a voté lundi la construction d’une passerelle au-dessus du canal de Brienne.",
        "Les vignerons du Minervois redoutent une récolte médiocre après les gelées tardives du mois d’avril.",
        "Un incendie a ravagé dans la nuit un entrepôt de meubles près de la gare de Tournefeuille.",
        "La chercheuse a découvert une espèce inconnue de grenouille dans les marais de la Camargue.",
    ],
    "es": [
        "El ayuntamiento aprobó el lunes la construcción de un mercado junto a la antigua estación de autobuses.",
        "Los pescadores gallegos denuncian que las lluvias han arrastrado residuos hasta los bancos de almejas.",
        "Un incendio destruyó de madrugada un almacén de muebles situado cerca del puerto de Sagunto.",
        "La arqueóloga halló una moneda fenicia bajo el suelo de una ermita abandonada de la sierra.",
    ],
    "tr": [
        "Belediye meclisi pazartesi günü eski tren garının yanına yeni bir yüzme havuzu yapılmasına karar verdi.",
        "Arkeologlar kalenin bahçesinde Bizans döneminden kalma altın sikkeler ve kırık bir mozaik buldu.",
        "Şiddetli fırtına Ege kıyısındaki köylerde zeytin ağaçlarını devirdi ve elektrik hatlarını kopardı.",
    ],
    "ru": [
        "Городской совет одобрил в понедельник строительство нового пешеходного моста через реку Клязьму.",
        "Археологи обнаружили под полом заброшенной часовни серебряные монеты и обломки старинного колокола.",
        "Сильный шторм повалил деревья в прибрежных посёлках и оставил без электричества тысячи домов.",
    ],
    "zh": [
        "市议会周一批准在旧火车站旁边修建一座新的游泳馆，预计后年春天完工。",
        "考古人员在废弃教堂的地板下面发现了一批银币和一口古钟的碎片。",
        "强烈风暴刮倒了沿海村庄的橄榄树，数千户居民的供电因此中断。",
    ],
    "ja": [
        "市議会は月曜日、古い駅舎の隣に新しい水泳場を建設する計画を承認した。",
        "考古学者らは廃墟となった礼拝堂の床下から銀貨と古い鐘の破片を発見した。",
    ],
    "ko": [
        "시의회는 월요일 옛 기차역 옆에 새로운 수영장을 건설하는 계획을 만장일치로 승인했다.",
        "고고학자들은 버려진 예배당 바닥 아래에서 은화와 오래된 종의 파편을 여러 점 발견했다.",
    ],
    "ar": [
        "وافق المجلس البلدي يوم الاثنين على بناء مسبح جديد بجوار محطة القطارات القديمة في المدينة.",
        "عثر علماء الآثار تحت أرضية كنيسة مهجورة على قطع فضية وشظايا جرس قديم من القرن العاشر.",
    ],
    "ur": [
        "بلدیاتی کونسل نے پیر کے روز پرانے ریلوے اسٹیشن کے قریب نیا تیراکی تالاب تعمیر کرنے کی منظوری دی۔",
        "ماہرین آثار قدیمہ نے ویران گرجا گھر کے فرش تلے چاندی کے سکے اور پرانی گھنٹی کے ٹکڑے دریافت کیے۔",
    ],
    "hi": [
        "नगर परिषद ने सोमवार को पुराने रेलवे स्टेशन के पास नया तरणताल बनाने की योजना को मंजूरी दी।",
        "पुरातत्वविदों ने वीरान गिरजाघर के फर्श के नीचे चाँदी के सिक्के और पुरानी घंटी के टुकड़े खोजे।",
    ],
}
UNSPACED = {"zh", "ja"}


def glue(lang: str) -> str:
    """What stands between two sentences."""
    return "" if lang in UNSPACED else " "


def text_of(lang: str) -> str:
    """All sentences of a language as one text."""
    return glue(lang).join(SENTENCES[lang])
