// The page asks the server for everything it shows. It computes nothing about privacy.

const one = (selector, inside = document) => inside.querySelector(selector);
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const form = one("#asked");
const stops = all("#stops option").map((option) => option.value);
const slider = one("#slider");

// The token comes behind the # of the address, which is never sent. It belongs to this origin alone.
function takeToken() {
  const found = location.hash.slice(1);
  if (found) {
    localStorage.setItem("token", found);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return localStorage.getItem("token") ?? "";
}

const token = takeToken();
addEventListener("hashchange", () => location.reload());

async function ask(path, asked) {
  try {
    const reply = await fetch(path, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(asked),
    });
    return reply.ok ? await reply.json() : { error: await reply.text() };
  } catch {
    return { error: "The page is not running any more. Start overbar explore again; nothing is lost." };
  }
}

// Runs work one at a time; of what is asked meanwhile, only the last is done.
function latest(work) {
  let busy = false;
  let next = null;
  return async (wanted) => {
    next = wanted;
    if (busy) return;
    busy = true;
    while (next !== null) {
      const now = next;
      next = null;
      await work(now);
    }
    busy = false;
  };
}

// What is asked is in the address, so that a link shows the same again.
const asked = () => Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
const written = (values) => new URLSearchParams(values).toString();

function remember() {
  history.replaceState(null, "", `?${written({ station: station(), ...asked() })}`);
}

const address = new URLSearchParams(location.search);

function recall() {
  for (const control of form.elements) {
    if (!control.name || !address.size) continue;
    if (control.type === "radio" && !address.has(control.name)) continue;
    const value = address.get(control.name) ?? "";
    if (control.type === "radio" || control.type === "checkbox") control.checked = control.value === value;
    else if (control.type === "select-one" && ![...control.options].some((option) => option.value === value)) continue;
    else control.value = value;
  }
  go(address.get("station") ?? "plan");
}

// Says what goes on; a sentence that stands on the page too is not shown twice where both are in sight.
function say(text, look = "") {
  one("#said").textContent = text;
  one("#said").className = look;
}

// Stations
const station = () => one("[data-station][aria-current]").dataset.station;

function go(name) {
  const known = one(`[data-station="${CSS.escape(name)}"]`) ?? one("[data-station]");
  for (const button of all("[data-station]")) button.removeAttribute("aria-current");
  known.setAttribute("aria-current", "page");
  reveal();
  one(".fields").scrollTop = 0; // the file is asked for first
  say("");
  if (station() === "budget") showBudget();
}

// A part is shown at its stations and for its questions.
function reveal() {
  const now = { "data-shown": station(), "data-for": form.elements.question.value };
  for (const part of all("[data-shown], [data-for]")) {
    part.hidden = Object.entries(now).some(
      ([name, value]) => part.hasAttribute(name) && !part.getAttribute(name).split(" ").includes(value));
  }
}

async function showBudget() {
  one("#accounts").innerHTML = "";
  const answer = await ask("/budget", {});
  complain(answer.error);
  one("#accounts").innerHTML = answer.html ?? "";
}

// What is wrong is said in words, and at the control that it names.
function complain(message = "") {
  one("#wrong").hidden = !message;
  one("#wrong").textContent = message;
  for (const control of form.elements) {
    if (!control.name) continue;
    const option = control.name.replaceAll("_", "-");
    control.toggleAttribute("aria-invalid", false);
    if (new RegExp(`(--|^)${option}(?![\\w-])`).test(message)) {
      control.setAttribute("aria-invalid", "true");
      control.closest("details")?.setAttribute("open", "");
    }
  }
}

// Plan: a first look at once, the whole when the slider rests.
const planned = one("#planned");
const copies = { plan: {}, ask: {} };

