import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { EngineOverrides } from '../../../lib/local/config/settings.ts';
import { type LocalService, startLocal } from '../../../lib/local/start.ts';
import { undescribed } from '../described.ts';
import { type GitFolder, gitFolder } from './git-folder.ts';
import { project, testFolder, testPage, WAIT_LIMIT_MS } from './place.ts';

/** An answer of the API, its body parsed. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape are looked into, property by property.
  readonly body: any;
}

/** What a test needs of a service: its address and its first user. */
export interface Reached {
  readonly url: string;
  readonly login: { readonly user: string; readonly password: string };
}

/** What the tests of both engines use: the service on one machine, and its stack on emulators. */
export type ServiceUnderTest = Pick<LocalService, 'url' | 'signalsUrl' | 'login' | 'repoHost'>;

/** Whether the tests of the service run on its stack. */
export const isStack = process.env.SERVICE === 'stack';

/** A request to the stack takes 10 ms of a core, and the deploy that it asks about needs them too. */
const POLL_MS = isStack ? 250 : 50;

/** The whole service, started for a test. */
export interface Started<Service extends Reached = LocalService> {
  readonly service: Service;
  readonly dataDir: string;
  readonly lines: string[];
  /** A request as the machine's user, or with other credentials, or (null) with none. */
  call(path: string, init?: RequestInit & { readonly login?: string | null }): Promise<ApiAnswer>;
  /** Makes a user, or gives the user another password. */
  addUser(login: Reached['login']): Promise<void>;
  /** Sends a payload to the webhook. */
  hook(payload: unknown, headers?: Record<string, string>, query?: string): Promise<ApiAnswer>;
  /** Returns the entry at an address with its document, once it has one of these statuses. */
  until(address: string, ...statuses: string[]): Promise<ApiAnswer['body']>;
  /** Ends it, and removes its folder. */
  close(): Promise<void>;
}

/**
 * Starts the whole service in a folder of its own; `name` distinguishes the folders of a test run, and `config` is the
 * content of its configuration file.
 */
export async function startForTest(
  name: string,
  settings: EngineOverrides = {},
  config?: object,
): Promise<Started<ServiceUnderTest>> {
  if (isStack) return (await import('../../aws/service/started.ts')).startStackInstead(name, settings, config);
  return startEngineForTest(name, settings, config);
}

/** The same on the engine in any case, for a test that looks into it. */
export async function startEngineForTest(
  name: string,
  settings: EngineOverrides = {},
  config?: object,
): Promise<Started> {
  const dataDir = dataFolderFor(name, config);
  const lines: string[] = [];
  const service = await startLocal({
    project,
    dataDir,
    page: testPage,
    port: 0,
    // A busy machine may be slow to call the webhook of a push: the comparison with the tip would find it first.
    settings: { retryBaseSeconds: 1, reconcileMinutes: 0, ...settings },
    log: (line) => lines.push(JSON.stringify(line)),
    warn: (warning) => lines.push(warning),
  });
  const close = async () => {
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { ...clientOf(service), addUser: service.engine.users.ensure, service, dataDir, lines, close };
}

/** Returns what creates a repository of the machine's user, with a work tree. */
export function repositories(started: () => Pick<Started<ServiceUnderTest>, 'service'>) {
  return async (name: string): Promise<GitFolder> => {
    const { repoHost } = started().service;
    await repoHost.createRepository('demo', name);
    return gitFolder(repoHost.repositoryPath('demo', name));
  };
}

/** Makes an empty data folder for the service of a test, with its configuration file. */
export function dataFolderFor(name: string, config?: object): string {
  const dataDir = join(testFolder, `${name}-${process.pid}`);
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  if (config) writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config));
  return dataDir;
}

/** Returns how a test calls a running service. Each answer is compared with the description of the API. */
export function clientOf(service: Reached): Pick<Started, 'call' | 'hook' | 'until'> {
  const { user, password } = service.login;
  const call: Started['call'] = async (path, { login = `${user}:${password}`, ...init } = {}) => {
    const address = path.startsWith('http') ? path : `${service.url}${path}`;
    const headers = new Headers(init.headers);
    if (login !== null) headers.set('authorization', `Basic ${Buffer.from(login).toString('base64')}`);
    const answer = await fetch(address, { ...init, headers });
    const text = await answer.text();
    if (address.startsWith(service.url)) expectDescribed(address.slice(service.url.length), init.method, answer, text);
    const isJson = /[/+]json\b/.test(answer.headers.get('content-type') ?? '');
    return { status: answer.status, headers: answer.headers, body: isJson && text ? JSON.parse(text) : text };
  };
  return {
    call,
    hook: (payload, headers = {}, query = '?branch=main') =>
      call(`/1/deploy${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof payload === 'string' ? payload : JSON.stringify(payload),
      }),
    until: async (address, ...statuses) => {
      const end = Date.now() + WAIT_LIMIT_MS;
      for (;;) {
        const { body } = await call(`${address}?include_docs=true`);
        if (statuses.includes(body.status)) return body;
        if (Date.now() > end) throw new Error(`still ${body.status}: ${JSON.stringify(body.doc)}`);
        await setTimeout(POLL_MS);
      }
    },
  };
}

/** Throws when an answer is not as the description of the API says. */
function expectDescribed(path: string, method: string | undefined, { status, headers }: Response, text: string): void {
  const problem = undescribed({ method: method ?? 'GET', path, status, headers, text });
  if (problem) throw new Error(`GET /1/openapi.json does not describe an answer: ${problem}`);
}
