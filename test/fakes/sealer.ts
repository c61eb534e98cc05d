import type { Sealer } from '../../functions/core/ports/repository-host.ts';

/**
 * Returns an in-memory fake of the sealer. It does not encrypt, but it binds a secret to its context as the real one
 * does.
 */
export function memorySealer(): Sealer {
  return {
    seal: async (secret, context) => `v1.memory.${Buffer.from(JSON.stringify({ secret, context })).toString('base64')}`,
    open: async (sealed, context) => {
      const text = Buffer.from(sealed.replace(/^v1\.memory\./, ''), 'base64').toString('utf8');
      const stored: { secret: string; context: unknown } = JSON.parse(text);
      if (JSON.stringify(stored.context) !== JSON.stringify(context)) throw new Error('The context does not match.');
      return stored.secret;
    },
  };
}
