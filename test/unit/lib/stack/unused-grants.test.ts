import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { differences, rowOf } from '../../../support/service/grants.ts';
import { project } from '../../../support/service/place.ts';

describe('The reviewed list of grants that no test of the service uses', () => {
  it('has a role, an action, a resource and a reason in each line, and each once', () => {
    const [head, ...lines] = readFileSync(join(project, 'lib/stack/access/unused.txt'), 'utf8').trim().split('\n');
    expect(head).toBe('role | action | resource | reason');
    for (const line of lines) expect(line).toMatch(/^\w+ \| \w+:\w+ \| \S+ \| \w.{8,}$/);
    const rows = lines.map((line) => line.split(' | ').slice(0, 3).join(' | '));
    expect(rows).toEqual([...new Set(rows)].sort());
  });

  it('is held to a run: what is unused and not in it, and what is in it and used or no grant, is named', () => {
    const rows = {
      used: new Set(['a', 'used', 'perhaps']),
      all: new Set(['a', 'used', 'perhaps', 'b', 'c']),
      reviewed: new Set(['c', 'd', 'used', 'perhaps']),
      sometimes: new Set(['perhaps']),
    };
    expect(differences(rows)).toEqual([
      'No test uses the grant: b',
      'The list has a grant that was used: used',
      'The list has what is no grant: d',
    ]);
    expect(differences({ ...rows, used: new Set(['a', 'b']), reviewed: new Set(['c', 'used', 'perhaps']) })).toEqual(
      [],
    );
  });

  it.each([
    ['arn:aws:dynamodb:us-east-1:000000000000:table/StoresLog529A5ACD/index/byApp', 'table/StoresLog/index/byApp'],
    ['arn:aws:sqs:us-east-1:000000000000:QueuesstartFCF10699.fifo', 'Queuesstart.fifo'],
    ['arn:aws:s3:::appsbucket5e7a247b/releases/*', 'appsbucket/releases/*'],
    [
      'arn:aws:execute-api:us-east-1:000000000000:ChangesInsideApi12345678/live/$connect',
      'ChangesInsideApi/live/$connect',
    ],
  ])('%s is %s', (resource, expected) => {
    const grant = { role: 'PipelinesweeppartsRoleDCB45F79', action: 'a:B', resource, conditions: '' };
    expect(rowOf(grant)).toBe(`PipelinesweeppartsRole | a:B | ${expected}`);
  });
});
