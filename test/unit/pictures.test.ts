import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { terminalPicture } from '../support/browser/pictures/terminal.ts';

it('the picture of the terminal in the README is what the service prints', () => {
  const made = 'node --import tsx test/support/browser/pictures/make.ts';
  expect(readFileSync('.github/terminal.svg', 'utf8'), `Make it anew: ${made}`).toBe(terminalPicture());
});
