import type { ScryptOptions } from 'node:crypto';
import { createRequire } from 'node:module';

/**
 * The options of each password hash that this thread has asked for. From then on a hash is cheap here: a password takes
 * 100 ms of a core, and the tests of a run hash hundreds. Programs that tests start hash as they always do.
 */
export const derived: readonly ScryptOptions[] = createRequire(import.meta.url)('./cheap-scrypt.cjs').derived;
