"""The words of transformations; see ``vocabulary.py``.

The codes: 0 no change, E the same, 1 turn, 9 half turn, Z quarter turn, Y quarter, 3 clockwise, 4 counterclockwise,
2 shift, 5 along x, 6 along y, 7 left or right, 8 up or down, F what is no option, G "gives plot B", M part of a
surface, O option, U unit, b possibility, e "from", g degrees, m what is only considered. The reader makes B of 180,
Y of 90 and S of 270.
"""

from collections.abc import Mapping
from types import MappingProxyType

#: Transformations: turns, shifts, directions, axes, and how a list gives its verdicts.
TURNING: Mapping[str, str] = MappingProxyType(
    {
        "E": (
            "look identical, looks identical, seem identical, appear identical, coincide, left unchanged, "
            "hasn't changed, haven't changed, didn't change, doesn't change, unaltered, equals plot a, "
            "coincides with plot a, equal to plot a, identical to a, unchanged, not changed, has not changed, "
            "have not changed, did not change, does not change, identical, identical to, the same, same, "
            "stays the same, stay the same, stayed the same, remains the same, remain the same, are the same, "
            "is the same, looks the same, look the same, stays unchanged, remains unchanged, unverändert, inchangé*, "
            "identisch, identique*, idéntic*, idêntic*, не изменилась, не изменился"
        ),
        "0": (
            "没有任何变化, 沒有任何變化, 没有改变, 変化はありません, 変化ありません, 変化がない, 변화가없, "
            "aucune transformation, identity, identity transformation, não houve mudança, no transformation at all, "
            "변화없, nothing was moved, nothing moved, nothing has moved, nothing was changed, nothing has changed, "
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
        "b": (
            "possibility, conceivable, plausible, would, could, might, may, könnte*, würde*, pourrait, serait, "
            "podría*, sería, poderia*, seria, бы"
        ),
        "G": (
            "i get b, you get b, we get b, get b, becomes b, it becomes plot b, becomes plot b, it becomes b, "
            "you get plot b, we get plot b, get plot b, gives plot b, yields plot b, matches plot b, obtain plot b, "
            "is plot b, into plot b, produces plot b, to plot b, from a to b, from plot a, equals plot b, "
            "results in plot b, gives b, onto plot b, it matches plot b, coincides with plot b"
        ),
        "T": "take, taking, accepted, only possibility, most likely, likeliest, top guess, first choice, best guess",
        "u": "second choice, third choice, runner-up, less likely, second guess, second, third, fallback, second best",
        "q": "sure, certain",
        "Y": "a quarter",
        "1": (
            "rotat*, turn, turned, turns, turning, spun, dreh*, gedreht, tourn*, rotación*, gira*, giro, rotação, "
            "rotaciona*, поворот*, поверн*, вращен*, 旋转, 旋轉, 回転, 회전, دوران, تدوير, घूर्णन, घुमाव, घुमाया"
        ),
        "2": (
            "movement, motion, push*, translat*, shift*, move, moves, moved, moving, displace*, slid, slide*, "
            "verschieb*, verschoben, décal*, déplac*, traslac*, traslad*, desplaz*, desloc*, translaç*, сдвиг*, "
            "сдвин*, смещ*, перенос*, перемещ*, 平移, 移动, 移動, 平行移動, 이동, 평행이동, إزاحة, انتقال, تحريك, "
            "स्थानांतरण, विस्थापन, खिसक*"
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
            "is better, seems right, looks right, sounds right, feels right, for sure, fits better, is possible, "
            "only possible, explains, explain, works best, agrees, is the right one, is the one, is right, "
            "is correct, correct, yes, true, fits, matches, holds, works, consistent, is left, remains, remaining, "
            "正确, 正確, 是的"
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
