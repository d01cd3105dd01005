// The console: a query of the cookbook or of one's own, its answer as a table, and as CSV.
import { ask, isBroken, openDatabase, sentence } from "./database.js";
import { csv, isAddress, isNumber, shown, visible } from "./values.js";

const MOST_ROWS = 100_000; // that are taken from an answer
const SHOWN_ROWS = 500;

const element = (id) => document.getElementById(id);
const [chooser, form, editor, run, stop, save, link] = ["chooser", "query", "sql", "run", "stop", "save", "link"].map(element);
const [progress, status, mistake, result] = ["progress", "status", "mistake", "result"].map(element);
const [search, found] = ["search", "found"].map(element);

const settings = JSON.parse(element("settings").textContent);
const files = settings.files;
const queries = new Map(settings.queries.map((query) => [query.name, query]));
const packedBytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

let connecting = null;
let answer = null;
const own = (sql) => ({ name: "", sql, question: "", reading: "", parameters: [] });
let chosen = own("");

function say(text) { status.textContent = text; }

function made(tag, text, attributes = {}) {
  const one = document.createElement(tag);
  one.textContent = text;
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  return one;
}

function explain({ name, question, reading }) {
  chooser.value = name;
  if (chooser.selectedIndex < 0) chooser.value = ""; // a search leaves it out
  element("question").textContent = question;
  element("reading").textContent = reading;
}

function choose(query) {
  chosen = query;
  editor.value = query.sql;
  explain(query);
  const fields = query.parameters.map(({ name, assumed, meaning }) => {
    const label = made("label", "");
    const input = made("input", "", { name, placeholder: assumed, autocomplete: "off", spellcheck: "false" });
    label.append(made("code", name), input, made("small", meaning));
    return label;
  });
  element("parameters").replaceChildren(...fields);
  element("parameters").hidden = fields.length === 0;
}

// A query that was changed is one's own: the question of the cookbook is not what it answers. Its
// parameters stay while it reads them.
function edited() {
  const isOwn = editor.value !== chosen.sql;
  explain(isOwn ? own("") : chosen);
  element("parameters").hidden = !chosen.parameters.some(({ name }) => editor.value.includes(`'${name}'`));
}

// The questions in which every word begins a word, as perf-assets query --search has them.
function list() {
  const words = (search.value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word));
  const matching = settings.queries.filter(({ searched }) => words.every((word) => searched.includes(` ${word}`)));
  const number = `${matching.length} ${matching.length === 1 ? "question" : "questions"}`;
  found.hidden = words.length === 0;
  found.textContent = matching.length ? `${number} found.` : "No question has these words.";
  const groups = new Map();
  for (const { group, name, question } of matching) {
    if (!groups.has(group)) groups.set(group, made("optgroup", "", { label: group }));
    groups.get(group).append(made("option", `${question} (${name})`, { value: name }));
  }
  const first = words.length ? `choose among ${number}` : "SQL of your own";
  chooser.replaceChildren(made("option", first, { value: "" }), ...groups.values());
  chooser.value = editor.value === chosen.sql && matching.includes(chosen) ? chosen.name : "";
}

// What the address asks for: a query by its name, or SQL.
function follow() {
  const [key, value] = location.hash.slice(1).split(/=(.*)/s);
  if (key === "sql" && value) {
    choose(own(decodeURIComponent(value)));
  } else if (queries.has(key)) {
    search.value = "";
    list();
    choose(queries.get(key));
  }
}

function connected() {
  if (connecting) return connecting;
  progress.hidden = false;
  progress.max = packedBytes;
  connecting = openDatabase(files, (bytes) => {
    progress.value = bytes;
    say(bytes < packedBytes ? `Loading ${megabytes(bytes)} of ${megabytes(packedBytes)} …` : "Opening the database …");
  }).catch((error) => { connecting = null; throw error; })
    .finally(() => { progress.hidden = true; });
  return connecting;
}

const literal = (value) => `'${value.replaceAll("'", "''")}'`;

