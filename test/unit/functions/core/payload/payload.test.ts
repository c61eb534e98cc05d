import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { MAX_PAYLOAD_BYTES, readPayload } from '../../../../../functions/core/payload/payload.ts';

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const push = { ref: 'refs/heads/master', message: 'one & two = 100% ünïcode 🚀 a+b' };
const text = JSON.stringify(push);

function bytes(body: string): Uint8Array {
  return new TextEncoder().encode(body);
}

function read(body: string | Uint8Array, contentType?: string): unknown {
  return readPayload(typeof body === 'string' ? bytes(body) : body, contentType).body;
}

function refusal(body: string | Uint8Array, contentType?: string): DeployError {
  try {
    read(body, contentType);
  } catch (error) {
    if (error instanceof DeployError) return error;
    throw error;
  }
  throw new Error('the body was accepted');
}

/** Milliseconds of processor time, the best of three, so that a busy machine does not fail the test. */
function bestTime(work: () => void): number {
  const runs = [1, 2, 3].map(() => {
    const start = process.cpuUsage();
    work();
    return process.cpuUsage(start).user / 1000;
  });
  return Math.min(...runs);
}

describe('the five layouts of a body', () => {
  const layouts: [string, string][] = [
    ['plain JSON', text],
    ['a wrapper with the object', JSON.stringify({ payload: push })],
    ['a wrapper with the object as a string', JSON.stringify({ payload: text })],
    ['a form with the field payload', `payload=${encodeURIComponent(text)}`],
    ['a form that writes blanks as +', new URLSearchParams({ payload: text }).toString()],
    ['a form with fields before and after', `token=a%26b&payload=${encodeURIComponent(text)}&v=2`],
    ['a form whose field is itself a wrapper', `payload=${encodeURIComponent(JSON.stringify({ payload: push }))}`],
    ['pretty-printed JSON with blanks around', `\r\n  ${JSON.stringify(push, null, 2)}\n`],
    ['JSON after a byte order mark', `\ufeff${text}`],
    ['a wrapped string after a byte order mark', JSON.stringify({ payload: `\ufeff${text}` })],
  ];
  const contentTypes = [
    json,
    form,
    `${form}; charset=utf-8`,
    'APPLICATION/JSON; charset="UTF-8"',
    'text/plain',
    '',
    undefined,
  ];

  for (const [name, body] of layouts) {
    it(`reads ${name}, whatever the Content-Type says`, () => {
      for (const contentType of contentTypes) expect(read(body, contentType)).toEqual(push);
    });
  }

  it('does not decode JSON that claims to be a form', () => {
    expect(read('{"message":"a+b%20c&payload=d"}', form)).toEqual({ message: 'a+b%20c&payload=d' });
  });

  it('decodes a form field as browsers do, stray percent signs included', () => {
    expect(read('payload={"a":"100%+%zz+%c3%a9%FC%"}')).toEqual({ a: '100% %zz é\ufffd%' });
  });

  it('takes the first of several payload fields', () => {
    expect(read('payload=%7B%22a%22%3A1%7D&payload=%7B%22b%22%3A1%7D')).toEqual({ a: 1 });
  });

  it('is decoded as UTF-8, whatever charset the Content-Type names, because JSON is UTF-8', () => {
    expect(read(text, 'application/json; charset=iso-8859-1')).toEqual(push);
  });

  it('replaces bytes that are not UTF-8 and keeps the rest', () => {
    const body = new Uint8Array([...bytes('{"author":"J'), 0xfc, ...bytes('rg"}')]);
    expect(read(body)).toEqual({ author: 'J\ufffdrg' });
  });

  it('keeps the key __proto__ as data', () => {
    const body = read('{"__proto__":{"deleted":true},"ref":"x"}');
    expect(body).not.toHaveProperty('deleted');
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(Object.hasOwn({}, 'deleted')).toBe(false);
  });
});

describe('a call without a payload', () => {
  const empty = [
    '',
    '   \r\n',
    '\ufeff',
    'null',
    '{}',
    ' { } ',
    '{"payload":null}',
    '{"payload":""}',
    '{"payload":"  "}',
    '{"payload":{}}',
    '{"payload":"{}"}',
    '{"payload":"null"}',
    'payload=',
    'payload=&a=b',
    'payload=null',
    'payload=%20',
    'payload=%7B%7D',
    'payload=%EF%BB%BF',
    'a=b&c=d',
    'a=b&xpayload=%7B%22a%22%3A1%7D',
  ];
  for (const body of empty) {
    it(`is refused as deploy:no_payload: ${JSON.stringify(body)}`, () => {
      for (const contentType of [json, form, undefined]) {
        expect(refusal(body, contentType)).toMatchObject({ code: 'deploy:no_payload', status: 400, retry: false });
      }
    });
  }
});

