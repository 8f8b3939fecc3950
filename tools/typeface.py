"""Cut the two faces down to what the pages write: ``python -m tools.typeface Literata.ttf Fraunces.ttf`` writes the
files that are shipped.  A source is known by the name inside it, and one of the two will do; without any, only what
pictures are drawn with (``server/page/type``) is written.

The sources are Literata with its axis of weights (https://github.com/googlefonts/literata), for all text, and Fraunces
(https://github.com/undercasetype/Fraunces), for names, titles and large numbers; or files cut from them.  What goes:
characters that no page of ours writes, the axes that stay at one place, proportional figures (ours line up), and of
kerning how it changes with weight, and pairs that are moved by less than an eye sees.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any, Final

from fontTools import subset
from fontTools.merge import Merger, Options
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from fontTools.ttLib.scaleUpem import scale_upem
from fontTools.varLib import instancer

HERE: Final = Path(__file__).parents[1] / "src" / "parlour" / "server" / "page" / "static" / "fonts"
FOR_PICTURES: Final = HERE.parents[1] / "type"
ASCII: Final = {*range(0x20, 0x7F)} - {ord(c) for c in "#$<>@[\\]^_`{|}~"}
CHARACTERS: Final = ASCII | {ord(c) for c in "\xa0·×–—‘’“”…−"}
FIGURES: Final = "0123456789"
NAMES: Final = {ord(c) for c in "ÄÖÜßäåæçèéêñóöøü"}
"""Letters with an accent that names of people often have, and German titles; rarer ones are Literata's."""
WEIGHTS: Final = (400, 700)
CUTS: Final[dict[str, tuple[set[int], dict[str, Any]]]] = {
    "Literata": (CHARACTERS, {"wght": WEIGHTS, "opsz": 14}),
    "Fraunces": (CHARACTERS | NAMES, {"wght": 600, "opsz": 36, "SOFT": 0, "WONK": 0}),
}
"""For each face what is kept of it: characters, and of each axis a stretch or one place."""
UNITS: Final = 400
"""Into how many units the size of the type is divided: a tenth of a pixel in the largest title."""
FINE: Final = 1000
"""The units of an em in the file for pictures."""
PACKED: Final = ("literata.woff2", "literata-accents.woff2")
PICTURED: Final = "literata.ttf"
LOWERED: Final = "quotedblbase"
STEP: Final = 10
LEAST: Final = {"Literata": 30, "Fraunces": 50}
"""What kerning is rounded to, and the least that is kept of it, in thousandths of the size of the type."""


def cut(font: TTFont) -> TTFont:
    """Return a face as every page loads it; the accents of Literata are a file of their own, which few pages need."""
    characters, limits = CUTS[name_of(font)]
    axes = {axis.axisTag for axis in font["fvar"].axes}
    font = instancer.instantiateVariableFont(font, {axis: place for axis, place in limits.items() if axis in axes})
    _let_figures_line_up(font)
    options = subset.Options()
    options.layout_features = ["kern"]
    options.hinting = options.glyph_names = options.notdef_outline = False
    options.name_IDs = [0, 1, 13]  # keep copyright, family and licence
    options.drop_tables += ["GSUB", "STAT", "MVAR", "gasp", "vhea", "vmtx"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters)
    _kern_less(font)
    cutter.subset(font)
    scale_upem(font, UNITS)
    font.flavor = "woff2"
    return font


def name_of(font: TTFont) -> str:
    """Return the name of a face, such as ``Literata``, as its file says it."""
    return str(font["name"].getDebugName(1)).split()[0]


def _let_figures_line_up(font: TTFont) -> None:
    """Give all figures one width: those for a table take the places of those for running text, or, in a face without
    any, each is set in the middle of the mean width."""
    table = font["GSUB"].table
    features = [one.Feature for one in table.FeatureList.FeatureRecord if one.FeatureTag == "tnum"]
    parts = [part for one in features for i in one.LookupListIndex for part in table.LookupList.Lookup[i].SubTable]
    swaps = {old: new for part in parts for old, new in part.mapping.items()}
    for place in font["cmap"].tables:
        place.cmap = {code: swaps.get(name, name) for code, name in place.cmap.items()}
    widths, glyphs = font["hmtx"], font["glyf"]
    figures = [font.getBestCmap()[ord(c)] for c in FIGURES]
    width = round(sum(widths[one][0] for one in figures) / len(figures))
    for one in [one for one in figures if widths[one][0] != width]:
        moved = (width - widths[one][0]) // 2
        glyphs[one].coordinates.translate((moved, 0))
        glyphs[one].recalcBounds(glyphs)
        widths[one] = (width, glyphs[one].xMin)


