import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { pageFiles } from '../../../../functions/adapters/page/page-files.ts';
import { setupTexts } from '../../../../functions/adapters/senders/setup-texts.ts';
import { drawings } from '../../../../functions/api-badge/drawings.ts';
import { serve } from '../../../../functions/api-page/serve.ts';
import { SETTING_NAMES } from '../../../../functions/core/apps/settings.ts';
import { bundlePage } from '../../../../lib/bundle/page.ts';
import { newFolder } from '../../new-folder.ts';
import { request } from '../../requests.ts';
import { httpServer } from '../../service/http-server.ts';
import { project } from '../../service/place.ts';
import { cannedLog } from './entries.ts';

/** The page, with a service behind it that answers the same each time and starts in a second. */
export interface CannedService {
  readonly base: string;
  /** The requests so far: method, path and query. */
  readonly asked: readonly string[];
  /** Ends the streams that are open, as a service does that ends. */
  cutStreams(): void;
  close(): Promise<void>;
}

/** An answer to a path of the API, in place of the usual one; null for a stream that stays open. */
export type Canned = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
} | null;

/** `others` answers first; undefined leaves a path to the usual answer. Without `repositoriesUrl` it hosts none itself. */
export async function cannedService(
  others: (path: string, query: URLSearchParams, body: string) => Canned | undefined = () => undefined,
  repositoriesUrl = 'http://127.0.0.1:7000',
): Promise<CannedService> {
  // One for each: another process may be writing its own.
  const folder = newFolder('canned-page');
  await bundlePage(join(project, 'lib', 'page'), folder);
  const page = serve({
    files: pageFiles(pathToFileURL(`${folder}/`)),
    signalsUrl: () => '',
    repositoriesUrl,
    defaultBranch: 'master',
    setupTexts: async (service) => setupTexts(service),
  });
  const asked: string[] = [];
  const {
    url: base,
    cut: cutStreams,
    close,
  } = await httpServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', base);
    asked.push(`${request.method} ${request.url}`);
    const isPage = pathname === '/' || pathname === '/1/senders' || pathname.startsWith('/assets/');
    // As over a network, so that a test that does not wait for an answer fails on each machine.
    if (pathname !== '/' && !pathname.startsWith('/assets/')) await setTimeout(50);
    if (isPage) return sendPage(await page(pageRequest(request, pathname, base)), response);
    const answer = others(pathname, searchParams, await text(request)) ?? answerTo(pathname, searchParams, base);
    sendApi(answer, response);
  });
  return { base, asked, cutStreams, close };
}

function pageRequest({ headers }: IncomingMessage, pathname: string, base: string) {
  const [, file = ''] = pathname.split('/assets/');
  const resource = file === '' ? pathname : '/assets/{file}';
  const plain = { accept: headers.accept, 'accept-encoding': String(headers['accept-encoding'] ?? '') };
  return request({ resource, params: { file }, headers: plain, base });
}

function sendPage(answer: Awaited<ReturnType<ReturnType<typeof serve>>>, response: ServerResponse): void {
  response.writeHead(answer.status, answer.headers);
  Readable.from(answer.body ?? []).pipe(response);
}

function sendApi(answer: Canned, response: ServerResponse): void {
  if (answer === null) {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('\n');
    return;
  }
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
  response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
}

const LINES = ['added 64 packages in 2s', '> build', '> tsc --project .', 'Done in 1.9 s'];

function answerTo(pathname: string, query: URLSearchParams, base: string): Canned {
  const { rows, apps } = cannedLog(base);
  const ok = (body: unknown): Canned => ({ status: 200, body });
  const [, , , , kind, name, more] = pathname.split('/');
  if (pathname.startsWith('/1/status/')) {
    if (kind === 'webhooks') {
      const found = name === undefined ? rows : rows.filter(({ app_name }) => app_name === name);
      return ok({ total: found.length, skip: 0, limit: 50, rows: found.slice(Number(query.get('skip') ?? 0)) });
    }
    if (more === 'build-log') return ok(LINES.map(outputLine).join(''));
    if (name) return ok(rows.find(({ id }) => String(id).endsWith(name)));
    return query.get('feed') === 'normal' ? ok({ results: [], last_seq: rows[0]?.seq }) : null;
  }
  if (pathname.startsWith('/1/apps/')) return ofApps(pathname, apps);
  if (pathname.startsWith('/1/badge/'))
    return { status: 200, body: drawings.ok, headers: { 'content-type': 'image/svg+xml' } };
  if (pathname === '/1/auth/tokens') return ok({ tokens: [{ name: 'github', created_at: '2026-01-01T00:00:00Z' }] });
  if (pathname === '/1/auth/repohost') return ok({ host: 'github', hosts: ['github'], pairings: [] });
  return { status: 404, body: { code: 'request:not_found', title: 'There is no such path.', detail: '', status: 404 } };
}

