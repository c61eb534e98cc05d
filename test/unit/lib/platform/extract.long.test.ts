import { lstat, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import { type Extraction, extract } from '../../../../lib/platform/build/extract.ts';
import type { GroupRegistry, RunningGroup } from '../../../../lib/process/group-registry.ts';
import { archiveCorpus } from '../../../support/archive-corpus.ts';
import { inspect, listed } from '../../../support/archives.ts';
import {
  appFiles,
  build,
  ended,
  hello,
  platform,
  serverFile,
  temporaryFolder,
  until,
  upload,
} from '../../../support/platform/harness.ts';

const groups: GroupRegistry = { add: () => undefined, remove: () => undefined, close: async () => undefined };

/** Unpacks an archive in a folder of its own, which is returned. */
async function unpacked(bytes: Buffer, more: Partial<Extraction> = {}): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'a.tgz'), bytes);
  const target = join(folder, 'out');
  const limits = { unpackedBytes: 2 ** 30, entries: 1_000 };
  const { signal } = new AbortController();
  await extract({ tarball: join(folder, 'a.tgz'), target, limits, groups, what: 'test', signal, ...more });
  return target;
}

/** The paths below a folder, in order; links are not followed. */
async function filesIn(folder: string): Promise<readonly string[]> {
  // Not by `recursive`: Node 26 follows links then.
  const found = await readdir(folder, { withFileTypes: true });
  const below = found.map(async (one) => {
    const inside = one.isDirectory() ? await filesIn(join(folder, one.name)) : [];
    return [one.name, ...inside.map((path) => join(one.name, path))];
  });
  return (await Promise.all(below)).flat().sort();
}

const named = (what: string) => archiveCorpus.find(([name]) => name === what)?.[1] ?? Buffer.alloc(0);
const modeOf = async (path: string) => (await stat(path)).mode & 0o7777;
/** The sentence with which the service refuses an archive, or `undefined`. */
const refusal = (bytes: Buffer) =>
  inspect(bytes).then(
    () => undefined,
    (error: unknown) => (error instanceof DeployError ? error.detail : String(error)),
  );

describe('unpacking', () => {
  it.each(archiveCorpus)('a tarball with %s is unpacked or refused as the service does', async (_what, bytes) => {
    const outcome = await unpacked(bytes).then(
      async (target) => ({ files: await filesIn(target) }),
      (error: Error) => ({ refused: error.message }),
    );
    const refused = await refusal(bytes);
    expect(outcome).toEqual(refused === undefined ? { files: await listed(bytes) } : { refused });
  });

  it('what is refused leaves nothing behind', async () => {
    const folder = await temporaryFolder();
    const target = join(folder, 'out');
    await expect(unpacked(named('two roots'), { target })).rejects.toThrow('has the roots');
    expect(await readdir(folder)).toEqual([]);
  });

  it('files, folders and links are those of the archive, without its root folder', async () => {
    const target = await unpacked(named('files, folders and links'));
    expect((await readdir(target, { recursive: true })).sort()).toEqual(['a', 'd', 'd/l']);
    expect(await readFile(join(target, 'a'), 'utf8')).toBe('text');
    expect(await readlink(join(target, 'd', 'l'))).toBe('../a');
    expect((await readFile(join(await unpacked(named('a file of several blocks')), 'a'))).length).toBe(100_000);
  });

  it('files are executable or not, and nothing else of their mode is kept', async () => {
    expect(await modeOf(join(await unpacked(named('a file with setuid')), 'tool'))).toBe(0o755);
    expect(await modeOf(join(await unpacked(named('a file that nobody may read')), 'tool'))).toBe(0o644);
  });

  it('hard links are one file, and links in a circle are made', async () => {
    const target = await unpacked(named('a hard link'));
    expect((await stat(join(target, 'a'))).nlink).toBe(2);
    expect((await lstat(join(await unpacked(named('links in a circle')), 'l'))).isSymbolicLink()).toBe(true);
  });

  it('a process that is killed while it unpacks fails the build with a sentence', async () => {
    const kills = { ...groups, add: ({ pgid: pid }: RunningGroup) => void process.kill(pid, 'SIGSEGV') };
    await expect(unpacked(named('a hard link'), { groups: kills })).rejects.toThrow(
      'The tarball cannot be unpacked: the process that reads it was ended by SIGSEGV.',
    );
  });

  it('ends when all files are written, and does not wait for the end of the process', async () => {
    const gone: number[] = [];
    await unpacked(named('a hard link'), { groups: { ...groups, remove: (pgid: number) => void gone.push(pgid) } });
    expect(gone).toEqual([]);
    await until('the process has ended', () => gone.length === 1);
  });

  it('unpacking ends when it is cancelled', async () => {
    // SIGTERM comes first and SIGKILL at once after it: which of them ends it depends on the machine.
    await expect(unpacked(named('a hard link'), { signal: AbortSignal.abort() })).rejects.toThrow(
      /was ended by SIG(TERM|KILL)/,
    );
  });

  it('a program that was removed is written again', async () => {
    const folder = await temporaryFolder();
    const program = join(folder, 'unpack.cjs');
    await unpacked(named('a hard link'), { program });
    await rm(program);
    await unpacked(named('a hard link'), { program });
    expect(await readdir(folder)).toEqual(['unpack.cjs', 'unpack.cjs.inputs.json']);
  });
});

describe('a platform that gets hostile archives', () => {
  it('goes on after those that end other readers', async () => {
    const at = await platform();
    await at.hosting.ensureApp(hello, {});
    const hostile = ['the first bytes of zstd', 'a NUL and a line feed in a name', 'a NUL and a line feed in a link'];

    for (const [id, what] of hostile.entries()) {
      await upload(at, 'hello', `${id}`, named(what));
      await at.hosting.activate({ ...hello, snapshot: `${id}` });
      expect(await ended(at, 'hello', `${id}`)).toMatchObject({
        state: 'failed',
        reason: expect.stringMatching(/^The tarball .+\.$/),
      });
    }

    expect((await build(at, 'hello', 'good', appFiles('hello', serverFile('hi')))).state).toBe('ready');
  });
});
