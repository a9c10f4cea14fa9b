#!/usr/bin/env python3
"""Makes fixtures/library: a small writer's library. The same bytes every time.

    make-fixtures.py                 writes fixtures/library anew
    make-fixtures.py --extras DIR    adds to DIR, a COPY of the library, what git cannot keep: empty folders, odd modes,
                                     times to the nanosecond, extended attributes, names that are no UTF-8, odd links

Needs Python 3.11 and nothing else. The prose was written for this project and is free for any use.
"""
import argparse, io, json, os, random, shutil, struct, sys, uuid, zipfile, zlib
from xml.sax.saxutils import escape

ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures", "library")

# --- prose -----------------------------------------------------------------------------------------------------------

LIGHTHOUSE = """\
The Lighthouse

The lamp was lit at 16:40, nine minutes before sunset, because the keeper did not trust the almanac and never had. He climbed \
the hundred and twelve steps with the oil can in his left hand and the rail in his right, and at the gallery he stopped, as he \
stopped every evening, to look at the one place on the horizon where a ship might be.

There was no ship. There was a bank of cloud the colour of slate, and under it a strip of light so thin that it seemed to be \
drawn with a ruler. “Naïve,” he said aloud, to the cloud, and did not know why. It was a word his daughter used.

She had sent a letter from Łódź in March and another from Kraków in May. Both lay in the tin box under the bed with the \
tide tables and the good scissors. In the second she wrote that she had seen a painting of a lighthouse in a café, and that \
the painter had got the lamp wrong: he had painted it yellow. “You know what colour it is,” she wrote. “You are the only one who knows.”

It was not yellow. It was the colour of the inside of a shell. He had tried to find the word for it for thirty-one years, and \
the nearest he had come was a Japanese word that a ship’s cook once wrote for him on the back of a bill: 灯. The cook said it meant \
a light that somebody has lit. Not light; not fire. A light, and somebody.

The wind went round to the north-west at seven. He wrote it in the log, with the barometer (29.41, falling) and the hour, and because \
the page was nearly full he wrote it small. Then he sat with his back against the warm brass and listened to the lamp turn: a sound like \
a person breathing who does not mean to be heard. 🕯

At ten minutes to four there was a ship."""

