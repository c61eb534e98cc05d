import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import fc from 'fast-check';

/** What an application may have in its folder. Names are Latin-1 text: a character for each byte. */
type Node =
  | { readonly kind: 'file'; readonly mode: number; readonly content: Uint8Array }
  | { readonly kind: 'link'; readonly to: string }
  | Folder;
interface Folder {
  readonly kind: 'folder';
  readonly mode: number;
  readonly entries: readonly (readonly [name: string, node: Node])[];
}

/** Names that mean something to the service, to git, SQLite, tar or a shell. */
const MEANING = [
  ...['yarn.lock', 'x.tmp', 'upload.part', 'cache.lock', '.part', 'a.0123456789ab.tmp', 'b.0123456789ab.part'],
  ...['releases', 'app.log', 'groups.json', 'running.json', 'HEAD.lock', 'data', 'a.git', 'x-wal', 'x.db-journal'],
  ...[
    '-rf',
    '--null',
    '-',
    '--checkpoint-action=exec=false',
    '*',
    '?',
    '[a]',
    '\\n',
    '\\',
    '"',
    "'",
    '$(false)',
    '#',
    '@a',
  ],
  ...[
    ' ',
    ' a ',
    'a\nb',
    '\n',
    'tar: x: Cannot open: y',
    '\t',
    '\r',
    '\x1b[2J',
    '...',
    'x'.repeat(255),
    '\xff\xfe',
    '\xc3',
  ],
];

const name = fc.oneof(
  fc.constantFrom(...MEANING),
  fc
    .uint8Array({ min: 1, minLength: 1, maxLength: 255 })
    .map((bytes) => Buffer.from(bytes).toString('latin1').replaceAll('/', '_'))
    .filter((text) => text !== '.' && text !== '..'),
);

const { folder } = fc.letrec<{ node: Node; folder: Folder }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({
      kind: fc.constant('file' as const),
      // Whoever is not root must be able to read it.
      mode: fc.integer({ min: 0, max: 0o777 }).map((mode) => mode | 0o600),
      content: fc.oneof(
        fc.uint8Array({ maxLength: 2000 }),
        fc.integer({ min: 10_239, max: 70_000 }).map((size) => Buffer.alloc(size, 'a')),
      ),
    }),
    fc.record({ kind: fc.constant('link' as const), to: name }),
    tie('folder'),
  ),
  folder: fc.record({
    kind: fc.constant('folder' as const),
    mode: fc.integer({ min: 0, max: 0o777 }).map((mode) => mode | 0o700),
    entries: fc.uniqueArray(fc.tuple(name, tie('node')), { selector: ([one]) => one, maxLength: 12 }),
  }),
}));

/** Folders with files of any name, content and permissions, and links to their neighbours. */
export const randomFolder = folder;

/** Writes it as the folder of that path. */
export function writeNode(path: Buffer, node: Node): void {
  if (node.kind === 'link') {
    symlinkSync(Buffer.from(node.to, 'latin1'), path);
    return;
  }
  if (node.kind === 'file') writeFileSync(path, node.content);
  else {
    mkdirSync(path, { recursive: true });
    for (const [inner, one] of node.entries) writeNode(inside(path, inner), one);
  }
  chmodSync(path, node.mode);
}

/** Returns all that a folder has: permissions, and the digest of each content, by its path. */
export function filesIn(path: string | Buffer, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const inner of readdirSync(path, { encoding: 'latin1' })) {
    const place = inside(Buffer.from(path), inner);
    const about = lstatSync(place);
    const permissions = (about.mode & 0o7777).toString(8);
    if (about.isSymbolicLink()) found[below + inner] = `link to ${readlinkSync(place, 'latin1')}`;
    else if (about.isFile())
      found[below + inner] = `file ${permissions} ${createHash('sha256').update(readFileSync(place)).digest('hex')}`;
    else if (about.isDirectory())
      Object.assign(found, { [below + inner]: `folder ${permissions}` }, filesIn(place, `${below}${inner}/`));
    else found[below + inner] = 'other';
  }
  return found;
}

function inside(path: Buffer, inner: string): Buffer {
  return Buffer.concat([path, Buffer.from('/'), Buffer.from(inner, 'latin1')]);
}
