// The keys of the workbench. An answer that is being typed stays in the browser until the server has
// it on its disk; where the network or the server is gone, it is sent again until it arrives.
"use strict";

const AGAIN = 1500; // milliseconds
const SHORTLY = 4000; // how long a notice stays
const LONGER = 20000; // how long one stays that has to be read
const main = document.getElementById("main");
const status = document.getElementById("status");
let began = performance.now();
let isSending = false;
let ending = 0;

const subject = () => main.querySelector(".subject")?.dataset.subject ?? "";
const form = () => document.getElementById("answer");
const rater = document.querySelector(".rater").textContent;
const draftName = () => `draft ${rater} ${subject()}`;

function say(text, isWrong = false, stays = SHORTLY) {
  clearTimeout(ending);
  status.textContent = text;
  status.classList.toggle("wrong", isWrong);
  // A mistake stays until something else is said.
  if (!isWrong && stays) ending = setTimeout(() => say(""), stays);
}

function cellsOf(where) {
  const cells = {};
  for (const one of where.querySelectorAll("[name]")) {
    if (one.name === "is_to_discuss") continue;
    if (one.type === "radio") {
      if (one.checked) cells[one.name] = one.value;
    } else if (one.type === "checkbox") {
      if (one.checked) cells[one.name] = cells[one.name] ? `${cells[one.name]} | ${one.value}` : one.value;
    } else if (one.value.trim()) {
      cells[one.name] = one.value.trim();
    }
  }
  return cells;
}

async function post(address, content) {
  // Until the server says yes or no: a page that is gone says neither.
  for (;;) {
    let answer;
    try {
      answer = await fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(content),
      });
    } catch {
      say("Not saved yet: the server cannot be reached. It is tried again; do not close this page.", true);
      await new Promise((done) => setTimeout(done, AGAIN));
      continue;
    }
    if (answer.status === 400) {
      say((await answer.json()).mistake, true);
      return null;
    }
    if (!answer.ok) {
      say(await answer.text(), true);
      return null;
    }
    return answer;
  }
}

function show(html) {
  closeList();
  const parsed = new DOMParser().parseFromString(html, "text/html");
  main.replaceChildren(...parsed.body.childNodes);
  began = performance.now();
  scrollTo(0, 0);
  restore();
  main.querySelector("h1")?.setAttribute("tabindex", "-1");
  main.querySelector("h1")?.focus({ preventScroll: true });
}

async function save() {
  if (!form() || isSending) return;
  isSending = true;
  const name = draftName();
  const answer = await post("/answer", {
    subject: subject(),
    cells: cellsOf(form()),
    is_to_discuss: form().elements.is_to_discuss.checked,
    seconds: Math.round((performance.now() - began) / 100) / 10,
  });
  isSending = false;
  if (answer === null) return;
  localStorage.removeItem(name);
  show(await answer.text());
  say("Saved.");
}

async function undo() {
  if (isSending) return;
  isSending = true;
  const answer = await post("/undo", {});
  isSending = false;
  if (answer === null) return;
  show(await answer.text());
  say("Taken back.");
}

function keep() {
  if (!form()) return;
  localStorage.setItem(draftName(), JSON.stringify(cellsOf(form())));
  define();
}

function restore() {
  if (!form()) return;
  let cells = {};
  try {
    cells = JSON.parse(localStorage.getItem(draftName()) ?? "{}");
  } catch {
    localStorage.removeItem(draftName());
  }
  for (const one of form().querySelectorAll("[name]")) {
    if (!(one.name in cells)) continue;
    if (one.type === "radio") one.checked = one.value === cells[one.name];
    else if (one.type === "checkbox") one.checked = cells[one.name].split(" | ").includes(one.value);
    else one.value = cells[one.name];
  }
  define();
}

function define() {
  for (const one of main.querySelectorAll("[data-definition]")) {
    const chosen = document.getElementById(`field-${one.dataset.definition}`)?.value ?? "";
    const term = [...main.querySelectorAll("dt[data-name]")].find(
      (dt) => dt.dataset.of === one.dataset.definition && dt.dataset.name === chosen,
    );
    one.textContent = term?.nextElementSibling?.textContent ?? "";
  }
}

// The lists of answers: they filter while one types.

const listOf = (input) => document.getElementById(input.getAttribute("aria-controls"));
const matches = (list) => [...list.children].filter((one) => !one.hidden);

