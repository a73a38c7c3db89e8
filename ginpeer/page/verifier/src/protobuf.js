// The canonical encoding of a body. (PROTOCOL 2.2, entry.proto)
//
// The decoder accepts only canonical bytes, so nothing has to be encoded again and compared. Each
// rule is checked at the byte that would break it.
import { refuse } from "./bytes.js";

const no = () => refuse("not-canonical");

const BYTES = "bytes", TEXT = "text", UINT32 = "uint32", UINT64 = "uint64", SINT32 = "sint32";
const OPTIONAL = "optional"; // a uint32 that is written even if it is 0
const many = (type) => ({ many: type });

// number: [name, type]. If the type is an object, it is a message or the type of a repeated field.
const LAYOFF = { 1: ["card", UINT32], 2: ["meld", UINT32] };
const LAY = {
  1: ["hand", BYTES], 2: ["argument", BYTES], 3: ["positions", BYTES], 4: ["cards", BYTES],
  5: ["melds", many(BYTES)], 6: ["adds", many(LAYOFF)], 7: ["opening", BYTES],
};
const VALUE = { 1: ["value", BYTES] };

export const KINDS = {
  10: ["offer", {
    1: ["version", UINT32], 2: ["key", BYTES], 3: ["name", TEXT], 4: ["rules", TEXT],
    5: ["disclosure", UINT32], 6: ["nonce", BYTES], 7: ["started", UINT64],
  }],
  11: ["accept", { 1: ["key", BYTES], 2: ["name", TEXT], 3: ["rules", TEXT], 4: ["nonce", BYTES] }],
  12: ["cut_commit", { 1: ["commitment", BYTES] }],
  13: ["cut_value", VALUE],
  14: ["cut_reveal", VALUE],
  20: ["deal_commit", { 1: ["commitment", BYTES], 2: ["toss", BYTES] }],
  21: ["deal_key", { 1: ["commitment", BYTES], 2: ["key", BYTES], 3: ["possession", BYTES], 4: ["toss", BYTES] }],
  22: ["deal_deck", {
    1: ["key", BYTES], 2: ["possession", BYTES], 3: ["deck", BYTES], 4: ["argument", BYTES], 5: ["toss", BYTES],
  }],
  23: ["deal_shuffle", { 1: ["deck", BYTES], 2: ["argument", BYTES], 3: ["shares", BYTES], 4: ["proof", BYTES] }],
  24: ["deal_shares", { 1: ["shares", BYTES], 2: ["proof", BYTES] }],
  30: ["pass", {}],
  31: ["take_upcard", {}],
  32: ["draw_stock", {}],
  33: ["share", { 1: ["share", BYTES], 2: ["proof", BYTES] }],
  34: ["discard", {
    1: ["hand", BYTES], 2: ["argument", BYTES], 3: ["position", UINT32], 4: ["card", UINT32], 5: ["opening", BYTES],
  }],
  35: ["knock", {
    1: ["hand", BYTES], 2: ["argument", BYTES], 3: ["cards", BYTES], 4: ["discard", OPTIONAL],
    5: ["melds", many(BYTES)], 6: ["opening", BYTES],
  }],
  36: ["spread", {
    1: ["cards", BYTES], 2: ["melds", many(BYTES)], 3: ["layoffs", many(LAYOFF)], 4: ["opening", BYTES],
  }],
  37: ["lay", LAY],
  38: ["take_discards", { 1: ["count", UINT32], 2: ["lay", LAY] }],
  40: ["resign", {}],
  41: ["settle", {
    1: ["hands", UINT32], 2: ["host_total", SINT32], 3: ["guest_total", SINT32], 4: ["winner", UINT32],
  }],
  42: ["disclose", { 1: ["seeds", many(BYTES)] }],
};

const BODY = { 1: ["table", BYTES], 2: ["sequence", UINT32], 3: ["previous", BYTES], ...KINDS };

// Read a number of minimal length, below 2^64. Return [value, the position after it].
function varint(bytes, at) {
  let value = 0n;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) no();
    value |= BigInt(byte & 127) << BigInt(7 * i);
    if (byte < 128) return (i && !byte) || value >= 2n ** 64n ? no() : [value, at + i + 1];
  }
  return no();
}

