"""A second verifier of logs, for a browser: in JavaScript, written from proto/PROTOCOL.md alone, so
that page and program are two opinions. No line of it is taken from the Python beside it. It also
compares a page with its log: what happened it tells from the log itself, in the words that the page
has to use, which are those of cli/text.

dist/verifier.js is what a page carries: src/, and the parts of @noble/curves and @noble/hashes that
it uses (dist/LICENSE.noble), made into one file by esbuild. `python -m tests.page_build` builds it
again and compares byte for byte; `python -m tests.page_verifier` compares its verdicts and its
steps with the program's, and the pages that the program makes with what it finds.

It defines one function:

    ginpeerVerify(bytes: Uint8Array, onProgress: (line) => void, page = null):
        Promise<{verdict, said, told, compared}>

*line* is {hand, hands, text, entries}: a hand that holds, how many the log claims to have, a
sentence, and how many entries hold so far. *verdict* is the document of PROTOCOL 13, *said* its
sentence, *told* what happened, step by step (story.js), *compared* how many steps of the page were
compared and what is wrong in it (compare.js; page.js has what it is given). The promise is rejected
only if the verifier itself is at fault, never for what stands in the bytes, of which 64 MiB are
read at most, nor for what the page shows. Names in a verdict are a stranger's words: show them as
text.

What a page owes it:

- a script element of its own, without `src`; a script may put it in. Its text becomes a Web Worker,
  so that the page stays alive while it computes.
- in its policy `script-src` with the SHA-256 of that text, and `worker-src blob:`. Without the
  second, or where a browser makes no such worker, it runs in the page and lets others have their
  turn about every 40 ms, but for sums that take some tenths of a second.
- beside `require-trusted-types-for 'script'` also `trusted-types ginpeer-verify`, for the worker.

It uses no network, no storage, no eval, no Function and no WebAssembly; `crypto.getRandomValues` is
all that it asks of the browser. Current browsers have what it is written in (ES2020).

In src, from the ground up:

bytes, hashes, group      byte strings; frames, hashes, transcripts; ristretto255 and sums in it
signature                 Ed25519 as PROTOCOL 2.6 has it
proofs, shuffle, batch    equal logarithms; the shuffle argument; sums that are asked together
secrets, deck             what follows from a seed; a hand's cards as ciphertexts, and the audit
protobuf, shapes          the canonical encoding of a body; possible fields
melds, hand, score        the rules of a hand, and how hands add up
rule_text                 the text of a rule set
match, entries, log       what is awaited from whom; whose an entry is; a file, and its verdict
verdict, words, main      the document; its sentences; what a page calls
story, told, compare      what happened; the same in words; whether a page draws and says it
"""
