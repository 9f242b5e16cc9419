// Prints what the JavaScript reader says of files: verdicts.mjs < PATHS
// A line of JSON for each: verdict, class, codes of findings, state hash, memory.

import { readFileSync } from 'node:fs';
import { bytesSource, check } from '../../tools/viewer/reader/index.js';

for (const path of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  let line;
  try {
    const result = await check(bytesSource(new Uint8Array(readFileSync(path))), 'deep');
    const codes = result.findings.map(({ code }) => code);
    const { verdict, stateHash } = result;
    line = { verdict, class: result.class, codes, stateHash, message: result.findings[0]?.message };
  } catch (error) {
    line = { verdict: 'crash', codes: [], message: String(error?.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
// The peak of this process in KiB; that of resourceUsage() includes its parent's.
const status = readFileSync('/proc/self/status', 'utf8');
process.stderr.write(`${/VmHWM:\s*(\d+)/.exec(status)?.[1]}\n`);