CHAPTERS = {
"01 The ferry": """\
The ferry to Hallin left at six or it did not leave at all. There was a timetable, printed in two colours and pinned behind glass \
at the head of the pier, and in eleven years nobody had seen the boat keep to it. What the boat kept to was the weather, and the weather \
kept to nothing.

Ines stood beside her two cases and read the timetable twice, because it was the only thing there was to read.

"You'll be the engineer," said a voice.

It came from a man who sat on an upturned crate with a net across his knees. He did not look up. His hands went on with their work as if \
they belonged to somebody more patient.

"I'm the engineer," she said.

"They sent one in April. Young fellow. He went back on the same boat." The hands drew a knot tight. "Didn't get his shoes wet."

"What was the matter with him?"

"Nothing the matter with *him*." Now he did look up, and she saw that one of his eyes was brown and the other a pale, milky blue, like the \
sky in the timetable's second colour. "He asked to see the iron, and we showed him the iron. That was all."

The boat came in at twenty past seven, sideways, like a dog that knows it has done wrong. It was smaller than she had been promised. Somebody had \
painted its name on the bow and somebody else had painted it out again, so that all that could be read was the last three letters: *-ity*.

> *Charity*, she thought. *Felicity.* *Eternity.* *Pity.*

She paid four crowns and was given a ticket for five.
""",
"02 Salt": """\
There are three kinds of salt on Hallin, and the people who live there will tell you about them whether you ask or not.

1. **White salt**, which is made in the pans on the south shore between May and September and sold to the mainland in sacks of fifty pounds.
2. **Grey salt**, which is what is left in the bottom of the pans, and which nobody sells. They keep it for themselves and say it is better.
3. **The other salt.** It comes in on the wind. It lies on the sills in the morning and in the folds of the sheets at night. It gets into the \
hinges, the clocks and the bread. It ate the first bridge in nine years and the second in seven.

"And the third?" Ines asked.

"The third is yours," said the harbour-master, and pushed the drawings across the table. "Sixty-two feet, wrought iron, two spans. It's been up \
for four years and eleven months. I'd like you to tell me it has another five in it."

She turned the sheets one by one. They were good drawings. Whoever had made them had drawn even the rivets, each with its own small shadow, \
and beside every joint stood a number in red ink.

"What are the red figures?"

"Ah," said the harbour-master. He got up and closed the window, although it was a warm day. "Those weren't on it when we bought it."
""",
"03 What the iron said": """\
You do not look at iron. You listen to it. Her father had taught her that in a shed behind the railway works, with a hammer that \
weighed less than a spoon, on a row of eleven bolts of which one was cracked.

*Clear, clear, clear,* went the hammer. *Clear, clear.* And then a sound like a word broken off.

"There," her father said. "That's the one who wants to tell you something."

She began at the north end a little after four in the morning, when the tide was down and the wind had not yet made up its mind. She had chalk in one \
pocket and a candle in the other. By six she had sounded a hundred and forty rivets and marked none. By eight she had sounded three hundred and \
marked none, and that was wrong, because no bridge in the world is whole. It is like asking a hundred people whether they slept well and having \
every one of them say yes.

At the middle pier she stopped, and on a sudden thought laid her ear to the plate.

It was not silent. It had never been silent; she had only been making too much noise to hear it. Far down in the metal, slow, and as regular as a \
pulse, something was tapping back.

*Clear, clear, clear.*

*Clear, clear.*
""",
"04 The red figures": """\
She copied the red figures into her notebook, in columns, and sat with them for three evenings.

| joint | figure | difference |
| --: | --: | --: |
| 1 | 412 | – |
| 2 | 409 | 3 |
| 3 | 403 | 6 |
| 4 | 391 | 12 |
| 5 | 367 | 24 |

They were not loads. They were not lengths: a length does not double its grief at every step. On the second evening she thought that they \
might be dates, counted in days from some beginning; on the third she was sure of it, and put the pencil down, and went out to stand on the step.

If joint 5 was right, there were three hundred and sixty-seven days from some morning to the failure of joint 5. And if you knew which morning —

The widow who let her the room was bringing in the washing. She shook each sheet before she folded it, and the salt flew off in the last of the \
light like sparks from a wheel.

"When was the bridge opened?" Ines called. "Which day?"

"The nineteenth of June." The widow did not have to think. Nobody on Hallin had to think about it. "It rained. There was a band."

The nineteenth of June, four years and eleven months ago. Ines did the sum in her head, and did it again, and then walked, not quite running, \
down to the harbour to find the man with one blue eye.
""",
"05 Nineteenth of June": """\
They closed the bridge at noon and the whole island came to look at it being closed.

Nothing happened for a long time. Children were lifted onto shoulders and put down again. Somebody sold cider. The harbour-master stood with his \
watch open in his palm, so pale that Ines was sorry for him: it is one thing to be told a date, and another to stand beside it.

At nine minutes past three a gull came down on the rail of the second span. It folded its wings, it shifted from one foot to the other, and the span, \
with no more noise than a man makes sitting down, went into the sea.

The gull stayed where it was, in the air, for what seemed a full second, before it remembered.

Nobody cheered. The ring of the water ran out, touched the stones at their feet, and ran back. In the quiet that followed Ines heard, from the \
standing half of the bridge, through the soles of her boots, the tapping: *clear, clear, clear*; and after it, for the first time, the sixth stroke, \
which was neither clear nor broken, and which she would spend the rest of her life trying to describe.

"So," said the man with the net. "Will you be wanting the boat?"

She looked at her shoes. They were wet to the ankle.

"No," she said. "Show me where you keep the grey salt."
"""}

