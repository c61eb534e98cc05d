import type { Sealer } from '../../functions/core/ports/sealer.ts';

/** The in-memory twin of the sealer: it hides nothing, but keeps text and context together as a real one does. */
export function memorySealer(): Sealer {
  return {
    seal: async (secret, context) => `v1.memory.${Buffer.from(JSON.stringify({ secret, context })).toString('base64')}`,
    open: async (sealed, context) => {
      const text = Buffer.from(sealed.replace(/^v1\.memory\./, ''), 'base64').toString('utf8');
      const stored: { secret: string; context: unknown } = JSON.parse(text);
      if (JSON.stringify(stored.context) !== JSON.stringify(context)) throw new Error('The context does not fit.');
      return stored.secret;
    },
  };
}
