"""A second verifier of logs, which runs in a browser. It is written in JavaScript, only from
proto/PROTOCOL.md and RULES.md, and shares no code with the Python program, so the two verdicts are
independent.

A page contains dist/page.packed, the compressed form of dist/page.js: this verifier, the drawing
script of ginpeer/page/script, and the parts of @noble/curves and @noble/hashes that they use
(dist/LICENSE.noble), bundled by esbuild. `python -m tests.page_build` rebuilds both and compares
them byte for byte. `python -m tests.page_verifier` compares the verdicts and steps with the
program's, and the program's pages with what the script finds in them.

    judge(bytes, onLine, breathe): Promise<{verdict, told, match}>         (log.js)

*line* is {hand, hands, text, entries}: the number of a valid hand, how many hands the log claims to
have, a sentence, and how many entries are valid so far. *verdict* is the document of PROTOCOL 13,
*told* are the steps (replay.js), and *match* is the match at the end of the log. The promise is
rejected only if the verifier itself fails, never because of the bytes, of which it reads at most
64 MiB. Names in a verdict are untrusted: show them as text. The script runs the verifier in a Web
Worker made of its own text, for which a policy needs `worker-src blob:`. Without workers it runs in
the page and yields about every 40 ms.

The verifier uses no network, storage, eval, Function or WebAssembly, and of the browser's API only
`crypto.getRandomValues`. Current browsers support its language level (ES2022).

In src, from the ground up:

bytes, hashes, group       byte strings; frames, hashes, transcripts; ristretto255 and its sums
signature                  Ed25519 as in PROTOCOL 2.6
proofs, shuffle, batch     equal logarithms; the shuffle argument; sums that are checked together
secrets, deck              derivation from seeds; a hand's cards as ciphertexts, and the audit
protobuf, shapes           the canonical encoding of a body; checks of fields
melds, hand, score         the rules of a hand, and how hands add up
rule_text                  the text of a rule set
match, entries, log        who owes what; who signed an entry; a file, and its verdict
verdict, words             the document; its sentences
replay                     every step, as far as the log alone shows it

In script:

log_element, dom           the log in a page; elements
skim, typed                the steps of a log, read quickly and unverified; those of a typed match
cards, narration           cards and arrangements; the steps in words
notation, view             the move list; everything that a page shows, as plain values
position                   the table at one step, in words
board, walk                the table at one step; the walk through the match
judging, compare, proof    the verifier in its worker; the page against the log; the button
main                       what runs when the page opens
"""
