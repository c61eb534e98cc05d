import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reasonIn } from '../../../../../functions/core/output/build-reason.ts';
import { whyItEnded } from '../../../../../functions/core/output/diagnosis.ts';

const folder = 'test/fixtures/outputs';

/** Outputs of failed builds and starts, by file, with what a person would point at: texts that all must be there. */
function rightLines(file: string): readonly (readonly [string, readonly string[]])[] {
  const lines = readFileSync(`${folder}/${file}`, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [name = '', ...right] = line.split(' | ');
    return [name, right];
  });
}

function reasonOf(name: string): string {
  const lines = readFileSync(`${folder}/${name}.txt`, 'utf8').trimEnd().split('\n');
  return name.startsWith('build.') ? reasonIn(lines) : whyItEnded(lines, { code: 1, signal: null }, '/app');
}

const known = rightLines('right-lines.txt');
const heldOut = rightLines('right-lines-held-out.txt');

describe('the reason of a recorded output', () => {
  it.each(known)('%s names what is wrong: %s', (name, right) => {
    const reason = reasonOf(name);
    expect(right.filter((text) => !reason.includes(text))).toEqual([]);
  });

  it.each([...known, ...heldOut])('%s is no line of brackets or of a stack, and announces nothing', (name) => {
    expect(reasonOf(name)).toMatch(/\p{L}{2}/u);
    expect(reasonOf(name)).not.toMatch(/[:{[(]$|^:? *at /);
  });

  it('is right for at least 136 of the 138 that no rule was made for', () => {
    const wrong = heldOut.filter(([name, right]) => right.some((text) => !reasonOf(name).includes(text)));
    expect(heldOut.length - wrong.length, wrong.join('\n')).toBeGreaterThanOrEqual(136);
  });

  it('is tried with each output that is there', () => {
    const names = readdirSync(folder).filter((file) => !file.startsWith('right-lines'));
    expect([...known, ...heldOut].map(([name]) => `${name}.txt`).sort()).toEqual(names.sort());
  });
});
