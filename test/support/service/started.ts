import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readLogin } from '../../../lib/local/config/users.ts';
import type { PlatformName } from '../../../lib/local/platform-name.ts';
import { type LocalService, startLocal } from '../../../lib/local/start.ts';
import { undescribed } from '../described.ts';
import { recordGrants } from './grants.ts';
import { project, testAssembly, testFolder, WAIT_LIMIT_MS } from './place.ts';
import { type PlatformCommandProcess, platformCommandProcess } from './platform-command.ts';

/** An answer of the API, its body parsed. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape are looked into, property by property.
  readonly body: any;
}

/** The whole service, started for a test. */
export interface Started {
  readonly service: LocalService;
  readonly dataDir: string;
  readonly lines: string[];
  /** A request as the machine's user, or with other credentials, or (null) with none. */
  call(path: string, init?: RequestInit & { readonly login?: string | null }): Promise<ApiAnswer>;
  /** Sends a payload to the webhook. */
  hook(payload: unknown, headers?: Record<string, string>, query?: string): Promise<ApiAnswer>;
  /** Returns the entry at an address with its document, once it has one of these statuses. */
  until(address: string, ...statuses: string[]): Promise<ApiAnswer['body']>;
  /** Ends it; rejects when a function has done what its role does not allow. */
  close(): Promise<void>;
}

/**
 * Starts the whole service in a folder of its own; `name` distinguishes the folders of a test run, and `config` is the
 * content of its configuration file.
 */
export function startForTest(name: string, parameters: Record<string, string> = {}, config?: object): Promise<Started> {
  return startOn('embedded', { name, parameters, config });
}

/** `STRICT=<seed>` has the tests' services run functions as strictly as AWS; 0 does not, as for the faults. */
const strictSeed = Number(process.env.STRICT) || undefined;

/** What differs between the services of tests. */
interface TestService {
  readonly name: string;
  readonly parameters?: Record<string, string>;
  readonly config?: object | undefined;
}

/** The same on a platform. */
export async function startOn(
  platform: PlatformName,
  { name, parameters = {}, config }: TestService,
): Promise<Started> {
  const dataDir = join(testFolder, `${name}-${process.pid}`);
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  if (config) writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config));
  const lines: string[] = [];
  const elsewhere = platform === 'http' ? await platformOf(dataDir) : undefined;
  const service = await startLocal({
    project,
    dataDir,
    outdir: testAssembly,
    port: 0,
    platform,
    ...(elsewhere?.remote && { remote: elsewhere.remote }),
    ...(strictSeed !== undefined && { strict: true, seed: strictSeed }),
    parameters: { RetryBaseSeconds: '1', ...parameters },
    log: ({ functionName, text }) => lines.push(`${functionName} ${text}`),
    warn: (warning) => lines.push(warning),
  });
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
    service,
    dataDir,
    lines,
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
        await setTimeout(50);
      }
    },
    close: async () => {
      recordGrants(name, service.runtime.permissions);
      await service.close();
      await elsewhere?.close();
      rmSync(dataDir, { recursive: true, force: true });
      const denied = lines.filter((line) => line.startsWith('On AWS, this would be refused'));
      if (denied.length > 0) throw new Error(denied.join('\n'));
    },
  };
}

/** A platform in a process of its own, which has the user of the service with the same password. */
function platformOf(dataDir: string): Promise<PlatformCommandProcess> {
  const { user, password } = readLogin(dataDir);
  return platformCommandProcess(join(dataDir, 'elsewhere'), { [user]: password });
}

/** Throws when an answer is not as the description of the API says. */
function expectDescribed(path: string, method: string | undefined, { status, headers }: Response, text: string): void {
  const problem = undescribed({ method: method ?? 'GET', path, status, headers, text });
  if (problem) throw new Error(`GET /1/openapi.json does not describe an answer: ${problem}`);
}
