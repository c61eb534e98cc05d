const BLOCK = 512;
const NAME_BYTES = 100;

/** What is said of a file of an archive, in text with a character for each byte. */
interface Header {
  readonly name: string;
  readonly type: 'file' | 'link' | 'folder' | 'long name' | 'long target';
  readonly target?: string;
  readonly size?: number;
  readonly mode?: number;
  readonly mtimeMs?: number;
}

const TYPES = { file: '0', link: '2', folder: '5', 'long target': 'K', 'long name': 'L' };

/** Two blocks of zeros are the end of an archive. */
export const END = Buffer.alloc(2 * BLOCK);

/**
 * Returns what is before the content of a file in a tar archive, in the format of GNU tar: it has names of any bytes and length.
 * https://www.gnu.org/software/tar/manual/html_node/Standard.html
 */
export function header({ name, type, target = '', size = 0, mode = 0, mtimeMs = 0 }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name.slice(0, NAME_BYTES), 0, 'latin1');
  const seconds = Math.max(0, Math.floor(mtimeMs / 1000));
  for (const [at, value, length] of [
    [100, mode & 0o7777, 8],
    [108, 0, 8],
    [116, 0, 8],
    [124, size, 12],
    [136, seconds, 12],
  ] as const) {
    block.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
  }
  // 8 GiB have more octal digits than there is room for.
  if (size >= 8 ** 11) {
    block.fill(0, 124, 136).writeBigUInt64BE(BigInt(size), 128);
    block[124] = 0x80;
  }
  block.write(`        ${TYPES[type]}`, 148, 'latin1');
  block.write(target.slice(0, NAME_BYTES), 157, 'latin1');
  block.write('ustar  \0', 257, 'latin1');
  const sum = block.reduce((before, byte) => before + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0`, 148, 'latin1');
  return Buffer.concat([...long('long target', target), ...long('long name', name), block]);
}

function long(type: Header['type'], text: string): readonly Buffer[] {
  if (text.length <= NAME_BYTES) return [];
  const content = Buffer.from(`${text}\0`, 'latin1');
  return [header({ name: '././@LongLink', type, size: content.length }), content, padding(content.length)];
}

/** Returns what fills the last block of a content. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
