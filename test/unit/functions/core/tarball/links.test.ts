import { describe, expect, it } from 'vitest';
import { gnuLong, pax, type RawEntry, tarball, verdict } from '../../../../support/archives.ts';

const unsafe = 'deploy:tar:unsafe_link';
const symlink = (name: string, link: string): RawEntry => ({ name: `app-1/${name}`, type: '2', link });
const hardlink = (name: string, link: string): RawEntry => ({ name: `app-1/${name}`, type: '1', link });
const file = (name: string): RawEntry => ({ name: `app-1/${name}`, body: 'x' });

describe('A symbolic link in a tarball', () => {
  it.each([
    ['to a file beside it', 'a', 'b'],
    ['to a file elsewhere in the root', 'x/y/a', '../../b'],
    ['to its own folder', 'x/self', '.'],
    ['to the root folder', 'x/y/a', '../..'],
    ['to nothing, which is there after an install', 'bin', 'node_modules/.bin'],
    ['with a backslash in its name', 'a', 'x\\2dy'],
    ['to itself, which leads nowhere', 'a', 'a'],
  ])('%s passes', async (_what, name, target) => {
    expect(await verdict(tarball(symlink(name, target)))).toBe('passed');
  });

  it.each([
    ['absolute', 'a', '/etc/passwd'],
    ['absolute on Windows', 'a', 'C:\\x'],
    ['out of the root folder', 'a', '..'],
    ['out of the root folder from deep inside', 'x/y/a', '../../../etc'],
    ['out and back in under the root folder’s name', 'a', '../app-1/b'],
    ['out by a detour', 'a', 'x/../../b'],
    ['out on Windows', 'x/a', '..\\..\\b'],
    ['out by a folder that is not there', 'a', 'missing/../..'],
    ['to nothing at all', 'a', ''],
  ])('%s is refused', async (_what, name, target) => {
    expect(await verdict(tarball(symlink(name, target)))).toBe(unsafe);
    expect(await verdict(tarball(pax({ linkpath: target || '/' }), symlink(name, 'b')))).toBe(unsafe);
    expect(await verdict(tarball(gnuLong(target, 'K'), symlink(name, 'b')))).toBe(unsafe);
  });

  it('is refused when other links on its path lead outside, in either order', async () => {
    const up = symlink('x/y/up', '../..');
    const out = symlink('out', 'x/y/up/../etc');
    expect(await verdict(tarball(up, out))).toBe(unsafe);
    expect(await verdict(tarball(out, up))).toBe(unsafe);
  });

  it('is refused at the end of a chain that leads out', async () => {
    const chain = [symlink('x/y/up', '../..'), symlink('a', 'x/y/up'), symlink('b', 'a/x/..'), symlink('c', 'b/..')];
    expect(await verdict(tarball(...chain))).toBe(unsafe);
    expect(await verdict(tarball(...chain.slice(0, 3)))).toBe('passed');
  });

  it('in a chain longer than any system follows is refused, without a stack that overflows', async () => {
    const chain = Array.from({ length: 12_000 }, (_, index) => symlink(`l${index}`, `l${index + 1}`));
    expect(await verdict(tarball(...chain))).toBe(unsafe);
  });

  it('that grows beyond any path through others is refused', async () => {
    const long = `${'x'.repeat(200)}/`.repeat(10);
    const chain = Array.from({ length: 30 }, (_, index) => [
      gnuLong(`l${index + 1}/${long}x`, 'K'),
      symlink(`l${index}`, 'replaced'),
    ]).flat();
    expect(await verdict(tarball(...chain))).toBe(unsafe);
  });

  it.each([
    ['a file', file('a/x')],
    ['a file deep', file('a/b/c/x')],
    ['a folder', { name: 'app-1/a/x/', type: '5' }],
    ['another link', symlink('a/x', 'y')],
  ])('may not be written through by %s', async (_what, entry) => {
    expect(await verdict(tarball(symlink('a', 'b'), entry))).toBe(unsafe);
  });

  it('may not take the place of anything, nor be replaced', async () => {
    expect(await verdict(tarball(file('a'), symlink('a', 'b')))).toBe(unsafe);
    expect(await verdict(tarball(file('a/x'), symlink('a', 'b')))).toBe(unsafe);
    expect(await verdict(tarball(symlink('a', 'b'), file('a')))).toBe(unsafe);
    expect(await verdict(tarball(symlink('a', 'b'), { name: 'app-1/a/', type: '5' }))).toBe(unsafe);
    expect(await verdict(tarball(symlink('a', 'b'), symlink('a', 'c')))).toBe(unsafe);
  });

  it('counts towards the limit of all links together', async () => {
    const links = Array.from({ length: 100 }, (_, index) => symlink(`l${index}`, 'x'.repeat(90)));
    expect(await verdict(tarball(...links), { linkBytes: 5000 })).toBe('deploy:tar:too_large');
    expect(await verdict(tarball(...links), { linkBytes: 20_000 })).toBe('passed');
  });
});

describe('A hard link in a tarball', () => {
  it('to a file before it passes, and so does one to that link', async () => {
    const links = [hardlink('x/b', 'app-1/a'), hardlink('c', 'app-1/x/b')];
    expect(await verdict(tarball(file('a'), ...links))).toBe('passed');
  });

  it.each([
    ['absolute', '/etc/passwd'],
    ['out of the archive', '../x'],
    ['out of the root folder', 'app-1/../x'],
    ['relative to its own folder, as symbolic links are', 'a'],
    ['to a file beside the root folder', 'app-2/a'],
    ['to what is not there', 'app-1/missing'],
    ['to a folder', 'app-1/folder'],
    ['to nothing at all', ''],
  ])('%s is refused', async (_what, target) => {
    const folder = { name: 'app-1/folder/', type: '5' };
    expect(await verdict(tarball(file('a'), folder, hardlink('b', target)))).toBe(unsafe);
  });

  it('to a symbolic link, or through one, is refused: it would mean another place there', async () => {
    expect(await verdict(tarball(file('b'), symlink('x/l', '../b'), hardlink('l', 'app-1/x/l')))).toBe(unsafe);
    expect(await verdict(tarball(file('x/b'), symlink('y', 'x'), hardlink('l', 'app-1/y/b')))).toBe(unsafe);
  });

  it('to a file that only comes after it is refused', async () => {
    expect(await verdict(tarball(hardlink('b', 'app-1/a'), file('a')))).toBe(unsafe);
  });
});
