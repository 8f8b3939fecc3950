// What is wrong with how a table looks: an expression, evaluated on its page (test_page_fits.py).
(isDense = false) => {
  const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".vh, .air")
    && getComputedStyle(one).clipPath !== "inset(50%)";
  const all = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  const within = (a, b) => {
    const left = Math.max(a.left, b.left), top = Math.max(a.top, b.top);
    const right = Math.min(a.right, b.right), bottom = Math.min(a.bottom, b.bottom);
    return { left, top, right, bottom, width: right - left, height: bottom - top };
  };
  const edges = new Map([[document.body, all]]);
  const edge = (one) => { // where what stands in it is cut off
    if (!edges.has(one)) {
      const style = getComputedStyle(one), cuts = style.display !== "contents" && style.overflowX !== "visible";
      edges.set(one, within(edge(one.parentElement), cuts ? one.getBoundingClientRect() : all));
    }
    return edges.get(one);
  };
  const scrolls = (one) => one !== document.body // or ends in dots
    && (getComputedStyle(one).overflowY === "auto" || one.matches(".now-told, .when > span") || scrolls(one.parentElement));
  const cutAside = (one, box) => { // before something scrolls, or ends in dots
    for (let over = one; over !== document.body; over = over.parentElement) {
      const { display, overflowX, textOverflow } = getComputedStyle(over), at = over.getBoundingClientRect();
      if (overflowX === "auto" || textOverflow === "ellipsis") return false;
      if (display === "contents" || display === "inline" || overflowX === "visible") continue;
      if (box.left < at.left - 1 || box.right > at.right + 1) return true;
    }
    return false;
  };
  const paper = [".ending[open] .paper", ".join .paper"].find((one) => document.querySelector(one));
  const lies = paper ?? ".top, main"; // what lies under a paper is not read
  const faults = [], texts = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim(), one = walk.currentNode.parentElement;
    if (!text || !one.closest(lies) || one.closest(".drawer, .invite, .menu, script, noscript, option")) continue;
    if (!seen(one) || getComputedStyle(one).fontSize === "0px") continue;
    const range = document.createRange();
    range.selectNodeContents(walk.currentNode);
    for (const box of range.getClientRects()) {
      const inset = one.closest("svg") ? 3 : 0; // letters of a chart are lower than their line
      const { left, right, top, bottom } = box;
      const shown = within(edge(one), { left, right, top: top + inset, bottom: bottom - inset });
      if (shown.width > 1 && shown.height > 3) texts.push([text.slice(0, 24), shown, one]);
      if (shown.width > 1 && shown.height < box.height * 0.6 && !scrolls(one))
        faults.push(`cut ${text.slice(0, 24)}`);
      if (shown.width > 1 && shown.height > 3 && cutAside(one, box))
        faults.push(`cut at its side ${text.slice(0, 24)}`);
    }
    if (parseFloat(getComputedStyle(one).fontSize) < 12.9 && !one.closest(".portrait"))
      faults.push(`small ${text.slice(0, 24)}`);
  }
  const whole = innerWidth > 300 && innerHeight > 300; // or else the page scrolls
  const outside = (box) => whole
    && (box.left < -1 || box.right > innerWidth + 1 || box.top < -1 || box.bottom > innerHeight + 1);
  texts.forEach(([text, box, one], i) => {
    if (outside(box)) faults.push(`outside ${text}`);
    for (const [other, at, two] of texts.slice(i + 1)) {
      if (one === two || one.closest(".portrait") || two.closest(".portrait")) continue;
      if (one.closest(".totals") && two.closest(".totals")) continue; // what scrolls lies under the names and the sums
      const across = Math.min(box.right, at.right) - Math.max(box.left, at.left);
      const down = Math.min(box.bottom, at.bottom) - Math.max(box.top, at.top);
      if (across > 2 && down > 4) faults.push(`overlap ${text} / ${other}`);
    }
  });
  for (const one of document.querySelectorAll(".rail .me .coins")) // 79 would read 7
    if (seen(one) && one.getBoundingClientRect().right > one.closest(".me").getBoundingClientRect().right + 1)
      faults.push(`cut ${one.textContent}`);
  const pressed = "#play :is(button, input, select, .pick), .aids button, .held-acts button";
  for (const one of document.querySelectorAll(pressed)) {
    if (!seen(one) || one.matches(".default")) continue;
    const box = one.getBoundingClientRect(), what = one.value || one.textContent.trim().slice(0, 20);
    if (box.width < 2 || paper) continue;
    if (outside(box)) faults.push(`outside ${what}`);
    if (box.height < 43.5 && !one.closest(".hand, .stage") && !one.matches("[type=radio]")) faults.push(`low ${what}`);
  }
  const isRoomy = whole && !isDense;
  const cards = [...document.querySelectorAll(":is(.round > .stage, .showdown, .ring > .others) .card:not(.down)")]
    .filter(seen).map((one) => one.getBoundingClientRect().width).filter((width) => width > 0);
  const least = innerWidth <= 320 || innerHeight < 480 ? 20 : 24, smallest = Math.min(...cards);
  if (smallest < least - 0.5 && isRoomy) faults.push(`a card of ${Math.round(smallest)} px`);
  const stage = document.querySelector(".round.board > .stage, .round.ring")?.getBoundingClientRect().height;
  const high = Math.round(100 * stage / innerHeight), speaks = document.querySelector(".idea");
  const most = document.querySelector(".trays") ? 3 : 6; // without a drawing, words are long
  const many = document.querySelectorAll(".acts :is(button, input, select)").length > most;
  if (high < 45 && innerHeight > innerWidth && isRoomy && !many && !speaks) faults.push(`a stage of ${high} %`);
  const { scrollWidth, scrollHeight } = document.documentElement;
  if (whole && (scrollHeight > innerHeight + 1 || scrollWidth > innerWidth + 1)) faults.push("scrolls");
  return { faults: [...new Set(faults)], card: cards.length ? Math.round(smallest) : null, stage: high || null };
}
