// What keys do at a table, apart from Tab, Enter and Escape. It is loaded when the reader first presses one of them.
const all = (what) => [...document.querySelectorAll(what)];
const words = (one) => one.innerText.replace(/\s+/g, " ").trim();
const say = (text) => { answer(""); requestAnimationFrame(() => answer(text)); }; // read aloud again, even if it is the same

function rules() {
  const list = document.getElementById("now-rules"), drawer = document.getElementById("story-drawer");
  list.open = !list.open;
  drawer.togglePopover(list.open);
  if (list.open) list.querySelector("summary").focus();
}

function phrases() {
  const form = document.querySelector("#people-drawer [popovertarget=phrases]") && document.getElementById("phrases");
  if (!form) { say(t("That isn’t possible now.")); return; }
  form.showPopover();
  form.querySelector("button").focus();
}

function press(id) {
  const button = document.getElementById(id);
  if (button) button.click();
  else say(t("That isn’t possible now."));
}

function events() {
  const told = all("#r-story li").slice(0, 3).reverse().map((one) => words(one).replace(/ [A-Z]+-\d+\w*$/, ""));
  say(told.join(" ") || t("Nothing has happened yet."));
}

// What each player has stands beside their name; in a showdown, only what the reader has does.
function scores() {
  const people = all("#r-board .purse").map((one) => `${words(one.closest("[data-seat]").querySelector(".name"))}: ${words(one)}`);
  say(people.join("; ") || t("There are no scores here."));
}

function goTo(n) {
  const mine = all("#play button.legal, #play input").filter((one) => one.checkVisibility());
  if (mine.length) (mine[n - 1] ?? mine.at(-1)).focus();
  else say(t("You have nothing to choose now."));
}

function along(step) {
  const cards = all("#play button.card").filter((one) => one.checkVisibility());
  if (!cards.length) return;
  const at = cards.indexOf(document.activeElement);
  cards[at < 0 ? (step > 0 ? 0 : cards.length - 1) : (at + step + cards.length) % cards.length].focus();
}

const KEYS = [
  ["?", t("These keys"), list],
  ["h", t("A hint"), () => press("hint")],
  ["u", t("Take back your last move"), () => press("undo")],
  ["t", t("Whose turn it is"), () => say(all("#r-strip .now h2, #r-strip .now li").map((one) => words(one).replace(/[^.?!]$/, "$&.")).join(" "))],
  ["s", t("What everybody has"), scores],
  ["e", t("The last events again"), events],
  ["p", t("Quick phrases"), phrases],
  ["r", t("The rules that matter now"), rules],
];
const MORE = [["1 – 9", t("To your first choice, the second …")], ["← →", t("Along the cards")]];

function list() {
  const open = document.getElementById("keys");
  if (open) { open.close(); return; }
  const dialog = document.createElement("dialog"), title = document.createElement("h2"), rows = document.createElement("dl");
  dialog.id = "keys";
  dialog.className = "keys paper";
  dialog.setAttribute("aria-labelledby", "keys-title");
  title.id = "keys-title";
  title.textContent = t("Keys");
  for (const [key, what] of [...KEYS.map(([key, what]) => [key.toUpperCase(), what]), ...MORE]) {
    const row = document.createElement("div"), name = document.createElement("dt"), text = document.createElement("dd"), cap = document.createElement("kbd");
    cap.textContent = key;
    text.textContent = what;
    name.append(cap);
    row.append(name, text);
    rows.append(row);
  }
  const close = document.createElement("button"), note = document.createElement("p");
  close.textContent = t("Close");
  close.addEventListener("click", () => dialog.close());
  note.className = "small";
  note.textContent = t("Appearance switches these keys off.");
  dialog.append(title, rows, note, close);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

export function pressed(event) {
  const { key } = event;
  const found = KEYS.find(([name]) => name === key.toLowerCase());
  if (found && (key === "?" || !document.getElementById("keys"))) found[2]();
  else if (/^[1-9]$/.test(key)) goTo(Number(key));
  else if (["ArrowLeft", "ArrowRight"].includes(key) && !event.target.matches("input, select")) { event.preventDefault(); along(key === "ArrowRight" ? 1 : -1); }
}