function text(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return no();
  }
}

/** @param {bigint} n */
function integer(n, type) {
  if (n >= 2n ** (type === UINT64 ? 64n : 32n)) no();
  if (type === SINT32) return Number(n & 1n ? -(n + 1n) / 2n : n / 2n);
  return type === UINT64 ? n : Number(n);
}

const DEFAULTS = {
  [BYTES]: () => new Uint8Array(0), [TEXT]: () => "", [UINT32]: () => 0, [UINT64]: () => 0n, [SINT32]: () => 0,
};

// Decode a message. The `lay` of a take_discards may be absent; it is then null, which 3.4 refuses.
function decode(bytes, fields) {
  const read = {};
  for (const [name, type] of Object.values(fields)) {
    read[name] = type.many ? [] : (DEFAULTS[type]?.() ?? null);
  }
  let last = 0;
  for (let at = 0; at < bytes.length; ) {
    let tag, length, value;
    [tag, at] = varint(bytes, at);
    const number = Number(tag >> 3n);
    const field = fields[number];
    if (!field) no();
    const [name, type] = field;
    const each = type.many ?? type;
    if (number < last || (number === last && !type.many)) no();
    last = number;
    const isText = each === BYTES || each === TEXT || typeof each === "object";
    if ((tag & 7n) !== (isText ? 2n : 0n)) no();
    [length, at] = varint(bytes, at);
    if (!isText) {
      value = integer(length, each);
      if (Number(length) === 0 && each !== OPTIONAL) no();
    } else {
      if (length > bytes.length - at) no();
      const content = bytes.subarray(at, (at += Number(length)));
      if (typeof each === "object") value = decode(content, each);
      else if (!content.length && !type.many) no();
      else value = each === TEXT ? text(content) : content;
    }
    if (type.many) read[name].push(value);
    else read[name] = value;
  }
  return read;
}

// Return {table, sequence, previous, kind, message}. Refuses a body that isn't canonical or that
// has no message.
export function decodeBody(bytes) {
  const body = decode(bytes, BODY);
  const held = Object.values(KINDS).filter(([name]) => body[name]);
  if (held.length !== 1) no();
  const [kind] = held[0];
  return { table: body.table, sequence: body.sequence, previous: body.previous, kind, message: body[kind] };
}

// Return the fields of one level by the looser rules of 7.4, each as [number, type, value or
// content], or null if they can't be read.
function looseFields(bytes) {
  const fields = [];
  let at = 0;
  const loose = () => {
    let value = 0n;
    for (let i = 0; i < 10; i++) {
      if (at >= bytes.length) return null;
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << BigInt(7 * i);
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    return null;
  };
  while (at < bytes.length) {
    const tag = loose();
    if (tag === null || fields.length === 64) return null;
    const number = tag >> 3n;
    const type = Number(tag & 7n);
    if (number < 1n || number >= 2n ** 29n) return null;
    let value = null;
    if (type === 0) {
      if ((value = loose()) === null) return null;
    } else if (type === 1 || type === 5) {
      at += type === 1 ? 8 : 4;
    } else if (type === 2) {
      const length = loose();
      if (length === null || length > bytes.length - at) return null;
      value = bytes.subarray(at, (at += Number(length)));
    } else return null;
    if (at > bytes.length) return null;
    fields.push([Number(number), type, value]);
  }
  return fields;
}

// Return the version that a first entry offers, or null if it isn't an offer. (7.4)
export function offeredVersion(body) {
  const last = (fields, number, type) => fields?.filter((f) => f[0] === number && f[1] === type).at(-1);
  const offer = last(looseFields(body), 10, 2);
  const version = offer && last(looseFields(offer[2]), 1, 0);
  return version ? BigInt.asUintN(32, version[2]) : null;
}

// Return the kind that a stored entry seems to have, by the number of its last field. Nothing is
// verified; it is only for counting.
export const seemsKind = (body) => KINDS[looseFields(body)?.at(-1)?.[0]]?.[0];
