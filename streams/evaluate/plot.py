"""Precision and recall over the score threshold, drawn."""

from __future__ import annotations

import importlib
from pathlib import Path

from streams.errors import InputError
from streams.evaluate.scoring import Half, Told, Truth, curve

_STEPS = 41
_STYLES = ("-", "--", "-.", ":")
_COLOURS = 10


def draw(path: Path, told: dict[str, list[Told]], truth: Truth, half: Half) -> None:
    """Writes the two diagrams as SVG, PNG or PDF, by the ending of the name."""
    check()
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    thresholds = [step / (_STEPS - 1) for step in range(_STEPS)]
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 5), sharex=True, sharey=True, layout="constrained")
    for number, (name, pairs) in enumerate(told.items()):
        points = curve(pairs, truth, thresholds, half)
        style = {"color": f"C{number % _COLOURS}", "linestyle": _STYLES[number // _COLOURS % len(_STYLES)]}
        for axis, place in zip(axes, (1, 2), strict=True):
            axis.plot(
                thresholds,
                [float("nan") if p[place] is None else p[place] for p in points],
                label=name,
                **style,
            )
    for axis, title in zip(axes, ("strict precision", "recall, all relations"), strict=True):
        axis.set(title=title, xlabel="least score that is told", xlim=(0, 1), ylim=(0, 1.02))
        axis.grid(alpha=0.3)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from None
    finally:
        pyplot.close(figure)


def check() -> None:
    """Complains, before the work is done, if nothing can be drawn."""
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        raise InputError("drawing needs matplotlib: pip install 'copydesk[bench]'") from None
