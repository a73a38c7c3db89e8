// The codes of PROTOCOL 11 in sentences, and what can be owed. Sentences are no part of the protocol.

// code: [what is wrong, the sections that say so]
export const CODES = {
  "not-an-entry": ["it is too short or too long for an entry", "2.1"],
  "bad-signature": ["it is signed by nobody who plays here", "2.6, 7.1"],
  "bad-public-key": ["the key in it is none", "2.6, 7.1"],
  "after-the-end": ["the match was over before it", "3.3"],
  "not-canonical": ["it is not encoded in the one way that is allowed", "2.2"],
  malformed: ["a field of it has an impossible shape", "3.4"],
  "wrong-table": ["it belongs to another match", "7.1"],
  "wrong-sequence": ["its number is still to come", "7.1"],
  duplicate: ["it is there already", "7.1"],
  "wrong-previous": ["it stands on another history", "2.3"],
  fork: ["its author has signed another entry with the same number", "7.3"],
  "out-of-turn": ["the other player was to move", "3.3"],
  "not-allowed-now": ["another kind of message was awaited", "3.3"],
  "rules-unsupported": ["its rules are not known here", "8.12"],
  "rules-not-canonical": ["its rules are not written in their one way", "8.12"],
  "rules-differ": ["it accepts other rules than were offered", "3.4"],
  "cut-mismatch": ["the cut is not what was committed to", "6.1"],
  "wrong-toss": ["half a toss stands where none belongs, or none where one does", "6.9"],
  "toss-mismatch": ["the half of the toss is not what was committed to", "6.9"],
  "wrong-phase": ["this draw has to be from the stock", "8.4"],
  "just-taken": ["the card just taken cannot be thrown in the same turn", "8.2, 8.11"],
  "card-not-held": ["everybody can see that card elsewhere, or it was not shown", "8.3, 8.5"],
  "card-missing": ["a card that was seen to be taken is not shown", "8.3"],
  "card-used-twice": ["a card is used twice", "8.5, 8.11"],
  "wrong-hand": ["it does not show as many different cards as the hand holds", "8.5, 8.6, 8.11"],
  "unreadable-move": ["a meld is empty, or there are too many", "8.5, 8.11"],
  "not-a-meld": ["a meld is neither a set nor a run", "8.5, 8.11"],
  "knock-over-limit": ["the deadwood is above the limit", "8.5"],
  "no-discard": ["nothing is thrown, and not all is melded", "8.5"],
  "no-big-gin": ["nothing is thrown, and big gin is not played", "8.5"],
  "no-knocking": ["nobody knocks in Mahjong gin", "8.5"],
  "layoff-on-gin": ["nothing can be laid off on gin", "8.6"],
  "layoff-does-not-fit": ["a card is laid off where it does not fit", "8.6"],
  "not-mahjong": ["melds are laid in the turn in Mahjong gin only", "8.11"],
  "wrong-cards": ["what is laid is not what is opened", "8.11"],
  "add-does-not-fit": ["a card is added where it does not fit", "8.11"],
  "pile-too-small": ["the pile has not so many cards", "8.11"],
  "lowest-not-laid": ["the lowest card taken is not laid", "8.11"],
  "too-late": ["the hand was over before melds were laid", "8.11"],
  "wrong-score": ["the signed score is not what the hands add up to", "8.10"],
  "wrong-seed-count": ["it discloses more or fewer seeds than are owed", "6.8"],
  "bad-length": ["a proof, or what it is about, has another length", "4.1"],
  "bad-encoding": ["a point or a number in it is none", "4.1"],
  "bad-proof": ["a proof does not hold", "5.4 to 5.6, 6.3, 6.7"],
  "seed-mismatch": ["the seed is not the one that was committed to", "6.8"],
  "audit-failed": ["what was played does not follow from the seed", "6.8"],
  "empty-log": ["the file is empty", "7.2"],
  "not-a-log": ["the file is no log", "2.7"],
  "too-new": ["it is of a later version", "7.4"],
  "bad-record": ["it claims an impossible length", "2.7"],
  "log-too-large": ["it is longer than any log", "2.7"],
  torn: ["less than an entry stands at the end", "2.7, 7.2"],
};

export function sentenceOf(code, verdict, failing) {
  if (verdict === "valid") return "Every entry holds; the match is finished.";
  if (code === "incomplete") return "Every entry holds, and more is owed.";
  const [wrong] = CODES[code];
  if (failing === null) return `This cannot be read: ${wrong}.`;
  const said = { illegal: "is illegal", forged: "does not hold", unreadable: "cannot be read" }[verdict];
  return said ? `Entry ${failing} ${said}: ${wrong}.` : `Every entry holds, but ${wrong}.`;
}

export const OWED = {
  offer: "the offer of a match",
  accept: "the acceptance of the offer",
  "cut-commit": "the first word on the cut",
  "cut-value": "a half of the cut",
  "cut-reveal": "the other half of the cut",
  "deal-1": "the first message of the deal",
  "deal-2": "the second message of the deal",
  "deal-3": "the third message of the deal",
  "deal-4": "the fourth message of the deal",
  "deal-5": "the last message of the deal",
  upcard: "to take the upcard or pass",
  draw: "a draw",
  share: "a share for the card just drawn",
  discard: "a discard or a knock",
  "last-chance": "to take the last discard or pass",
  spread: "the cards of the defender",
  settle: "a signature under the score",
  disclose: "the seeds of the hands",
};
