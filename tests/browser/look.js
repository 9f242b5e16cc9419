// What the browser test asks a page; returns a list of what is wrong with it.
const [wanted] = arguments;
const faults = [];
const visible = (e) => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0 && e.checkVisibility({ visibilityProperty: true }); };
const name = (e) => `<${e.tagName.toLowerCase()} class="${e.getAttribute("class") || ""}"> ${(e.textContent || "").trim().slice(0, 40)}`;

if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} wide`);
for (const e of document.querySelectorAll("body *")) {
  if (!visible(e) || e.closest(".scroll > *") || e.closest(".treemap > *") || e.closest("svg > *") || e.closest(".skip")) continue;
  const box = e.getBoundingClientRect();
  if (box.right > innerWidth + 1 || box.left < -1) faults.push(`${name(e)} reaches from ${box.left} to ${box.right}`);
}
for (const e of document.querySelectorAll("svg, .treemap")) {
  const box = e.getBoundingClientRect();
  if (e.closest("details:not([open])")) continue;
  if (box.width < 12 || box.height < 8) faults.push(`a picture of ${box.width} x ${box.height}: ${name(e)}`);
}

// Contrast of texts (WCAG 2): 4.5, or 3 where the letters are large.
const channels = (color) => color.match(/[\d.]+/g).map(Number);
const luminance = (color) => {
  const [r, g, b] = channels(color).map((c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const clear = (color) => color === "transparent" || (channels(color).length === 4 && channels(color)[3] === 0);
const behind = (e) => { while (e && clear(getComputedStyle(e).backgroundColor)) e = e.parentElement; return e ? getComputedStyle(e).backgroundColor : "rgb(255, 255, 255)"; };
const seen = new Set();
let texts = 0;
for (const e of document.querySelectorAll("body *")) {
  if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || !visible(e)) continue;
  if (["title", "desc", "script", "style"].includes(e.tagName.toLowerCase())) continue;
  const style = getComputedStyle(e);
  const svg = e.namespaceURI.endsWith("svg");
  const grounds = svg ? [getComputedStyle(document.querySelector(".graph .node")).fill, getComputedStyle(document.querySelector(".graph .head")).fill] : [behind(e)];
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
  ++texts;
  if (size < 11) faults.push(`letters of ${size}: ${name(e)}`);
  for (const ground of grounds) {
    const ratio = contrast(svg ? style.fill : style.color, ground);
    const key = `${style.color} ${ground} ${large}`;
    if (ratio < (large ? 3 : 4.5) && !seen.has(key)) { seen.add(key); faults.push(`contrast ${ratio.toFixed(2)} of ${svg ? style.fill : style.color} on ${ground}: ${name(e)}`); }
  }
}
if (texts < wanted) faults.push(`only ${texts} texts can be seen`);
return faults;
