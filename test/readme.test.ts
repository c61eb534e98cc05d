import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errors, problemType } from '../functions/core/errors.ts';
import { routes } from '../functions/core/routes.ts';
import { runbook } from '../lib/runbook.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

describe('the README', () => {
  it('has the catalogue of errors as the code has it, with the anchor that each problem document names', () => {
    const rows = [...readme.matchAll(/^\| <a id="([\w-]+)"><\/a>`([^`]+)` \| (\d+) \| (yes|no) \| (.+) \|$/gm)];
    const told = rows.map(([, anchor, code, status, again, title]) => ({ anchor, code, status, again, title }));
    const known = Object.entries(errors).map(([code, { status, retry, title }]) => ({
      anchor: problemType(code).replace(/^.*#/, ''),
      code,
      status: String(status),
      again: retry ? 'yes' : 'no',
      title,
    }));
    expect(told).toEqual(known);
  });

  it('has an entry for every alarm', () => {
    const anchors = [...readme.matchAll(/<a id="runbook-([\w-]+)">/g)].map(([, anchor]) => anchor);
    expect(anchors).toEqual([...runbook]);
  });

  it('names every endpoint', () => {
    const missing = routes.filter(({ method, path }) => {
      const shown = path.replaceAll(/\{(\w+)\}/g, '<$1>').replace('<repository>', '<repository>.svg');
      return !readme.includes(`\`${method} ${shown}\``);
    });
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});