function filterList(input, words) {
  const list = listOf(input);
  const written = words.trim().toLowerCase();
  const begins = (one) => one.textContent.toLowerCase().startsWith(written);
  for (const one of list.children) one.hidden = !one.textContent.toLowerCase().includes(written);
  // What begins with the words stands before what has them elsewhere; else in the codebook's order.
  const order = (one) => Number(one.id.split("-").pop()) + (begins(one) ? 0 : 10000);
  list.append(...[...list.children].sort((a, b) => order(a) - order(b)));
  list.hidden = matches(list).length === 0;
  input.setAttribute("aria-expanded", String(!list.hidden));
  mark(input, matches(list)[0]);
}

function mark(input, option) {
  for (const one of listOf(input).children) one.setAttribute("aria-selected", String(one === option));
  if (option) {
    input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  } else input.removeAttribute("aria-activedescendant");
}

function openList(input) {
  if (!input) return;
  input.focus();
  input.select();
  filterList(input, "");
}

function closeList() {
  for (const input of main.querySelectorAll("[data-choices]")) {
    listOf(input).hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }
}

function take(input, option) {
  if (option) input.value = option.textContent;
  closeList();
  keep();
}

function moveInList(input, step) {
  const list = listOf(input);
  if (list.hidden) {
    filterList(input, "");
    return;
  }
  const found = matches(list);
  const at = found.findIndex((one) => one.getAttribute("aria-selected") === "true");
  mark(input, found[(at + step + found.length) % found.length]);
}

function choose(key) {
  const found = form()?.querySelector(`input[data-key="${CSS.escape(key)}"]`);
  if (!found) return false;
  found.checked = found.type === "checkbox" ? !found.checked : true;
  keep();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.target.matches("[data-choices]")) {
    const list = listOf(event.target);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      moveInList(event.target, event.key === "ArrowDown" ? 1 : -1);
      return;
    }
    // In a list it takes the marked answer, and saves with it only the second time.
    if (event.key === "Enter") {
      event.preventDefault();
      if (!list.hidden) take(event.target, list.querySelector("[aria-selected=true]"));
      event.target.blur();
      return;
    }
    if (event.key === "Tab" && !list.hidden && event.target.value.trim()) {
      take(event.target, list.querySelector("[aria-selected=true]"));
    }
  }
  const isText = event.target.matches("textarea, select, input:not([type]), input[type=search]");
  if (event.key === "Escape" && isText) {
    event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" && form() && !event.target.matches("a, summary, button")) {
    if (event.target.matches("textarea") && event.shiftKey) return;
    event.preventDefault();
    save();
    return;
  }
  if (isText) return;
  const done = {
    z: undo,
    j: () => scrollBy(0, innerHeight / 2),
    k: () => scrollBy(0, -innerHeight / 2),
    c: () => openList(document.getElementById("field-category")),
    t: () => document.getElementById("field-note")?.focus(),
  }[event.key];
  if (done) {
    event.preventDefault();
    done();
  } else if (event.key.length === 1 && choose(event.key)) {
    event.preventDefault();
  }
});

document.addEventListener("input", (event) => {
  if (event.target.id === "search") {
    const words = event.target.value.toLowerCase();
    for (const one of document.querySelectorAll(".category")) {
      one.hidden = !one.textContent.toLowerCase().includes(words);
    }
  } else {
    if (event.target.matches("[data-choices]")) filterList(event.target, event.target.value);
    keep();
  }
});

document.addEventListener("focusout", (event) => {
  if (event.target.matches("[data-choices]")) closeList();
});

// Before the click the field would lose the focus, and its list be closed.
document.addEventListener("mousedown", (event) => {
  const option = event.target.closest("[role=option]");
  if (!option) return;
  event.preventDefault();
  take(document.querySelector(`[aria-controls="${option.parentElement.id}"]`), option);
});

document.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (event.target.id === "answer") {
    save();
  } else if (event.target.classList.contains("agree")) {
    const where = event.target.closest("[data-subject]");
    if (await post("/agree", { subject: where.dataset.subject, cells: cellsOf(event.target) })) location.reload();
  } else if (event.target.id === "change") {
    if (await post("/codebook/change", cellsOf(event.target))) location.reload();
  }
});

document.addEventListener("click", async (event) => {
  if (event.target.closest("#undo")) undo();
  if (event.target.matches("[data-choices]")) filterList(event.target, "");
  const button = event.target.closest("#collect");
  if (button && !button.disabled) {
    button.disabled = true;
    const started = performance.now();
    const wait = () => {
      const seconds = Math.round((performance.now() - started) / 1000);
      say(`Bringing the answers into the database: ${seconds} s …`, false, 0);
    };
    wait();
    const waiting = setInterval(wait, 1000);
    const answer = await post("/collect", {});
    clearInterval(waiting);
    button.disabled = false;
    if (answer) say((await answer.json()).said.join("\n"), false, LONGER);
  }
});

restore();
