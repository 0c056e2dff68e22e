"""The words of counts; see ``vocabulary.py``.

The codes: M maxima, m minima, E both, Y bright and U dark spots, F features, G grid, g rows, B border, p place, e
each, n another, t total, # "number of", a and b bounds (after the number, before it), + * / operators. The reader
of counts makes A of the feature that is asked for, O of the other one.
"""

from collections.abc import Mapping
from types import MappingProxyType

#: Features and how they are counted.
COUNTING: Mapping[str, str] = MappingProxyType(
    {
        "Y": (
            "bright circles, bright points, 亮点, 亮斑, bright spots, bright spot, bright blobs, bright regions, "
            "bright areas, bright centers, bright patches, bright dots, yellow spots, yellow blobs, yellow regions, "
            "bright ones, yellow ones"
        ),
        "U": (
            "dark spots, dark spot, dark blobs, dark regions, dark areas, dark centers, dark patches, dark dots, "
            "purple spots, purple blobs, blue regions, dark ones"
        ),
        "c": "after removing, after excluding, after discarding, after subtracting, after discounting, after dropping",
        "h": "maximum number of, minimum number of, max number of, maximal number of",
        "/": "minus, subtracting, divided by",
        "M": (
            "dome, domes, tops, apex*, max, maxim*, máxim*, peaks, peak, summit*, hill, hills, hilltop*, bump, "
            "bumps, mound*, crest*, humps, hump, highs, high points, mountain*, hochpunkt*, gipfel*, sommet*, pic, "
            "pics, pico, picos, cima, cimas, cume, cumes, massim*, максимум*, пик, пики, пика, пиков, вершин*, "
            "极大值, 極大値, 極大值, 极大, 極大, 最大值, 最大値, 极大值点, 極大點, 极大点, 極大点, 峰, 峰值, 高峰, "
            "山峰, ピーク, 극댓값, 극대값, 극대점, 극대, 최댓값, 최대값, 봉우리, العظمى, عظمى, القمم, قمم, قمة, "
            "ذروة, उच्चिष्ठ*, अधिकतम*, शिखर*, महत्तम*, चोटि*"
        ),
        "m": (
            "bowl, bowls, min, minim*, mínim*, valley, valleys, hollow*, basin, basins, pit, pits, dip, dips, "
            "trough, troughs, well, wells, lows, low points, depression*, sink, sinks, tiefpunkt*, senke, senken, "
            "mulde*, täler, tal, creux, vallée*, valle, valles, vale, vales, fosse*, pozo*, минимум*, впадин*, "
            "низин*, 极小值, 極小値, 極小值, 极小, 極小, 最小值, 最小値, 极小值点, 极小点, 極小点, 谷, 低谷, 山谷, "
            "극솟값, 극소값, 극소점, 극소, 최솟값, 최소값, 골짜기, الصغرى, صغرى, القيعان, قيعان, निम्निष्ठ*, "
            "न्यूनतम*, घाटी, घाटियाँ"
        ),
        "E": "extrem*, extrém*, critical points, stationary points, критическ*, экстремум*, 极值, 極値, 極值, 극값",
        "F": "features, feature, spots, blobs, of these, such points",
        "g": (
            "row, rows, column, columns, ring, rings, group, groups, cluster, clusters, diagonal, diagonals, layer, "
            "layers, tier, tiers, quadrant, quadrants, halves, half, pair, pairs, panel, panels, set, sets, strip, "
            "strips, band, bands, region, regions, area, areas, circle, circles, side, sides, reihe*, zeile*, "
            "spalte*, rangée*, ligne*, colonne*, fila, filas, columna*, linha*, coluna*, ряд*, строк*, столб*, 行, "
            "列, 排, 행, 열, 줄"
        ),
        "G": "grid, lattice, array, matrix, arrangement, pattern, gitter, grille, cuadrícula, grade, сетк*, 网格, 格子",
        "p": (
            "largest, brightest, highest, tallest, biggest, deepest, smallest, darkest, most prominent, so far, "
            "until now, thus far, top, bottom, left, right, upper, lower, inner, outer, first, second, third, "
            "fourth, last, northern, southern, eastern, western, north, south, east, west, front, back, former, "
            "latter, foreground, background, oben, unten, links, rechts, obere*, untere*, haut, bas, gauche, droite, "
            "arriba, abajo, izquierda, derecha, acima, abaixo, esquerda, direita, сверху, снизу, слева, справа, "
            "верхн*, нижн*, 上, 下, 左, 右, 위, 아래, 왼쪽, 오른쪽"
        ),
        "B": "center, centre, middle, edge, edges, border*, boundar*, rim, next, corner, corners",
        "e": (
            "each, every, per, apiece, respectively, jeder, jede, jedem, pro, chaque, cada, кажд*, 每, 每个, 各, "
            "ごと, 마다, 각, كل, प्रति, प्रत्येक"
        ),
        "n": (
            "ones, several, some, a few, other, others, another, additional, more, further, extra, remaining, rest, "
            "remainder, weitere*, autre*, otro*, otra*, outro*, outra*, больше, другие, еще, ещё, 其他, 另外, 他の, "
            "다른"
        ),
        "#": (
            "total number of, number of, the number of, count of, the count of, nombre de, le nombre de, número de, "
            "el número de, o número de, cantidad de, quantidade de"
        ),
        "t": (
            "together, total, totals, number, in total, in all, totaling, totalling, altogether, overall, sum, "
            "grand total, all together, all told, combined, tally, final count, total count, total number, "
            "the number, n, insgesamt, gesamt*, anzahl, zahl, zusammen, au total, total de, nombre, en total, "
            "número, cantidad, em total, no total, ao todo, quantidade, всего, итого, количество, число, в сумме, "
            "共, 一共, 总共, 總共, 共有, 总数, 總數, 总计, 合计, 合計, 全部, 数目, 全部で, 個数, 총, 총합, 모두, "
            "합계, إجمالي, المجموع, العدد, عدد, कुल, संख्या"
        ),
        "b": (
            "more than, fewer than, less than, greater than, higher than, lower than, larger than, smaller than, "
            "over, under, up to, no more than, no fewer than, no less than, not more than, not fewer than, "
            "not less than, minimum of, maximum of, a minimum of, a maximum of, exceeds, exceeding, upwards of, "
            "upward of, between, above, below, almost, nearly, as many as, as few as, beyond, mindestens, höchstens, "
            "mehr als, weniger als, bis zu, au moins, au plus, plus de, moins de, jusqu'à, al menos, por lo menos, "
            "como mucho, más de, menos de, hasta, pelo menos, no máximo, no mínimo, mais de, até, не менее, "
            "не более, более, менее, больше чем, меньше чем, по крайней мере, 至少, 最多, 超过, 超過, 多于, 少于, "
            "不少于, 不多于, 少なくとも, 多くとも, 最低, 最大で, 최소, 최대, 적어도, 많아야, على الأقل, على الأكثر, "
            "أكثر من, أقل من, कम से कम, अधिक से अधिक, से अधिक, ≤, ≥"
        ),
        "a": (
            "or more, or fewer, or less, or greater, or higher, or lower, or above, or below, and more, and above, "
            "and up, at least, at most, at minimum, at maximum, or beyond, and counting, upwards, oder mehr, "
            "ou plus, ou mais, o más, или более, или больше, 以上, 以下, 以内, 이상, 이하, أو أكثر, या अधिक"
        ),
        "+": "plus",
        "*": "times, multiplied by",
    }
)
