// The codes of PROTOCOL 11 by the sections that define them, a sentence for each code, and the
// words for what a player owes. The sentences are not part of the protocol, and say little more
// than the codes.

const CODES = {
  "2.1": "not-an-entry",
  "2.6, 7.1": "bad-signature bad-public-key",
  "3.3": "after-the-end out-of-turn not-allowed-now",
  "2.2": "not-canonical",
  "3.4": "malformed rules-differ",
  "7.1": "wrong-table wrong-sequence duplicate",
  "2.3": "wrong-previous",
  "7.3": "fork",
  "8.12": "rules-unsupported rules-not-canonical",
  "6.1": "cut-mismatch",
  "6.9": "wrong-toss toss-mismatch",
  "8.4": "wrong-phase",
  "8.2, 8.11": "just-taken",
  "8.3, 8.5": "card-not-held",
  "8.3": "card-missing",
  "8.5, 8.11": "card-used-twice unreadable-move not-a-meld",
  "8.5, 8.6, 8.11": "wrong-hand",
  "8.5": "knock-over-limit no-discard no-big-gin no-knocking",
  "8.6": "layoff-on-gin layoff-does-not-fit",
  "8.11": "not-mahjong wrong-cards add-does-not-fit pile-too-small lowest-not-laid too-late",
  "8.10": "wrong-score",
  "6.8": "wrong-seed-count seed-mismatch audit-failed",
  "4.1": "bad-length bad-encoding",
  "5.4 to 5.6, 6.3, 6.7": "bad-proof",
  "7.2": "empty-log",
  "2.7": "not-a-log bad-record log-too-large",
  "7.4": "too-new",
  "2.7, 7.2": "torn",
};

export const sectionsOf = (code) => Object.keys(CODES).find((each) => CODES[each].split(" ").includes(code));

export function sentenceOf(code, verdict, failing) {
  if (verdict === "valid") return "All entries are valid; the match is finished.";
  if (code === "incomplete") return "All entries so far are valid; the match isn't finished.";
  const wrong = code.replace(/-/g, " ");
  if (failing === null) return `This can't be read: ${wrong}.`;
  const said = { illegal: "is illegal", forged: "is invalid", unreadable: "can't be read" }[verdict];
  return said ? `Entry ${failing} ${said}: ${wrong}.` : `All entries are valid, but ${wrong}.`;
}

export const OWED = {
  offer: "the offer",
  accept: "the acceptance of the offer",
  "cut-commit": "the commitment to the cut",
  "cut-value": "the cut",
  "cut-reveal": "the opening of the cut",
  "deal-1": "the first message of the deal",
  "deal-2": "the second message of the deal",
  "deal-3": "the third message of the deal",
  "deal-4": "the fourth message of the deal",
  "deal-5": "the last message of the deal",
  upcard: "the decision on the upcard",
  draw: "a draw from the stock or the pile",
  share: "a share for the card just drawn",
  discard: "a discard or a knock",
  "last-chance": "the decision on the last discard",
  spread: "the defender's spread",
  settle: "a signature on the final score",
  disclose: "the hand seeds for the audit",
};
