import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RepoHost } from '../../../lib/repohost/repohost.ts';
import { githubPush } from '../senders/github-push.ts';
import { entryAddress, type GitFolder, gitFolder } from './git-folder.ts';
import type { Reached, Started } from './started.ts';

/** The files that hold secrets because somebody has to read them there; all are for the owner only. */
const KEEPS_SECRETS: readonly RegExp[] = [
  /^(?:password|netrc|passwords\/[\w-]+|config\.json)$/,
  /^aws\/(?:secrets\.json|config)$/,
  // What the hook of a repository logs in with, and the host's tokens.
  /^repositories\/(?:running|tokens)\.json$/,
];
const HOOK_SECRET = 'hook-canary-4e9a51c07d/+';
const ENV_VALUE = 'env-canary-91c3f2a4 +/%&';
const WRONG = 'wrong-canary-0f3d5b7e9a';

const server = `
console.log('starts with', process.env.API_KEY);
require('node:http').createServer((_, answer) => answer.end('up')).listen(process.env.PORT);`;
const files = (start: string) => ({
  'package.json': JSON.stringify({ name: 'hidden', version: '1.0.0', scripts: { build: 'node build.js', start } }),
  'build.js': "console.log('builds with', process.env.API_KEY);",
  'server.js': server,
});

/** A service whose secrets are looked for. */
interface Searched<Service extends Reached & { readonly repoHost: RepoHost }> {
  /** Starts it with its configuration file. */
  readonly start: (config: object) => Promise<Started<Service>>;
  /** Returns everything that it stores outside of its data folder, as text, and what of it is in one file. */
  readonly stored: (started: Started<Service>) => Promise<readonly string[]>;
}

