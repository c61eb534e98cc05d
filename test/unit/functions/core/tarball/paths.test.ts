import { describe, expect, it } from 'vitest';
import { gnuLong, inspect, pax, type RawEntry, tarball, verdict } from '../../../../support/archives.ts';

const unsafe = 'deploy:tar:unsafe_path';
const file = (name: string | Buffer, more: Partial<RawEntry> = {}): RawEntry => ({ name, body: 'x', ...more });

describe('A path in a tarball', () => {
  it.each([
    ['absolute', '/etc/passwd'],
    ['absolute on Windows', 'C:\\Windows\\x'],
    ['of a network share', '\\\\server\\share'],
    ['absolute once the root folder is stripped', 'app-1//etc/passwd'],
    ['absolute on Windows once the root folder is stripped', 'app-1/C:/x'],
    ['a rooted backslash once the root folder is stripped', 'app-1/\\x'],
    ['climbing', '../x'],
    ['climbing out of the root folder', 'app-1/../x'],
    ['climbing in the middle, though it comes back', 'app-1/a/../b'],
    ['climbing at its end', 'app-1/a/..'],
    ['climbing with backslashes', 'app-1\\..\\..\\x'],
    ['climbing with mixed slashes', 'app-1/a\\../x'],
    ['only dots', '..'],
    ['starting with a dot folder, which would be stripped in place of the root', './app-1/x'],
    ['with a dot folder', 'app-1/./x'],
    ['with an empty segment', 'app-1/a//b'],
    ['a file named as a folder', 'app-1/a/'],
    ['with a newline', 'app-1/a\nb'],
    ['with a terminal escape', 'app-1/\u001b[2J'],
    ['with a DEL', 'app-1/\u007f'],
    ['with a control character beyond ASCII', 'app-1/\u009b2J'],
  ])('that is %s is refused', async (_what, path) => {
    expect(await verdict(tarball(file(path)))).toBe(unsafe);
    expect(await verdict(tarball(pax({ path }), file('app-1/harmless')))).toBe(unsafe);
    expect(await verdict(tarball(gnuLong(path), file('app-1/harmless')))).toBe(unsafe);
  });

  it.each(['app-1/a:b.txt', 'app-1/C:', 'app-1/a/b:c'])('%s with a colon in a name is accepted', async (path) => {
    expect(await verdict(tarball(file(path)))).toBe('passed');
  });

  it('that is empty is refused', async () => {
    expect(await verdict(tarball(file('')))).toBe(unsafe);
  });

  it('with .. in the prefix field is refused', async () => {
    expect(await verdict(tarball(file('x', { prefix: 'app-1/../..' })))).toBe(unsafe);
  });

  it('with a NUL in a pax or GNU header is refused, where C would end it early', async () => {
    expect(await verdict(tarball(pax({ path: 'app-1/a\0.png' }), file('app-1/x')))).toBe(unsafe);
    expect(await verdict(tarball(gnuLong('app-1/a\0.png'), file('app-1/x')))).toBe(unsafe);
  });

  it('that is not UTF-8 is refused, in each of its places', async () => {
    const bytes = Buffer.from('app-1/gr\xfc\xdfe', 'latin1');
    expect(await verdict(tarball(file(bytes)))).toBe(unsafe);
    expect(await verdict(tarball(pax({ path: bytes }), file('app-1/x')))).toBe(unsafe);
  });

  it('that comes twice is refused, except of a folder', async () => {
    expect(await verdict(tarball(file('app-1/a'), file('app-1/a')))).toBe(unsafe);
    expect(await verdict(tarball({ name: 'app-1/a/', type: '5' }, file('app-1/a')))).toBe(unsafe);
    expect(await verdict(tarball(file('app-1/a/b'), file('app-1/a')))).toBe(unsafe);
    expect(await verdict(tarball({ name: 'app-1/a/', type: '5' }, { name: 'app-1/a/', type: '5' }))).toBe('passed');
  });

  it('below a file is refused', async () => {
    expect(await verdict(tarball(file('app-1/a'), file('app-1/a/b/c')))).toBe(unsafe);
  });

  it('of another alphabet, with dots, blanks, backslashes or names of Windows passes', async () => {
    const names = ['grüße.txt', '東京/駅', '..foo', 'a..', '...', '.env', ' a b ', 'x\\2dy', 'CON', 'ab:c', '😀'];
    const { entries } = await inspect(tarball(...names.map((name) => file(`app-1/${name}`))));
    expect(entries).toBe(names.length + 1);
  });

  it('may take 4096 bytes and 255 in a segment, and not one more', async () => {
    const segment = `${'ü'.repeat(127)}x`;
    const longest = `app-1/${`${segment}/`.repeat(15)}${'x'.repeat(244)}/abcde`;
    expect(Buffer.byteLength(longest)).toBe(4096);
    expect(await verdict(tarball(pax({ path: longest }), file('x')))).toBe('passed');
    expect(await verdict(tarball(gnuLong(longest), file('x')))).toBe('passed');
    expect(await verdict(tarball(pax({ path: `${longest}f` }), file('x')))).toBe(unsafe);
    expect(await verdict(tarball(pax({ path: `app-1/${segment}x/a` }), file('x')))).toBe(unsafe);
  });

  it('is quoted in the refusal, shortened and without control characters', async () => {
    const refusal = inspect(tarball(pax({ path: `../\u001b\u009b${'x'.repeat(3000)}` }), file('app-1/x')));
    await expect(refusal).rejects.toThrow(/the name "\.\.\/\\u001b\?x+…"\.$/);
  });
});

describe('The root folder', () => {
  const none = 'deploy:tar:no_root';
  const link = { name: 'app-1', type: '2', link: '.' };

  it('is reported, also when only the paths below it name it', async () => {
    expect((await inspect(tarball(file('app-1/a')))).root).toBe('app-1');
    expect((await inspect(tarball(pax({ comment: 'a commit' }, 'g'), file('app-1/a/b/c')))).entries).toBe(2);
  });

  it('is missed in files at the top', async () => {
    expect(await verdict(tarball(file('package.json')))).toBe(none);
    expect(await verdict(tarball(link))).toBe(none);
    expect(await verdict(tarball(file('app-1')))).toBe(none);
  });

  it('may not have another beside it', async () => {
    expect(await verdict(tarball(file('app-2/a')))).toBe(none);
    expect(await verdict(tarball({ name: 'APP-1/', type: '5' }))).toBe(none);
    expect(await verdict(tarball(pax({ path: 'app-2/a' }), file('app-1/a')))).toBe(none);
  });
});
