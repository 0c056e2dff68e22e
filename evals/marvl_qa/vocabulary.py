"""The words that the readers of MaRVL-QA know: English, German, French, Spanish, Portuguese, Russian, Chinese,
Japanese, Korean, Arabic and Hindi. A word stands under what it does; ``maxim*`` is a stem, ``at least`` a phrase.

It need not be complete: a word that is missing makes a statement less plain, and what is not plain is refused.
"""

from collections.abc import Mapping
from types import MappingProxyType

#: What both tasks need: denial, doubt, correction, reference, and the small words around a statement.
SHARED: Mapping[str, str] = MappingProxyType(
    {
        # denial
        "d": (
            "not, never, neither, nor, cannot, unable, no, none, hardly, impossible, unlikely, doubt*, wrong, "
            "incorrect, false, exclud*, eliminat*, reject*, discard*, disproved, rule out, rules out, ruled out, "
            "mistaken, out of the question, fails, inconsistent, contradict*, too many, too few, nicht, kein*, nie, "
            "weder, falsch, unmöglich, ausgeschlossen, pas, aucun*, ni, faux, fausse, jamais, ningún, ninguna, "
            "nunca, incorrect*, falso, falsa, não, nenhum*, errado, errada, не, нет, ни, неверно, неправильно, 不, "
            "没, 沒, 非, 未, 无法, 無法, 错, 錯, ない, ません, なく, ず, 아니, 않, 없, 못, 틀, ليس, ليست, لا, لم, "
            "غير, नहीं, न, गलत, ✗"
        ),
        # condition and possibility
        "h": (
            "if, suppose, supposing, assume, assuming, imagine, imagining, hypothetically, unless, whether, "
            "were the, would, could, might, may, otherwise, should, had i, had the, for example, for instance, "
            "as if, provided, in case, wenn, falls, ob, könnte*, würde*, si, serait, pourrait, podría*, sería, caso, "
            "seria, poderia*, если, бы, может, 如果, 若, 假设, 假設, 假如, 要是, 可能, もし, なら, 場合, かもしれ, "
            "만약, 만일, إذا, لو, قد, ربما, यदि, अगर, शायद"
        ),
        "v": (
            "maybe, perhaps, possibly, potentially, about, approximately, around, roughly, circa, approx, exactly, "
            "precisely, ~, ungefähr, etwa, environ, aproximadamente, unos, cerca de, примерно, около, 大约, 大約, "
            "約, 约, 약, vielleicht, peut-être, quizás, quizá, talvez, возможно"
        ),
        # a correction, and a statement that another one takes back
        "c": (
            "recheck*, re-check*, rechecking, recounting, double-checking, let me recount, let me count again, "
            "let me check again, let me re-check, let me recheck, let me look again, let me double-check, "
            "let me verify, let me check, edit, update, erratum, wait, actually, correction, oops, sorry, hmm, hm, "
            "scratch that, my mistake, i made a mistake, i made an error, on reflection, on second thought, "
            "on second thoughts, on closer inspection, on closer look, recount*, i mean, let me correct, correcting, "
            "corrected, after looking again, looking again, after recounting, upon recounting, on recounting, "
            "after a recount, looking more closely, i was wrong, strike that, moment, halt, korrektur, attends, "
            "espera, corrección, correção, нет подождите, подождите, исправление, 等等, 更正, 不对, 不對, 订正, "
            "訂正, いや, 待って, 잠깐, 정정, انتظر, تصحيح, रुको, सुधार"
        ),
        "u": (
            "i would have said, i would have thought, i'd have said, i first thought, i first counted, "
            "i first considered, i initially thought, i initially considered, i initially counted, my first idea, "
            "first idea, first guess, first thought, first impression, my first guess, my first thought, "
            "my first impression, initially, originally, previously, at first, at first glance, first counted, "
            "first said, earlier, formerly, i thought, i said, i first, i had, zuerst, zunächst, anfangs, d'abord, "
            "al principio, inicialmente, сначала, 起初, 最初, 처음, 처음에"
        ),
        "k": (
            "but, however, though, although, yet, nevertheless, while, whereas, aber, jedoch, sondern, mais, "
            "cependant, pero, sino, mas, porém, но, однако, 但, 但是, しかし, 하지만, 그러나, لكن, लेकिन"
        ),
        "o": "or, either, oder, entweder, ou, или, либо, 或, 或者, 还是, または, もしくは, 또는, أو, या, versus, vs",
        "j": "and, as well as, und, et, y, e, и, 和, 与, 及, と, 및, 그리고, 와, 과, و, और, एवं, &",
        "i": (
            "is, are, was, were, equals, equal, equal to, is equal to, be, would be, should be, must be, has to be, "
            "to be, remains, comes to, comes out to, comes out as, comes out at, amounts to, stands at, "
            "turns out to be, seems to be, seem to be, appears to be, appear to be, i get is, ist, sind, beträgt, "
            "lautet, est, sont, es, son, é, são, равно, равна, равен, составляет, это, 是, 为, 為, 有, は, が, 은, "
            "는, 이, 가, هو, هي, यह"
        ),
        "s": (
            "so, therefore, thus, make, makes, give, gives, hence, consequently, accordingly, in conclusion, "
            "to conclude, in summary, to sum up, i conclude, we conclude, in short, that gives, that makes, "
            "this gives, this makes, giving, making, yielding, yields, which gives, which makes, for a total, "
            "insgesamt also, folglich, daher, somit, donc, ainsi, par conséquent, por lo tanto, por tanto, así que, "
            "portanto, logo, assim, значит, поэтому, следовательно, таким образом, итак, 所以, 因此, 故, よって, "
            "したがって, 따라서, 그러므로, لذلك, إذن, وبالتالي, इसलिए, अतः"
        ),
        "y": (
            "arranged, laid out, forming, distributed, spread, scattered, organised, organized, because, since, "
            "as there, given that, due to, for the reason, weil, da, denn, parce que, car, porque, ya que, pois, "
            "потому что, так как, 因为, 因為, なぜなら, 왜냐하면, لأن, क्योंकि"
        ),
        "r": (
            "level, layer, figure*, fig, step, steps, section, table, item, option, options, choice, example, "
            "question, equation, eq, page, rule, rules, note, point, version, case, chapter, appendix, line, method, "
            "part, approach, attempt, schritt, abbildung, étape, paso, passo, шаг, 第, 图, 圖, 図, 步骤, 그림, 단계"
        ),
        # an answer is announced
        "T": (
            "are left with, am left with, i vote for, tend to, lean towards, lean to, leaning towards, selection, "
            "selected, i would choose, i'd choose, i would pick, i'd pick, i would select, i would answer, "
            "i'd answer, pick is, chosen, no other option than, no other than, none other than, 选, 選, 选择, "
            "decision, verdict, choice, pick, picks, choose, select, decide for, decide on, settle on, settle for, "
            "opt for, go with, going with, fits best is, fits best, best fit, best match, matches best, i answer, "
            "leaves, leaving, remains only, 正解, 正确答案, choix, elección, wahl, answer, answers, correct answer, "
            "right answer, best answer, result, output, solution, conclusion, guess, estimate, reply, response, "
            "prediction, antwort, ergebnis, lösung, réponse, résultat, respuesta, resultado, resposta, ответ, "
            "результат, 答案, 结果, 結果, 答え, 回答, 解答, 정답, 답, 답은, 결과, الإجابة, الجواب, النتيجة, उत्तर, "
            "जवाब, परिणाम"
        ),
        "K": "confidence, confidence level, certainty, probability, likelihood, konfidenz, confiance",
        "I": "rather than, instead of, as opposed to",
        "V": (
            "without, everything but, anything but, all but, except, except for, other than, apart from, besides, "
            "leaving out, leaving aside, excluding, not counting, not including, without counting, ignoring, "
            "disregarding, omitting, barring, aside from"
        ),
        "R": "which, that, whose, where, who, among them, among these, those that, including",
        "H": "of which, four of which, of them, of these, of those",
        "D": (
            "the, these, those, all, both, all the, all of the, die, der, das, alle, les, los, las, el, o, os, as, "
            "все, the same"
        ),
        "x": (
            "yes, right, correct, is right, is correct, true, confirmed, fits, matches, holds, ja, oui, sí, sim, да, "
            "对, はい, 네, نعم, हाँ, ✓"
        ),
        # small words, which change nothing
        "q": (
            "be seen, seen, observed, counted, according to, i suppose, i assume, il y en a, komme auf, i would, "
            "رقم, arrive at, arrives at, it's fair to say, if i had to guess, if i have to choose, if i must choose, "
            "if i have to guess, if i had to choose, if forced to choose, also, my count, unless i'm missing, "
            "unless i am missing, unless i missed, i'll say, i will say, unless i'm missing one, "
            "unless i am missing one, unless i missed one, unless i missed any, unless i am mistaken, "
            "unless i'm mistaken, them, remain, are left, really, in reality, in fact, indeed, ziemlich, a, an, i, "
            "we, it, you, one can, there, here, this, i'd say, i would say, i'd guess, i would guess, we can, "
            "i'd estimate, i would estimate, i'd go with, i would go with, i'll go with, i go with, i'd put, "
            "i would put, if i am not mistaken, if i'm not mistaken, if i count correctly, if i counted correctly, "
            "if i see it correctly, as far as i can see, as far as i can tell, in my opinion, in my view, to me, "
            "it seems, it appears, it seems that, it appears that, seems, seem, appears, appear, appear to be, "
            "looks like, look like, it looks like, think, believe, i think that, i believe that, count, see, saw, "
            "observe, find, found, get, got, have, has, show, shows, shown, showing, contain, contains, exhibit, "
            "exhibits, display, displays, can, can be, i've, we've, i'm, there's, it's, that's, say, my, our, your, "
            "best, final, only, just, without a doubt, without doubt, no doubt, undoubtedly, clearly, definitely, "
            "certainly, probably, likely, most likely, presumably, or so, then, now, ok, okay, well, let us, let's, "
            "could be identified, could be seen, could be found, could be observed, could be counted, be identified, "
            "identified, identify, detect, detected, given, entire, whole, full, displayed, looking at, "
            "after counting, upon inspection, based on, inspection, exist, exists, present, based, final answer, "
            "the final, hereby, must, does, do, did, provided image, es gibt, gibt es, ich, wir, sehe, zähle, sehen, "
            "man, kann, insgesamt gibt es, hat, haben, im, il y a, y a-t-il, je, nous, vois, compte, on, voit, dans, "
            "ce, cette, le, la, hay, veo, cuento, se, ven, existen, existe, este, esta, há, vejo, conto, existem, "
            "no gráfico, я, вижу, имеется, есть, насчитал, насчитываю, на, здесь, видно, 我, 数, 看到, 中, 这, 的, "
            "了, 出, 个数, 的数量, 数量, 私, には, に, で, あり, あります, です, ある, 数は, 数が, 여기, 에는, 에, "
            "있, 습니다, 입니다, 다, 개수, 의, 수, 총 개수, يوجد, توجد, هناك, في, عدد, هنا, है, हैं, इस, में, की, "
            "के, का, को, संख्या, कुल मिलाकर"
        ),
        # where it is counted
        "Q": (
            "plot, plots, picture, pictures, image, images, graph, graphs, heatmap, heatmaps, map, maps, "
            "contour plot, surface, surfaces, function, functions, chart, diagram, panel, panels, domain, "
            "region shown, diagramm, bild, l'image, graphique, gráfico, imagen, imagem, графике, рисунке, "
            "изображении, 图, 图中, 圖中, 그림, 그래프, 이미지, الصورة, الرسم, चित्र, ग्राफ"
        ),
        # adjectives that may stand between a number and its noun
        "l": (
            "轴, 轴的, 으로, 로, local, visible, distinct, separate, separated, clear, clearly, true, strict, "
            "interior, isolated, individual, unique, different, real, actual, bright, dark, red, yellow, blue, "
            "purple, main, prominent, well-separated, well-defined, lokale*, sichtbare*, locaux, locales, locais, "
            "locale, visibles, visíveis, локальн*, видимы*, 局部, 局部的, 局所, 局所的, 局所的な, 的, の, な, 국소, "
            "국소적, 국소적인, 지역, 의, محلية, المحلية, قيم, القيم, نقاط, स्थानीय"
        ),
        # what else is counted in a plot
        "z": (
            "contour, contours, lines, curves, loops, color*, colour*, points, levels, saddle*, plateau*, units, "
            "degrees, pixels, cells, times, periods, cycles, waves, oscillations, axes, ticks, islands, sections, "
            "steps, shades"
        ),
        "P": (
            "vers, vers la, hacia, hacia la, hacia el, para, nach, 으로, 로, ao longo do, near, entlang, selon, "
            "le long de, suivant, ao longo de, a lo largo de, en, em, na, um, längs, by, вдоль, 方向, 方向に, 沿, "
            "沿着, 向, 軸, 축, 방향, in, on, at, along, across, within, inside, from, around the, over the, for, to, "
            "by the, under the, throughout, based on the, using, via"
        ),
        "f": "of, von, de, des, du, do, da, dos, das, из",
        "C": "번, 号, 番, 番目, 个, 個, つ, 处, 處, 座, 개, 개의, 個の, つの, 个的, штук*, stück",
        "W": "with, containing, having, each with, each containing, holding, mit, avec, con, com, с",
    }
)

