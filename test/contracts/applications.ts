import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Applications, AppOutput, AppVariables } from '../../functions/core/ports/applications.ts';
import type { AppOperations, SnapshotRef } from '../../functions/core/ports/platform.ts';
import type { PrintedLine } from '../../functions/core/ports/processes.ts';
import { BUILD_LIMIT_MS, type PlatformUnderTest, uploadOf } from './hosting-platform.ts';

/** A platform with everything that can be done with its applications. */
export interface ApplicationsUnderTest extends PlatformUnderTest {
  readonly applications: Applications;
  readonly operations: AppOperations;
  readonly output: AppOutput;
  readonly variables: AppVariables;
}

/** The contract of the port `Applications`; every implementation must pass it. */
export function applicationsContract(title: string, open: () => Promise<ApplicationsUnderTest>): void {
  describe(`${title}, asked for its applications`, () => {
    let at: ApplicationsUnderTest;

    beforeAll(async () => {
      at = await open();
    });
    afterAll(() => at?.close());

    const ref = (app: string, snapshot = '1.0.0-1'): SnapshotRef => ({ user: at.user, app, snapshot });

    /** Uploads and builds a version, and starts it. */
    async function deploy(snapshot: SnapshotRef, name = snapshot.app): Promise<string> {
      await at.platform.ensureApp(snapshot, { name, version: '1.0.0' });
      await at.platform.upload(snapshot, uploadOf(await at.tarball(name, snapshot.snapshot, 'runs')));
      await at.platform.activate(snapshot);
      await expect
        .poll(() => at.platform.poll(snapshot, 5), { timeout: at.buildLimitMs ?? BUILD_LIMIT_MS })
        .toMatchObject({ state: 'ready' });
      return (await at.platform.start(snapshot)).url;
    }

    it('has none at first, and finds none by a name that was never deployed', async () => {
      expect(await at.applications.list(at.user)).toEqual([]);
      expect(await at.applications.find(ref('nothing'))).toBeNull();
      expect(await at.applications.snapshots(ref('nothing'))).toEqual([]);
    });

    it('shows an application that was never started without an address', async () => {
      await at.platform.ensureApp(ref('idle'), { name: 'idle', version: '1.0.0' });
      const idle = { user: at.user, app: 'idle', name: 'idle', state: 'never', url: null, snapshot: null };
      expect(await at.applications.find(ref('idle'))).toEqual(idle);
      expect(await at.applications.list(at.user)).toEqual([idle]);
    });

    it('shows a running application by its full name, with its address and its snapshot', async () => {
      const url = await deploy(ref('kiwi-shop'), '@kiwi/shop');
      const found = await at.applications.find(ref('kiwi-shop'));
      expect(found).toMatchObject({ app: 'kiwi-shop', name: '@kiwi/shop', state: 'running', url, snapshot: '1.0.0-1' });
      expect((await at.applications.list(at.user)).map(({ app }) => app)).toEqual(['idle', 'kiwi-shop']);
    });

    it('lists the snapshots that could be started again', async () => {
      await deploy(ref('versions', '1.0.0-1'));
      await deploy(ref('versions', '1.0.0-2'));
      expect([...(await at.applications.snapshots(ref('versions')))].sort()).toEqual(['1.0.0-1', '1.0.0-2']);
    });

    it('stops an application, once or twice, and starts it again at the same address', async () => {
      const paused = ref('paused');
      const url = await deploy(paused);
      await at.operations.stop(paused);
      await at.operations.stop(paused);
      expect(await at.applications.find(paused)).toMatchObject({ state: 'stopped', snapshot: '1.0.0-1' });
      expect(await at.operations.restart(paused)).toEqual({ url });
      expect(await at.applications.find(paused)).toMatchObject({ state: 'running' });
      expect(await at.version(paused, url)).toBe('1.0.0-1');
    });

    it('starts an older snapshot of a stopped application', async () => {
      await deploy(ref('turned', '1.0.0-1'));
      const url = await deploy(ref('turned', '1.0.0-2'));
      await at.operations.stop(ref('turned'));
      await at.platform.activate(ref('turned', '1.0.0-1'));
      expect(await at.platform.start(ref('turned', '1.0.0-1'))).toEqual({ url });
      expect(await at.version(ref('turned'), url)).toBe('1.0.0-1');
    });

    it('gives an application another name, with what runs, its variables and snapshots, or says what to do instead', async () => {
      const [old, later] = [ref('old'), ref('ann-later')];
      await deploy(old);
      await at.variables.set(old, { COLOUR: 'red' });
      const { canRename } = at.applications;
      if (canRename !== true) {
        expect(canRename).toMatch(/\.$/);
        await expect(at.operations.rename(old, '@ann/later')).rejects.toMatchObject({ code: 'request:not_supported' });
        return;
      }
      const { url } = await at.operations.rename(old, '@ann/later');
      expect(await at.operations.rename(old, '@ann/later')).toEqual({ url });
      expect(await at.applications.find(old)).toBeNull();
      const found = await at.applications.find(later);
      expect(found).toMatchObject({ app: 'ann-later', name: '@ann/later', state: 'running', snapshot: '1.0.0-1' });
      expect(found?.url).toBe(url);
      expect(await at.version(later, url ?? '')).toBe('1.0.0-1');
      expect(await at.variables.read(later)).toEqual({ COLOUR: 'red' });
      expect(await at.applications.snapshots(later)).toEqual(['1.0.0-1']);
    });

    it('removes an application with its snapshots, once or twice', async () => {
      const gone = ref('gone');
      await deploy(gone);
      await at.operations.remove(gone);
      await at.operations.remove(gone);
      expect(await at.applications.find(gone)).toBeNull();
      expect(await at.applications.snapshots(gone)).toEqual([]);
    });

    it('keeps variables of an application that was never deployed, and passes them to its deploys', async () => {
      const planned = ref('planned');
      expect(await at.variables.read(planned)).toBeNull();
      expect(await at.variables.set(planned, { GREETING: 'hello' })).toBe(false);
      await at.variables.create(planned, 'planned');
      await at.variables.create(planned, 'planned');
      expect(await at.variables.set(planned, { GREETING: 'two\nlines "quoted"' })).toBe(true);
      expect(await at.applications.find(planned)).toMatchObject({ state: 'never', name: 'planned' });
      await deploy(planned);
      expect(await at.variables.read(planned)).toEqual({ GREETING: 'two\nlines "quoted"' });
    });

    it('sets, replaces and removes single variables', async () => {
      const varied = ref('varied');
      await at.variables.create(varied, 'varied');
      for (const [name, value] of [
        ['ONE', '1'],
        ['TWO', ''],
        ['ONE', 'uno'],
      ] as const) {
        expect(await at.variables.set(varied, { [name]: value })).toBe(true);
      }
      expect(await at.variables.read(varied)).toEqual({ ONE: 'uno', TWO: '' });
      expect(await at.variables.unset(varied, 'TWO')).toBe(true);
      expect(await at.variables.unset(varied, 'TWO')).toBe(false);
      expect(await at.variables.unset(ref('missing'), 'TWO')).toBe(false);
      expect(await at.variables.read(varied)).toEqual({ ONE: 'uno' });
    });

    it('changes several variables at once, all or none', async () => {
      const several = ref('several');
      await at.variables.create(several, 'several');
      expect(await at.variables.set(several, { ONE: '1', TWO: '2' })).toBe(true);
      expect(await at.variables.set(several, { ONE: null, TWO: 'two', THREE: '3', ABSENT: null })).toBe(true);
      expect(await at.variables.read(several)).toEqual({ TWO: 'two', THREE: '3' });
      await expect(at.variables.set(several, { TWO: null, PORT: '1' })).rejects.toMatchObject({
        code: 'request:bad_parameter',
      });
      expect(await at.variables.read(several)).toEqual({ TWO: 'two', THREE: '3' });
      expect(await at.variables.set(ref('missing'), { TWO: null })).toBe(false);
    });

    it('changes what it has, also when two change it at once', async () => {
      const shared = ref('shared');
      const add = (name: string) =>
        at.variables.set(shared, ({ LIST = '' }) => ({ LIST: [LIST, name].filter(Boolean).join(' ') }));
      expect(await add('none')).toBe(false);
      await at.variables.create(shared, 'shared');
      expect(await Promise.all(['a', 'b', 'c'].map(add))).toEqual([true, true, true]);
      const { LIST = '' } = (await at.variables.read(shared)) ?? {};
      expect(LIST.split(' ').sort()).toEqual(['a', 'b', 'c']);
    });

    it('refuses a variable that it sets itself, and more than it can keep', async () => {
      const full = ref('full');
      await at.variables.create(full, 'full');
      await expect(at.variables.set(full, { PORT: '1' })).rejects.toMatchObject({ code: 'request:bad_parameter' });
      const large = 'x'.repeat(70_000);
      await expect(at.variables.set(full, { LARGE: large })).rejects.toMatchObject({ code: 'request:too_large' });
      expect(await at.variables.read(full)).toEqual({});
    });

    it('returns the last lines of the output, and then ends', async () => {
      const spoken = ref('spoken');
      await deploy(spoken);
      const { signal } = new AbortController();
      const read = async (lines: number) => {
        const output = await at.output.read(spoken, { lines, follow: false }, signal);
        const all: PrintedLine[] = [];
        for await (const batch of output ?? []) all.push(...batch);
        return all;
      };
      const line = { at: expect.stringMatching(/^\d{4}-.*Z$/), stream: 'platform', line: '1.0.0-1 serves' };
      expect(await read(100)).toContainEqual(line);
      expect(await read(0)).toEqual([]);
      expect(await at.output.read(ref('silent'), { lines: 1, follow: false }, signal)).toBeNull();
    });

    it('searches the stored output for a text in whatever case, and says how far it has looked', async () => {
      const searched = ref('searched');
      await deploy(searched);
      const { signal } = new AbortController();
      const find = (text: string) => at.output.search(searched, { text, lines: 10 }, signal);
      await expect
        .poll(async () => (await find('0-1 SERVES'))?.lines.map(({ line }) => line))
        .toEqual(['1.0.0-1 serves']);
      const none = await find('0.1 serves');
      expect(none).toMatchObject({ lines: [], next: null });
      expect(none?.searched.since).toMatch(/^\d{4}-.*Z$/);
      expect(await at.output.search(ref('silent'), { text: 'x', lines: 1 }, signal)).toBeNull();
    });

    it('follows the output until it is aborted', async () => {
      const followed = ref('followed');
      await deploy(followed);
      const stop = new AbortController();
      const output = await at.output.read(followed, { lines: 0, follow: true }, stop.signal);
      const seen: string[] = [];
      const reading = (async () => {
        for await (const lines of output ?? []) seen.push(...lines.map(({ line }) => line));
      })();
      await at.operations.restart(followed);
      await expect.poll(() => seen, { timeout: 30_000 }).toContain('1.0.0-1 serves');
      stop.abort();
      await reading;
    });

    it('refuses to restart what was never started, and to stop what does not exist', async () => {
      const refused = { code: 'deploy:platform:start_app', retry: false };
      await at.platform.ensureApp(ref('unborn'), { name: 'unborn', version: '1.0.0' });
      await expect(at.operations.restart(ref('unborn'))).rejects.toMatchObject(refused);
      await expect(at.operations.stop(ref('missing'))).rejects.toMatchObject(refused);
    });
  });
}
