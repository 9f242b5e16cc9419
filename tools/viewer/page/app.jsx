// The page: what is open, where its reader is, and the view of that.
import { render } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { connect } from './connection.js';
import { DiffLinesView } from './diff_lines.jsx';
import { embeddedData, embeddedFiles, firstView } from './embedded.js';
import { go, parseRoute } from './route.js';
import { ChangesView } from './changes.jsx';
import { HistoryPicture, HistoryView } from './history.jsx';
import { Overview } from './overview.jsx';
import { SlotsView } from './slots.jsx';
import { TableView } from './table.jsx';
import { plural, visible } from './text.js';

const THEME = 'hdb-theme';

function App({ connection, made }) {
  const [files, setFiles] = useState([]);
  const [active, setActive] = useState(0);
  const [route, setRoute] = useState(parseRoute());
  const [status, setStatus] = useState('');
  const [over, setOver] = useState(false);
  const [version, setVersion] = useState(0);
  const main = useRef(null);

  const open = useCallback(async (blobs, { last = false } = {}) => {
    setStatus(`Opening ${plural(blobs.length, "file")} …`);
    const opened = [];
    for (const blob of blobs) {
      try {
        opened.push(await connection.call('open', [blob.name ?? 'save.hdb', blob]));
      } catch (fault) {
        opened.push({ name: blob.name, fault });
      }
    }
    setFiles((known) => {
      const sound = opened.filter((file) => !file.fault);
      setActive(known.length + Math.max(0, opened.indexOf(sound.at(last ? -1 : 0))));
      return [...known, ...opened];
    });
    const bad = opened.filter((file) => file.fault).length;
    setStatus(bad ? `${plural(bad, "file")} could not be opened.` : '');
  }, [connection]);

  useEffect(() => {
    const onHash = () => setRoute(parseRoute());
    addEventListener('hashchange', onHash);
    const found = embeddedFiles();
    // Changes are those that lead to the last of the saves.
    if (found.length) open(found, { last: firstView() === 'view=changes' });
    return () => removeEventListener('hashchange', onHash);
  }, []);
  useDrops(open, setOver);

  const file = files[active];
  const save = file && !file.fault ? file : undefined;
  const isMade = Boolean(made[route.view]);  // by hdbinspect, without a save
  const table = save?.tables.find((each) => each.name === route.table);
  const refresh = useCallback(async (number) => {
    const info = await connection.call('info', [number]);
    setFiles((known) => known.map((each) => (each.number === number ? info : each)));
    setVersion((n) => n + 1);
  }, [connection]);
  const context = useMemo(
    () => ({ connection, files, file: save, setStatus, version, refresh, setActive }),
    [connection, files, save, version]);
  const edited = files.some((each) => each.edits > 0);
  useEffect(() => {
    const stay = (event) => event.preventDefault();
    if (edited) addEventListener('beforeunload', stay);
    return () => removeEventListener('beforeunload', stay);
  }, [edited]);
  useEffect(() => {
    const shown = save?.name ?? made.plot?.name ?? (made.diff && `${made.diff.after}: changes`);
    document.title = shown ? `${visible(shown)} – hdb` : 'hdb viewer';
  }, [save]);

  return (
    <>
      <a class="skip" href="#main" onClick={(event) => {
        event.preventDefault();
        main.current?.focus();
      }}>Skip to the content</a>
      <Header {...{ files, active, setActive, open, context }} />
      {(save || made.plot || made.diff) && <Navigation {...{ save, route, files, made }} />}
      <main id="main" ref={main} tabIndex={-1} class={route.view === 'table' ? 'table' : ''}>
        {isMade && route.view === 'plot' &&
          <><h1>History of <bdi>{visible(made.plot.name)}</bdi></h1>
            <HistoryPicture history={made.plot} /></>}
        {isMade && route.view === 'diff' && <DiffLinesView {...made.diff} route={route} />}
        {!file && !isMade && <Start open={open} />}
        {file?.fault && !isMade && <Refused file={file} />}
        {save && route.view === 'overview' && <Overview key={save.number} context={context} />}
        {save && route.view === 'table' && table &&
          <TableView key={`${save.number} ${table.name}`} {...{ context, table, route }} />}
        {save && route.view === 'slots' && table &&
          <SlotsView key={`${save.number} ${table.name}`} {...{ context, table }} />}
        {save && route.view === 'changes' && <ChangesView {...{ context, route }} />}
        {save && route.view === 'history' && <HistoryView {...{ context, route }} />}
        {save && ['table', 'slots'].includes(route.view) && !table &&
          <p class="note">{visible(save.name)} has no table {visible(route.table ?? '')}.</p>}
      </main>
      <p class="status" role="status">{status}</p>
      {over && <div class="dropping">Drop the files to open them</div>}
    </>
  );
}

