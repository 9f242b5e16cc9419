// What hdbinspect put into the page: saves, as <script type="application/x-hdb" data-name="...">,
// name and content in base64; a history or differences, as lines of JSON; the view to begin with.
import { parseLines } from './diff_lines.js';

/** @returns {File[]} */
export function embeddedFiles() {
  const elements = [...document.querySelectorAll('script[type="application/x-hdb"]')];
  const paths = elements.map(({ dataset }) => new TextDecoder().decode(bytesOf(dataset.name)));
  const names = paths.map((path) => path.replace(/^.*[\\/](?=[^\\/]*$)/, ''));
  const isUnique = new Set(names).size === names.length;
  return elements.map((element, i) => {
    const bytes = bytesOf(element.textContent);
    element.remove();  // its text takes more memory than the bytes
    return new File([bytes], isUnique ? names[i] : paths[i]);
  });
}

/** What `hdbinspect plot` or `diff --format=html` made; see series.js and diff_lines.jsx. */
export function embeddedData() {
  const plot = elementOf('plot');
  const [files, ...lines] = parseLines(elementOf('diff')?.textContent ?? '');
  return { plot: plot && JSON.parse(plot.textContent), diff: files && { ...files, lines } };
}

/** The address of the view to begin with. */
export function firstView() {
  for (const kind of ['plot', 'diff']) if (elementOf(kind)) return `view=${kind}`;
  return elementOf('view')?.textContent ?? 'view=overview';
}

const elementOf = (kind) => document.querySelector(`script[type="application/x-hdb-${kind}"]`);

/** @param {string} text in base64 */
function bytesOf(text) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
