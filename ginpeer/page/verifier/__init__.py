"""A second verifier of logs, for a browser: in JavaScript, written from proto/PROTOCOL.md alone, so
that page and program are two opinions. It shares no line with the Python beside it. It also
compares a page with its log: it derives every step from the log, in the words that the page has to
use, which are those of cli/text.

A page carries dist/verifier.js: src/ and the parts of @noble/curves and @noble/hashes that it uses
(dist/LICENSE.noble), bundled by esbuild. `python -m tests.page_build` rebuilds it and compares byte
for byte; `python -m tests.page_verifier` compares its verdicts and steps with the program's, and
the program's pages with what it finds.

It defines one function:

    ginpeerVerify(bytes: Uint8Array, onProgress: (line) => void, page = null):
        Promise<{verdict, said, told, compared}>

*line* is {hand, hands, text, entries}: a valid hand, how many hands the log claims to have, a
sentence, and how many entries are valid so far. *verdict* is the document of PROTOCOL 13, *said*
its sentence, *told* the steps (replay.js), *compared* how many steps of the page were compared and
what is wrong in it (compare.js; page.js says what it is given). The promise is rejected only if the
verifier itself fails, never because of the bytes, of which it reads at most 64 MiB, or the page.
Names in a verdict are untrusted: show them as text.

A page needs:

- a script element without `src` for it alone, which a script may insert. Its text becomes a Web
  Worker, so that the page stays responsive during the computation.
- in its policy, `script-src` with the SHA-256 of that text, and `worker-src blob:`. Without the
  second, or in a browser without such workers, it runs in the page and yields about every 40 ms,
  except during computations that take some tenths of a second.
- with `require-trusted-types-for 'script'`, also `trusted-types ginpeer-verify` for the worker.

It uses no network, storage, eval, Function or WebAssembly, and from the browser only
`crypto.getRandomValues`. Current browsers support its language level (ES2020).

In src, from the ground up:

bytes, hashes, group       byte strings; frames, hashes, transcripts; ristretto255 and its sums
signature                  Ed25519 as in PROTOCOL 2.6
proofs, shuffle, batch     equal logarithms; the shuffle argument; sums that are checked together
secrets, deck              what a seed determines; a hand's cards as ciphertexts, and the audit
protobuf, shapes           the canonical encoding of a body; possible fields
melds, hand, score         the rules of a hand, and how hands add up
rule_text                  the text of a rule set
match, entries, log        who owes what; who signed an entry; a file, and its verdict
verdict, words, main       the document; its sentences; the function for a page
replay, narration, compare every step; the same in words; whether a page shows and says it
"""