#: Features and how they are counted.
COUNTING: Mapping[str, str] = MappingProxyType(
    {
        "Y": (
            "bright spots, bright spot, bright blobs, bright regions, bright areas, bright centers, bright patches, "
            "bright dots, yellow spots, yellow blobs, yellow regions, bright ones, yellow ones"
        ),
        "U": (
            "dark spots, dark spot, dark blobs, dark regions, dark areas, dark centers, dark patches, dark dots, "
            "purple spots, purple blobs, blue regions, dark ones"
        ),
        "c": "after removing, after excluding, after discarding, after subtracting, after discounting, after dropping",
        "h": "maximum number of, minimum number of, max number of, maximal number of",
        "/": "minus, subtracting, divided by",
        "M": (
            "max, maxim*, máxim*, peaks, peak, summit*, hill, hills, hilltop*, bump, bumps, mound*, crest*, humps, "
            "hump, highs, high points, mountain*, hochpunkt*, gipfel*, sommet*, pic, pics, pico, picos, cima, cimas, "
            "cume, cumes, massim*, максимум*, пик, пики, пика, пиков, вершин*, 极大值, 極大値, 極大值, 极大, 極大, "
            "最大值, 最大値, 极大值点, 極大點, 极大点, 極大点, 峰, 峰值, 高峰, 山峰, ピーク, 극댓값, 극대값, 극대점, "
            "극대, 최댓값, 최대값, 봉우리, العظمى, عظمى, القمم, قمم, قمة, ذروة, उच्चिष्ठ*, अधिकतम*, शिखर*, महत्तम*, "
            "चोटि*"
        ),
        "m": (
            "min, minim*, mínim*, valley, valleys, hollow*, basin, basins, pit, pits, dip, dips, trough, troughs, "
            "well, wells, lows, low points, depression*, sink, sinks, tiefpunkt*, senke, senken, mulde*, täler, tal, "
            "creux, vallée*, valle, valles, vale, vales, fosse*, pozo*, минимум*, впадин*, низин*, 极小值, 極小値, "
            "極小值, 极小, 極小, 最小值, 最小値, 极小值点, 极小点, 極小点, 谷, 低谷, 山谷, 극솟값, 극소값, 극소점, "
            "극소, 최솟값, 최소값, 골짜기, الصغرى, صغرى, القيعان, قيعان, निम्निष्ठ*, न्यूनतम*, घाटी, घाटियाँ"
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
            "so far, until now, thus far, top, bottom, left, right, upper, lower, inner, outer, first, second, "
            "third, fourth, last, northern, southern, eastern, western, north, south, east, west, front, back, "
            "former, latter, foreground, background, oben, unten, links, rechts, obere*, untere*, haut, bas, gauche, "
            "droite, arriba, abajo, izquierda, derecha, acima, abaixo, esquerda, direita, сверху, снизу, слева, "
            "справа, верхн*, нижн*, 上, 下, 左, 右, 위, 아래, 왼쪽, 오른쪽"
        ),
        "B": "center, centre, middle, edge, edges, border*, boundar*, rim, next, corner, corners",
        "e": (
            "each, every, per, apiece, respectively, jeder, jede, jedem, pro, chaque, cada, кажд*, 每, 每个, 各, "
            "ごと, 마다, 각, كل, प्रति, प्रत्येक"
        ),
        "n": (
            "other, others, another, additional, more, further, extra, remaining, rest, remainder, weitere*, autre*, "
            "otro*, otra*, outro*, outra*, больше, другие, еще, ещё, 其他, 另外, 他の, 다른"
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

#: Transformations: turns, shifts, directions, axes, and how a list gives its verdicts.
TURNING: Mapping[str, str] = MappingProxyType(
    {
        "E": (
            "coincide, left unchanged, hasn't changed, haven't changed, didn't change, doesn't change, unaltered, "
            "equals plot a, coincides with plot a, equal to plot a, identical to a, unchanged, not changed, "
            "has not changed, have not changed, did not change, does not change, identical, identical to, the same, "
            "same, stays the same, stay the same, stayed the same, remains the same, remain the same, are the same, "
            "is the same, looks the same, look the same, stays unchanged, remains unchanged, unverändert, inchangé*, "
            "identisch, identique*, idéntic*, idêntic*, не изменилась, не изменился"
        ),
        "0": (
            "identity, identity transformation, não houve mudança, no transformation at all, 변화없, "
            "nothing was moved, nothing moved, nothing has moved, nothing was changed, nothing has changed, "
            "no change at all, no change, no changes, nothing changed, nothing changes, no transformation, "
            "no difference, keine änderung, keine veränderung, unverändert, aucun changement, inchangé*, sin cambio, "
            "sin cambios, ningún cambio, sem mudança, sem alteração, nenhuma mudança, nenhuma alteração, "
            "без изменений, нет изменений, 没有变化, 沒有變化, 无变化, 無變化, 不变, 不變, 変化なし, 변화 없음, "
            "변화없음, لا تغيير, कोई परिवर्तन नहीं, कोई बदलाव नहीं"
        ),
        "w": "maps, map",
        "l": "positive, negative, pure, simple, whole, entire",
        "P": "under, under a, a lo largo del, along the, in the, into the, towards, toward, onto, about, through",
        "m": (
            "hypothesis, next, let me check, let me verify, let me double-check, let me look at, let me see, "
            "consider, let me, let us, test, testing, try, trying, check, checking, examine, examining, compare, "
            "evaluate, evaluating, candidate, candidates, think about, i will check, i check, start with, "
            "starting with"
        ),
        "b": "would, could, might, may, könnte*, würde*, pourrait, serait, podría*, sería, poderia*, seria, бы",
        "G": (
            "i get b, you get b, we get b, get b, becomes b, it becomes plot b, becomes plot b, it becomes b, "
            "you get plot b, we get plot b, get plot b, gives plot b, yields plot b, matches plot b, obtain plot b, "
            "is plot b, into plot b, produces plot b, to plot b, from a to b, from plot a, equals plot b, "
            "results in plot b, gives b, onto plot b, it matches plot b, coincides with plot b"
        ),
        "T": "most likely, likeliest, top guess, first choice, best guess",
        "u": "second choice, third choice, runner-up, less likely, second guess, second, third, fallback, second best",
        "q": "sure, certain",
        "Y": "a quarter",
        "1": (
            "rotat*, turn, turned, turns, turning, spun, dreh*, gedreht, tourn*, rotación*, gira*, giro, rotação, "
            "rotaciona*, поворот*, поверн*, вращен*, 旋转, 旋轉, 回転, 회전, دوران, تدوير, घूर्णन, घुमाव, घुमाया"
        ),
        "2": (
            "push*, translat*, shift*, move, moves, moved, moving, displace*, slid, slide*, verschieb*, verschoben, "
            "décal*, déplac*, traslac*, traslad*, desplaz*, desloc*, translaç*, сдвиг*, сдвин*, смещ*, перенос*, "
            "перемещ*, 平移, 移动, 移動, 平行移動, 이동, 평행이동, إزاحة, انتقال, تحريك, स्थानांतरण, विस्थापन, "
            "खिसक*"
        ),
        "3": (
            "시계, clockwise, cw, im uhrzeigersinn, sens horaire, sens des aiguilles d'une montre, "
            "dans le sens horaire, sentido horario, sentido horário, en sentido horario, no sentido horário, "
            "по часовой, по часовой стрелке, 顺时针, 順時針, 時計回り, 시계 방향, 시계방향, عقارب الساعة, "
            "दक्षिणावर्त, घड़ी की दिशा"
        ),
        "4": (
            "반시계, counterclockwise, counter clockwise, anticlockwise, anti clockwise, ccw, "
            "gegen den uhrzeigersinn, antihoraire, sens antihoraire, sens inverse des aiguilles d'une montre, "
            "sentido antihorario, antihorario, anti horario, sentido antihorário, anti horário, antihorário, "
            "против часовой, против часовой стрелки, 逆时针, 逆時針, 反时针, 反時計回り, 반시계 방향, 반시계방향, "
            "عكس عقارب الساعة, वामावर्त"
        ),
        "5": (
            "lateral*, l'axe x, l'axe des x, l'axe des abscisses, eje de las x, horizontal axis, x, x axis, "
            "x direction, horizontal*, sideways, abscissa, axe x, eje x, eixo x, оси x, x轴, 水平, 横, 가로, 수평, "
            "أفقي*, क्षैतिज, горизонтал*"
        ),
        "6": (
            "l'axe y, l'axe des y, l'axe des ordonnées, eje de las y, vertical axis, y, y axis, y direction, "
            "vertical*, vertikal*, ordinate, axe y, eje y, eixo y, оси y, 竖直, 垂直, 纵, 縦, 세로, 수직, رأسي*, "
            "вертикал*"
        ),
        "7": (
            "right, rightward, rightwards, left, leftward, leftwards, rechts, links, droite, gauche, derecha, "
            "izquierda, direita, esquerda, вправо, влево, 右, 左, 오른쪽, 왼쪽, يمين*, اليمين, يسار*, اليسار, दाएँ, "
            "दाईं, बाएँ, बाईं"
        ),
        "8": (
            "up, upward, upwards, down, downward, downwards, top, bottom, upper, lower, oben, unten, haut, bas, "
            "arriba, abajo, acima, abaixo, cima, baixo, вверх, вниз, 上, 下, 위, 아래, أعلى, أسفل, ऊपर, नीचे"
        ),
        "9": (
            "point symmetry, double quarter turn, central inversion, two quarter turns, half turn, half a turn, "
            "half rotation, half a rotation, half revolution, half a revolution, point reflection, "
            "point symmetric reflection, reflection through the origin, reflection about the origin, "
            "reflection in the origin, reflected through the origin, reflected about the origin, "
            "reflection through the center, reflection through the centre, reflected through the center, "
            "reflected through the centre, reflection about the center, reflection about the centre, "
            "central reflection, inversion through the origin, inverted through the origin, central symmetry, "
            "point inversion, inversion through the center, inverted through the center, halbe drehung, "
            "punktspiegelung, demi tour, media vuelta, meia volta, пол оборота, полоборота, центральная симметрия, "
            "半圈, 中心对称, 中心對稱, 半回転, 반 바퀴"
        ),
        "Z": (
            "quarter clockwise, quarter turn, quarter of a turn, a quarter turn, quarter rotation, "
            "quarter revolution, vierteldrehung, quart de tour, cuarto de vuelta, quarto de volta, четверть оборота, "
            "四分之一圈"
        ),
        "F": (
            "mirror*, reflect*, flip*, three quarter turn, three quarters of a turn, diagonal*, scal*, stretch*, "
            "spiegel*, miroir, espejo, reflejo, espelh*, отраж*, 镜像, 鏡像, 翻转, 反転, 대칭, 반사"
        ),
        "g": (
            "°, º, degree, degrees, deg, grad, degré, degrés, grados, grado, graus, grau, градус*, 度, 도, درجة, "
            "डिग्री, circ"
        ),
        "U": "units, unit, pixels, cells, steps, unit*, pixel*, px, cell*, step*, grid*, percent, quarter, about",
        "M": (
            "axes, axis, coordinate*, ridge*, band*, orientation*, shape*, sign*, height*, colo*, peak*, maxim*, "
            "minim*, valley*, spot*, blob*, feature*, contour*, point*, summit*, hollow*, corner*, hill*, bump*"
        ),
        "O": (
            "オプション, opt, transformation, opt., l'option, la option, option, options, choice, choices, number, "
            "answer choice, item, opción, opção, вариант*, 选项, 選項, 選択肢, 选择, 옵션, 선택지, الخيار, विकल्प"
        ),
        "I": (
            "more likely than, better than, likelier than, rather than the, rather than, instead of, as opposed to, "
            "unlike, in contrast to, and not, but not, not as"
        ),
        "e": "from, between, towards the, whereas",
        "x": (
            "fits better, is possible, only possible, explains, explain, works best, agrees, is the right one, "
            "is the one, is right, is correct, correct, yes, true, fits, matches, holds, works, consistent, is left, "
            "remains, remaining, 正确, 正確, 是的"
        ),
        "i": (
            "could be obtained by, can be obtained by, would be obtained by, is obtained by, results from, "
            "would take, it would take, indicates, could be obtained through, corresponds to, consistent with, "
            "matches a, has been, have been, was, amounts to, describes, suggests, means, shows"
        ),
        "Q": (
            "they're, b, a and b, plots a and b, they, both, both plots, the two plots, plots, pictures, surfaces, "
            "plot b, plot a, plot, picture, image, surface, pattern, function, graph, it, this, everything"
        ),
        "d": (
            "no, ruled, out, eliminated, fails, inconsistent, implausible, different, not possible, is not, isn't, "
            "not match, x mark"
        ),
    }
)
