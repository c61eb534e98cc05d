import { describe, it } from 'vitest';
import { checklist } from './checklist/checklist.ts';
import { NotNow } from './checklist/item.ts';
import { deployedService } from './deployed.ts';

const deployed = await deployedService();

describe('What only an account can show', () => {
  for (const { title, expected, answer } of checklist) {
    it(title, async ({ skip }) => {
      const said = await answer(deployed).catch((error: unknown) => {
        if (error instanceof NotNow) return skip(error.message);
        throw error;
      });
      console.log(`${title}: ${said} (expected: ${expected})`);
    });
  }
});