function showPlan(wanted, answer) {
  planned.setAttribute("aria-busy", String(!answer.error && !answer.whole));
  planned.hidden = Boolean(answer.error); // no old numbers beside an error
  complain(answer.error);
  const [first = "", ...others] = answer.cost ?? [];
  const left = datasets.length ? others.at(-1) : first && "Nothing can be spent yet: Budget says how.";
  const early = !answer.error && !answer.whole && Number(wanted.delta); // a look at δ = 0 has another price
  one("#cost").textContent = early ? "Computing the price…" : `${first} ${left ?? ""}`;
  copies.plan = answer.copies ?? {};
  for (const button of all("#plan [data-copy]")) button.disabled = !(button.dataset.copy in copies.plan);
  if (answer.error) return say("");
  planned.style.minHeight = answer.whole ? "" : `${planned.offsetHeight}px`;
  const open = Boolean(one("details[open]", planned));
  planned.innerHTML = answer.html;
  if (open) for (const more of all("details", planned)) more.open = true;
  planned.dataset.asked = written(wanted);
  planned.dataset.look = answer.whole ? "whole" : "first";
  const good = one("#planned-good + .promise", planned)?.textContent ?? "";
  const warned = one("#planned-promise ~ .warning", planned)?.textContent ?? "";
  say(station() === "plan" ? `${warned} ${good}`.trim() : "", "sentence"); // a table has its own list
}

const lookWhole = latest(async (wanted) => {
  const answer = await ask("/plan", { ...wanted, look: "whole" });
  if (written(wanted) === written(asked())) showPlan(wanted, answer);
});

let resting;
const lookFirst = latest(async (wanted) => {
  const answer = await ask("/plan", { ...wanted, look: "first" });
  showPlan(wanted, answer);
  clearTimeout(resting);
  if (!answer.error && !answer.whole) resting = setTimeout(() => lookWhole(asked()), 400);
});

function follow() {
  const found = stops.findIndex((stop) => Number(stop) >= Number(form.elements.epsilon.value));
  if (document.activeElement !== slider) slider.value = found < 0 ? stops.length - 1 : found;
  slider.setAttribute("aria-valuetext", `ε = ${form.elements.epsilon.value}`);
  reveal();
}

function changed() {
  say("Computing…");
  ready();
  follow();
  remember();
  lookFirst(asked());
}

form.addEventListener("input", (event) => {
  if (event.target === slider) form.elements.epsilon.value = stops[slider.value];
  form.elements.request.value = ""; // another question is another request
  showAnswer(null);
  changed();
});
form.addEventListener("change", (event) => {
  if (["file", "table", "encoding", "header_row"].includes(event.target.name)) offerColumns();
});
form.addEventListener("submit", (event) => event.preventDefault());

for (const button of all("[data-station]")) {
  button.addEventListener("click", () => {
    visit(button.dataset.station);
  });
}

function visit(name) {
  if (name === station()) return;
  history.pushState(null, "", location.href); // Back leads to the station before
  complain();
  go(name);
  remember();
}

// What was typed since stays, and the address says so.
addEventListener("popstate", () => {
  if (location.hash) return; // a token is coming in
  complain();
  go(new URLSearchParams(location.search).get("station") ?? "plan");
  remember();
});

for (const button of all("[data-copy]")) {
  button.addEventListener("click", async () => {
    const text = copies[station()][button.dataset.copy];
    const shown = one(station() === "plan" ? "#copied" : "#command");
    shown.hidden = false;
    shown.textContent = text;
    const done = await navigator.clipboard.writeText(text).then(() => true, () => false);
    say(done ? "Copied; it stands below too." : "Copy it from below.");
  });
}

one("#verify").addEventListener("click", async () => {
  const answer = await ask("/verify", {});
  complain(answer.error);
  one("#verified").hidden = Boolean(answer.error);
  one("#verified").textContent = answer.text ?? "";
});

// Ask: every step is the command line's own.
const dried = one("#dried");

function offer(control, names, empty) {
  const options = names.map((name) => new Option(name));
  control.replaceChildren(...(empty === undefined ? [] : [new Option(empty, "")]), ...options);
}

const offerColumns = latest(async () => {
  const { file, table } = form.elements;
  const before = table.value || address.get("table");
  const found = file.value ? await ask("/schema", { ...asked(), table: before ?? "" }) : { tables: [], columns: [] };
  one("#offered").hidden = !found.columns?.length;
  if (found.error) one("#columns").replaceChildren();
  if (found.error) return complain(found.error);
  offer(table, found.tables);
  if (found.tables.includes(before)) table.value = before;
  one("[data-needs=tables]").hidden = found.tables.length === 0;
  one("#columns").replaceChildren(...found.columns.map((name) => new Option(name)));
});

