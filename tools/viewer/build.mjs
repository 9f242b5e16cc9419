// Makes viewer.html: one file without any request, with the licences of all that is in it.
// Usage: node tools/viewer/build.mjs [OUT.html]   (tools/setup.sh --ci installs what it needs)
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, '../../build/viewer/node_modules');
const { build } = createRequire(join(modules, 'x'))('esbuild');
const settings = {
  bundle: true, minify: true, write: false, format: 'iife', target: 'es2022', charset: 'utf8',
  metafile: true, legalComments: 'none', jsx: 'automatic', jsxImportSource: 'preact',
  absWorkingDir: here, nodePaths: [modules],
};

const worker = await build({ ...settings, entryPoints: ['page/worker.js'] });
const page = await build({
  ...settings, entryPoints: ['page/app.jsx'],
  define: { WORKER_SOURCE: JSON.stringify(worker.outputFiles[0].text) },
});
const style = await build({ ...settings, entryPoints: ['page/style.css'], format: undefined });

/** The folder of each package that is in the page. */
function packages() {
  const found = new Map();
  for (const { metafile } of [worker, page]) {
    for (const input of Object.keys(metafile.inputs)) {
      const match = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(input);
      if (match) found.set(match[2], join(here, match[1]));
    }
  }
  return [...found].sort();
}

function licences() {
  const list = packages().map(([name, folder]) => {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}`;
  });
  const [, xxhash] = /\/\*!\n(.*?)\*\//s.exec(
    readFileSync(join(here, 'reader/hashes_wasm.js'), 'utf8'));
  list.push(`xxHash\n\n${xxhash.replace(/^ \* ?/gm, '').trim()}`);
  return list.join('\n\n').replaceAll('--', '- -').replace(/[ \r]+$/gm, '');
}

// </script> and <!-- in a text would end the script or begin a comment.
const script = page.outputFiles[0].text.trim().replaceAll('</script', '<\\/script')
  .replaceAll('<!--', '<\\!--');
const css = style.outputFiles[0].text.trim();
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = [
  "default-src 'none'", `script-src ${hash(script)} 'wasm-unsafe-eval'`, `style-src ${hash(css)}`,
  'worker-src blob:', 'connect-src data: blob:', 'img-src data: blob:', "form-action 'none'",
  "base-uri 'none'",
].join('; ');
const parts = { policy, style: css, script, licences: licences() };
const html = readFileSync(join(here, 'page/index.html'), 'utf8')
  .replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
writeFileSync(process.argv[2] ?? join(here, 'viewer.html'), html);
