// Values of an answer as texts, for a table and for a spreadsheet.
import "./duckdb/arrow.js";

const { Type } = globalThis.Arrow;
const NUMBERS = new Set([Type.Int, Type.Float, Type.Decimal]);
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const BREAKS = /[\t\n\r\v\f\u0085\u2028\u2029]/u;
const JOINERS = "\u200c\u200d";
const ADDRESS = /^https?:\/\/[^\s<>"'`]+$/;
// As perf_assets/base/sanitize.py has it: what a spreadsheet may take for a formula.
const CUTS = /([,;\t\r\n])/;
const RISKY = /^[^\p{L}\p{N}_]*?['=+\-@\uff1d\uff0b\uff0d\uff20]/u;

export const isNumber = (type) => NUMBERS.has(type.typeId);

export const isAddress = (text) => ADDRESS.test(text);

// A text on one line, with nothing in it that is no visible character.
export const visible = (text) =>
  text.replace(HIDDEN, (one) => (BREAKS.test(one) ? " " : JOINERS.includes(one) ? one : ""));

const two = (number) => String(number).padStart(2, "0");

function decimal(value, scale) {
  const digits = String(value);
  const isBelow = digits.startsWith("-");
  const all = (isBelow ? digits.slice(1) : digits).padStart(scale + 1, "0");
  const whole = all.slice(0, all.length - scale);
  return `${isBelow ? "-" : ""}${whole}${scale ? `.${all.slice(-scale)}` : ""}`;
}

function moment(milliseconds) {
  const found = new Date(Number(milliseconds));
  if (Number.isNaN(found.getTime())) return String(milliseconds);
  const [day, time] = found.toISOString().split("T");
  return `${day} ${time.replace(/\.?0*Z$/, "")}`;
}

// `value` of the Arrow type `type` as exact text; empty for NULL.
export function text(value, type) {
  if (value === null || value === undefined) return "";
  switch (type.typeId) {
    case Type.Decimal: return decimal(value, type.scale);
    case Type.Date: return moment(value).slice(0, 10);
    case Type.Timestamp: return moment(value);
    case Type.Time: {
      const seconds = Number(value) / 10 ** [0, 3, 6, 9][type.unit];
      return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(Math.floor(seconds % 60))}`;
    }
    case Type.Interval: return "an interval: cast it to VARCHAR";
    case Type.Binary: return [...value].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    case Type.List: case Type.FixedSizeList:
      return [...value].map((one) => text(one, type.children[0].type)).join(", ");
    case Type.Struct:
      return `{${type.children.map(({ name, type: kind }) => `${name}: ${text(value[name], kind)}`).join(", ")}}`;
    case Type.Map: {
      const [key, inner] = type.children[0].type.children;
      return `{${[...value].map(([name, one]) => `${text(name, key.type)}: ${text(one, inner.type)}`).join(", ")}}`;
    }
    default: return String(value);
  }
}

// As `text`, for a table: floats with the digits that matter, - for NULL.
export function shown(value, type) {
  if (value === null || value === undefined) return "-";
  if (type.typeId === Type.Float) return String(Number(value.toPrecision(6)));
  return visible(text(value, type));
}

// A cell that no spreadsheet runs as a formula.
function safe(cell) {
  const [first, ...others] = cell.split(CUTS);
  const begun = RISKY.test(first) || (!first && others.length) ? `'${first}` : first;
  return [begun, ...others.map((part) => (RISKY.test(part) ? `'${part}` : part))].join("");
}

const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

// The answer as CSV; no text of it runs as a formula in a spreadsheet.
export function csv({ columns, rows }) {
  const lines = rows.map((row) => columns.map(({ type }, index) => {
    const cell = text(row[index], type);
    return quoted(isNumber(type) ? cell : safe(cell));
  }));
  return [columns.map(({ name }) => quoted(safe(name))), ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}
