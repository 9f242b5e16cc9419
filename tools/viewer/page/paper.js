// What is folded is opened for paper, and folded again afterwards.
const opened = new Set();

addEventListener('beforeprint', () => {
  for (const part of document.querySelectorAll('main details:not([open], .menu)')) {
    part.open = true;
    opened.add(part);
  }
});
addEventListener('afterprint', () => {
  for (const part of opened) part.open = false;
  opened.clear();
});
