"""The words that the readers of MaRVL-QA know: English, German, French, Spanish, Portuguese, Russian, Chinese,
Japanese, Korean, Arabic and Hindi. A word stands under what it does; ``maxim*`` is a stem, ``at least`` a phrase.

It need not be complete: a word that is missing makes a statement less plain, and what is not plain is refused.

The codes of both tasks: C classifier (6個), D article, H "of them", I "rather than", K "confidence", P preposition,
Q plot, R "which", T "answer", V "except", W "with", c correction, d denial, f "of", h "if", i "is", j "and", k
"but", l adjective, o "or", q small word, r "figure", s "so", u "at first", v "maybe", x "yes", y "because", z
another thing that is counted; and from the reader N number, w any other word, and signs as themselves.
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
            "or rather, i meant, recheck*, re-check*, rechecking, recounting, double-checking, let me recount, "
            "let me count again, let me check again, let me re-check, let me recheck, let me look again, "
            "let me double-check, let me verify, let me check, edit, update, erratum, wait, actually, correction, "
            "oops, sorry, hmm, hm, scratch that, my mistake, i made a mistake, i made an error, on reflection, "
            "on second thought, on second thoughts, on closer inspection, on closer look, recount*, i mean, "
            "let me correct, correcting, corrected, after looking again, looking again, after recounting, "
            "upon recounting, on recounting, after a recount, looking more closely, i was wrong, strike that, "
            "moment, halt, korrektur, attends, espera, corrección, correção, нет подождите, подождите, исправление, "
            "等等, 更正, 不对, 不對, 订正, 訂正, いや, 待って, 잠깐, 정정, انتظر, تصحيح, रुको, सुधार"
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
            "fine, here's, here is, i'd rather say, i would rather say, obviously, itself, alright, easily, be seen, "
            "seen, observed, counted, according to, i suppose, i assume, il y en a, komme auf, i would, رقم, "
            "arrive at, arrives at, it's fair to say, if i had to guess, if i have to choose, if i must choose, "
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
            "への, に対する, 을, 를, 따라, を, vers, vers la, hacia, hacia la, hacia el, para, nach, 으로, 로, "
            "ao longo do, near, entlang, selon, le long de, suivant, ao longo de, a lo largo de, en, em, na, um, "
            "längs, by, вдоль, 方向, 方向に, 沿, 沿着, 向, 軸, 축, 방향, in, on, at, along, across, within, inside, "
            "from, around the, over the, for, to, by the, under the, throughout, based on the, using, via"
        ),
        "f": "of, von, de, des, du, do, da, dos, das, из",
        "C": "번, 号, 番, 番目, 个, 個, つ, 处, 處, 座, 개, 개의, 個の, つの, 个的, штук*, stück",
        "W": "with, containing, having, each with, each containing, holding, mit, avec, con, com, с",
    }
)
