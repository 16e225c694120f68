// Code generated from src by build.mjs; DO NOT EDIT.
/*!
Answers as `mcp-docs-server serve` does.

MIT License

Copyright (c) 2026 the mcp-docs-server authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// src/node.ts
var node_exports = {};
__export(node_exports, {
  serve: () => serve
});
module.exports = __toCommonJS(node_exports);
var import_node_fs = require("node:fs");
var import_node_path = require("node:path");

// src/json.ts
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function member(value, key) {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : void 0;
}

// src/text.ts
var encoder = new TextEncoder();
var isAscii = (s) => !/[^\0-\x7f]/.test(s);
function bytesOf(text) {
  return isAscii(text) ? text : latin(encoder.encode(text));
}
var most = 8192;
function latin(data) {
  if (data.length <= most) return String.fromCharCode.apply(null, data);
  let s = "";
  for (let i = 0; i < data.length; i += most) s += String.fromCharCode.apply(null, data.subarray(i, i + most));
  return s;
}
var lengthOf = (text) => isAscii(text) ? text.length : encoder.encode(text).length;
var RuneError = 65533;
function runeAt(bytes, i) {
  const c = bytes.charCodeAt(i);
  if (c < 128) return [c, 1];
  let need = 0;
  let rune = 0;
  let least = 128;
  let most4 = 191;
  if (c >= 194 && c <= 223) [need, rune] = [1, c & 31];
  else if (c >= 224 && c <= 239) {
    ;
    [need, rune] = [2, c & 15];
    if (c === 224) least = 160;
    if (c === 237) most4 = 159;
  } else if (c >= 240 && c <= 244) {
    ;
    [need, rune] = [3, c & 7];
    if (c === 240) least = 144;
    if (c === 244) most4 = 143;
  } else return [RuneError, 1];
  for (let k = 1; k <= need; k++) {
    const next = bytes.charCodeAt(i + k);
    if (!(next >= least && next <= most4)) return [RuneError, 1];
    rune = rune << 6 | next & 63;
    least = 128;
    most4 = 191;
  }
  return [rune, need + 1];
}
var cut = (text, n) => text.length * 3 <= n ? text : text.slice(0, encoder.encodeInto(text, new Uint8Array(n)).read);
var escapes = { 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\" };
var hex = (n, width) => n.toString(16).padStart(width, "0");
function quoted(text, ascii = false) {
  let out = '"';
  for (const character of text) {
    const code2 = character.codePointAt(0);
    const escape = escapes[code2];
    if (escape) out += escape;
    else if (code2 >= 32 && code2 < 127) out += character;
    else if (code2 < 128) out += `\\x${hex(code2, 2)}`;
    else if (!ascii && /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character)) out += character;
    else if (code2 < 65536) out += `\\u${hex(code2, 4)}`;
    else out += `\\U${hex(code2, 8)}`;
  }
  return `${out}"`;
}
function shown(text) {
  const short2 = cut(text, 200);
  return short2 === text ? quoted(text) : `${quoted(short2)}…`;
}
var lowerOf = (text) => text.replace(/[A-Z]+|[^\0-\x7f]/gu, (s) => s < "" ? s.toLowerCase() : String.fromCodePoint(s.toLowerCase().codePointAt(0)));
var sameCase = (text) => text.toUpperCase();
function textOf(bytes) {
  if (!/[^\0-\x7f]/.test(bytes)) return bytes;
  const data = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) data[i] = bytes.charCodeAt(i);
  return decoder.decode(data);
}
var decoder = new TextDecoder("utf-8", { ignoreBOM: true });
var lower = (bytes) => bytesOf(lowerOf(textOf(bytes)));
var composed = (bytes) => /[^\0-\x7f]/.test(bytes) ? bytesOf(textOf(bytes).normalize("NFC")) : bytes;

// src/protocol.ts
var noBatches = "2025-06-18";
var lastHandshake = "2025-11-25";
var firstStateless = "2026-07-28";
var versionsFrom = (first) => [firstStateless, lastHandshake, noBatches, "2025-03-26", "2024-11-05"].filter((version) => version >= first);
var code = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32e3,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  missingCapabilities: -32021
};
var Failure = class extends Error {
  constructor(code2, message, data) {
    super(message);
    this.code = code2;
    this.data = data;
  }
  code;
  data;
  wire() {
    const size = 4 << 10;
    const short2 = cut(this.message, size);
    const error = { code: this.code, message: short2 === this.message ? short2 : `${short2}…` };
    if (this.data !== void 0) error["data"] = this.data;
    return error;
  }
};
var invalidParams = (message) => new Failure(code.invalidParams, message);
var invalidRequest = (message) => new Failure(code.invalidRequest, message);
var methodNotFound = (message) => new Failure(code.methodNotFound, message);
var meta = {
  version: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo"
};
function versionIn(params) {
  const version = member(member(params, "_meta"), meta.version);
  return typeof version === "string" ? version : "";
}
function eraOf(params, oldest) {
  const version = versionIn(params);
  if (version < firstStateless) return { era: "handshake" };
  if (!isObject(member(member(params, "_meta"), meta.capabilities))) {
    return { era: "stateless", fault: invalidParams(`missing or invalid _meta field "${meta.capabilities}"`) };
  }
  if (version !== firstStateless) {
    const data = { supported: versionsFrom(oldest), requested: cut(version, 200) };
    return { era: "stateless", fault: new Failure(code.unsupportedVersion, "unsupported protocol version", data) };
  }
  return { era: "stateless" };
}

// src/context.ts
var encode = (value) => JSON.stringify(value).slice(1, -1);
var listTTL = 6e4;
function stringIn(params, name) {
  const value = member(params, name) ?? "";
  if (typeof value !== "string") throw invalidParams(`invalid params: ${name} has the wrong type`);
  return value;
}
var uriIn = (params) => stringIn(params, "uri");
var cursorIn = (params) => stringIn(params, "cursor");

// src/assets.ts
var decoder2 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
var textOf2 = async (assets, path) => decoder2.decode(await bytesIn(assets, path));
async function bytesIn(assets, path) {
  const data = await assets.get(path);
  if (!data) throw new Error(`asset ${path} is missing`);
  return data;
}
var jsonOf = async (assets, path) => JSON.parse(await textOf2(assets, path));
var jsonIn = (data) => JSON.parse(decoder2.decode(data));

// src/cursor.ts
function newCursor(kind2, key) {
  const b = kind2 + key;
  const sum2 = crc32(b);
  return btoa(b + String.fromCharCode(sum2 >>> 24, sum2 >>> 16 & 255, sum2 >>> 8 & 255, sum2 & 255)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
function parseCursor(kind2, cursor) {
  if (!/^[A-Za-z0-9_-]*$/.test(cursor) || cursor.length % 4 === 1) return void 0;
  const b = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  if (b.length < 5 || b[0] !== kind2) return void 0;
  const key = b.slice(1, -4);
  return newCursor(kind2, key) === cursor ? key : void 0;
}
function crc32(bytes) {
  let crc = ~0;
  for (let i = 0; i < bytes.length; i++) {
    crc ^= bytes.charCodeAt(i);
    for (let k = 0; k < 8; k++) crc = crc >>> 1 ^ 3988292384 & -(crc & 1);
  }
  return ~crc >>> 0;
}
function base64(data) {
  const native = data;
  if (native.toBase64) return native.toBase64();
  let out = "";
  for (let i = 0; i < data.length; i += 24576) out += btoa(latin(data.subarray(i, i + 24576)));
  return out;
}

// src/uri.ts
var maxLength = 64 << 10;
var inSegment = /[A-Za-z0-9\-._~!$&'()*+,;=:@]/;
var inHost = /[A-Za-z0-9\-._~!$&'()*+,;=]/;
var table = (keep) => Array.from({ length: 256 }, (_, c) => {
  const character = String.fromCharCode(c);
  return c < 128 && keep.test(character) ? character : `%${c.toString(16).toUpperCase().padStart(2, "0")}`;
});
var segments = table(inSegment);
var hosts = table(inHost);
var encode2 = (name, by) => {
  let out = "";
  for (let i = 0; i < name.length; i++) out += by[name.charCodeAt(i)];
  return out;
};
var segment = (name) => encode2(name, segments);
var host = (name) => encode2(name, hosts);
function decode(s) {
  return s.includes("%") ? s.replace(/%[0-9A-Fa-f]{2}/g, (code2) => String.fromCharCode(Number.parseInt(code2.slice(1), 16))) : s;
}
function split(decoded) {
  const colon = decoded.indexOf("://");
  if (colon < 0 || !/^[A-Za-z][A-Za-z0-9+.\-]*$/.test(decoded.slice(0, colon))) return void 0;
  const path = decoded.slice(colon + 3);
  return [decoded.slice(0, colon).toLowerCase(), path.endsWith("/") ? path.slice(0, -1) : path];
}
function segmentsOf(decoded) {
  const parts2 = split(decoded);
  if (!parts2) return void 0;
  const [scheme, path] = parts2;
  return path === "" ? [scheme] : [scheme, ...path.split("/")];
}
function* readings(s) {
  if (s.length > maxLength) return;
  const once = decode(s);
  yield once;
  let uncut = s;
  for (const mark of ["#", "?"]) {
    const i = uncut.indexOf(mark);
    if (i >= 0) {
      uncut = uncut.slice(0, i);
      yield decode(uncut);
    }
  }
  if (once === s) return;
  yield s;
  const twice = decode(once);
  if (twice !== once) yield twice;
}
function keyOf(canonical) {
  if (canonical === "") return [];
  const parts2 = split(decode(canonical));
  return parts2 ? [parts2[0], ...parts2[1].split("/")] : [canonical];
}
function compare(a, b) {
  return a === b ? 0 : compareKeys(keyOf(a), keyOf(b));
}
function compareKeys(a, b) {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const lastA = i === a.length - 1;
    const lastB = i === b.length - 1;
    if (lastA !== lastB) return lastA ? -1 : 1;
    const [nameA, nameB] = [a[i], b[i]];
    if (nameA !== nameB) return nameA < nameB ? -1 : 1;
  }
  return a.length - b.length;
}

// src/documents/kept.ts
var most2 = 24 << 20;
var entries = /* @__PURE__ */ new Map();
var total = 0;
async function kept(assets, path, factor, decode2) {
  const entry = entries.get(path);
  if (entry) {
    entries.delete(path);
    entries.set(path, entry);
    return entry.value;
  }
  const data = await bytesIn(assets, path);
  const [value, size] = [decode2(data), data.length * factor];
  if (size > most2 / 4 || entries.has(path)) return value;
  entries.set(path, { value, size });
  total += size;
  for (const [oldest, { size: size2 }] of entries) {
    if (total <= most2) break;
    entries.delete(oldest);
    total -= size2;
  }
  return value;
}
var Budget = class {
  constructor(assets) {
    this.assets = assets;
  }
  assets;
  #paths = /* @__PURE__ */ new Set();
  get left() {
    return this.assets.most - 2 - this.#paths.size;
  }
  // has reports whether the query has read an asset, so that reading it again costs nothing.
  has(path) {
    return this.#paths.has(path);
  }
  // read is the function kept with the budget of the query.
  read(path, factor, decode2) {
    this.#paths.add(path);
    return kept(this.assets, path, factor, decode2);
  }
};

// src/resources/lookup.ts
function whole(record) {
  const [uri, mime, form, , inParts, asset] = record;
  return form === "e" && inParts && asset ? [uri, mime, inParts, asset] : record;
}
function fold(name) {
  let text = "";
  for (let i = 0; i < name.length; ) {
    const [rune, size] = runeAt(name, i);
    text += String.fromCodePoint(rune);
    i += size;
  }
  return bytesOf(lowerOf(text));
}
function keyOf2(kind2, [scheme, host2, ...rest]) {
  let key = `${kind2}:${scheme}://`;
  if (host2 !== void 0) key += host(fold(host2));
  for (const name of rest) key += `/${segment(name)}`;
  return key;
}
function shardOf(key, count) {
  let hash = 2166136261;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 16777619);
  return (hash >>> 0) % count;
}
async function find(context, kind2, names2) {
  if (kind2 !== "o" && names2.includes("", 1)) return void 0;
  const { shards } = context.manifest.resources;
  const key = keyOf2(kind2, names2);
  const shard = shards[shardOf(key, shards.length)];
  if (!shard) return void 0;
  const entries2 = await kept(context.assets, shard, 4, jsonIn);
  if (!Object.hasOwn(entries2, key)) return void 0;
  const asked = names2[1] === void 0 ? void 0 : host(names2[1]);
  const candidates = entries2[key];
  return (candidates.find(({ h }) => h === asked) ?? candidates.find(({ h }) => h === void 0))?.r;
}
async function lookup(context, requested) {
  const s = bytesOf(requested);
  const file = await fileOf(context, s);
  if (file?.[0] === requested) return file;
  const other2 = await otherOf(context, s);
  return file && other2?.[0] !== requested ? file : other2;
}
async function otherOf(context, s) {
  for (const decoded of readings(s)) {
    const names2 = segmentsOf(decoded);
    const other2 = names2 && await find(context, "o", names2);
    if (other2) return other2;
  }
  return void 0;
}
async function fileOf(context, s) {
  for (const decoded of readings(s)) {
    const names2 = segmentsOf(decoded);
    const record = names2 && names2.length > 1 && await find(context, "f", names2);
    if (record) return record;
  }
  if (!context.manifest.resources.fragile || s.length > maxLength) return void 0;
  const [scheme, ...segments2] = segmentsOf(s) ?? [];
  if (scheme === void 0 || segments2.length === 0) return void 0;
  const root = await find(context, "d", [scheme]);
  return root && !root.virtual ? new Mangled(context).find([scheme], root.changed === true, segments2) : void 0;
}
var maxSpelled = 255 * 6;
var Mangled = class {
  constructor(context) {
    this.context = context;
    this.#left = Math.min(context.assets.most, 1e3);
  }
  context;
  #left;
  // find looks for the file that segments name in a folder. The segments have the client's spelling, and each may match several names.
  async find(folder, changed, segments2) {
    const [segment2, ...rest] = segments2;
    if (segment2.length > maxSpelled) return void 0;
    const decoded = decode(segment2);
    const names2 = (decoded === segment2 ? [decoded] : [decoded, segment2]).filter((name) => !name.includes("/"));
    for (const name of names2) {
      const found2 = await this.#enter([...folder, name], rest);
      if (found2) return found2;
    }
    const respelled = changed ? await this.#get("m", folder) : void 0;
    for (const [other2, name] of (rest.length === 0 ? respelled?.files : respelled?.folders) ?? []) {
      const found2 = decode(other2) === decoded && await this.#enter([...folder, decode(name)], rest);
      if (found2) return found2;
    }
    return void 0;
  }
  async #enter(names2, rest) {
    if (rest.length === 0) return await this.#get("f", names2);
    const folder = await this.#get("d", names2);
    return folder && !folder.virtual ? this.find(namesOf(folder.base), folder.changed === true, rest) : void 0;
  }
  async #get(kind2, names2) {
    return --this.#left < 0 ? void 0 : find(this.context, kind2, names2);
  }
};
var namesOf = (canonical) => segmentsOf(decode(canonical));
async function folderOf(context, requested, virtual) {
  const found2 = [];
  for (const decoded of readings(bytesOf(requested))) {
    const names2 = segmentsOf(decoded);
    const folder = names2 && await find(context, "d", names2);
    if (!folder) continue;
    if (!folder.virtual) return folder;
    found2.push(folder);
  }
  return virtual ? found2[0] : void 0;
}
async function linesOf(context, chunk) {
  if (chunk.asset) return (await textOf2(context.assets, chunk.asset)).split("\n");
  return chunk.lines ?? [];
}

// src/documents/bisect.ts
function bisect(n, holds) {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = low + high >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// src/resources/list.ts
var pageBytes = 1 << 20;
var uriPrefix = '{"uri":"';
var uriIn2 = (item) => item.slice(uriPrefix.length, item.indexOf('"', uriPrefix.length));
function after(params, kind2) {
  const cursor = cursorIn(params);
  if (cursor === "") return "";
  const key = parseCursor(kind2, cursor);
  if (key === void 0) throw invalidParams("the cursor is not one of this list");
  return key;
}
function firstAfter(pages, uri) {
  return bisect(pages.length, (i) => compare(pages[i].last, uri) > 0);
}
async function* eachURI(context) {
  for (const { items } of context.manifest.resources.pages) {
    for (const line2 of (await textOf2(context.assets, items)).split("\n")) yield uriIn2(line2);
  }
}
async function listResources(context, params) {
  const { limits, resources } = context.manifest;
  const start = after(params, "r");
  const items = [];
  let size = '"resources":['.length;
  let next = "";
  for (const { items: asset } of resources.pages.slice(firstAfter(resources.pages, start))) {
    if (next !== "") break;
    for (const item of (await textOf2(context.assets, asset)).split("\n")) {
      if (items.length === 0 && start !== "" && compare(uriIn2(item), start) <= 0) continue;
      if (items.length === limits.page || size > pageBytes) {
        next = newCursor("r", bytesOf(uriIn2(items.at(-1))));
        break;
      }
      size += lengthOf(item) + (items.length > 0 ? 1 : 0);
      items.push(item);
    }
  }
  return { members: `"resources":[${items.join(",")}]${next && `,"nextCursor":"${next}"`}`, ttl: listTTL };
}

// src/resources/close.ts
var most3 = 3;
var maxCompared = 1e3;
var maxEdits = 6;
var minShared = 3;
async function closeTo(context, requested) {
  const segments2 = segmentsOf(decode(bytesOf(requested)));
  if (!segments2 || requested.length > maxLength || Number.isFinite(context.assets.most)) return [];
  let rest = segments2;
  let folder;
  for (let depth = segments2.length - 1; depth > 0 && !folder; depth--) {
    const known = await find(context, "d", segments2.slice(0, depth));
    if (known && !known.virtual) [folder, rest] = [known, segments2.slice(depth)];
  }
  const { pages } = context.manifest.resources;
  const all = [];
  for (const { items } of pages) {
    if (all.length < maxCompared) all.push(...(await textOf2(context.assets, items)).split("\n").map(uriIn2));
  }
  const inside = folder ? (await linesOf(context, folder.children)).map((line2) => uriIn2(line2.slice(1)) + (line2[0] === "d" ? "/" : "")) : all.map((uri) => uri.slice(0, uri.indexOf("://") + 3));
  const named = /* @__PURE__ */ new Map();
  for (const uri of inside.slice(0, maxCompared)) named.set(namesOf(uri)[segments2.length - rest.length], uri);
  if (rest.length === 1) named.delete(rest[0]);
  const found2 = nearest(rest[0], [...named.keys()]).map((name) => named.get(name));
  return [.../* @__PURE__ */ new Set([...found2, ...nearest(requested, all.slice(0, maxCompared))])].slice(0, most3);
}
var fold2 = (text) => [...lowerOf(cut(text, 256))];
function nearest(word, names2) {
  const w = fold2(word);
  const found2 = [];
  for (const name of names2) {
    const c = fold2(name);
    const gap = Math.abs(w.length - c.length);
    const limit = Math.min(Math.max(1, Math.floor(w.length / 3)), maxEdits, Math.max(w.length, c.length) - 1);
    let rank2 = gap > limit ? limit + 1 : distance(w, c);
    if (rank2 > limit) {
      const [short2, long] = w.length > c.length ? [c, w] : [w, c];
      const at = short2.length < minShared ? -1 : long.join("").indexOf(short2.join(""));
      if (at < 0) continue;
      rank2 = maxEdits + (at === 0 ? 1 : 2);
    }
    found2.push({ name, rank: rank2, gap });
  }
  return found2.sort((a, b) => a.rank - b.rank || a.gap - b.gap || (a.name < b.name ? -1 : 1)).slice(0, most3).map(({ name }) => name);
}
function distance(a, b) {
  let before = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      let d = Math.min(last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1), row[j - 1] + 1, last[j] + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d = Math.min(d, before[j - 2] + 1);
      row.push(d);
    }
    ;
    [before, last] = [last, row];
  }
  return last[b.length];
}

// src/resources/errors.ts
function dataOf(requested, more = {}) {
  return { uri: lengthOf(requested) > maxLength ? cut(requested, 200) : requested, ...more };
}
function failureOf(failure, requested) {
  const message = failure.message.replace("\0", () => shown(requested));
  const data = failure.located ? dataOf(requested, failure.data) : failure.data;
  return new Failure(failure.code, message, data);
}
async function missing(context, requested, close) {
  const folder = await folderOf(context, requested, false);
  if (folder) return `${shown(requested)} is a folder: the URIs of what is in it begin with ${cut(folder.base, 200)}`;
  const meant2 = close ?? await closeTo(context, requested);
  return `resource not found: ${shown(requested)}${meant2.length > 0 ? `; did you mean ${meant2.join(" or ")}?` : ""}`;
}
async function notFound(context, requested) {
  const close = await closeTo(context, requested);
  const message = await missing(context, requested, close);
  if (context.era === "stateless") return new Failure(code.invalidParams, message, dataOf(requested));
  return new Failure(code.resourceNotFound, message, dataOf(requested, close.length > 0 ? { closeMatches: close } : {}));
}

