import { row } from '../../../../functions/api/views.ts';
import type { Entry } from '../../../../functions/core/entry/entry.ts';
import type { DocumentedEntry } from '../../../../lib/client/entry.ts';
import { Drawing } from '../../../../lib/terminal/draw.ts';
import { AT, entry, repository } from '../../entries.ts';
import { terminalSvg } from './svg.ts';

const PROMPT = '\u001b[32m$\u001b[39m ';
const STAGES = [
  ['check', 209, 'hello 1.0.0'],
  ['fetch', 114, '779 bytes, 4 entries, sha256 4dd82cd2…'],
  ['upload', 81, 'snapshot 1.0.0-1'],
  ['extract', 83, null],
] as const;
const NO_DATABASE = 'Error: no database: set DATABASE_URL (server.js:2)';

/** Returns the picture of a terminal: a first start, and a push that fails, as the service prints them. */
export function terminalPicture(): string {
  const hello = { appName: 'hello', repository: { ...repository, owner: 'demo', name: 'hello' }, branch: 'main' };
  const live = { status: 'ok', message: 'A first page', url: 'http://127.0.0.1:46399', ...took(125, 'done') } as const;
  const error = { code: 'deploy:platform:start_app', status: 500, detail: NO_DATABASE } as const;
  const failed = {
    status: 'error',
    message: 'Another page',
    reason: NO_DATABASE,
    error,
    ...took(92, 'failed'),
  } as const;
  return terminalSvg([
    `${PROMPT}npm start`,
    'Ready after 6.9 s.',
    ...drawn(entry({ ...hello, ...live, sha: '5087e469'.repeat(5) })),
    '',
    `${PROMPT}git commit -am 'Another page' && git push`,
    ...drawn(entry({ ...hello, ...failed, number: 2, seq: 2, sha: 'c41f9a07'.repeat(5), id: '2'.padStart(32, '0') })),
  ]);
}

/** The five stages, of which the last took so long. */
function took(startMs: number, status: 'done' | 'failed'): Partial<Entry> {
  let startedAt = AT;
  const url = status === 'done' ? 'answers at http://127.0.0.1:46399' : null;
  const stages = [...STAGES, ['start', startMs, url] as const].map(([name, ms, detail]) => {
    const begun = startedAt;
    startedAt += ms;
    const isLast = name === 'start';
    return {
      name,
      status: isLast ? status : 'done',
      startedAt: begun,
      finishedAt: begun + ms,
      attempts: 1,
      detail,
    } as const;
  });
  return { stages, receivedAt: AT, finishedAt: startedAt + 900 };
}

function drawn(one: Entry): string[] {
  const written: string[] = [];
  const drawing = new Drawing({ write: (text) => written.push(text), isTTY: true }, { env: {} });
  const shown: unknown = row(one, { base: 'http://127.0.0.1:8080', docs: 'true' });
  drawing.entry(shown as DocumentedEntry);
  return written.join('').replaceAll('\r\u001b[2K', '').trimEnd().split('\n');
}
