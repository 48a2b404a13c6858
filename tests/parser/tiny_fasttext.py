"""A tiny model that fastText 0.9.2 has trained and written, and what it says of some words.

`train_unsupervised(…, dim=3, bucket=11, minn=2, maxn=4)` on 15 words, of which one is `größe`.
"""

import base64
from pathlib import Path

_MODEL = (
    "x)x6_3;+NC0{{R31poj50ssI20RR911poj50RR910ssI20ssI23jhEB0ssI21ONa4WB>pFEkhjZ;x-"
    "yT4*&oF4*&oF00000iwXb$00000|NsC0|NsC0JTG%T04o6i000000047sVQg#w&Hw-"
    "a000000CQ+*Z~(vn000000001Ia>KU6pJf2I0000000000VQg#wvj6}9000000CZ?!bO5mc000000001UXlZ"
    "bB0IUE200000003`h0IUE200000004AoWdNxF000000001CZfR{{Y;ypp0000000000VRB^vqW}N^000000A"
    "X%vZDDKxpa1{>000000CQ+>cL1IM000000001HX=Q9=a{!nC000000001DX=ebH000000000002%-"
    "Q0000000RI3000000G8E{zU|(JK7uq?zFX3by$6RUKH>TxJ=6$MK0bmOJ26?|x~TWQx^Qy2I#B_Sy3A7xx`F"
    "uwI+o?dxt57{y2qP(Iz9nEy8Hrzx&&u?IwPk<y4<)1y8Ph<I-63=xh-HWyPG8{JIV?LyLH&+y7|21I#yz?x~"
    "c06yFbVYJHY7Cx-r!-"
    "yHRj3JCBP7yUaRFyAnQ0I}U3cy8r+H000000000004~T5yFH{3JJXWcx*o2`yad+AJjn%^y!)^*ygB<XJOo7"
    "syb3BHz0heMJ(W`PypemRyo;lxJkJ4ryak2HycgogJdgsJyri|Oybz?SJQ6X2ywI!=y_*gXJuQ~oye5PUya3"
    "b<JRQN+yYI3Uy&#7aJ)cSAyr#z1ykZB~JOXQ@ypZK3y}3OlJsJ@FyZ{dX000000009300000005I#wmbnIu)"
    "Gk$h&+XLlRR|+mb~iVT|BQbcDoN|8#~k@54$e^#5}&&y1aW=lRU8d&O9~0$GltNn>-"
    "*{2)SD7@ww%xh`2Dq?>YPr5xNvG4?0S*1U$+k2E20K$2)QL89YG55xlaL<2&&j5<Mq`4!uYJ-"
    "8}oeQ9K<UNxWn5AUrp1H9P;3MZ1eV3Of~{k~|gsjl8@fVLW5RS3J%va=aKGHaxEw`8)o!0=!q^$vX"
)
HAS = ("ships", "größe")
HAS_NOT = ("shipyard", "größer", "a", "日本")
VECTORS = {  # by its get_word_vector
    "ships": [-0.02676801, 0.02664472, -0.02032062],
    "größe": [-0.02586029, 0.0256926, -0.01963729],
    "shipyard": [-0.02327429, 0.02317528, -0.01766801],
    "größer": [-0.02507856, 0.02491273, -0.01904534],
    "a": [-0.02716251, 0.02686438, -0.02060173],
    "日本": [-0.03398482, 0.03382439, -0.02581982],
}


def write_tiny_fasttext(path: Path) -> Path:
    """The model as a file."""
    path.write_bytes(base64.b85decode(_MODEL))
    return path