// src/resources/contents.ts
async function contentOf(context, record, requested) {
  const [uri, mime, form, asset] = record;
  if (form === "e") throw failureOf(asset, requested);
  const about2 = `{"uri":${JSON.stringify(uri)},"mimeType":${JSON.stringify(mime)},`;
  if (form === "t") return `${about2}"text":${JSON.stringify(await textOf2(context.assets, asset))}}`;
  return `${about2}"blob":"${await blobOf(context, asset)}"}`;
}
function embeddedType(mime, form) {
  return form === "b" && /^image\/(png|jpeg|gif|webp)$/.test(mime) ? "application/octet-stream" : mime;
}
var notFetched = "is a Git LFS pointer: the file itself was not fetched";
function isPointer(text) {
  return text.length < 1024 && text.startsWith("version https://git-lfs.github.com/spec/");
}
var blobOf = async (context, asset) => base64(await bytesIn(context.assets, asset));

// src/prompts.ts
var maxText = 16 << 20;
var maxErrors = 10;
var maxEmbedded = 1e3;
var listOf = (context) => jsonOf(context.assets, context.manifest.prompts);
async function listPrompts(context, params) {
  if (cursorIn(params) !== "") throw invalidParams("the cursor is not one of this list");
  return { members: encode({ prompts: (await listOf(context)).items }), ttl: listTTL };
}
async function promptOf(context, name) {
  const { assets } = await listOf(context);
  if (Object.hasOwn(assets, name)) return jsonOf(context.assets, assets[name]);
  throw invalidParams(`there is no prompt ${shown(name)}`);
}
async function getPrompt(context, params) {
  const name = stringIn(params, "name");
  const all = params["arguments"] ?? {};
  if (!isObject(all)) throw invalidParams("invalid params: arguments has the wrong type");
  const given = new Map(Object.keys(all).filter((key) => all[key] !== null).map((key) => [key, stringIn(all, key)]));
  const prompt = await promptOf(context, name);
  const values = valuesOf(prompt, given);
  measure(prompt, values);
  const blocks = await render(context, prompt, values);
  const messages = blocks.filter((block2) => block2 !== textBlock("")).map((block2) => `{"role":"user","content":${block2}}`).join(",");
  const description = prompt.description === "" ? "" : `"description":${JSON.stringify(prompt.description)},`;
  return { members: `${description}"messages":[${messages}]` };
}
function quote(value) {
  const runes = [...value];
  return quoted(runes.length > 80 ? `${runes.slice(0, 80).join("")}…` : value);
}
function oneOf(values) {
  const most4 = 20;
  const more = values.length > most4 ? ` and ${values.length - most4} more` : "";
  return values.slice(0, most4).map(quote).join(", ") + more;
}
var isNumber = (s) => s !== "" && /^[-+.0-9eE]*$/.test(s) && Number.isFinite(Number(s));
function flaw(a, value) {
  if (a.type === "number" && !isNumber(value)) return `is ${quote(value)}, must be a number`;
  if (a.type === "boolean" && value !== "true" && value !== "false") return `is ${quote(value)}, must be "true" or "false"`;
  if (!a.enum || a.enum.length === 0) return "";
  const lists = a.type === "number" ? a.enum.some((other2) => Number(other2) === Number(value)) : a.enum.includes(value);
  return lists ? "" : `is ${quote(value)}, must be one of ${oneOf(a.enum)}`;
}
var isBlank = (a) => !a.required && (a.type !== "string" || a.enum !== void 0 && a.enum.length > 0 && !a.enum.includes(""));
function valuesOf(prompt, given) {
  const errors = [];
  const fail = (name, reason) => {
    errors.push(`argument ${quote(name)} ${reason}`);
  };
  const values = prompt.arguments.map((a) => {
    const value = given.get(a.name);
    if (value !== void 0 && !(value === "" && isBlank(a))) {
      const wrong = flaw(a, value);
      if (wrong !== "") fail(a.name, wrong);
      return value;
    }
    if (a.required) fail(a.name, "is required");
    return a.required ? "" : a.default ?? "";
  });
  const names2 = prompt.arguments.map((a) => a.name);
  const unknown = [...given.keys()].filter((name) => !names2.includes(name));
  const known = names2.length === 0 ? "the prompt has no arguments" : `the prompt has ${oneOf(names2)}`;
  for (const name of unknown.slice(0, maxErrors)) fail(name, `is not known; ${known}`);
  if (errors.length > 0) throw invalidParams(errors.slice(0, maxErrors).join("; "));
  return values;
}
function measure(prompt, values) {
  const sizes = values.map(lengthOf);
  const each2 = values.map(() => 0);
  let total2 = 0;
  const count = (pieces, factor) => {
    for (const piece of pieces) {
      if (typeof piece === "string") {
        total2 += lengthOf(piece);
        continue;
      }
      each2[piece] = each2[piece] + factor * sizes[piece];
      total2 += factor * sizes[piece];
    }
  };
  for (const { p, u } of prompt.parts) {
    count(p, 1);
    if (u) count(u, 3);
  }
  if (total2 <= maxText) return;
  const most4 = prompt.arguments[each2.indexOf(Math.max(...each2))];
  throw invalidParams(`argument ${quote(most4.name)} makes the prompt longer than ${maxText} bytes`);
}
function isResource(s) {
  const found2 = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/[^]/.exec(s);
  if (!found2 || lengthOf(s) > maxLength || /[\0-\x1f\x7f]/.test(s)) return false;
  return !["http", "https", "mailto", "data"].includes(found2[1].toLowerCase());
}
function expanded(uri, values) {
  const [first] = uri;
  if (uri.length === 1 && typeof first === "number") return values[first];
  return uri.map((piece) => typeof piece === "string" ? piece : segment(bytesOf(values[piece]))).join("");
}
var runsOf = (pieces, values) => pieces.map((piece) => typeof piece === "string" ? { text: piece, value: false } : { text: values[piece], value: true });
function trimmed(all) {
  const runs2 = all.filter((run2) => run2.text !== "").map((run2) => ({ ...run2 }));
  for (let first = runs2[0]; first && !first.value; first = runs2[0]) {
    first.text = first.text.replace(/^(?:[ \t]*\n)+/, "");
    if (first.text !== "") break;
    runs2.shift();
  }
  for (let last = runs2.at(-1); last && !last.value; last = runs2.at(-1)) {
    let end = last.text.length;
    while (end > 0 && " 	\n".includes(last.text[end - 1])) end--;
    last.text = last.text.slice(0, end);
    if (last.text !== "") break;
    runs2.pop();
  }
  return runs2.map((run2) => run2.text).join("");
}
var textBlock = (text) => `{"type":"text","text":${JSON.stringify(text)}}`;
async function render(context, prompt, values) {
  const blocks = [];
  let runs2 = [];
  const flush = () => {
    const text = trimmed(runs2);
    if (text !== "") blocks.push(textBlock(text));
    runs2 = [];
  };
  const records = /* @__PURE__ */ new Map();
  const room = { left: context.manifest.limits.frame };
  let embeds = 0;
  for (const { p, u, i } of prompt.parts) {
    const uri = u && expanded(u, values);
    if (uri !== void 0 && isResource(uri) && embeds < maxEmbedded) {
      if (!records.has(uri)) records.set(uri, await fileOf(context, bytesOf(uri)));
      const record = records.get(uri);
      if (record) {
        embeds++;
        flush();
        const line2 = runsOf(p, values).map((run2) => run2.text).join("");
        blocks.push(await embedded(context, record, line2.replace(/[ \t]+$/, ""), i === true, room));
        continue;
      }
    }
    runs2.push(...runsOf(p, values));
  }
  flush();
  return blocks.length === 0 ? [textBlock("")] : Promise.all(blocks);
}
async function embedded(context, record, line2, image, room) {
  const [uri, mime, form, asset] = record;
  if (form === "e" || typeof asset !== "string") return textBlock(line2);
  const data = await bytesIn(context.assets, asset);
  if (data.length > room.left || data.length === 0) return textBlock(line2);
  if (data.length < 1024 && isPointer(latin(data))) return textBlock(`${line2} (${notFetched})`);
  room.left -= data.length;
  const content = await contentOf(context, [uri, embeddedType(mime, form), form, asset], "");
  if (!image || form !== "i") return `{"type":"resource","resource":${content}}`;
  const { blob } = JSON.parse(content);
  return `{"type":"image","mimeType":${JSON.stringify(mime)},"data":"${blob}"}`;
}
async function completePrompt(context, name, argument, prefix, most4) {
  const prompt = await promptOf(context, name);
  const completed = prompt.arguments.find((a) => a.name === argument);
  if (completed) {
    const all = completed.type === "boolean" ? ["true", "false"] : completed.enum ?? [];
    const low = lowerOf(prefix);
    if (all.length > 0) return all.filter((value) => lowerOf(value).startsWith(low));
  }
  const values = [];
  if (!prefix.includes("://")) return values;
  for await (const uri of eachURI(context)) {
    if (uri.startsWith(prefix)) values.push(uri);
    if (values.length > most4) break;
  }
  return values;
}

// src/resources/templates.ts
var templatesOf = ({ assets, manifest }) => jsonOf(assets, manifest.templates);
async function listTemplates(context, params) {
  const cursor = cursorIn(params);
  const templates = await templatesOf(context);
  const start = cursor === "" ? 0 : startOf(cursor);
  const items = [];
  let size = 0;
  let next = "";
  for (let i = Math.min(start, templates.length); i < templates.length; i++) {
    const { item } = templates[i];
    if (items.length === context.manifest.limits.page || size > pageBytes) {
      next = newCursor("t", `${i}`);
      break;
    }
    for (const key of ["uriTemplate", "name", "title", "description"]) size += lengthOf(member(item, key) ?? "");
    size += 200;
    items.push(item);
  }
  return { members: encode({ resourceTemplates: items, ...next && { nextCursor: next } }), ttl: listTTL };
}
function startOf(cursor) {
  const key = parseCursor("t", cursor);
  const place = key === "" ? "0" : key;
  const start = Number(place);
  if (place === void 0 || !/^[+-]?\d+$/.test(place) || start < 0 || BigInt(place) >= 2n ** 63n) throw invalidParams("the cursor is not one of this list");
  return start;
}

// src/resources/complete.ts
var decoder3 = new TextDecoder();
var rowsOf = (data) => JSON.parse(`[${decoder3.decode(data).replaceAll("\n", ",")}]`);
async function completeTemplate(context, template, variable, prefix, given) {
  const found2 = (await templatesOf(context)).find(({ text, published }) => text === template || published === template);
  if (!found2) throw invalidParams(`there is no template ${shown(template)}; resources/templates/list lists them`);
  if (!found2.names.includes(variable)) {
    throw invalidParams(`the template has no variable ${shown(variable)}, it has ${found2.names.join(", ")}`);
  }
  if (!found2.rows) return [];
  const start = lowerOf(prefix);
  const values = /* @__PURE__ */ new Set();
  for (const row of await kept(context.assets, found2.rows, 6, rowsOf)) {
    const value = Object.hasOwn(row, variable) ? row[variable][0] : "";
    if (value === "" || values.has(value) || !lowerOf(value).startsWith(start)) continue;
    const fits = Object.entries(row).every(([name, values2]) => {
      const chosen = name !== variable && Object.hasOwn(given, name) && given[name] !== "" ? given[name] ?? "" : void 0;
      return chosen === void 0 || values2.includes(chosen);
    });
    if (fits) values.add(value);
  }
  return [...values].map((value) => [bytesOf(value), value]).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0).map(([, value]) => value);
}

// src/complete.ts
var maxCompletions = 100;
async function complete(context, params) {
  const ref = member(params, "ref");
  const [type, of, uri] = [stringIn(ref, "type"), stringIn(ref, "name"), stringIn(ref, "uri")];
  const argument = member(params, "argument");
  const [name, value] = [stringIn(argument, "name"), stringIn(argument, "value")];
  if (type === "ref/prompt" && uri === "") return completion(await completePrompt(context, of, name, value, maxCompletions));
  if (type === "ref/resource" && of === "") {
    const given = member(member(params, "context"), "arguments");
    return completion(await completeTemplate(context, uri, name, value, isObject(given) ? given : {}));
  }
  throw invalidParams("ref must be a ref/prompt with a name or a ref/resource with a uri");
}
var completion = (values) => ({
  members: encode({ completion: { values: values.slice(0, maxCompletions), total: values.length, hasMore: values.length > maxCompletions } })
});

// src/resources/directory.ts
async function readDirectory(context, params) {
  const requested = uriIn(params);
  const cursor = cursorIn(params);
  const folder = await folderOf(context, requested, true);
  if (!folder) {
    const why = await lookup(context, requested) ? "it is not a folder; resources/read reads it" : "there is no such folder";
    throw new Failure(code.invalidParams, `${shown(requested)}: ${why}`, dataOf(requested));
  }
  let lines2 = await linesOf(context, folder.children);
  const nameOf2 = (line2) => decode(uriIn2(line2.slice(1)).slice(folder.base.length));
  if (cursor !== "") {
    const key = parseCursor("d", cursor);
    const end = key?.indexOf("\n") ?? -1;
    if (key === void 0 || end < 0 || key.slice(0, end) !== folder.uri || end + 1 === key.length) {
      throw invalidParams("the cursor is not one of this folder");
    }
    const [kind2, name] = [key[end + 1] === "d" ? "d" : "f", key.slice(end + 2)];
    if (name !== "") {
      const next2 = lines2.findIndex((line2) => line2[0] === kind2 ? nameOf2(line2) > name : line2[0] === "d");
      lines2 = next2 < 0 ? [] : lines2.slice(next2);
    }
  }
  let size = '"resources":['.length;
  const items = [];
  let next = "";
  for (const [i, line2] of lines2.entries()) {
    if (items.length === context.manifest.limits.page || size > pageBytes) {
      const last = lines2[i - 1];
      next = newCursor("d", `${folder.uri}
${last[0]}${nameOf2(last)}`);
      break;
    }
    size += lengthOf(line2) - 1 + (i > 0 ? 1 : 0);
    items.push(line2.slice(1));
  }
  return { members: `"resources":[${items.join(",")}]${next && `,"nextCursor":"${next}"`}` };
}

// src/resources/read.ts
var together = 6;
async function readResource(context, params) {
  const requested = uriIn(params);
  if (requested === "") throw invalidParams("uri is missing");
  const record = await lookup(context, requested);
  if (record) return { members: `"contents":[${await contentOf(context, record, requested)}]`, ttl: 0 };
  const folder = await folderOf(context, requested, false);
  if (!folder) throw await notFound(context, requested);
  if (folder.failure) throw failureOf(folder.failure, requested);
  const records = (await linesOf(context, folder.files ?? {})).map((line2) => JSON.parse(line2));
  const contents = [];
  for (let i = 0; i < records.length; i += together) {
    contents.push(...await Promise.all(records.slice(i, i + together).map((each2) => contentOf(context, each2, requested))));
  }
  return { members: `"contents":[${contents.join(",")}]`, ttl: 0 };
}

// src/resources/skills.ts
var skillsOf = ({ assets, manifest }) => jsonOf(assets, manifest.resources.skills);
async function listSkills(context, params) {
  const start = after(params, "s");
  if (start !== "" && !/^skill:\/\/[^]/i.test(decode(start))) return { members: '"skills":[]', ttl: listTTL };
  const items = [];
  let size = '"skills":['.length;
  let last = start;
  let next = "";
  for (const skill of await skillsOf(context)) {
    if (start !== "" && compare(skill.uri, start) <= 0) continue;
    if (items.length === context.manifest.limits.page || size > pageBytes) {
      next = newCursor("s", last);
      break;
    }
    last = skill.uri;
    if (skill.item === void 0) continue;
    const item = JSON.stringify(skill.item);
    size += lengthOf(item) + (items.length > 0 ? 1 : 0);
    items.push(item);
  }
  return { members: `"skills":[${items.join(",")}]${next && `,"nextCursor":"${next}"`}`, ttl: listTTL };
}
async function getSkill(context, params) {
  const requested = uriIn(params);
  const record = await lookup(context, requested);
  const skill = record && (await skillsOf(context)).find(({ uri }) => uri === record[0]);
  if (!skill) {
    const why = "it names no SKILL.md of a skill; skills/list lists them";
    throw new Failure(code.invalidParams, `there is no skill ${shown(requested)}: ${why}`, dataOf(requested));
  }
  if (skill.failure) throw failureOf(skill.failure, requested);
  return { members: `"skill":${JSON.stringify(skill.item)}`, ttl: 0 };
}

// src/session.ts
function initialize({ manifest, session: { oldest } }, params) {
  const asked = stringIn(params, "protocolVersion");
  const agreed = asked < oldest ? oldest : asked >= firstStateless || !versionsFrom(oldest).includes(asked) ? lastHandshake : asked;
  return { members: encode({ ...about(manifest), protocolVersion: agreed, serverInfo: manifest.serverInfo }) };
}
var discover = ({ manifest, session }) => ({ members: encode({ supportedVersions: versionsFrom(session.oldest), ...about(manifest) }), ttl: 0 });
var about = ({ capabilities, instructions }) => ({ capabilities, ...instructions && { instructions } });

