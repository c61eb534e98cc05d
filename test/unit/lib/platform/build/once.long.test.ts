import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeUnbuilt } from '../../../../../lib/local/programs/platform.ts';
import { storedIn } from '../../../../../lib/platform/store/stored.ts';
import {
  appFiles,
  buildLogOf,
  deploy,
  ended as endOf,
  hello,
  platform,
  serverFile,
  tarball,
  temporaryFolder,
  until,
  upload,
} from '../../../../support/platform/harness.ts';
import { openedTables } from '../../../../support/platform/tables.ts';

const snapshot = { ...hello, snapshot: '1' };
const filesIn = (folder: string) => readdir(folder).catch(() => []);
const linesIn = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);

/** An application whose build or release command appends a line to a file, and then waits for another file to go on. */
async function counted() {
  const folder = await temporaryFolder();
  const [runs, go] = [join(folder, 'runs'), join(folder, 'go')];
  return { runs, go, command: `echo run >> ${runs}; while [ ! -e ${go} ]; do sleep 0.05; done` };
}

type At = Awaited<ReturnType<typeof platform>>;

async function activated(at: At, files: Record<string, string>): Promise<void> {
  await at.hosting.ensureApp(hello, {});
  await upload(at, 'hello', '1', await tarball(files));
  await at.hosting.activate(snapshot, { deploy: 1 });
}

/** What a kill leaves of a build: `stop` ends a platform that can still write that it stops. */
async function killed(at: At): Promise<void> {
  const app = { user: 'ada', app: 'hello' };
  const stored = () => {
    const { tables, close } = openedTables(at.dataDir);
    return { ...storedIn(at.dataDir, tables).snapshots, close };
  };
  const running = stored();
  const before = await running.get(app, '1');
  await running.close();
  await at.close();
  const ended = stored();
  await ended.write(app, before);
  await ended.close();
}

const ended = (at: At) => endOf(at, 'hello', '1');
const log = async (at: At) => (await buildLogOf(at))?.map(({ line }) => line);

describe('a build that has failed', () => {
  it('is not begun again by the deploy that asks once more, and its log is kept', async () => {
    const at = await platform();
    const { runs } = await counted();
    await activated(at, appFiles('hello', 'x', { scripts: { build: `echo run >> ${runs}; echo why; exit 3` } }));
    const first = await ended(at);

    await at.hosting.activate(snapshot, { deploy: 1 });
    await at.hosting.activate(snapshot);

    expect(first).toMatchObject({ state: 'failed', reason: 'npm run build exited with code 3: why.' });
    expect(await ended(at)).toEqual(first);
    expect(await linesIn(runs)).toHaveLength(1);
    expect(await log(at)).toContain('why');
  });

  it('is begun again by a deploy of another log, whose numbers are the same', async () => {
    const at = await platform();
    const { runs, go } = await counted();
    const scripts = { build: `echo run >> ${runs}; test -e ${go}` };
    await activated(at, appFiles('hello', serverFile('hi'), { scripts }));
    expect((await ended(at)).state).toBe('failed');
    await writeFile(go, '');
    await at.hosting.activate(snapshot, { deploy: 2 });
    expect(await ended(at)).toMatchObject({ state: 'ready', reason: null });
    await at.hosting.activate(snapshot, { deploy: 2 });
    expect(await linesIn(runs)).toHaveLength(2);
  });

  it('is built again for a later deploy that rolls back to it, once, when it was built before', async () => {
    const at = await platform({ limits: { releases: 1, snapshots: 2 } });
    const { runs, go } = await counted();
    const scripts = { build: `echo run >> ${runs}; test ! -e ${go}` };
    await deploy(at, 'hello', '1', appFiles('hello', serverFile('one'), { scripts }));
    await deploy(at, 'hello', '2', appFiles('hello', serverFile('two')));
    const releases = join(at.dataDir, 'apps/ada/hello/releases');
    await until('the first release is gone', async () => (await filesIn(releases)).join() === '2');
    await writeFile(go, '');
    const rolledBack = async (number: number) => {
      await at.hosting.activate(snapshot, { deploy: number });
      return (await ended(at)).state;
    };
    expect([await rolledBack(3), await rolledBack(3), (await linesIn(runs)).length]).toEqual(['failed', 'failed', 2]);
    expect([await rolledBack(4), await rolledBack(4), (await linesIn(runs)).length]).toEqual(['failed', 'failed', 3]);
  });
});

const begunAgain = (more: string) => `The platform ended in the middle of the build, which began again${more}.`;
const cutOff = 'The platform ended twice in the middle of the build. Deploy again';
const twice = { state: 'ready', note: expect.stringMatching(/began again: its release command was begun twice\.$/) };

describe('a build that is cut off', () => {
  it.each<[string, 'build' | 'release', readonly ('kill' | 'stop')[], number, object]>([
    ['by a kill begins again once and says so', 'build', ['kill'], 2, { state: 'ready', note: begunAgain('') }],
    [
      'by a second kill has failed, and the third start builds nothing',
      'build',
      ['kill', 'kill'],
      2,
      { state: 'failed', reason: expect.stringContaining(cutOff), log: expect.arrayContaining(['one']) },
    ],
    ['by a stop begins again at each start', 'build', ['stop', 'stop', 'stop'], 4, { state: 'ready', note: null }],
    ['by a kill in its release command says that this was begun twice', 'release', ['kill'], 2, twice],
    ['by a stop in its release command says so too', 'release', ['stop'], 2, twice],
  ])('%s', async (_title, part, ends, times, expected) => {
    const { runs, go, command } = await counted();
    const scripts = part === 'build' ? { build: `echo one; ${command}` } : {};
    const files = appFiles('hello', serverFile('hi'), { scripts });
    let at = await platform();
    await activated(at, { ...files, ...(part === 'release' && { Procfile: `release: ${command}` }) });
    for (const [number, end] of ends.entries()) {
      await until('it runs', async () => (await linesIn(runs)).length === number + 1);
      await (end === 'kill' ? killed(at) : at.close());
      at = await platform({ dataDir: at.dataDir });
      await at.hosting.activate(snapshot, { deploy: 1 });
    }
    await writeFile(go, '');

    const { note, state, ...more } = await ended(at);
    expect({ note, state, ...more }).toMatchObject(expected);
    expect(await linesIn(runs)).toHaveLength(times);
    // The log is that of all.
    if (note !== null) expect(await log(at)).toContain(note);
    if (part === 'build') expect((await log(at))?.filter((line) => line === 'one')).toHaveLength(times);
    const releases = await filesIn(join(at.dataDir, 'apps/ada/hello/releases'));
    expect(releases).toEqual(state === 'failed' ? [] : ['1']);
  });
});

describe('a release', () => {
  it('of a build that was cut off is removed before the service looks for free space', async () => {
    const dataDir = await temporaryFolder();
    const at = await platform({ dataDir: join(dataDir, 'platform') });
    const { runs, command } = await counted();
    await deploy(at, 'other', '1', appFiles('other', serverFile('hi')));
    await activated(at, appFiles('hello', 'x', { scripts: { build: command } }));
    await until('it runs', async () => (await linesIn(runs)).length === 1);
    await killed(at);
    const releases = (app: string) => filesIn(join(at.dataDir, 'apps/ada', app, 'releases'));
    expect([await releases('hello'), await releases('other')]).toEqual([['1'], ['1']]);
    const { tables, close } = openedTables(at.dataDir);
    await removeUnbuilt(dataDir, tables);
    await close();
    expect([await releases('hello'), await releases('other')]).toEqual([[], ['1']]);
  });
});
