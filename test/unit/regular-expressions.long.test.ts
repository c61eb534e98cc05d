import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'dev-typescript';
import { analyse } from 'scslre';
import { afterEach, describe, expect, it, vi } from 'vitest';

const project = fileURLToPath(new URL('../..', import.meta.url));
const sources = ['functions', 'lib', 'bin'].flatMap((room) =>
  readdirSync(join(project, room), { withFileTypes: true, recursive: true })
    .filter((file) => file.isFile() && /\.(?:tsx?|[cm]js)$/.test(file.name))
    .map((file) => join(file.parentPath, file.name).slice(project.length)),
);

/** What is put together at run time: only of texts of the program itself, when its module is loaded or where the reason says so. */
const MADE: Readonly<Record<string, string>> = {
  'functions/core/entry/mask.ts': 'when it is loaded',
  'functions/core/output/missing-variable.ts': 'when it is loaded',
  'functions/core/output/without-values.ts': 'when it is loaded',
  'lib/local/backup/backup.ts': 'the name of the file of a backup, which the operator has given',
  'lib/platform/store/host-names.ts': 'when it is loaded',
  'lib/process/marks.ts': 'the name of a variable',
};

interface Expression {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** Returns the literals of a file. */
function literalsOf(file: string): readonly Expression[] {
  const found: Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ file, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(join(project, file), 'utf8'), ts.ScriptTarget.Latest));
  return found;
}

/** Returns the expressions that a module makes when it is loaded. */
async function madeBy(file: string): Promise<readonly Expression[]> {
  const found: Expression[] = [];
  class Noted extends RegExp {
    constructor(pattern: string | RegExp, flags?: string) {
      super(pattern, flags);
      found.push({ file, source: this.source, flags: this.flags });
    }
  }
  vi.stubGlobal('RegExp', Noted);
  await import(join(project, file));
  return found;
}

/** What repeats something without a limit; the rest need not be looked at. */
const REPEATS = /[*+]|,\}/;

/** Returns what takes more than linear time: what an expression tries again from many places, or in many ways. */
function slow({ file, source, flags }: Expression): readonly string[] {
  if (!REPEATS.test(source)) return [];
  const { reports } = analyse({ source, flags });
  return reports.map(({ type, exponential }) => `${file}: /${source}/ ${exponential ? 'exponential' : type}`);
}

describe('the regular expressions of the program', () => {
  it('take a time in proportion to the text, whoever has written it', () => {
    expect(sources.flatMap(literalsOf).flatMap(slow)).toEqual([]);
  });

  it('are put together only of what the program says itself', async () => {
    const made = sources.filter((file) => /\bRegExp\(/.test(readFileSync(join(project, file), 'utf8')));
    expect(made.sort()).toEqual(Object.keys(MADE));
    const loaded = Object.keys(MADE).filter((file) => MADE[file] === 'when it is loaded');
    const all = [];
    for (const file of loaded) all.push(...(await madeBy(file)));
    expect(all.length).toBeGreaterThanOrEqual(loaded.length);
    expect(all.flatMap(slow)).toEqual([]);
  });

  it.each([String.raw`^\s*path`, '(a*)*b', String.raw`\/+$`, 'a.*b.*c$'])(
    'would be found if they were like %s',
    (source) => {
      expect(slow({ file: 'x', source, flags: 'm' })).not.toEqual([]);
    },
  );
});
