import { beforeAll, describe, expect, it } from 'vitest';
import type { Sealer } from '../../functions/core/ports/repository-host.ts';

const context = { purpose: 'repo-token', user: 'kiwi', host: 'github' } as const;

/** The contract of the port `Sealer`; every implementation must pass it. */
export function sealerContract(title: string, open: () => Promise<Sealer>): void {
  describe(`${title}, as a sealer`, () => {
    let sealer: Sealer;
    beforeAll(async () => {
      sealer = await open();
    });

    it('opens what it sealed, in any characters', async () => {
      const sealed = await sealer.seal('grüße:🗝', context);
      expect(sealed).toMatch(/^v1\.[a-z]+\.[A-Za-z0-9+/]+=*$/);
      expect(sealed).not.toContain('grüße');
      expect(await sealer.open(sealed, context)).toBe('grüße:🗝');
    });

    it.each([
      ['another user', { ...context, user: 'melon' }],
      ['another host', { ...context, host: 'gitlab' }],
    ])('does not open a value that was sealed for %s', async (_, other) => {
      const sealed = await sealer.seal('secret', context);
      await expect(sealer.open(sealed, other)).rejects.toThrow();
    });

    it('does not open a value that was changed or cut off, or has another format', async () => {
      const sealed = await sealer.seal('secret', context);
      const start = sealed.lastIndexOf('.') + 1;
      const bytes = Buffer.from(sealed.slice(start), 'base64');
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      await expect(sealer.open(sealed.slice(0, start) + bytes.toString('base64'), context)).rejects.toThrow();
      await expect(sealer.open(sealed.slice(0, start + 8), context)).rejects.toThrow();
      await expect(sealer.open('secret', context)).rejects.toThrow();
    });
  });
}
