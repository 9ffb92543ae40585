"""Two stories that have nothing in common, and the signatures of texts."""

from __future__ import annotations

from streams.signature import Signatures
from streams.stages.fingerprint import sign
from streams.stages.split import split_text

STORY = (
    "The harbour authority closed the northern quay on Tuesday after divers found cracks in nine pillars. "
    "Engineers will measure the remaining pillars before the weekend. "
    "Two ferry lines moved their departures to the southern terminal. "
    "Passengers with bicycles should arrive forty minutes early. "
    "The repair is expected to cost eleven million kroner."
)
OTHER = (
    "The museum bought a lost sketchbook by a forgotten botanist. "
    "Curators will scan its fragile pages during the winter."
)


def signed(*texts: str) -> Signatures:
    """The signatures of these texts, as one pack."""
    return sign(list(texts), [split_text(text) for text in texts])
