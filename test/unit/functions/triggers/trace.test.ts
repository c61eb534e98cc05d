import { inspect } from 'node:util';
import { afterEach, expect, it, vi } from 'vitest';
import { trace } from '../../../../functions/triggers/trace.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('A line is an object for Lambda, which logs it as fields, and JSON for every other console', () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  trace('request failed', { uuid: 'u', error: new Error('away') });
  const [[line]] = print.mock.calls as [[object]];
  const fields = {
    event: 'request failed',
    uuid: 'u',
    error: { name: 'Error', message: 'away', stack: expect.anything() },
  };
  // As Lambda's runtime does: https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
  expect(JSON.parse(JSON.stringify({ level: 'ERROR', message: line })).message).toEqual(fields);
  expect(JSON.parse(inspect(line))).toEqual(fields);
  expect(inspect(line)).not.toContain('\n');
});
