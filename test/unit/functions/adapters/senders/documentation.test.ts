import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { senders } from '../../../../../functions/adapters/senders/registry.ts';
import { withGenerated } from '../../../../support/documents/markdown.ts';
import { holdTable, senderTable } from '../../../../support/documents/sender-docs.ts';

const path = fileURLToPath(new URL('../../../../../functions/adapters/senders/README.md', import.meta.url));

describe('the README of the senders', () => {
  it('contains what the registry says (vitest -u updates it)', async () => {
    const parts = { senders: senderTable(senders), holds: holdTable(senders) };
    await expect(withGenerated(readFileSync(path, 'utf8'), parts)).toMatchFileSnapshot(path);
  });

  it('mentions every sender that has no instructions', () => {
    const text = readFileSync(path, 'utf8');
    for (const { name, setup } of senders) if (setup === null) expect(text).toContain(`**${name}**`);
  });
});
