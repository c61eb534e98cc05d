import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { Entry, type SentEntry } from '../../../functions/api/shapes/entry.ts';
import { type GitFolder, gitFolder } from './git-folder.ts';
import { seenByBuilds, WAIT_LIMIT_MS } from './place.ts';
import { runningIn, signalIfThere } from './processes.ts';
import { dataFolder, gone, loginOf, type ServiceProcess, type StartProcess, startProcess } from './service-process.ts';

const sampleAt = /The sample application answers at {2}(\S+)/;
const webhookAt = /Webhook +(\S+)\/1\/deploy/;

/** A server that answers with a text. */
export const answering = (text: string) =>
  `require('node:http').createServer((_, answer) => answer.end(${JSON.stringify(text)})).listen(process.env.PORT);`;

/** `npm start` on one data folder, where it is stopped and started again, with its sample application. */
export type Restarted = ReturnType<typeof restartedService>;

/** Starts nothing yet. */
export function restartedService(name: string) {
  const dataDir = dataFolder(name);
  const released = join(seenByBuilds(dataDir), 'released');
  let service: ServiceProcess;
  const printed = async (pattern: RegExp) => (await service.printed(pattern))[1] ?? '';
  const get = async (path: string, how: RequestInit = {}) => {
    const url = path.startsWith('http') ? path : `${await printed(webhookAt)}${path}`;
    const authorization = `Basic ${Buffer.from(loginOf(dataDir)).toString('base64')}`;
    return fetch(url, { ...how, headers: { authorization } });
  };
  const start = async (options: Omit<StartProcess, 'dataDir'> = {}, until = /Ctrl-C ends everything/) => {
    service = startProcess({ dataDir, ...options });
    await service.printed(until);
  };
  const api = async <S extends v.GenericSchema>(path: string, schema: S): Promise<v.InferOutput<S>> =>
    v.parse(schema, await (await get(path)).json());
  return {
    dataDir,
    /** The file for which `waiting` waits. */
    released,
    /** What runs now. */
    process: () => service,
    start,
    get,
    api,
    sample: () => printed(sampleAt),
    page: async () => (await fetch(await printed(sampleAt))).text(),
    /** Waits until an entry is as wanted. */
    until: async (path: string, wanted: (entry: SentEntry) => boolean): Promise<SentEntry> => {
      const limit = performance.now() + WAIT_LIMIT_MS;
      while (performance.now() < limit) {
        const entry = await api(`${path}?include_docs=true`, Entry);
        if (wanted(entry)) return entry;
        await setTimeout(50);
      }
      throw new Error(`It never came to that: ${path}`);
    },
    /** Returns a work tree of the sample application. */
    clone: (): GitFolder => {
      const repository = /git clone (\S+)/.exec(service.output())?.[1] ?? '';
      const tree = gitFolder(join(process.cwd(), repository));
      tree.git('fetch', '--quiet', 'origin', 'main');
      tree.git('checkout', '--quiet', '-B', 'main', 'origin/main');
      return tree;
    },
    /** Files of an application whose script waits for `released` before it goes on with another one. */
    waiting: (scripts: Readonly<Record<string, string>>, next = '') => ({
      'package.json': JSON.stringify({ name: 'hello', version: '1.0.0', scripts }),
      'waits.js': `while (!require('node:fs').existsSync(${JSON.stringify(released)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);${next}`,
    }),
    itWaits: async () => {
      while (!service.family().some(({ command }) => command === 'node waits.js')) await setTimeout(20);
    },
    /** Makes it end, and waits until nothing of it runs any more. */
    end: async (how: (service: ServiceProcess) => void | Promise<void>): Promise<number | NodeJS.Signals> => {
      const family = service.family();
      await how(service);
      const code = await service.ended;
      await gone(family, dataDir);
      return code;
    },
    isLocked: () => existsSync(join(dataDir, 'lock')),
    log: () => readFileSync(join(dataDir, 'service.log'), 'utf8'),
    /** Ends what a failed test has left behind too. */
    remove: async () => {
      service.kill();
      await service.ended;
      for (const { pid } of runningIn(dataDir)) signalIfThere(pid, 'SIGKILL');
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
