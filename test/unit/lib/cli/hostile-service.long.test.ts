import { describe, expect, it } from 'vitest';
import { server } from '../../../support/api-server.ts';
import { cli } from '../../../support/cli.ts';

/** A title, a cleared screen, C1, backspaces, a forged line, tabs and all direction marks. */
const evil =
  'x\u001b]0;title\u0007\u001b[2J\u009b2K\u0085\b\b\r\nforged\n\t\u007f\u0000' +
  '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';
/** Lines end, and tabs of an output stay. */
const unprintable = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** The colours of the command line itself. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour is such a sequence
const colour = /\u001b\[\d+m/g;

const AT = '2026-01-02T03:04:05.000Z';
const HEX = `${'a'.repeat(20)}000000000012`;

function entryAt(url: string, status: string) {
  const stage = { name: evil, status: 'failed', started_at: AT, finished_at: AT, detail: evil };
  const texts = { branch: evil, message: evil, operation: evil, reason: evil, url: evil };
  const times = { received_at: AT, finished_at: AT, updated_at: AT };
  const doc = { ...texts, ...times, stages: [stage, { ...stage, name: 'extract' }], log_tail: [evil, evil] };
  const error = status === 'ok' ? {} : { error: { code: evil, detail: evil } };
  const names = { app_name: evil, provider: evil, commit: `${evil}/${'b'.repeat(40)}`, url: evil, expires_at: AT };
  return { id: `${url}/1/status/kiwi/changes/${HEX}`, status, seq: 12, ...names, ...error, doc, [evil]: evil };
}

/** The answer to every request: it has the fields of all of them. */
function answerAt(url: string, status: string) {
  const entry = entryAt(url, status);
  const repository = { host: evil, owner: evil, name: evil };
  const app = {
    name: evil,
    repository,
    branch: evil,
    state: evil,
    url: `https://a/${evil}`,
    active: entry,
    rollback: [entry],
  };
  const pairing = { host: evil, login: evil, app: evil, scopes: [evil], expires_at: evil };
  const lists = { rows: [entry], results: [entry], total: 1, apps: [app], tokens: [{ name: evil, created_at: evil }] };
  return {
    ...app,
    ...entry,
    ...pairing,
    ...lists,
    hosts: [evil],
    pairings: [pairing],
    env: { [evil]: evil },
    token: evil,
    restart: entry,
    last_seq: 12,
    name: evil,
  };
}

/** A service that answers everything with hostile texts. */
function hostileService(mode: 'ok' | 'error' | 'refusal'): Promise<string> {
  return server((request, response) => {
    const url = `http://${request.headers.host}`;
    const type = { 'content-type': request.headers.accept ?? '' };
    if (mode === 'refusal') {
      response.writeHead(409, type).end(JSON.stringify({ code: evil, title: evil, detail: evil }));
    } else if (/logs|build-log/.test(request.url ?? '')) {
      const line = { at: evil, stream: evil, line: evil };
      const lines = [line, { ...line, stream: 'platform' }, { code: evil }];
      response.writeHead(200, type).end(lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
    } else if (/changes\?.*feed=normal/.test(request.url ?? '')) {
      response.writeHead(200, type).end(JSON.stringify({ results: [], last_seq: 11 }));
    } else if (/changes\?/.test(request.url ?? '')) {
      const row = entryAt(url, mode);
      response.writeHead(200, type).end(`${JSON.stringify(row)}\n${JSON.stringify({ code: evil, last_seq: 12 })}\n`);
    } else {
      response.writeHead(200, type).end(JSON.stringify(answerAt(url, mode)));
    }
  });
}

const commands = [
  'status',
  'status shop',
  'status --entry 12',
  'watch --since 0',
  'watch --exit-status',
  'watch --exit-status --entry 12',
  'build-log',
  'build-log 12',
  'build-log --timestamps',
  'logs shop',
  'logs shop --timestamps',
  'apps',
  'open shop',
  'deploy shop',
  'redeploy shop',
  'rollback',
  'rollback 12',
  'release 12',
  'cancel 12',
  'reconcile',
  'reconcile shop',
  'env --app shop',
  'env --app shop --values',
  'env set A=b --app shop',
  'env unset A --app shop',
  'restart shop',
  'stop shop',
  'remove shop --yes',
  'rename shop store',
  'transfer shop github/octo/hello',
  'tokens',
  'tokens create github',
  'tokens revoke github',
  'pair github --login octocat',
  'pair github --list',
  'pair github --remove',
  'hook github octo/hello',
];

describe('a hostile service', () => {
  for (const mode of ['ok', 'error', 'refusal'] as const) {
    it.each(commands)(`prints nothing that a terminal understands (${mode}): hooks %s`, async (command) => {
      for (const args of [command, `${command} --json`]) {
        const url = await hostileService(mode);
        const env = { HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 'secret', BROWSER: 'true' };
        for (const terminal of [false, true]) {
          const onOutput = () => args.startsWith('watch --since');
          const { out, err } = await cli(args, { env, terminal, stdin: 'token', onOutput, interruptAfterMs: 300 });

          for (const printed of [out, err]) {
            expect(unprintable.exec(printed.replace(colour, ''))?.[0]).toBeUndefined();
            expect(printed).not.toMatch(/^forged/m);
          }
        }
      }
    });
  }
});