SCENES = [
("Part One: The Commission", [
 ("The letter with no stamp", "It had been pushed under the door in the night, and it had no stamp. The mapmaker turned it over twice before she opened it, because a letter can be \
read only once for the first time.\nInside was a sheet of very good paper with one sentence on it. *Kindly draw us the valley as it will be.* Below the sentence was a sum of \
money, and below the sum was nothing, no name and no address, only the small round mark of a wet glass."),
 ("The valley as it is", "She began, as one must, with the valley as it is. She walked it in November with a chain and a boy to hold the other end.\nThe boy counted aloud. He had a \
cold, and all his sevens came out as sebens, so that afterwards, when she looked at the figures in her book, she heard every one of them in that voice. Two hundred and \
seben paces from the mill to the ford. Seben from the ford to the place where the road gives up."),
 ("A question at the inn", "“What would you want it for?” the innkeeper asked. “A map of what isn’t?”\n“I don’t know that it isn’t,” she said. “I only know that it isn’t yet.”\nHe \
thought about that while he dried a glass. Outside it had begun to snow in the hesitating way of the first day, each flake seeming to look for a place where it would do no harm. “Then put \
the inn on it,” he said finally. “Larger. With a second chimney.”"),
 ("Vellum", "There were eleven skins in the shop, and she bent over each one with a lens. You look for the veins. An animal that was frightened at the end has dark veins, and \
ink will feather along them no matter how dry you keep your pen.\nShe took the palest. It cost a third of the money, and the merchant asked, wrapping it, whether it was \
for a wedding or a will. “Something between,” she said."),
]),
("Part Two: The Survey", [
 ("Old Märta remembers", "Old Märta was the only person who had ever lived at the head of the valley. She was ninety, or said so.\n“There was a lake,” she said. “Then they said there wasn’t. I was small; \
I thought that if I said there was, they’d be angry. So it went.” Her hands made a flat shape in the air, wide, and held it there, and for a moment the mapmaker could see the \
light move on the water."),
 ("The theodolite", "Brass does not like the cold. At twenty below, the screws shrink in their threads and the bubble in the level grows sluggish and fat, like a thing that has \
eaten. She breathed on it. She carried it under her coat, against her ribs, all the way up to the third station, and when she finally set it on its legs the angle to the church tower \
was wrong by a whole degree.\nShe measured again. It was wrong by the same degree. So it was the tower."),
 ("What the boy saw", "“It’s moving,” said the boy. He had his eye to the glass and both hands in his sleeves.\n“What is?”\n“All of it.”\nShe put him gently aside and looked. The tower stood in the crosshair, and the hill stood \
behind the tower, and nothing moved at all. But there were tracks in the snow on the far slope that had not been there, long and parallel and quite straight, as if somebody had ruled them."),
 ("Night work", "She inked by lamplight with the shutters closed. First the rivers, because rivers decide. Then the heights, in hachures so fine that they were less a drawing than a change in the temper of the \
page.\nThen she put the pen down, for she had drawn a lake. It was at the head of the valley. She did not remember deciding on it. The ink was already dry."),
]),
("Part Three: The Map", [
 ("They come for it", "There were two of them, and they were polite. They wiped their feet. The taller one unrolled the sheet upon the table and weighted its corners with her own inkwells, and for a long while neither of \
them spoke.\n“And this?” said the shorter, with a gloved finger over the lake.\n“You asked for the valley as it will be,” she said.\nThey looked at one another. It was the look of people who have been \
told their own secret by a stranger on a train."),
 ("The thaw", "It came in a single night. She woke to a noise that she took for rain, and then for wheels, and then, standing barefoot at the window, understood to be the whole valley letting go at once. Water \
came down the street. It came slowly, with straws and a child’s wooden shoe on it, and stopped exactly at the innkeeper’s new step."),
 ("The second chimney", "By midsummer there was a second chimney on the inn. There was a jetty at the head of the valley and a man who hired out boats, and people came up from the town on Sundays to say that \
they remembered it from when they were children.\nShe rowed out once, alone, with the lead line. It was eleven fathoms in the middle. She had not written any depth on the map. She took out her pen and, the boat turning a \
little under her, wrote it in."),
 ("Another letter", "It was under the door in the morning, and it had no stamp.\n*Kindly draw us yourself,* it said, *as you will be.*\nShe sat with it for as long as it took the coffee to get cold. Then she fetched the last of the \
vellum, and sharpened a pen, and drew first, as one must, the rivers."),
])]

CLOCKMAKER = """\
# The Clockmaker's Apprentice

The clockmaker's apprentice was allowed to wind every clock in the shop but one.

There were forty-four. She did them in order each morning, from the door to the stair, and it took just under the hour, so that by the time she had wound the \
last the first had already begun to forget. The forty-fifth stood on a shelf of its own beneath a cloth. It ticked. Nobody wound it, and it ticked.

"Who keeps it going?" she asked, in her first week.

"I should think that you do," said the clockmaker.

In her second year she lifted the cloth. It was an ordinary clock with a plain white face, and a single hand, and around the edge, where the hours should have been, there \
was her own name, letter by letter, in the handwriting she would have when she was old. The hand stood a little past the third letter.

She put the cloth back exactly as it had been. She wound the forty-four. And it was only that night, nearly asleep, that she noticed what had been troubling \
her: not that the hand moved, but that after she had looked at it for a while it had seemed, ever so slightly, to slow down.
"""

