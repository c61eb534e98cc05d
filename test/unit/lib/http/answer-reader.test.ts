import { describe, expect, it } from 'vitest';
import { AnswerReader } from '../../../../lib/http/forwarding/answer-reader.ts';

interface Found {
  readonly statuses: number[];
  readonly headers: string[];
  body: string;
  trailers: readonly string[] | undefined;
  readonly keptSeconds: number | undefined;
}

/** Reads the pieces of an answer, and the end of its connection when `ends`. */
function read(pieces: readonly string[], { method = 'GET', ends = false } = {}): Found {
  const found = { statuses: [] as number[], headers: [] as string[], body: '' };
  let trailers: readonly string[] | undefined;
  const reader = new AnswerReader(method, {
    head: ({ status, headers }) => {
      found.statuses.push(status);
      found.headers.push(...headers);
    },
    data: (bytes) => {
      found.body += bytes;
    },
    end: (last, all) => {
      found.body += last;
      trailers = all;
    },
  });
  for (const piece of pieces) reader.read(piece);
  if (ends) reader.end();
  expect(reader.isOver).toBe(trailers !== undefined);
  return { ...found, trailers, keptSeconds: reader.keptSeconds };
}

const head = (...lines: readonly string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');
const CHUNKED = head('Transfer-Encoding: chunked');

const ANSWERS: readonly (readonly [string, string, { method?: string; ends?: boolean }, Partial<Found>])[] = [
  ['a length', `${head('Content-Length: 2')}ok`, {}, { body: 'ok', keptSeconds: undefined }],
  ['an empty body', head('Content-Length: 0'), {}, { body: '', trailers: [] }],
  ['chunks', `${CHUNKED}2\r\nok\r\n1;a=b\r\n!\r\n0\r\n\r\n`, {}, { body: 'ok!', trailers: [] }],
  ['trailers', `${CHUNKED}0\r\nX-Sum: 42\r\nx: 1\r\n\r\n`, {}, { trailers: ['X-Sum', '42', 'x', '1'] }],
  ['the end of its connection', `${head()}all of it`, { ends: true }, { body: 'all of it', keptSeconds: 0 }],
  ['no body, to HEAD', head('Content-Length: 5'), { method: 'HEAD' }, { body: '', trailers: [] }],
  ['no body, to HEAD, in chunks', CHUNKED, { method: 'HEAD' }, { body: '', trailers: [] }],
  ['no body, by its status', 'HTTP/1.1 304 A\r\nContent-Length: 5\r\n\r\n', {}, { body: '', trailers: [] }],
  ['others before it', `HTTP/1.1 103 A\r\nB: c\r\n\r\n${head('Content-Length: 0')}`, {}, { statuses: [103, 200] }],
  ['no reason', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', {}, { statuses: [200] }],
  [
    'blanks',
    `${head('A:\t b c \t', 'D:', 'Content-Length:0')}`,
    {},
    { headers: ['A', 'b c', 'D', '', 'Content-Length', '0'] },
  ],
  ['a time', head('Keep-Alive: max=9, timeout=7', 'Content-Length: 0'), {}, { keptSeconds: 7 }],
  ['its last', head('Connection: a, Close', 'Content-Length: 0'), {}, { keptSeconds: 0 }],
  ['an old protocol', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', {}, { keptSeconds: 0 }],
];

describe('an answer', () => {
  it.each(ANSWERS)('that has %s is read, wherever it is cut into pieces', (_, text, how, expected) => {
    const whole = read([text], how);
    expect(whole).toMatchObject(expected);
    for (let at = 1; at < text.length; at += 1) expect(read([text.slice(0, at), text.slice(at)], how)).toEqual(whole);
    expect(read([...text], how)).toEqual(whole);
  });

  it.each([
    ['another protocol', 'RTSP/1.0 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 99 OK\r\n\r\n'],
    ['another protocol unasked', 'HTTP/1.1 101 A\r\nUpgrade: a\r\n\r\n'],
    ['a line end of one character', head('A: b\nC: d')],
    ['a header over two lines', head('A: b', ' c')],
    ['a blank before the colon', head('Content-Length : 2')],
    ['a header without a name', head(': a')],
    ['a control character', head('A: b\u0001')],
    ['two lengths', head('Content-Length: 2', 'Content-Length: 2')],
    ['a length and chunks', head('Content-Length: 2', 'Transfer-Encoding: chunked')],
    ['a length that is no number', head('Content-Length: +2')],
    ['a chunk without a length', `${CHUNKED}\r\n`],
    ['a chunk of negative length', `${CHUNKED}-1\r\n`],
    ['a chunk that is longer than it says', `${CHUNKED}1\r\nok\r\n`],
    ['more than its length', `${head('Content-Length: 2')}ok!`],
    ['more than its chunks', `${CHUNKED}0\r\n\r\nH`],
    ['a body after a status that has none', 'HTTP/1.1 204 A\r\nContent-Length: 2\r\n\r\nok'],
    ['a hundred others before it', `HTTP/1.1 103 A\r\n\r\n`.repeat(101)],
    ['too long a head', head(`A: ${'a'.repeat(70_000)}`)],
    ['a head that does not end', `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(70_000)}`],
  ])('that has %s is refused', (_, text) => {
    expect(() => read([text])).toThrow();
  });

  it('has the chunks that come at once passed on together', () => {
    const passed: string[] = [];
    const add = (bytes: string) => void passed.push(bytes);
    const reader = new AnswerReader('GET', { head: () => {}, data: add, end: add });
    reader.read(CHUNKED);
    reader.read('1\r\na\r\n'.repeat(1_000));
    reader.read(`2\r\nbc\r\n${'1\r\nd\r\n'.repeat(1_000)}0\r\n\r\n`);
    expect(passed).toEqual(['a'.repeat(1_000), `bc${'d'.repeat(1_000)}`]);
  });

  it.each([
    ['its head', 'HTTP/1.1 200 OK\r\nA'],
    ['its length', `${head('Content-Length: 2')}o`],
    ['its last chunk', `${CHUNKED}2\r\nok\r\n`],
    ['its trailers', `${CHUNKED}0\r\nA: b\r\n`],
  ])('is refused when its connection ends before %s', (_, text) => {
    expect(() => read([text], { ends: true })).toThrow();
  });
});
