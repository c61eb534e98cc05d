import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reasonIn } from '../../../../../functions/core/output/build-reason.ts';
import { whyItEnded } from '../../../../../functions/core/output/diagnosis.ts';

const folder = 'test/fixtures/outputs';

/** Outputs of failed builds and starts, by file, with what a person would point at. */
function rightLines(file: string): readonly (readonly [string, string])[] {
  const lines = readFileSync(`${folder}/${file}`, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [name = '', right = ''] = line.split(' | ');
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
    expect(reasonOf(name)).toContain(right);
  });

  it('is right for at least 35 of the 41 that no rule was made for', () => {
    const right = heldOut.filter(([name, line]) => reasonOf(name).includes(line));
    expect(right.length).toBeGreaterThanOrEqual(35);
  });

  it('is tried with each output that is there', () => {
    const names = readdirSync(folder).filter((file) => !file.startsWith('right-lines'));
    expect([...known, ...heldOut].map(([name]) => `${name}.txt`).sort()).toEqual(names.sort());
  });
});