CAFE = """\
# Café Übergang

*Für die, die umsteigen müssen.*

Between platform 3 and platform 4 there is a café in which nobody has ever finished a cup. The trains are seven minutes apart; the coffee comes after five, \
and it comes very hot. The owner, who is from Malmö, calls this her business model: « le temps perdu », she says in her terrible French, « je le vends. »

I sat there on a Tuesday in the winter of the strikes, with a whole hour, perhaps the first whole hour that had ever been brought into the place. She saw it at \
once. She came out from behind the counter, wiped the other chair, sat down on it and said, as one says to a doctor: „Also. Was mache ich jetzt?“

— Drink it, I said. — It's cold, she said. We laughed until the 17:04 came in: Zürich, Besançon, Dijon-Ville; and neither of us got up.
"""

JAPANESE = """\
# 灯台守の手紙

拝啓

こちらはもう三日、海が荒れております。船は一隻も見えません。それでも日が暮れれば灯りをともします。誰も見ていない灯りに意味があるのかと、若い頃は考えたものです。

今は考えません。灯りは、見る人のためだけにあるのではないからです。ともす人のためにもあるのです。

先日お送りいただいた本、ありがとうございました。毎晩一頁ずつ読んでおります。急ぐと終わってしまいますから。

風が北に変わりました。そろそろ上がらなければなりません。

敬具
"""

FOUNTAIN = """\
Title: The Last Ferry
Credit: A short play for two voices and a bell
Draft date: 3 November

EXT. PIER - NIGHT

Fog. A lamp that lights only the fog. An OLD WOMAN sits on a suitcase. After some time a FERRYMAN comes out of the dark with a rope over his shoulder.

FERRYMAN
Last one's gone.

OLD WOMAN
I know. I watched it.

FERRYMAN
You could have been on it.

OLD WOMAN
I've been on it.

He puts the rope down. He looks at the suitcase.

FERRYMAN
(carefully)
What's in there?

OLD WOMAN
The first ferry.

A BELL, far out. Then the same bell, near.

FERRYMAN
That's not one of mine.

OLD WOMAN
No.
(standing up)
I expect that one is mine.

> FADE OUT.
"""

ESSAY = """\
# On keeping drafts

Nobody regrets a draft that was kept. It lies in its drawer and asks for nothing. What one regrets is the other kind: the page that was better on Thursday, the \
paragraph that was cut with such relief in May and was needed so badly in June.

![How a page grows](assets/growth.png)

I used to think that a finished text replaces the ones before it. I now think that it stands on them, the way a house stands on the spoil of the house \
that was there before: you may not see it from the street, but it is why the cellar is dry.

There are three practical rules.

- *Keep everything.* You do not know today what you will want. That is what "today" means.
- *Keep it where you are not.* Fire reads whole libraries.
- *Be able to read it without asking anyone.* A drawer whose key is held by a stranger is not a drawer. It is a hostage.
"""

IDEAS = """\
# Ideas 📝

- A town where every house is one step further from the sea each morning. Nobody has seen it move. 🌊
- The opposite of a ghost: someone who is alive and whom no place remembers.
- "She lied the way other people hum."
- [ ] Look up: how fast does salt eat iron, really?
- [x] Ask at the archive about the nineteenth of June
"""

JOURNAL = {
"2024-10-28": "Rain. 640 words, of which perhaps 200 will stay. The bridge wants to fall down in chapter three and I keep telling it to wait.\n",
"2024-10-31": "Nothing on paper. Walked to the mill and back twice and on the second time I knew what the red figures are.\n\nDo not forget: doubling. 3, 6, 12, 24.\n",
"2024-11-03": "1,120 words. The gull is right. Everything else in chapter five can go if it must, but the gull is right.\n",
}

LETTER = [
("Heading1", "On the closing of the reading room"),
("Normal", "To the editor"),
("Normal", "You report that the reading room is to be closed from the new year because, in the words of the council, “fewer than nine persons a day make use of it”."),
("Normal", "I am one of the nine. I do not know the other eight, as we are not permitted to speak; but I know that one of them is reading the whole of the shipping register, a year every \
afternoon, and weeps at 1911, and that another comes only to sleep, and is woken with great courtesy at five."),
("Quote", "A room in which nine people are quiet together is not empty. It is full of something for which the council has no column."),
("Normal", "I ask that a column be added."),
("Normal", "A reader"),
]

