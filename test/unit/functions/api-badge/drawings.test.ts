import { makeBadge } from 'badge-maker';
import { describe, expect, it } from 'vitest';
import { drawings } from '../../../../functions/api-badge/drawings.ts';
import type { Badge } from '../../../../functions/core/entry/outcome.ts';

const COLOURS: Readonly<Record<Badge, string>> = {
  ok: 'brightgreen',
  failed: 'red',
  crashed: 'red',
  deploying: 'blue',
  held: 'yellow',
  unknown: 'lightgrey',
};

describe('the drawn badges', () => {
  it.each(Object.keys(COLOURS) as Badge[])('%s is byte for byte what badge-maker draws', (message) => {
    const expected = makeBadge({ label: 'deployment', message, color: COLOURS[message], style: 'flat' });
    expect(drawings[message]).toBe(expected);
  });

  it('exist for these six outcomes only', () => {
    expect(Object.keys(drawings).sort()).toEqual(Object.keys(COLOURS).sort());
  });
});
