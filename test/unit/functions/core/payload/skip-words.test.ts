import { describe, expect, it } from 'vitest';
import { skips } from '../../../../../functions/core/payload/skip-words.ts';

describe('a message', () => {
  for (const words of [
    '[skip ci]',
    '[ci skip]',
    '[no ci]',
    '[skip actions]',
    '[actions skip]',
    '[SKIP CI]',
    '[ci-skip]',
    '***NO_CI***',
  ]) {
    it(`with ${words} asks to skip CI, not the deploy`, () => {
      expect(skips(`Correct the readme ${words}`)).toEqual({ deploy: false, ci: true, words });
    });
  }

  for (const [words, provider] of [
    ['[skip travis]', 'travis'],
    ['[travis skip]', 'travis'],
    ['[Travis-CI skip]', 'travis'],
  ]) {
    it(`with ${words} asks ${provider} not to test it, and no other`, () => {
      expect(skips(`Correct the readme ${words}`)).toEqual({ deploy: false, ci: false, providers: [provider], words });
    });
  }

  for (const words of ['[skip deploy]', '[deploy skip]', '[no deploy]', '[Skip Deploy]']) {
    it(`with ${words} asks to skip the deploy, not CI`, () => {
      expect(skips(`${words} Try something`)).toEqual({ deploy: true, ci: false, words });
    });
  }

  it('can ask for both', () => {
    expect(skips('x [skip ci] [skip deploy]')).toEqual({ deploy: true, ci: true, words: '[skip deploy] [skip ci]' });
  });

  it('is read whole, not only its first line', () => {
    expect(skips('Change the colour\n\nOnly the docs.\n[skip deploy]\n')).toMatchObject({ deploy: true });
  });

  it('asks to skip CI with the trailer skip-checks, at its end and after an empty line', () => {
    const skip = { deploy: false, ci: true, words: 'skip-checks: true' };
    expect(skips('Correct the readme\n\n\nskip-checks: true')).toEqual(skip);
    expect(skips('Title\r\n\r\nBody\r\n\r\nskip-checks: true\r\nSigned-off-by: a\r\n')).toEqual(skip);
    expect(skips('Title\n\nskip-checks:true')).toMatchObject({ ci: true });
  });

  it('asks for nothing when the words are only similar', () => {
    const others = [
      '',
      'skip ci',
      '[skip]',
      '[skip  ci]',
      '[skip city]',
      '[ci skipped]',
      'skip-checks: true',
      'Title\n\nskip-checks: true\n\nMore text',
      'Title\n\nskip-checks: false',
      'Title\n\nno skip-checks: true',
    ];
    for (const message of others) expect(skips(message), message).toBeNull();
  });

  it('of megabytes is read quickly', () => {
    for (const piece of ['[', '[skip ', 'skip-checks: ', '\n\n', '\r\n', '[skip ci]', ' \t']) {
      const start = process.cpuUsage();
      skips(piece.repeat(4_000_000 / piece.length));
      expect(process.cpuUsage(start).user / 1000, JSON.stringify(piece)).toBeLessThan(500);
    }
  });
});
