import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcome } from '../../../support/outcome.ts';
import { fixture, fixtures } from '../../../support/senders/sender-call.ts';

/** A refusal may take as long as so many passes over the characters of the body, whatever else the machine does. */
const MAX_PASSES = 20;

/** Milliseconds of some work: of the processor or of the clock, whichever is less. */
async function timeOf(work: () => unknown): Promise<number> {
  const [time, processor] = [performance.now(), process.cpuUsage()];
  await work();
  return Math.min(performance.now() - time, process.cpuUsage(processor).user / 1000);
}

/** Decodes a body and looks at each of its characters once. */
function pass(raw: Uint8Array): number {
  const text = new TextDecoder().decode(raw);
  let quotes = 0;
  for (let at = 0; at < text.length; at += 1) quotes += text.charCodeAt(at) === 0x22 ? 1 : 0;
  return quotes;
}

/** Returns the outcome, and expects a refusal to be linear in the body: the best of three tries is compared. */
async function timely(...call: Parameters<typeof outcome>): Promise<string> {
  const [raw] = call;
  const tries: number[] = [];
  let became = '';
  do {
    const onePass = await timeOf(() => pass(raw));
    const taken = await timeOf(async () => {
      became = await outcome(...call);
    });
    tries.push(taken / Math.max(onePass, 5));
  } while (tries.length < 3 && Math.min(...tries) >= MAX_PASSES);
  if (became !== 'stored') expect(Math.min(...tries), 'passes over the body').toBeLessThan(MAX_PASSES);
  return became;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const names = fixtures().flatMap((folder) => folder.names);
const headers = fc
  .tuple(
    fc.constantFrom(...names).map((name) => fixture(name).headers),
    fc.constantFrom(
      undefined,
      'application/json; charset=utf-16',
      'application/x-www-form-urlencoded; charset=koi8-r',
      'multipart/form-data; boundary=x',
      '\u0000',
    ),
    fc.constantFrom({}, { signature: 'x' }, { 'x-hub-signature-256': 'sha256=0' }, { 'x-gitlab-token': 's' }),
  )
  .map(([own, type, signature]) => ({ ...own, ...(type === undefined ? {} : { 'content-type': type }), ...signature }));

const keys = fc.constantFrom('__proto__', 'constructor', 'toString', 'payload', 'repository', 'ref', 'after', 'build');
const odd = fc.oneof(
  fc.constantFrom('1e999', '-0', '9'.repeat(400), '1e-999', '"\\ud800"', '"\\u0000"', '[]', '{}', 'null', 'true'),
  fc.constantFrom('".."', '"refs/heads/../x"', '"a\\u0000b\\u001b[31m"', `"${'0'.repeat(40)}"`, `"${'g'.repeat(40)}"`),
  fc.json({ maxDepth: 3 }),
);
const oddObject = fc
  .array(fc.tuple(keys, odd))
  .map((fields) => `{${fields.map(([key, value]) => `"${key}":${value}`)}}`);

/** The body of a fixture with one of its values, wherever it stands, replaced by a piece of JSON. */
const spoiled = fc.tuple(fc.constantFrom(...names), fc.nat(), fc.oneof(odd, oddObject)).map(([name, at, piece]) => {
  const text = JSON.stringify(fixture(name).body);
  const values = [...text.matchAll(/(?<=[:[,])(?:"(?:[^"\\]|\\.)*"|-?[\d.]+|true|false|null)(?=[,\]}])/g)];
  const value = values[at % Math.max(1, values.length)];
  return value ? text.slice(0, value.index) + piece + text.slice(value.index + value[0].length) : piece;
});

const nested = fc
  .tuple(fc.constantFrom('{"a":', '[', '{"payload":', '{"repository":{"owner":'), fc.nat(3000))
  .map(([open, times]) => open.repeat(times));

/** An object of so many fields that no other number has. */
function different(number: number, fields: number): string {
  return `{${Array.from({ length: fields }, (_none, at) => `"field ${at} of ${number}":1`).join(',')}}`;
}

/** An object of the same fields for every number, in another order. */
function disordered(number: number, fields: number): string {
  let state = number * 7919 + 1;
  const names = Array.from({ length: fields }, (_none, at) => {
    state = (state * 48_271) % 2_147_483_647;
    return { name: `"field ${at}":1`, place: state };
  });
  return `{${names
    .sort((one, other) => one.place - other.place)
    .map(({ name }) => name)
    .join(',')}}`;
}

describe('no body, however broken,', () => {
  it('meets anything but an entry or a refusal, whatever the headers say', async () => {
    const raws = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      oddObject.map(bytes),
      spoiled.map(bytes),
      spoiled.map((text) => bytes(`payload=${encodeURIComponent(text)}&x=%`)),
      spoiled.map((text) => bytes(JSON.stringify({ payload: text }))),
      nested.map(bytes),
      fc.tuple(spoiled, fc.nat(), fc.uint8Array({ maxLength: 3 })).map(([text, at, wrong]) => {
        const raw = bytes(text);
        raw.set(wrong.slice(0, raw.length), at % Math.max(1, raw.length - 3));
        return raw;
      }),
    );
    await fc.assert(
      fc.asyncProperty(raws, headers, fc.boolean(), async (raw, sent, signed) => {
        await outcome(raw, sent, signed);
      }),
      { numRuns: 500 },
    );
  });

  it('pollutes what others are made of', async () => {
    const wicked = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"ref":"refs/heads/main"}';
    for (const name of names) await outcome(bytes(wicked), fixture(name).headers);
    expect({}).not.toHaveProperty('polluted');
  });

  const size = 2 ** 20;
  const fill = (piece: string) => piece.repeat(Math.floor(size / Buffer.byteLength(piece)));
  const commit = `{"id":"${'a'.repeat(40)}","message":"${'x'.repeat(500)}","author":{"name":"a"},"added":[],"modified":["a"]},`;
  const largest: [string, () => string | Uint8Array][] = [
    ['commits without the rest of a push', () => `{"ref":"refs/heads/main","commits":[${fill(commit)}null]}`],
    ['commits that break off', () => `{"ref":"refs/heads/main","commits":[${fill(commit)}`],
    ['one long text', () => `{"ref":"${fill('x')}"}`],
    ['one long number', () => `{"after":${fill('9')}}`],
    ['numbers beyond all bounds', () => `{"commits":[${fill('1e999,')}1]}`],
    ['nothing but levels', () => fill('{"repository":')],
    ['lists in lists below a field', () => `{"a":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`],
    ['small objects', () => `{"a":[${fill('{},')}{}]}`],
    ['one object of many fields', () => different(0, 50_000)],
    ['objects that are all different', () => `{"a":[${Array.from({ length: 480 }, (_, at) => different(at, 80))}]}`],
    [
      'objects whose few fields are in all orders',
      () => `{"a":[${Array.from({ length: 3000 }, (_, at) => disordered(at, 20))}]}`,
    ],
    ['form fields', () => fill('a=&')],
    ['percent signs in a form field', () => `payload=${fill('%')}`],
    ['blanks', () => fill(' ')],
    ['zeros', () => new Uint8Array(size)],
    ['escapes', () => `{"ref":"${fill('\\u0041')}"}`],
    ['halves of characters', () => `{"ref":"${fill('\\ud83d')}"}`],
    ['bytes that are no UTF-8', () => new Uint8Array(size).fill(0xc3)],
    ['text in UTF-16', () => Buffer.from(fill('{"ref":"refs/heads/main"},').slice(0, size / 2), 'utf16le')],
    ['random bytes', () => Uint8Array.from({ length: size }, (_none, at) => (at * 2_654_435_761) >>> 13)],
    ['a form of nothing', () => `payload=${fill('+')}`],
    ['a form in a form', () => `payload=${fill('payload%3D')}`],
    ['a wrapped text of quotes', () => `{"payload":"${fill('\\"')}"}`],
    ['__proto__, again and again', () => `{${fill('"__proto__":{},')}"a":1}`],
  ];
  it.each(largest)('takes longer to refuse than a few passes over it: a megabyte of %s', async (_what, make) => {
    const body = make();
    const raw = typeof body === 'string' ? bytes(body) : body;
    for (const name of ['github/push', 'gitlab/push', 'bitbucket/push', 'forgejo-actions/success', 'travis/passed']) {
      expect(await timely(raw, fixture(name).headers, true), name).not.toBe('stored');
    }
    expect(await timely(raw, {})).not.toBe('stored');
  });
});
