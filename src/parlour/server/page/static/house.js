// While house rules are being chosen, those that can change nothing are left out, and those changed are listed on top.
const form = document.getElementById("new-table"), chosen = document.getElementById("chosen");
const rules = [...form.querySelectorAll(".option")].map((row) => ({ row, field: row.querySelector("select, input") }));
const value = (field) => field.value.trim() || field.dataset.standard;
const changed = ({ field }) => value(field) !== field.dataset.standard;

function applies(when) {
  return when.split(" or ").some((one) => {
    const [name, values] = one.split("=");
    return values.split(",").includes(value(form.elements[`option-${name}`]));
  });
}

function list() {
  const found = rules.filter(changed).map(({ row, field }) => {
    const link = document.createElement("a"), item = document.createElement("li");
    const word = field.selectedOptions ? field.selectedOptions[0].textContent : value(field);
    link.href = `#${field.id}`;
    link.textContent = `${row.querySelector("label").textContent}: ${word}`;
    item.append(link);
    return item;
  });
  const title = document.createElement("p"), all = document.createElement("ul");
  title.textContent = chosen.dataset.heading;
  all.append(...found);
  chosen.replaceChildren(...(found.length ? [title, all] : []));
}

function look() {
  for (const one of rules) {
    one.row.classList.toggle("changed", changed(one));
    if (one.row.dataset.when) one.row.hidden = !changed(one) && !applies(one.row.dataset.when);
  }
  for (const chapter of form.querySelectorAll("details:has(.option)")) chapter.hidden = !chapter.querySelector(".option:not([hidden])");
}

form.querySelector(".presets")?.addEventListener("click", ({ target }) => { // a preset changes only house rules: what else is filled in stays
  const link = target.closest("a"), others = [...new FormData(form)].filter(([name]) => !name.startsWith("option-"));
  if (link) link.search = new URLSearchParams([...new URLSearchParams(link.search), ...others]);
});

if (chosen) {
  form.addEventListener("change", () => { look(); list(); });
  chosen.addEventListener("click", (event) => {
    const field = document.getElementById(event.target.hash?.slice(1));
    if (field) { field.closest("details").open = true; field.focus(); event.preventDefault(); }
  });
  look();
}
