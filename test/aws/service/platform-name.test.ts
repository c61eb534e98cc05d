import { describe, expect, it } from 'vitest';
import { startArguments as read } from './platform-name.ts';

const startArguments = (words: readonly string[]) => read(words, { env: {}, folder: '/' });

describe('The arguments of a start', () => {
  it('without any, applications run on the embedded platform', () => {
    expect(startArguments([])).toEqual({ platform: 'embedded', strict: false });
  });

  it('--strict runs functions as AWS does, on each platform', () => {
    expect(startArguments(['--strict'])).toEqual({ platform: 'embedded', strict: true });
    expect(startArguments(['--strict', '--seed', '7'])).toEqual({ platform: 'embedded', strict: true, seed: 7 });
    expect(startArguments(['--platform', 'aws-lambda', '--strict'])).toEqual({ platform: 'aws-lambda', strict: true });
  });

  it.each([[['--platform', 'aws-lambda']], [['--platform=aws-lambda']]])('%j is AWS Lambda', (words) => {
    expect(startArguments(words).platform).toBe('aws-lambda');
  });

  it.each([
    [['--platform']],
    [['--platform', 'other']],
    [['aws-lambda']],
    [['--platform', 'embedded', 'now']],
    [['--strict=yes']],
    [['--seed', '7']],
    [['--strict', '--seed', 'seven']],
    [['--lax']],
  ])('%j is refused, with what there is', (words) => {
    expect(() => startArguments(words)).toThrow(
      'npm start knows the options --platform embedded, http or aws-lambda, --platform-url, --platform-token-file, --strict, and with it --seed <number>, not ',
    );
  });

  it('are refused without the login that an address in them has', () => {
    const words = ['--platform', 'htp', '--platform-url', 'https://ann:canary@platform.example.com'];
    expect(() => startArguments(words)).toThrow(
      /not --platform htp --platform-url https:\/\/platform\.example\.com\.$/,
    );
  });
});