CUEIGNORE = """\
# What cue leaves alone in this library. The syntax is that of .gitignore.
# Already left alone everywhere: .DS_Store ._* ~$* .~lock.* *.tmp *.swp

*.bak

# Everything in Scratch but its one page of explanation.
/Scratch/*
!/Scratch/Read me first.md
"""

# --- formats ---------------------------------------------------------------------------------------------------------

def uid(name):
    """A stable upper-case UUID, as Scrivener writes them."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "cue-fixture:" + name)).upper()

def rtf_text(text):
    """RTF escapes: \\'hh for what Windows-1252 has, \\uN (signed UTF-16 units, one fallback byte) for the rest."""
    out = []
    for c in text:
        if c in "\\{}": out.append("\\" + c)
        elif c == "\n": out.append("\\par\n")
        elif ord(c) < 128: out.append(c)
        else:
            try: out.append("\\'%02x" % c.encode("cp1252")[0])
            except UnicodeEncodeError:
                units = c.encode("utf-16-le")
                out += ["\\u%d?" % struct.unpack_from("<h", units, k)[0] for k in range(0, len(units), 2)]
    return "".join(out)

def rtf(title, paragraphs, pictures=()):
    """A document as a Mac word processor writes it; `pictures` are RTFD attachments, one after each of the first paragraphs."""
    out = ["{\\rtf1\\ansi\\ansicpg1252\\uc1\\deff0\n{\\fonttbl\\f0\\froman\\fcharset0 TimesNewRomanPSMT;\\f1\\fswiss\\fcharset0 Helvetica-Bold;}\n"
           "{\\colortbl;\\red255\\green255\\blue255;\\red60\\green60\\blue66;}\n\\paperw11900\\paperh16840\\margl1440\\margr1440\\vieww12000\\viewh15840\n"]
    if title: out.append("\\pard\\sa240\\qc\\f1\\b\\fs36 \\cf2 %s\\par\n" % rtf_text(title))
    out.append("\\pard\\fi360\\sa120\\qj\\f0\\b0\\fs24 \\cf0 ")
    pictures = list(pictures)
    for p in paragraphs:
        for k, piece in enumerate(p.split("*")):   # *so* is italic
            out.append("{\\i %s}" % rtf_text(piece) if k % 2 else rtf_text(piece))
        out.append("\\par\n")
        if pictures:
            out.append("{{\\NeXTGraphic %s \\width3200 \\height2400 \\appleattachmentpadding0\n}\\'ac}\\par\n" % rtf_text(pictures.pop(0)))
    return ("".join(out) + "}").encode("ascii")

def png(width, height, pixel):
    rows = b"".join(b"\0" + b"".join(bytes(pixel(x, y)) for x in range(width)) for y in range(height))
    def part(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + part(b"IDAT", zlib.compress(rows, 9)) + part(b"IEND", b""))

