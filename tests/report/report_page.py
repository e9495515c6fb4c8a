"""report.html is well formed and stands alone.  report_page.py PAGE FIGURES <words that it has to say, one a line"""
import html.parser, os, re, sys

text = open(sys.argv[1], encoding="utf-8").read()
folder = os.path.dirname(sys.argv[1])
void = {"meta", "br", "link", "hr", "img"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.figures, self.words, self.heading = [], [], [], 0, [], 0

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag not in void: self.open.append(tag)
        if "id" in a: self.ids.append(a["id"])
        self.figures += tag == "figure" and a.get("class") == "plot"
        if tag == "figure" and a.get("class") == "plot" and a.get("aria-labelledby") not in text: print("a figure without a label")
        if tag == "svg" and "aria-hidden" not in a and "figure" not in self.open: print("an svg without words")
        if tag == "th" and "scope" not in a: print("a header without scope", self.getpos())
        if re.fullmatch("h[1-6]", tag):
            level = int(tag[1])
            if level > self.heading + 1: print("a heading of level", level, "below one of level", self.heading, self.getpos())
            self.heading = level
        if tag in ("script", "link", "iframe", "img"): print("there is a", tag)
        for key, value in a.items():
            if key.startswith("on"): print("a handler:", key)
            if key in ("href", "src", "xlink:href"):
                if value.startswith("#"): self.links.append(value[1:])
                elif ":" in value or value.startswith("/"): print("points outside:", value)
                elif key != "href" or tag != "a": print("needs a file beside it:", value)
                elif not os.path.exists(os.path.join(folder, value)): print("no such file:", value)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in void: self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag: print("not nested:", tag, self.getpos())

    def handle_data(self, data): self.words.append(data)


p = Page()
p.feed(text)
p.close()
words = " ".join(p.words)
if p.open: print("left open:", p.open)
if len(set(p.ids)) != len(p.ids): print("an id twice:", [i for i in p.ids if p.ids.count(i) > 1][:3])
for link in set(p.links) - set(p.ids): print("no target:", link)
if p.figures != int(sys.argv[2]) or not p.figures: print(p.figures, "figures instead of", sys.argv[2])
if p.words and text.count("<h1") != 1: print("not one h1")
if re.search(r"\b(nan|inf)\b", words, re.I): print("nan or inf in the text")
for wanted in sys.stdin.read().splitlines():
    if wanted not in words: print("it does not say:", wanted)
