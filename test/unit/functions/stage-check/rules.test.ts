import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { decisionOf } from '../../../../functions/api-deploy/decision.ts';
import type { Delivery } from '../../../../functions/core/payload/delivery.ts';
import { RULES } from '../../../../functions/stage-check/rules.ts';

const functions = fileURLToPath(new URL('../../../../functions/', import.meta.url));
const source = (path: string) => readFileSync(`${functions}${path}`, 'utf8');
const readme = source('stage-check/README.md');

/** A row of a table of sentences: a name or a number is …, and a row without a file is of that of the row before. */
interface Row {
  readonly reason: string;
  readonly file: string;
}

function rowsOf(table: string): readonly Row[] {
  const [, rows = ''] = readme.split(new RegExp(`<!-- /?${table} -->`));
  let file = '';
  return [...rows.matchAll(/^\| (.+?) \|(?: `\w+` \|)? ?(?:\[.+?\]\((.+)\) )?\|$/gm)].flatMap(
    ([, reason = '', link]) => {
      if (link) file = new URL(link, 'file:///stage-check/').pathname.slice(1);
      return file === '' ? [] : [{ reason, file }];
    },
  );
}

const all = ['before', 'after', 'held'].flatMap(rowsOf);

/** The text of a file with … for what is put into its sentences, whose parts are joined. */
function sentencesOf(file: string): string {
  const filled = source(file).replace(/\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\}/g, '…');
  return filled.replace(/['`] \+\s+['`]/g, '');
}

it('the rules of the stage have the order that the document explains', () => {
  const [, table = ''] = readme.split('| rule |');
  const documented = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(RULES.map(({ name }) => name)).toEqual(documented);
});

describe('the reasons before the rules', () => {
  const repository = { hostname: null, owner: 'ann', name: 'shop', url: null, private: false };
  const by = { provider: 'github', hostKind: 'github', id: '1', repository, author: null };
  const push = {
    ...by,
    kind: 'push',
    ref: 'refs/heads/main',
    branch: 'main',
    before: null,
    forced: false,
    sha: 'a',
    message: 'x',
  };
  const build = {
    ...by,
    kind: 'build',
    branch: 'main',
    sha: 'a',
    check: 'CI',
    outcome: 'passed',
    state: 'x',
    message: null,
  };
  const skip = { deploy: true, ci: false, words: '[skip deploy]' };
  const deliveries = [
    { ...push, branch: null, ref: 'refs/tags/v1' },
    { ...push, branch: 'dev' },
    { ...push, sha: null },
    { ...push, skip },
    { ...build, pullRequest: true },
    { ...build, outcome: 'neutral' },
    { ...build, outcome: 'pending' },
    { ...build, outcome: 'failed' },
    { ...build, branch: null },
    { ...build, mergeQueue: true },
    { ...by, kind: 'pull', number: 7, draft: true, closed: false, sha: 'a', branch: 'blue' },
  ] as unknown as readonly Delivery[];
  const decided = rowsOf('before').filter(({ file }) => /branch.ts|\/decision.ts/.test(file));
  const pattern = ({ reason }: Row) =>
    new RegExp(
      `^${reason
        .split('…')
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.+')}`,
    );

  it('are all that a call may be told, each by a call', () => {
    const told = deliveries.map((delivery) => decisionOf(delivery, 'main').reason ?? '');
    for (const [index, row] of decided.entries()) expect(told[index]).toMatch(pattern(row));
    expect(told).toHaveLength(decided.length);
  });

  it('are in the document for each place that refuses a branch', () => {
    // Two of the places say what another one says.
    const places = source('core/payload/branch.ts').match(/\bno\((?!reason: string)/g) ?? [];
    const reasons = source('core/payload/branch.ts').match(/return ['`](?:A|The) build.*[.']/g) ?? [];
    expect([places.length, reasons.length]).toEqual([10, 3]);
  });
});

describe('the reasons beside the rules', () => {
  it.each(all.filter(({ reason }) => !reason.startsWith('… is a tag')))('$file says: $reason', ({ reason, file }) => {
    expect(sentencesOf(file)).toContain(reason);
  });

  it('are in the document for every file that ends an entry', () => {
    const ends = /\bend(?:Held|Deploy)\(|kind: 'ended'|status: '(?:skipped|duplicate|superseded|expired|cancelled)'/;
    const files = readdirSync(functions, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && ends.test(source(file)),
    );
    /** What the others end with: an outcome of a rule, or the reason of a decision. */
    const means = ['stage-check/facts.ts', 'core/pipeline/stage-work.ts', 'core/pipeline/end-deploy.ts'];
    const decisions = ['api-deploy/draft.ts', 'core/reconcile/missed-commit.ts'];
    const documented = new Set([...all.map(({ file }) => file), ...means, ...decisions]);
    expect(files.filter((file) => !documented.has(file))).toEqual([]);
  });
});
