import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { TarCode } from '../../functions/core/tarball/refuse.ts';
import { endMark, gnuLong, pax, type RawEntry, raw, root, tar, tarball } from './archives.ts';

/** An archive with the code with which it is refused; `passed` when it is not. */
export type CorpusArchive = readonly [what: string, bytes: Buffer, verdict: TarCode | 'passed'];

const corrupt = 'deploy:tar:corrupt';
const unsafeLink = 'deploy:tar:unsafe_link';
const unsafePath = 'deploy:tar:unsafe_path';
const unsafeType = 'deploy:tar:unsafe_type';
const noRoot = 'deploy:tar:no_root';
const truncated = 'deploy:tar:truncated';
const tooLarge = 'deploy:tar:too_large';

const file = (name: string | Buffer, body = 'text'): RawEntry => ({ name, body });
const folder = (name: string): RawEntry => ({ name, type: '5' });
const link = (name: string, target: string | Buffer): RawEntry => ({ name, type: '2', link: target });
const hardlink = (name: string, target: string): RawEntry => ({ name, type: '1', link: target });
const harmless = tar(root, file('app-1/a'));
/** A chain of folders that is longer than the way up, and a link at its end that climbs it. */
const deep = Array.from({ length: 15 }, (_, at) => `app-1/${'d/'.repeat(at + 1)}`);
const up = '../'.repeat(15);
const MiB = 1024 * 1024;
const half = [harmless.subarray(0, 700), harmless.subarray(700)] as const;
const onLinux = (one: CorpusArchive): readonly CorpusArchive[] => (process.platform === 'linux' ? [one] : []);
/** A record that readers which split at line feeds find within another one. */
const smuggled = (record: string) => ({ comment: `x\n${record.length + 4} ${record}\n` });
const wrongSum = (): Buffer => {
  const entry = raw(file('app-1/a'));
  entry.write('0000000', 148);
  return entry;
};
const withMode = (mode: string): Buffer => {
  const entry = raw(file('app-1/tool'));
  entry.write(`${mode}\0`, 100);
  entry.fill(' ', 148, 156);
  const sum = entry.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  entry.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return entry;
};

/**
 * Archives that a host, a user of the platform or an attacker may send. The service's inspection and the platform's
 * unpacking must agree on each.
 */
