import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { inOne, projects, type TestFiles } from '../projects.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

const testFiles = readdirSync(join(project, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => posix.join('test', path))
  .filter((path) => path.endsWith('.test.ts'));

function isIn({ include, exclude }: TestFiles, path: string): boolean {
  const isOneOf = (globs: readonly string[]) => globs.some((glob) => pattern(glob).test(path));
  return isOneOf(include) && !isOneOf(exclude);
}

function pattern(glob: string): RegExp {
  const parts = glob.split(/(\*\*\/|\*)/).map((part) => {
    if (part === '**/') return '(?:.+/)?';
    return part === '*' ? '[^/]*' : part.replaceAll('.', '\\.');
  });
  return new RegExp(`^${parts.join('')}$`);
}

/** Everything that a file imports, and what that imports, as paths from the root or names of packages. */
function importsOf(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path) || !existsSync(join(project, path))) return found;
  found.add(path);
  const source = readFileSync(join(project, path), 'utf8');
  for (const [, target = ''] of source.matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
    // Loaded when a release is made of a tarball, and by no test of `unit`.
    if (target === './pack-snapshot.ts') continue;
    if (target.startsWith('.')) importsOf(posix.join(posix.dirname(path), target), found);
    else found.add(target);
  }
  return found;
}

it('Every test file is in exactly one project, but those that both engines pass', () => {
  const counted = testFiles.map((path) => [path, Object.values(projects).filter((one) => isIn(one, path)).length]);
  const expected = (path: string) => (path.endsWith('.both.test.ts') ? 2 : 1);
  expect(counted.filter(([path, count]) => count !== expected(String(path)))).toEqual([]);
});

it('`npm test` runs the files of `unit`, `programs` and `service`', () => {
  const { unit, programs, service } = projects;
  const isInAny = (path: string) => [unit, programs, service].some((one) => isIn(one, path));
  expect(testFiles.filter((path) => isIn(inOne, path))).toEqual(testFiles.filter(isInAny));
});

it('The project `unit` starts no process and no emulator', () => {
  const startsPrograms = (path: string) =>
    [...importsOf(path)].some((one) =>
      /^(?:node:child_process|test\/aws-local\/emulators\/.*|lib\/platform\/platform\.ts)$/.test(one),
    );
  expect(testFiles.filter((path) => isIn(projects.unit, path)).filter(startsPrograms)).toEqual([]);
});