def _kern_less(font: TTFont) -> None:
    """Keep what is seen of kerning, the same for all weights, and none between figures, which line up."""
    figures, least = {font.getBestCmap()[ord(c)] for c in FIGURES}, LEAST[name_of(font)]
    for lookup in font["GPOS"].table.LookupList.Lookup:
        for part in lookup.SubTable:
            pairs = getattr(part, "ExtSubTable", part)
            if type(pairs).__name__ != "PairPos":
                continue
            pairs.ValueFormat1 = 4  # XAdvance: how far the next character moves
            if pairs.Format == 1:
                for left, first in zip(pairs.Coverage.glyphs, pairs.PairSet, strict=True):
                    first.PairValueRecord = [
                        one
                        for one in first.PairValueRecord
                        if _rounded(one.Value1, least) and not {left, one.SecondGlyph} <= figures
                    ]
                    first.PairValueCount = len(first.PairValueRecord)
            else:
                for record in (two for one in pairs.Class1Record for two in one.Class2Record):
                    _rounded(record.Value1, least)


def _rounded(value: Any, least: int) -> int:
    """Round a value, and let it not depend on the weight."""
    moved = STEP * round(getattr(value, "XAdvance", 0) / STEP)
    value.XAdvance = moved if abs(moved) >= least else 0
    vars(value).pop("XAdvDevice", None)
    return int(value.XAdvance)


def for_pictures() -> TTFont:
    """Return the faces that pages load as what draws pictures reads: unpacked, of one weight, with a name of their own,
    and in one file, since a text with a character that is not in the file is drawn in some other face altogether."""
    merger = Merger(Options(drop_tables=["GSUB", "STAT", "gasp", "vhea", "vmtx"]))
    with tempfile.TemporaryDirectory() as folder:
        faces = [Path(folder) / f"{n}.ttf" for n, _ in enumerate(PACKED)]
        for place, packed in zip(faces, PACKED, strict=True):
            font = TTFont(HERE / packed, recalcTimestamp=False)
            if "fvar" in font:
                usual = {axis.axisTag: axis.defaultValue for axis in font["fvar"].axes}
                font = instancer.instantiateVariableFont(font, usual | {"wght": WEIGHTS[0]})
            scale_upem(font, FINE)
            font.flavor = None
            font.save(place)
        made = TTFont(faces[0])["head"].modified
        font = merger.merge([str(place) for place in faces])
    # the date is fixed, so the file is the same on any day
    font.recalcTimestamp, font["head"].created, font["head"].modified = False, made, made
    _lower_quotes(font)
    for number, text in ((1, "Literata"), (2, "Regular"), (4, "Literata Regular"), (6, "Literata-Regular")):
        font["name"].setName(text, number, 3, 1, 0x409)
    return font


def _lower_quotes(font: TTFont) -> None:
    """Add the quotes with which German opens speech: those that close it in English, on the line as a comma stands."""
    names, glyphs = font.getBestCmap(), font["glyf"]
    upper, comma = names[ord("”")], names[ord(",")]
    pen = TTGlyphPen(font.getGlyphSet())
    pen.addComponent(upper, (1, 0, 0, 1, 0, glyphs[comma].yMin - glyphs[upper].yMin))
    font.setGlyphOrder([*font.getGlyphOrder(), LOWERED])
    glyphs[LOWERED] = pen.glyph()
    font["hmtx"][LOWERED] = font["hmtx"][upper]
    for place in font["cmap"].tables:
        place.cmap[ord("„")] = LOWERED


def main() -> None:
    """Write the files."""
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("sources", type=Path, nargs="*", metavar="SOURCE", help="a file to cut a face from")
    for source in said.parse_args().sources:
        font = TTFont(source)
        cut(font).save(HERE / f"{name_of(font).lower()}.woff2")
    for_pictures().save(FOR_PICTURES / PICTURED)


if __name__ == "__main__":
    main()
