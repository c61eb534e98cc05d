import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project } from '../../../support/service/place.ts';

describe('The reviewed list of grants that no test of the service uses', () => {
  it('has a role, an action, a resource and a reason in each line, and each once', () => {
    const [head, ...lines] = readFileSync(join(project, 'lib/stack/access/unused.txt'), 'utf8').trim().split('\n');
    expect(head).toBe('role | action | resource | reason');
    for (const line of lines) expect(line).toMatch(/^\w+ \| \w+:\w+ \| \S+ \| \w.{8,}$/);
    const rows = lines.map((line) => line.split(' | ').slice(0, 3).join(' | '));
    expect(rows).toEqual([...new Set(rows)].sort());
  });
});