export const archiveCorpus: readonly CorpusArchive[] = [
  ['nothing', Buffer.alloc(0), truncated],
  ['the first bytes of zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), corrupt],
  ['zstd', Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), Buffer.alloc(600, 7)]), corrupt],
  ['brotli', brotliCompressSync(harmless), corrupt],
  ['no compression', harmless, corrupt],
  ['a gzip stream that is cut off', gzipSync(harmless).subarray(0, -12), truncated],
  ['bytes after the gzip stream', Buffer.concat([gzipSync(harmless), Buffer.from('more')]), corrupt],
  ['no end mark', gzipSync(harmless.subarray(0, -1024)), truncated],
  ['entries after the end mark', gzipSync(Buffer.concat([harmless, harmless])), corrupt],
  ['no entries', gzipSync(endMark), noRoot],

  ['a NUL and a line feed in a name', tarball(file(Buffer.from('app-1/a\0\nx'))), corrupt],
  ['a NUL and a name in a name', tarball(file(Buffer.from('app-1/a\0/../../b'))), corrupt],
  ['a NUL and a line feed in a link', tarball(link('app-1/l', Buffer.from('a\0\nx'))), corrupt],
  ['a NUL in a prefix', tarball({ ...file('a'), prefix: 'app-1\0\nx' }), corrupt],
  ['a line feed in a name', tarball(file('app-1/a\nb')), unsafePath],
  ['a path in a comment of pax', tarball(pax(smuggled('path=app-1/other')), file('app-1/a')), corrupt],
  ['a target in a comment of pax', tarball(pax(smuggled('linkpath=/etc')), link('app-1/l', 'a')), corrupt],
  ['a size in a comment of pax', tarball(pax(smuggled('size=512')), file('app-1/a')), corrupt],
  ['a line feed in a key of pax', tarball(pax({ 'a\n18 path=app-1/b\nc': 'x' }), file('app-1/a')), corrupt],
  ['a line feed in a path of pax', tarball(pax({ path: 'app-1/a\nb' }), file('app-1/a')), unsafePath],
  ['two sizes', tarball(pax({ size: '512' }), file('app-1/a')), corrupt],
  ['two names', tarball(pax({ path: 'app-1/b' }), gnuLong('app-1/c'), file('app-1/a')), corrupt],
  ['a global name', tarball(pax({ path: 'app-1/b' }, 'g'), file('app-1/a')), unsafePath],
  ['a sparse file', tarball(pax({ 'GNU.sparse.major': '1' }), file('app-1/a')), unsafeType],

  ['a path that climbs', tarball(file('app-1/../../a')), unsafePath],
  ['an absolute path', tarball(file('/app-1/a')), unsafePath],
  ['a path of dots', tarball(file('app-1/./a')), unsafePath],
  ['two roots', tarball(file('app-2/a')), noRoot],
  ['a file beside the root', tarball(file('a')), noRoot],
  ['one name twice', tarball(file('app-1/a'), file('app-1/a')), unsafePath],
  ['a file below a file', tarball(file('app-1/a'), file('app-1/a/b')), unsafePath],
  ['a device', tarball({ name: 'app-1/null', type: '3' }), unsafeType],
  ['a pipe', tarball({ name: 'app-1/pipe', type: '6' }), unsafeType],

  ['a bomb', tarball({ name: 'app-1/zeros', body: Buffer.alloc(40 * MiB) }), 'deploy:tar:ratio'],
  ['a size of 8 GiB', tarball({ name: 'app-1/a', size: '77777777777\0' }), tooLarge],
  ['a size in base 256', tarball({ name: 'app-1/a', size: Buffer.from([0x80, ...Buffer.alloc(11, 0xff)]) }), tooLarge],
  ['an endless extended header', tarball(raw({ name: 'x', type: 'x', size: 300 * 1024 })), tooLarge],
  ['a sparse file of old GNU tar', tarball({ ...file('app-1/a'), type: 'S', magic: 'ustar  \0' }), unsafeType],
  ['a wrong checksum', tarball(wrongSum()), corrupt],
  ['a name that is not UTF-8', tarball(file(Buffer.from('app-1/a\xff', 'latin1'))), unsafePath],
  ['a path of 5,000 bytes', tarball(pax({ path: `app-1/${'long/'.repeat(1000)}a` }), file('app-1/a')), unsafePath],
  ['a name of 256 bytes', tarball(pax({ path: `app-1/${'n'.repeat(256)}` }), file('app-1/a')), unsafePath],
  ['a second gzip member after the end', Buffer.concat([tarball(file('app-1/a')), gzipSync('more')]), corrupt],

  ['an absolute link', tarball(link('app-1/l', '/etc/passwd')), unsafeLink],
  ['a link that climbs out', tarball(link('app-1/l', '../a')), unsafeLink],
  ['a link that leaves the root and returns', tarball(link('app-1/l', '../app-1/a')), unsafeLink],
  ['a link out through another', tarball(link('app-1/a/up', '..'), link('app-1/out', 'a/up/..')), unsafeLink],
  [
    'a link out through fifteen folders',
    tarball(...deep.map(folder), link(`${deep[14]}z`, up), link('app-1/out', `${'d/'.repeat(15)}z/${up}etc`)),
    unsafeLink,
  ],
  ['a file below a link', tarball(link('app-1/l', '.'), file('app-1/l/a')), unsafeLink],
  ['a file in place of a link', tarball(link('app-1/l', 'a'), file('app-1/l')), unsafeLink],
  ['a hard link out', tarball(hardlink('app-1/h', '../a')), unsafeLink],
  ['a hard link to nothing', tarball(hardlink('app-1/h', 'app-1/a')), unsafeLink],
  ['a hard link to itself', tarball(hardlink('app-1/h', 'app-1/h')), unsafeLink],
  ['a hard link to a link', tarball(link('app-1/l', 'a'), hardlink('app-1/h', 'app-1/l')), unsafeLink],

  ['files, folders and links', tarball(file('app-1/a'), folder('app-1/d/'), link('app-1/d/l', '../a')), 'passed'],
  ['a file without content', tarball(file('app-1/a', '')), 'passed'],
  ['a file of several blocks', tarball(file('app-1/a', 'x'.repeat(100_000)), file('app-1/b')), 'passed'],
  ['folders that only appear in paths', tarball(file('app-1/a/b/c'), file('app-1/a/d')), 'passed'],
  ['a hard link', tarball(file('app-1/a'), hardlink('app-1/h', 'app-1/a')), 'passed'],
  ['a link to nothing', tarball(link('app-1/l', 'absent/file')), 'passed'],
  ['links in a circle', tarball(link('app-1/l', 'm'), link('app-1/m', 'l')), 'passed'],
  ['a link to the root', tarball(link('app-1/d/l', '..')), 'passed'],
  ['the commit that git archive notes', tarball(pax({ comment: 'a'.repeat(40) }, 'g'), file('app-1/a')), 'passed'],
  ['a long name of pax', tarball(pax({ path: `app-1/${'long/'.repeat(40)}a` }), file('app-1/a')), 'passed'],
  ['a long name of GNU tar', tarball(gnuLong(`app-1/${'long/'.repeat(40)}a`), file('app-1/a')), 'passed'],
  [
    'the times of star after the prefix',
    tarball({ ...file('a'), prefix: `app-1${'\0'.repeat(126)}${'00000000000 '.repeat(2)}` }),
    'passed',
  ],
  [
    'other bytes after the prefix',
    tarball({ ...file('a'), prefix: `app-1${'\0'.repeat(126)}${'00000000000\n'.repeat(2)}` }),
    corrupt,
  ],
  ['several gzip members', Buffer.concat([gzipSync(half[0]), gzipSync(half[1])]), 'passed'],
  ['folders two hundred deep', tarball(pax({ path: `app-1/${'d/'.repeat(200)}a` }), file('app-1/a')), 'passed'],
  // Where the file system does not tell A from a, the platform refuses it: one file must not replace another.
  ...onLinux(['names that differ in case', tarball(file('app-1/A'), file('app-1/a')), 'passed']),
  ['a name of another alphabet', tarball(file('app-1/käse €.txt')), 'passed'],
  ['a file with setuid', tarball(withMode('0006755')), 'passed'],
  ['a file that nobody may read', tarball(withMode('0000000')), 'passed'],
];
