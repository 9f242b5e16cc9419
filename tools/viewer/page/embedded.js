// The saves that hdbinspect put into the page: <script type="application/x-hdb" data-name="...">,
// name and content in base64.

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

/** @param {string} text in base64 */
function bytesOf(text) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
