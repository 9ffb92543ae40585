"""Texts and their signatures, for the tests of the baselines."""

from __future__ import annotations

from streams.signature import Signatures
from streams.stages.fingerprint import sign
from streams.stages.split import split_text

SENTENCES = [
    "The harbour authority closed the northern quay on Tuesday after divers found cracks in nine pillars.",
    "Engineers of the city will measure the remaining concrete pillars with sonar before the weekend.",
    "Two ferry lines have moved their evening departures to the southern terminal until the end of June.",
    "Passengers with bicycles should arrive at the gate about forty minutes before the ship is due to leave.",
    "The repair is expected to cost the port eleven million kroner, and the council will vote on it soon.",
    "A spokesman for the union said that the crews had warned the owners of the damage three years ago.",
    "Fishing boats may still land at the old pier, but lorries have to take the road around the bay.",
    "The last survey of the quay was made in the autumn of 1998 by a firm that no longer exists.",
]
STORY = " ".join(SENTENCES)
OTHER = (
    "A museum in the north has bought a lost sketchbook by a forgotten botanist at an auction in Vienna. "
    "Curators are going to scan its fragile pages during the winter and show them to the public in spring. "
    "The drawings of mosses and lichens were made on a journey to the islands in the summer of 1841. "
    "Historians had thought that the book was burnt with the rest of his papers in a fire at the family farm."
)


def signed(name: str, *texts: str) -> Signatures:
    """The signatures of the texts, with what this method keeps of them."""
    return sign(list(texts), [split_text(text) for text in texts], [name])