def tower(grain):
    """A lighthouse at dusk, with a little film grain so that it does not compress to nothing."""
    rnd = random.Random(grain)
    def pixel(x, y):
        n = rnd.randrange(grain)
        if 74 <= x <= 86 and 30 <= y < 100: return (220 - n, 60 + n, 50) if (y // 14) % 2 else (235 - n, 230 - n, 220 - n)
        if 76 <= x <= 84 and 22 <= y < 30: return (255, 244, 214 - n)
        if y >= 96: return (20 + n, 42 + n, 62 + n)
        beam = x > 84 and abs(y - 26) * 6 < x - 80
        return (min(255, 70 + y + n + 60 * beam), min(255, 80 + y + n + 60 * beam), 120 + n + 40 * beam)
    return png(160, 120, pixel)

def growth(x, y):
    """A bar chart: how a page grows from draft to draft."""
    bar, inside = divmod(x, 20)
    return (70, 110, 160) if 3 <= inside < 17 and 95 - y < [20, 35, 30, 52, 48, 70, 66, 64][bar] and y < 95 else (250, 248, 242)

def docx(paragraphs):
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    rels = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>'
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml."
    def style(name, kind, inner): return '<w:style w:type="paragraph" %sw:styleId="%s"><w:name w:val="%s"/>%s</w:style>' % (
        'w:default="1" ' if name == "Normal" else "", name, kind, inner)
    body = "".join('<w:p><w:pPr><w:pStyle w:val="%s"/></w:pPr><w:r><w:t xml:space="preserve">%s</w:t></w:r></w:p>' % (s, escape(t)) for s, t in paragraphs)
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{word}document.main+xml"/>'
            f'<Override PartName="/word/styles.xml" ContentType="{word}styles+xml"/></Types>',
        "_rels/.rels": rels % f'<Relationship Id="rId1" Type="{office}officeDocument" Target="word/document.xml"/>',
        "word/_rels/document.xml.rels": rels % f'<Relationship Id="rId1" Type="{office}styles" Target="styles.xml"/>',
        "word/document.xml": f'<w:document {w}><w:body>{body}<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>',
        "word/styles.xml": f"<w:styles {w}>" + style("Normal", "Normal", '<w:rPr><w:sz w:val="24"/></w:rPr>')
            + style("Heading1", "heading 1", '<w:basedOn w:val="Normal"/><w:rPr><w:b/><w:sz w:val="36"/></w:rPr>')
            + style("Quote", "Quote", '<w:basedOn w:val="Normal"/><w:pPr><w:ind w:left="720"/></w:pPr><w:rPr><w:i/></w:rPr>') + "</w:styles>",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as z:
        for name, text in parts.items():
            info = zipfile.ZipInfo(name, (2024, 11, 3, 18, 22, 40))   # a fixed time: the same bytes every time
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            z.writestr(info, head + text)
    return buffer.getvalue()

def scriv(put):
    """A Scrivener-like project: the binder in one XML file, every scene in a folder named by its UUID."""
    made = 'Created="2024-09-14 08:30:00 +0000" Modified="2024-11-03 18:22:41 +0000"'
    def item(kind, name, title, children="", extra=""):
        inner = f"<Title>{escape(title)}</Title><MetaData><IncludeInCompile>{'No' if kind in ('TrashFolder', 'ResearchFolder') else 'Yes'}</IncludeInCompile>{extra}</MetaData>"
        return f'<BinderItem UUID="{uid(name)}" Type="{kind}" {made}>{inner}' + (f"\n<Children>\n{children}</Children>\n" if children else "") + "</BinderItem>\n"
    parts, number = "", 0
    for part, scenes in SCENES:
        inner = ""
        for title, text in scenes:
            number += 1
            folder = "Files/Data/%s/" % uid(title)
            put(folder + "content.rtf", rtf(None, text.split("\n")))
            put(folder + "synopsis.txt", (text.split("\n")[0].split(". ")[0].rstrip(".") + ".").encode())
            if number % 4 == 0: put(folder + "notes.rtf", rtf(None, ["Check the distance to the mill against scene 2.", "Too many elevens? Märta would not say “theodolite”."]))
            inner += item("Text", title, title, extra=f"<StatusID>{number % 3}</StatusID><LabelID>{number % 2}</LabelID>")
        parts += item("Folder", part, part, inner)
    put("Files/Data/%s/content.rtf" % uid("Names"), rtf("Names of the places", ["Sjöände, the head of the valley", "Trävik, the ford", "湖 (“lake”), for the cover?"]))
    binder = (item("DraftFolder", "Draft", "The Mapmaker’s Winter", parts) + item("ResearchFolder", "Research", "Research", item("Text", "Names", "Names of the places"))
              + item("TrashFolder", "Trash", "Trash"))
    put("Novel.scrivx", (f'<?xml version="1.0" encoding="UTF-8"?>\n<ScrivenerProject Template="No" Version="2.0" Identifier="{uid("project")}" Modified="2024-11-03 18:22:41 +0000" '
        f'ModID="{uid("mod")}">\n<Binder>\n{binder}</Binder>\n<StatusSettings><StatusItems><Status ID="0">To do</Status><Status ID="1">First draft</Status><Status ID="2">Done</Status>'
        '</StatusItems></StatusSettings>\n<ProjectTargets Notify="No"><DraftTarget Type="Words" Deadline="2025-03-31 00:00:00 +0000">60000</DraftTarget></ProjectTargets>\n</ScrivenerProject>\n').encode())
    put("Files/version.txt", b"16")
    put("Files/styles.xml", b'<?xml version="1.0" encoding="UTF-8"?>\n<Styles Version="1.0"/>\n')
    put("Settings/compile.xml", b'<?xml version="1.0" encoding="UTF-8"?>\n<CompileSettings><CurrentFormat>Manuscript (Times)</CurrentFormat><SectionLayouts/></CompileSettings>\n')
    put("Settings/ui-common.xml", ('<?xml version="1.0" encoding="UTF-8"?>\n<UISettings><LastSelected>%s</LastSelected><BinderWidth>240</BinderWidth></UISettings>\n' % uid("Vellum")).encode())

def library(root):
    def put(path, data):
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f: f.write(data if isinstance(data, bytes) else data.encode())
    shutil.rmtree(root, ignore_errors=True)
    title, *paragraphs = LIGHTHOUSE.split("\n\n")
    put("The Lighthouse.rtfd/TXT.rtf", rtf(title, paragraphs, ["Pasted Graphic.png", "Évening sketch.png"]))
    put("The Lighthouse.rtfd/Pasted Graphic.png", tower(24))
    put("The Lighthouse.rtfd/Évening sketch.png", tower(9))
    scriv(lambda path, data: put("Novel.scriv/" + path, data))
    put("Letter to the editor.docx", docx(LETTER))
    for name, text in CHAPTERS.items(): put(f"Salt and Iron/{name}.md", f"# {name[3:]}\n\n{text}")
    put("Short stories/The Clockmaker's Apprentice.md", CLOCKMAKER)
    put("Short stories/Café Übergang.md", CAFE)
    put("Short stories/灯台守の手紙.md", JAPANESE)
    put("Short stories/Unwritten.md", "")
    put("Plays/The Last Ferry.fountain", FOUNTAIN)
    put("Notes 📝/Ideas.md", IDEAS)
    for day, text in JOURNAL.items(): put(f"Journal/2024/{day}.txt", text)
    put("On keeping drafts.textbundle/text.md", ESSAY)
    put("On keeping drafts.textbundle/assets/growth.png", png(160, 100, growth))
    put("On keeping drafts.textbundle/info.json", json.dumps({"version": 2, "type": "net.daringfireball.markdown", "transient": False}, indent=2) + "\n")
    put(".cueignore", CUEIGNORE)
    put("Scratch/Read me first.md", "Nothing in this folder is backed up, except this page.\n")
    sizes = [os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(root) for f in files]
    print(f"{len(sizes)} files, {sum(sizes):,} bytes, the largest {max(sizes):,}: {os.path.relpath(root)}")

# --- what git cannot keep --------------------------------------------------------------------------------------------

def extras(root):
    """Everything goes to the folder "Odd corners", except what must lie beside a document or in Scratch."""
    top = os.fsencode(os.path.join(root, "Odd corners"))
    refused = []
    def attempt(what, make, *args, **more):
        """Not every file system takes every name, time or attribute: what it refuses is named, and left out."""
        try: make(*args, **more)
        except (OSError, OverflowError) as e: refused.append(f"{what}: {e.strerror if isinstance(e, OSError) else e}")
    def at(path): return os.path.join(top, path if isinstance(path, bytes) else path.encode())
    def put(path, data=b"A page.\n", mode=None):
        os.makedirs(os.path.dirname(at(path)), exist_ok=True)
        with open(at(path), "wb") as f: f.write(data)
        if mode is not None: os.chmod(at(path), mode)
    def folder(path, mode=0o755):
        os.makedirs(at(path), exist_ok=True)
        os.chmod(at(path), mode)
    def link(target, path): os.symlink(target, at(path))

    for name in ("Empty", "Nested/empty/folders", "Blank.rtfd"): folder(name)
    for name, mode in (("read only", 0o400), ("private", 0o600), ("everyone", 0o666), ("program", 0o755), ("set user id", 0o4750)): put(f"Modes/{name}.md", mode=mode)
    for name, mode in (("Sticky", 0o1777), ("Shared", 0o2775), ("Private", 0o700)): folder("Modes/" + name, mode)

    names = [b"not utf-8 \xff\xfe.md", b"caf\xe9 in latin-1.md", b"folder \xc3\x28/page.md", "caf\u00e9.md", "cafe\u0301.md", "two\nlines.md", "\x1b[31mred\x1b[0m \x1b]0;title\x07.md", "tab\there.md",
             "-rf.md", "back\\slash.md", "quotes ' \" ` $HOME.md", "glob *[a]?.md", " spaces around ", "...", "trailing dot.", "CON.txt", "right\u202eto left.md", "👩‍👧 family.md",
             ("long " + "é" * 123).encode() + b" .md", b"x" * 255]
    for k, name in enumerate(names): attempt(repr(name), put, os.path.join(b"Names", name if isinstance(name, bytes) else name.encode()), b"Name number %d.\n" % k)
    put("/".join(["Deep"] + [("level %02d " % k) + "x" * 90 for k in range(12)] + ["page.md"]))

    rnd = random.Random(7)
    put("Content/nothing.md", b"")
    put("Content/one byte.md", b"x")
    put("Content/recording.bin", rnd.randbytes(3_000_001))
    put("Content/zeros.bin", bytes(1 << 20))
    put("Content/twin A.md", b"The same in both.\n" * 400)
    put("Content/twin B.md", b"The same in both.\n" * 400)
    put("Content/A file, not a folder.pages", b"PK\x03\x04 a bundle's name on a plain file\n")
    put("Content/UPPER.RTFD/TXT.rtf", rtf(None, ["A bundle with a capital ending."]))
    put("Content/Outer.scriv/Files/Inner.rtfd/TXT.rtf", rtf(None, ["A bundle inside a bundle."]))
    folder("Content/Outer.scriv/Files/An empty folder in a bundle")
    link(b"../gone.rtf", "Content/Outer.scriv/dangling in a bundle")

    for target, name in ((b"nowhere at all", "dangling"), (b"../Modes", "to a folder"), (b"../../The Lighthouse.rtfd", "Favourite.rtfd"), (b"loop", "loop"), (b"/etc/hostname", "absolute"),
                         (b"\xff\xfe", "to a name that is no UTF-8"), (b"../x" * 250, "to a long path")):
        os.makedirs(at("Links"), exist_ok=True)
        attempt(name, link, target, "Links/" + name)
    put("Links/hard link 1.md", b"One file with two names.\n")
    attempt("hard link", os.link, at("Links/hard link 1.md"), at("Links/hard link 2.md"))

    put("Attributes/tagged.md")
    put("Attributes/Tagged.rtfd/TXT.rtf", rtf(None, ["A bundle with attributes."]))
    for path in ("Attributes/tagged.md", "Attributes/Tagged.rtfd", "Attributes/Tagged.rtfd/TXT.rtf", "Attributes"):
        for key, value in (("user.cue.label", "Łódź, second draft".encode()), ("user.cue.empty", b""), ("user.cue.bytes", bytes(range(256)))):
            attempt(f"attribute {key} of {path}", os.setxattr, at(path), key, value)

    # These are ignored, by default or by .cueignore: no restore may bring them back.
    for name in (".DS_Store", "._resource fork.md", "~$Letter to the editor.docx", ".~lock.Letter.odt#", "autosave.tmp", ".chapter.md.swp", "old.bak"): put("Ignored/" + name)
    put("../Scratch/loose thoughts.md")

    # Times last, folders after what is in them: to the nanosecond, before 1970, after 2038.
    put("Times/before 1970.md"); put("Times/after 2038.md"); put("Times/whole second.md")
    link(b"whole second.md", "Times/link")
    special = {b"before 1970.md": -86_400 * 10**9 + 1, b"after 2038.md": 2_208_988_800 * 10**9 + 999_999_999, b"whole second.md": 1_700_000_000 * 10**9}
    for parent, folders, files in os.walk(top, topdown=False):
        for name in files + folders:
            when = special.get(name, rnd.randrange(1_400_000_000 * 10**9, 1_730_000_000 * 10**9))
            attempt(f"time of {name!r}", os.utime, os.path.join(parent, name), ns=(when, when), follow_symlinks=False)
    put("Modes/Locked folder/page.md")   # a folder that nobody may write to, so it comes last of all
    folder("Modes/Locked folder", 0o555)
    for line in refused: print("not possible here:", line, file=sys.stderr)

if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--extras", metavar="DIR", help="add to this copy what git cannot keep")
    extra = options.parse_args().extras
    if extra and os.path.realpath(extra) == os.path.realpath(ROOT): options.error("--extras is for a copy, not for fixtures/library itself")
    extras(extra) if extra else library(ROOT)