// src/tools/arguments.ts
var Mistake = class extends Error {
};
var maxWrong = 20;
function argumentsOf(given, fields2) {
  const out = {};
  for (const [name, kind2] of Object.entries(fields2)) out[name] = kind2 === "string" ? "" : kind2 === "number" ? 0 : [];
  if (given === void 0 || given === null) return out;
  if (Array.isArray(given) && given.length === 0) return out;
  if (!isObject(given)) throw new Mistake("Invalid arguments: they must be an object");
  const wrong = [];
  for (const [key, value] of Object.entries(given)) {
    const name = Object.keys(fields2).find((field) => sameCase(field) === sameCase(key));
    if (name !== void 0 && value !== null) out[name] = read(name, fields2[name], value, wrong);
  }
  if (wrong.length > 0) throw new Mistake(`Invalid arguments: ${wrong.sort().slice(0, maxWrong).join(", ")}`);
  return out;
}
function read(name, kind2, sent, wrong) {
  const value = kind2 === "string" ? sent : meant(kind2, sent);
  if (kind2 === "strings") {
    if (typeof value === "string") return [value];
    if (Array.isArray(value)) return value.map((item, i) => item === null ? "" : read(`${name}[${i}]`, "string", item, wrong));
    wrong.push(`${name}: is ${kindOf(value)}, must be an array`);
  } else if (kind2 === "string") {
    if (typeof value === "string") return value;
    wrong.push(`${name}: is ${kindOf(value)}, must be a string`);
  } else {
    if (Number.isSafeInteger(value)) return value;
    wrong.push(`${name}: is ${typeof value === "number" ? value : kindOf(value)}, must be a whole number`);
  }
  return "";
}
function meant(kind2, value) {
  if (typeof value !== "string" || !(kind2 === "strings" ? /^\s*\[/ : /^\s*-?\d/).test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
function kindOf(value) {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "boolean" ? String(value) : `a ${typeof value}`;
}
var block = (text) => `{"type":"text","text":${JSON.stringify(text)}}`;
var texts = (all) => `"content":[${all.map((bytes) => block(textOf(bytes))).join(",")}]`;
var failed = (message) => `"content":[${block(message)}],"isError":true`;
var asText = (value) => `"content":[${block(JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029"))}]`;

// src/tokens.ts
var maxTokens = 18e3;
var free = 32;
var [letter, digit, space, line, sign, other] = [1, 2, 3, 4, 5, 6];
function kindOf2(r) {
  if (r >= 128) return other;
  return r === 9 || r === 32 ? space : r === 10 || r === 13 ? line : r >= 48 && r < 58 ? digit : (r | 32) > 96 && (r | 32) < 123 && r > 64 ? letter : sign;
}
var ends = [880, 1024, 1328, 1792, 2304, 3456, 3712, 4096, 4256, 4352, 4608, 4992, 6016, 6144, 7680, 8192, 10240, 10496, 11904, 40960, 44032, 65536];
var each = [100, 43, 34, 43, 215, 44, 57, 190, 80, 33, 313, 234, 313, 68, 313, 140, 75, 300, 75, 89, 313, 89, 225];
var estimate = (text) => Math.ceil(scan(text, Number.POSITIVE_INFINITY)[0] / 100);
var fit = (text, n) => scan(text, 100 * n)[1];
function scan(text, most4) {
  let [sum2, was, idle, length, consonants, before, last, end] = [0, 0, 0, 0, 0, space, 32, 0];
  for (let i = 0; i < text.length; ) {
    idle = sum2 > was ? 0 : idle + 1;
    if (idle === free) [sum2, idle] = [sum2 + 100, 0];
    was = sum2;
    if (sum2 > most4) return [sum2, end];
    end = i;
    const [r, size] = runeAt(text, i);
    i += size;
    const kind2 = kindOf2(r);
    if (kind2 !== before) length = consonants = 0;
    if (kind2 === letter) {
      if (length === 0) sum2 += before === sign || before === digit ? 77 : 112;
      else if (last > 96 && r < 97) [sum2, length] = [sum2 + 147, 0];
      else if (r < 97) sum2 += 22;
      if (++length > 7) sum2 += 25;
      consonants = "aeiouy".includes(String.fromCharCode(r | 32)) ? 0 : consonants + 1;
      if (consonants > 3) sum2 += 110;
    } else if (kind2 === digit) {
      if (length === 0) sum2 += before === space ? 143 : 26;
      if (length++ % 3 === 0) sum2 += 109;
    } else if (kind2 === line) sum2 += before === sign ? 109 : before === line ? 0 : 162;
    else if (kind2 === sign) sum2 += before !== sign ? 67 : r === last ? 13 : 62;
    else if (kind2 === other) sum2 += each[bisect(ends.length, (n) => r < ends[n])];
    [before, last] = [kind2, r];
  }
  return sum2 > most4 ? [sum2, end] : [sum2, text.length];
}

// src/documents/excerpt.ts
var hidden = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
var oneLine = (text) => fields(bytesOf(textOf(text).replace(new RegExp("\\p{Cc}", "gu"), " ").replace(hidden, ""))).join(" ");
var fields = (text) => bytesOf(textOf(text).replace(new RegExp("\\p{White_Space}+", "gu"), " ")).split(" ").filter((field) => field !== "");
var firstField = (text) => bytesOf(textOf(text).split(new RegExp("\\p{White_Space}", "u"), 1)[0]);
var startsRune = (s, i) => (s.charCodeAt(i) & 192) !== 128;
function cut2(text, n) {
  if (text.length <= n) return text;
  for (let back = 0; back < 4 && n >= back; back++) if (startsRune(text, n - back)) return text.slice(0, n - back);
  return text.slice(0, n);
}
var ellipsisMark = "â¦";
function ellipsis(text, n) {
  return text.length <= n ? text : cut2(text, n - ellipsisMark.length).replace(/ +$/, "") + ellipsisMark;
}
var trimLeft = (text) => bytesOf(textOf(text).replace(new RegExp("^\\p{White_Space}+", "u"), ""));
function trimRight(text) {
  const s = textOf(text);
  let end = s.length;
  while (new RegExp("\\p{White_Space}", "u").test(s.charAt(end - 1))) end--;
  return bytesOf(s.slice(0, end));
}
var trim = (text) => trimRight(trimLeft(text));
function countOf(text, byte) {
  let n = 0;
  for (let i = text.indexOf(byte); i >= 0; i = text.indexOf(byte, i + 1)) n++;
  return n;
}
var countLines = (text) => countOf(text, "\n") + (text.endsWith("\n") || text === "" ? 0 : 1);
function partOf(text, start, end, offset, limit, size, room) {
  const skip = countOf(text.slice(0, start), "\n");
  const w = linesOf2(text.slice(start, end), offset - skip, 0, limit, size, room);
  return { ...w, first: w.first + skip, last: w.last + skip, total: w.total + skip };
}
var maxText2 = 100 << 10;
function linesOf2(text, offset, skip, limit, size, room) {
  const w = linesIn(text, offset, skip, limit, size);
  const n = fit(w.text, room);
  return n < w.text.length ? linesIn(text, offset, skip, limit, n) : w;
}
function linesIn(text, offset, skip, limit, size) {
  const w = { text: "", first: Math.max(offset, 1), last: 0, skipped: 0, total: countLines(text), broken: false, beyond: false };
  if (w.first > w.total) {
    w.beyond = w.first > 1 || skip > 0;
    w.last = w.total;
    return w;
  }
  let start = 0;
  for (let i = 1; i < w.first; i++) start = text.indexOf("\n", start) + 1;
  if (skip > 0) {
    const end2 = text.indexOf("\n", start);
    const line2 = end2 < 0 ? text.slice(start) : text.slice(start, end2);
    if (skip >= line2.length) {
      w.beyond = true;
      w.last = w.first;
      return w;
    }
    w.skipped = cut2(line2, skip).length;
    start += w.skipped;
  }
  let end = start;
  let n = 0;
  while (end < text.length && (limit <= 0 || n < limit)) {
    const newline = text.indexOf("\n", end);
    const next = newline < 0 ? text.length : newline + 1;
    if (next - start > size) {
      if (n === 0) {
        end = start + cut2(text.slice(start, next), size).length;
        n = 1;
        w.broken = true;
      }
      break;
    }
    end = next;
    n++;
  }
  w.text = text.slice(start, end);
  w.last = w.first + n - 1;
  return w;
}
var isPartial = (w) => w.first > 1 || w.skipped > 0 || w.last < w.total || w.broken;
function missing2(w) {
  return w.first <= w.total ? `Line ${w.first} has fewer bytes.` : `There is no line ${w.first}: the last one is ${w.total}.`;
}
function howToGoOn(w) {
  if (!w.broken) {
    return w.last < w.total ? `
[Lines ${w.first} to ${w.last} of ${w.total}. To continue, use offset ${w.last + 1}.]
` : "";
  }
  const how = w.last < w.total ? ` To continue after it, use offset ${w.last + 1}.` : "";
  return `

[Line ${w.last} is too long and was cut.${how}]
`;
}

// src/documents/path.ts
var maxPath = 4096;
var extensions = [".md", ".mdx"];
function cutExtension(name) {
  const found2 = /^([\s\S]+)\.mdx?$/i.exec(name);
  return found2 ? [found2[1], true] : [name, false];
}
function cleaned(path) {
  const out = [];
  for (const part of path.split("/")) {
    if (part === "..") out.pop();
    else if (part !== "" && part !== ".") out.push(part);
  }
  return out.join("/");
}
var clean = (path) => cleaned(trim(path.replaceAll("\\", "/")));
var prefixesOf = (dir) => [dir, dir.slice(dir.lastIndexOf("/") + 1), "docs"];
function readable(path) {
  if (oneLine(path) === path) return path;
  return path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}
var traverses = (path) => path.split(/[/\\#]/).some((segment2) => trim(segment2) === "..");
function spellings(asked) {
  const all = [asked];
  for (let i = 0; i < 3; i++) {
    const last = all.at(-1);
    if (/%(?![0-9A-Fa-f]{2})/.test(last)) break;
    const decoded = last.replace(/%[0-9A-Fa-f]{2}/g, (code2) => String.fromCharCode(Number.parseInt(code2.slice(1), 16)));
    if (decoded === last) break;
    all.push(decoded);
  }
  return all;
}
var documentName = /^\.(?:mdx?|markdown|mkd|mdoc|qmd|rmd|rst|rest|adoc|asciidoc|asc|ipynb|org|txt|html?)$/i;
var maxEnd = 8;
var maxLink = 2 << 10;
function linkOf(asked) {
  let link = trim(asked).replaceAll("\\", "/").replace(/^[<>]+|[<>]+$/g, "");
  if (link.length > maxLink) return void 0;
  const wiki = /^!?\[\[([^|]*)/.exec(link);
  if (wiki) link = wiki[1].replace(/\]\]$/, "");
  const url = /^(?:([A-Za-z][\w+.-]*):|(?=\/\/))(?:\/\/[^/?#]*)?/.exec(link);
  const web = url !== null && /^(?:https?)?$/i.test(url[1] ?? "");
  if (url && !web) return void 0;
  link = link.slice(url?.[0].length ?? 0).replace(/^\/?#\//, "/").replace(/^(?:@site|@|~)\//, "/");
  const [path = "", ...ids2] = link.split("#");
  const parts2 = clean(unescaped(wiki ? path : path.replace(/\?[^]*$/, ""))).split("/").filter((part) => part !== "");
  return url && parts2.length < 2 ? void 0 : { parts: parts2.slice(-maxEnd), section: unescaped(ids2.join("#")) };
}
var unescaped = (path) => /%(?![0-9A-Fa-f]{2})/.test(path) ? path : decode(path);
function endKey(name, cut3) {
  const parts2 = name.split("/").reverse().map((part) => lower(composed(part)).replaceAll(" ", "-"));
  const [last = ""] = parts2;
  const dot = last.lastIndexOf(".");
  const base = dot > 0 && dot < last.length - 1 ? last.slice(0, dot) : last;
  const indexed = parts2.length > 1 && ["index", "readme", "_index"].includes(base);
  if (indexed) parts2.shift();
  else if (cut3) parts2[0] = base;
  return parts2.slice(0, indexed ? maxEnd - 1 : maxEnd).map((part, i) => i > 0 || indexed || base === last ? part.replace(/^_/, "") : part).map((part) => part.replace(/^\d{1,3}[-_.]+(?=[^-_.\d])/, "")).join("\0");
}

// src/documents/reader.ts
var Reader = class {
  constructor(data, offset = 0) {
    this.data = data;
    this.offset = offset;
  }
  data;
  offset;
  get more() {
    return this.offset < this.data.length;
  }
  // byte reads a byte.
  byte() {
    return this.data[this.offset++];
  }
  // whole reads a number of four bytes.
  whole() {
    this.offset += 4;
    return new DataView(this.data.buffer, this.data.byteOffset).getUint32(this.offset - 4, true);
  }
  // number reads a number in base 128, the lowest digit first.
  number() {
    let n = 0;
    let scale = 1;
    for (; ; ) {
      const b = this.data[this.offset++];
      if (b < 128) return n + b * scale;
      n += (b & 127) * scale;
      scale *= 128;
    }
  }
  // bytes reads size bytes.
  bytes(size) {
    const from = this.offset;
    this.offset += size;
    return latin(this.data.subarray(from, this.offset));
  }
  // hex reads size bytes and returns them in hexadecimal digits.
  hex(size) {
    return [...this.bytes(size)].map((c) => c.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  }
  // string reads a length and that many bytes.
  string() {
    return this.bytes(this.number());
  }
  // shared reads a string that shares a prefix with the string before it.
  shared(before) {
    const kept3 = this.number();
    return before.slice(0, kept3) + this.string();
  }
};

// src/documents/library.ts
var kind = { exact: 0, inexact: 1, notText: 2, tooLarge: 3, unreadable: 4 };
var Library = class {
  constructor(assets, contents, outlines) {
    this.assets = assets;
    this.contents = contents;
    this.outlines = outlines;
  }
  assets;
  contents;
  outlines;
  get dir() {
    return bytesOf(this.contents.dir);
  }
  head(filtered2) {
    return kept(this.assets, filtered2 ? this.contents.filtered : this.contents.search, 2, jsonIn);
  }
  async file(path) {
    for (const shards of [this.contents.files, this.contents.others]) {
      const shard = shards[shardOf2(shards, path)];
      const file = shard && (await kept(this.assets, shard.path, 4, filesOf)).find((f6) => f6.path === path);
      if (file) return file;
    }
    return void 0;
  }
  // indexOf returns the document that stands for a folder.
  async indexOf(folder) {
    for (const name of ["index.md", "index.mdx", "README.md", "readme.md", "_index.md"]) {
      const file = await this.file(folder + name);
      if (file?.isDocument) return file;
    }
    return void 0;
  }
  // listing returns the folders and documents in a folder, or undefined if the folder does not exist.
  listing(folder) {
    return this.#valueOf(this.contents.folders, folder);
  }
  // find looks up a path in the client's spelling.
  async find(asked) {
    if (asked.length > maxPath) return { invalid: traverses(asked), section: "" };
    const all = spellings(asked);
    for (const s of all.slice(0, 2)) {
      const found3 = await this.#lookUp(s);
      if (found3) return found3.folder === "" && traverses(s) ? { invalid: true, section: "" } : found3;
      for (const at of [s.indexOf("#"), s.lastIndexOf("#")]) {
        const file = at < 0 || at + 1 === s.length ? void 0 : await this.#lookUp(s.slice(0, at));
        if (file?.file) return { ...file, section: s.slice(at + 1) };
      }
    }
    const found2 = await this.#seek(asked);
    return found2 ?? { invalid: all.some(traverses), section: "" };
  }
  // titleOf returns the title of a resource.
  async titleOf(uri) {
    return await this.#valueOf(this.contents.titles, uri) ?? "";
  }
  async #valueOf(shards, key) {
    const shard = shards[shardOf2(shards, key)];
    return shard && (await kept(this.assets, shard.path, 3, pairsOf)).get(key);
  }
  // seek finds the one document whose path ends with a link or the path of a URL, or with its last parts while two remain.
  async #seek(asked) {
    const link = linkOf(asked);
    if (!link) return void 0;
    for (let { parts: parts2 } = link; parts2.length > 0; parts2 = parts2.slice(1)) {
      for (const cut3 of [false, true]) {
        const key = endKey(parts2.join("/"), cut3);
        const paths = (key === "" ? void 0 : await this.#valueOf(this.contents.ends, key))?.split("\0") ?? [];
        if (paths[0]?.endsWith("/")) return { folder: paths[0], section: "" };
        if (paths.length > 1) return { several: paths, section: "" };
        const file = paths[0] === void 0 ? void 0 : await this.file(paths[0]);
        const extension = /\.[^.]+$/.exec(parts2.at(-1) ?? "")?.[0] ?? "";
        if (file && (!cut3 || documentName.test(extension) || lower(file.path).endsWith(lower(extension)))) return { file, section: link.section };
      }
      if (parts2.length <= 2) break;
    }
    return void 0;
  }
  // lookUp looks up a path below the folder of the library, or else below the folder that holds all main documents.
  async #lookUp(asked) {
    const base = bytesOf(this.contents.base);
    return await this.#literally(asked) ?? (base === "" ? void 0 : await this.#literally(base + clean(asked)));
  }
  async #literally(asked) {
    const readings2 = [];
    for (const path of /* @__PURE__ */ new Set([clean(asked), asked])) {
      readings2.push(path);
      for (const prefix of prefixesOf(this.dir)) {
        if (`${path}/`.startsWith(`${prefix}/`)) readings2.push(`${path}/`.slice(prefix.length + 1).replace(/\/$/, ""));
      }
    }
    for (const reading of readings2) {
      const file = await this.file(reading);
      if (file) return { file, section: "" };
    }
    for (const reading of readings2) {
      const folder = reading === "" ? "" : `${reading}/`;
      if (await this.listing(folder) !== void 0) return { folder, section: "" };
    }
    for (const extension of extensions) {
      for (const reading of readings2) {
        const file = await this.file(reading + extension);
        if (file) return { file, section: "" };
      }
    }
    return void 0;
  }
};
function shardOf2(shards, key) {
  let i = shards.length - 1;
  while (i > 0 && bytesOf(shards[i].first) > key) i--;
  return i;
}
var isDocument = 8;
var otherLower = 16;
var isCited = 32;
var isPage = 64;
function filesOf(data) {
  const r = new Reader(data);
  const out = [];
  for (let path = ""; r.more; ) {
    path = r.shared(path);
    const packed = r.byte();
    const form = packed & 7;
    const lower2 = packed & otherLower ? r.string() : path;
    const size = r.number();
    const file = { path, lower: lower2, isDocument: (packed & isDocument) !== 0, kind: form, blob: "", title: "", size, cited: (packed & isCited) !== 0, about: "", outline: "" };
    if (form === kind.exact || form === kind.inexact) {
      file.blob = `b/${r.hex(32)}`;
      file.outline = packed & isPage ? `b/${r.hex(8)}` : file.blob;
      file.title = file.isDocument ? r.string() : "";
      if (packed & isPage) file.about = r.string();
    }
    out.push(file);
  }
  return out;
}
function pairsOf(data) {
  const r = new Reader(data);
  const pairs3 = /* @__PURE__ */ new Map();
  for (let key = ""; r.more; ) {
    key = r.shared(key);
    pairs3.set(key, r.string());
  }
  return pairs3;
}

// src/glob.ts
var maxBytes = 1e3;
var maxPatterns = 500;
var maxSize = 16 * maxBytes;
var GlobError = class extends Error {
};
var parts = /\\[^]|\[(?![!^]?\])(?:\\[^]|[^\]\\])+\]|[^]/gu;
function parseGlob(pattern) {
  if (pattern.length > maxBytes) throw new GlobError(`too complex: it has ${pattern.length} bytes, may have ${maxBytes}`);
  const all = textOf(pattern).match(parts) ?? [];
  let depth = 0;
  for (const part of all) {
    if (part === "{") depth++;
    else if (part === "}") depth--;
    if (depth < 0 || part === "[" || part === "\\") break;
  }
  if (depth !== 0 || all.includes("[") || all.includes("\\")) {
    throw new GlobError("not a valid pattern: a bracket or brace has no counterpart, or a backslash is the last character");
  }
  const patterns = expand(all, 0).map((each2) => new Pattern(each2));
  const glob = (name) => {
    const characters = [...textOf(name)];
    return patterns.some((each2) => each2.matches(characters));
  };
  return Object.assign(glob, { patterns: patterns.length });
}
function expand(rest, depth) {
  let out = [[]];
  while (rest.length > 0 && !(depth > 0 && (rest[0] === "," || rest[0] === "}"))) {
    const part = rest.shift();
    const alternatives = [];
    if (part === "{") {
      do {
        alternatives.push(...expand(rest, depth + 1));
      } while (rest.shift() === ",");
    } else alternatives.push([part]);
    const size = sizeOf(out) * alternatives.length + sizeOf(alternatives) * out.length;
    if (out.length * alternatives.length > maxPatterns || size > maxSize) {
      throw new GlobError(`too complex: its braces expand to more than ${maxPatterns} patterns or ${maxSize} bytes`);
    }
    out = out.flatMap((each2) => alternatives.map((ending2) => [...each2, ...ending2]));
  }
  return out;
}
var sizeOf = (patterns) => patterns.reduce((n, pattern) => n + pattern.length, 0);
var endings = ["", "*", "**", "/**", "**/", "/**/"];
var Pattern = class {
  constructor(all) {
    this.all = all;
    let start = true;
    for (let i = 0; i < all.length; i++) {
      const [from, part] = [i, all[i]];
      if (part === "*" && all[i + 1] === "*") {
        i++;
        if (start && all[i + 1] === "/") {
          i++;
          this.#steps.push({ kind: "folders", fits: () => true, from });
          continue;
        }
        if (start && i + 1 === all.length) {
          this.#steps.push({ kind: "any", fits: () => true, from });
          continue;
        }
      }
      if (part === "*" && this.#steps.at(-1)?.kind === "any") continue;
      this.#steps.push({ kind: part === "*" ? "any" : "one", fits: part === "*" || part === "?" ? (c) => c !== "/" : fitting(part), from });
      start = part.endsWith("/");
    }
  }
  all;
  #steps = [];
  matches(name) {
    let active = /* @__PURE__ */ new Set();
    let reached = /* @__PURE__ */ new Set([0]);
    this.#enter(active, 0);
    for (const character of name) {
      const next = /* @__PURE__ */ new Set();
      reached = /* @__PURE__ */ new Set();
      for (const state of active) {
        const i = state < 0 ? ~state : state;
        const step = this.#steps[i];
        if (!step?.fits(character)) continue;
        if (step.kind === "folders" && character !== "/") next.add(~i);
        else {
          this.#enter(next, step.kind === "one" ? i + 1 : i);
          reached.add(i + 1);
        }
      }
      if (next.size === 0) return false;
      active = next;
    }
    return [...reached].some((i) => endings.includes(this.all.slice(this.#steps[i]?.from ?? this.all.length).join("")));
  }
  // enter adds a step, and those after it as long as a step may match nothing.
  #enter(states, i) {
    states.add(i);
    const step = this.#steps[i];
    if (step && step.kind !== "one") this.#enter(states, i + 1);
  }
};
function fitting(part) {
  if (part[0] === "\\") return (c) => c === part.slice(1);
  if (part[0] !== "[" || part === "[") return (c) => c === part;
  const negated = part[1] === "!" || part[1] === "^";
  const characters = part.slice(negated ? 2 : 1, -1).match(/\\?[^]/gu) ?? [];
  const codeAt = (i) => characters[i].replace(/^\\(?=[^])/, "").codePointAt(0);
  const ranges = [];
  for (let i = 0; i < characters.length; i++) {
    const low = i;
    if (characters[i + 1] === "-" && i + 2 < characters.length) i += 2;
    ranges.push([codeAt(low), codeAt(i)]);
  }
  return (c) => {
    const code2 = c.codePointAt(0);
    return ranges.some(([low, high]) => low <= code2 && code2 <= high) !== negated;
  };
}

// src/documents/filter.ts
var maxPaths = 100;
var maxPatterns2 = 64;
var maxShown = 256;
var shown2 = (s) => ellipsis(s, maxShown);
var Filter = class {
  parts = [];
  left = 0;
  // parts that are left out, because there are too many
  #patterns = 0;
  #chosen = /* @__PURE__ */ new Map();
  languages = [];
  versions = [];
  // add adds the path of a folder or document, or a pattern. It returns what is wrong with a pattern, or ''.
  async add(library, asked) {
    if (this.parts.length === maxPaths) return this.#leave("");
    const { invalid, file, folder } = await library.find(asked);
    const part = { asked, found: file?.isDocument ?? folder !== void 0, paths: [], globs: [] };
    const lowered = (path) => bytesOf(lowerOf(textOf(path).normalize("NFC")));
    const value = lowered(clean(asked));
    const readings2 = invalid ? [] : [value];
    if (file || folder !== void 0) part.paths.push(...readings2.splice(0).map(() => lowered(file?.path ?? folder.replace(/\/$/, ""))));
    for (const prefix of readings2.length > 0 ? prefixesOf(library.dir) : []) {
      const below = `${lower(prefix)}/`;
      if (`${value}/`.startsWith(below)) readings2.push(`${value}/`.slice(below.length).replace(/\/$/, ""));
    }
    let problem = "";
    try {
      for (const reading of readings2) {
        if (!/[*?[{]/.test(reading)) part.paths.push(reading);
        else part.globs.push(parseGlob(reading.includes("/") ? reading : `**/${reading}`));
      }
    } catch (error) {
      if (!(error instanceof GlobError)) throw error;
      problem = error.message;
    }
    for (const glob of part.globs) this.#patterns += glob.patterns;
    if (this.#patterns > maxPatterns2 && part.globs.length > 0) return this.#leave(problem);
    this.parts.push(part);
    return problem;
  }
  #leave(problem) {
    this.left++;
    return problem;
  }
  // addTree adds a word such as language:fr or version:2.0.
  addTree(word) {
    const colon = word.indexOf(":");
    const list2 = word.startsWith("language") ? this.languages : this.versions;
    list2.push(lower(word.slice(colon + 1).replace(/^"+|"+$/g, "")));
  }
  // selectsTree reports whether documents of a language and version are found. undefined: the document is not of a site.
  selectsTree(tree) {
    const { languages, versions } = this;
    if (!tree) return languages.length === 0 && versions.length === 0;
    if (languages.length > 0 && !languages.includes(tree.language)) return false;
    if (versions.length > 0 && !versions.includes(tree.version)) return false;
    if (this.parts.length > 0 || !tree.other) return true;
    return (languages.length > 0 || tree.ofLanguage) && (versions.length > 0 || tree.ofVersion);
  }
  selects(path) {
    if (this.parts.length === 0 && this.languages.length + this.versions.length > 0) return true;
    let chosen = this.#chosen.get(path);
    if (chosen === void 0) this.#chosen.set(path, chosen = this.parts.some((part) => matches(part, path)));
    return chosen;
  }
};
function matches({ paths, globs }, path) {
  const name = cutExtension(path)[0];
  return paths.some((p) => p === "" || path === p || path.startsWith(`${p}/`) || name === p) || globs.some((glob) => glob(path));
}
function selects(only, { lower: path, tree }, trees) {
  if (only) return only.selectsTree(trees[tree]) && only.selects(path);
  return trees[tree]?.other !== true;
}
async function filtered(library, query) {
  let rest = "";
  const out = { words: "" };
  for (let q = query; q !== ""; ) {
    q = trimLeft(q);
    let value = firstField(q);
    const end = value.length;
    if (library.contents.sites && /^(language|version):[^]/.test(value)) {
      out.only ??= new Filter();
      out.only.addTree(value);
      q = q.slice(end);
      continue;
    }
    if (!value.startsWith("path:") || value === "path:") {
      rest += `${value} `;
      q = q.slice(end);
      continue;
    }
    value = value.slice("path:".length);
    const inner = q.slice("path:".length + 1);
    const close = inner.indexOf('"');
    if (value[0] === '"' && close >= 0) {
      value = inner.slice(0, close);
      q = inner.slice(close + 1);
    } else q = q.slice(end);
    out.only ??= new Filter();
    const error = await out.only.add(library, value);
    if (error !== "") out.error ??= `path:${shown2(oneLine(value))}: ${error}`;
  }
  out.words = trim(rest);
  return out;
}

// src/documents/vocabulary.ts
var shardSize = 256 << 10;
var blockTerms = 32;
var Words = class {
  // the offset of the table of blocks
  constructor(data, from) {
    this.data = data;
    this.from = from;
    const r = new Reader(data);
    this.count = r.number();
    this.#starts = r.offset;
  }
  data;
  from;
  count;
  #blocks = [];
  #firsts = [];
  #starts;
  get #size() {
    return Math.ceil(this.count / blockTerms);
  }
  // find returns the index of a stem; if it is not found, the index that it would have.
  find(stem2) {
    const last = bisect(this.#size, (i) => this.#first(i) > stem2) - 1;
    if (last < 0) return { index: 0, found: false };
    const block2 = this.#block(last);
    const index = bisect(block2.length, (i) => block2[i].term >= stem2);
    return { index: last * blockTerms + index, found: block2[index]?.term === stem2 };
  }
  term(k) {
    return this.#block(Math.floor(k / blockTerms))[k % blockTerms];
  }
  // #at returns a reader of a block, and the shard and offset of the postings of its first term.
  #at(i) {
    const r = new Reader(this.data, this.#starts + 12 * i);
    const [start, shard, offset] = [r.whole(), r.whole(), r.whole()];
    r.offset = this.#starts + 12 * this.#size + start;
    return { r, shard, offset };
  }
  #first(i) {
    return this.#firsts[i] ??= this.#at(i).r.shared("");
  }
  #block(i) {
    return this.#blocks[i] ??= this.#read(i);
  }
  #read(i) {
    let { r, shard, offset } = this.#at(i);
    const block2 = [];
    let term = "";
    for (let left = Math.min(blockTerms, this.count - i * blockTerms); left > 0; left--) {
      term = r.shared(term);
      const holders = r.number();
      const length = r.number();
      if (offset > 0 && offset + length > shardSize) {
        shard++;
        offset = 0;
      }
      block2.push({ term, holders, shard, offset, length });
      offset += length;
      shard += Math.floor(offset / shardSize);
      offset %= shardSize;
    }
    return block2;
  }
};

// src/documents/index.ts
var maxVocabulary = 14;
var forHits = 14;
var f = Math.fround;
function partOf2(parts2, number) {
  return bisect(parts2.length, (i) => parts2[i].from > number) - 1;
}
var Index = class {
  constructor(head, budget) {
    this.head = head;
    this.budget = budget;
  }
  head;
  budget;
  #vocabulary = /* @__PURE__ */ new Set();
  // that the query has read
  #tables;
  // part returns a part of the vocabulary, or undefined if the query has read too many parts.
  async part(i) {
    const shard = this.head.vocabulary[i];
    if (!shard || !this.#vocabulary.has(shard.path) && this.#vocabulary.size === maxVocabulary) return void 0;
    this.#vocabulary.add(shard.path);
    return this.budget.read(shard.path, 6, (data) => new Words(data, shard.from));
  }
  // find returns the number of a stem; if it is not found, the number that it would have.
  async find(stem2) {
    const after2 = bisect(this.head.vocabulary.length, (i) => bytesOf(this.head.vocabulary[i].first) > stem2);
    if (after2 === 0) return { number: 0, found: false };
    const part = await this.part(after2 - 1);
    if (!part) return { number: this.head.terms, found: false };
    const { index, found: found2 } = part.find(stem2);
    return { number: part.from + index, found: found2 };
  }
  // lookUp returns the number of a stem, or -1.
  async lookUp(stem2) {
    const { number, found: found2 } = await this.find(stem2);
    return found2 ? number : -1;
  }
  // each calls visit with the terms from a number on, as long as it returns true.
  async each(from, visit) {
    for (let i = partOf2(this.head.vocabulary, from); i < this.head.vocabulary.length && from < this.head.terms; i++) {
      const part = await this.part(Math.max(i, 0));
      if (!part) return;
      for (let k = Math.max(from - part.from, 0); k < part.count; k++) {
        if (!visit(part.term(k).term, part.from + k)) return;
      }
    }
  }
  async #at(number) {
    const part = await this.part(partOf2(this.head.vocabulary, number));
    if (!part) throw new Error(`term ${number} was not read`);
    return part.term(number - part.from);
  }
  // term returns a term.
  async term(number) {
    return (await this.#at(number)).term;
  }
  // holding returns the number of passages that have one of these terms.
  async holding(numbers) {
    let n = 0;
    for (const number of numbers) n += (await this.#at(number)).holders;
    return n;
  }
  // idf returns the inverse document frequency of a word that matches these terms.
  async idf(numbers) {
    return this.rarity(await this.holding(numbers));
  }
  // rarity returns the inverse document frequency of a word that so many passages have.
  rarity(n) {
    const all = this.head.counted;
    const holders = Math.min(n, all);
    return f(Math.log(1 + (all - holders + 0.5) / (holders + 0.5)));
  }
  // pathsOf returns the assets with the postings of a term.
  async pathsOf(number) {
    const { shard, offset, length } = await this.#at(number);
    return this.head.postings.slice(shard, shard + Math.max(1, Math.ceil((offset + length) / shardSize)));
  }
  // postings returns the postings of a term: numbers of passages and weights in turn.
  async postings(number) {
    const { offset, length } = await this.#at(number);
    const paths = await this.pathsOf(number);
    const shards = await Promise.all(paths.map((path) => this.budget.read(path, 1, (data2) => data2)));
    const data = shards.length > 1 ? new Uint8Array(await new Blob(shards).arrayBuffer()) : shards[0];
    return postingsOf(data.subarray(offset, offset + length));
  }
  // common returns the passages that have all terms, in their order; all passages without terms.
  async common(numbers) {
    if (numbers.length === 0) return Array.from({ length: this.head.passages }, (_, i) => i);
    const count = /* @__PURE__ */ new Map();
    for (const [i, number] of numbers.entries()) {
      const postings = await this.postings(number);
      for (let j = 0; j < postings.length; j += 2) {
        const p = postings[j];
        if ((count.get(p) ?? 0) === i) count.set(p, i + 1);
      }
    }
    return [...count].filter(([, n]) => n === numbers.length).map(([p]) => p).sort((a, b) => a - b);
  }
  // tables returns the weights of all passages.
  tables() {
    this.#tables ??= this.budget.read(this.head.tables, 1, tableOf);
    return this.#tables;
  }
  async document(number) {
    const { path, from } = this.head.documents[partOf2(this.head.documents, number)];
    return (await this.budget.read(path, 4, documentsOf))[number - from];
  }
  // documentOf returns the number of the document of a passage.
  async documentOf(passage) {
    const { first } = await this.tables();
    return bisect(first.length, (i) => first[i] > passage) - 1;
  }
  // sameAs returns the first document of the same page as a document.
  async sameAs(number) {
    const { same } = await this.document(number);
    return same < 0 ? number : same;
  }
  // affords reports whether the budget has room for some assets, and leaves a number of others.
  affords(paths, others2) {
    return new Set(paths.filter((path) => !this.budget.has(path))).size <= Math.max(this.budget.left - others2, 0);
  }
  // documentPath returns the asset with a document.
  documentPath(number) {
    return this.head.documents[partOf2(this.head.documents, number)].path;
  }
  // textPath returns the asset with the text of a passage.
  textPath(number) {
    return this.head.texts[partOf2(this.head.texts, number)].path;
  }
  async passage(number) {
    const shard = this.head.texts[partOf2(this.head.texts, number)];
    const passages = await this.budget.read(shard.path, 2, passagesOf);
    return passages(number - shard.from);
  }
};
function postingsOf(data) {
  const out = new Uint32Array(2 * data.length);
  let n = 0;
  let passage = 0;
  for (let offset = 0; offset < data.length; ) {
    let b = data[offset++];
    let distance2 = b & 127;
    for (let shift = 7; b >= 128; shift += 7) {
      b = data[offset++];
      distance2 |= (b & 127) << shift;
    }
    passage += distance2 >>> 1;
    out[n++] = passage;
    out[n++] = distance2 & 1 ? data[offset++] : 1;
  }
  return out.subarray(0, n);
}
function tableOf(data) {
  const { buffer } = data.byteOffset % 4 === 0 ? data : data.slice();
  let offset = buffer === data.buffer ? data.byteOffset : 0;
  const [passages, documents] = new Uint32Array(buffer, offset, 2);
  offset += 8;
  const floats = (n) => new Float32Array(buffer, (offset += 4 * n) - 4 * n, n);
  const heading2 = floats(passages);
  const first = new Uint32Array(buffer, (offset += 4 * documents) - 4 * documents, documents);
  return { heading: heading2, first, name: floats(documents), title: floats(documents), share: floats(documents), words: new Uint16Array(buffer, offset, passages) };
}
var isResource2 = 1;
var otherLower2 = 2;
var isCited2 = 4;
var hasTree = 8;
var hasSame = 16;
function documentsOf(data) {
  const r = new Reader(data);
  const out = [];
  for (let path = ""; r.more; ) {
    path = r.shared(path);
    const flags = r.byte();
    const uri = flags & isResource2 ? r.string() : "";
    const lower2 = flags & otherLower2 ? r.string() : path;
    const [title, heading2, description] = [r.string(), r.string(), r.string()];
    const same = flags & hasSame ? r.number() : -1;
    const tree = flags & hasTree ? r.number() : -1;
    out.push({ path, uri, lower: lower2, title, heading: heading2, description, same, cited: (flags & isCited2) !== 0, tree });
  }
  return out;
}
function passagesOf(data) {
  const r = new Reader(data);
  const n = r.number();
  const starts = new Uint32Array(n + 1);
  for (let i = 0, offset = 0; i < n; i++) {
    offset += r.number();
    starts[i + 1] = offset;
  }
  const from = r.offset;
  return (i) => {
    const one = new Reader(data, from + starts[i]);
    const [top, heading2, front] = [one.number(), one.string(), one.string()];
    let end = one.number();
    const units = Array.from({ length: one.number() }, () => {
      const [start, n2] = [end, one.number()];
      end += n2 >>> 5;
      return { start, end, kind: n2 & 7, inside: (n2 & 8) !== 0, announces: (n2 & 16) !== 0 };
    });
    return { top, heading: heading2, front, units, text: one.bytes(from + starts[i + 1] - one.offset) };
  };
}

// src/documents/lead.ts
var leadSize = 1e3;
async function sectionOf(x, { ranked, document }, best) {
  const { first: firsts, words: words2 } = await x.tables();
  const number = ranked[0]?.passage ?? 0;
  const later = (n) => (words2[n] & 32768) !== 0;
  const out = { ...best };
  const affordable = (n) => x.affords([x.textPath(n)], 0);
  for (let first = number; first > firsts[document] && later(first) && out.start < leadSize && affordable(first - 1); ) {
    const passage = await x.passage(--first);
    const { text, top, units } = passage;
    Object.assign(out, { text: text + out.text, start: out.start + text.length, match: out.match + text.length, top, units: join(units, text.length, out.units) });
  }
  const level = levelOf(out.text);
  for (let n = number + 1; n < (firsts[document + 1] ?? x.head.passages) && out.text.length < out.start + leadSize && affordable(n); n++) {
    const { text: more, units } = await x.passage(n);
    if (!later(n) && levelOf(more) <= level) break;
    out.units = join(out.units, out.text.length, units);
    out.text += more;
  }
  out.last = out.top + countOf(trim(out.text), "\n");
  return out;
}
var join = (units, size, more) => [...units, ...more.map((u) => ({ ...u, start: u.start + size, end: u.end + size }))];
function levelOf(text) {
  const [line2, under = ""] = text.replace(/^[\r\n \t]+/, "").split("\n", 2);
  return /^#*/.exec(line2)?.[0].length || (under.startsWith("==") ? 1 : under.startsWith("--") ? 2 : 0);
}

// src/documents/stem.ts
var pairs = (text) => text.split(" ").map((pair) => pair.split(":"));
var irregular = new Map(
  pairs("andes:andes atlas:atlas bias:bias cosmos:cosmos dying:die early:earli gently:gentl howe:howe idly:idl lying:lie news:news only:onli singly:singl skies:sky skis:ski sky:sky tying:tie ugly:ugli")
);
var final = new Set("canning earring exceed herring inning outing proceed succeed".split(" "));
var derivations = [
  pairs(
    "ization:ize ational:ate fulness:ful ousness:ous iveness:ive tional:tion biliti:ble lessli:less entli:ent ation:ate alism:al aliti:al ousli:ous iviti:ive fulli:ful enci:ence anci:ance abli:able izer:ize ator:ate alli:al bli:ble ogi:og li:"
  ),
  pairs("ational:ate tional:tion alize:al icate:ic iciti:ic ative: ical:ic ness: ful:"),
  pairs("ement: ance: ence: able: ible: ment: ant: ent: ism: ate: iti: ous: ive: ize: ion: al: er: ic:")
];
var behind = { ogi: "l", li: "cdeghkmnrt", ion: "st" };
var isVowel = (c) => c !== void 0 && c !== "" && "aeiouy".includes(c);
var hasVowel = (w) => /[aeiouy]/.test(w);
function region(w, from) {
  for (let i = from + 1; i < w.length; i++) if (!isVowel(w[i]) && isVowel(w[i - 1])) return i + 1;
  return w.length;
}
function isShort(w) {
  const n = w.length;
  if (n === 2) return isVowel(w[0]) && !isVowel(w[1]);
  return n > 2 && !isVowel(w[n - 3]) && isVowel(w[n - 2]) && !isVowel(w[n - 1]) && !"wxY".includes(w[n - 1]);
}
function stem(word) {
  if (/^v[0-9].*\./s.test(word)) return word.slice(1);
  if (word.length <= 2 || !/^[a-z]+$/.test(word)) return word;
  const known = irregular.get(word);
  if (known !== void 0) return known;
  let w = "";
  for (let i = 0; i < word.length; i++) {
    const c = word[i];
    w += c === "y" && (i === 0 || isVowel(w[i - 1])) ? "Y" : c;
  }
  let r1 = region(w, 0);
  for (const prefix of ["gener", "commun", "arsen"]) if (w.startsWith(prefix)) r1 = prefix.length;
  const r2 = region(w, r1);
  w = plural(w);
  if (!final.has(w)) {
    w = past(w, r1);
    const n = w.length;
    if (n > 2 && (w[n - 1] === "y" || w[n - 1] === "Y") && !isVowel(w[n - 2])) w = `${w.slice(0, -1)}i`;
    for (const [i, rules] of derivations.entries()) w = derive(w, rules, i === 2 || i === 1 && w.endsWith("ative") ? r2 : r1);
    w = lastLetter(w, r1, r2);
  }
  return w.replaceAll("Y", "y");
}
function plural(w) {
  const n = w.length;
  if (w.endsWith("sses")) return w.slice(0, -2);
  if (w.endsWith("ied") || w.endsWith("ies")) return w.slice(0, n > 4 ? -2 : -1);
  if (w.endsWith("us") || w.endsWith("ss")) return w;
  return w.endsWith("s") && hasVowel(w.slice(0, -2)) ? w.slice(0, -1) : w;
}
function past(w, r1) {
  for (const suffix of ["eedly", "ingly", "edly", "eed", "ing", "ed"]) {
    if (!w.endsWith(suffix)) continue;
    const start = w.length - suffix.length;
    if (suffix.startsWith("eed")) return start >= r1 ? w.slice(0, start + 2) : w;
    const base = w.slice(0, start);
    if (!hasVowel(base)) return w;
    if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
    if (start >= 2 && base[start - 1] === base[start - 2] && "bdfgmnprt".includes(base[start - 1])) return base.slice(0, -1);
    return r1 >= start && isShort(base) ? `${base}e` : base;
  }
  return w;
}
function derive(w, rules, region2) {
  const [suffix, replacement] = rules.find(([suffix2]) => w.endsWith(suffix2)) ?? ["", ""];
  const start = w.length - suffix.length;
  const letters = behind[suffix];
  const fits = start >= region2 && (letters === void 0 || start > 0 && letters.includes(w[start - 1]));
  return fits ? w.slice(0, start) + replacement : w;
}
function lastLetter(w, r1, r2) {
  const last = w.length - 1;
  if (w[last] === "e" && (last >= r2 || last >= r1 && !isShort(w.slice(0, last)))) return w.slice(0, last);
  if (w[last] === "l" && last >= r2 && last > 0 && w[last - 1] === "l") return w.slice(0, last);
  return w;
}

// src/documents/word.ts
var maxWord = 64;
var small = 1;
var capital = 2;
var digit2 = 4;
var classes = new Uint8Array(256);
for (let c = 0; c < 26; c++) {
  classes[97 + c] = small;
  classes[65 + c] = capital;
}
for (let c = 48; c < 58; c++) classes[c] = digit2;
function classOf(code2) {
  if (code2 < 128) return classes[code2];
  const character = String.fromCodePoint(code2);
  if (new RegExp("\\p{Lu}", "u").test(character)) return capital;
  if (new RegExp("\\p{Nd}", "u").test(character)) return digit2;
  return /[\p{L}\p{M}]/u.test(character) ? small : 0;
}
var isInWord = (code2) => classOf(code2) !== 0;
function spaceless(r) {
  return r >= 3584 && (r <= 3839 || // Thai, Lao
  r >= 4096 && r <= 4255 || r >= 6016 && r <= 6143 || // Myanmar, Khmer
  r >= 12352 && r <= 12543 && r !== 12539 || // Hiragana, Katakana
  r >= 13312 && r <= 40959 || r >= 44032 && r <= 55215 || r >= 63744 && r <= 64255 || r >= 131072 && r <= 262143);
}
var runeOf = (code2) => code2 < 128 ? String.fromCharCode(code2) : bytesOf(String.fromCodePoint(code2));
function words(text, yieldWord) {
  for (let i = 0; i < text.length; ) {
    const c = text.charCodeAt(i);
    if (c < 128) {
      i = classes[c] === 0 ? i + 1 : run(text, i, yieldWord);
      continue;
    }
    const [r, size] = runeAt(text, i);
    if (spaceless(r)) i = pairs2(text, i, yieldWord);
    else i = isInWord(r) ? run(text, i, yieldWord) : i + size;
  }
}
function pairs2(text, from, yieldWord) {
  let last = from;
  let i = from;
  let n = 0;
  while (i < text.length) {
    const [r, size] = runeAt(text, i);
    if (!spaceless(r)) break;
    if (n > 0) yieldWord(text.slice(last, i + size), last, i + size);
    last = i;
    i += size;
    n++;
  }
  if (n === 1) yieldWord(text.slice(last, i), last, i);
  return i;
}
function run(text, begin, yieldWord) {
  let i = begin;
  let offset = begin;
  let parts2 = 0;
  let whole2 = "";
  let part = "";
  let exact = "";
  let [length, total2] = [0, 0];
  const flush = (next) => {
    if (length > 0 && length <= maxWord) {
      yieldWord(part, offset, i);
      parts2++;
    }
    part = "";
    offset = next;
    length = 0;
  };
  let [marked, joins] = [false, false];
  const ascii = (index) => index < text.length ? classes[text.charCodeAt(index)] : 0;
  let last = 0;
  while (i < text.length) {
    let r = text.charCodeAt(i);
    let size = 1;
    if (r >= 128) {
      ;
      [r, size] = runeAt(text, i);
      if (spaceless(r)) break;
    }
    const c = classOf(r);
    if (isInvisible(r) || joins && r >= 768 && r < 880) {
      marked ||= c !== 0;
      if (c !== 0 && total2 <= maxWord) exact += runeOf(r);
      i += size;
      continue;
    }
    if (c === 0) {
      const next = ascii(i + 1);
      if ((r === 95 || r === 45) && next !== 0) {
        i++;
        flush(i);
        last = 0;
        continue;
      }
      if (r === 46 && last === digit2 && next === digit2) {
        part += ".";
        if (total2 <= maxWord) [whole2, exact] = [`${whole2}.`, `${exact}.`];
        length++;
        total2++;
        i++;
        continue;
      }
      if (r === 39 || r === 8217) i = ending(text, i + size);
      break;
    }
    if (c === capital) {
      const after2 = ascii(i + 1);
      if (last === small || last === digit2 && part.length > 0 && after2 === small || last === capital && after2 === small) flush(i);
      r = lowerOf(String.fromCodePoint(r)).codePointAt(0);
    }
    last = c;
    const letter2 = runeOf(r);
    const folded2 = r < 128 ? letter2 : fold3(r);
    joins = r < 128 || folded2 !== "";
    marked ||= joins && folded2 !== letter2;
    if (length <= maxWord) part += folded2 || letter2;
    if (total2 <= maxWord) {
      whole2 += folded2 || letter2;
      exact += letter2;
    }
    length++;
    total2++;
    i += size;
  }
  flush(i);
  if (total2 > maxWord) return i;
  if (parts2 > 1) yieldWord(whole2, begin, i);
  else if (marked && parts2 === 1) yieldWord(bytesOf(textOf(exact).normalize("NFC")), begin, i);
  return i;
}
function ending(text, i) {
  let n = i;
  while (n < text.length && classes[text.charCodeAt(n)] === small) n++;
  return n - i <= 2 ? n : i;
}
var isInvisible = (r) => r >= 173 && /[\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u200b-\u200d\u2060\ufeff]/.test(String.fromCodePoint(r));
var others = { ß: "ss", ø: "o", ł: "l", æ: "ae", œ: "oe", đ: "d", ı: "i", ς: "σ" };
var folds = /* @__PURE__ */ new Map();
function fold3(r) {
  let folded2 = folds.get(r);
  if (folded2 === void 0) {
    const letter2 = String.fromCodePoint(r);
    const known = r < 8192 && new RegExp("\\p{L}", "u").test(letter2) && /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u.test(letter2);
    folded2 = known ? bytesOf(others[letter2] ?? letter2.normalize("NFD").replace(new RegExp("\\p{Mn}", "gu"), "")) : "";
    folds.set(r, folded2);
  }
  return folded2;
}

// src/tables/words.ts
var stopWords = new Set(
  "a an and are as at be by can do does for from has have how i if in is it its my of on or that the then there this to was what when where which will with you your".split(" ")
);
var vagueWords = new Set(
  "about above after again all also always another any anybody anyone anything article because been before behind being below between both but cannot could details did doc docs documentation doing done down during each either else even ever every everybody everyone everything few first get gets give given gives goes guide guides had having he her here him information instruction instructions into itself just know last learn least less let like made make makes many may me might more most much must need needs never new next none not nothing now off once one ones only other others our out over own page pages please possible rather really same says section sections see shall she should show shows since some somebody someone something still such tell than their them themselves these they thing things those though through till too two under unless until us use used user uses using very want wants way ways we well were whatever whenever wherever whether while who whole whom whose why without would yes yet yourself".split(" ")
);
var sameStems = "account peopl person user, add append attach insert put, address link url, alert notif notifi warn, allow grant permit, amount count limit maximum number quota, answer repli respons, argument paramet variabl, array collect list slice, ask prompt queri question request, backup recoveri restor, block deni forbid prevent restrict, broken corrupt incorrect invalid wrong, bug issu problem troubl, categori taxonomi, alter chang custom edit modifi, chat convers messag, check test valid verifi, choos filter pick select, chunk fragment part piec, cli command consol shell termin, clone copi duplic, compress minifi shrink, comput host machin server, concurr parallel simultan, config configur option prefer set, break crash fail, creat generat produc, credenti passphras password secret, delay paus sleep timeout wait, clear delet discard drop eras remov unset, depend librari modul packag, deploy publish push releas upload, deprec former legaci old previous, directori folder, deactiv disabl, duplic ident redund repeat, email mail, activ enabl, certif encrypt ssl tls, env environ, error except failur fault, callback event hook trigger, addon extens plugin, fast latenc perform quick slow speed, download fetch get obtain receiv retriev, find locat search, fix repair resolv solv troubleshoot, hierarchi nest recurs tree, id identifi key, exclud ignor omit skip, icon imag photo pictur, element entri item, combin concaten join merg, keep persist preserv retain save store, i18n languag local translat, live realtim stream, authent login sign sso, memori ram rememb, menu navig, migrat move reloc transfer, arrang order sort, access author permiss right role, articl blog post, bill cost money price, app applic program, gateway proxi, replac substitut, output result return, revert rollback undo, polici rule, cron interv period schedul, send submit transmit, display render show view, dimens height size width, audio sound speech voic, divid separ split, begin boot launch start, abort cancel halt stop termin, keyword label tag, group organ team, appear css design layout style templat theme, switch toggl turn, distinct uniqu, refresh updat upgrad, film movi video, monitor observ watch, site websit".split(", ").map((group) => group.split(" "));

// src/documents/query.ts
var maxTerms = 24;
var maxParsed = 200;
var maxJoined = 48;
var maxPrefixed = 32;
var shortestPart = 5;
var longSpelling = 6;
var maxRare = 10;
var rarePart = 200;
var maxMisspelled = 1;
var misspelledPart = 1e3;
var f2 = Math.fround;
var prefixShare = f2(0.8);
var joinedShare = f2(0.4);
var halfShare = f2(0.4);
var similarShare = f2(0.3);
var sameShare = f2(0.5);
var vagueShare = f2(0.4);
function add(t, number, share) {
  if (t.from.includes(number)) return;
  t.from.push(number);
  t.share.push(share);
}
async function parse(x, query, most4, dropped) {
  let terms = [];
  const stops = [];
  const seen = /* @__PURE__ */ new Set();
  let last = -1;
  const bytes = bytesOf(query.normalize("NFKC"));
  words(bytes, (word, offset) => {
    const t = { word, stem: stem(word), whole: offset <= last, said: "", replaced: false, passages: [], from: [], share: [], same: 0, idf: 0 };
    last = offset;
    if (seen.has(t.stem) || terms.length >= maxParsed) return;
    if (stopWords.has(word)) stops.push(t);
    else {
      const said = around(bytes, offset);
      if (!vagueWords.has(said.toLowerCase())) t.said = said;
      terms.push(t);
    }
    seen.add(t.stem);
  });
  if (terms.length === 0) terms = stops;
  if (terms.length > most4) {
    const holders = /* @__PURE__ */ new Map();
    for (const t of terms) {
      const number = await x.lookUp(t.stem);
      holders.set(t, (number < 0 ? 0 : await x.holding([number])) + (t.said === "" ? x.head.counted : 0));
    }
    while (terms.length > most4) {
      const common = terms.reduce((a, b) => holders.get(b) > holders.get(a) ? b : a);
      terms.splice(terms.indexOf(common), 1);
      if (common.said !== "" && !dropped.includes(common.said)) dropped.push(common.said);
    }
  }
  for (const [i, t] of terms.entries()) {
    const number = await x.lookUp(t.stem);
    if (number >= 0) add(t, number, 1);
    await extend(x, t, i === terms.length - 1);
  }
  for (let i = 1; i < terms.length; i++) await join2(x, terms[i - 1], terms[i]);
  for (const t of terms) {
    t.replaced = t.from.length === 0 && !await compounds(x, t);
    const vague2 = vagueWords.has(t.word);
    if (!t.whole && !vague2) await respell(x, t);
    t.idf = await x.idf(t.from);
    if (vague2) t.idf = f2(t.idf * vagueShare);
  }
  return terms;
}
async function broaden(x, terms) {
  for (const t of terms) {
    const own = t.from.length;
    for (const stem2 of sameStems.filter((group) => group.includes(t.stem)).flat()) {
      const number = await x.lookUp(stem2);
      if (number >= 0) add(t, number, sameShare);
    }
    t.same = t.from.length - own;
    if (own === 0) t.idf = await x.idf(t.from);
  }
}
function around(text, at) {
  const before = /[\p{L}\p{M}\p{Nd}_\-.']*$/u.exec(textOf(text.slice(0, at)))?.[0] ?? "";
  const after2 = /^[\p{L}\p{M}\p{Nd}_\-.']*/u.exec(textOf(text.slice(at)))?.[0] ?? "";
  return bytesOf((before + after2).replace(/^[_\-.']+|[_\-.']+$/g, ""));
}
var lengthOf2 = (word) => [...textOf(word)].length;
async function extend(x, t, last) {
  const { word } = t;
  const [r, size] = runeAt(word, 0);
  const character = last && size === word.length && spaceless(r);
  if (word.length < 2 || t.from.length > 0 && !character) return;
  const { number: from } = await x.find(word);
  const long = last || lengthOf2(word) >= shortestPart;
  await x.each(from, (term, number) => {
    if (number >= from + maxPrefixed || !term.startsWith(word)) return false;
    if (long || !(word.length < term.length && new RegExp("\\p{L}", "u").test(String.fromCodePoint(runeAt(term, word.length)[0])))) add(t, number, prefixShare);
    return true;
  });
  if (character) {
    await x.each(0, (term, number) => {
      if (t.from.length >= maxPrefixed) return false;
      if (term.endsWith(word)) add(t, number, prefixShare);
      return true;
    });
  }
}
async function compounds(x, t) {
  const { word } = t;
  const long = lengthOf2(word) >= shortestPart;
  let between = false;
  await x.each(0, (term, number) => {
    const n = term.lastIndexOf(word);
    if (n <= 0) return true;
    if (t.from.length === maxPrefixed) return false;
    const dotted = term[n - 1] === ".";
    between ||= dotted;
    if (dotted || long && n + word.length === term.length) add(t, number, halfShare);
    return true;
  });
  return between;
}
async function join2(x, a, b) {
  if (a.whole || b.whole || lengthOf2(a.word + b.word) > maxWord) return;
  const number = await x.lookUp(stem(a.word + b.word));
  if (number < 0) return;
  add(a, number, joinedShare);
  add(b, number, joinedShare);
}
async function respell(x, t) {
  const { word } = t;
  if (lengthOf2(word) < 4 || /[0-9]/.test(word)) return;
  const holders = await x.holding(t.from);
  if (holders > Math.min(maxRare, Math.floor(x.head.counted / rarePart))) return;
  const shortest = 3;
  let first = 0;
  let second = 0;
  let most4 = 0;
  for (let n = shortest; n <= word.length - shortest; n++) {
    const i = await x.lookUp(stem(word.slice(0, n)));
    if (i < 0) continue;
    const j = await x.lookUp(stem(word.slice(n)));
    if (j < 0) continue;
    const common = Math.min(await x.holding([i]), await x.holding([j]));
    if (common > most4 && await together2(x, i, j)) [first, second, most4] = [i, j, common];
  }
  if (most4 > 0) {
    add(t, first, halfShare);
    add(t, second, halfShare);
    return;
  }
  if (holders > Math.min(maxMisspelled, Math.floor(x.head.counted / misspelledPart))) return;
  const initial = t.stem.slice(0, runeAt(t.stem, 0)[1]);
  const { number: from } = await x.find(initial);
  const near2 = [];
  await x.each(from, (term, number) => {
    if (!term.startsWith(initial)) return false;
    if (similar(term, t.stem) && specific(term)) near2.push(number);
    return true;
  });
  if (near2.length === 1 && t.from.length === 0 && lengthOf2(word) >= longSpelling) add(t, near2[0], similarShare);
}
var vague = new Set([...stopWords, ...vagueWords].map(stem));
var specific = (term) => !vague.has(term);
async function together2(x, i, j) {
  return specific(await x.term(i)) && specific(await x.term(j)) && (await x.common([i, j])).length > 0;
}
function similar(a, b) {
  if (Math.abs(a.length - b.length) > 4) return false;
  const x = [...textOf(a)];
  const y = [...textOf(b)];
  let start = 0;
  while (start < x.length && start < y.length && x[start] === y[start]) start++;
  let i = x.length;
  let j = y.length;
  while (i > start && j > start && x[i - 1] === y[j - 1]) {
    i--;
    j--;
  }
  const m = i - start;
  const n = j - start;
  return m <= 1 && n <= 1 || m === 2 && n === 2 && x[start] === y[start + 1] && x[start + 1] === y[start];
}

// src/documents/rank.ts
var f3 = Math.fround;
var maxCount = 15;
var inName = 16;
var inTitle = 32;
var inHeading = 64;
var fewWords = 24;
var mostWords = 32767;
var k1PlusOne = f3(2.2);
var k1OneMinusB = f3(0.6);
var k1TimesB = f3(0.6);
var markedWeight = Array.from({ length: 16 }, (_, marks) => 2 * [1, 2, 4, 8].filter((mark) => marks & mark).length);
var compare2 = (a, b) => b.score - a.score || a.passage - b.passage;
function insert(list2, s, limit, compare3) {
  if (list2.length === limit && compare3(s, list2[limit - 1]) >= 0) return;
  list2.splice(bisect(list2.length, (i) => compare3(list2[i], s) >= 0), 0, s);
  if (list2.length > limit) list2.pop();
}
var boardOf = (n) => ({
  score: new Float32Array(n),
  named: new Float32Array(n),
  name: new Float32Array(n),
  title: new Float32Array(n),
  head: new Float32Array(n),
  count: new Uint8Array(n),
  // twice the terms that the passage has, and once the terms of same
  latest: new Uint8Array(n),
  touched: new Uint32Array(n),
  // the passages that have a count
  size: 0
  // the number of touched passages
});
async function rank(x, terms, limit, perDocument, only, within, written2 = []) {
  const n = x.head.passages;
  let all = 0;
  for (const t of terms) all = f3(all + t.idf);
  if (n === 0 || !terms.some((t) => t.from.length + t.passages.length > 0)) return [];
  const tables = await x.tables();
  const board = boardOf(n);
  for (const [i, t] of terms.entries()) await addUp(x, tables, board, t, i + 1);
  const touched = board.touched.subarray(0, board.size).sort();
  const scale = f3(0.5 / f3(all * k1PlusOne));
  const best = [];
  const { first } = tables;
  let document = 0;
  for (let next = 0; next < touched.length; ) {
    const start = next;
    while (document + 1 < first.length && first[document + 1] <= touched[next]) document++;
    const end = first[document + 1] ?? n;
    let sum2 = 0;
    let found2 = 0;
    for (; next < touched.length; next++) {
      const p = touched[next];
      if (p >= end) break;
      if (within && !within.has(p)) board.count[p] = board.score[p] = 0;
      const count = board.count[p];
      if (count === 0) continue;
      const share = f3(count / (2 * terms.length));
      let score = f3(board.score[p] * f3(scale * f3(1 + f3(share / 2))));
      const named = board.named[p];
      if (named > 0) score = f3(score + f3(share * bonus(board, tables, document, p, f3(named / all))));
      if (written2.includes(p)) score = f3(score + 0.5);
      sum2 = f3(sum2 + toOthers(score, count, terms));
      found2++;
      board.score[p] = score;
    }
    if (sum2 === 0) continue;
    if (only && !selects(only, await x.document(document), x.head.trees)) continue;
    const ofDocument = [];
    const others2 = f3(f3(0.4) / f3(Math.sqrt(found2)));
    for (let i = start; i < next; i++) {
      const passage = touched[i];
      const score = board.score[passage];
      const count = board.count[passage];
      if (count === 0) continue;
      const together4 = f3(score + f3(others2 * f3(sum2 - toOthers(score, count, terms))));
      insert(ofDocument, { passage, score: f3(crowded(together4, found2, 2 * terms.length - count) * tables.share[document]) }, perDocument, compare2);
    }
    insert(best, ofDocument, limit, (a, b) => compare2(a[0], b[0]));
  }
  return best;
}
var toOthers = (score, count, terms) => f3(score * Math.min(1, f3(count / terms.length)));
function crowded(score, n, lacking) {
  let root = n;
  for (let i = 0; i < 6; i++) root = Math.sqrt(root);
  for (let i = 0; i < lacking; i++) score = f3(score / f3(root));
  return score;
}
function bonus(board, tables, document, p, share) {
  const ofQuery = Math.min(share, 1);
  const overlap = (found2, name2) => {
    if (found2 === 0 || name2 === 0) return 0;
    const ofName = Math.min(f3(found2 / name2), 1);
    return f3(f3(f3(2 * ofQuery) * ofName) / f3(ofQuery + ofName));
  };
  const [name, title] = tables.first[document] === p ? [tables.name[document], tables.title[document]] : [0, 0];
  const ofTitle = Math.max(overlap(board.name[p], name), overlap(board.title[p], title));
  const heading2 = overlap(board.head[p], tables.heading[p]);
  return f3(f3(f3(f3(2.4) * ofTitle) * ofTitle) + f3(heading2 * heading2));
}
async function addUp(x, tables, board, t, number) {
  const { counted, words: words2 } = x.head;
  for (const p of t.passages) {
    board.score[p] = board.score[p] + t.idf;
    if (board.count[p] === 0) board.touched[board.size++] = p;
    board.count[p] = board.count[p] + 2;
  }
  const perWord = f3(f3(k1TimesB * f3(counted)) / f3(Math.max(words2, fewWords * counted)));
  for (const [k, i] of t.from.entries()) {
    const share = t.share[k];
    const worth = f3(f3(share * t.idf) * k1PlusOne);
    const weighted = f3(share * f3(3 + await x.idf([i])));
    const named = f3(share * t.idf);
    const same = k >= t.from.length - t.same;
    const postings = await x.postings(i);
    for (let j = 0; j < postings.length; j += 2) {
      const p = postings[j];
      if (same && board.latest[p] === number) continue;
      const weight = postings[j + 1];
      const often = (weight & maxCount) + markedWeight[weight >>> 4];
      const length = f3(f3(often + k1OneMinusB) + f3(perWord * Math.max(tables.words[p] & mostWords, fewWords)));
      board.score[p] = board.score[p] + f3(f3(worth * often) / length);
      if (board.latest[p] !== number) {
        board.latest[p] = number;
        if (board.count[p] === 0) board.touched[board.size++] = p;
        board.count[p] = board.count[p] + (same ? 1 : 2);
      }
      if (weight <= maxCount || same) continue;
      board.named[p] = board.named[p] + named;
      if (t.whole) continue;
      if (weight & inName) board.name[p] = board.name[p] + weighted;
      if (weight & inTitle) board.title[p] = board.title[p] + weighted;
      if (weight & inHeading) board.head[p] = board.head[p] + weighted;
    }
  }
}

// src/documents/wording.ts
var maxAlternatives = 5;
var maxRanked = 100;
var mergedAfter = 3;
var maxQuery = 4 << 10;
var maxVerified = 2e3;
var maxStopped = 200;
var maxWritten = 32;
var maxPhrases = 4;
var spellings2 = 64;
var hitsPerFile = 3;
var aloneSure = 16;
var signedBonus = 100;
var otherShare = 0.5;
var f4 = Math.fround;
async function wordingsOf(library, query) {
  const out = { all: [] };
  const seen = [];
  for (const [i, text] of [query.words, ...query.alternatives.slice(0, maxAlternatives)].entries()) {
    const { words: rest, only, error } = await filtered(library, cut2(text, maxQuery));
    if (i === 0) Object.assign(out, { only, error });
    if (rest === "" || seen.includes(rest)) continue;
    seen.push(rest);
    out.all.push(unquoted(rest));
  }
  if (out.all.length > 1) out.all.push({ text: out.all.map(({ text }) => `${text} . `).join(""), phrases: [], signed: [], most: maxJoined });
  for (const path of query.paths) await (out.only ??= new Filter()).add(library, path);
  return out;
}
function unquoted(text) {
  const parts2 = textOf(text).replace(/[“”]/g, '"').split('"');
  const phrases = parts2.filter((_, i) => i % 2 === 1 && i < parts2.length - 1).map(folded);
  const signed = parts2.filter((_, i) => i % 2 === 0 || i === parts2.length - 1).flatMap(signedWords).slice(0, maxPhrases);
  return { text: bytesOf(parts2.join("")), phrases: [...new Set(phrases)].filter((phrase) => phrase !== "").slice(0, maxPhrases), signed, most: maxTerms };
}
function signedWords(text) {
  const all = text.replaceAll("`", "").split(new RegExp("\\p{White_Space}+", "u")).map((word) => /[\p{L}\p{M}\p{Nd}]/u.test(word) ? word.replace(/^[([{<']+|[.,;:!?()[\]{}<>']+$/g, "") : /^(?:.?|[-.]*)$/u.test(word) ? "" : word);
  return [...new Set(all.filter((word) => /^[!-/:-@[-`{-~]|[!-/:-@[-`{-~]$/.test(word)))];
}
var folded = (text) => lowerOf(textOf(oneLine(bytesOf(text.replaceAll("`", "")))).normalize("NFC"));
async function termsOf(x, wording, alone, dropped) {
  const terms = await parse(x, textOf(wording.text), wording.most, wording.most === maxTerms ? dropped : []);
  if (alone) await broaden(x, terms);
  await afford(x, terms);
  return terms;
}
async function look(x, wording, number, terms, alone, only) {
  const writes = wording.most === maxTerms && wording.phrases.length === 0 && terms.filter((t) => t.said !== "").length > 1;
  const written2 = writes ? await having(x, folded(textOf(wording.text).replace(/^[ .?!]+|[ .?!]+$/g, "")), only, "in prose") : void 0;
  let within;
  let signed = [];
  for (const [i, phrase] of [...wording.phrases, ...wording.signed].entries()) {
    const isSigned = i >= wording.phrases.length;
    const passages = await having(x, folded(phrase), only, isSigned ? "with signs" : "");
    if (!passages && isSigned) continue;
    const [found2, said] = [passages ?? [], bytesOf(isSigned ? phrase : `"${phrase}"`)];
    terms.push({ word: bytesOf(phrase), stem: "", whole: false, said, from: [], share: [], same: 0, idf: x.rarity(found2.length), replaced: found2.length === 0, passages: found2 });
    const { first } = await x.tables();
    if (isSigned) for (const d of new Set(await Promise.all(found2.map((p) => x.documentOf(p))))) for (let p = first[d]; p < (first[d + 1] ?? x.head.passages); p++) signed.push(p);
    else if (found2.length > 0) within = new Set(within ? found2.filter((p) => within?.has(p)) : found2);
  }
  const exact = signed.length === 0 && within !== void 0;
  signed = signed.filter((p) => within?.has(p) !== false);
  const pages = [];
  const seen = /* @__PURE__ */ new Set();
  for (const part of signed.length > 0 ? [new Set(signed), within] : [within]) {
    for (const ranked of await rank(x, terms, maxRanked, hitsPerFile, only, part, written2 ?? [])) {
      const document = await x.documentOf(ranked[0].passage);
      const same = await x.sameAs(document);
      if (seen.has(same)) continue;
      const tree = !only && x.head.trees.length > 0 ? x.head.trees[(await x.document(document)).tree] : void 0;
      const other2 = tree !== void 0 && !(tree.ofLanguage && tree.ofVersion);
      seen.add(same);
      const score = f4(f4(ranked[0].score * (other2 ? otherShare : 1)) + (exact || part !== within ? signedBonus : 0));
      pages.push({ document, same, ranked, score, sure: alone ? f4(score * aloneSure) : score, wording: number, terms });
    }
  }
  return pages.sort((a, b) => b.score - a.score);
}
async function afford(x, terms) {
  const costs = [];
  for (const term of terms) {
    for (const [k, number] of term.from.entries()) {
      costs.push({ term, number, worth: term.share[k] * term.idf, paths: await x.pathsOf(number) });
    }
  }
  costs.sort((a, b) => b.worth - a.worth || a.number - b.number);
  const reads = [];
  for (const { term, number, paths } of costs) {
    if (x.affords(paths, 1 + forHits)) {
      reads.push(...paths.map((path) => x.budget.read(path, 1, (data) => data)));
      continue;
    }
    const index = term.from.indexOf(number);
    if (index >= term.from.length - term.same) term.same--;
    term.from.splice(index, 1);
    term.share.splice(index, 1);
  }
  await Promise.all([x.tables(), ...reads]);
}
function merged(lists) {
  if (lists.length === 1) return lists[0];
  const sums = /* @__PURE__ */ new Map();
  for (const [i, list2] of lists.entries()) {
    for (const [rank2, page] of list2.entries()) {
      const s = sums.get(page.same) ?? { page, found: [], rank: rank2, score: 0, sure: 0, next: 0 };
      sums.set(page.same, s);
      s.score = f4(f4(s.score + f4((i === 0 ? 2 : 1) / (mergedAfter + rank2))) + (i === 0 && page.score >= signedBonus ? signedBonus : 0));
      s.found.push(page);
      if (i < lists.length - 1) [s.sure, s.next] = [Math.max(s.sure, page.sure), Math.max(s.next, Math.min(s.sure, page.sure))];
      if (rank2 < s.rank && i < lists.length - 1) [s.page, s.rank] = [page, rank2];
    }
  }
  return [...sums.values()].sort((a, b) => b.score - a.score).map(({ page, found: found2, score, sure, next }) => ({ ...page, score, sure: f4(sure + next), ranked: together3(page.document, found2) }));
}
function together3(document, found2) {
  const sums = /* @__PURE__ */ new Map();
  for (const { ranked } of found2.filter((page) => page.document === document)) {
    for (const [rank2, s] of ranked.entries()) sums.set(s.passage, { ...s, score: f4((sums.get(s.passage)?.score ?? 0) + f4(1 / (mergedAfter + rank2))) });
  }
  return [...sums.values()].sort((a, b) => b.score - a.score || a.passage - b.passage).slice(0, hitsPerFile);
}
async function having(x, phrase, only, as) {
  const found2 = [];
  words(bytesOf(phrase.normalize("NFKC")), (word) => void found2.push(word));
  const stems = [];
  for (const word of found2) {
    const number = stopWords.has(word) ? -1 : await x.lookUp(stem(word));
    if (number >= 0) stems.push(number);
    else if (!stopWords.has(word)) return void 0;
  }
  const candidates = await x.common(stems);
  if (as === "in prose" && candidates.length > maxWritten) return void 0;
  const passages = [];
  let [last, read2, selected] = [-1, 0, false];
  for (const passage of candidates) {
    const document = await x.documentOf(passage);
    if (document !== last) {
      last = document;
      selected = !only || selects(only, await x.document(document), x.head.trees);
      if (selected && ++read2 > (stems.length === 0 && found2.length > 0 ? maxStopped : maxVerified)) return orNone(passages);
    }
    if (!selected) continue;
    if (!x.affords([x.textPath(passage)], forHits)) return orNone(passages);
    const { front, text } = await x.passage(passage);
    const parts2 = folded(textOf(front + text)).split(phrase);
    const states = (after2, before) => as === "in prose" ? !/^[^[]*?\]/.test(after2) : as === "" || !(signless(phrase, 0) && isSpaced(before.at(-1)) || signless(phrase, -1) && isSpaced(after2[0]));
    if (parts2.slice(1).some((after2, i) => states(after2, parts2[i]))) passages.push(passage);
  }
  return passages;
}
var orNone = (passages) => passages.length > 0 ? passages : void 0;
var signless = (phrase, at) => !/[!-/:-@[-`{-~]/.test(phrase.at(at));
var isSpaced = (letter2 = " ") => /[\p{L}\p{M}\p{Nd}]/u.test(letter2) && !spaceless(letter2.codePointAt(0));
async function spelled(x, number) {
  const [postings, term] = [await x.postings(number), await x.term(number)];
  let spelling = "";
  for (let j = 0, left = spellings2; j < postings.length && spelling === ""; j += 2) {
    const passage = postings[j];
    if ((postings[j + 1] & 15) === 0) continue;
    if (--left < 0 || !x.affords([x.textPath(passage)], forHits)) break;
    const { text } = await x.passage(passage);
    words(text, (word, offset, end) => {
      if (spelling === "" && stem(word) === term) spelling = lower(text.slice(offset, end));
    });
  }
  return spelling;
}

// src/documents/snippet.ts
var snippetSize = 240;
var smallExcerpt = 60;
var phraseWorth = 64;
var tableRow = 2;
var tableHead = 3;
var codeLine = 4;
var heading = 5;
function partOf3(passage, stems, phrases) {
  const { text, top, units } = passage;
  const found2 = units.map(() => ({ first: 0, stems: [] }));
  const initials = initialsOf(stems);
  let at = 0;
  words(text, (word, offset) => {
    while (at < units.length && offset >= units[at].end) at++;
    const [u, into] = [units[at], found2[at]];
    if (!u || !into || offset < u.start || names(u) || !initials.has(word[0])) return;
    const s = stem(word);
    if (!stems.has(s) || into.stems.includes(s)) return;
    if (into.stems.length === 0) into.first = offset;
    into.stems.push(s);
  });
  let [start, match, most4] = [0, 0, 0];
  for (const [i, { first, stems: own }] of found2.entries()) {
    const others2 = own.length === 0 ? [] : (found2[i + 1]?.stems ?? []).filter((s) => !own.includes(s));
    const { start: from, end } = units[i];
    const stated = names(units[i]) ? [] : phrases.filter((phrase) => bytesOf(folded(textOf(text.slice(from, end)))).includes(phrase));
    const value = 2 * (sum(own, stems) + phraseWorth * stated.length) + sum(others2, stems);
    if (value > most4) [start, match, most4] = [from, Math.max(first, from), value];
  }
  const line2 = top + countOf(text.slice(0, start), "\n");
  const last = line2 + countOf(trim(text.slice(start)), "\n");
  return { heading: passage.heading, line: line2, last, top, start, match, text, units };
}
var names = ({ kind: kind2 }) => kind2 === heading || kind2 === tableHead;
var sum = (all, worth) => all.reduce((n, s) => n + worth.get(s), 0);
function excerptOf(part, most4, indent = "") {
  const { units } = part;
  if (units.length === 0 || most4 < smallExcerpt) return "";
  let focus = Math.max(units.findLastIndex((u) => u.start <= part.start), 0);
  const top = units.length > 1 && units[0]?.kind === heading && part.heading !== "" ? 1 : 0;
  focus = Math.max(focus, top);
  let [from, to] = [focus, focus + 1];
  const { start, end } = units[focus];
  let shown3 = unitsIn(part, from, to, indent);
  if (shown3.length > most4) return cutUnit(part, focus, most4, indent);
  for (let [forward, back] = [true, true]; forward || back; ) {
    forward &&= to < units.length;
    back &&= from > top;
    let [f6, t] = [from, to];
    const [before, after2] = [start - units[from].start, units[to - 1].end - end];
    const rest = back && !closes(part, from - 1) && (!forward || closes(part, to - 1));
    if (!rest && forward && (!back || after2 <= 3 * before)) t++;
    else if (back) f6--;
    else continue;
    const longer = unitsIn(part, f6, t, indent);
    if (longer.length <= most4) [from, to, shown3] = [f6, t, longer];
    else if (t > to) forward = false;
    else back = false;
  }
  while (to - 1 > focus && units[to - 1]?.announces) shown3 = unitsIn(part, from, --to, indent);
  return shown3;
}
function closes({ text, units }, number) {
  const { start, end, kind: kind2 } = units[number];
  return kind2 === codeLine || /\n[ \t\r]*\n[ \t\r\n]*$/.test(text.slice(start, end));
}
function headOf({ text, units }, row) {
  let i = row;
  while (i > 0 && units[i]?.kind === tableRow) i--;
  return i === row || units[i]?.kind !== tableHead ? "" : text.slice(units[i - 1]?.start, units[i]?.end);
}
function unitsIn(part, from, to, indent) {
  const units = part.units.slice(from, to);
  const first = units[0];
  let text = headOf(part, from) + part.text.slice(first.start, units.at(-1)?.end);
  if (!first.inside) text = text.replace(/^[ \t\r\n]+/, "");
  else if (units[1]?.inside === false && fenceAfter(text.slice(0, text.indexOf("\n")), "```") === "") text = text.slice(text.indexOf("\n") + 1).replace(/^[ \t\r\n]+/, "");
  else text = `\`\`\`
${text}`;
  text = trimRight(text.replace(/\n(?:[ \t\r]*\n){2,}/g, "\n\n"));
  const open = fenceAfter(text, "");
  if (open !== "") text += `
${open}`;
  return indented(text, indent);
}
var indented = (text, indent) => indent === "" ? text : text.split("\n").map((line2) => trim(line2) === "" ? line2 : indent + line2).join("\n");
function cutUnit(part, focus, most4, indent) {
  const [{ text, match }, { start, end, kind: kind2 }] = [part, part.units[focus]];
  let out = oneLine(text.slice(start, end));
  if (kind2 === tableRow) {
    let head = headOf(part, focus);
    if (head.length > Math.trunc(most4 / 3)) head = "";
    const row = most4 - indented(head, indent).length - indent.length;
    let cells = out.split("|");
    for (let size = row; out.length > row && size > 16; size = Math.trunc(size * 3 / 4)) {
      cells = cells.map((cell) => ellipsis(cell, size));
      out = cells.join("|");
    }
    if (out.length <= row) return indented(head + out, indent);
  }
  const skipped = oneLine(text.slice(start, Math.max(start, match))).length - Math.trunc(most4 / 4);
  const room = most4 - indent.length - 4;
  const half = Math.trunc(room / 2);
  if (skipped > 0 && out.length - skipped >= half) {
    out = out.slice(cut2(out, skipped).length).replace(/^ +/, "");
    const i = out.indexOf(" ");
    if (i >= 0 && i + 1 < Math.trunc(most4 / 4)) out = out.slice(i + 1);
    out = `${ellipsisMark} ${out}`;
  }
  if (out.length > room) {
    out = cut2(out, room);
    const i = out.lastIndexOf(" ");
    out = `${i > half ? out.slice(0, i) : out} ${ellipsisMark}`;
  }
  return indent + out;
}
var initialsOf = (stems) => /* @__PURE__ */ new Set(["v", ...[...stems.keys()].map((stem2) => stem2[0])]);
var openFence = (line2) => /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(line2)?.[0] ?? "";
function fenceAfter(text, fence) {
  for (const line2 of text.split("\n")) {
    const bare2 = line2.replace(/[ \t\r]+$/, "").replace(/^[> \t]+/, "");
    if (fence === "") fence = openFence(bare2);
    else if (bare2.startsWith(fence) && /^(?:`+|~+)$/.test(bare2)) fence = "";
  }
  return fence;
}

// src/documents/search.ts
var maxHits = 100;
var weakScore = 1.5;
var ownWorth = 4;
var f5 = Math.fround;
async function pagesOf(library, { all, only }) {
  const x = new Index(await library.head(only !== void 0), new Budget(library.assets));
  const lists = [];
  const terms = [];
  const dropped = [];
  for (const wording of all) terms.push(await termsOf(x, wording, all.length === 1, dropped));
  for (const [i, wording] of all.entries()) lists.push(await look(x, wording, i, terms[i], all.length === 1, only));
  return { x, pages: lists.length > 0 ? merged(lists) : [], terms, dropped };
}
async function foundBy(library, query, limit) {
  const { x, pages } = await pagesOf(library, await wordingsOf(library, { words: query, alternatives: [], paths: [] }));
  const out = [];
  for (const { document } of pages.slice(0, limit)) out.push(await x.document(document));
  return out;
}
async function search(library, query, skip, limit, brief) {
  const { x, pages, terms, dropped } = await pagesOf(library, query);
  const out = { hits: [], more: pages.length > skip + limit, missing: [], absent: false, weak: false, dropped, unmatched: [], nothing: false };
  if (terms.length === 0) return out;
  if (query.only) await check(x, query.only, out, pages.length > 0 ? forHits : 0);
  for (const page of pages.slice(skip, skip + limit)) {
    const hit2 = await hitOf(x, page, terms.at(-1));
    if (!hit2) {
      out.more = true;
      break;
    }
    out.hits.push(hit2);
  }
  const [first] = pages;
  const [hit] = out.hits;
  if (brief && first && hit) hit.passages[0] = await sectionOf(x, first, hit.passages[0]);
  await judge(x, out, terms.slice(0, Math.max(1, terms.length - 1)).flat());
  out.weak = first !== void 0 && first.sure < weakScore;
  return out;
}
async function check(x, { parts: parts2, languages, versions }, out, others2) {
  let left = parts2.filter(({ found: found2 }) => !found2);
  for (const { path } of x.head.documents) {
    if (left.length === 0) break;
    const documents = x.affords([path], others2) ? await x.budget.read(path, 4, documentsOf) : void 0;
    left = left.filter((part) => documents?.some((d) => matches(part, d.lower)) === false);
  }
  out.nothing = left.length > 0 && left.length === parts2.length;
  out.unmatched = left.map(({ asked }) => asked);
  for (const [key, asked] of [["language", languages], ["version", versions]]) {
    const unknown = asked.filter((value) => !x.head.trees.some((tree) => tree[key] === value));
    out.unmatched.push(...unknown.map((value) => `${key}:${value}`));
    out.nothing ||= unknown.length > 0 && unknown.length === asked.length;
  }
}
async function hitOf(x, { document: number, ranked, terms }, all) {
  const stems = /* @__PURE__ */ new Map();
  for (const t of [...all, ...terms]) {
    for (const [k, number2] of t.from.entries()) {
      const [stem2, worth] = [await x.term(number2), terms.includes(t) && t.share[k] === 1 ? ownWorth : 1];
      stems.set(stem2, Math.max(stems.get(stem2) ?? 1, 1 + Math.trunc(f5(worth * await x.idf([number2])))));
    }
  }
  const phrases = terms.filter((t) => t.passages.length > 0).map((t) => bytesOf(folded(textOf(t.word))));
  const passages = [];
  for (const { passage } of ranked) {
    if (!x.affords([x.textPath(passage), x.documentPath(number)], 0)) break;
    const part = partOf3(await x.passage(passage), stems, phrases);
    if (!passages.some(({ line: line2 }) => line2 === part.line)) passages.push(part);
  }
  return passages.length > 0 ? { document: await x.document(number), passages } : void 0;
}
var camel = /^[^"]*[a-z][A-Z]/;
function uncovered(text, pairs3) {
  const runes = [...textOf(text)];
  const has = (at) => {
    if (at < 0 || at + 2 > runes.length) return false;
    const pair = runes.slice(at, at + 2);
    return pairs3.get(bytesOf(pair.join(""))) ?? pair.every((r) => spaceless(r.codePointAt(0)));
  };
  const rest = runes.map((r, i) => has(i - 1) || has(i) || !/[\p{Script=Han}\p{Script=Katakana}ー]/u.test(r) ? " " : r);
  return rest.join("").split(" ").filter((part) => [...part].length > 1).map(bytesOf);
}
async function judge(x, out, terms) {
  const said = [...new Set(terms.map((t) => t.said).filter((word) => word !== ""))];
  const missing3 = said.filter((word) => !terms.some((t) => t.said === word && !t.replaced && (t.whole || !camel.test(word))));
  out.absent = said.length > 0 && missing3.length === said.length;
  const pairs3 = /* @__PURE__ */ new Map();
  for (const t of terms) pairs3.set(t.word, pairs3.get(t.word) === true || !t.replaced);
  for (const word of said) {
    if (!missing3.includes(word)) {
      out.missing.push(...uncovered(word, pairs3).map((part) => ({ word: part, instead: [] })));
      continue;
    }
    const instead = /* @__PURE__ */ new Set();
    for (const number of terms.filter((t) => t.said === word).flatMap((t) => t.from)) instead.add(await spelled(x, number));
    out.missing.push({ word, instead: [...instead].filter((spelling) => spelling !== "") });
  }
}

// src/documents/item.ts
var bare = /^[A-Za-z/_][A-Za-z0-9/_.,()"'=+-]*( [A-Za-z0-9/_.,()"'=+-]+)*$/;
var reserved = /^(y|n|yes|no|on|off|true|false|null|nan|inf)$/i;
function scalar(s) {
  if (bare.test(s) && !reserved.test(s)) return s;
  return bytesOf(JSON.stringify(textOf(s)).replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`));
}
var lineMargin = 60;
var Item = class {
  header = "";
  body = "";
  // set adds a line to the YAML.
  set(key, value) {
    this.header += `${key}: ${scalar(value)}
`;
  }
  // fail sets the error of the item and repeats it in the body.
  fail(message) {
    this.body = message;
    this.set("error", message);
  }
  // list adds a list of at most most values to the YAML.
  list(key, values, most4) {
    if (values.length === 0) return;
    this.header += `${key}:
`;
    for (const v of values.slice(0, most4)) this.header += `  - ${scalar(shown2(oneLine(v)))}
`;
    if (values.length > most4) this.header += "  - and others\n";
  }
  // show sets the body to some lines of a part of a text, at most size bytes, and adds their numbers unless all lines of the text are shown.
  show(text, part, offset, limit, size, room) {
    const lines2 = partOf(text, part.start, part.end, offset, limit, size, room - estimate(this.header) - lineMargin);
    if (lines2.beyond) {
      this.fail(missing2(lines2));
      return;
    }
    this.body = lines2.text + howToGoOn(lines2);
    lines2.total = countLines(text);
    if (isPartial(lines2)) this.set("lines", `${lines2.first}-${lines2.last} of ${lines2.total}`);
  }
  toString() {
    return `---
${this.header}---

${this.body}`;
  }
};

// src/documents/outline.ts
async function outlineOf(assets, shards, blob) {
  const digest = blob.slice("b/".length, "b/".length + 16);
  let i = shards.length - 1;
  while (i >= 0 && shards[i].first > digest) i--;
  if (i < 0) return [];
  const outlines = await kept(assets, shards[i].path, 3, outlinesOf);
  return outlines(digest);
}
function outlinesOf(data) {
  const r = new Reader(data);
  const places = /* @__PURE__ */ new Map();
  for (let digest = ""; r.more; ) {
    digest = r.shared(digest);
    const size = r.number();
    places.set(digest, r.offset);
    r.offset += size;
  }
  return (digest) => {
    const offset = places.get(digest);
    if (offset === void 0) return [];
    const one = new Reader(data, offset);
    const headings = [];
    let line2 = 0;
    let start = 0;
    for (let n = one.number(); n > 0; n--) {
      line2 += one.number();
      start += one.number();
      const size = one.number();
      headings.push({ line: line2, start, end: start + size, text: one.string(), slug: one.string() });
    }
    return headings;
  };
}
function listed(text, headings, most4) {
  const ends2 = [];
  const counts = [0, 0, 0, 0, 0, 0];
  const depths = headings.map((h) => {
    while (ends2.length > 0 && ends2.at(-1) <= h.start) ends2.pop();
    counts[ends2.length] = counts[ends2.length] + 1;
    return ends2.push(h.end) - 1;
  });
  let depth = 0;
  for (let total2 = counts[0]; depth + 1 < counts.length; depth++) {
    const more = total2 + counts[depth + 1];
    if (more > most4 && total2 > 1) break;
    total2 = more;
  }
  return headings.flatMap((h, i) => depths[i] > depth ? [] : [`${countOf(text.slice(0, h.start), "\n") + 1} ${"-".repeat(depths[i])} ${h.text}`]);
}
var anchor = (text) => lowerOf(text).replace(/[^-_ \p{L}\p{M}\p{Nd}]/gu, "").replaceAll(" ", "-");
var ids = /\{[^{}]{0,200}#([\w:.\/-]+)[^{}]{0,200}\}|\b(?:id|name|title|label|header|path|query|body|permalink|anchor)[\t\n\f\r ]*[=:][\t\n\f\r ]*(?:"([^"]{1,200})"|'([^']{1,200})'|([^\t\n\f\r "',\]>]+))|\{\/\*[\t\n\f\r ]*#?([^\t\n\f\r *]{1,200})[\t\n\f\r ]*\*\/\}|\[\[\[?([^\[\],\t\n\f\r ]{1,200})[^\]]{0,200}\]\]|\[[\w-]*#([^\],.%\t\n\f\r ]+)|anchor:([^\[\t\n\f\r ]{1,200})\[|^\(([^)]+)\)=|^[\t\n\f\r ]*:(?:name|label):[\t\n\f\r ]*([^\t\n\f\r ]+)|\$\$[ \t]*\(([^)]{1,200})\)[\t\n\f\r ]*$|^\[\^([^\]\t\n\f\r ]+)\]:|\.\. _`?([^:`]{1,200})`?:/g;
var maxLine = 4 << 10;
function defining(text, headings, id) {
  const same = sameCase(id);
  const low = lowerOf(id);
  let offset = 0;
  for (const line2 of text.split(/(?<=\n)/)) {
    const written2 = line2.length <= maxLine ? textOf(line2) : "";
    if (lowerOf(written2).includes(low) && [...written2.matchAll(ids)].slice(0, 100).some((m) => sameCase(m.slice(1).join("")) === same)) {
      const at = headings.findIndex((h) => h.start >= offset);
      const next = headings[at];
      if (next && next.start - offset <= maxLine && !new RegExp("\\p{L}", "u").test(textOf(text.slice(offset, next.start)).replace(ids, "").replace(/<[^<>]{0,300}>/g, ""))) return next;
      return at < 0 ? headings.at(-1) : headings[at - 1];
    }
    offset += line2.length;
  }
  return void 0;
}
function sectionOf2(text, headings, asked) {
  const want = textOf(trim(asked.replace(/^#+/, "")));
  if (want === "") return void 0;
  const slug = bytesOf(anchor(want));
  const low = bytesOf(lowerOf(want));
  const same = sameCase(want);
  const letters = lettersOf(slug);
  return headings.find((h) => h.slug === low || sameCase(textOf(h.text)) === same) ?? headings.find((h) => slug !== "" && (h.slug === slug || bytesOf(anchor(textOf(h.text))) === slug)) ?? headings.find((h) => letters !== "" && (lettersOf(h.slug) === letters || lettersOf(bytesOf(anchor(textOf(h.text)))) === letters)) ?? defining(text, headings, want);
}
var lettersOf = (name) => name.replace(/[-_]/g, "");
var maxCompared2 = 5e3;
var maxAsked = 256;
var maxNear = 10;
var sameStart = 3;
function offered(all, asked) {
  const starts = anchor(textOf(cut2(asked, maxAsked))).split("-").filter((word) => word !== "").map((word) => `-${[...`${word}-`].slice(0, sameStart).join("")}`);
  const headings = all.slice(0, maxCompared2).map((h) => h.text);
  const alike = (heading2) => starts.reduce((n, start) => n + `-${anchor(textOf(heading2))}-`.split(start).length - 1, 0);
  const similar2 = [...new Set(headings)].map((heading2) => ({ heading: heading2, n: alike(heading2) })).filter(({ n }) => n > 0).sort((a, b) => b.n - a.n);
  return similar2.length > 0 ? { headings: similar2.slice(0, maxNear).map(({ heading: heading2 }) => heading2), near: true } : { headings, near: false };
}

// src/documents/suggest.ts
var maxSuggestions = 10;
var maxNear2 = 5;
function joined(names2) {
  const more = names2.length - maxSuggestions;
  return [...names2.slice(0, maxSuggestions), ...more > 0 ? [`and ${more} more`] : []].join(", ");
}
var baseOf = (asked) => cutExtension(clean(cut2(asked, maxPath)).replace(/^[^]*\//, ""))[0];
async function near(library, asked) {
  const names2 = asked.filter((path) => !/^(language|version):/.test(path)).map(baseOf);
  const paths = await suggest(library, names2.join(" "));
  return (paths.length > 0 ? ` Similar: ${paths.slice(0, maxNear2).join(", ")}.` : "") + bytesOf(library.contents.near);
}
async function suggest(library, given) {
  const words2 = trim(cut2(given, maxQuery));
  if (words2 === "" || library.contents.documents === 0) return [];
  const x = new Index(await library.head(false), new Budget(library.assets));
  const paths = [];
  for (const [first] of await rank(x, await termsOf(x, { text: words2, phrases: [], signed: [], most: maxTerms }, false, []), 2 * maxSuggestions, 1)) {
    const found2 = await x.document(await x.documentOf(first.passage));
    if (found2.uri === "" && paths.length < maxSuggestions) paths.push(readable(found2.path));
  }
  return paths;
}

// src/documents/answer.ts
var leastRoom = 90;
var usualRoom = 750;
var maxLeftOut = 40;
var maxHeadings = 20;
var longText = 4e4;
var longShown = 8e3;
var maxOutline = 40;
var maxLongOutline = 200;
var outlined = 8 << 10;
var maxRead = 64 << 20;
var pagesShown = 5;
var pageSize = 360;
var briefSize = 1400;
var firstSize = 1200;
var secondSize = 500;
var secondLeast = 250;
var pageLeast = 150;
var descriptionSize = 120;
var leadShown = 3;
var teaserSize = 300;
var furtherLeast = 120;
var RequestError = class extends Error {
};
async function answerDocuments(library, request) {
  const query = trim(request.query);
  if (request.paths.length === 0 && query === "") throw new RequestError("paths or query is required");
  request = { ...request, offset: Math.max(request.offset, 0), limit: Math.max(request.limit, 0) };
  const paged = query !== "" && request.page > 1 && request.offset === 0 && request.limit === 0;
  const offset = leadShown + 1 + (Math.min(request.page, maxHits) - 2) * pagesShown;
  const reply = new Answer(library, paged ? { ...request, offset, limit: pagesShown } : request);
  if (query !== "") return [await reply.query(query)];
  const paths = request.paths.slice(0, maxPaths);
  const kept3 = Math.min(Math.max(Math.trunc(maxTokens / 2 / paths.length), leastRoom), usualRoom);
  for (const [i, path] of paths.entries()) await reply.path(path, (paths.length - i - 1) * kept3);
  if (request.paths.length > maxPaths) {
    const t = new Item();
    t.fail(`Only the first ${maxPaths} of ${request.paths.length} paths are answered.`);
    reply.texts.push(t.toString());
  }
  return reply.texts;
}
var Answer = class {
  constructor(library, request) {
    this.library = library;
    this.request = request;
  }
  library;
  request;
  texts = [];
  #left = maxTokens;
  #fetched = 0;
  get #words() {
    return this.request.keywords.join(" ");
  }
  // path answers one path, and leaves some tokens for later ones.
  async path(asked, after2) {
    const t = new Item();
    t.set("path", shown2(asked));
    const room = this.#left - after2;
    const { request } = this;
    if (room >= usualRoom / 2) await this.#about(t, asked, room);
    this.request = request;
    let text = t.toString();
    if (room < usualRoom / 2 || estimate(text) > room) {
      const out = new Item();
      out.set("path", ellipsis(oneLine(shown2(asked)), maxLeftOut));
      out.fail("Left out: the answer is full. Ask for this path by itself.");
      text = out.toString();
    }
    this.#left -= estimate(text);
    this.texts.push(text);
  }
  async #about(t, asked, room) {
    let target = await this.library.find(asked);
    const lines2 = /^([^\n]+):([0-9]{1,9})(?:-([0-9]{1,9}))?$/.exec(asked);
    if (lines2 && !target.file && target.folder === void 0) {
      const of = await this.library.find(lines2[1]);
      const [offset, last] = [Number(lines2[2]), Number(lines2[3] ?? 0)];
      if (of.file) [target, this.request] = [of, { ...this.request, offset, limit: Math.max(0, last - offset + 1) }];
    }
    if (target.invalid) t.fail("Invalid path");
    else if (target.several) {
      t.fail("Several documents have paths that end so. Ask for one of them:");
      t.body += `

${list(target.several, target.several.length)}`;
    } else if (!target.file && target.folder === void 0) await this.#unknown(t, asked, room);
    else if (target.folder !== void 0) {
      const index = target.folder === "" ? void 0 : await this.library.indexOf(target.folder);
      const listing = new Item();
      const { offset } = this.request;
      if (!index || offset <= 1) await this.#folder(index ? listing : t, asked, target.folder, index ? Math.trunc(room / 4) : room);
      if (index) {
        await this.#file(t, index, this.request.section, room - (offset <= 1 ? estimate(listing.body) + 1 : 0));
        if (listing.body !== "") t.body = `${t.body.replace(/\n+$/, "")}

${listing.body}`;
      }
    } else if (target.file) await this.#file(t, target.file, this.request.section === "" ? target.section : this.request.section, room);
  }
  async #file(t, file, heading2, room) {
    if (file.kind === kind.tooLarge) return t.fail(`The file is too large: it has more than ${maxRead} bytes.`);
    if (file.kind === kind.unreadable) return t.fail("The file cannot be read.");
    if (file.kind === kind.notText) return t.fail("The file is not text.");
    if (++this.#fetched > this.library.assets.most) return t.fail("Left out: the answer is full. Ask for this path by itself.");
    const text = latin(await bytesIn(this.library.assets, file.blob));
    let part = { start: 0, end: text.length };
    t.header += file.about;
    let section = trim(heading2);
    if (section !== "") {
      const headings = await outlineOf(this.library.assets, this.library.outlines, file.outline);
      const found2 = sectionOf2(text, headings, section);
      if (found2) {
        t.set("section", shown2(found2.text));
        t.set("line", String(found2.line));
        part = found2;
      } else if (this.request.section === "" && text.length < outlined) {
        t.set("note", `No heading is named "${shown2(oneLine(section))}".`);
        section = "";
      } else {
        t.fail(`Section "${shown2(oneLine(section))}" not found.`);
        const offer = offered(headings, section);
        if (offer.near) t.body += `

The nearest headings:
${list(offer.headings, maxSuggestions)}`;
        else if (offer.headings.length > 0) t.body += `

The headings of the document:
${list(offer.headings, maxHeadings)}`;
        return;
      }
    }
    const { offset, limit } = this.request;
    const first = section === "" && offset <= 1;
    const long = first && limit === 0 && text.length > longText && [...textOf(text)].length > longText;
    if (first && text.length >= outlined) {
      const most4 = long ? maxLongOutline : maxOutline;
      const headings = await outlineOf(this.library.assets, this.library.outlines, file.outline);
      t.list("outline", listed(text, isPDF(file.path) ? headings.filter((h) => !pageHeading.test(h.text)) : headings, most4), most4);
    }
    t.show(text, part, offset, limit, long ? longShown : maxText2, room);
    if (file.kind === kind.inexact) t.set("error", "The file is not UTF-8. Invalid bytes are shown as U+FFFD.");
  }
  async #folder(t, asked, folder, room) {
    const suggestions = await suggest(this.library, this.#words);
    const listing = await this.library.listing(folder) ?? "";
    const paragraphs = [`# Directory: ${shown2(oneLine(asked))}`, ...listing === "" ? [] : [listing]];
    if (suggestions.length > 0) {
      paragraphs.push(relevant + list(suggestions, maxSuggestions));
      t.header += "suggestions:\n";
      for (const s of suggestions) t.header += `  - ${scalar(shown2(s))}
`;
    }
    const text = `${paragraphs.join("\n\n")}
`;
    t.show(text, { start: 0, end: text.length }, this.request.offset, this.request.limit, maxText2, room);
  }
  async #unknown(t, asked, room) {
    t.fail(`Path "${shown2(oneLine(asked))}" not found.`);
    const suggestions = await suggest(this.library, `${baseOf(asked)} ${this.#words}`);
    const paragraphs = [t.body, bytesOf(this.library.contents.top)];
    if (suggestions.length > 0) paragraphs.push(relevant + list(suggestions, maxSuggestions));
    const body = `${paragraphs.join("\n\n")}
`;
    if (estimate(body + t.header) < room) t.body = body;
  }
  // ignored says which arguments a query does not use. left is how many paths its filter leaves out.
  #ignored(left) {
    const n = this.request.alternatives.length + (trim(this.#words) === "" ? 0 : 1);
    let out = trim(this.request.section) === "" ? "" : "[A query does not use section. To read a section, give paths without a query.]\n";
    if (n > maxAlternatives) out += `[Only the first ${maxAlternatives} of ${n} alternatives are searched.]
`;
    return left > 0 ? `${out}[Left out of paths: ${left}. A query takes up to ${maxPaths} paths, and ${maxPatterns2} patterns.]
` : out;
  }
  // query answers a query with a list of pages.
  async query(query) {
    const { paths, alternatives } = this.request;
    const asked = await wordingsOf(this.library, { words: query, alternatives: trim(this.#words) === "" ? alternatives : [...alternatives, this.#words], paths });
    if (asked.error !== void 0) return `Invalid filter ${asked.error}. Give a folder, a document or a pattern such as guides/**.`;
    if (asked.all.length === 0) return "The query has a path: filter only. Add the words to search for.";
    const skip = Math.max(this.request.offset, 1) - 1;
    const n = this.request.limit || pagesShown;
    const brief = skip === 0 && this.request.limit === 0;
    const found2 = await search(this.library, asked, Math.min(skip, maxHits), n, brief);
    const hits = brief ? found2.hits.slice(0, leadShown) : found2.hits;
    let body = this.#ignored(asked.only?.left ?? 0);
    if (found2.unmatched.length > 0) body += `No document matches ${quoted2(found2.unmatched)}.${found2.nothing ? ` Nothing was searched.${await near(this.library, found2.unmatched)}` : ""}
`;
    if (skip === 0 && !found2.nothing) {
      if (found2.dropped.length > 0) body += `[A wording may have ${maxTerms} words. Not searched: ${quoted2(found2.dropped)}.]
`;
      body += misses(found2);
    }
    if (hits.length === 0) return skip === 0 || found2.nothing ? body : `${body}No further passage matches.
`;
    let notes = "";
    const isPrompt = ({ document }) => document.uri.startsWith("prompt://");
    if (hits.some(isPrompt)) notes += "\n[A name with prompt:// is a prompt: the user starts it in the client.]\n";
    if (hits.some((hit) => hit.document.uri !== "" && !isPrompt(hit))) {
      notes += "\n[A name with :// is a resource. Read it by its URI: with resources/read, or with the tool read_resource.]\n";
    }
    if (found2.more && !brief) notes += `
[There is more: use offset ${skip + hits.length + 1}.]
`;
    const bare2 = hits.map((hit, i) => entryOf(hit, skip + i + 1, 0, 0).length);
    let left = brief ? briefSize : pageSize * Math.max(n, pagesShown);
    left -= body.length + notes.length + bare2.reduce((a, b) => a + b, 0);
    let used = estimate(body + notes);
    for (const [i, hit] of hits.entries()) {
      let [room, most4] = [bare2[i] + left, snippetSize];
      if (brief && i === 0) [room, most4] = [Math.min(room - (hits.length > 1 ? secondLeast : 0), firstSize), leadSize];
      if (brief && i === 1) [room, most4] = [Math.min(room, secondSize), secondSize];
      const entry = entryOf(hit, skip + i + 1, brief && i > 0 && room < pageLeast ? 0 : room, most4);
      used += estimate(entry);
      if (used > maxTokens && i > 0) return `${body}
[There is more: use offset ${skip + i + 1}.]
`;
      left -= entry.length - bare2[i];
      body += entry;
    }
    return body + notes;
  }
};
var quoted2 = (texts2) => joined(texts2.map((text) => `"${short(text)}"`));
var short = (title) => ellipsis(oneLine(title), 80);
var nameOf = ({ path, uri }) => uri === "" ? readable(path) : uri;
var isPDF = (path) => path.toLowerCase().endsWith(".pdf");
var pageHeading = /^Page ([0-9]{1,5})(?:$|: )/;
function entryOf({ document, passages }, number, room, most4) {
  const [first, ...others2] = passages;
  const { heading: title, description } = document;
  const names2 = [short(title), short(first.heading)].filter((name) => name !== "");
  const page = isPDF(document.path) && pageHeading.exec(first.heading);
  let out = `${number}. ${nameOf(document)}${page ? `#page=${page[1]}` : ""}, line ${first.line}`;
  if (names2.length > 0) out += `: ${[...new Set(names2)].join(" > ")}`;
  out += "\n";
  let left = room - out.length - 1;
  const apart = others2.filter(({ line: line2 }) => line2 < first.top || line2 > first.last).length;
  let text = excerptOf(first, Math.min(most4, left - apart * teaserSize / 2), "   ");
  if (text === "") text = excerptOf(first, Math.min(most4, left), "   ");
  if (/^\s*#.*$/.test(text)) text = "";
  if (text !== "") {
    out += `${text}
`;
    left -= text.length;
  }
  const last = first.line + countOf(text, "\n");
  for (const p of others2) {
    if (first.line <= p.line && p.line <= last || text.includes(excerptOf(p, teaserSize))) continue;
    const of = short(p.heading);
    const lines2 = `${p.last > p.line ? `   lines ${p.line}-${p.last}` : `   line ${p.line}`}${of === "" || names2.includes(of) ? "" : `, ${of}`}: `;
    const room2 = Math.min(teaserSize, left - lines2.length - 1);
    const further = oneLine(excerptOf(p, room2));
    if (room2 < furtherLeast || further === "" || further.startsWith("#") || further.endsWith(":")) continue;
    out += `${lines2}${further}
`;
    left -= lines2.length + further.length + 1;
  }
  const about2 = oneLine(description);
  if (text === "" && about2 !== "" && left >= smallExcerpt) out += `   ${ellipsis(about2, Math.min(left - 4, descriptionSize))}
`;
  return out;
}
function misses({ hits, missing: missing3, absent, weak }) {
  let out = absent || hits.length === 0 ? "No passage has these words.\n" : "";
  if (missing3.length > 0 && (hits.length > 0 || !absent)) {
    out += `In no document: ${quoted2(missing3.map(({ word }) => word.replace(/^"+|"+$/g, "")))}.`;
    const instead = missing3.flatMap((m) => m.instead);
    if (instead.length > 0) out += ` Searched instead: ${instead.join(", ")}.`;
    out += "\n";
  }
  if (weak && !absent) out += "The documents may not answer this: the best passage has little of the query.\n";
  return out;
}
var relevant = "Here are some paths that might be relevant based on your query:\n\n";
function list(names2, most4) {
  const lines2 = names2.slice(0, most4).map((name) => `- ${oneLine(name)}`);
  if (names2.length > most4) lines2.push(`- and ${names2.length - most4} more`);
  return lines2.join("\n");
}

// src/tools/documents.ts
function libraryOf({ assets, manifest }) {
  if (!manifest.documents) throw new Error("the manifest has no documents");
  return new Library(assets, manifest.documents, manifest.outlines);
}
async function callDocuments(context, given) {
  const [text, list2, number] = ["string", "strings", "number"];
  const args = argumentsOf(given, { paths: list2, queryKeywords: list2, query: text, alternatives: list2, section: text, offset: number, limit: number, page: number });
  const [paths, keywords, alternatives] = [args.paths, args.queryKeywords, args.alternatives].map((all) => all.map(bytesOf));
  try {
    return texts(await answerDocuments(libraryOf(context), { ...args, paths, keywords, alternatives, query: bytesOf(args.query), section: bytesOf(args.section) }));
  } catch (error) {
    if (error instanceof RequestError) throw new Mistake(error.message);
    throw error;
  }
}

// src/tools/connector.ts
var maxFound = 10;
var maxWords = 20;
var found = (id, title) => ({ id: textOf(id), title: textOf(title), url: textOf(id) });
var uriOf = (library, path) => `${library.contents.host}/${path.split("/").map(segment).join("/")}`;
async function callSearch(context, given) {
  const query = bytesOf(argumentsOf(given, { query: "string" }).query);
  if (trim(query) === "") throw new Mistake("query is missing");
  const library = libraryOf(context);
  const results = [];
  const seen = /* @__PURE__ */ new Set();
  for (const document of await foundBy(library, query, 3 * maxFound)) {
    if (results.length === maxFound) break;
    const id = document.uri === "" ? uriOf(library, document.path) : document.uri;
    if (seen.has(id)) continue;
    seen.add(id);
    if (document.cited) results.push(found(id, document.title));
  }
  await searchResources(library, query, results);
  return asText({ results });
}
function citedOf(data) {
  const r = new Reader(data);
  const out = [];
  for (let id = ""; r.more; ) out.push({ id: id = r.shared(id), title: r.string(), text: r.string() });
  return out;
}
async function searchResources(library, query, results) {
  const words2 = fields(bytesOf(lowerOf(textOf(cut2(query, 4 << 10))))).slice(0, maxWords);
  const ids2 = new Set(results.map((r) => r.id));
  let n = 0;
  for (const { path } of library.contents.cited) {
    for (const { id, title, text } of await kept(library.assets, path, 3, citedOf)) {
      if (!words2.every((word) => text.includes(word)) || ids2.has(textOf(id))) continue;
      results.push(found(id, title));
      if (++n === maxFound) return;
    }
  }
}
var notExact = "The file is not UTF-8. Invalid bytes are shown as U+FFFD.";
async function callFetch(context, given) {
  const args = argumentsOf(given, { id: "string" });
  if (args.id === "") throw new Mistake("id is missing");
  const place = /#L([0-9]{1,9})(?:\+([0-9]{1,9}))?$/.exec(args.id);
  const id = place ? args.id.slice(0, place.index) : args.id;
  const line2 = place ? Number(place[1]) : 1;
  const skip = Number(place?.[2] ?? 0);
  const f6 = await fetchText(context, id);
  const lines2 = linesOf2(f6.text, line2, skip, 0, maxText2, maxTokens);
  if (lines2.beyond) throw new Mistake(missing2(lines2));
  const { metadata } = f6;
  if (isPartial(lines2)) metadata["lines"] = `${lines2.first}-${lines2.last} of ${lines2.total}`;
  if (lines2.broken) metadata["next"] = `${f6.id}#L${lines2.first}+${lines2.skipped + lines2.text.length}`;
  else if (lines2.last < lines2.total) metadata["next"] = `${f6.id}#L${lines2.last + 1}`;
  const sorted = Object.fromEntries(Object.entries(metadata).sort(([a], [b]) => a < b ? -1 : 1));
  return asText({ id: f6.id, title: f6.title, url: f6.url, text: textOf(lines2.text), metadata: sorted });
}
var extensionOf = (path) => /\.[^./]*$/.exec(path)?.[0] ?? "";
async function documentOf(library, id) {
  const base = `${decode(library.contents.host)}/`;
  const decoded = decode(id);
  if (!decoded.startsWith(base)) return void 0;
  const file = await library.file(decoded.slice(base.length));
  return file?.isDocument ? file : void 0;
}
async function fetchText(context, id) {
  const library = libraryOf(context);
  const file = await documentOf(library, bytesOf(id));
  if (file?.cited) {
    if (file.blob === "") throw new Mistake(`${shown(id)} cannot be read`);
    const metadata = { mimeType: library.contents.types[textOf(extensionOf(file.path))] ?? "" };
    if (file.kind === kind.inexact) metadata["note"] = notExact;
    const text = bytesOf(await textOf2(context.assets, file.blob));
    return { ...found(uriOf(library, file.path), file.title), text, metadata };
  }
  const requested = file ? textOf(uriOf(library, file.path)) : id;
  const record = await lookup(context, requested);
  if (!record) throw new Mistake(await missing(context, id));
  const [uri, mimeType] = record;
  const content = JSON.parse(await contentOf(context, whole(record), id));
  if (content.text === void 0) {
    const blob = content.blob ?? "";
    const size = blob.length / 4 * 3 - (blob.endsWith("==") ? 2 : blob.endsWith("=") ? 1 : 0);
    throw new Mistake(`${shown(id)} is ${size} bytes of ${mimeType}, which is not text`);
  }
  return { ...found(bytesOf(uri), await library.titleOf(bytesOf(uri))), text: bytesOf(content.text), metadata: { mimeType } };
}

// src/tools/resources.ts
var lineRoom = 2e3;
async function callListResources(context, given) {
  const args = argumentsOf(given, { prefix: "string", glob: "string", cursor: "string", limit: "number" });
  const limit = args.limit <= 0 ? 500 : Math.min(args.limit, 5e3);
  const wanted = args.glob === "" ? void 0 : globOf(args.glob);
  const after2 = args.cursor === "" ? "" : parseCursor("r", args.cursor);
  if (after2 === void 0) throw new Mistake("cursor is not one that list_resources gave");
  const prefix = lower(decode(bytesOf(args.prefix)));
  const { pages } = context.manifest.resources;
  let [list2, used, count, last] = ["", 0, 0, ""];
  for (let p = firstAfter(pages, after2), first = true; p < pages.length; p++, first = false) {
    for (const { uri, decoded, folded: folded2, line: line2 } of await kept(context.assets, pages[p].items, 6, linesIn2)) {
      if (first && after2 !== "" && compare(uri, after2) <= 0) continue;
      if (!folded2.startsWith(prefix) || wanted && !wanted(decoded)) continue;
      used += estimate(line2) + 1;
      if (count === limit || count > 0 && used > maxTokens - lineRoom) {
        return texts([`${list2}
There are more: continue with cursor ${quoted(newCursor("r", last))}.
`]);
      }
      list2 += `${line2}
`;
      count++;
      last = uri;
    }
  }
  return texts([count === 0 ? `${list2}There are no such resources.
` : list2]);
}
function linesIn2(data) {
  return decoder4.decode(data).split("\n").map((item) => {
    const { uri, mimeType, size, title, description } = JSON.parse(item);
    const about2 = [title, description].filter((text) => text).map((text) => ellipsis(oneLine(bytesOf(text)), 120));
    const decoded = decode(uri);
    return { uri, decoded, folded: lower(decoded), line: [uri, bytesOf(mimeType), size ?? "?", ...about2].join("	") };
  });
}
var decoder4 = new TextDecoder();
function globOf(pattern) {
  try {
    return parseGlob(bytesOf(pattern));
  } catch (error) {
    if (error instanceof GlobError) throw new Mistake(`glob is ${error.message}`);
    throw error;
  }
}
async function callReadResource(context, given) {
  const args = argumentsOf(given, { uri: "string", section: "string", offset: "number", limit: "number" });
  if (args.uri === "") throw new Mistake("uri is missing");
  const record = await lookup(context, args.uri);
  if (!record) throw new Mistake(await missing(context, args.uri));
  const [uri, mime, form, contents] = whole(record);
  const { frame } = context.manifest.limits;
  if (form === "e") throw new Mistake(failureOf(contents, args.uri).message);
  if (form !== "t") {
    const data = await context.assets.get(contents);
    const size = data?.length ?? 0;
    if (Math.floor((size + 2) / 3) * 4 > frame) {
      throw new Mistake(`${shown(uri)} is ${size} bytes of ${mime}: the answer would have more bytes than the server allows (${frame})`);
    }
    const [type, blob] = [JSON.stringify(embeddedType(mime, form)), await blobOf(context, contents)];
    if (form === "i") return `"content":[{"type":"image","mimeType":${type},"data":"${blob}"}]`;
    return `"content":[{"type":"resource","resource":{"uri":${JSON.stringify(uri)},"mimeType":${type},"blob":"${blob}"}}]`;
  }
  const text = bytesOf(await textOf2(context.assets, contents));
  const headings = () => outlineOf(context.assets, context.manifest.outlines, contents);
  const part = await sectionLines(headings, text, bytesOf(args.section), args.offset, args.limit, Math.min(maxText2, Math.floor(frame / 6)));
  if (part === "") return texts([`${shown(uri)} is empty.`]);
  return texts([isPointer(text) ? `${shown(uri)} ${notFetched}. "git lfs pull" fetches it. The pointer:

${part}` : part]);
}
async function sectionLines(headingsOf, text, asked, offset, limit, most4) {
  const section = trim(asked);
  let part = { start: 0, end: text.length };
  if (section !== "") {
    const all = await headingsOf();
    const found2 = sectionOf2(text, all, section);
    if (!found2) {
      const { headings } = offered(all, section);
      let reason = `there is no section ${shown(textOf(section))}`;
      if (headings.length > 0) reason += `; there is:
${textOf(ellipsis(headings.slice(0, 10).join("\n"), 1e3))}`;
      throw new Mistake(reason);
    }
    part = found2;
  }
  const lines2 = partOf(text, part.start, part.end, offset, limit, most4, maxTokens - lineRoom);
  if (lines2.beyond) throw new Mistake(missing2(lines2));
  return lines2.text + howToGoOn(lines2);
}

// src/tools/call.ts
var runs = {
  documents: callDocuments,
  list_resources: callListResources,
  read_resource: callReadResource,
  search: callSearch,
  fetch: callFetch
};
async function callTool(context, params) {
  const name = stringIn(params, "name");
  const { tools } = context.manifest;
  const tool = tools.find((t) => t.item.name === name);
  const run2 = tool && runs[tool.kind];
  if (!run2) throw invalidParams(`there is no tool ${shown(name)}`);
  try {
    return { members: await run2(context, params["arguments"]) };
  } catch (error) {
    if (error instanceof Mistake || error instanceof Failure) return { members: failed(error.message) };
    throw error;
  }
}
function listTools({ manifest }, params) {
  if (cursorIn(params) !== "") throw invalidParams("the cursor is not one of this list");
  return { members: encode({ tools: manifest.tools.map((tool) => tool.item) }), ttl: listTTL };
}

// src/answer.ts
var methods = {
  initialize: { answer: initialize, era: "handshake", params: true },
  ping: { answer: () => ({ members: "" }), era: "handshake" },
  "server/discover": { answer: discover, era: "stateless" },
  "resources/list": { answer: listResources },
  "resources/read": { answer: readResource, params: true },
  "resources/directory/read": { answer: readDirectory, params: true },
  "resources/templates/list": { answer: listTemplates },
  "skills/list": { answer: listSkills },
  "skills/get": { answer: getSkill, params: true },
  "completion/complete": { answer: complete, params: true },
  "prompts/list": { answer: listPrompts },
  "prompts/get": { answer: getPrompt, params: true },
  "tools/list": { answer: listTools },
  "tools/call": { answer: callTool, params: true }
};
var notifying = ["subscriptions/listen", "resources/subscribe", "resources/unsubscribe"];
async function answer(assets, manifest, session, { method: name, params }) {
  const method = Object.hasOwn(methods, name) ? methods[name] : void 0;
  const { era, fault } = eraOf(params, session.oldest);
  if (notifying.includes(name)) throw methodNotFound(`${name}: the files of this server do not change, so it notifies nobody`);
  if (fault) throw fault;
  if (era === "stateless") {
    if (!method || name === "initialize") throw methodNotFound(`there is no method ${shown(name)} in protocol version ${firstStateless}`);
    if (method.era === "handshake") {
      throw methodNotFound(`there is no method ${name} in protocol version ${firstStateless}; use subscriptions/listen`);
    }
  } else {
    if (method?.era === "stateless") throw methodNotFound(`${name} needs protocol version ${firstStateless}`);
    if (!session.begun && name !== "ping" && name !== "initialize") throw invalidRequest(`${name}: the session begins with initialize`);
    if (!method) throw methodNotFound(`there is no method ${shown(name)}`);
  }
  if (params === void 0 || params === null || Array.isArray(params) && params.length === 0) {
    if (method.params) throw invalidRequest(`${name}: params are missing`);
  } else if (!isObject(params)) throw invalidParams(`${name}: params must be an object`);
  const context = { assets, manifest, era, session };
  return written(context, await method.answer(context, params ?? {}));
}
function written({ era, manifest }, reply) {
  if (era === "handshake") return `{${reply.members}}`;
  const head = [`"_meta":{"${meta.serverInfo}":${JSON.stringify(manifest.serverInfo)}}`, '"resultType":"complete"'];
  if (reply.ttl !== void 0) head.push(`"ttlMs":${reply.ttl},"cacheScope":"private"`);
  if (reply.members !== "") head.push(reply.members);
  return `{${head.join(",")}}`;
}

// src/message.ts
var maxIds = 1e3;
var Body = class {
  value;
  #ids = /* @__PURE__ */ new Map();
  // integers above 2^53 as the client wrote them, by message
  // The constructor throws a SyntaxError, or a RangeError for values that are nested too deep.
  constructor(text) {
    const long = /"id"\s*:\s*(-?\d{16,})/.exec(text);
    if (!long) {
      this.value = JSON.parse(text);
      return;
    }
    const ids2 = this.#ids;
    this.value = JSON.parse(text, function(name, value, context) {
      const source = context?.source ?? (Number(long[1]) === value && long[1]);
      if (name === "id" && Number.isInteger(value) && !Number.isSafeInteger(value) && source && ids2.size < maxIds) ids2.set(this, source);
      return value;
    });
  }
  // messages returns the messages of a batch, or the only message.
  messages() {
    return (Array.isArray(this.value) ? this.value : [this.value]).map((entry) => this.#read(entry));
  }
  #read(entry) {
    const m = { kind: "fault", id: "null", method: "", params: member(entry, "params"), fault: "" };
    if (!isObject(entry)) {
      m.fault = "invalid request: not an object";
      return m;
    }
    const id = member(entry, "id");
    const method = member(entry, "method");
    const known = typeof id === "string" || Number.isInteger(id);
    if (known) m.id = this.#ids.get(entry) ?? JSON.stringify(id);
    if (method === void 0 && (member(entry, "result") !== void 0 || member(entry, "error") !== void 0)) m.kind = "response";
    else if (member(entry, "jsonrpc") !== "2.0") m.fault = 'invalid request: "jsonrpc" is not "2.0"';
    else if (typeof method !== "string") m.fault = 'invalid request: "method" is missing or not a string';
    else if (id !== void 0 && !known) m.fault = 'invalid request: "id" is neither a string nor an integer';
    else {
      m.method = method;
      m.kind = known ? "call" : "notification";
    }
    return m;
  }
};
function bodyOf(data) {
  let [text, what] = ["", "UTF-8"];
  try {
    text = decoder5.decode(data);
    what = "JSON";
    return /^[ \t\r\n]*$/.test(text) ? void 0 : new Body(text);
  } catch {
    throw new Failure(code.parse, `parse error: not ${what}`);
  }
}
var decoder5 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
var maxBatch = 1e3;
var fullBatch = 1 << 20;
async function answerBatch(messages, version, result) {
  const removed = `invalid request: JSON-RPC batches were removed in protocol version ${noBatches}`;
  if (version >= noBatches) return failed2("null", invalidRequest(removed));
  if (messages.length === 0) return failed2("null", invalidRequest("invalid request: an empty batch"));
  if (messages.length > maxBatch) return failed2("null", invalidRequest(`invalid request: more than ${maxBatch} entries in one batch`));
  const answers = [];
  let size = 0;
  for (const m of messages) {
    if (m.kind === "response" || m.kind === "notification") continue;
    if (m.method === "initialize") m.fault = "invalid request: initialize in a batch";
    else if (versionIn(m.params) >= noBatches) m.fault = removed;
    const full = m.fault === "" && size > fullBatch;
    const [answer2] = full ? failed2(m.id, new Failure(code.internal, "the results of this batch are too large together; ask for this one alone")) : await answerTo(m, result);
    answers.push(answer2);
    size += lengthOf(answer2);
  }
  return [answers.length === 0 ? "" : `[${answers.join(",")}]`];
}
async function answerTo(m, result) {
  try {
    if (m.fault !== "") throw invalidRequest(m.fault);
    return [`{"jsonrpc":"2.0","id":${m.id},"result":${await result(m)}}`];
  } catch (error) {
    if (error instanceof Failure) return failed2(m.id, error);
    console.error(m.method, error);
    return failed2(m.id, new Failure(code.internal, "internal error: see the log of the server"));
  }
}
var failed2 = (id, failure) => [`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(failure.wire())}}`, failure];

// src/manifest.ts
var kept2;
async function manifestOf(assets, path) {
  if (kept2?.path !== path) kept2 = { path, manifest: await jsonOf(assets, path) };
  return kept2.manifest;
}

// src/node.ts
var maxLine2 = 16 << 20;
var drainTime = 5e3;
var Files = class {
  // assets and the files that they are equal to
  constructor(folder) {
    this.folder = folder;
    this.#packed = new Map(Object.entries(JSON.parse((0, import_node_fs.readFileSync)((0, import_node_path.join)(folder, "bin/answers/files.json"), "utf8"))));
  }
  folder;
  most = Number.POSITIVE_INFINITY;
  #packed;
  async get(path) {
    try {
      return (0, import_node_fs.readFileSync)((0, import_node_path.join)(this.folder, this.#packed.get(path) ?? `bin/answers/${path}`));
    } catch (error) {
      if (error.code === "ENOENT") return null;
      throw error;
    }
  }
};
async function* lines(input) {
  let parts2 = [];
  let size = 0;
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(10); ; end = chunk.indexOf(10, start)) {
      const part = chunk.subarray(start, end < 0 ? chunk.length : end);
      size += part.length;
      if (size > maxLine2 + 1) parts2 = [];
      else parts2.push(part);
      if (end < 0) break;
      yield joined2(parts2, size);
      parts2 = [];
      size = 0;
      start = end + 1;
    }
  }
  if (size > 0) yield joined2(parts2, size);
}
function joined2(parts2, size) {
  if (size > maxLine2 + 1) return void 0;
  const line2 = parts2.length === 1 ? parts2[0] : Buffer.concat(parts2);
  const ended = line2.at(-1) === 13 ? line2.subarray(0, -1) : line2;
  return ended.length > maxLine2 ? void 0 : ended;
}
var Server = class {
  // that initialize has agreed on
  constructor(assets, manifest) {
    this.assets = assets;
    this.manifest = manifest;
  }
  assets;
  manifest;
  #session = { begun: false, oldest: "" };
  #version = "";
  // line returns the answer to a line, or '' if it gets none.
  async line(data) {
    try {
      if (!data) throw invalidRequest(`invalid request: more than ${maxLine2} bytes in one line`);
      const body = bodyOf(data);
      const messages = body?.messages() ?? [];
      const [m] = messages;
      if (Array.isArray(body?.value)) return (await answerBatch(messages, this.#version, (m2) => this.#result(m2)))[0];
      if (!m || m.kind === "response" || m.kind === "notification") return "";
      return (await answerTo(m, (m2) => this.#result(m2)))[0];
    } catch (error) {
      if (error instanceof Failure) return failed2("null", error)[0];
      throw error;
    }
  }
  async #result(m) {
    if (m.method === "initialize" && this.#session.begun) throw invalidRequest("initialize: the session has begun already");
    const result = await answer(this.assets, this.manifest, this.#session, m);
    if (m.method === "initialize") {
      this.#version = JSON.parse(result).protocolVersion;
      this.#session.begun = true;
    }
    return result;
  }
};
async function serve(folder) {
  const { stdin, stdout } = process;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(0));
  stdout.on("error", () => process.exit(0));
  if (stdin.isTTY) console.error("This is an MCP server: a client starts it, and writes messages to its standard input.");
  try {
    const files = new Files(folder);
    const server = new Server(files, await manifestOf(files, "manifest.json"));
    for await (const line2 of lines(stdin)) {
      const answered = await server.line(line2);
      if (answered !== "" && !stdout.write(`${answered}
`)) await new Promise((resolve) => stdout.once("drain", resolve));
    }
  } catch (error) {
    console.error(`The files of the server cannot be read; install its package again: ${error.message}`);
    process.exitCode = 1;
  }
  setTimeout(() => process.exit(), drainTime).unref();
}
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  serve
});
