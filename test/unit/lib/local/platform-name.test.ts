import { describe, expect, it } from 'vitest';
import { platformNamed } from '../../../../lib/local/platform-name.ts';

describe('The platform that a start names', () => {
  it('is the embedded one without an option', () => {
    expect(platformNamed([])).toBe('embedded');
  });

  it.each([[['--platform', 'aws-lambda']], [['--platform=aws-lambda']]])('%j is AWS Lambda', (words) => {
    expect(platformNamed(words)).toBe('aws-lambda');
  });

  it.each([[['--platform']], [['--platform', 'heroku']], [['aws-lambda']], [['--platform', 'embedded', 'now']]])(
    '%j is refused, with what there is',
    (words) => {
      expect(() => platformNamed(words)).toThrow('npm start knows one option, --platform embedded or aws-lambda');
    },
  );
});
