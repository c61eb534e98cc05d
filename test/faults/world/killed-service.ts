import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { bodyOf } from '../../support/body-of.ts';
import { WAIT_LIMIT_MS } from '../../support/service/place.ts';
import { isRunner, type ProcessMark, runningIn } from '../../support/service/processes.ts';
import { gone, loginOf, type ServiceProcess, startProcess } from '../../support/service/service-process.ts';
import { budget } from '../budget.ts';

/** What gets the SIGKILL. */
export const targets = ['group', 'service', 'npm', 'everything', 'runner', 'runner and service'] as const;
export type Target = (typeof targets)[number];

const row = v.object({
  id: v.string(),
  status: v.string(),
  commit: v.string(),
  seq: v.number(),
  error: v.nullish(v.object({ code: v.string() })),
});

/** A row of the log, as far as it is checked. */
export type Row = v.InferOutput<typeof row>;

const SETTLE_LIMIT_MS = Math.max(WAIT_LIMIT_MS, (budget.recoverySeconds + 60) * 1000);
const UNFINISHED = ['queued', 'running', 'held'];

/** `npm start` on a data folder, which is killed and started again. */
export class KilledService {
  readonly dataDir: string;
  #process!: ServiceProcess;
  #url = '';
  /** What the next start has to end. */
  #left: readonly ProcessMark[] = [];

  constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  /** Starts it and returns the seconds until it was ready. */
  async start(npm: boolean): Promise<number> {
    const begin = performance.now();
    this.#process = startProcess({ dataDir: this.dataDir, npm });
    await this.#process.printed(/Ctrl-C ends everything/);
    this.#url = (await this.#process.printed(/Webhook +(\S+)\/1\/deploy/))[1] ?? '';
    const ready = seconds(begin);
    await gone(this.#left);
    return ready;
  }

  /**
   * Kills a part of it, and waits until nothing of it runs any more, but for the runner that takes the place of one that was
   * killed. With the runner, nobody but the next start ends what the service has begun after its processes were read.
   */
  async kill(target: Target): Promise<void> {
    const family = this.#process.family();
    const named = (pattern: RegExp) => family.filter(({ command }) => pattern.test(command));
    const service = named(/bin\/run\.mjs local$/);
    const runner = runningIn(this.dataDir).filter(isRunner);
    const marks = {
      ...{ group: [], npm: [], everything: family },
      ...{ service, runner, 'runner and service': [...runner, ...service] },
    }[target];
    if (target === 'group') this.#process.signalGroup('SIGKILL');
    if (target === 'npm' || target === 'everything' || marks.length === 0) this.#process.kill();
    for (const { pid } of marks) signal(pid);
    if (target === 'runner') return this.#goesOn(runner);
    await this.#process.ended;
    const isNext = ({ command }: ProcessMark) => target === 'runner and service' && command.includes('runner.cjs');
    const isWhole = target !== 'everything' && target !== 'runner and service';
    await gone([...runner, ...family.filter((one) => !isNext(one))], isWhole ? this.dataDir : undefined);
    this.#left = runningIn(this.dataDir).filter((one) => !isNext(one));
  }

  /** The service starts another runner, which listens for it. */
  async #goesOn(killed: readonly ProcessMark[]): Promise<void> {
    await gone(killed);
    while (!(await this.request('/1/apps/demo').catch(() => null))?.ok) await setTimeout(20);
  }

  /** Ends it as Ctrl-C does. */
  async stop(): Promise<void> {
    const family = this.#process.family();
    this.#process.signal('SIGTERM');
    await this.#process.ended;
    await gone(family, this.dataDir);
  }

  /** Returns the bare repository of an application. */
  repository(name: string): string {
    return join(this.dataDir, 'repositories', 'repositories', 'demo', `${name}.git`);
  }

  /** Returns the address of that repository at the running host. */
  remote(host: string, name: string): string {
    const url = new URL(`${host}/demo/${name}.git`);
    [url.username, url.password] = loginOf(this.dataDir).split(':') as [string, string];
    return url.href;
  }

  request(path: string, init: RequestInit = {}): Promise<Response> {
    const authorization = `Basic ${Buffer.from(loginOf(this.dataDir)).toString('base64')}`;
    const headers = { ...(init.headers as Record<string, string>), authorization };
    return fetch(path.startsWith('http') ? path : `${this.#url}${path}`, { ...init, headers });
  }

  /** Returns all rows of the feed, oldest first. */
  async feed(): Promise<readonly Row[]> {
    const path = '/1/status/demo/changes?feed=normal&since=0';
    const response = await this.request(path);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await bodyOf(response, { results: v.array(row) })).results;
  }

  /** Returns the last row of each entry. */
  async entries(): Promise<readonly Row[]> {
    return [...new Map((await this.feed()).map((row) => [row.id.split('/').at(-1), row])).values()];
  }

  /** Opens a stream of changes and reads it until the service dies. */
  async watch(): Promise<void> {
    const response = await this.request('/1/status/demo/changes?feed=eventsource');
    await response.text();
  }

  /** Returns the seconds until every entry has ended. */
  async settled(): Promise<number> {
    const begin = performance.now();
    for (;;) {
      const open = (await this.entries()).filter(({ status }) => UNFINISHED.includes(status));
      if (open.length === 0) return seconds(begin);
      if (performance.now() > begin + SETTLE_LIMIT_MS) throw new Error(`Still unfinished: ${JSON.stringify(open)}`);
      await setTimeout(100);
    }
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended with another one of them.
  }
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 100) / 10;
}
