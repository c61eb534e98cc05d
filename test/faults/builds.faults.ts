import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf } from '../support/body-of.ts';
import { application, gitFolder } from '../support/service/git-folder.ts';
import { seenByBuilds } from '../support/service/place.ts';
import { runningIn, signalIfThere } from '../support/service/processes.ts';
import { dataFolder, gone, loginOf, type ServiceProcess, startProcess } from '../support/service/service-process.ts';

const SECONDS = [1, 6, 20, 45];
const KINDS = ['build', 'release'] as const;
/** After the end of its command. */
const ENDED_WITHIN_MS = 2_000;
const LIMIT_MS = 10 * 60_000;

const Doc = v.object({
  app_name: v.nullable(v.string()),
  status: v.string(),
  reason: v.nullable(v.string()),
  finished_at: v.nullable(v.string()),
});
type Doc = v.InferOutput<typeof Doc>;

/** A command of an application that fails, and how often it was begun and ended. */
interface Failing {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly begun: () => number;
  /** Milliseconds since 1970 of its ends. */
  readonly ends: () => readonly number[];
}

describe.skipIf(process.platform !== 'linux')('builds and release commands that fail', () => {
  const dataDir = dataFolder('builds');
  const counts = seenByBuilds(dataDir);
  let service: ServiceProcess;
  let url = '';

  async function start(): Promise<void> {
    service = startProcess({ dataDir });
    await service.printed(/Ctrl-C ends everything/);
    url = (await service.printed(/Webhook +(\S+)\/1\/deploy/))[1] ?? '';
  }

  async function kill(): Promise<void> {
    const family = service.family();
    service.signalGroup('SIGKILL');
    await service.ended;
    await gone(family, dataDir);
  }

  beforeAll(async () => {
    await start();
  }, LIMIT_MS);

  afterAll(async () => {
    await kill().catch(() => {});
    for (const { pid } of runningIn(dataDir)) signalIfThere(pid, 'SIGKILL');
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  function failing(kind: (typeof KINDS)[number], seconds: number, round: string): Failing {
    const name = `${kind}-${seconds}-${round}`;
    const file = join(counts, name);
    const command = `echo begun >> ${file}; sleep ${seconds}; date +%s%3N >> ${file}; exit 3`;
    const app = application(name, name);
    const manifest = { name, version: '1.0.0', scripts: { build: command } };
    const files =
      kind === 'build'
        ? { ...app, 'package.json': JSON.stringify(manifest) }
        : { ...app, Procfile: `release: ${command}` };
    const lines = () => linesIn(file);
    return {
      ...{ name, files },
      begun: () => lines().filter((line) => line === 'begun').length,
      ends: () => lines().flatMap((line) => (line === 'begun' ? [] : [Number(line)])),
    };
  }

  async function push({ name, files }: Failing): Promise<void> {
    const ports = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8')) as { repositories: number };
    const tree = gitFolder(`http://${loginOf(dataDir)}@127.0.0.1:${ports.repositories}/demo/${name}.git`);
    tree.commit(files);
    await tree.push();
  }

  async function entryOf(name: string): Promise<Doc | undefined> {
    const authorization = `Basic ${Buffer.from(loginOf(dataDir)).toString('base64')}`;
    const feed = `${url}/1/status/demo/changes?feed=normal&since=0&include_docs=true`;
    const response = await fetch(feed, { headers: { authorization } });
    const { results } = await bodyOf(response, { results: v.array(v.object({ doc: Doc })) });
    return results.findLast(({ doc }) => doc.app_name === name)?.doc;
  }

  async function ended(name: string): Promise<Doc> {
    for (const end = Date.now() + LIMIT_MS; Date.now() < end; ) {
      const doc = await entryOf(name);
      if (doc?.finished_at) return doc;
      await setTimeout(500);
    }
    throw new Error(`${name} has not ended: ${service.output().slice(-2000)}`);
  }

  const roundOf = (round: string) => KINDS.flatMap((kind) => SECONDS.map((seconds) => failing(kind, seconds, round)));

  async function check(one: Failing, most: number): Promise<void> {
    const { status, reason, finished_at } = await ended(one.name);
    const lateMs = Date.parse(finished_at ?? '') - (one.ends().at(-1) ?? 0);
    console.log(`${one.name}: begun ${one.begun()} times, ended ${lateMs} ms after its command: ${reason}`);
    expect(status).toBe('error');
    expect(one.begun()).toBeLessThanOrEqual(most);
    if (one.begun() > 1) expect(reason).toMatch(/began again/);
    expect(lateMs).toBeLessThanOrEqual(ENDED_WITHIN_MS);
  }

  it('run once each, and their deploys end with them', { timeout: LIMIT_MS }, async () => {
    const all = roundOf('quiet');
    await Promise.all(all.map(push));
    for (const one of all) await check(one, 1);
    // Nothing is begun later either.
    await setTimeout(35_000);
    expect(all.map((one) => one.begun())).toEqual(all.map(() => 1));
  });

  it('run at most once more after a kill in the middle, and their deploys say so', { timeout: LIMIT_MS }, async () => {
    const all = roundOf('killed');
    await Promise.all(all.map(push));
    const isUnderWay = () => all.every((one) => one.begun() > 0);
    for (const end = Date.now() + LIMIT_MS; !isUnderWay() && Date.now() < end; ) await setTimeout(100);
    await kill();
    await start();
    for (const one of all) await check(one, 2);
    expect(all.some((one) => one.begun() === 2)).toBe(true);
  });
});

function linesIn(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