describe('a body that is not a payload', () => {
  const cases: [string, string, RegExp][] = [
    ['prose', 'hello world', /neither a JSON object nor a form/],
    ['a list', '[{"ref":"x"}]', /is a list/],
    ['a string', '"refs/heads/master"', /is a string/],
    ['a number', '42', /is a number/],
    ['a boolean', 'true', /is a boolean/],
    ['a wrapped list', '{"payload":[1]}', /field payload is a list/],
    ['a wrapped number', '{"payload":7}', /field payload is a number/],
    ['a broken form field', 'payload=%7B%22a%22', /form field payload is not valid JSON\./],
    ['a form field that is a list', 'payload=%5B1%5D', /form field payload is a list/],
    ['JSON that was cut off', '{"ref":"refs/heads/ma', /The body is not valid JSON\.$/],
    ['a trailing comma', '{"ref":"x",}', /is not valid JSON/],
    ['single quotes', "{'ref':'x'}", /is not valid JSON/],
    ['text after the object', '{"ref":"x"} trailing', /is not valid JSON/],
    ['a bare word', '{"ref":master}', /is not valid JSON/],
    ['a raw line break in a string', '{"a":"b\nc"}', /is not valid JSON/],
    ['XML', '<push ref="x"/>', /looks like XML/],
  ];
  for (const [name, body, detail] of cases) {
    it(`is refused as deploy:provider:not_supported: ${name}`, () => {
      const error = refusal(body);
      expect(error).toMatchObject({ code: 'deploy:provider:not_supported', status: 400, retry: false });
      expect(error.detail).toMatch(detail);
    });
  }

  it('is named when it is multipart, UTF-16 or compressed', () => {
    expect(refusal('--x\r\nContent-Disposition: form-data\r\n', 'multipart/form-data; boundary=x').detail).toMatch(
      /multipart/,
    );
    expect(refusal(new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'))).detail).toMatch(/UTF-16/);
    expect(refusal(new Uint8Array([0x1f, 0x8b, 8, 0, 1])).detail).toMatch(/compressed/);
  });

  it('is never quoted in the refusal', () => {
    for (const body of [
      '{"token": s3cret}',
      's3cret',
      '{"a":"s3cret',
      'payload=s3cret',
      '{"payload":"s3cret"}',
      '["s3cret"]',
    ]) {
      const error = refusal(body);
      expect(`${error.message} ${error.detail}`).not.toContain('s3cret');
      expect(error.cause).toBeUndefined();
    }
  });
});

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

describe('a hostile body', () => {
  const million = 1024 * 1024;
  const bodies: [string, () => string | Uint8Array][] = [
    ['lists in lists', () => '['.repeat(5 * million)],
    ['lists in lists below a field', () => `{"a":${'['.repeat(2 * million)}${']'.repeat(2 * million)}}`],
    ['objects in objects', () => '{"a":'.repeat(million)],
    ['a million small objects', () => `{"a":[${'{},'.repeat(million)}{}]}`],
    [
      'an object of 200,000 fields',
      () => `{${Array.from({ length: 200_000 }, (_none, at) => `"field ${at}":1`).join(',')}}`,
    ],
    [
      'objects that are all different',
      () => `{"a":[${Array.from({ length: 2400 }, (_none, at) => different(at, 80)).join(',')}]}`,
    ],
    [
      'objects whose few fields are in all orders',
      () => `{"a":[${Array.from({ length: 10_000 }, (_none, at) => disordered(at, 20)).join(',')}]}`,
    ],
    ['a million form fields', () => 'a=&'.repeat(million)],
    ['a form field of blanks', () => `payload=${'+'.repeat(5 * million - 8)}`],
    ['a form field of percent signs', () => `payload=${'%'.repeat(4 * million)}`],
    ['quotes and backslashes', () => `{"${'\\"'.repeat(2 * million)}`],
    ['blanks', () => ' '.repeat(5 * million)],
    ['zeros', () => new Uint8Array(5 * million)],
    ['bytes that are no UTF-8', () => new Uint8Array(5 * million).fill(0xff)],
    ['more than the limit', () => new Uint8Array(MAX_PAYLOAD_BYTES + 1)],
  ];
  /** A body as large as a payload may be. */
  const harmless = JSON.stringify(
    Array.from({ length: 40_000 }, (_none, at) => ({
      id: at,
      message: `Commit ${at}`,
      author: 'Ann',
      added: [],
      removed: [],
    })),
  ).padEnd(5 * million);
  for (const [name, make] of bodies) {
    it(`is refused quickly: ${name}`, () => {
      const body = make();
      const raw = typeof body === 'string' ? bytes(body) : body;
      const error = refusal(raw, form);
      expect(error.status).toBeGreaterThanOrEqual(400);
      expect(error.status).toBeLessThan(500);
      // Not an absolute time: beside other programs both take longer.
      expect(bestTime(() => refusal(raw, form))).toBeLessThan(6 * bestTime(() => JSON.parse(harmless)));
    });
  }

  it('is always read as an object or refused', () => {
    const objectOrRefusal = (raw: Uint8Array, contentType: string | undefined) => {
      try {
        const { body } = readPayload(raw, contentType);
        expect(typeof body === 'object' && body !== null && !Array.isArray(body)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(DeployError);
        expect(error).toMatchObject({ status: 400 });
      }
    };
    const contentType = fc.constantFrom(undefined, json, form, 'multipart/form-data', '');
    const broken = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 3 })).map(([whole, at, extra]) => {
      const cut = at % (whole.length + 1);
      return bytes(whole.slice(0, cut) + extra + whole.slice(cut));
    });
    const wrapped = fc.json().map((inner) => bytes(JSON.stringify({ payload: inner })));
    const formed = fc.json().map((inner) => bytes(`payload=${encodeURIComponent(inner)}`));
    const raws = fc.oneof(fc.uint8Array({ maxLength: 200 }), broken, wrapped, formed);
    fc.assert(fc.property(raws, contentType, objectOrRefusal), { numRuns: 500 });
  });
});
