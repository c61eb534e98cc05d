import { describe, expect, it } from 'vitest';
import { otherLanguage } from '../../../../lib/builder/start/scripts.ts';

describe('a program of another language', () => {
  it.each([
    ['python3 server.py', 'python3'],
    ['.venv/bin/python -m gunicorn app', '.venv/bin/python'],
    ['MODE=1 /usr/bin/python3.12 x.py', '/usr/bin/python3.12'],
    ['npm run serve', 'bundle'],
    ['cd api && php -S $HOST:$PORT', 'php'],
    ['deno run main.ts', 'deno'],
  ])('is found in %s', (command, program) => {
    expect(otherLanguage(command, { serve: 'bundle exec rackup' })).toBe(program);
  });

  it.each(['node server.js', 'npm start', 'next start', 'gogo', 'pythonic start', 'sh -c "node ."', '', './server'])(
    'is not found in %j',
    (command) => {
      expect(otherLanguage(command, { start: 'node .' })).toBeUndefined();
    },
  );
});
