import { randomBytes } from 'node:crypto';
import { v4 } from 'uuid';
import type { Ids } from '../../core/ports/system.ts';

export const systemIds: Ids = {
  uuid: () => v4(),
  hex: (digits) =>
    randomBytes(Math.ceil(digits / 2))
      .toString('hex')
      .slice(0, digits),
  fraction: Math.random,
};
