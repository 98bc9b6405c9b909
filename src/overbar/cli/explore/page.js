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

// Stations
const station = () => one("[data-station][aria-current]").dataset.station;

function go(name) {
  const known = one(`[data-station="${CSS.escape(name)}"]`) ?? one("[data-station]");
  for (const button of all("[data-station]")) button.removeAttribute("aria-current");
  known.setAttribute("aria-current", "page");
  for (const part of all("[data-shown]")) {
    // The form has a control called dataset, which hides the property of that name.
    part.hidden = !part.getAttribute("data-shown").split(" ").includes(station());
  }
  one("#said").textContent = "";
  if (station() === "budget") showBudget();
}

async function showBudget() {
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
    if (new RegExp(`(--|^)${option}\\b`).test(message)) control.setAttribute("aria-invalid", "true");
  }
}

// Plan: a first look at once, the whole when the slider rests.
const planned = one("#planned");
const copies = { plan: {}, ask: {} };

function showPlan(wanted, answer) {
  planned.setAttribute("aria-busy", String(!answer.error && !answer.whole));
  planned.hidden = Boolean(answer.error); // no old numbers beside an error
  complain(answer.error);
  copies.plan = answer.copies ?? {};
  for (const button of all("#plan [data-copy]")) button.disabled = !(button.dataset.copy in copies.plan);
  if (answer.error) return void (one("#said").textContent = "");
  planned.style.minHeight = answer.whole ? "" : `${planned.offsetHeight}px`;
  planned.innerHTML = answer.html;
  planned.dataset.asked = written(wanted);
  planned.dataset.look = answer.whole ? "whole" : "first";
  one("#said").textContent = one("#planned-good + .promise", planned)?.textContent ?? "";
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
  if (!answer.error && !answer.whole) resting = setTimeout(() => lookWhole(asked()), 120);
});

function follow() {
  const found = stops.findIndex((stop) => Number(stop) >= Number(form.elements.epsilon.value));
  if (document.activeElement !== slider) slider.value = found < 0 ? stops.length - 1 : found;
  slider.setAttribute("aria-valuetext", `ε = ${form.elements.epsilon.value}`);
  const question = form.elements.question.value;
  for (const part of all("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(question);
}

function changed() {
  one("#said").textContent = "Computing…";
  follow();
  remember();
  lookFirst(asked());
}

form.addEventListener("input", async (event) => {
  if (event.target === slider) form.elements.epsilon.value = stops[slider.value];
  form.elements.request.value = ""; // another question is another request
  showAnswer(null);
  changed();
  if (["file", "table"].includes(event.target.name)) await offerColumns();
});
form.addEventListener("submit", (event) => event.preventDefault());

for (const button of all("[data-station]")) {
  button.addEventListener("click", () => {
    if (button.dataset.station === station()) return;
    history.pushState(null, "", location.href); // Back leads to the station before
    go(button.dataset.station);
    remember();
  });
}
addEventListener("popstate", () => go(new URLSearchParams(location.search).get("station") ?? "plan"));

for (const button of all("[data-copy]")) {
  button.addEventListener("click", async () => {
    const text = copies[station()][button.dataset.copy];
    const shown = one(station() === "plan" ? "#copied" : "#command");
    shown.hidden = false;
    shown.textContent = text;
    const done = await navigator.clipboard.writeText(text).then(() => true, () => false);
    one("#said").textContent = done ? "Copied; it stands below too." : "Copy it from below.";
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
  if (!file.value) return;
  const before = table.value || address.get("table");
  const found = await ask("/schema", { file: file.value, table: before ?? "" });
  if (found.error) return complain(found.error);
  offer(table, found.tables);
  if (found.tables.includes(before)) table.value = before;
  one("[data-needs=tables]").hidden = found.tables.length === 0;
  one("#columns").replaceChildren(...found.columns.map((name) => new Option(name)));
});

function showAnswer(answer) {
  one("#answered").innerHTML = answer?.html ?? "";
  one("#checked").innerHTML = "";
  one("#checked").hidden = true;
  dried.hidden = true;
  const links = Object.entries(answer?.files ?? {}).map(([name, text]) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text]));
    link.download = name;
    link.textContent = `Download ${name}`;
    return link;
  });
  one("#files").replaceChildren(...links);
}

async function busy(work) {
  const buttons = all("#dry, #spend:not([data-off]), #check");
  for (const button of buttons) button.disabled = true;
  one("#said").textContent = "Asking…";
  const answer = await work();
  for (const button of buttons) button.disabled = false;
  one("#said").textContent = answer.error ? "" : "Done.";
  complain(answer.error);
  return answer;
}

async function dryRun() {
  const answer = await busy(() => ask("/dry-run", asked()));
  if (answer.error) return null;
  showAnswer(null);
  copies.ask = answer.copies;
  one("#command").textContent = answer.copies.command;
  one("#told").innerHTML = answer.html;
  dried.hidden = false;
  return answer;
}

async function spend() {
  const answer = await busy(() => ask("/spend", asked()));
  if (!answer.error) showAnswer(answer);
}

one("#dry").addEventListener("click", dryRun);
one("#check").addEventListener("click", async () => {
  const answer = await busy(() => ask("/check", asked()));
  one("#checked").hidden = Boolean(answer.error);
  one("#checked").innerHTML = answer.html ?? "";
});
one("#spend").addEventListener("click", async () => {
  const answer = await dryRun();
  if (!answer) return;
  one("#price").textContent = answer.cost.join("\n");
  one("#sure").showModal();
});
one("#no").addEventListener("click", () => one("#sure").close());
one("#yes").addEventListener("click", () => {
  one("#sure").close();
  if (!form.elements.request.value) form.elements.request.value = crypto.randomUUID();
  remember(); // the request stands in the address before anything is spent
  spend();
});

// What a request in the address has become. This never spends.
async function lookBack() {
  if (!form.elements.request.value) return;
  const answer = await busy(() => ask("/look-back", asked()));
  if (answer.html) showAnswer(answer);
  if (answer.state === "open") {
    complain("This request was reserved and has no answer yet. If its run was lost, what it held stays spent, and asking again costs again.");
  }
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
one("#spend").toggleAttribute("data-off", datasets.length === 0);
one("#spend").disabled = datasets.length === 0;
one("[data-needs=tables]").hidden = true;
if (start.error) complain(start.error);
else {
  changed();
  await offerColumns();
  remember();
  await lookBack();
}
