import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { readPayload } from '../../../../../functions/core/payload/payload.ts';

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

describe('any body', () => {
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
