import { makeBadge } from 'badge-maker';
import { describe, expect, it } from 'vitest';
import { colours, drawings } from '../../../../functions/api-badge/drawings.ts';

describe('the drawn badges', () => {
  it.each(Object.entries(drawings))('%s is as badge-maker draws it', (message, svg) => {
    const color = colours[message as keyof typeof colours];
    expect(svg).toBe(makeBadge({ label: 'deployment', message, color, style: 'flat' }));
  });
});
