import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { FULL_DISK, OperatorError } from '../../../../lib/files/errors.ts';
import { HttpError, sentenceOf, withSentence } from '../../../../lib/http/http-error.ts';

const FAILED = 'The service failed; the operator finds the reason in its log.';

/** Returns what work throws. */
function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const refused = new Promise((resolve) => connect('/nowhere/runner.sock').once('error', resolve));

const foreign: Readonly<Record<string, unknown>> = {
  'a file that is not there': thrownBy(() => readFileSync('/nowhere/package.json')),
  'a connection that was cut': Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
  'a document that cannot be read': thrownBy(() => JSON.parse('{')),
  'a mistake in the service': thrownBy(() => (undefined as unknown as string).length),
  'a recursion without an end': new RangeError('Maximum call stack size exceeded'),
  'an address that is none': thrownBy(() => new URL('//')),
  'an assertion': thrownBy(() => assert.equal(1, 2)),
  'a time limit': new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
  'several errors': new AggregateError([], 'All promises were rejected'),
  'a locked database': Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' }),
  'what is no error': 'ECONNRESET',
};

it.each(Object.entries(foreign))('%s is no sentence for users', (_, error) => {
  expect(sentenceOf(error)).toBe(FAILED);
});

it('a socket that is not there is no sentence for users', async () => {
  expect(sentenceOf(await refused)).toBe(FAILED);
});

it('the sentences of the service are, and that a disk is full', () => {
  expect(sentenceOf(new HttpError(409, 'There is another one.'))).toBe('There is another one.');
  expect(sentenceOf(new OperatorError('Choose another folder.'))).toBe('Choose another folder.');
  expect(sentenceOf(new Error('"keep" names no folder.'))).toBe('"keep" names no folder.');
  expect(sentenceOf(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }))).toBe(FULL_DISK);
});

it('what is said of a failure follows its own sentence only', () => {
  const { message } = withSentence(foreign['a connection that was cut'], 'What ran before was started again.');
  expect(message).toBe(`${FAILED} What ran before was started again.`);
});