// Variables as chosen, of their kind and in the data; what is left empty has its default.
async function setVariables(connection) {
  const given = [...element("parameters").querySelectorAll("input")].map(({ name, value }) => [chosen.parameters.find((one) => one.name === name), value.trim()]);
  for (const [{ name, default: assumed, assumed: example, form, choices }, value] of given) {
    if (value === "") { await connection.query(`RESET VARIABLE "${name}"`); continue; }
    if (choices.length && !choices.includes(value)) throw new Error(`${name}: '${value}' is not a known value; known are ${choices.join(", ")}`);
    if (form && !new RegExp(`^(?:${form[0]})$`).test(value)) throw new Error(`${name}: '${value}' is not ${form[1]}: ${form[2]}`);
    const { rows: [[type]] } = await ask(connection, `SELECT typeof(${assumed})`, 1);
    try {
      await connection.query(`SET VARIABLE "${name}" = CAST(${literal(value)} AS ${type.replaceAll('"', "")})`);
    } catch {
      throw new Error(`${name}: a value like ${example} is needed here (${type})`);
    }
  }
  for (const [{ name, check, form }, value] of given) {
    if (value === "" || !check) continue;
    const { rows: [[isThere, least, most, known]] } = await ask(connection, `SELECT is_there, CAST(least AS VARCHAR), CAST(most AS VARCHAR), array_to_string(known[1:12], ', ') FROM (${check})`, 1)
      .catch(() => ({ rows: [[true]] })); // a site of some tables lacks the others
    if (!isThere) throw new Error(`${name}: '${value}' is not in the data, which have ${form ? `${least} to ${most}` : known}`);
  }
}

function cell(value, { type }) {
  const words = shown(value, type);
  const one = made("td", "");
  if (isNumber(type)) one.className = "n";
  else if (words.length >= 60) one.className = "long";
  else if (words.length <= 12) one.className = "short";
  if (isAddress(words)) one.append(made("a", words, { href: words, rel: "noopener noreferrer" }));
  else one.textContent = words;
  return one;
}

function show(seconds) {
  const { columns, rows, isCut } = answer;
  const head = made("tr", "");
  for (const { name, type } of columns) head.append(made("th", visible(name), isNumber(type) ? { scope: "col", class: "n" } : { scope: "col" }));
  const lines = rows.slice(0, SHOWN_ROWS).map((row) => {
    const line = made("tr", "");
    line.append(...columns.map((column, index) => cell(row[index], column)));
    return line;
  });
  const table = made("table", "");
  table.append(made("thead", ""), made("tbody", ""));
  table.tHead.append(head);
  table.tBodies[0].append(...lines);
  result.replaceChildren(table);
  result.hidden = columns.length === 0;
  const number = rows.length.toLocaleString("en");
  const words = [`${isCut ? "The first " : ""}${number} ${rows.length === 1 ? "row" : "rows"} in ${seconds.toFixed(2)} s.`];
  if (isCut) words.push("More are not taken: add a LIMIT, or count.");
  if (rows.length > SHOWN_ROWS) words.push(`${SHOWN_ROWS} of them are shown; the CSV file has all that were taken.`);
  say(words.join(" "));
  save.disabled = columns.length === 0;
}

async function start(event) {
  event.preventDefault();
  if (run.disabled) return; // by the keyboard, while a query goes on
  mistake.hidden = true;
  run.disabled = true;
  try {
    const connection = await connected();
    stop.hidden = false;
    say("Running …");
    await setVariables(connection);
    const from = performance.now();
    answer = await ask(connection, editor.value, MOST_ROWS);
    show((performance.now() - from) / 1000);
    result.scrollIntoView({ block: "nearest" });
    run.textContent = "Run";
  } catch (error) {
    mistake.textContent = visible(sentence(error));
    mistake.hidden = false;
    answer = null;
    result.hidden = true;
    result.replaceChildren();
    save.disabled = true;
    if (isBroken(error)) connecting = null;
    say("");
  } finally {
    run.disabled = false;
    stop.hidden = true;
  }
}

function download() {
  const file = made("a", "", { href: URL.createObjectURL(new Blob([csv(answer)], { type: "text/csv" })), download: `${chooser.value || "answer"}.csv` });
  file.click();
  setTimeout(() => URL.revokeObjectURL(file.href), 60_000);
}

chooser.addEventListener("change", () => {
  if (!queries.has(chooser.value)) { choose(own(editor.value)); return; }
  history.replaceState(null, "", `#${chooser.value}`);
  choose(queries.get(chooser.value));
});
search.addEventListener("input", list);
search.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
form.addEventListener("submit", start);
editor.addEventListener("input", edited);
editor.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) start(event);
});
stop.addEventListener("click", async () => (await connecting)?.cancelSent());
save.addEventListener("click", download);
link.addEventListener("click", () => {
  history.replaceState(null, "", `#sql=${encodeURIComponent(editor.value)}`);
  say("The address of this page has the query now: copy it.");
});
addEventListener("hashchange", follow);

choose(queries.get(chooser.value) ?? settings.queries[0] ?? chosen);
follow();
run.textContent = `Load and run (${megabytes(packedBytes)})`;
run.disabled = false;
say(`Not loaded yet: ${megabytes(files.engine.bytes + files.worker.bytes)} of DuckDB and ${megabytes(files.database.bytes)} of data, once; they take ${megabytes(files.engine.unpacked + files.database.unpacked)} of memory. What you ask stays in this browser.`);