const DOMAINS = [
  { name: 'billing.example.com', url: 'https://billing.example.com/', points_here: true, note: null },
  {
    name: 'www.billing.example.com',
    url: 'https://www.billing.example.com/',
    redirect: 'billing.example.com',
    points_here: true,
    note: null,
  },
  {
    name: 'invoices.example.com',
    url: 'https://invoices.example.com/',
    points_here: false,
    note: 'invoices.example.com has no address in DNS yet: it needs a CNAME record to apps.example.com.',
  },
];

const PROCESSES = {
  processes: [
    { type: 'web', command: 'node server.js', memory: 71e6, restarts: 0 },
    { type: 'worker', command: 'node worker.js', memory: 48e6, restarts: 2 },
  ].map((one) => ({ ...one, name: `${one.type}.1`, state: 'running', since: '2026-01-01T00:00:00Z' })),
  cron: [{ name: '@cron.1', schedule: '0 3 * * *', command: 'node tidy.js', running: null, last: null, next: null }],
  scale: { web: 1, worker: 1 },
};
/** Of an hour of an ordinary day. */
const usage = () =>
  Array.from({ length: 60 }, (_, ago) => ({
    at: new Date(Date.now() - (59 - ago) * 60_000).toISOString(),
    requests: { '2xx': 20 + ((ago * 7) % 13), '3xx': ago % 3, ...(ago % 20 === 9 && { '4xx': 4, '5xx': 2 }) },
    memory: 71e6 + ((ago * 5) % 17) * 1e6,
  }));

/** Of a week, of whose hours one has no request. */
const week = () =>
  Array.from({ length: 168 }, (_, ago) => ({
    at: new Date(Date.now() - (167 - ago) * 3_600_000).toISOString(),
    ...{
      requests: 400 + ((ago * 7) % 23) * 10,
      errors: ago % 24 === 9 ? 12 : 0,
      memory: 71e6 + ((ago * 5) % 17) * 1e6,
    },
    ...(ago === 100 ? { requests: 0, p50: null, p99: null } : { p50: 8 + (ago % 5), p99: 60 + ((ago * 11) % 240) }),
  }));

const MACHINE = { memory: { total: 8e9, free: 3.1e9 }, disk: { total: 80e9, free: 52e9 } };

const UNSET = Object.fromEntries(SETTING_NAMES.map((name) => [name, null]));
/** One set by a person, one by the package.json, the others found. */
export const SET = {
  ...{ ...UNSET, branch: 'main', build: 'npm run site' },
  in_package: { ...UNSET, output: 'dist/site' },
  found: { ...UNSET, install: 'npm ci', build: 'npm run site', output: 'dist/site' },
};

function ofApps(pathname: string, apps: readonly object[]): Canned {
  if (pathname.endsWith('/env')) return { status: 200, body: { env: { DATABASE_URL: null, MAIL_FROM: null } } };
  if (pathname.endsWith('/settings')) return { status: 200, body: SET };
  if (pathname.endsWith('/domains')) return { status: 200, body: { domains: DOMAINS } };
  if (pathname.endsWith('/processes')) return { status: 200, body: { ...PROCESSES, usage: usage(), week: week() } };
  if (pathname.endsWith('/logs')) return null;
  return { status: 200, body: { apps, machine: MACHINE } };
}

function outputLine(line: string): string {
  return `${JSON.stringify({ at: '2026-01-01T00:00:00Z', stream: 'stdout', line })}\n`;
}
