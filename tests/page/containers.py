"""Pages whose log element differs from the one we write: a different spelling or place, damaged
data, or two logs. The page's button and the program must read the same log from each page, or both
must refuse it."""

from __future__ import annotations

import random
from base64 import b64encode
from collections.abc import Iterator

from tests.page.pages import golden, page_of

EXACT = '<script type="text/plain" id="ginpeer-log">'
OWN, OTHER = "offer-alone", "incomplete"
"""The log of the page, and the log added to it or put in its place."""

OPENS = (
    *(EXACT, "<script type='text/plain' id='ginpeer-log'>", EXACT.upper(), EXACT.replace('"', "")),
    '<SCRIPT TYPE="text/plain" ID="ginpeer-log">',
    '<script id="ginpeer-log" type="text/plain">',
    "<script\n\ttype = 'text/plain'\r\n id\t=\n\"ginpeer-log\" >",
    '<script/type="text/plain"/id="ginpeer-log"/>',
    '<script type="text/plain"id="ginpeer-log">',
    *('<script  type="text/plain"\f id="ginpeer-log">', "<script id=ginpeer-log>"),
    *('<script id="ginpeer-log" type>', '<script id="ginpeer-log" type="">'),
    *(
        EXACT.replace(">", f" {more}>")
        for more in ('class="x"', "async", 'src="x"', "data-a='>'", "=", "title=id=ginpeer-log")
    ),
    *(EXACT.replace(">", f" {again}>") for again in ("id=x", 'id="ginpeer-log"', "type=x", "ID=x")),
    *(EXACT.replace(" ", f" {before} ", 1) for before in ("id=ginpeer-log", "type=x", "x")),
    *(EXACT.replace("plain", other) for other in ("PLAIN", "html", "pl&#97;in", "plain ", "x")),
    *(
        EXACT.replace("ginpeer-log", other)
        for other in (
            *("&#103;inpeer-log", "ginpeer&#45;log", "ginpeer&#x2D;log", "ginpeer&#x2dlog"),
            *("ginpeer&#0000000000045;log", "ginpeer-lo&#103", "GINPEER-LOG", "Ginpeer-log"),
            *(" ginpeer-log", "ginpeer-log ", "ginpeer-logs", "ginpeer\x00-log", "ginpeer\n-log"),
            *("ginpeer&hyphen;log", "ginpeer&amp;#45;log", "ginpeer\u2010log", "ginpeer-lo\x1b(Bg"),
        )
    ),
    *('<div type="text/plain" id="ginpeer-log">', '<p id="ginpeer-log">', '<a id="ginpeer-log"/>'),
    *('<script type="text/plain" id="ginpeer-log">', '<scriptx type="text/plain" id=ginpeer-log>'),
    '<template type="text/plain" id="ginpeer-log">',
    '<script type="text/plain" name="ginpeer-log">',
    "<script type=text/plain id='ginpeer-log\">",
    *('< script type="text/plain" id="ginpeer-log">', '&lt;script id="ginpeer-log">'),
)
CLOSES = (
    *("</script>", "</SCRIPT>", "</script >", "</script\n>", "</script/>", "</script x='>'>"),
    *("</script\f>", "</ script>", "<\\/script>", "</scripts>", "</script", "<!-- --></script>"),
    *("<b></b></script>", "</div></script>", "&lt;/script>"),
)
DAMAGE = (
    lambda text: text.replace("\n", ""),
    lambda text: text.replace("\n", "\r\n"),
    lambda text: text.replace("\n", " \t "),
    *(
        lambda text, sign=sign: text[:9] + sign + text[9:]
        for sign in "\f\v\0\u00a0\u200b\ufeff\u2028="
    ),
    *(
        lambda text, sign=sign: text[:9] + sign + text[10:]
        for sign in ("-", "_", "&#65;", "%41", "*")
    ),
    lambda text: text.rstrip("=\n"),
    lambda text: text.rstrip("\n") + "=",
    lambda text: text.rstrip("\n") + "====",
    lambda text: text.rstrip("\n") + "AAAA",
    lambda text: text + text,
    lambda text: text[: len(text) // 2],
    lambda text: "",
    lambda text: " \n",
    lambda text: _loose_bits(text),
    lambda text: text.swapcase(),
    lambda text: "data:;base64," + text,
    lambda text: "<!--" + text + "-->",
    lambda text: "<![CDATA[" + text + "]]>",
)
COMMAS = (
    lambda text: text + "," + text,
    lambda text: "\r\n,\t".join([text.replace("\n", "")] * 3),
    lambda text: ",".join([text] * 20),
    lambda text: ",".join([text] * 21),
    lambda text: ",".join(["Z2lubG9nMQo="] * 10_000),
    lambda text: "," * 10_000,
    lambda text: "," + text,
    lambda text: text + ",",
    lambda text: text + ",," + text,
    lambda text: text + ";" + text,
    lambda text: text + "," + text[:-2],
    lambda text: text + ",Z2lubG9nMg==",
    lambda text: text + ",Z2lubG9nMgo=",
    lambda text: text + "&#44;" + text,
    lambda text: text + ",\f" + text,
    lambda text: text + ",=," + text,
)
"""Several logs in one element, and commas where they don't belong."""
PLACES = (
    "{}",
    "<!-- {} -->",
    "<!-->{}",
    "<p>{}</p>",
    *(f"<{tag}>{{}}</{tag}>" for tag in ("template", "noscript", "iframe", "xmp", "noembed")),
    *(f"<{tag}>{{}}</{tag}>" for tag in ("noframes", "style", "svg", "math", "button", "object")),
    *(f"<{tag}>{{}}</{tag}>" for tag in ("table", "select", "details", "template><template")),
    "<script type='x'>{}",
    "<svg><desc>{}</desc></svg>",
    "<div hidden>{}</div>",
    "<![CDATA[ {} ]]>",
    "<?xml {} ?>",
)
ESCAPED = ("<textarea>{}</textarea>", "<title>{}</title>", "<p title='{}'>", "<p {}>")
"""In these places, a browser treats a tag as text, so the button finds no log there."""
DROPPED = (
    *("<!doctype {}>", "</p {}>", "<table><tr><td></td></table><p {}></p>"),
    '<script id=x type="text/plain" id="ginpeer-log">',
)
"""A browser drops these tags before a script can see them, but the program counts them as a log."""


def _loose_bits(text: str) -> str:
    """Set unused bits at the end of the base64 text."""
    letters = text.rstrip("\n")
    return (
        letters[:-2] + chr(ord(letters[-2]) + 1) + "=" if letters.endswith("=") else letters + "="
    )


def rows(name: str) -> str:
    text = b64encode(golden(name)).decode()
    return "\n" + "\n".join(text[at : at + 76] for at in range(0, len(text), 76)) + "\n"


def containers(rng: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """Yield pairs of a description and a text that replaces a page's log element: with each kind of
    change once, then with several at a time."""
    own, other = rows(OWN), rows(OTHER)
    exact = f"{EXACT}{own}</script>"
    single = [
        *((f"opened {each!r}", f"{each}{own}</script>") for each in OPENS),
        *((f"closed {each!r}", f"{EXACT}{own}{each}") for each in CLOSES),
        *((f"damaged, {at}", f"{EXACT}{each(own)}</script>") for at, each in enumerate(DAMAGE)),
        *((f"within {each!r}", each.replace("{}", exact)) for each in PLACES),
        *(
            (f"another before, {each!r}", each.replace("{}", f"{EXACT}{other}</script>") + exact)
            for each in (*PLACES, *ESCAPED)
        ),
        *((f"another after, {each!r}", f"{exact}{each}{other}</script>") for each in OPENS),
    ]
    yield from single[:count]
    for _ in range(count - len(single)):
        parts = []
        for text in rng.choice(((own,), (other,), (own, other), (other, own))):
            opens = rng.choice((EXACT, rng.choice(OPENS)))
            closes = rng.choice(("</script>", rng.choice(CLOSES)))
            inside = rng.choice((text, text, rng.choice(DAMAGE)(text)))
            parts.append(
                rng.choice(("{}", rng.choice(PLACES))).replace("{}", opens + inside + closes)
            )
        yield f"several at a time: {[part[:60] for part in parts]}", "\n".join(parts)


def pages(rng: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    """Yield whole pages with these containers."""
    page = page_of(golden(OWN)).decode()
    exact = page[page.index(EXACT) : page.index("</script>", page.index(EXACT)) + 9]
    assert page.count(exact) == 1
    for what, instead in containers(rng, count):
        yield what, page.replace(exact, instead).encode()


def two_logs() -> Iterator[tuple[str, bytes]]:
    """Yield pages in which a browser drops one of two logs, or treats it as text."""
    page = page_of(golden(OWN)).decode()
    other = f"{rows(OTHER)}</script>"
    for each in (*ESCAPED, *DROPPED):
        one = each.replace("{}", EXACT + other) if "{}" in each else each + other
        for place in (EXACT, "<p>"):
            yield each, page.replace(place, one + place, 1).encode()
        yield f"{each} alone", page.replace(EXACT, one + "<script>", 1).encode()