/** The secrets of a service are nowhere but where they are needed. */
export function secretsStayHidden<Service extends Reached & { readonly repoHost: RepoHost }>({
  start,
  stored,
}: Searched<Service>): void {
  let started: Started<Service>;
  let tree: GitFolder;
  let canaries: readonly Canary[];
  const answers: string[] = [];

  const ask: Started<Service>['call'] = async (path, init) => {
    const answer = await started.call(path, init);
    answers.push(JSON.stringify([...answer.headers]), JSON.stringify(answer.body));
    return answer;
  };
  const send = (method: string, path: string, body?: unknown) =>
    ask(path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const push = async (start: string) => {
    tree.commit(files(start));
    const printed = await tree.pushAndWatch();
    answers.push(printed);
    return started.until(entryAddress(printed), 'ok', 'error');
  };

  beforeAll(async () => {
    started = await start({ hookSecrets: { 'demo/demo/signed': { github: [HOOK_SECRET] } } });
    const { repoHost, login } = started.service;
    await repoHost.createRepository('demo', 'hidden', { private: true });
    tree = gitFolder(repoHost.cloneUrl('demo', 'hidden').replace('//', `//demo:${login.password}@`));
    const made = await started.call('/1/auth/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'canary' }),
    });
    canaries = [
      canary('password', login.password),
      canary('API token', made.body.token),
      canary('hook secret', HOOK_SECRET),
      canary('variable', ENV_VALUE),
      canary('wrong password', WRONG),
    ];
    await useThem(made.body.token);
  });
  afterAll(async () => {
    await started?.close();
  });

  /** Every path on which a secret travels, with its success and its failure. */
  async function useThem(token: string): Promise<void> {
    await send('POST', '/1/auth/local', { credentials: `demo:${WRONG}` });
    expect((await send('POST', '/1/auth/local', { credentials: `demo:${token}` })).status).toBe(201);
    expect((await send('PUT', '/1/apps/demo/hidden/env/API_KEY', { value: ENV_VALUE })).status).toBe(201);
    expect(await push('node server.js')).toMatchObject({ status: 'ok' });
    expect(await push('node -e "throw new Error(process.env.API_KEY)"')).toMatchObject({ status: 'error' });
    for (const login of [`demo:${token}`, `demo:${WRONG}`, `${WRONG}:${WRONG}`]) {
      await ask('/1/status/demo/webhooks', { login });
      await ask('/1/deploy', { method: 'POST', login, body: '{}' });
    }
    const signed = githubPush('https://github.com', { owner: 'demo', name: 'signed', sha: 'a'.repeat(40) });
    const headers = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    await ask('/1/deploy', { method: 'POST', headers, body: JSON.stringify(signed) });
    const readable = ['/1/status/demo/webhooks?include_docs=true&limit=100', '/1/auth/tokens', '/1/auth/local'];
    readable.push('/1/status/demo/changes?feed=normal&since=0&include_docs=true', '/1/apps/demo?include_docs=true');
    readable.push('/1/apps/demo/hidden/env');
    for (const path of readable) await ask(path);
    const { body } = await started.call('/1/status/demo/webhooks');
    for (const { id } of body.rows) answers.push(JSON.stringify((await started.call(`${id}/build-log`)).body));
  }

  it('are in no answer, no entry, no build log, and nothing that a push prints', () => {
    expect(answers.join('\n')).toContain('builds with');
    expect(answers.filter((text) => canariesIn(text, canaries).length > 0)).toEqual([]);
  });

  it('are in no line of any function’s log', () => {
    expect(started.lines.length).toBeGreaterThan(0);
    expect(started.lines.filter((line) => canariesIn(line, canaries).length > 0)).toEqual([]);
  });

  it('are in nothing that is stored', async () => {
    const texts = await stored(started);
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.filter((text) => canariesIn(text, canaries).length > 0)).toEqual([]);
  });

  it('are in no argument of a process', () => {
    const shown = execFileSync('ps', ['axww', '-o', 'pid=,args='], { encoding: 'utf8' });
    expect(canariesIn(shown, canaries)).toEqual([]);
  });

  it('are in no file but those that keep them, which only the owner can read', () => {
    const found = filesBelow(started.dataDir).flatMap((path) => {
      const names = canariesIn(readFileSync(path, 'latin1'), canaries);
      return names.length === 0 ? [] : [{ path: relative(started.dataDir, path), names, mode: modeOf(path) }];
    });
    // What an application prints itself is its own output, also a variable.
    const own = (one: { readonly path: string; readonly names: readonly string[] }) =>
      /^platform\/apps\/demo\/hidden\/app\.log/.test(one.path) && one.names.join() === 'variable';
    const others = found.filter((one) => !own(one));
    const isKept = ({ path, names }: (typeof others)[number]) =>
      KEEPS_SECRETS.some((pattern) => pattern.test(path)) ||
      (/^service\.db(?:-wal)?$/.test(path) && names.join() === 'variable');
    expect(others.filter((one) => !isKept(one))).toEqual([]);
    // The configuration is the operator's own file.
    expect(others.filter(({ path, mode }) => path !== 'config.json' && (mode & 0o077) !== 0)).toEqual([]);
  });
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The mode of a file, as others meet it: a folder that they cannot enter protects what is in it. */
function modeOf(path: string): number {
  const folders = path.split('/').map((_, depth, parts) => parts.slice(0, depth + 1).join('/') || '/');
  return folders.slice(-4).reduce((mode, one) => mode & statSync(one).mode, 0o777);
}

/** A secret of a test, with the forms in which it could be found. */
interface Canary {
  readonly name: string;
  readonly forms: readonly string[];
}

/**
 * Returns the forms of a secret: plain, as in a URL and in JSON, in hex, and in base64 at any place of a longer text.
 */
function canary(name: string, secret: string): Canary {
  const hex = Buffer.from(secret).toString('hex');
  const base64 = [0, 1, 2].map((before) => inBase64(secret, before));
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    ...[hex, hex.toUpperCase()],
    ...[...base64, ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))],
  ];
  return { name, forms: [...new Set(forms)] };
}

/** Returns the names of the secrets in a text, each once. */
function canariesIn(text: string, canaries: readonly Canary[]): readonly string[] {
  return canaries.flatMap(({ name, forms }) => (forms.some((form) => text.includes(form)) ? [name] : []));
}

/** Characters that also depend on what stands before and after the secret are left out. */
function inBase64(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
  return before === 0 ? whole : whole.slice(4);
}
