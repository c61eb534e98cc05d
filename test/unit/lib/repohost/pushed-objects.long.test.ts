import { exec } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { localHost } from '../../../../lib/repohost/local-host.ts';
import { openRepositories } from '../../../../lib/repohost/repohost.ts';
import { git } from '../../../support/repohost-fixture.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

let remote: string;

const world = repoHostWorld(async () => {
  const host = await open();
  await host.createRepository('ada', 'hello.js');
  remote = host.repositoryPath('ada', 'hello.js');
});
const open = () => world.start();
const run = promisify(exec);
const push = async (...args: string[]) => (await world.copy.git('push', remote, ...args)).stderr;

describe('The objects of a push', () => {
  /** Stores an object as it is, whatever git says to it, and returns its id. */
  const stored = async (type: string, bytes: Buffer) => {
    const file = join(world.folder, 'object');
    await writeFile(file, bytes);
    return (await world.copy.git('hash-object', '-t', type, '-w', '--literally', file)).stdout.trim();
  };
  const treeOf = async (mode: string, name: string, id: string) =>
    stored('tree', Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]));
  const commitOf = async (tree: string, author: string) =>
    stored('commit', Buffer.from(`tree ${tree}\nauthor ${author}\ncommitter ${author}\n\nold\n`));
  const ada = 'Ada <ada@example.test> 1700000000 +0000';

  it.each(['.git', '..'])('A tree with %s in it is refused at the push, which names it', async (name) => {
    const inner = await treeOf('100644', 'config', await stored('blob', Buffer.from('x')));
    const commit = await commitOf(await treeOf('40000', name, inner), ada);
    const refused = await push(`${commit}:refs/heads/main`).catch((error) => error.stderr);
    expect(refused).toContain(`contains '${name}'`);
    expect(refused).toContain('remote rejected');
    expect(world.service.pushes).toEqual([]);
  });

  it('A history with the harmless faults of old programs is taken', async () => {
    const tree = await treeOf('0100644', 'a', await stored('blob', Buffer.from('x')));
    const faults = [
      'Ada <ada@example.test> 1700000000 +051800',
      'Ada <a<b@example.test> 0123 +0000',
      'ada@test 1 +0000',
    ];
    for (const [number, author] of faults.entries()) {
      const branch = `refs/heads/${number}`;
      expect(await push(`${await commitOf(tree, author)}:${branch}`), author).toContain('new branch');
    }
  });

  describe('A commit that another one is to stand for', () => {
    let honest: string;
    let other: string;
    const overHttp = () => world.host.cloneUrl('ada', 'hello.js').replace('//', '//ada:secret@');
    const host = async () =>
      localHost(await openRepositories(world.dataDir), { name: 'local', verify: async () => false });
    const repository = { host: 'local', owner: 'ada', name: 'hello.js' };
    const main = async () => ({ ...repository, sha: (await (await host()).tip(repository, 'main', null))?.sha ?? '' });
    const file = async () => (await host()).file(await main(), 'app', null, 1000);
    const archived = async () => {
      const tarball = await (await host()).tarball(await main(), null, new AbortController().signal);
      await writeFile(join(world.folder, 'tarball'), await buffer(tarball));
      return (await run('tar -xzOf tarball', { cwd: world.folder })).stdout;
    };

    beforeEach(async () => {
      honest = await world.copy.commit('honest', { app: 'honest' });
      await world.copy.git('checkout', '--quiet', '-b', 'other');
      other = await world.copy.commit('other', { app: 'other' });
      await world.copy.git('checkout', '--quiet', 'main');
    });

    it.each(['over HTTP', 'into the folder'])(
      'is not taken %s, which git says, and the other refs are',
      async (how) => {
        await world.copy.git('replace', honest, other);
        const to = how === 'over HTTP' ? overHttp() : remote;
        const printed = await world.copy.git('push', '--mirror', to).catch((error) => error);
        expect(printed.stderr).toMatch(/\[new branch\] +main -> main/);
        expect(printed.stderr).toMatch(/\[remote rejected\] refs\/replace\/\w+ -> .*\(deny updating a hidden ref\)/);
        expect((await git(['ls-remote', remote])).stdout).not.toContain('refs/replace');
        const moved = world.service.pushes.find(({ ref }) => ref === 'refs/heads/main');
        expect(moved).toMatchObject({ after: honest, message: 'honest' });
        expect([await file(), await archived()]).toEqual(['honest', 'honest']);
      },
    );

    it.each([
      ['another commit', () => git(['-C', remote, 'update-ref', `refs/replace/${honest}`, other])],
      ['itself', () => git(['-C', remote, 'update-ref', `refs/replace/${honest}`, honest])],
      ['a graft', (next: string) => writeFile(join(remote, 'info/grafts'), `${next} ${other}\n`)],
    ])('is read as it is where the repository has that of %s, and pushes go on', async (_, put) => {
      mkdirSync(join(remote, 'info'), { recursive: true });
      await push('main', 'other');
      const next = await world.copy.commit('next', { b: '1' });
      await put(next);
      expect([await file(), await archived()]).toEqual(['honest', 'honest']);
      expect((await world.copy.git('push', overHttp(), 'main')).stderr).toContain('queued');
      expect(world.service.pushes.at(-1)).toMatchObject({ before: honest, after: next, forced: false });
      await world.copy.commit('last', { b: '2' });
      expect(await push('main')).toContain('queued');
      expect(await (await host()).compare({ ...repository, sha: honest }, next, null)).toBe('ahead');
    });
  });

  it('A repository of an earlier version gets the same settings at the next start, once', async () => {
    await world.host.close();
    const file = join(remote, 'config');
    await writeFile(file, '[core]\n\trepositoryformatversion = 0\n\tbare = true\n\thooksPath = hooks\n');
    await open();
    const settings = readFileSync(file, 'utf8');
    expect(settings).toContain('fsckObjects = true');
    expect(settings.match(/hooksPath/g)).toHaveLength(1);
    await world.host.close();
    await open();
    expect(readFileSync(file, 'utf8')).toBe(settings);
  });
});
