"""Cut a face down to what the pages write: ``python tests/typeface.py Literata.ttf`` writes the file that is shipped.
Without a source it writes only the same in the form that pictures are drawn with (``page/type``).

The source is Literata with its axis of weights (https://github.com/googlefonts/literata), or a file cut from it.  What
goes: characters that no page of ours writes, the axis of sizes, proportional figures (ours line up), and of kerning how
it changes with weight, and pairs that are moved by less than an eye sees.
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

HERE: Final = Path(__file__).parents[1] / "src" / "parlour" / "page" / "static" / "fonts"
FOR_PICTURES: Final = HERE.parents[1] / "type"
ASCII: Final = {*range(0x20, 0x7F)} - {ord(c) for c in "#$<>@[\\]^_`{|}~"}
CHARACTERS: Final = ASCII | {ord(c) for c in "\xa0·×–—‘’“”…−"}
WEIGHTS: Final = (400, 700)
UNITS: Final = 400
"""Into how many units the size of the type is divided: a tenth of a pixel in the largest title."""
FINE: Final = 1000
"""The same in the file for pictures."""
PACKED: Final = ("literata.woff2", "literata-accents.woff2")
PICTURED: Final = "literata.ttf"
LOWERED: Final = "quotedblbase"
STEP, LEAST = 10, 30
"""What kerning is rounded to, and the least that is kept, in thousandths of the size of the type."""


def cut(source: Path) -> TTFont:
    """Return the face that every page loads; accents are a file of their own, for names that have some."""
    font = TTFont(source)
    axes = {axis.axisTag for axis in font["fvar"].axes}
    limits: dict[str, Any] = {"wght": WEIGHTS, **({"opsz": 14} if "opsz" in axes else {})}
    font = instancer.instantiateVariableFont(font, limits)
    _let_figures_line_up(font)
    options = subset.Options()
    options.layout_features = ["kern"]
    options.hinting = options.glyph_names = options.notdef_outline = False
    options.name_IDs = [0, 1, 13]  # whose it is, what it is, its licence
    options.drop_tables += ["GSUB", "STAT", "MVAR", "gasp", "vhea", "vmtx"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=CHARACTERS)
    _kern_less(font)
    cutter.subset(font)
    scale_upem(font, UNITS)
    font.flavor = "woff2"
    return font


def _let_figures_line_up(font: TTFont) -> None:
    """Give the figures of a table the places of those for running text."""
    if "GSUB" not in font:
        return
    table = font["GSUB"].table
    features = [one.Feature for one in table.FeatureList.FeatureRecord if one.FeatureTag == "tnum"]
    parts = [part for one in features for i in one.LookupListIndex for part in table.LookupList.Lookup[i].SubTable]
    swaps = {old: new for part in parts for old, new in part.mapping.items()}
    for place in font["cmap"].tables:
        place.cmap = {code: swaps.get(name, name) for code, name in place.cmap.items()}


def _kern_less(font: TTFont) -> None:
    """Keep what is seen of kerning, the same for all weights."""
    for lookup in font["GPOS"].table.LookupList.Lookup:
        for part in lookup.SubTable:
            pairs = getattr(part, "ExtSubTable", part)
            if type(pairs).__name__ != "PairPos":
                continue
            pairs.ValueFormat1 = 4  # by how much the next character is moved
            if pairs.Format == 1:
                for first in pairs.PairSet:
                    first.PairValueRecord = [one for one in first.PairValueRecord if _rounded(one.Value1)]
                    first.PairValueCount = len(first.PairValueRecord)
            else:
                for record in (two for one in pairs.Class1Record for two in one.Class2Record):
                    _rounded(record.Value1)


def _rounded(value: Any) -> int:
    """Round a value, and let it not depend on the weight."""
    moved = STEP * round(getattr(value, "XAdvance", 0) / STEP)
    value.XAdvance = moved if abs(moved) >= LEAST else 0
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
    font.recalcTimestamp, font["head"].created, font["head"].modified = False, made, made  # the same file on any day
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
    said.add_argument("source", type=Path, nargs="?", help="a file to cut the face from")
    if source := said.parse_args().source:
        cut(source).save(HERE / "literata.woff2")
    for_pictures().save(FOR_PICTURES / PICTURED)


if __name__ == "__main__":
    main()
