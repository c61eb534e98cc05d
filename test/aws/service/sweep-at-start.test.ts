import { describe, expect, it } from 'vitest';
import { sweepAtStart } from './sweep-at-start.ts';

describe('A start with unfinished deploys', () => {
  it('takes them from the workers of before when their messages were kept', () => {
    expect(sweepAtStart({ messagesKeptUntil: 5 })).toEqual({ messagesKeptUntil: 5 });
  });

  it('that is strict frees no lease and sends nothing, as nothing starts anew on AWS', () => {
    expect(sweepAtStart({ strict: true, messagesKeptUntil: 5 })).toBeNull();
  });

  it.each([true, false])('sends all of them again when the messages are lost (strict: %s)', (strict) => {
    expect(sweepAtStart({ strict, messagesKeptUntil: null })).toEqual({ everything: true });
  });
});
