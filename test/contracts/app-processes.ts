import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AppProcesses, AppRuns } from '../../functions/core/ports/applications.ts';
import type { SnapshotRef } from '../../functions/core/ports/platform.ts';
import type { Said } from '../../functions/core/ports/processes.ts';
import type { ApplicationsUnderTest } from './applications.ts';
import { type Behaviour, BUILD_LIMIT_MS, uploadOf } from './hosting-platform.ts';

/** A platform whose applications have processes, of which commands can be run. */
export interface ProcessesUnderTest extends ApplicationsUnderTest {
  readonly processes: AppProcesses;
  readonly runs: AppRuns;
  /** A command that prints `hello`, then its input, and ends at the end of that. */
  readonly talking: readonly string[];
}

async function deploy({ platform, ...at }: ProcessesUnderTest, app: SnapshotRef, works: Behaviour): Promise<void> {
  await platform.ensureApp(app, { name: app.app });
  await platform.upload(app, uploadOf(await at.tarball(app.app, app.snapshot, works)));
  await platform.activate(app);
  const isReady = async () => (await platform.poll(app, 5)).state === 'ready';
  await vi.waitUntil(isReady, { timeout: at.buildLimitMs ?? BUILD_LIMIT_MS });
  await platform.start(app);
}

/** The contract of the ports `AppProcesses` and `AppRuns`; every implementation must pass it. */
export function appProcessesContract(title: string, open: () => Promise<ProcessesUnderTest>): void {
  describe(`${title}, asked for processes`, () => {
    let at: ProcessesUnderTest;
    const ref = (app: string): SnapshotRef => ({ user: at.user, app, snapshot: '1.0.0-1' });

    beforeAll(async () => {
      at = await open();
      await at.platform.ensureApp(ref('new'), { name: 'new' });
      await deploy(at, ref('shop'), 'has a worker');
    });
    afterAll(() => at?.close());

    const namesOf = async (app: string) => (await at.processes.list(ref(app)))?.processes.map(({ name }) => name);

    it('has one process of each type', async () => {
      expect(await at.processes.list(ref('shop'))).toMatchObject({
        processes: [
          { name: 'web.1', type: 'web', restarts: 0 },
          { name: 'worker.1', type: 'worker', restarts: 0 },
        ],
        cron: [],
        scale: { web: 1, worker: 1 },
      });
    });

    it('has as many as it is scaled to, and the other types stay', async () => {
      expect((await at.processes.scale(ref('shop'), { worker: 2 }))?.scale).toEqual({ web: 1, worker: 2 });
      expect(await namesOf('shop')).toEqual(['web.1', 'worker.1', 'worker.2']);
      expect((await at.processes.scale(ref('shop'), { web: 'auto', worker: 0 }))?.scale).toEqual({
        web: 'auto',
        worker: 0,
      });
      expect(await namesOf('shop')).toEqual(['web.1']);
    });

    it.each([{ mailer: 1 }, { web: 22 }, { worker: -1 }, { worker: 1.5 }])(
      'refuses %j, and changes nothing',
      async (counts) => {
        const before = await at.processes.list(ref('shop'));
        await expect(at.processes.scale(ref('shop'), counts as Record<string, number>)).rejects.toMatchObject({
          code: 'request:bad_parameter',
        });
        expect((await at.processes.list(ref('shop')))?.scale).toEqual(before?.scale);
      },
    );

    it('has none before the first start, and cannot be scaled then', async () => {
      expect(await at.processes.list(ref('new'))).toEqual({ processes: [], cron: [], scale: {} });
      const refused = { code: 'request:conflict' };
      await expect(at.processes.scale(ref('new'), { web: 0 })).rejects.toMatchObject(refused);
      await expect(at.runs.start(ref('new'), { command: at.talking })).rejects.toMatchObject(refused);
    });

    it('knows none of an application that does not exist', async () => {
      expect(await at.processes.list(ref('none'))).toBeNull();
      expect(await at.processes.scale(ref('none'), { web: 0 })).toBeNull();
      expect(await at.runs.start(ref('none'), { command: at.talking })).toBeNull();
    });
  });

  describe(`${title}, asked to run commands`, () => {
    let at: ProcessesUnderTest;
    const shop = (): SnapshotRef => ({ user: at.user, app: 'shop', snapshot: '1.0.0-1' });
    const base64 = (text: string) => Buffer.from(text).toString('base64');

    beforeAll(async () => {
      at = await open();
      await deploy(at, shop(), 'runs');
    });
    afterAll(() => at?.close());

    const start = async () => (await at.runs.start(shop(), { command: at.talking }))?.id ?? '';
    /** Reads until that has been printed, or to the end. */
    async function read(run: string, until?: string): Promise<{ readonly text: string; readonly end?: Said }> {
      const left = new AbortController();
      let text = '';
      for await (const batch of (await at.runs.read(shop(), run, left.signal)) ?? []) {
        for (const said of batch) {
          if ('exit' in said) return { text, end: said };
          text += Buffer.from(said.data, 'base64');
        }
        if (until !== undefined && text.includes(until)) left.abort();
      }
      return { text };
    }

    it('gives what a command prints once, over all who read it, and its end as the last', async () => {
      const run = await start();
      expect(await read(run, 'hello')).toEqual({ text: 'hello' });
      expect(await at.runs.write(shop(), run, { data: base64('you') })).toBe(true);
      expect(await at.runs.write(shop(), run, { end: true })).toBe(true);
      expect(await read(run)).toEqual({ text: 'you', end: { exit: 0, reason: null } });
    });

    it('ends a command by a signal', async () => {
      const run = await start();
      await read(run, 'hello');
      await at.runs.write(shop(), run, { signal: 'SIGTERM' });
      expect((await read(run)).end).toEqual({ exit: 143, reason: null });
    });

    it('has one reader at a time', async () => {
      const run = await start();
      const reader = (await at.runs.read(shop(), run, new AbortController().signal))?.[Symbol.asyncIterator]();
      await reader?.next();
      const other = at.runs.read(shop(), run, new AbortController().signal);
      await expect(other).rejects.toMatchObject({ code: 'request:conflict' });
      await at.runs.write(shop(), run, { end: true });
      for (let next = await reader?.next(); next?.done === false; next = await reader?.next());
    });

    it('knows a command no more when its end was read, but for that end, and none of another application', async () => {
      const run = await start();
      await at.runs.write(shop(), run, { end: true });
      const blog = { ...shop(), app: 'blog' };
      expect(await at.runs.write(blog, run, { end: true })).toBe(false);
      await read(run);
      await expect.poll(() => at.runs.write(shop(), run, { end: true })).toBe(false);
      expect([{ text: '' }, { text: '', end: { exit: 0, reason: null } }]).toContainEqual(await read(run));
    });

    it('refuses a program that does not exist', async () => {
      const refused = { code: 'request:bad_parameter' };
      const command = ['no-such-program', 'x'];
      await expect(at.runs.start(shop(), { command })).rejects.toMatchObject(refused);
    });
  });
}