const SAVED = {
  "answer.html": "Save the page to show around (HTML)",
  "answer.csv": "Save the table (CSV)",
  "answer.json": "Save it for programs (JSON)",
};

function showAnswer(answer) {
  one("#answered").innerHTML = answer?.html ?? "";
  one("#checked").innerHTML = "";
  one("#checked").hidden = true;
  dried.hidden = true;
  if (!answer) return;
  const files = document.createElement("p");
  files.id = "files";
  files.className = "buttons";
  for (const [name, words] of Object.entries(SAVED)) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([answer.files[name]]));
    link.download = name;
    link.textContent = words;
    files.append(link);
  }
  one("#answered h2").after(files); // in sight, however long the answer is
}

// A ledger and a file are needed to spend.
let working = false;
function ready() {
  const why = !datasets.length ? "Nothing can be spent yet: Budget says how"
    : !form.elements.file.value ? "First choose a file, under Ask" : "";
  for (const button of all("#dry, #spend, #check")) button.disabled = working;
  one("#spend").disabled ||= Boolean(why);
  one("#spend").title = why;
}

async function busy(work) {
  working = true;
  ready();
  say("Asking…");
  complain();
  const answer = await work();
  working = false;
  ready();
  say(answer.error ? "" : "Done.");
  complain(answer.error);
  return answer;
}

// What is far below comes into sight.
function bring(part) {
  if (part.getBoundingClientRect().top > innerHeight / 2) part.scrollIntoView();
}

async function dryRun() {
  visit("ask");
  showAnswer(null); // no old numbers beside an error
  const answer = await busy(() => ask("/dry-run", asked()));
  if (answer.error) return null;
  copies.ask = answer.copies;
  one("#command").textContent = answer.copies.command;
  one("#told").innerHTML = answer.html;
  dried.hidden = false;
  bring(dried);
  return answer;
}

function showSpent(answer) {
  showAnswer(answer);
  one("#cost").textContent = answer.cost[0]; // what a run would leave is old now
  say(answer.cost[0]);
  bring(one("#answered h2"));
}

async function spend() {
  showAnswer(null);
  const answer = await busy(() => ask("/spend", asked()));
  if (!answer.error) showSpent(answer);
}

one("#dry").addEventListener("click", dryRun);
one("#check").addEventListener("click", async () => {
  one("#checked").hidden = true;
  const answer = await busy(() => ask("/check", asked()));
  one("#checked").hidden = Boolean(answer.error);
  one("#checked").innerHTML = answer.html ?? "";
});
one("#spend").addEventListener("click", async () => {
  visit("ask");
  if (await lookBack()) return say("You have paid for this answer: shown again, free.");
  const answer = await dryRun();
  if (!answer) return;
  one("#line").textContent = answer.line;
  one("#price").textContent = answer.cost.join("\n");
  for (const part of all("[data-needs=room]")) part.hidden = !answer.fits;
  one("#sure").showModal();
});
one("#no").addEventListener("click", () => one("#sure").close());
one("#yes").addEventListener("click", () => {
  one("#sure").close();
  if (!form.elements.request.value) form.elements.request.value = crypto.randomUUID();
  remember(); // the request stands in the address before anything is spent
  spend();
});

// What a request in the address has become, and whether it has an answer. This never spends.
async function lookBack() {
  if (!form.elements.request.value) return false;
  const answer = await busy(() => ask("/look-back", asked()));
  if (answer.html) showSpent(answer);
  if (answer.state === "open") {
    complain("This request was reserved and has no answer yet. If its run was lost, what it held stays spent, and asking again costs again.");
  }
  return Boolean(answer.html);
}

// Start
slider.min = 0;
slider.max = stops.length - 1;
const start = await ask("/start", {});
const datasets = start.datasets ?? [];
offer(form.elements.dataset, datasets);
offer(form.elements.file, start.files ?? [], "choose a file");
offer(form.elements.catalogue, start.files ?? [], "none");
for (const part of all("[data-needs=datasets]")) part.hidden = datasets.length === 0;
recall();
ready();
one("#verify").hidden = datasets.length === 0;
one("[data-needs=tables]").hidden = true;
if (start.error) complain(start.error);
else {
  changed();
  await offerColumns();
  remember();
  await lookBack();
}