function Header({ files, active, setActive, open, context }) {
  const input = useRef(null);
  return (
    <header>
      <a class="brand" href="#view=overview">hdb viewer</a>
      {files.length > 0 &&
        <label class="files"><span class="unseen">File</span>
          <select value={active} onChange={(event) => setActive(Number(event.target.value))}>
            {files.map((file, index) => (
              <option key={index} value={index}>
                {visible(file.name, 80)}{file.fault ? ' (not readable)' : ''}
                {file.edits ? ` (${plural(file.edits, "edit")})` : ''}
              </option>
            ))}
          </select>
        </label>}
      <span class="space" />
      {context.file?.edits > 0 && <Edits context={context} />}
      <button type="button" onClick={() => input.current.click()}>Open …</button>
      <input ref={input} type="file" multiple hidden aria-label="Files to open"
             onChange={(event) => { open([...event.target.files]); event.target.value = ''; }} />
      <ThemeButton />
    </header>
  );
}

function Edits({ context }) {
  const { connection, file, refresh, setStatus } = context;
  const undo = async () => {
    await connection.call('undo', [file.number]);
    await refresh(file.number);
  };
  const download = async () => {
    try {
      const { name, blob } = await connection.call('save', [file.number]);
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      setStatus(`${visible(name)} was made, with ${plural(file.edits, "edit")}.`);
    } catch (fault) {
      setStatus(fault.message);
    }
  };
  return (
    <>
      <button type="button" onClick={undo} title="Undo the last edit">Undo</button>
      <button type="button" class="strong" onClick={download}>
        Download with {plural(file.edits, 'edit')}
      </button>
    </>
  );
}

function ThemeButton() {
  // A page from a file may have no storage.
  const [theme, setTheme] = useState(() => {
    try { return localStorage.getItem(THEME) ?? 'auto'; } catch { return 'auto'; }
  });
  useEffect(() => {
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    try { localStorage.setItem(THEME, theme); } catch { /* see above */ }
  }, [theme]);
  const next = { auto: 'dark', dark: 'light', light: 'auto' };
  return (
    <button type="button" title="Light, dark, or as the system"
            onClick={() => setTheme(next[theme])}>
      {{ auto: 'Theme: auto', dark: 'Theme: dark', light: 'Theme: light' }[theme]}
    </button>
  );
}

function Navigation({ save, route, files, made }) {
  const link = (target, text, note) => {
    const here = target.view === route.view && target.table === route.table;
    return (
      <a href={'#' + new URLSearchParams(target)} aria-current={here ? 'page' : undefined}>
        <bdi>{text}</bdi>{note !== undefined && <span class="count">{note}</span>}
      </a>
    );
  };
  const sound = files.filter((file) => !file.fault).length;
  return (
    <nav aria-label="Contents of the save">
      {made.plot && link({ view: 'plot' }, `History of ${visible(made.plot.name, 60)}`)}
      {made.diff && link({ view: 'diff' }, 'Differences')}
      {save && <SaveLinks {...{ save, link, sound }} />}
    </nav>
  );
}

function SaveLinks({ save, link, sound }) {
  return (
    <>
      {link({ view: 'overview' }, 'Overview')}
      {sound > 1 && link({ view: 'changes' }, 'Changes')}
      {sound > 1 && link({ view: 'history' }, 'History')}
      <h2>Tables</h2>
      {save.tables.length === 0 && <p class="muted">The save has no tables.</p>}
      {save.tables.map((table) => (
        <div key={table.name} class="tablelink">
          {link({ view: 'table', table: table.name }, visible(table.name), table.live)}
        </div>
      ))}
    </>
  );
}

function Start({ open }) {
  return (
    <section class="start">
      <h1>Open a save</h1>
      <p>Drop <code>.hdb</code> files here, or choose them. They stay on this computer: the page
        sends nothing anywhere.</p>
      <label class="choose">
        Choose files
        <input type="file" multiple onChange={(event) => open([...event.target.files])} />
      </label>
      <p class="muted">Two files can be compared; of several, the page shows how values changed
        over time.</p>
    </section>
  );
}

function Refused({ file }) {
  const { fault } = file;
  return (
    <section class="refused">
      <h1>{visible(file.name)} cannot be opened</h1>
      <p class="bad">{fault.id && <code>{fault.id}</code>} {fault.message}</p>
      {fault.where && <p>Where: {visible(fault.where)}</p>}
      {fault.kind === 'corrupt' &&
        <p>What is sound in it can be saved: <code>hdbinspect repair {visible(file.name)} -o
          repaired.hdb</code></p>}
    </section>
  );
}

function useDrops(open, setOver) {
  useEffect(() => {
    const over = (event) => { event.preventDefault(); setOver(true); };
    const leave = (event) => { if (!event.relatedTarget) setOver(false); };
    const drop = async (event) => {
      event.preventDefault();
      setOver(false);
      open(await filesOf(event.dataTransfer));
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [open]);
}

/** The files that were dropped, those of folders too. */
async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
  const found = [];
  for (const entry of entries) {
    for (const each of entry.isFile ? [entry] : await entriesOf(entry))
      if (each.isFile) found.push(await fileOf(each));
  }
  return found.sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}

const fileOf = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

async function entriesOf(folder) {
  const reader = folder.createReader();
  const all = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

if (!location.hash) go(parseRoute(firstView()), true);
render(<App connection={connect(WORKER_SOURCE)} made={embeddedData()} />,
       document.getElementById('app'));
