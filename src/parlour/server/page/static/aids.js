// What is seldom needed at a table: hints, sound, passing on a link, chat, the comment on a finished match.
// It is loaded when it is first needed.

// The card or the button that a hint names.
const shownMoment = () => document.querySelector("#play [name=moment]")?.value;
function mark(action) {
  for (const one of document.querySelectorAll("[data-hinted]")) delete one.dataset.hinted;
  if (!action) return;
  const words = action.split(" ");
  const found = [...document.querySelectorAll("#play button, #play input[type=radio]")];
  const meant = found.filter((one) => one.value === action && isSeen(one)), picked = found.filter((one) => one.type === "radio" && words.includes(one.value));
  const field = document.getElementsByName("amount " + words.slice(0, -1).join(" "))[0];
  if (!meant.length && field) { field.value = words.at(-1); meant.push(field); }
  for (const one of [...meant, ...(meant.length ? [] : picked)]) (one.closest("label") ?? one).dataset.hinted = t("Hint");
  document.querySelector("[data-hinted]")?.scrollIntoView({ block: "nearest" });
}

// A hint grows, line by line; only the last is read aloud. It belongs to the choice for which the reader wanted it.
export async function grow(body) {
  const lines = body.pipeThrough(new TextDecoderStream()).getReader(), place = document.getElementById("answer"), form = document.getElementById("play");
  let rest = "", last = place.textContent, late = false;
  const chosen = () => { late = true; };
  form.addEventListener("submit", chosen);
  for (let part = await lines.read(); !part.done; part = await lines.read()) {
    rest += part.value;
    for (const line of late ? [] : rest.split("\n").slice(0, -1)) {
      const said = JSON.parse(line);
      if (shownMoment()) mark(said.hinted);
      if (!said.rounds) { if (said.advice || place.textContent === last) answer(said.advice); }
      else {
        const so_far = document.createElement("span"), bar = document.createElement("progress");
        so_far.ariaHidden = "true";
        Object.assign(bar, { max: said.of, value: said.rounds });
        so_far.append(said.advice, " ", bar);
        place.replaceChildren(so_far);
      }
      last = place.textContent;
    }
    rest = rest.slice(rest.lastIndexOf("\n") + 1);
  }
  form.removeEventListener("submit", chosen);
}

// The sounds are loaded when the reader first wants to hear them.
export async function hear(button) {
  const on = button.value === "on";
  try {
    await fetch("/sound", { method: "POST", body: new URLSearchParams({ sound: button.value }), redirect: "manual" }); // so that it is remembered
  } catch { answer(t("Can't reach the server.")); return; }
  button.ariaPressed = on;
  button.value = on ? "off" : "on";
  const { sound } = main.dataset;
  if (sound && on) { delete main.dataset.sound; document.body.append(Object.assign(document.createElement("script"), { src: sound })); }
}

// The address that a button passes on: its own or, if it has none, the table's.
const linkOf = (button) => button.dataset.link ?? document.getElementById("invite-link").value;

export async function share(button) {
  const said = { title: "Parlour", text: button.dataset.share, url: linkOf(button) };
  try {
    if (navigator.share) await navigator.share(said);
    else { await navigator.clipboard.writeText(`${said.text}. ${said.url}`); button.textContent = t("Copied"); }
  } catch { /* the reader thought better of it */ }
}

// Opening the invitation copies its link.
export async function copy(button) {
  try {
    await navigator.clipboard.writeText(linkOf(button));
    button.textContent = t("Copied");
  } catch { document.getElementById("invite-link").select(); button.textContent = t("Copy it from the field"); }
  document.getElementById("say").textContent = button.textContent;
}

// A quick phrase is shown over its seat for a moment, and who has come or gone is shown at the top. Both are
// read aloud, like every message.
const FOR = 5000;
export function flash(text) {
  const place = document.getElementById("toast");
  place.textContent = text;
  clearTimeout(place.until);
  place.until = setTimeout(() => { place.textContent = ""; }, FOR);
}

export function bubble({ seat, text }) {
  const box = plate(seat);
  if (!box?.width) return;
  for (const one of document.querySelectorAll(`.bubble[data-of="${seat}"]`)) one.remove();
  const said = document.createElement("span");
  said.className = "bubble";
  said.dataset.of = seat;
  said.ariaHidden = "true";
  said.textContent = text;
  document.body.append(said);
  const { width, height } = said.getBoundingClientRect();
  said.style.left = Math.max(4, Math.min(innerWidth - width - 4, box.left + (box.width - width) / 2)) + "px";
  said.style.top = Math.max(52, box.top - height - 4) + "px";
  setTimeout(() => said.remove(), FOR);
}
