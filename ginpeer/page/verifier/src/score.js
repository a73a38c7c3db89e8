// The score of columns, games and the match. (PROTOCOL 8.8, 8.9; RULES 8, 13)

class Column {
  constructor() {
    this.points = [0, 0];
    this.wins = [0, 0];
    this.isOver = false;
    this.winner = null;
    this.isGivenUp = false;
    this.totals = null;
  }

  enter({ winner, points, otherPoints }) {
    this.points[winner] += points;
    this.points[1 - winner] += otherPoints;
    this.wins[winner] += 1;
  }

  // Return whether a player has reached the target and leads.
  reached(target) {
    const [a, b] = this.points;
    return target !== "none" && a !== b && Math.max(a, b) >= target;
  }

  leader(rules) {
    const lead = this.points[0] - this.points[1];
    if (lead === 0) return null;
    const ahead = lead > 0 ? 0 : 1;
    return rules["lead-of-fifty-loses"] === "yes" && Math.abs(lead) === 50 ? 1 - ahead : ahead;
  }

  close(rules, winner) {
    this.isOver = true;
    this.winner = winner;
    this.lines = [0, 1].map((seat) => {
      const hasWon = winner === seat;
      const loser = 1 - seat;
      const doublesHands = hasWon && rules.shutout === "double-hands" && !this.wins[loser];
      const doublesBonus = hasWon && rules.shutout === "double-game-bonus" && this.points[loser] <= 0;
      const shutout = doublesHands ? Math.max(this.points[seat], 0) : 0;
      const gameBonus = hasWon ? rules["game-bonus"] * (doublesBonus ? 2 : 1) : 0;
      const boxes = rules.box * this.wins[seat];
      return { shutout, gameBonus, boxes, total: this.points[seat] + shutout + gameBonus + boxes };
    });
  }
}

class Game {
  constructor(rules) {
    this.rules = rules;
    this.columns = Array.from({ length: rules.columns }, () => new Column());
    this.hands = 0;
  }

  get isOver() {
    return this.columns.every((column) => column.isOver);
  }

  // Enter a hand. Return the columns in which it counts, numbered from 0.
  addHand(result) {
    const { rules } = this;
    this.hands += 1;
    const open = this.columns.filter((column) => !column.isOver);
    const { winner } = result;
    const begun = open.filter((column) => winner !== null && column.wins[winner]);
    const fresh = open.find((column) => winner !== null && !column.wins[winner]);
    const counts = fresh ? [...begun, fresh] : begun;
    for (const column of counts) {
      column.enter(result);
      if (column.reached(rules.target)) column.close(rules, column.leader(rules));
    }
    if (this.hands === rules.hands) {
      for (const column of open) if (!column.isOver) column.close(rules, column.leader(rules));
    }
    return this.columns.flatMap((column, i) => (counts.includes(column) ? [i] : []));
  }

  resign(loser) {
    for (const column of this.columns.filter((each) => !each.isOver)) {
      column.close(this.rules, 1 - loser);
      column.isGivenUp = true;
    }
  }

  get totals() {
    if (!this.isOver) return null;
    return [0, 1].map((seat) => this.columns.reduce((sum, column) => sum + column.lines[seat].total, 0));
  }

  get winner() {
    if (!this.isOver) return null;
    if (this.columns.length === 1) return this.columns[0].winner;
    const [a, b] = this.totals;
    return a === b ? null : a > b ? 0 : 1;
  }
}

export class Score {
  constructor(rules) {
    this.rules = rules;
    this.games = [new Game(rules)];
    this.hands = []; // results, with number, dealer, game and columns
    this.resigned = null;
    this.isDecided = false;
    this.winner = null;
  }

  get game() {
    return this.games.at(-1);
  }

  addHand(hand) {
    const columns = this.game.addHand(hand.result);
    this.hands.push({ ...hand.result, number: hand.number, dealer: hand.dealer, game: this.games.length, columns });
    if (!this.game.isOver) return;
    this.decide();
    if (!this.isDecided) this.games.push(new Game(this.rules));
  }

  decide() {
    const multi = this.rules["multi-match"];
    const [a, b] = this.totals;
    if (multi !== "none") {
      this.isDecided = a !== b && Math.max(a, b) >= multi;
      this.winner = this.isDecided ? (a > b ? 0 : 1) : null;
    } else if (this.rules["best-of"] > 1) {
      const needed = (this.rules["best-of"] + 1) / 2;
      this.winner = [0, 1].find((seat) => this.gamesWon(seat) >= needed) ?? null;
      this.isDecided = this.winner !== null;
    } else {
      this.isDecided = true;
      this.winner = this.game.winner;
    }
  }

  resign(loser) {
    this.game.resign(loser);
    this.resigned = loser;
    this.isDecided = true;
    this.winner = 1 - loser;
  }

  gamesWon(seat) {
    return this.games.filter((game) => game.winner === seat).length;
  }

  // Return both players' totals over the finished games.
  get totals() {
    return [0, 1].map((seat) => this.games.reduce((sum, game) => sum + (game.totals?.[seat] ?? 0), 0));
  }

  // Return the standing to report after the last hand: the game of that hand, and the games so far.
  get standing() {
    const number = this.hands.at(-1).game;
    const { hands, isOver, winner, totals, columns } = this.games[number - 1];
    const kept = columns.map((each) => ({ ...each, points: [...each.points], wins: [...each.wins] }));
    const won = [this.gamesWon(0), this.gamesWon(1)];
    return { number, hands, isOver, winner, totals, columns: kept, won, credits: this.totals, isDecided: this.isDecided };
  }

  // Return who deals after the hands so far. (8.8)
  nextDealer(first) {
    const last = this.hands.at(-1);
    if (!last) return first;
    const { dealer, winner, result } = last;
    const onward = this.rules["next-dealer"];
    if (result === "void") return this.rules["after-void"] === "alternates" ? 1 - dealer : dealer;
    if (onward === "alternates") return 1 - dealer;
    if (winner === null) return dealer;
    return onward === "winner" ? winner : 1 - winner;
  }

  // Return who plays first in a hand that *dealer* deals.
  firstPlayer(dealer) {
    const won = this.hands.filter((hand) => hand.winner !== null).at(-1);
    return this.rules["knock-limit"] === "second-deck" && won ? won.winner : 1 - dealer;
  }

  // Return [debtor or null, payment] of a decided match. (RULES 13.6)
  get stake() {
    const [a, b] = this.totals;
    const smaller = a === b ? null : a < b ? 0 : 1;
    const owes = this.resigned !== null && smaller === 1 - this.resigned ? null : smaller;
    const payment = owes === null ? 0 : Math.abs(a - b) * this.rules.stake;
    return [payment ? owes : null, payment];
  }

  // Return the winner's lead or, if nobody has won, the difference of the totals.
  get margin() {
    const [a, b] = this.totals;
    if (this.winner === null) return Math.abs(a - b);
    return this.winner === 0 ? a - b : b - a;
  }
}
